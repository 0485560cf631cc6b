package schedule

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
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

func TestC1RobotsIsAskedFirstAndOnce(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/robots.txt": text("User-agent: *\nDisallow: /no"), h + "/": page("/no/1", "/yes", "/no/2"), h + "/yes": page("/no/3"),
	})).start(h + "/").run(t0.Add(time.Hour))
	if b.log[0].url != h+"/robots.txt" || b.count(h+"/robots.txt") != 1 {
		t.Errorf("requests %v", b.log)
	}
	if got := b.urls(); !slices.Equal(got, []string{h + "/", h + "/yes"}) {
		t.Errorf("fetched %q", got)
	}
	for _, s := range b.log {
		if s.req.IfNoneMatch != "" || s.req.IfModifiedSince != "" {
			t.Errorf("%s carries validators", s.url)
		}
	}
}

func TestC7DisallowedStaysKnownAndIsReconsidered(t *testing.T) {
	rules := "User-agent: *\nDisallow: /no"
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		switch string(u) {
		case h + "/robots.txt":
			return text(rules)
		case h + "/":
			return page("/no")
		case h + "/no":
			return page()
		}
		return answer{status: 404}
	}).start(h + "/").run(t0.Add(time.Hour))
	r := b.record(h + "/no")
	if v := r.Visits[0]; !v.Robots || v.Due.IsZero() || r.Index.Reason != crawl.ReasonRobotsBlocked {
		t.Fatalf("record %+v", r)
	}
	rules = "User-agent: *\nDisallow:"
	b.run(t0.Add(3 * 24 * time.Hour))
	if b.count(h+"/no") != 1 {
		t.Errorf("fetched %d times after the rules changed", b.count(h+"/no"))
	}
	if r := b.record(h + "/no"); r.Index.State != crawl.IndexPassed || r.Visits[0].Robots {
		t.Errorf("record %+v", r)
	}
}

func TestC4Case1RobotsErrorStopsTheHostForTwelveHours(t *testing.T) {
	for name, bad := range map[string]answer{
		"case1 503": {status: 503}, "case1 connect timeout": {failure: crawl.FailConnectTimeout}, "case1 TLS": {failure: crawl.FailTLS},
		"case2 503 with rules": {status: 503, body: "User-agent: *\nAllow: /"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(u crawl.URL, now time.Time) answer {
				if strings.HasSuffix(string(u), "/robots.txt") {
					return bad
				}
				return page("/b")
			}).start(h + "/").run(t0.Add(11 * time.Hour))
			if n := len(b.urls()); n != 0 {
				t.Errorf("%d pages fetched within 12 hours: %q", n, b.urls())
			}
			if n := b.count(h + "/robots.txt"); n < 3 {
				t.Errorf("robots.txt asked for %d times in 11 hours", n)
			}
			b.run(t0.Add(20 * time.Hour))
			if b.count(h+"/") != 1 {
				t.Errorf("homepage fetched %d times after 12 hours without a copy: no restriction applies", b.count(h+"/"))
			}
		})
	}
}

func TestC6AbandonedRequestsAreCountedAndNotMade(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer { return answer{status: 500} }).start(h+"/", h+"/x").run(t0.Add(2 * time.Hour))
	n := 0
	for _, e := range b.events {
		if e.Response == crawl.ResponseRobotsUnavailable {
			n++
			if e.Sent {
				t.Errorf("event says it was sent: %+v", e)
			}
		}
	}
	if n < 2 || len(b.urls()) != 0 {
		t.Errorf("%d abandoned, fetched %q", n, b.urls())
	}
}

func TestC1RedirectedRobotsGovernTheFirstHost(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/robots.txt":             redirect(301, "https://a.example/r1"),
		"https://a.example/r1":        redirect(302, "http://b.example/r2"),
		"http://b.example/r2":         text("User-agent: *\nDisallow: /no"),
		h + "/":                       page("/no", "/yes"),
		"http://b.example/no":         page(),
		"http://b.example/robots.txt": {status: 404},
	})).start(h + "/").run(t0.Add(time.Hour))
	if b.count(h+"/no") != 0 || b.count(h+"/yes") != 1 {
		t.Errorf("case4: fetched %q", b.urls())
	}
}

