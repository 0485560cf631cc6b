// Package httpfetch sends requests over HTTP/1.1 and HTTP/2: the HTTP fetcher
// behind the port in package fetch.
//
// It decides how bytes become a [crawl.Result]: which phase failed and how
// (B7), where a body is cut (B4, B5), which content coding a body really has
// (B3), which address may be dialled (B11, by the Guard). It does not decide
// what to fetch, when, over which protocol, or what follows from a result; it
// follows no redirect, keeps no cookies and sends no Referer.
//
// Invariants:
//   - A fetch ends at the latest at Timeouts.Total: one watchdog timer per
//     fetch ends it, whatever the server does.
//   - Memory of a fetch is bounded by its byte limit, the header limit and the
//     windows of the codecs; so are the bytes read from the connection.
//   - A connection that was not read to its end is closed, never reused.
//   - Everything that comes from the server is data: no hostile response makes
//     Fetch panic or return nil.
//
// HTTP/2 that fails (RFC 9113): a hostname that answers 421, or ends the stream or
// the connection with HTTP_1_1_REQUIRED, is asked once more over HTTP/1.1, and the
// result is marked Misdirected. So is, unmarked, one whose new connection breaks
// before anything was understood, though it chose h2 by ALPN (house choice). A
// request that was surely not processed (REFUSED_STREAM, or GOAWAY ahead of it) is
// sent again once. Every other RST_STREAM and GOAWAY is a failure of class
// FailReset: package protocol counts it against HTTP/2 on that hostname. A header
// block of more than twice the limit ends the connection without a reason that
// could be seen: FailUnparseable, not FailHeaderTooLarge. Idle connections are
// bounded over all hosts, and a connection on which a fetch failed is not used
// again; floods of frames that carry nothing end it.
//
// Limits of the underlying net/http, accepted for now: the names of received
// header fields are in canonical form and their order is lost, so that
// Result.Header is sorted by name (values of one name keep their order); on
// HTTP/1.1 the fields sent are sorted by name after Host and User-Agent.
// "Connection: close" of a body that ends with its connection is not shown.
// Trailer fields are read past and ignored.
//
// A label of Content-Encoding that the body belies gets the best reading:
// bytes that are gzip or zlib are undone as such, plain bytes are kept, and the
// result is marked Mislabeled. A coding that is unknown gives FailDecode and no
// body, because undecoded bytes would be garbage to every reader.
//
// Sources: RFC 9110, RFC 9112, RFC 9113, RFC 8305 (dialling), RFC 1950 to 1952
// and RFC 7932 (codings); behaviours A6, B1, B3 to B8, B10, B11, B12.
package httpfetch
