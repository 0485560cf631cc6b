// Package egress decides from which region a hostname is asked: its home region,
// or another one when it blocks that (B10).
//
// A hostname blocks a region when a whole crawl session there, of enough requests,
// got refused connections, timeouts and 403 or 451 only, and not one page. After
// some such sessions in a row another region is tried, one at a time and not often;
// one that is answered is kept, and the home region is asked again now and then.
// The package sends nothing, knows no proxies, and does not judge whether a
// different answer from another region is the same page.
//
// Invariants: without another region to try, the answer is always the home region
// and a record stays as it is; a choice changes at the begin of a session only, but
// for a region whose proxies fail; a record that was handed in is never changed in
// place; no clock, no randomness.
//
// Sources: behaviour B10. The documentation says that another region may be tried
// and gives no values: those in [Params] are house choices.
package egress
