// Package ftpfetch fetches ftp and ftps URLs: the FTP fetcher behind the port
// in package fetch (B2).
//
// It decides how an FTP dialogue becomes a [crawl.Result]: which replies stand
// for which status (the table in status.go), what a directory looks like, which
// phase failed and how (B7), where a file is cut (B4, B5). It does not decide
// what to fetch, when, or what follows from a result, and it never writes to a
// server: USER, PASS, AUTH, PBSZ, PROT, FEAT, TYPE, CWD, SIZE, MDTM, EPSV, PASV,
// RETR, MLSD, LIST and QUIT are all it can say. Transfers are never resumed.
//
// Invariants:
//   - A fetch ends at the latest at Timeouts.Total. Each reply must be whole
//     within Timeouts.Header, data must come within Timeouts.Idle and no slower
//     than Timeouts.MinRate.
//   - Memory is bounded by the byte limit, by replySize for replies and by
//     Options.MaxEntries for listings; so are the bytes read. At the limit both
//     connections are closed.
//   - Data connections go to the address of the control connection. The address
//     in a reply to PASV is ignored, so that a server can send us nowhere; the
//     Guard is asked for each connection, control and data (B11).
//   - Nothing the URL or the server says can inject a command.
//
// How a URL is read. ftp://host/a/b is the file /a/b: one absolute path, as
// browsers send it, not a chain of CWD from the login directory as RFC 1738
// section 3.2 has it (house choice). A question mark belongs to the name. A
// path that ends in a slash is a directory; the answer is a generated HTML
// document with a link for each entry, so that every reader of links can read
// it. A directory named without its slash is a 301 to the name with it.
// ";type=d" at the end asks for a listing; ";type=a" and ";type=i" are cut off:
// every transfer is binary, byte for byte.
//
// Which encryption. An ftps URL means TLS from the first byte (implicit). With
// ProtocolFTPS an ftp URL means AUTH TLS, and a server without it is a TLS
// failure (explicit, RFC 4217). Otherwise an ftp URL is fetched in the clear
// and once more under AUTH TLS only when the server refuses the login for it.
// Under TLS the data connection is protected, too, and resumes the session of
// the control connection, as servers demand.
//
// Results look like those of HTTP. Status comes from the table, Reason is the
// server's text. Header is made by this package: Content-Type by the name's
// extension, Last-Modified from MDTM, Content-Length from SIZE; nothing of it
// was sent, so HeaderBytes is 0 and the whole limit is left for the body. An
// If-Modified-Since that MDTM does not pass gives 304 without a transfer.
// Connections are not kept between fetches.
//
// Sources: RFC 959, RFC 1635 (anonymous), RFC 2228 and RFC 4217 (TLS), RFC 2389
// (FEAT), RFC 2428 (EPSV), RFC 3659 (MLSD, MDTM, SIZE); behaviours B2, B4, B5,
// B7, B11.
package ftpfetch
