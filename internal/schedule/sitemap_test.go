package schedule

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
	"trawl/internal/lastmod"
)

func xml(s string) answer {
	return answer{status: 200, header: crawl.Header{{Name: "Content-Type", Value: "application/xml"}}, body: s}
}

func urlset(locs ...string) answer {
	return xml("<urlset><url><loc>" + strings.Join(locs, "</loc></url><url><loc>") + "</loc></url></urlset>")
}

func indexOf(locs ...string) answer {
	return xml("<sitemapindex><sitemap><loc>" + strings.Join(locs, "</loc></sitemap><sitemap><loc>") + "</loc></sitemap></sitemapindex>")
}

func (b *bench) hostRecord(h crawl.Host) crawl.HostRecord {
	b.t.Helper()
	rec, ok, err := b.st.Host(context.Background(), h)
	if err != nil || !ok {
		b.t.Fatalf("%s: known %v, %v", h, ok, err)
	}
	return rec
}

// TestD2ScopeInACrawl: what the sitemaps of two hosts make known, by who named them.
func TestD2ScopeInACrawl(t *testing.T) {
	const a, b = "http://a.example", "http://b.example"
	mixed := []string{a + "/1", a + "/deep/2", b + "/s/3", b + "/4", "http://c.example/5"}
	for name, tc := range map[string]struct {
		web  map[string]answer
		want string // of mixed, by the last character
		out  int64  // out of scope, noted with the host of the sitemap
	}{
		"own robots.txt, all of the host": {map[string]answer{
			a + "/robots.txt": text("Sitemap: " + a + "/s/sm.xml"), a + "/s/sm.xml": urlset(mixed...),
		}, "12", 3},
		"named by another host": {map[string]answer{
			a + "/robots.txt": text("Sitemap: " + b + "/s/sm.xml"), b + "/s/sm.xml": urlset(mixed...),
		}, "123", 2},
		"index named by another host": {map[string]answer{
			a + "/robots.txt": text("Sitemap: " + b + "/s/i.xml"), b + "/s/i.xml": indexOf(b+"/s/sm.xml", "http://c.example/sm.xml", b+"/up.xml"),
			b + "/s/sm.xml": urlset(mixed...), b + "/up.xml": urlset(b + "/4"), "http://c.example/sm.xml": urlset("http://c.example/5"),
		}, "123", 2},
		"index within an index": {map[string]answer{
			a + "/robots.txt": text("Sitemap: " + b + "/s/i.xml"), b + "/s/i.xml": indexOf(b + "/s/j.xml"), b + "/s/j.xml": indexOf(b + "/s/sm.xml"),
			b + "/s/sm.xml": urlset(mixed...),
		}, "123", 2},
		"redirected to another host": {map[string]answer{
			a + "/robots.txt": text("Sitemap: " + a + "/sm"), a + "/sm": redirect(302, b+"/s/sm.xml"), b + "/s/sm.xml": urlset(mixed...),
		}, "123", 2},
		"named by another host and redirected there": {map[string]answer{
			a + "/robots.txt": text("Sitemap: " + b + "/sm"), b + "/sm": redirect(302, b+"/s/sm.xml"), b + "/s/sm.xml": urlset(mixed...),
		}, "123", 2},
	} {
		t.Run(name, func(t *testing.T) {
			tc.web[a+"/"] = page()
			bench := newBench(t, pages(tc.web)).start(a + "/").run(t0.Add(2 * time.Hour))
			got := ""
			for _, u := range mixed {
				if bench.count(u) > 0 {
					got += u[len(u)-1:]
				}
			}
			var out int64
			for _, h := range []crawl.Host{"a.example", "b.example"} {
				if rec, ok, _ := bench.st.Host(context.Background(), h); ok {
					out += rec.Sitemaps.OutOfScope
				}
			}
			if got != tc.want || out != tc.out {
				t.Errorf("crawled %s, want %s; %d out of scope, want %d: %q", got, tc.want, out, tc.out, bench.urls())
			}
		})
	}
}

func TestD2Case29IndexesWithoutEnd(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		var n int
		switch _, err := fmt.Sscanf(u.Path(), "/i%d.xml", &n); {
		case err == nil:
			return indexOf(string(u), fmt.Sprintf("%s/i%d.xml", h, n+1), fmt.Sprintf("%s/s%d.txt", h, n))
		case u.Path() == "/robots.txt":
			return text("Sitemap: " + h + "/i1.xml")
		case strings.HasSuffix(u.Path(), ".txt"):
			return text(h + "/page" + u.Path())
		}
		return page()
	}).start(h + "/").run(t0.Add(6 * time.Hour))
	if n := b.count(h + "/i1.xml"); n != 1 {
		t.Errorf("an index that names itself was fetched %d times", n)
	}
	if b.count(h+"/i4.xml") != 1 || b.count(h+"/i5.xml") != 0 || b.count(h+"/page/s3.txt") != 1 {
		t.Errorf("indexes without end: fetched %q", b.urls())
	}
	if !b.record(h + "/i4.xml").Visits[0].Bounded || b.record(h + "/i1.xml").Visits[0].Bounded {
		t.Error("what was not read for its depth is not reported")
	}
}

