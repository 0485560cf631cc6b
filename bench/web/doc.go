// Package web is a synthetic web to measure crawlers on: hosts on loopback
// addresses, pages that exist once in memory, links that reach every page, and
// counters that say what a crawler really asked for.
//
// A host is an address 127.1.x.y; every host listens on the same port, behind
// one wildcard listener that tells hosts apart by the connection's local
// address. Connections to other addresses of the machine are closed unread,
// except 127.0.0.1, where the control pages are: /stats, /seeds, /urls,
// /missing, /repeated, and by POST /reset and /quit.
//
// The server is as lean as it can be, because it shares the machine with what
// is measured: each response is one prebuilt slice written in one call, a
// request's head is read without allocation, and nothing but counters changes.
// It speaks the HTTP/1.1 that crawlers speak: GET and HEAD, keep-alive,
// pipelining; no request bodies, no ranges, no conditions.
//
// Invariants:
//   - A page is a function of the spec and the port: same spec, same bytes.
//   - Following the links from the seed of a host reaches all of its pages; no
//     link leads out of the web.
//   - A page has exactly the size and the number of links that the spec names.
//   - A GET of a page counts as unique or as a repeat, never as both.
//
// Linux only: elsewhere 127.1.x.y is not a loopback address without set-up.
package web
