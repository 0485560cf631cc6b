package content

import (
	"strings"
	"time"
)

// maxDate bounds the text that is tried as a date, in bytes (house choice).
const maxDate = 64

// unavailable reads the date of an unavailable_after at the start of s and
// returns what follows. Dates of mails and of HTTP hold a comma, which does not
// end them; so the longest text up to a comma or semicolon that is a date is
// taken. Of several dates the earliest counts. One that cannot be read is
// ignored with a note.
func (r *ruleReader) unavailable(s string) (rest string) {
	first := strings.IndexAny(s, ",;")
	if first < 0 {
		first = len(s)
	}
	for end := first; end <= len(s) && end <= maxDate; {
		if t, ok := ruleDate(s[:end]); ok {
			if r.heard && (r.d.UnavailableAfter.IsZero() || t.Before(r.d.UnavailableAfter)) {
				r.d.UnavailableAfter = t
			}
			return s[end:]
		}
		if end == len(s) {
			break
		}
		next := strings.IndexAny(s[end+1:], ",;")
		if next < 0 {
			end = len(s)
		} else {
			end += 1 + next
		}
	}
	if r.heard {
		r.note("An unavailable_after was ignored: its value is no date that could be read; 2026-12-31T23:59:59Z is one.")
	}
	return s[first:]
}

// ruleDate reads a date in the forms of RFC 822, RFC 850, ISO 8601 and the like.
// Without a zone it is UTC, without a time the end of the day counts: house
// choices, the later reading of what is not said.
func ruleDate(s string) (time.Time, bool) {
	s = strings.Join(strings.Fields(strings.Trim(s, " \t\r\n\"'\u00a0")), " ")
	if len(s) < len("2006-1-2") || len(s) > maxDate {
		return time.Time{}, false
	}
	if day, rest, ok := strings.Cut(s, " "); ok && isWeekday(strings.TrimSuffix(day, ",")) {
		s = rest
	} else if day, rest, ok := strings.Cut(s, ","); ok && isWeekday(day) {
		s = strings.TrimSpace(rest)
	}
	s, zone := cutZone(s)
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if !strings.Contains(layout, "15") {
			t = t.Add(24*time.Hour - time.Second)
		}
		if t = t.Add(-zone).UTC(); t.Year() < 1990 || t.Year() > 9999 {
			return time.Time{}, false
		}
		return t, true
	}
	return time.Time{}, false
}

// dateLayouts have no weekday and no name of a zone: those are read before.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "20060102T150405Z0700", "20060102T150405", "20060102",
	"2 Jan 2006 15:04:05 Z0700", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 2006", "2 January 2006 15:04:05", "2 January 2006 15:04", "2 January 2006",
	"2 Jan 06 15:04:05 Z0700", "2 Jan 06 15:04:05", "2 Jan 06 15:04", "2-Jan-2006 15:04:05 Z0700", "2-Jan-2006 15:04:05", "2-Jan-2006", "2-Jan-06 15:04:05",
	"Jan 2 15:04:05 2006", "January 2, 2006 15:04:05", "January 2, 2006", "Jan 2, 2006 15:04:05", "Jan 2, 2006",
}

func isWeekday(s string) bool {
	if len(s) < 3 {
		return false
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if n := d.String(); strings.EqualFold(s, n) || strings.EqualFold(s, n[:3]) {
			return true
		}
	}
	return false
}

// cutZone takes a zone's name off the end and returns its offset from UTC (RFC
// 822 section 5.1, and the zones of central Europe). Other letters are left,
// and no date.
func cutZone(s string) (rest string, offset time.Duration) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return s, 0
	}
	hours := 0
	switch strings.ToUpper(s[i+1:]) {
	case "Z", "UT", "UTC", "GMT", "WET":
	case "EDT":
		hours = -4
	case "EST", "CDT":
		hours = -5
	case "CST", "MDT":
		hours = -6
	case "MST", "PDT":
		hours = -7
	case "PST":
		hours = -8
	case "CET", "BST", "WEST":
		hours = 1
	case "CEST", "EET":
		hours = 2
	default:
		return s, 0
	}
	return s[:i], time.Duration(hours) * time.Hour
}
