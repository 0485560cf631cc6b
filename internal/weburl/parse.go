package weburl

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"trawl/internal/crawl"
)

// MaxLength is the greatest length of a canonical URL in bytes (house choice:
// the limit common among servers; what is longer is a mistake or a trap).
const MaxLength = 8192

// MaxInput is the greatest length in bytes of a reference, white space around
// it and its fragment not counted (house choice). A reference may shrink on its
// way to the canonical form, by escapes decoded and dot segments removed, so
// this is larger than MaxLength; what is longer still is not looked at.
const MaxInput = 4 * MaxLength

// Parse returns the canonical form of an absolute URL. Errors are of type
// *[Error].
func Parse(raw string) (crawl.URL, error) {
	return resolve(nil, raw)
}

// ResolveReference resolves ref against base, as for a Location header (B6). An
// empty ref gives the base: a caller for whom that is an error, such as an
// empty Location, checks it first. Without a base (base == "") it is Parse.
func ResolveReference(base crawl.URL, ref string) (crawl.URL, error) {
	return resolve(NewBase(base), ref)
}

func resolve(b *Base, raw string) (crawl.URL, error) {
	if len(raw) > MaxInput {
		raw = shorten(raw)
	}
	var in, out [512]byte
	u, _, err := b.resolve(out[:0], append(in[:0], raw...))
	return u, err
}

// shorten drops what the canonical form ignores from a long input, so that it
// is not copied: white space around it, and all of the fragment but its mark.
func shorten(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	for i := range min(len(s), MaxInput+1) {
		if s[i] == '#' {
			return s[:i+1]
		}
	}
	return s
}

// clean trims in and drops its fragment, tabs and line ends, in place if need
// be. These are the first steps of the standard's basic URL parser.
func clean(in []byte) []byte {
	for len(in) > 0 && in[0] <= ' ' {
		in = in[1:]
	}
	for len(in) > 0 && in[len(in)-1] <= ' ' {
		in = in[:len(in)-1]
	}
	// For the schemes of this package a # starts the fragment wherever it is.
	if i := bytes.IndexByte(in, '#'); i >= 0 {
		in = in[:i]
	}
	if len(in) > MaxInput || !hasTabOrLineEnd(in) {
		return in
	}
	kept := make([]byte, 0, len(in))
	for _, c := range in {
		if c != '\t' && c != '\n' && c != '\r' {
			kept = append(kept, c)
		}
	}
	return kept
}

// hasTabOrLineEnd looks at eight bytes at once for any below the space, of which
// nearly all references have none.
func hasTabOrLineEnd(in []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	rest := in
	for len(rest) >= 8 {
		if x := binary.LittleEndian.Uint64(rest); (x-' '*ones)&^x&tops != 0 {
			return anyTabOrLineEnd(in)
		}
		rest = rest[8:]
	}
	for _, c := range rest {
		if c < ' ' {
			return anyTabOrLineEnd(in)
		}
	}
	return false
}

func anyTabOrLineEnd(in []byte) bool {
	return bytes.IndexByte(in, '\n') >= 0 || bytes.IndexByte(in, '\t') >= 0 || bytes.IndexByte(in, '\r') >= 0
}

// schemeEnd returns the index of the colon that ends in's scheme, or -1.
func schemeEnd(in []byte) int {
	end := bytes.IndexByte(in, ':') // most references have none
	for i := 0; i < end; i++ {
		switch c := in[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return -1
		}
	}
	if end == 0 {
		return -1
	}
	return end
}

// crawled returns the canonical form of a scheme that is crawled, or "".
func crawled(scheme []byte) string {
	var low [5]byte
	if len(scheme) > len(low) {
		return ""
	}
	for i, c := range scheme {
		low[i] = c | 0x20 // schemeEnd let letters, digits and +-. through: none becomes a letter of ours
	}
	switch string(low[:len(scheme)]) {
	case "http":
		return "http"
	case "https":
		return "https"
	case "ftp":
		return "ftp"
	case "ftps":
		return "ftps"
	}
	return ""
}

