// Package content reads the body of a response: its type, its charset, its
// title, where it links to, and what it asks of crawlers.
//
// [Read] makes a [crawl.Page] of a [crawl.Result]. It decides:
//   - the media type: Content-Type, checked against the first bytes where those
//     leave no doubt, and bytes or file extension where the type is missing or
//     says nothing (K1). House choices: text/plain stays text whatever markup
//     is in it, unless it is binary; a page, image or file whose bytes are
//     certainly something else is what its bytes say.
//   - the type of the crawl-stats report (I2), from a table.
//   - the charset (package charset; case 16). Only HTML, XML and text have one;
//     binary files are never converted.
//   - links, resolved and canonical, each once (D1). A page's own URL is not
//     among them. A URL is NoFollow only if every link to it is.
//   - the canonical URL (case 31): Link headers and head elements together. If
//     the valid ones do not all agree there is none, and a note says so: house
//     choice, because two different answers are no answer.
//   - robots rules (F12, case 30): the meta elements named "robots" or after the
//     client, and X-Robots-Tag, all rules with their values; the most restrictive
//     wins: of two bounds the smaller, of two dates the earlier.
//   - the links of RSS and Atom feeds that are found as pages (D1).
//   - what a page says, as hashes, if it is asked for (D3): see package weburl.
//   - the refresh (B6): the header, and if that says nothing the first meta.
//
// It reads links and rules only in answers with status 2xx. Of a redirect it
// reads nothing; of an error page the type, charset and title.
//
// [ReadSitemap] does the same for a body that is wanted as a sitemap (D2), by
// package sitemap.
//
// What it does not decide: whether a link is followed, a page indexed, or a
// canonical believed. The packages react, demand and schedule do.
//
// Invariants: pure; never fails, never panics on hostile bytes; linear time;
// what a limit cut is in Page.Bounded and what was wrong in Page.Notes; the
// page does not alias the body.
//
// Sources: WHATWG HTML and MIME Sniffing, RFC 8288 (Link), RFC 9110 section
// 8.3; behaviours B6, D1, D2, F12, I2, K1, K5; cases 15, 16, 27 to 31.
package content
