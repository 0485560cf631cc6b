// Package compare puts the answers that several crawler clients got for one URL
// side by side: what differs, and what that means.
//
// It decides which differences count. Header fields that change with every
// response by their nature are left out, and named in the report; so is what the
// first answer and its control differ in, the same request made once more at the
// end: a page that changes by itself is not served differently to anybody. The
// verdicts are a table of rules over two answers, each with its behaviour row, and
// none is given without a difference to show for it. The package sends nothing,
// follows nothing and does not judge which of two answers is right.
//
// Invariants: the work is bounded by the constants below whatever a server sent
// (text that is compared, lines and links that are shown), and what a bound cut is
// said; no clock, no randomness; the order of verdicts is that of the table.
//
// House choices: all bounds and thresholds; that text is what stands outside of
// tags, scripts and styles. Sources: behaviours A4, A7, B1, B4, B6, B7, B10, D1, F12, I7,
// K5, L3, M1 to M4, M15.
package compare
