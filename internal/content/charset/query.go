package charset

import (
	"fmt"
	"unicode/utf8"
)

// Query returns ref, a reference from a document in encoding e, with the
// characters of its query written in that encoding and percent-encoded: that is
// what browsers send (WHATWG URL 5.1, percent-encode after encoding; UTF-16
// counts as UTF-8). A character that e lacks becomes a decimal character
// reference, percent-encoded. References without such characters are returned
// as they are.
func (e Encoding) Query(ref []byte) []byte {
	if e.enc == nil || isASCII(ref) || e.isUTF16() {
		return ref
	}
	start := -1
	end := len(ref)
	for i, c := range ref {
		if c == '?' && start < 0 {
			start = i + 1
		}
		if c == '#' {
			end = i
			break
		}
	}
	if start < 0 || isASCII(ref[start:end]) {
		return ref
	}
	out := append(make([]byte, 0, len(ref)*2), ref[:start]...)
	for i := start; i < end; {
		if ref[i] < utf8.RuneSelf {
			out = append(out, ref[i])
			i++
			continue
		}
		n := i
		for n < end && ref[n] >= utf8.RuneSelf {
			n++
		}
		out = e.appendEncoded(out, ref[i:n])
		i = n
	}
	return append(out, ref[end:]...)
}

func (e Encoding) isUTF16() bool { return e.Name == "utf-16le" || e.Name == "utf-16be" }

// appendEncoded writes a run of characters beyond ASCII.
func (e Encoding) appendEncoded(out, run []byte) []byte {
	b, err := e.enc.NewEncoder().Bytes(run)
	if err == nil {
		return appendPercent(out, b)
	}
	for len(run) > 0 { // some character is not in e: one at a time
		r, n := utf8.DecodeRune(run)
		if b, err := e.enc.NewEncoder().Bytes(run[:n]); err == nil {
			out = appendPercent(out, b)
		} else {
			out = fmt.Appendf(out, "%%26%%23%d%%3B", r)
		}
		run = run[n:]
	}
	return out
}

// appendPercent percent-encodes what the query of a special URL does not bear.
func appendPercent(out, b []byte) []byte {
	for _, c := range b {
		if c <= ' ' || c >= 0x7F || c == '"' || c == '#' || c == '<' || c == '>' || c == '\'' {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, c)
		}
	}
	return out
}