// defaultPort returns the port that is dropped from the canonical form.
func defaultPort(scheme string) int {
	switch scheme {
	case "http":
		return 80
	case "https":
		return 443
	case "ftp":
		return 21
	}
	return 990 // ftps
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

func skipSlashes(in []byte) []byte {
	for len(in) > 0 && isSlash(in[0]) {
		in = in[1:]
	}
	return in
}

// appendURL appends the canonical URL of in, which is clean, to dst. b may be
// nil or without a URL.
func (b *Base) appendURL(dst, in []byte) ([]byte, fault) {
	if n := schemeEnd(in); n >= 0 {
		s := crawled(in[:n])
		if s == "" {
			return dst, fault{Scheme, "its scheme is not crawled; only http, https, ftp and ftps are"}
		}
		rest := in[n+1:]
		if b.valid() && s == b.scheme && !bytes.HasPrefix(rest, []byte("//")) {
			return b.appendRelative(dst, rest)
		}
		rest = skipSlashes(rest)
		if b.valid() && s == b.scheme && b.sameOrigin(rest) { // most absolute references
			root := len(dst) + b.authorityEnd
			return appendPath(append(dst, b.url[:b.authorityEnd+1]...), root, rest[b.authorityEnd+1-len(s+"://"):]), fault{}
		}
		return b.appendAuthority(dst, s, rest)
	}
	if b.valid() {
		return b.appendRelative(dst, in)
	}
	if len(in) == 0 {
		return dst, fault{Empty, "it is empty"}
	}
	return dst, fault{Syntax, "it has no scheme and there is no base to resolve it against; write it with http:// or https://"}
}

// sameOrigin reports whether in, which follows the base's own scheme, starts
// with the base's authority in canonical form and a slash.
func (b *Base) sameOrigin(in []byte) bool {
	authority := b.url[len(b.scheme)+len("://") : b.authorityEnd]
	return len(in) > len(authority) && in[len(authority)] == '/' && string(in[:len(authority)]) == authority
}

func (b *Base) appendRelative(dst, in []byte) ([]byte, fault) {
	switch {
	case len(in) == 0:
		return append(dst, b.url...), fault{}
	case isSlash(in[0]):
		if len(in) > 1 && isSlash(in[1]) {
			return b.appendAuthority(dst, b.scheme, skipSlashes(in))
		}
		root := len(dst) + b.authorityEnd
		return appendPath(append(dst, b.url[:b.authorityEnd+1]...), root, in[1:]), fault{}
	case in[0] == '?':
		return appendQuery(append(dst, b.url[:b.pathEnd]...), in), fault{}
	}
	root := len(dst) + b.authorityEnd
	return appendPath(append(dst, b.url[:b.dirEnd]...), root, in), fault{}
}

// appendAuthority appends the URL whose authority starts at in.
func (b *Base) appendAuthority(dst []byte, scheme string, in []byte) ([]byte, fault) {
	end := 0
	for end < len(in) && !isSlash(in[end]) && in[end] != '?' {
		end++
	}
	authority, rest := in[:end], in[end:]
	if i := bytes.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	host, port, hasPort := cutPort(authority)
	if len(host) == 0 {
		return dst, fault{Host, "it names no host"}
	}
	dst = append(append(dst, scheme...), "://"...)
	if b.valid() && string(host) == b.host {
		dst = append(dst, host...)
	} else {
		var f fault
		if dst, f = appendHost(dst, host); f.class != ErrorNone {
			return dst, f
		}
	}
	if hasPort {
		n, ok := portNumber(port)
		if !ok {
			return dst, fault{Port, "its port is not a number from 0 to 65535"}
		}
		if n >= 0 && n != defaultPort(scheme) {
			dst = strconv.AppendInt(append(dst, ':'), int64(n), 10)
		}
	}
	root := len(dst)
	dst = append(dst, '/')
	if len(rest) > 0 && isSlash(rest[0]) {
		rest = rest[1:]
	}
	return appendPath(dst, root, rest), fault{}
}

// cutPort splits an authority without credentials at the first colon outside
// brackets.
func cutPort(authority []byte) (host, port []byte, found bool) {
	if bytes.IndexByte(authority, ':') < 0 {
		return authority, nil, false
	}
	inside := false
	for i, c := range authority {
		switch {
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case c == ':' && !inside:
			return authority[:i], authority[i+1:], true
		}
	}
	return authority, nil, false
}

// portNumber returns -1 for an empty port.
func portNumber(port []byte) (n int, ok bool) {
	if len(port) == 0 {
		return -1, true
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > 65535 {
			return 0, false
		}
	}
	return n, true
}
