package robots

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

var start = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

const (
	hour = time.Hour
	day  = 24 * hour
)

var (
	ok      = Answer{Status: 200, Body: []byte("user-agent: *\ndisallow: /x\n")}
	missing = Answer{Status: 404}
	down    = Answer{Status: 503, Body: []byte("User-agent: *\nAllow: /\n")}
)

// walk is one origin in virtual time.
type walk struct {
	*testing.T
	times Times
	rec   crawl.RobotsRecord
	now   time.Time
}

func newWalk(t *testing.T) *walk {
	return &walk{T: t, times: DefaultTimes(), rec: crawl.RobotsRecord{Origin: "https://example.com"}, now: start}
}

func (w *walk) answer(a Answer)    { w.rec = Update(w.times, w.rec, a, w.now) }
func (w *walk) state() State       { return Ladder(w.times, w.rec, w.now) }
func (w *walk) to(d time.Duration) { w.now = start.Add(d) }

func (w *walk) expect(access Access, row string, next time.Duration) State {
	w.Helper()
	s := w.state()
	if s.Access != access || s.Row != row {
		w.Errorf("after %s: access %s by %s, want %s by %s (%s)", w.now.Sub(start), s.Access, s.Row, access, row, s.Reason)
	}
	if got := s.FetchAt.Sub(start); got != next {
		w.Errorf("after %s: next attempt at %s, want %s", w.now.Sub(start), got, next)
	}
	if !strings.HasSuffix(s.Reason, ".") {
		w.Errorf("reason %q is no sentence", s.Reason)
	}
	return s
}

// failUntil lets every attempt fail when it is due, until end, and returns how
// many there were.
func (w *walk) failUntil(end time.Duration) (n int) {
	for {
		at := w.state().FetchAt
		if at.Sub(start) > end {
			w.to(end)
			return n
		}
		if at.After(w.now) {
			w.now = at
		}
		w.answer(down)
		n++
		if n > 100000 {
			w.Fatal("attempts without a pause")
		}
	}
}

func TestC1NeverAsked(t *testing.T) {
	w := newWalk(t)
	w.expect(AccessUnknown, "C1", 0)
}

// 45 days of an origin that had a file, then fails, then comes back.
func TestC4LadderWithCopy(t *testing.T) {
	w := newWalk(t)
	w.answer(ok)
	w.rec = Homepage(w.rec, true, w.now) // says nothing about what comes later
	w.expect(AccessRules, "C3", day)
	w.to(day)
	w.expect(AccessUnknown, "C5", day)
	w.answer(down) // the clock of C4 starts here, a day after start
	w.expect(AccessNone, "C4", day+time.Minute)
	w.to(day + time.Minute)
	w.answer(down)
	w.expect(AccessNone, "C4", day+3*time.Minute)
	if n := w.failUntil(day + 12*hour - 1); n < 12 || n > 30 {
		t.Errorf("C4/first 12 h: %d attempts", n)
	}
	if s := w.state(); s.Access != AccessNone || s.AskHomepage {
		t.Errorf("C4/just before 12 h: %+v", s)
	}
	w.to(day + 12*hour)
	if s := w.state(); s.Access != AccessRules || s.Row != "C4" {
		t.Errorf("C4/after 12 h: %+v", s)
	}
	if n := w.failUntil(31*day - 1); n < 29*20 || n > 30*25 {
		t.Errorf("C4/until 30 days: %d attempts", n)
	}
	if s := w.state(); s.Access != AccessRules || s.AskHomepage {
		t.Errorf("C4/just before 30 days: %+v", s)
	}
	if string(w.rec.Body) != string(ok.Body) {
		t.Errorf("C4: the copy is %q", w.rec.Body)
	}

	w.to(31 * day)
	if s := w.state(); s.Access != AccessNone || !s.AskHomepage {
		t.Errorf("C4/after 30 days, homepage not asked: %+v", s)
	}
	w.rec = Homepage(w.rec, false, w.now)
	if s := w.state(); s.Access != AccessNone || s.AskHomepage {
		t.Errorf("C4/after 30 days, homepage down: %+v", s)
	}
	if n := w.failUntil(36*day - 1); n != 5 {
		t.Errorf("C4/after 30 days: %d attempts in 5 days", n)
	}
	if s := w.state(); s.Access != AccessNone || !s.AskHomepage {
		t.Errorf("C4/the homepage is asked again: %+v", s)
	}
	w.rec = Homepage(w.rec, true, w.now)
	if s := w.state(); s.Access != AccessAll || s.AskHomepage {
		t.Errorf("C4/after 30 days, homepage up: %+v", s)
	}
	w.failUntil(40 * day)
	if s := w.state(); s.Access != AccessAll || !s.AskHomepage {
		t.Errorf("C4/still open, homepage due: %+v", s)
	}
	w.rec = Homepage(w.rec, false, w.now)
	if s := w.state(); s.Access != AccessNone {
		t.Errorf("C4/homepage down again: %+v", s)
	}

	w.to(45 * day)
	w.answer(ok)
	w.expect(AccessRules, "C3", 46*day)
	if !w.rec.FailingSince.IsZero() || w.rec.Attempts != 0 || w.rec.HomepageOK || !w.rec.HomepageAt.IsZero() {
		t.Errorf("C4/recovered: %+v", w.rec)
	}
	w.to(46 * day)
	w.answer(down)
	w.expect(AccessNone, "C4", 46*day+time.Minute) // a new clock
}

