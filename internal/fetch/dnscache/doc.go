// Package dnscache resolves hostnames for fetchers: a stub resolver with a
// cache that is shared by all fetches (B12).
//
// It decides which DNS server is asked, which answers count and how long they
// are kept. It does not decide which addresses may be dialled, nor what follows
// from a name that does not resolve. A [Resolver] fits the Resolver interfaces
// of packages httpfetch and ftpfetch.
//
// What is asked: the servers of /etc/resolv.conf, beginning with the one that
// answered last, A and AAAA at the same time, over UDP from a new port each,
// over TCP when the answer is truncated. Names that DNS is not for are answered
// without it: IP addresses, localhost and below (RFC 6761), names in /etc/hosts,
// .onion (RFC 7686), what is no domain name. Names without a dot and all names
// where there is no resolv.conf go to the operating system's resolver. A name
// with a dot is absolute: search lists would ask for, and crawl, other names.
// Both files are read again when they change.
//
// What counts: an answer to our question (id, name, type) from the server we
// asked; anything else is read past until the time is over. In it, the
// addresses at the end of the chain of CNAMEs that begins at the name; records
// of other names are ignored. Chains are bounded and may cross answers.
//
// What an error means, for the classes of B7:
//   - *net.DNSError with IsNotFound: the name does not resolve (dns-error).
//     NXDOMAIN, an answer without addresses, a loop or an overlong chain of
//     CNAMEs.
//   - any other error: DNS gave no answer (dns-unresponsive). SERVFAIL, REFUSED
//     and other codes from every server, timeouts, answers that cannot be read.
//
// How long answers are kept: addresses for the least TTL on their way, within
// Options.MinTTL and MaxTTL; "not found" for the lesser of TTL and MINIMUM of
// the SOA record that came with it (RFC 2308 section 5), within MinTTL and
// MaxNegative. That DNS gave no answer is not kept: it says nothing about the
// name. Half an answer (addresses of one family while the other failed) is kept
// for MinTTL only.
//
// Invariants: one lookup of a name at a time, however many wait for it; memory
// is bounded by Options.MaxNames; when a lookup returns, nothing of it goes on.
//
// Sources: RFC 1034, RFC 1035, RFC 2308, RFC 5452 (which answers count), RFC
// 6891 (EDNS), RFC 8020, RFC 8305; behaviours B7, B12. Constants are house
// choices.
package dnscache
