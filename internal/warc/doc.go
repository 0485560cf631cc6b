// Package warc writes what was fetched into WARC 1.1 files (ISO 28500:2017),
// one gzip member a record, and reads single records back.
//
// It decides how a [crawl.Result] becomes records, when a file is full, and
// what of a file that a crash left behind is kept. It does not decide what is
// archived, what counts as unchanged, or when a reference is committed.
//
// One fetch becomes one group, appended whole: a request, a response (revisit
// where [Record].Revisit says so, resource for FTP) and a metadata record. The
// other two name the response in WARC-Concurrent-To. A fetch without any
// response (Status 0) is not archived: the crawl stats keep it.
//
// The body of a result is decoded, so the archived message is made to match it
// (case 34): Content-Encoding and Transfer-Encoding become
// X-Crawler-Content-Encoding and X-Crawler-Transfer-Encoding, Content-Length is
// the length of the archived body and the server's own value, where it differs,
// X-Crawler-Content-Length. Every message is written as HTTP/1.1; WARC-Protocol
// says what was spoken. Digests are sha1 in base32, the form all readers know;
// the payload digest is over the archived body.
//
// Invariants:
//   - A file is written by one Writer, under a lock, and never appended to
//     later: it is "<name>.warc.gz.open" until it is full or closed (beside it
//     ".open.synced" says how much is on disk), then "<name>.warc.gz".
//     References use the final name from the start.
//   - A file holds whole records only. What a failed write left is truncated
//     away before anything else is written.
//   - What [Writer.Sync] has covered survives kill -9 and power loss, and
//     recovery never touches it. Behind it, recovery cuts off a record that the
//     end of the file tears, and puts anything stranger aside in
//     "<name>.damaged".
//   - Nothing a server sends can break the structure of a record.
//
// House choices: WARC-Date in whole seconds, so that a reference by date finds
// its record whatever precision a store keeps; no WARC-Warcinfo-ID, because
// records are compressed before it is known into which file they go (the
// warcinfo record at the head of each file applies); an "=?" in a URI that a
// reader could take for the start of an encoded word (RFC 2047) is written
// "%3D?".
//
// Unix file semantics are assumed: a file is renamed while open, and locked
// with flock where there is one. On a system without it two writers must not
// share a directory.
//
// Sources: ISO 28500:2017; the IIPC's proposal for WARC-Protocol; RFC 1952,
// RFC 9110, RFC 9112; behaviours B5, F5, G5; cases 25 and 34.
package warc
