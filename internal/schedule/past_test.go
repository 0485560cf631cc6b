package schedule

import (
	"testing"
	"time"

	"trawl/internal/crawl"
)

// The story of a URL has each answer, alike ones in a row as one (F13).
func TestF13AnswersAreRemembered(t *testing.T) {
	const day = 24 * time.Hour
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		switch d := now.Sub(t0); {
		case u.Path() == "/robots.txt":
			return answer{status: 404}
		case d < 10*day:
			return page()
		case d < 20*day:
			return answer{status: 503}
		case d < 21*day:
			return answer{failure: crawl.FailReset}
		}
		return answer{status: 404}
	})
	b.cfg.Demand.Refresh = 3 * day
	b.start(h + "/x").run(t0.Add(40 * day))
	v := b.record(h + "/x").Visits[0]
	if len(v.Past) != 3 || v.Status != 404 || v.Same == 0 {
		t.Fatalf("%d answers before %d (%d more): %+v", len(v.Past), v.Status, v.Same, v.Past)
	}
	if a := v.Past[0]; a.Status != 200 || a.Count != 4 || !a.Since.Equal(t0.Add(100*time.Millisecond)) || a.Until.Sub(a.Since).Round(day) != 9*day {
		t.Errorf("first answer %+v", a)
	}
	if a := v.Past[1]; a.Status != 503 || a.Count < 5 {
		t.Errorf("second answer %+v", a)
	}
	if a := v.Past[2]; a.Status != 0 || a.Failure != crawl.FailReset {
		t.Errorf("third answer %+v", a)
	}
	all := v.Same + 1
	for i, a := range v.Past {
		all += a.Count
		if a.Until.Before(a.Since) || i > 0 && !a.Since.After(v.Past[i-1].Until) {
			t.Errorf("answer %d is out of order: %+v", i, v.Past)
		}
	}
	if all != v.Crawls {
		t.Errorf("%d answers of %d crawls", all, v.Crawls)
	}
}

func TestF13PastIsBounded(t *testing.T) {
	v := crawl.Visit{}
	first := v
	for i := range 100 {
		was := v
		v.LastCrawl, v.Status = t0.Add(time.Duration(i)*time.Hour), 200+204*(i%2)
		remember(&v, &was)
		v.Crawls++
		if i == 50 {
			first = v
		}
	}
	if len(v.Past) != crawl.MaxPast || v.Past[len(v.Past)-1].Status != 200 {
		t.Errorf("%d answers kept: %+v", len(v.Past), v.Past)
	}
	if first.Past[0].Until != first.Past[0].Since || first.Past[len(first.Past)-1].Until.Sub(t0) != 49*time.Hour {
		t.Errorf("a copy handed out before was changed: %+v", first.Past)
	}
	was := crawl.Visit{Crawls: 1, Status: 200, LastCrawl: t0}
	now := crawl.Visit{Crawls: 1, Status: 304, LastCrawl: t0.Add(time.Hour)}
	if remember(&now, &was); len(now.Past) != 0 || now.Same != 1 || !now.SameSince.Equal(t0) {
		t.Errorf("304 is taken for another answer: %+v", now)
	}
}
