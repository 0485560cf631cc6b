package html

import (
	"strings"
	"time"
)

// ParseRefresh reads the value of a refresh instruction: a Refresh header, or
// the content of a meta element (WHATWG 4.2.5.3, shared declarative refresh
// steps). Fractions of a second are dropped, and the delay is capped at about
// 34 years. ok is false if the value says nothing.
func ParseRefresh(v string) (r Refresh, ok bool) {
	v = strings.TrimLeft(v, "\t\n\f\r ")
	n := 0
	var secs int64
	for n < len(v) && '0' <= v[n] && v[n] <= '9' {
		if secs < 1<<30 {
			secs = secs*10 + int64(v[n]-'0')
		}
		n++
	}
	if n == 0 && !strings.HasPrefix(v, ".") {
		return Refresh{}, false
	}
	for n < len(v) && (v[n] == '.' || '0' <= v[n] && v[n] <= '9') {
		n++
	}
	r.Delay = time.Duration(min(secs, 1<<30)) * time.Second
	v = v[n:]
	if v == "" {
		return r, true
	}
	if v[0] != ';' && v[0] != ',' && !isSpace(v[0]) {
		return Refresh{}, false
	}
	v = strings.TrimLeft(v, "\t\n\f\r ")
	if v != "" && (v[0] == ';' || v[0] == ',') {
		v = strings.TrimLeft(v[1:], "\t\n\f\r ")
	}
	r.URL = refreshURL(v)
	return r, true
}

// refreshURL reads "url=…", with or without quotes, or a bare reference.
func refreshURL(v string) string {
	if len(v) >= 3 && equalFold(v[:3], "url") {
		rest := strings.TrimLeft(v[3:], "\t\n\f\r ")
		if !strings.HasPrefix(rest, "=") {
			return strings.TrimRight(v, "\t\n\f\r ")
		}
		v = strings.TrimLeft(rest[1:], "\t\n\f\r ")
	}
	if v != "" && (v[0] == '"' || v[0] == '\'') {
		q := v[:1]
		v, _, _ = strings.Cut(v[1:], q)
	}
	return strings.Trim(v, "\t\n\f\r ")
}

// charsetIn finds the label in the content of a Content-Type meta element, with
// whatever quotes (WHATWG: extracting a character encoding from a meta element).
func charsetIn(content []byte) string {
	v := strings.ToLower(string(content))
	for {
		_, rest, found := strings.Cut(v, "charset")
		if !found {
			return ""
		}
		v = rest
		rest = strings.TrimLeft(rest, "\t\n\f\r ")
		if !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], "\t\n\f\r \"'")
		if n := strings.IndexAny(rest, "\t\n\f\r ;,\"'"); n >= 0 {
			rest = rest[:n]
		}
		return rest
	}
}
