package schedule

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"trawl/internal/crawl"
)

const h = "http://a.example"

func TestD1EveryLinkedPageIsFetchedOnce(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/":  page("/b", "c?x=1", "/b#frag", "http://b.example/x"),
		h + "/b": page("/", "/c?x=1", "/missing"), h + "/c?x=1": page("/b"),
		"http://b.example/x": page(h + "/b"),
	})).start(h + "/").run(t0.Add(time.Hour))
	got := b.urls()
	slices.Sort(got)
	want := []string{h + "/", h + "/b", h + "/c?x=1", h + "/missing", "http://b.example/x"}
	if !slices.Equal(got, want) {
		t.Errorf("fetched %q, want %q", got, want)
	}
	if r := b.record(h + "/missing"); r.Referrer != crawl.URL(h+"/b") || r.Index.Reason != crawl.ReasonNotFound || r.Depth != 2 {
		t.Errorf("record %+v", r)
	}
}

func TestScope(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		"http://www.a.example/": page("/1", "http://a.example/2", "http://other.example/3", "/skip/4"), "http://www.a.example/1": page("/deep"), "http://a.example/2": page(),
	}))
	b.cfg.Scope = Scope{Sites: []crawl.Host{"www.a.example"}, MaxDepth: 1}
	b.cfg.Scope.Exclude = append(b.cfg.Scope.Exclude, mustRegexp("/skip/"))
	b.start("http://www.a.example/").run(t0.Add(time.Hour))
	got := b.urls()
	slices.Sort(got)
	if !slices.Equal(got, []string{"http://a.example/2", "http://www.a.example/", "http://www.a.example/1"}) {
		t.Errorf("fetched %q", got)
	}
}

func TestMaxPages(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer { return page(string(u) + "x") })
	b.cfg.MaxPages = 7
	b.start(h + "/").run(t0.Add(time.Hour))
	if n := len(b.urls()); n != 7 || !b.sched.Counts().Exhausted {
		t.Errorf("%d pages", n)
	}
}

func TestG5Case33RecrawlGoesOnAfterNotModified(t *testing.T) {
	second := false
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch {
		case u.Path() == "/" && second:
			return answer{status: 304}
		case u.Path() == "/":
			a := page("/b")
			a.header = append(a.header, crawl.Field{Name: "ETag", Value: `"1"`})
			return a
		case u.Path() == "/b" && !second:
			return page()
		}
		return answer{status: 404}
	}).start(h + "/").run(t0.Add(time.Hour))
	second = true
	b.run(t0.Add(8 * 24 * time.Hour))
	last := b.log[len(b.log)-1]
	if b.count(h+"/") != 2 || b.count(h+"/b") != 2 {
		t.Fatalf("fetched %q", b.urls())
	}
	for _, s := range b.log {
		if s.url == h+"/" && s.at.After(t0.Add(time.Hour)) && s.req.IfNoneMatch != `"1"` {
			t.Errorf("G1: recrawl without If-None-Match: %+v", s.req)
		}
	}
	if r := b.record(h + "/b"); r.Index.State != crawl.IndexRemoved {
		t.Errorf("last %v, record %+v", last, r)
	}
	if r := b.record(h + "/"); r.Index.State != crawl.IndexPassed || r.Visits[0].Status != 304 {
		t.Errorf("record %+v", r)
	}
}

func mustRegexp(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// A driver reads the store while outcomes are being committed: what it read may
// be older than the commit it has heard of.
func TestEntriesReadBeforeACommitAreNotTakenAgain(t *testing.T) {
	b := newBench(t, pages(map[string]answer{h + "/": page("/b"), h + "/b": page()})).start(h + "/")
	var stale []crawl.QueueEntry
	var load Step
	for i := 0; len(stale) == 0 || load.Kind != StepLoadURLs; i++ {
		step := b.sched.Next(b.now)
		switch {
		case step.Kind == StepLoadURLs && len(stale) > 0:
			load = step // is answered late, with what was in the store before
		case step.Kind == StepLoadURLs:
			entries, err := b.st.DueURLs(t.Context(), step.Host, step.Client, b.now, step.Limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) > 0 {
				stale = entries
				step.Limit = len(entries) // so that there seems to be more
			}
			b.sched.AddURLs(b.now, step, entries, time.Time{})
		case step.Kind == StepFetch:
			b.fetch(step.Job)
		case step.Kind == StepWait && !b.wait(step.Until, t0.Add(time.Hour)):
			t.Fatal("nothing to load")
		}
		if i > 100 {
			t.Fatal("no second load")
		}
	}
	for b.count(h+"/") == 0 || len(b.open) > 0 {
		switch step := b.sched.Next(b.now); step.Kind {
		case StepFetch:
			b.fetch(step.Job)
		case StepWait:
			b.wait(step.Until, t0.Add(time.Hour))
		}
	}
	b.sched.AddURLs(b.now, load, stale, time.Time{})
	b.run(t0.Add(2 * time.Hour))
	if n := b.count(h + "/"); n != 1 || b.count(h+"/b") != 1 {
		t.Errorf("fetched %q", b.urls())
	}
}