func TestC1SixthRobotsRedirectIsAsNotFound(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch {
		case strings.Contains(string(u), "/robots.txt"):
			return redirect(302, "/r1")
		case strings.Contains(string(u), "/r") && u.Path() != "/r9":
			return redirect(302, fmt.Sprintf("/r%c", u.Path()[2]+1))
		case u.Path() == "/r9":
			return text("User-agent: *\nDisallow: /")
		}
		return page()
	}).start(h + "/").run(t0.Add(time.Hour))
	if b.count(h+"/r5") != 1 || b.count(h+"/r6") != 0 || b.count(h+"/") != 1 {
		t.Errorf("case4: requests %v", b.log)
	}
}

func TestB6RedirectsAreJobsOfTheirHosts(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/": redirect(301, "http://b.example/"), "http://b.example/": redirect(302, "http://c.example/end"),
		"http://c.example/end": page(), "http://c.example/robots.txt": text("User-agent: *\nDisallow: /private"),
	})).start(h + "/").run(t0.Add(time.Hour))
	if got := b.urls(); !slices.Equal(got, []string{h + "/", "http://b.example/", "http://c.example/end"}) {
		t.Fatalf("fetched %q", got)
	}
	r := b.record(h + "/")
	if r.Index.Reason != crawl.ReasonRedirect || r.Visits[0].RedirectTo != "http://b.example/" {
		t.Errorf("record %+v", r)
	}
	if end := b.record("http://c.example/end"); end.Depth != 0 || end.Via != crawl.ViaRedirect {
		t.Errorf("target %+v", end)
	}
}

func TestB6RobotsOfTheTargetDecides(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/": redirect(301, "http://b.example/private"), "http://b.example/robots.txt": text("User-agent: *\nDisallow: /private"),
	})).start(h + "/").run(t0.Add(time.Hour))
	if b.count("http://b.example/private") != 0 || !b.record("http://b.example/private").Visits[0].Robots {
		t.Errorf("fetched %q", b.urls())
	}
}

func TestB6RedirectErrors(t *testing.T) {
	long := func(u crawl.URL, _ time.Time) answer {
		var n int
		if _, err := fmt.Sscanf(u.Path(), "/hop%d", &n); err == nil {
			return redirect(302, fmt.Sprintf("/hop%d", n+1))
		}
		return answer{status: 404}
	}
	for name, c := range map[string]struct {
		web   func(crawl.URL, time.Time) answer
		seed  string
		at    string // where it is recorded
		chain int
		hops  int
	}{
		"case12 to itself":  {pages(map[string]answer{h + "/": redirect(301, "/")}), h + "/", h + "/", 0, 1},
		"case12 A B A":      {pages(map[string]answer{h + "/": redirect(301, "/b"), h + "/b": redirect(301, "/")}), h + "/", h + "/b", 1, 2},
		"case12 javascript": {pages(map[string]answer{h + "/": redirect(301, "javascript:alert(1)")}), h + "/", h + "/", 0, 1},
		"case12 mailto":     {pages(map[string]answer{h + "/": redirect(301, "mailto:x@example.com")}), h + "/", h + "/", 0, 1},
		"no Location":       {pages(map[string]answer{h + "/": {status: 302}}), h + "/", h + "/", 0, 1},
		"case12 11 hops":    {long, h + "/hop0", h + "/hop10", 10, 11},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.web).start(c.seed).run(t0.Add(time.Hour))
			if n := len(b.urls()); n != c.hops {
				t.Errorf("%d requests: %q", n, b.urls())
			}
			r := b.record(c.at)
			if v := r.Visits[0]; v.Response != crawl.ResponseRedirectError || len(v.Chain) != c.chain || r.Index.Reason != crawl.ReasonRedirectError {
				t.Errorf("record %+v", r)
			}
		})
	}
}

func TestA4InspectionFollowsNoRedirects(t *testing.T) {
	b := newBench(t, pages(map[string]answer{h + "/": redirect(301, "/b"), h + "/b": page()}), "google-inspection-tool-smartphone").start(h + "/").run(t0.Add(time.Hour))
	if got := b.urls(); !slices.Equal(got, []string{h + "/"}) {
		t.Errorf("fetched %q", got)
	}
	if r := b.record(h + "/"); r.Visits[0].Response != crawl.ResponseMovedPermanently || r.Visits[0].RedirectTo != h+"/b" {
		t.Errorf("record %+v", r)
	}
}

