// Package archtest holds the rules of trawl's architecture as tests. It has no
// code of its own: nothing imports it, and it imports nothing of the module.
//
// It decides whether the tree may be merged: which package may import which
// (the policy is one text in policy_test.go), that pure packages have no clock,
// no sockets and no random numbers of their own, that no package variable ever
// changes, that files and functions stay readable (exceptions.txt may only
// shrink), that every package says what it is for, and that
// docs/architecture.md and docs/behaviours.md are true. It does not decide what
// a package does inside its walls, nor how code looks: that is the linters'
// part.
//
// Invariants: the files are read as text and syntax trees, for every build
// constraint at once, so that a rule cannot be evaded by a GOOS suffix; every
// checker is itself tested on a small tree that breaks its rule, because a
// guard that cannot fail guards nothing.
//
// Sources: the rules of the design (docs/architecture.md); the manner of
// go/build/deps_test.go in the Go tree for the import policy.
package archtest
