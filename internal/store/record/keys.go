package record

import (
	"encoding/binary"
	"strings"
	"time"

	"trawl/internal/crawl"
)

// The forms of a URL in a key that names its host, in the order of the URLs
// they stand for: http and https URLs without userinfo are shortened, others
// are kept whole, at their place before, between or after those.
const (
	urlBefore = 1 + iota
	urlHTTP
	urlBetween
	urlHTTPS
	urlAfter
)

// ShortURL returns the form and the rest of a URL of h.
func ShortURL(h crawl.Host, u crawl.URL) (form byte, rest string) {
	const http, https = "http://", "https://"
	s := string(u)
	if t, ok := strings.CutPrefix(s, https); ok && strings.HasPrefix(t, string(h)) {
		return urlHTTPS, t[len(h):]
	}
	if t, ok := strings.CutPrefix(s, http); ok && strings.HasPrefix(t, string(h)) {
		return urlHTTP, t[len(h):]
	}
	switch {
	case s < http+string(h):
		return urlBefore, s
	case s < https+string(h):
		return urlBetween, s
	}
	return urlAfter, s
}

// LongURL undoes [ShortURL]; an unknown form is [ErrDamaged].
func LongURL(h crawl.Host, form byte, rest string) (crawl.URL, error) {
	switch form {
	case urlHTTP:
		return crawl.URL("http://" + string(h) + rest), nil
	case urlHTTPS:
		return crawl.URL("https://" + string(h) + rest), nil
	case urlBefore, urlBetween, urlAfter:
		return crawl.URL(rest), nil
	}
	return "", ErrDamaged
}

const (
	yearOne = -62135596800 // Unix seconds of the zero time
	// TimeLen is the length in bytes of a time in a key.
	TimeLen = 9
)

// AppendTime appends a time of the years 1 to 9999 so that time order is byte order.
func AppendTime(b []byte, t time.Time) []byte {
	s, n := uint64(t.Unix()-yearOne), uint32(t.Nanosecond())
	return append(b, byte(s>>32), byte(s>>24), byte(s>>16), byte(s>>8), byte(s), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// CutTime undoes [AppendTime] and returns what follows.
func CutTime(b []byte) (time.Time, []byte, error) {
	if len(b) < TimeLen {
		return time.Time{}, nil, ErrDamaged
	}
	s := int64(b[0])<<32 | int64(binary.BigEndian.Uint32(b[1:]))
	return time.Unix(s+yearOne, int64(binary.BigEndian.Uint32(b[5:]))).UTC(), b[TimeLen:], nil
}

// ClampTime brings a time within what AppendTime takes.
func ClampTime(t time.Time) time.Time {
	switch y := t.UTC().Year(); {
	case y < 1:
		return time.Time{}
	case y > 9999:
		return time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	}
	return t
}
