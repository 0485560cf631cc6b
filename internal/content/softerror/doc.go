// Package softerror judges by its content whether a page that came with 200 is an
// error message, or has no content at all: a soft 404 (F10).
//
// It decides:
//   - whether the title, the first heading and the first words of the main text
//     say that something is missing, gone, refused or broken. The phrases are a
//     table in the major languages of the web; each is weighed by how much it
//     says and by where it stands, against the length of the main text, and
//     against what error messages do not have: code, dates, tables, a first
//     person who asks.
//   - whether there is nothing to see: no text, picture, form or link.
//   - whether that is so only until scripts run. Such a page is never called a
//     soft 404: it needs rendering first (J1, M5).
//   - the likeness of a short page: a fingerprint that error messages share which
//     differ in a time or a request number (F11).
//
// It does not decide what a soft 404 means for the index or the next visit
// (packages react, demand), and asks for no second URL to compare with.
//
// Invariants: pure; linear time in the length of the document, and a bound on the
// text that is looked at; never fails or panics on hostile bytes. Precision goes
// before recall: a page that is long, or that talks about errors rather than being
// one, is left alone.
//
// Sources: behaviours F10, F11, J1, M5; the documentation of soft 404 errors. The
// phrases, weights and thresholds are house choices.
package softerror
