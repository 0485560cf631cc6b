package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Safe makes a stranger's text harmless for one line on a terminal: control
// characters, bidirectional overrides and the like become visible escapes.
func Safe(s string) string { return escape(s, hostile) }

// SafeText is Safe for text of several lines, which keeps its line ends and tabs.
func SafeText(s string) string {
	return escape(s, func(r rune) bool { return r != '\n' && r != '\t' && hostile(r) })
}

func escape(s string, bad func(rune) bool) string {
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if bad(r) {
			fmt.Fprintf(&b, "\\u{%x}", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// SafeJSON does the same in encoded JSON, which stays the same value: only
// strings hold such characters there, and may hold them escaped.
func SafeJSON(s string) string {
	bad := func(r rune) bool { return r != '\n' && hostile(r) }
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, "\\u%04x\\u%04x", hi, lo)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// hostile characters act on a terminal, or on how text around them is shown.
func hostile(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
}
