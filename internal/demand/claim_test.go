package demand

import (
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

func TestD2ClaimsByBelief(t *testing.T) {
	p, now := DefaultParams(), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	crawled := crawl.Visit{Crawls: 3, Status: 200, LastCrawl: now.Add(-5 * day), Due: now.Add(2 * day), Band: BandRefresh}
	for name, tc := range map[string]struct {
		age              time.Duration // of lastmod at now
		newer, unchanged bool
		due              time.Duration // from now
	}{
		"newer, believed":         {day, true, false, 0},
		"newer, not believed":     {day, false, true, 2 * day},
		"unchanged, believed":     {9 * day, false, true, 7 * day},
		"unchanged, not believed": {9 * day, true, false, 2 * day},
	} {
		t.Run(name, func(t *testing.T) {
			c := Claimed(p, crawl.Claim{LastMod: now.Add(-tc.age), At: now}, tc.newer, tc.unchanged)
			v, _ := c.Apply(crawled)
			if v.Due != now.Add(tc.due) {
				t.Errorf("due %s from now, want %s", v.Due.Sub(now), tc.due)
			}
		})
	}
	// However long the sitemap says so: four intervals after the last crawl.
	v := crawled
	for i := range 60 {
		c := Claimed(p, crawl.Claim{LastMod: now.Add(-99 * day), At: now.Add(time.Duration(i) * day)}, true, true)
		v, _ = c.Apply(v)
	}
	if want := crawled.LastCrawl.Add(4 * p.Refresh); v.Due != want {
		t.Errorf("due %s, want %s", v.Due, want)
	}
}

func TestD2SitemapsAreReadDaily(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		p      Params
		kind   crawl.Kind
		maxAge time.Duration
		want   time.Duration
	}{
		"sitemap":                    {DefaultParams(), crawl.KindSitemap, 0, 24 * time.Hour},
		"page":                       {DefaultParams(), crawl.KindPage, 0, 7 * 24 * time.Hour},
		"sitemap, max-age":           {DefaultParams(), crawl.KindSitemap, 2 * time.Hour, 2 * time.Hour},
		"sitemap, shorter interval":  {Params{Refresh: time.Hour, Sitemap: 24 * time.Hour}, crawl.KindSitemap, 0, time.Hour},
		"sitemap, client in a cycle": {DefaultParams().For(14 * 24 * time.Hour), crawl.KindSitemap, 0, 14 * 24 * time.Hour},
	} {
		if _, due := Next(tc.p, react.NextRefresh, crawl.Visit{Kind: tc.kind}, tc.maxAge, now); due.Sub(now) != tc.want {
			t.Errorf("%s: again after %s, want %s", name, due.Sub(now), tc.want)
		}
	}
}
