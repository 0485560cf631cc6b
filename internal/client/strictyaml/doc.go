// Package strictyaml reads YAML written by people strictly: every field must
// be known, every value must have its type and range, and everything that is
// wrong is reported at once, each with file, line, column, the path of the
// field and, where a name was mistyped, the nearest valid one.
//
// It decides what of YAML is accepted: one document of mappings, sequences and
// scalars. Anchors, aliases, tags, directives, merge keys and explicit keys are
// refused, since configuration needs none of them and they are how a small file
// becomes a huge one. It knows no field: the packages above bring their tables.
//
// Invariants: pure; never panics; time and memory are bounded by the limits in
// limits.go, whatever the bytes.
//
// Source: YAML 1.2.2 for the syntax; all limits are house choices.
package strictyaml
