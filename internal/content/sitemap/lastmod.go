package sitemap

import (
	"errors"
	"strings"
	"time"
)

var (
	errForm   = errors.New("it is no date of the W3C form, such as 2025-03-31 or 2025-03-31T12:00:00Z")
	errNoDay  = errors.New("there is no such day or time")
	errBefore = errors.New("it is before the Web")
)

// earliest is the first year taken for true (house choice).
const earliest = 1990

// ParseLastMod reads a lastmod in any form of the W3C note on date and time
// formats: year, month, day, minute, second, fraction. Forgiven are a space for
// the T, a missing zone (UTC), and a zone without colon. Days and times that do
// not exist, and years before 1990, are errors. The result is in UTC.
func ParseLastMod(s string) (time.Time, error) { return parseDate(s, false) }

func parseDate(s string, rss bool) (time.Time, error) {
	s = strings.TrimSpace(s)
	d := dateReader{s: s}
	t, ok := d.read()
	switch {
	case !ok && rss:
		return parseRSSDate(s)
	case !ok:
		return time.Time{}, errForm
	case d.impossible:
		return time.Time{}, errNoDay
	case t.Year() < earliest:
		return time.Time{}, errBefore
	}
	return t, nil
}

// rssDates are the forms of RFC 822 and its successors found in feeds.
var rssDates = []string{
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04 -0700", "Mon, 2 Jan 2006 15:04 MST",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 06 15:04:05 -0700", "Mon, 2 Jan 06 15:04:05 MST",
}

// zones are the North American zones of RFC 822, in hours.
var zones = map[string]int{"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}

func parseRSSDate(s string) (time.Time, error) {
	if len(s) > 64 {
		return time.Time{}, errForm
	}
	for _, layout := range rssDates {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		// An abbreviation is parsed with offset 0: correct the ones RFC 822 has.
		if name, offset := t.Zone(); offset == 0 {
			t = t.Add(-time.Duration(zones[name]) * time.Hour)
		}
		if t.Year() < earliest {
			return time.Time{}, errBefore
		}
		return t.UTC(), nil
	}
	return time.Time{}, errForm
}

// dateReader takes a date apart from left to right.
type dateReader struct {
	s          string
	impossible bool // well-formed, but no such day or time
}

func (d *dateReader) digits(n int) (v int, ok bool) {
	if len(d.s) < n {
		return 0, false
	}
	for i := range n {
		c := d.s[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	d.s = d.s[n:]
	return v, true
}

func (d *dateReader) eat(chars string) bool {
	if d.s != "" && strings.IndexByte(chars, d.s[0]) >= 0 {
		d.s = d.s[1:]
		return true
	}
	return false
}

func (d *dateReader) read() (time.Time, bool) {
	month, day := 1, 1
	year, ok := d.digits(4)
	if ok && d.eat("-") {
		month, ok = d.digits(2)
		if ok && d.eat("-") {
			day, ok = d.digits(2)
			if ok && d.eat("Tt ") {
				return d.clock(year, month, day)
			}
		}
	}
	if !ok || d.s != "" {
		return time.Time{}, false
	}
	return d.date(year, month, day, 0, 0, 0, 0, 0), true
}

func (d *dateReader) clock(year, month, day int) (time.Time, bool) {
	hour, ok1 := d.digits(2)
	ok2 := d.eat(":")
	minute, ok3 := d.digits(2)
	if !ok1 || !ok2 || !ok3 {
		return time.Time{}, false
	}
	sec, nsec := 0, 0
	if d.eat(":") {
		var ok bool
		if sec, ok = d.digits(2); !ok {
			return time.Time{}, false
		}
		if d.eat(".,") {
			if nsec, ok = d.fraction(); !ok {
				return time.Time{}, false
			}
		}
	}
	offset, ok := d.zone()
	if !ok || d.s != "" {
		return time.Time{}, false
	}
	return d.date(year, month, day, hour, minute, sec, nsec, offset), true
}

// fraction reads the digits behind the seconds' point, as nanoseconds.
func (d *dateReader) fraction() (nsec int, ok bool) {
	scale := 100_000_000
	for d.s != "" && '0' <= d.s[0] && d.s[0] <= '9' {
		nsec += int(d.s[0]-'0') * scale
		scale /= 10
		d.s = d.s[1:]
		ok = true
	}
	return nsec, ok
}

// zone reads a time zone as minutes east of UTC.
func (d *dateReader) zone() (minutes int, ok bool) {
	d.s = strings.TrimLeft(d.s, " ")
	if d.s == "" || d.eat("Zz") {
		return 0, true
	}
	sign := 1
	switch {
	case d.eat("-"):
		sign = -1
	case !d.eat("+"):
		return 0, false
	}
	h, ok := d.digits(2)
	if !ok {
		return 0, false
	}
	m := 0
	if d.eat(":") || d.s != "" {
		if m, ok = d.digits(2); !ok {
			return 0, false
		}
	}
	if h > 14 || m > 59 {
		d.impossible = true
	}
	return sign * (h*60 + m), true
}

func (d *dateReader) date(year, month, day, hour, minute, sec, nsec, offset int) time.Time {
	t := time.Date(year, time.Month(month), day, hour, minute, sec, nsec, time.UTC)
	// A day that a month does not have ends up in another month.
	if t.Month() != time.Month(month) || hour > 23 || minute > 59 || sec > 59 {
		d.impossible = true
	}
	return t.Add(-time.Duration(offset) * time.Minute)
}
