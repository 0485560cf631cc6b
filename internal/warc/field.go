package warc

import "strings"

// appendURI appends a URI as the value of a named field.
func appendURI(dst []byte, s string) []byte {
	return appendTarget(dst, breakWords(s, "%3D?"))
}

// appendTarget appends a URI or a part of one. Whatever is not printable ASCII
// is percent-encoded, so it cannot end the line or the value.
func appendTarget(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || c == '<' || c == '>' {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// appendText appends s as the value of a WARC named field or warc-fields line:
// one line of valid UTF-8.
func appendText(dst []byte, s string) []byte {
	with := "= ?"
	if strings.Contains(s, "://") {
		with = "%3D?"
	}
	s = strings.ToValidUTF8(breakWords(s, with), "\uFFFD")
	return appendLine(dst, s)
}

// appendLine appends s with every control character but tab made a space, and
// without white space around it. Other bytes stay as they were sent.
func appendLine(dst []byte, s string) []byte {
	start := len(dst)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' && c != '\t' || c == 0x7f {
			c = ' '
		}
		if c <= ' ' && len(dst) == start {
			continue
		}
		dst = append(dst, c)
	}
	for len(dst) > start && dst[len(dst)-1] <= ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendName appends a field name; what is no token character (RFC 9110
// section 5.6.2) becomes '_', and so does an empty name.
func appendName(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, '_')
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isAlnum(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			c = '_'
		}
		dst = append(dst, c)
	}
	return dst
}

// breakWords keeps a reader from decoding a part of s as an encoded word
// (RFC 2047, allowed in WARC field values): "=?" is replaced where a "?="
// follows.
func breakWords(s, with string) string {
	i := strings.Index(s, "=?")
	if i < 0 || !strings.Contains(s[i+2:], "?=") {
		return s
	}
	return strings.ReplaceAll(s, "=?", with)
}
