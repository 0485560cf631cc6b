package html

import (
	"bytes"
	stdhtml "html"
	"unicode/utf8"
)

// decode returns v with character references decoded, newlines normalised,
// NUL and bytes that are not UTF-8 replaced by U+FFFD (what the standard's
// input stream and tokenizer make of them). It returns v itself when there is
// nothing to do, which is nearly always.
func decode(v []byte, inAttribute bool) []byte {
	n := plain(v)
	if n == len(v) {
		return v
	}
	return appendDecoded(make([]byte, 0, len(v)+8), v, n, inAttribute)
}

// plain returns how many bytes of v need no decoding.
func plain(v []byte) int {
	i := 0
	for i < len(v) && v[i] != '&' && v[i] != 0 && v[i] != '\r' && v[i] < 0x80 {
		i++
	}
	if i < len(v) && v[i] >= 0x80 && bytes.IndexByte(v, '&') < 0 && bytes.IndexByte(v, 0) < 0 && bytes.IndexByte(v, '\r') < 0 && utf8.Valid(v) {
		return len(v)
	}
	return i
}

// appendDecoded decodes v, of which the first i bytes are plain.
func appendDecoded(out, v []byte, i int, inAttribute bool) []byte {
	out = append(out, v[:i]...)
	for i < len(v) {
		switch c := v[i]; {
		case c == '&':
			var n int
			out, n = reference(out, v[i:], inAttribute)
			i += n
		case c == 0:
			out = utf8.AppendRune(out, utf8.RuneError)
			i++
		case c == '\r':
			out = append(out, '\n')
			i++
			if i < len(v) && v[i] == '\n' {
				i++
			}
		case c < 0x80:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(v[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return out
}

// reference appends what the '&' at the start of s stands for, and returns how
// many bytes of s it took.
func reference(out, s []byte, inAttribute bool) ([]byte, int) {
	if len(s) > 1 && s[1] == '#' {
		return numeric(out, s)
	}
	const longest = 32 // longer than any name
	n := 1
	for n < len(s) && n <= longest && class[s[n]]&clAlnum != 0 {
		n++
	}
	switch {
	case n == 1 || n > longest && inAttribute:
		return append(out, s[:n]...), n
	case n < len(s) && s[n] == ';':
		if string(s[1:n]) == "amp" { // the usual one
			return append(out, '&'), n + 1
		}
		ref := string(s[:n+1])
		dec := stdhtml.UnescapeString(ref)
		// A whole match leaves no semicolon; a match of a legacy prefix
		// ("&notit;") leaves it, and does not count in attributes.
		if whole := dec == ";" || dec[len(dec)-1] != ';'; whole || !inAttribute {
			return append(out, dec...), n + 1
		}
	case !inAttribute:
		return append(out, stdhtml.UnescapeString(string(s[:n]))...), n
	case n < len(s) && s[n] == '=':
		// "&copy=1" is a parameter, not a copyright sign.
	default:
		// Only the legacy names do without a semicolon, and each of them
		// stands for one character: anything longer is no whole match.
		if dec := stdhtml.UnescapeString(string(s[:n])); utf8.RuneCountInString(dec) == 1 {
			return append(out, dec...), n
		}
	}
	return append(out, s[:n]...), n
}

// numeric decodes "&#…" at the start of s.
func numeric(out, s []byte) ([]byte, int) {
	i, base := 2, rune(10)
	if i < len(s) && (s[i] == 'x' || s[i] == 'X') {
		i, base = 3, 16
	}
	first := i
	var r rune
	for ; i < len(s); i++ {
		var d rune
		switch c := lower[s[i]]; {
		case '0' <= c && c <= '9':
			d = rune(c - '0')
		case base == 16 && 'a' <= c && c <= 'f':
			d = rune(c-'a') + 10
		default:
			d = -1
		}
		if d < 0 {
			break
		}
		if r <= utf8.MaxRune { // saturates: more digits cannot bring it back
			r = r*base + d
		}
	}
	if i == first {
		return append(out, s[:first]...), first
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	switch {
	case r == 0 || r > utf8.MaxRune || 0xD800 <= r && r <= 0xDFFF:
		r = utf8.RuneError
	case 0x80 <= r && r <= 0x9F:
		r = windows1252[r-0x80]
	}
	return utf8.AppendRune(out, r), i
}

// windows1252 is what the standard makes of references to the C1 controls.
var windows1252 = [32]rune{
	0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
	0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
}
