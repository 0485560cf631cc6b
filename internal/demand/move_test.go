package demand

import (
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

func TestH3SiteMoveIsManyRedirectsInAShortTime(t *testing.T) {
	p, now := DefaultParams(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	count := func(n int, every time.Duration) (crawl.MoveRecord, time.Time) {
		var m crawl.MoveRecord
		at := now
		for i := range n {
			at = now.Add(time.Duration(i) * every)
			m = Moved(p, m, at)
		}
		return m, at
	}
	m, at := count(p.MoveFrom-1, time.Minute)
	if Moving(m, at) {
		t.Error("a few redirects are no move")
	}
	m, at = count(p.MoveFrom, time.Minute)
	if !Moving(m, at) || !Moving(m, at.Add(p.MoveFor-1)) || Moving(m, at.Add(p.MoveFor)) {
		t.Errorf("a move that began at %s is %+v", at, m)
	}
	if m, at = count(100, p.MoveWindow/time.Duration(p.MoveFrom-2)); Moving(m, at) {
		t.Error("redirects that come one by one are no move")
	}
}

func TestH3PagesOfAMovingHostAreAskedForSooner(t *testing.T) {
	p, now := DefaultParams(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	after := func(p Params, n react.Next, maxAge time.Duration) time.Duration {
		_, due := Next(p, n, crawl.Visit{Failures: 3}, maxAge, now)
		return due.Sub(now)
	}
	if a, b := after(p, react.NextRefresh, 0), after(p.InMove(), react.NextRefresh, 0); b != a/4 {
		t.Errorf("%s as usual, %s in a move", a, b)
	}
	if d := after(p.InMove(), react.NextRefresh, 60*24*time.Hour); d != p.Refresh/4 {
		t.Errorf("a long max-age keeps it for %s", d)
	}
	if a, b := after(p, react.NextSink, 0), after(p.InMove(), react.NextSink, 0); a != b {
		t.Errorf("404 waits %s as usual and %s in a move", a, b)
	}
	cycle := p.For(14 * 24 * time.Hour)
	if a, b := after(cycle, react.NextRefresh, 0), after(cycle.InMove(), react.NextRefresh, 0); a != b {
		t.Errorf("a client with a cycle waits %s, in a move %s (H5)", a, b)
	}
}

func TestH4SoftErrorsKeepCosting(t *testing.T) {
	p, now := DefaultParams(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	_, soft := Next(p, react.NextMissing, crawl.Visit{}, 0, now)
	_, usual := Next(p, react.NextRefresh, crawl.Visit{}, 0, now)
	_, same := Next(p, react.NextDuplicate, crawl.Visit{}, 0, now)
	if !soft.After(usual) || !soft.Before(same) {
		t.Errorf("a page is due at %s, a soft 404 at %s, a duplicate at %s", usual, soft, same)
	}
}
