package weburl

// The classes of bytes in a path or a query.
const (
	plain   = iota // copied as it is
	encoded        // becomes an escape
	percent        // %
	slash          // / or \, in paths
	query          // ?, in paths
)

// pathClass and queryClass hold the standard's path and special-query
// percent-encode sets. They are computed once and never written again.
var (
	pathClass  = classes("\"#<>?^`{}")
	queryClass = classes("\"#<>'")
)

func classes(encode string) (t [256]byte) {
	for c := range t {
		if c <= ' ' || c > '~' {
			t[c] = encoded
		}
	}
	for _, c := range []byte(encode) {
		t[c] = encoded
	}
	t['%'] = percent
	if t['?'] == encoded { // the path's set
		t['?'], t['/'], t['\\'] = query, slash, slash
	}
	return t
}

const upperHex = "0123456789ABCDEF"

func hexValue(c byte) (v byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// appendEscape appends the normal form of what in starts with, a percent sign,
// and returns how many bytes of in it stands for.
func appendEscape(dst, in []byte) ([]byte, int) {
	if len(in) < 3 {
		return append(dst, '%'), 1
	}
	hi, ok1 := hexValue(in[1])
	lo, ok2 := hexValue(in[2])
	if !ok1 || !ok2 {
		return append(dst, '%'), 1
	}
	c := hi<<4 | lo
	if isUnreserved(c) {
		if _, hex := hexValue(c); !hex || !endsInBarePercent(dst) {
			return append(dst, c), 3
		}
	}
	return append(dst, '%', upperHex[hi], upperHex[lo]), 3
}

// endsInBarePercent reports whether a hex digit more at the end of dst could
// turn a percent sign that is no escape into one.
func endsInBarePercent(dst []byte) bool {
	n := len(dst)
	if n > 0 && dst[n-1] == '%' {
		return true
	}
	if n < 2 || dst[n-2] != '%' {
		return false
	}
	_, hex := hexValue(dst[n-1])
	return hex
}

// appendPath appends the path, and the query if there is one, of in to dst,
// which ends in a slash; root is the index of the path's first slash.
func appendPath(dst []byte, root int, in []byte) []byte {
	segment := len(dst)
	for {
		n := 0
		for n < len(in) && pathClass[in[n]] == plain {
			n++
		}
		dst = append(dst, in[:n]...)
		if n == len(in) {
			return closeSegment(dst, root, segment)
		}
		switch c := in[n]; pathClass[c] {
		case encoded:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
			n++
		case percent:
			var used int
			dst, used = appendEscape(dst, in[n:])
			n += used
		case slash:
			closed := closeSegment(dst, root, segment)
			if len(closed) == len(dst) { // no dot segment
				closed = append(closed, '/')
			}
			dst, segment = closed, len(closed)
			n++
		case query:
			return appendQuery(closeSegment(dst, root, segment), in[n:])
		}
		in = in[n:]
	}
}

// closeSegment removes the segment at the end of dst if it is a dot segment,
// and its parent with it if it is a double one.
func closeSegment(dst []byte, root, segment int) []byte {
	switch s := dst[segment:]; {
	case len(s) == 1 && s[0] == '.':
		return dst[:segment]
	case len(s) == 2 && s[0] == '.' && s[1] == '.':
		parent := segment - 1
		if parent <= root {
			return dst[:segment]
		}
		for dst[parent-1] != '/' {
			parent--
		}
		return dst[:parent]
	}
	return dst
}

// appendQuery appends in, which starts with a question mark, to dst.
func appendQuery(dst, in []byte) []byte {
	dst = append(dst, '?')
	in = in[1:]
	for {
		n := 0
		for n < len(in) && queryClass[in[n]] == plain {
			n++
		}
		dst = append(dst, in[:n]...)
		if n == len(in) {
			return dst
		}
		c := in[n]
		if c != '%' {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
			in = in[n+1:]
			continue
		}
		var used int
		dst, used = appendEscape(dst, in[n:])
		in = in[n+used:]
	}
}
