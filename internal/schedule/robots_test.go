package schedule

import (
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

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

func TestB11WhatWeRefuseIsNoAnswerOfTheHost(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Port() == "25" {
			return answer{failure: crawl.FailBlockedPort}
		}
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		return page("http://a.example:25/x", "/b")
	}).start(h + "/").run(t0.Add(time.Hour))
	r := b.record("http://a.example:25/x")
	if v := r.Visits[0]; v.Failure != crawl.FailBlockedPort || v.Crawls != 0 || v.Due.Sub(t0) < 12*time.Hour {
		t.Errorf("record %+v", r)
	}
	if b.count(h+"/b") != 1 {
		t.Error("the rest of the hostname was not crawled")
	}
	for _, e := range b.events {
		if e.Response == crawl.ResponseRobotsUnavailable {
			t.Errorf("case6: counted as robots.txt not available: %+v", e)
		}
	}
}
