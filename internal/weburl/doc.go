// Package weburl turns what pages, sitemaps, headers and people write as an
// address into the one canonical [crawl.URL] that everything else stores,
// compares and counts, and recognises addresses that lead into infinite
// spaces.
//
// It decides: which addresses are addresses of something to crawl ([Parse],
// [Base.Resolve], [ResolveReference]), their canonical form, which hostnames
// belong to one site ([RegistrableDomain]), and which URLs are traps ([Trap],
// [Space]), for which it is also told what pages say ([Space.Learn]). It does
// not decide whether a URL is wanted, allowed or safe to dial: that is demand,
// robots and the fetcher's guard. It never looks at <base> elements (pass their resolved value to [NewBase]), nor at character
// sets: references are expected in UTF-8, and bytes that are not UTF-8 are
// taken as they are.
//
// Invariants:
//   - The canonical form is a fixed point: Parse(string(u)) == u for every URL
//     that this package returned. So is Resolve of it, against any base.
//   - A URL means the same after as before: no reserved octet is decoded (%2F
//     is not /), no escape comes into being that was not one.
//   - Time is linear in the length of the input and bounded by a constant;
//     resolving a reference costs one allocation, the URL itself, or none.
//   - A reference that a [Base] resolved before gives the same string again,
//     without an allocation, unless it was forgotten.
//   - Nothing here panics on any input.
//
// The parsing algorithm is the WHATWG URL Standard's, for special schemes that
// have a host. The canonical form is its serialisation, with these differences:
//
//	part          canonical form                                  kind of choice
//	fragment      dropped                                         documented (D1)
//	credentials   dropped: nothing is crawled with a page's       house choice
//	              user name and password
//	scheme        http, https, ftp, ftps only; others are         documented (B2, C1)
//	              errors of class "scheme"
//	ftps          special scheme with default port 990            house choice (IANA's port for it)
//	host          trailing dot stripped, also where it is         house choice: one hostname,
//	              written escaped or ideographic                  one budget (E1)
//	host          an empty label inside (a..b) is an error: no    house choice
//	              such name can be resolved
//	host          longer than 253 bytes is an error               std (RFC 1035, 2.3.4)
//	host          a name whose Punycode is not valid when read    house choice
//	              again is an error
//	escapes       %41 to A, %7e to ~: unreserved octets are       std (RFC 3986, 6.2.2.2)
//	              decoded, but never such that an escape arises
//	              (%%34%31 keeps its %34)
//	escapes       other escapes get upper-case digits             std (RFC 3986, 6.2.2.1)
//	bytes         bytes that are not UTF-8 are escaped one by     house choice, as browsers
//	              one, instead of as U+FFFD                       treat Location (case 11)
//	query         encoded as UTF-8, whatever the charset of       house choice
//	              the page
//	length        at most MaxLength bytes                         house choice
//
// Kept as the standard has it: an empty query ("/a?" is not "/a": a server may
// tell them apart, and a redirect from one to the other is no loop), a bare %
// and %zz, empty path segments, the order of query parameters, and the case of
// path and query. The caret is escaped in paths, as the standard's present text
// and today's browsers do; older copies of the test vectors leave it.
//
// The parser is this package's own, because it has to be linear in hostile input,
// to keep bytes that are not UTF-8, and to cost nanoseconds for the 300 links of a
// page. Tests hold it to the web-platform test vectors and to another
// implementation of the standard, github.com/nlnwa/whatwg-url.
//
// Sources: the WHATWG URL Standard; UTS #46 (IDNA), by golang.org/x/net/idna;
// RFC 3986 section 6; the public suffix list; behaviour rows D1, D3, B2, B6,
// E1; cases 11 to 14.
package weburl
