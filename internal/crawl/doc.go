// Package crawl is trawl's vocabulary: the values that every other package
// speaks in. It decides nothing.
//
// A URL's way through the platform is also the order of these types: a
// [Discovery] makes a URL known; its [Visit] says when it is due for one
// crawler client; a [Request] is sent; a [Result] comes back, complete,
// truncated or with a [Failure]; a [Page] is what was read in it; an [Outcome]
// is everything that one fetch changes, committed in one store transaction.
//
// Invariants:
//   - Standard library only, and no I/O: values, their text forms, and pure
//     functions on one value.
//   - Every enum has a zero value that means "none" or "unknown", and a text
//     form that is stable: it is stored and printed, so it is never reused for
//     something else.
//   - Times are UTC; the zero time means "never" or "not set".
//
// Sources: the vocabulary of docs/behaviours.md (sections A to K), RFC 9110
// for the names of HTTP's parts.
package crawl
