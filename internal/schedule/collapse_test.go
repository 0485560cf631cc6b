package schedule

import (
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
	"trawl/internal/store"
)

// A hostname that collapses while hundreds of its URLs are in memory gives most
// of them back: those that failed are asked for again before days have passed,
// and dropped when their time has come (F7).
func TestF7CollapsedHostAsksAgain(t *testing.T) {
	const day = 24 * time.Hour
	healthy := many(400)
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		if d := now.Sub(t0); d > 2*day && u.Path() != "/robots.txt" {
			return answer{status: 503}
		}
		a := healthy(u, now)
		a.body += string(u)
		return a
	})
	b.cfg.Capacity = func(crawl.Host) hostload.Params { return hostload.Stranger() }
	b.cfg.Demand.Refresh = 6 * time.Hour
	b.start(h + "/").run(t0.Add(3 * day))
	if n := b.sched.hosts["a.example"].queued; n > 2*minWindow {
		t.Errorf("%d URLs in memory of a hostname that bears %.0f requests a day", n,
			86400*hostload.Rate(hostload.Stranger(), b.sched.hosts["a.example"].rec.Load))
	}
	b.run(t0.Add(9 * day))
	preserved, removed := 0, 0
	for rec, err := range b.st.URLs(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Index.State {
		case crawl.IndexPreserved:
			preserved++
		case crawl.IndexRemoved:
			removed++
		}
	}
	if removed < 20 {
		t.Errorf("after a week of 503, %d URLs are removed and %d preserved", removed, preserved)
	}
}