func TestA5CapacityIsSharedByClients(t *testing.T) {
	links := make([]string, 300)
	for i := range links {
		links[i] = fmt.Sprintf("/p%d", i)
	}
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch u.Path() {
		case "/robots.txt":
			return answer{status: 404}
		case "/":
			return page(links...)
		}
		return page()
	}, "trawl", "googlebot-desktop")
	b.cfg.Capacity = func(crawl.Host) hostload.Params {
		p := hostload.Own()
		p.Start, p.Ceiling = 2, 2
		return p
	}
	b.start(h + "/").run(t0.Add(8 * time.Second))
	by := map[crawl.ClientID]int{}
	for _, s := range b.log {
		by[s.client]++
	}
	if n := len(b.log); n < 100 || n > 175 {
		t.Errorf("%d requests of 100 ms in 8 s at capacity 2: case22 wants one limit for both", n)
	}
	if b.most["a.example"] > 2 {
		t.Errorf("case22: %d fetches at once", b.most["a.example"])
	}
	if a, g := by["trawl"], by["googlebot-desktop"]; a < g*7/10 || g < a*7/10 {
		t.Errorf("shares %v are not fair", by)
	}
}

func TestE5SlowHostDoesNotStarveOthers(t *testing.T) {
	slow := make([]string, 400)
	for i := range slow {
		slow[i] = fmt.Sprintf("http://slow.example/%d", i)
	}
	links := append(slow, "http://b.example/1", "http://c.example/1")
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		if u == h+"/" {
			return page(links...)
		}
		a := page()
		if u.Host() == "slow.example" {
			a.took = 20 * time.Second
		}
		return a
	}).start(h + "/").run(t0.Add(5 * time.Second))
	if b.count("http://b.example/1") != 1 || b.count("http://c.example/1") != 1 {
		t.Errorf("case24: others wait for the slow host: %q", b.urls())
	}
	if b.most["slow.example"] > 5 {
		t.Errorf("case24: %d at once on the slow host", b.most["slow.example"])
	}
}

func TestE8Case24RateLimitedHostIsLeftAlone(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Host() == "limited.example" && u.Path() != "/robots.txt" {
			return answer{status: 429}
		}
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		return page("http://limited.example/1", "http://limited.example/2", "http://limited.example/3", "/x")
	}).start(h + "/").run(t0.Add(time.Hour))
	n := 0
	for _, s := range b.log {
		if s.url.Host() == "limited.example" {
			n++
		}
	}
	if n < 3 || n > 40 {
		t.Errorf("%d requests in an hour to a host that answers 429 for ever", n)
	}
	if b.count(h+"/x") != 1 {
		t.Error("the other host was held up")
	}
}

func TestE8RetryAfterIsALowerBound(t *testing.T) {
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		if u.Path() == "/" && now.Before(t0.Add(2*time.Second)) {
			return answer{status: 503, header: crawl.Header{{Name: "Retry-After", Value: "600"}}}
		}
		return page("/b")
	}).start(h+"/", h+"/c").run(t0.Add(2 * time.Hour))
	var first time.Time
	for i, s := range b.log {
		if s.url == h+"/" {
			first = s.at
			for _, later := range b.log[i+1:] {
				if later.at.Sub(first) > time.Second && later.at.Sub(first) < 600*time.Second {
					t.Errorf("%s asked for %s after Retry-After: 600", later.url, later.at.Sub(first))
				}
			}
			break
		}
	}
	if b.count(h+"/b") != 1 {
		t.Error("not crawled after the pause")
	}
}

func TestC8SitemapsFeedDiscovery(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/robots.txt": text("User-agent: nobody\nDisallow: /\nSitemap: " + h + "/sm.xml\n"),
		h + "/sm.xml":     {status: 200, header: crawl.Header{{Name: "Content-Type", Value: "application/xml"}}, body: `<sitemapindex><sitemap><loc>` + h + `/s2.txt</loc></sitemap></sitemapindex>`},
		h + "/s2.txt":     text(h + "/only-here\nhttp://other.example/x\n"),
		h + "/":           page(), h + "/only-here": page(),
	})).start(h + "/").run(t0.Add(time.Hour))
	if b.count(h+"/only-here") != 1 || b.count("http://other.example/x") != 0 {
		t.Errorf("fetched %q", b.urls())
	}
	if r := b.record(h + "/only-here"); r.Via != crawl.ViaSitemap || r.Referrer != h+"/s2.txt" {
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
