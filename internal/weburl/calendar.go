package weburl

import "strings"

const calendarReason = "The URL is a calendar's page for a year before 1900 or after 2100."

// yearAt reads the year that s starts with: four digits and then the end or a
// hyphen or slash, or four to six digits up to the end. whole says that nothing
// follows it.
func yearAt(s string) (year int, whole, ok bool) {
	n := 0
	for n < len(s) && n < 7 && isDecimal(s[n]) {
		year = year*10 + int(s[n]-'0')
		n++
	}
	whole = n == len(s)
	switch {
	case n < 4 || n > 6:
		return 0, false, false
	case whole:
		return year, true, true
	}
	return year, false, n == 4 && (s[n] == '-' || s[n] == '/' || strings.HasPrefix(s[n:], "%2F"))
}

// isMonth reports whether s starts with a number from 1 to 12 of one or two
// digits.
func isMonth(s string) bool {
	n := 0
	month := 0
	for n < len(s) && isDecimal(s[n]) && n < 3 {
		month = month*10 + int(s[n]-'0')
		n++
	}
	return (n == 1 || n == 2) && 1 <= month && month <= 12
}

// isCalendarWord reports whether a path segment is named as calendars are, with
// or without a file extension.
func isCalendarWord(s string) bool {
	if len(s) < 3 {
		return false
	}
	switch s[0] | 0x20 {
	case 'c', 'k', 'e', 'a':
	default:
		return false
	}
	if i := strings.IndexByte(s, '.'); i >= 0 {
		s = s[:i]
	}
	switch len(s) {
	case 3:
		return strings.EqualFold(s, "cal")
	case 6:
		return strings.EqualFold(s, "events") || strings.EqualFold(s, "agenda")
	case 8:
		return strings.EqualFold(s, "calendar") || strings.EqualFold(s, "kalender")
	case 9:
		return strings.EqualFold(s, "calendars")
	case 10:
		return strings.EqualFold(s, "calendario") || strings.EqualFold(s, "calendrier")
	}
	return false
}

// calendar returns the index of a segment that is a year out of range below a
// calendar, or -1. The year must be followed by a month, in the same segment
// (2150-03) or the next: /events/4711 is an event, not a year.
func (s *segments) calendar(path string) int {
	below := false
	for i := range s.n {
		seg := s.at(path, i)
		if below {
			year, whole, ok := yearAt(seg)
			if ok && year <= 9999 && !inRange(year) &&
				(whole && i+1 < s.n && isMonth(s.at(path, i+1)) || !whole && isMonth(seg[len("2150-"):])) {
				return i
			}
		}
		below = below || isCalendarWord(seg)
	}
	return -1
}

func inRange(year int) bool { return TrapYearBefore <= year && year <= TrapYearAfter }

// calendarQuery gathers what the parameters of one query say about a date.
type calendarQuery struct {
	name   string // of the parameter with the year out of range
	past   bool   // that year is before TrapYearBefore
	months bool   // there is a month too
}

func (c *calendarQuery) see(name, value string) {
	switch len(name) {
	case 2:
		if !strings.EqualFold(name, "yr") {
			return
		}
	case 3:
		if !strings.EqualFold(name, "day") {
			return
		}
	case 4:
		if !strings.EqualFold(name, "year") && !strings.EqualFold(name, "date") {
			return
		}
	case 5:
		if !strings.EqualFold(name, "month") {
			return
		}
		c.months = c.months || isMonth(value)
	default:
		return
	}
	year, whole, ok := yearAt(value)
	// A whole number is a year only where the name says so.
	if !ok || inRange(year) || c.name != "" || whole && name[0]|0x20 != 'y' {
		return
	}
	c.name, c.past = name, year < TrapYearBefore
}

// trapped: a year to come is enough. Archives do have pages of 1850, so a past
// one must also look like a calendar's.
func (c *calendarQuery) trapped(path string) bool {
	if c.name == "" {
		return false
	}
	return !c.past || c.months || hasCalendarWord(path)
}

func hasCalendarWord(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if isCalendarWord(seg) {
			return true
		}
	}
	return false
}