// TestD2SizeInACrawl: sitemaps have a limit of their own, whatever the client's is.
func TestD2SizeInACrawl(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/robots.txt": text("Sitemap: " + h + "/sm.xml"), h + "/sm.xml": urlset(h + "/a"), h + "/a": page(), h + "/": page(),
	}), "googlebot-smartphone").start(h + "/").run(t0.Add(time.Hour))
	for _, s := range b.log {
		limit := s.req.Limits.For("application/xml")
		if (s.url == h+"/sm.xml") != (limit > sitemap.MaxBytes) {
			t.Errorf("limit of %s: %d", s.url, limit)
		}
	}
}

// changing is a host of a hundred pages whose content changes by chance, once in
// every mean days, and whose sitemap tells of it in its own way.
type changing struct {
	changes [][]time.Duration // of each page, since the start
	stamp   func(last, at time.Duration) time.Duration
}

func newChanging(mean float64, stamp func(last, at time.Duration) time.Duration) *changing {
	rnd := rand.New(rand.NewPCG(7, 7))
	w := &changing{changes: make([][]time.Duration, 100), stamp: stamp}
	for i := range w.changes {
		for at := time.Duration(0); at < 400*24*time.Hour; {
			at += time.Duration(rnd.ExpFloat64() * mean * float64(24*time.Hour))
			w.changes[i] = append(w.changes[i], at)
		}
	}
	return w
}

// last returns the change before at of page i, and how many there were.
func (w *changing) last(i int, at time.Duration) (time.Duration, int) {
	n := 0
	for n < len(w.changes[i]) && w.changes[i][n] <= at {
		n++
	}
	if n == 0 {
		return -24 * time.Hour, 0
	}
	return w.changes[i][n-1], n
}

func (w *changing) serve(u crawl.URL, now time.Time) answer {
	at := now.Sub(t0)
	switch u.Path() {
	case "/robots.txt":
		return text("Sitemap: " + h + "/sm.xml")
	case "/sm.xml":
		var b strings.Builder
		b.WriteString("<urlset>")
		for i := range w.changes {
			last, _ := w.last(i, at)
			fmt.Fprintf(&b, "<url><loc>%s/p%d</loc><lastmod>%s</lastmod></url>", h, i, t0.Add(w.stamp(last, at)).Format(time.RFC3339))
		}
		return xml(b.String() + "</urlset>")
	}
	var i int
	if _, err := fmt.Sscanf(u.Path(), "/p%d", &i); err != nil || i >= len(w.changes) {
		return page()
	}
	_, n := w.last(i, at)
	return text(fmt.Sprintf("page %d, version %d", i, n))
}

// TestD2TrustInACrawl: four months of a host. An honest sitemap makes changes
// known within about a day of its own reading; one that is bumped or wrong is not
// believed, and costs no more requests than one without lastmod.
func TestD2TrustInACrawl(t *testing.T) {
	const day = 24 * time.Hour
	for name, tc := range map[string]struct {
		stamp func(last, at time.Duration) time.Duration
		newer bool
	}{
		"honest": {func(last, _ time.Duration) time.Duration { return last }, true},
		"bumped": {func(_, at time.Duration) time.Duration { return at.Truncate(day) + time.Hour }, false},
		"stuck":  {func(time.Duration, time.Duration) time.Duration { return -300 * day }, false},
		"future": {func(_, at time.Duration) time.Duration { return at + 300*day }, false},
	} {
		t.Run("case28/"+name, func(t *testing.T) {
			w := newChanging(20, tc.stamp)
			b := newBench(t, w.serve).start(h + "/")
			for n := range 6 { // as long as leases last
				b.run(t0.Add(time.Duration(n+1) * 20 * day))
				b.leases, _ = b.st.Renew(context.Background(), b.leases, 1000*time.Hour)
			}
			v := lastmod.Judge(b.hostRecord("a.example").Sitemaps.Trust, b.now)
			var lag time.Duration
			changes, crawls := 0, 0
			for _, s := range b.log {
				if strings.HasPrefix(s.url.Path(), "/p") && s.at.After(t0.Add(60*day)) {
					crawls++
				}
			}
			for i := range w.changes {
				for _, c := range w.changes[i] {
					if c > 60*day && c < 100*day {
						changes++
						lag += b.seen(crawl.URL(fmt.Sprintf("%s/p%d", h, i)), t0.Add(c))
					}
				}
			}
			lag /= time.Duration(changes)
			t.Logf("%d changes seen after %s on average, %d crawls in 60 days; %s", changes, lag.Round(time.Hour), crawls, v.Reason)
			switch {
			case v.Newer != tc.newer:
				t.Errorf("believed: %v, want %v: %+v", v.Newer, tc.newer, v)
			case tc.newer && (lag > 30*time.Hour || crawls > 600):
				t.Errorf("believed, and changes are seen after %s with %d crawls", lag, crawls)
			case !tc.newer && (lag < 60*time.Hour || crawls > 1100):
				t.Errorf("not believed, and changes are seen after %s with %d crawls", lag, crawls)
			}
		})
	}
}

// seen is how long after at the URL was crawled.
func (b *bench) seen(u crawl.URL, at time.Time) time.Duration {
	for _, s := range b.log {
		if s.url == u && s.at.After(at) {
			return s.at.Sub(at)
		}
	}
	return b.now.Sub(at)
}
