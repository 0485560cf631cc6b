// Package robots decides what robots.txt lets a crawler client fetch, and what
// follows when robots.txt cannot be had.
//
// Its parts, all of them functions of values:
//
//   - [Parse] reads one file into [Rules]; it never fails.
//   - [Rules.For] compiles the group that one client obeys into a [Matcher],
//     whose [Matcher.Check] gives a [Verdict] with the line that decided.
//   - [Lint], [LintAnswer] and [Diff] tell owners what is ignored or surprising in
//     a file, how it is served, and what two files say differently.
//   - [Ladder], [Update] and [Homepage] turn the history of answers, kept in a
//     [crawl.RobotsRecord], into what may be crawled at a given time.
//
// It does not decide which clients obey robots.txt at all (A3: package client),
// follows no redirect and sends no request, and says nothing about the crawl
// rate: an unavailable robots.txt is also a failing host, which package
// hostload hears of by itself.
//
// Invariants:
//   - Rules and Matcher are safe for use by many goroutines, and keep no
//     reference to the bytes that were parsed.
//   - Parsing takes time and memory in proportion to the file, of which at most
//     [MaxBytes] are read. Gates keep the usual check below a microsecond; where a
//     file is made to pass them, its patterns are matched all at once, in time
//     (path + patterns) × log(patterns) comparisons; the first such check also
//     builds the tree for it. Only groups with few patterns are always tried one by one.
//   - What Lint says of rules that never match or never decide is proved.
//   - Nothing that our own policy refused, that a shutdown cut short, or that a
//     proxy of ours failed to do is ever taken for an answer of the host.
//
// # Percent-encoding
//
// Google's parser prepares a pattern in two ways and no more: an octet outside
// ASCII becomes %XX, and the hexadecimal digits of an escape that is there
// become upper case. Nothing is ever decoded, so /a%2Fb and /a/b stay different
// paths, and so do /%62 and /b (RFC 9309 would have the latter two equal; the
// parser's own tests do not). The parser leaves the same preparation of the URL
// to its caller: here Check does it.
//
// Sources: behaviours C1 to C8 and A3; RFC 9309; the open-sourced parser
// google/robotstxt, whose decisions are the reference for C2; Google's page on
// how it interprets the robots.txt specification, for the handling of errors.
package robots
