package schedule

import (
	"fmt"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/react"
)

// cluster is the only cluster of a hostname's record.
func (b *bench) cluster(h crawl.Host) crawl.Cluster {
	b.t.Helper()
	rec, _, err := b.st.Host(b.t.Context(), h)
	if err != nil || len(rec.Clusters) != 1 {
		b.t.Fatalf("clusters %+v, %v", rec.Clusters, err)
	}
	return rec.Clusters[0]
}

// index is a URL's index state.
func (b *bench) index(u string) crawl.URLRecord {
	b.t.Helper()
	rec, ok, err := b.st.URL(b.t.Context(), crawl.URL(u))
	if err != nil || !ok {
		b.t.Fatalf("%s: known %v, %v", u, ok, err)
	}
	return rec
}

// TestF11SameTextOnManyURLsIsOneCluster sends an error text with 200 for all pages
// of a site but one, and mends them after a month.
func TestF11SameTextOnManyURLsIsOneCluster(t *testing.T) {
	const h, pages = "http://a.example", 30
	const day = 24 * time.Hour
	mended := t0.Add(8 * day)
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		switch {
		case u.Path() == "/robots.txt":
			return answer{status: 404}
		case u.Path() == "/":
			var links []string
			for i := range pages {
				links = append(links, fmt.Sprintf("/p%d", i))
			}
			return page(links...)
		case u.Path() == "/p0" || !now.Before(mended):
			return text("page " + string(u))
		}
		return text("something went wrong")
	})
	b.cfg.Demand.Refresh = 2 * day
	b.start(h + "/").run(t0.Add(time.Hour))
	if c := b.cluster("a.example"); c.Count != pages-1 {
		t.Fatalf("%d URLs in the cluster, %d gave the same text", c.Count, pages-1)
	}
	count := func(f func(crawl.URLRecord) bool) int {
		n := 0
		for i := range pages {
			if f(b.index(fmt.Sprintf("%s/p%d", h, i))) {
				n++
			}
		}
		return n
	}
	duplicate := func(r crawl.URLRecord) bool {
		return r.Index.State == crawl.IndexExcluded && r.Index.Reason == crawl.ReasonDuplicate && r.Index.Row == "F11"
	}
	if n := count(duplicate); n != pages-1-clusterFrom {
		t.Errorf("%d excluded at first, want all after the first %d", n, clusterFrom)
	}
	if r := b.index(h + "/p0"); r.Index.State != crawl.IndexPassed {
		t.Errorf("a page of its own text is %+v", r.Index)
	}
	b.run(t0.Add(3 * day)) // those before the tenth are crawled again
	if n := count(duplicate); n != pages-2 {
		t.Errorf("%d excluded, want all but the one that stands for them", n)
	}
	first := b.cluster("a.example").First
	if r := b.index(string(first)); r.Index.State != crawl.IndexPassed {
		t.Errorf("%s stands for the others and is %+v", first, r.Index)
	}
	// H4: duplicates are crawled seldom, and come back slowly.
	p := b.cfg.Demand
	r := b.index(h + "/p29")
	if v := r.Visits[0]; v.Band != demand.BandSink || v.Due.Sub(v.LastCrawl) < 3*p.Refresh {
		t.Errorf("H4: due again after %s in band %d", v.Due.Sub(v.LastCrawl), v.Band)
	}
	b.run(mended.Add(2 * day))
	if n := count(duplicate); n == 0 {
		t.Error("all are back at once: the recovery is to be slow")
	}
	b.run(mended.Add(10 * day))
	if n := count(duplicate); n != 0 {
		t.Errorf("%d are still excluded", n)
	}
	if rec, _, _ := b.st.Host(t.Context(), "a.example"); len(rec.Clusters) != 0 {
		t.Errorf("the cluster is left: %+v", rec.Clusters)
	}
}

// A few equal pages are no cluster.
func TestF11AFewEqualPagesAreNone(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch u.Path() {
		case "/robots.txt":
			return answer{status: 404}
		case "/":
			return page("/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i")
		}
		return text("the same")
	}).start("http://a.example/").run(t0.Add(20 * 24 * time.Hour))
	if r := b.index("http://a.example/i"); r.Index.State != crawl.IndexPassed || r.Visits[0].Crawls < 2 {
		t.Errorf("%+v", r)
	}
}

func TestF11ClustersAreBounded(t *testing.T) {
	b := newBench(t, func(crawl.URL, time.Time) answer { return answer{status: 404} }).start("http://a.example/")
	h := &host{name: "a.example"}
	for i := range 5000 {
		e := &crawl.QueueEntry{URL: crawl.URL(fmt.Sprintf("http://a.example/p%d", i)), Visit: crawl.Visit{Client: "trawl"}}
		f := &Findings{Page: &crawl.Page{Digest: uint64(i/100) + 1}, Row: rowOf(200)}
		b.sched.duplicate(&crawl.Outcome{}, h, e, f, 0, t0)
	}
	if n := len(h.rec.Clusters); n != crawl.MaxClusters {
		t.Errorf("%d clusters, want as many as there is room for", n)
	}
	for i := range 5000 {
		e := &crawl.QueueEntry{URL: crawl.URL(fmt.Sprintf("http://a.example/q%d", i)), Visit: crawl.Visit{Client: "trawl"}}
		b.sched.duplicate(&crawl.Outcome{}, h, e, &Findings{Page: &crawl.Page{Digest: uint64(i) + 1000}, Row: rowOf(200)}, 0, t0)
	}
	if n := len(h.rec.Contents); n > crawl.MaxContents {
		t.Errorf("%d contents are counted, at most %d may be", n, crawl.MaxContents)
	}
}

// TestH5CycleOfAClient: a client with a cycle asks for a URL once in it, whatever
// its caching headers say.
func TestH5CycleOfAClient(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		a := page()
		a.header = append(a.header, crawl.Field{Name: "Cache-Control", Value: "max-age=3600"})
		return a
	}, "trawl", "adsbot").start("http://a.example/").run(t0.Add(29 * 24 * time.Hour))
	times := map[crawl.ClientID]int{}
	for _, s := range b.log {
		if s.url == "http://a.example/" {
			times[s.client]++
		}
	}
	if times["adsbot"] != 3 || times["trawl"] < 100 {
		t.Errorf("in 29 days %v; adsbot's cycle is two weeks, trawl follows max-age", times)
	}
}

func rowOf(status int) react.Row { return react.Lookup(&crawl.Result{Status: status}) }