func TestC4LadderWithoutCopy(t *testing.T) {
	for name, first := range map[string]*Answer{"never answered": nil, "last answer was 404": &missing} {
		t.Run("C4/"+name, func(t *testing.T) {
			w := newWalk(t)
			if first != nil {
				w.now = start.Add(-day)
				w.answer(*first)
				if s := w.state(); s.Access != AccessAll || s.Row != "C3" {
					t.Errorf("after 404: %+v", s)
				}
				w.now = start
			}
			w.answer(down)
			w.expect(AccessNone, "C4", time.Minute)
			w.failUntil(12*hour - 1)
			if s := w.state(); s.Access != AccessNone {
				t.Errorf("first 12 h: %+v", s)
			}
			w.failUntil(12 * hour)
			if s := w.state(); s.Access != AccessAll || s.Row != "C4" {
				t.Errorf("after 12 h: %+v", s)
			}
			w.failUntil(30 * day)
			if s := w.state(); s.Access != AccessNone || !s.AskHomepage {
				t.Errorf("after 30 days: %+v", s)
			}
		})
	}
}

// Copies from before a 404 are not good copies any more.
func TestC4A404ReplacesTheCopy(t *testing.T) {
	w := newWalk(t)
	w.answer(ok)
	w.to(day)
	w.answer(missing)
	w.to(2 * day)
	w.answer(down)
	w.to(3 * day)
	if s := w.state(); s.Access != AccessAll || w.rec.Body != nil {
		t.Errorf("%+v, body %q", s, w.rec.Body)
	}
}

func TestC5FreshCopyOutlivesAFailedRefresh(t *testing.T) {
	w := newWalk(t)
	w.answer(ok)
	w.to(10 * hour) // asked before its time
	w.answer(down)
	w.expect(AccessRules, "C5", 10*hour+time.Minute)
	w.to(23 * hour)
	w.answer(down)
	w.expect(AccessRules, "C5", 23*hour+2*time.Minute)
	w.to(24 * hour) // stale, and failing for 14 hours: beyond the first 12
	if s := w.state(); s.Access != AccessRules || s.Row != "C4" {
		t.Errorf("stale after 14 h of failing: %+v", s)
	}

	w = newWalk(t)
	w.answer(ok)
	w.to(20 * hour)
	w.answer(down)
	w.to(24 * hour) // stale, and failing for 4 hours
	if s := w.state(); s.Access != AccessNone || s.Row != "C4" {
		t.Errorf("stale after 4 h of failing: %+v", s)
	}
}

func TestC5MaxAge(t *testing.T) {
	for _, c := range []struct {
		name   string
		a      Answer
		maxAge time.Duration
		want   time.Duration
	}{
		{"none", ok, 0, day},
		{"shorter", ok, hour, hour},
		{"longer", ok, 7 * day, 7 * day},
		{"lower bound", ok, time.Second, 5 * time.Minute},
		{"upper bound", ok, 400 * day, 30 * day},
		{"404 shorter", missing, hour, hour},
		{"404 never longer", missing, 7 * day, day},
	} {
		t.Run("C5/"+c.name, func(t *testing.T) {
			w := newWalk(t)
			c.a.MaxAge = c.maxAge
			w.answer(c.a)
			open := w.state().Access
			w.to(c.want - 1)
			if s := w.state(); s.Access != open || s.FetchAt.Sub(start) != c.want {
				t.Errorf("before %s: %+v", c.want, s)
			}
			w.to(c.want)
			w.expect(AccessUnknown, "C5", c.want)
		})
	}
}

// Whatever the answers, the ladder never spins, never stops asking, and after
// a server error nothing is crawled for 12 hours unless a copy is fresh.
func TestC4Invariants(t *testing.T) {
	answers := []Answer{ok, missing, down, {Status: 429}, {Failure: crawl.FailDNS}, {Status: 302}, {Refused: true}, {Failure: crawl.FailProxy}, {Status: 304}, {Status: 200, MaxAge: 3 * day}}
	rapid.Check(t, func(t *rapid.T) {
		times := DefaultTimes()
		rec, now := crawl.RobotsRecord{}, start
		for range 60 {
			now = now.Add(time.Duration(rapid.Int64Range(-int64(hour), int64(5*day)).Draw(t, "pause")))
			if rapid.Bool().Draw(t, "homepage") {
				rec = Homepage(rec, rapid.Bool().Draw(t, "answers"), now)
			}
			before := rec
			a := rapid.SampledFrom(answers).Draw(t, "answer")
			rec = Update(times, rec, a, now)
			s := Ladder(times, rec, now)
			if wait := s.FetchAt.Sub(now); wait < time.Second || wait > times.MaxCache {
				t.Fatalf("after %+v: next attempt in %s", a, wait)
			}
			if s.Access == AccessUnknown {
				t.Fatalf("after %+v: unknown", a)
			}
			fresh := Ladder(times, before, now)
			if before.FailingSince.IsZero() && !rec.FailingSince.IsZero() && s.Access != AccessNone && fresh.Access != AccessRules && fresh.Access != AccessAll {
				t.Fatalf("a first server error leaves access %s: %+v", s.Access, rec)
			}
			if s.Access == AccessRules && len(rec.Body) == 0 || s.AskHomepage && now.Sub(rec.FailingSince) < times.UseLastGoodFor {
				t.Fatalf("%+v for %+v", s, rec)
			}
		}
	})
}

// A record written by a clock that ran ahead does not silence us for long.
func TestLadderClockAhead(t *testing.T) {
	w := newWalk(t)
	w.to(400 * day)
	w.answer(ok)
	w.to(0)
	w.expect(AccessUnknown, "C5", 0)
	w.to(400 * day)
	w.answer(down)
	w.to(0)
	if s := w.state(); s.Access != AccessNone || s.FetchAt.Sub(w.now) > hour {
		t.Errorf("%+v", s)
	}
}
