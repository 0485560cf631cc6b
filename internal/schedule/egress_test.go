package schedule

import (
	"context"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/egress"
)

// TestB10BlockedRegion: a hostname that blocks the default region is asked from
// another one, its record says so, and the other hosts stay where they are.
func TestB10BlockedRegion(t *testing.T) {
	var b *bench
	b = newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Host() == "a.example" && b.log[len(b.log)-1].req.Egress == "" && u.Path() != "/robots.txt" {
			return answer{failure: crawl.FailConnectTimeout}
		}
		return page(h+"/1", h+"/2", h+"/3", h+"/4", h+"/5", h+"/6", "http://b.example/")
	})
	b.cfg.Egress = func(crawl.Host) egress.Plan { return egress.Plan{Others: []string{"eu"}} }
	b.start(h+"/", h+"/1", h+"/2", h+"/3", h+"/4", h+"/5", "http://b.example/").run(t0.Add(12 * 24 * time.Hour))
	rec, _, err := b.st.Host(context.Background(), "a.example")
	if err != nil {
		t.Fatal(err)
	}
	eu := false
	for _, s := range b.log {
		switch {
		case s.url.Host() == "b.example" && s.req.Egress != "":
			t.Fatalf("%s left from %s", s.url, s.req.Egress)
		case s.url.Host() == "a.example" && s.req.Egress == "eu":
			eu = true
		}
	}
	if !eu || len(rec.Egress.Regions) != 2 || rec.Egress.Regions[0].Blocked < 2 || rec.Egress.Regions[1].LastOK.IsZero() {
		t.Errorf("from eu: %v, record %+v", eu, rec.Egress)
	}
}

// TestB10FixedRegion: every request to a hostname, robots.txt too, leaves from the
// region that its owner chose, and without one nothing is recorded.
func TestB10FixedRegion(t *testing.T) {
	b := newBench(t, pages(map[string]answer{h + "/": page("http://b.example/"), "http://b.example/": page()}))
	b.cfg.Egress = func(host crawl.Host) egress.Plan {
		if host == "b.example" {
			return egress.Plan{Home: "us"}
		}
		return egress.Plan{}
	}
	b.start(h + "/").run(t0.Add(time.Hour))
	n := 0
	for _, s := range b.log {
		if want := map[crawl.Host]string{"b.example": "us"}[s.url.Host()]; s.req.Egress != want {
			t.Errorf("%s left from %q, want %q", s.url, s.req.Egress, want)
		}
		n++
	}
	rec, _, err := b.st.Host(context.Background(), "a.example")
	if err != nil || n < 4 || len(rec.Egress.Regions) != 0 || !rec.Egress.Session.IsZero() {
		t.Errorf("%d requests, record %+v, %v", n, rec.Egress, err)
	}
}

// TestG5CopyOfANotModified: however often a 304 comes, the visit points at the
// response that has the content; a 304 never becomes the copy itself.
func TestG5CopyOfANotModified(t *testing.T) {
	for name, c := range map[string]struct {
		first answer
		copy  bool
	}{"G5/after a 200": {answer{status: 200, header: crawl.Header{{Name: "ETag", Value: `"v1"`}, {Name: "Content-Type", Value: "text/html"}}, body: "x"}, true}, "G5/at once": {answer{status: 304}, false}} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			b := newBench(t, func(u crawl.URL, _ time.Time) answer {
				switch {
				case u != h+"/":
					return answer{status: 404}
				case asked == 0:
					asked++
					return c.first
				}
				asked++
				return answer{status: 304}
			})
			b.archive = true
			b.start(h + "/").run(t0.Add(time.Minute))
			first := b.record(h + "/").Visits[0].Archive
			if (first.File != "") != c.copy {
				t.Fatalf("archived at %+v", first)
			}
			b.run(t0.Add(40 * 24 * time.Hour))
			v := b.record(h + "/").Visits[0]
			if asked < 3 || v.Status != 304 || v.Archive != first {
				t.Errorf("after %d requests, the last of them a %d, the copy is at %+v; it was at %+v", asked, v.Status, v.Archive, first)
			}
		})
	}
}
