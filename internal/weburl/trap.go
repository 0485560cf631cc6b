package weburl

import (
	"strings"

	"trawl/internal/crawl"
)

// The limits of trap recognition from a URL alone (D3). All are house choices,
// set so that no page of the documentation trees they are tested on is caught.
const (
	TrapSegmentRepeats  = 4    // the same path segment this often
	TrapSequenceRepeats = 3    // the same two or more segments this often in a row
	TrapDepth           = 40   // path segments; more are a trap
	TrapParameters      = 24   // query parameters; more are a trap
	TrapSessionLength   = 16   // letters and digits that a session id has at least
	TrapYearAfter       = 2100 // a calendar's year beyond it is a trap
	TrapYearBefore      = 1900 // so is one before it
	MaxTrapPattern      = 200  // bytes of a pattern
)

// Trap recognises, from the URL alone, one that lies in an infinite space
// (D3): repeated path segments, ever deeper paths, too many query parameters,
// session ids, calendars without end. pattern stands for all URLs of the same
// trap: it starts with the hostname, holds at most [MaxTrapPattern] bytes and
// does not change as the URLs grow; * stands for what varies. reason is one
// sentence. For a trap by session id, [WithoutSession] gives the page itself.
//
// Spaces that only show in many URLs together are [Space]'s.
func Trap(u crawl.URL) (pattern, reason string, trapped bool) {
	p := split(u)
	if p.path == "" {
		return "", "", false
	}
	if pattern, reason, trapped = p.pathTrap(); trapped {
		return pattern, reason, true
	}
	if p.query != "" {
		if pattern, reason, trapped = p.queryTrap(); trapped {
			return pattern, reason, true
		}
	}
	return "", "", false
}

// parts are slices of one URL.
type parts struct {
	host  string // without port
	path  string // starts with a slash; "" if u is no URL
	query string
}

func split(u crawl.URL) (p parts) {
	s := string(u)
	i := strings.IndexByte(s, ':')
	if i < 0 || !strings.HasPrefix(s[i:], "://") {
		return p
	}
	s = s[i+3:]
	slash := strings.IndexByte(s, '/')
	if slash < 0 {
		return p
	}
	p.host, s = s[:slash], s[slash:]
	if c := strings.LastIndexByte(p.host, ':'); c >= 0 && p.host[len(p.host)-1] != ']' {
		p.host = p.host[:c]
	}
	p.path, p.query, _ = strings.Cut(s, "?")
	return p
}

// segments are the bounds of a path's segments; the empty one after a final
// slash is not among them. Segment i lies from start[i] to the slash, or end of
// the path, before start[i+1].
type segments struct {
	n          int
	start      [TrapDepth + 2]int32
	parameters bool // there is a semicolon
}

// read stops after TrapDepth+1 segments.
func (s *segments) read(path string) {
	s.start[0] = 1
	for i := 1; i < len(path); i++ {
		switch path[i] {
		case ';':
			s.parameters = true
		case '/':
			s.n++
			s.start[s.n] = int32(i + 1)
			if s.n > TrapDepth {
				return
			}
		}
	}
	if len(path) > 1 && path[len(path)-1] != '/' {
		s.n++
		s.start[s.n] = int32(len(path) + 1)
	}
}

func (s *segments) from(i int) int32 { return s.start[i] }

func (s *segments) to(i int) int32 { return s.start[i+1] - 1 }

func (s *segments) at(path string, i int) string { return path[s.start[i] : s.start[i+1]-1] }

func (p *parts) pathTrap() (pattern, reason string, trapped bool) {
	var s segments
	s.read(p.path)
	most, first := s.mostRepeated(p.path)
	if most >= min(TrapSegmentRepeats, TrapSequenceRepeats) {
		if i, n := s.sequence(p.path); n > 0 {
			return bound(p.host + p.path[:s.from(i)] + "(" + p.path[s.from(i):s.to(i+n-1)] + "/)*…"),
				"The path repeats the same segments over and over.", true
		}
		if most >= TrapSegmentRepeats {
			return bound(p.host + p.path[:s.from(first)] + "(" + s.at(p.path, first) + "/…/)*"),
				"The same path segment occurs four times or more.", true
		}
	}
	if s.n > TrapDepth {
		return bound(p.host + p.path[:s.to(0)] + "/…/*"), "The path is deeper than 40 segments.", true
	}
	if s.parameters {
		if name, ok := pathSession(p.path); ok {
			return bound(p.host + "/*;" + name + "=*"), sessionReason, true
		}
	}
	if i := s.calendar(p.path); i >= 0 {
		return bound(p.host + p.path[:s.from(i)] + "*"), calendarReason, true
	}
	return "", "", false
}

// mostRepeated returns how often the most frequent segment occurs, and the
// first one that occurs that often. Up to three segments it does not look.
func (s *segments) mostRepeated(path string) (most, first int) {
	if s.n < min(TrapSegmentRepeats, TrapSequenceRepeats) {
		return 0, 0
	}
	for i := 0; i < s.n-most; i++ {
		n, a := 1, s.at(path, i)
		for j := i + 1; j < s.n; j++ {
			b := s.at(path, j)
			if len(a) == len(b) && (a == "" || a[0] == b[0] && a == b) {
				n++
			}
		}
		if n > most {
			most, first = n, i
		}
	}
	return most, first
}

// sequence returns the first and shortest sequence of n segments that is
// repeated in a row, or n = 0. One segment must occur TrapSegmentRepeats times,
// a longer sequence TrapSequenceRepeats times.
func (s *segments) sequence(path string) (at, n int) {
	for n := 1; n*TrapSequenceRepeats <= s.n; n++ {
		need := n * (TrapSequenceRepeats - 1)
		if n == 1 {
			need = TrapSegmentRepeats - 1
		}
		run := 0
		for i := 0; i+n < s.n; i++ {
			if s.at(path, i) != s.at(path, i+n) {
				run = 0
				continue
			}
			if run++; run >= need {
				return i - run + 1, n
			}
		}
	}
	return 0, 0
}

func (p *parts) queryTrap() (pattern, reason string, trapped bool) {
	if strings.Count(p.query, "&") >= TrapParameters {
		return bound(p.host + p.path + "?*&*…"), "The query has more than 24 parameters.", true
	}
	var c calendarQuery
	for rest := p.query; rest != ""; {
		var param string
		param, rest, _ = strings.Cut(rest, "&")
		name, value, _ := strings.Cut(param, "=")
		if isSessionName(name) && isSessionID(value) {
			return bound(p.host + "/*?" + name + "=*"), sessionReason, true
		}
		c.see(name, value)
	}
	if c.trapped(p.path) {
		return bound(p.host + p.path + "?" + c.name + "=*"), calendarReason, true
	}
	return "", "", false
}

// bound cuts a pattern to MaxTrapPattern bytes, at a whole character.
func bound(pattern string) string {
	if len(pattern) <= MaxTrapPattern {
		return pattern
	}
	// Canonical URLs are ASCII; only the dots of a pattern itself are not.
	return strings.ToValidUTF8(pattern[:MaxTrapPattern-len("…")], "") + "…"
}
