package demand

import (
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

// What Why says agrees with what Next and Discovered did.
func TestH1WhyAVisitIsDue(t *testing.T) {
	p, now := DefaultParams(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	next := func(n react.Next, v crawl.Visit) crawl.Visit {
		v.Band, v.Due = Next(p, n, v, 0, now)
		return v
	}
	found := func(via crawl.Via) crawl.Visit {
		band, due := Discovered(via, crawl.KindPage, now)
		return crawl.Visit{Band: band, Due: due}
	}
	for _, c := range []struct {
		name string
		v    crawl.Visit
		want string
	}{
		{"not queued", crawl.Visit{}, "not wanted"},
		{"hop", found(crawl.ViaRedirect), "redirect"},
		{"seed", found(crawl.ViaSeed), "given"},
		{"link", found(crawl.ViaLink), "never crawled"},
		{"F7 retry", next(react.NextRetry, crawl.Visit{Crawls: 3, Failures: 2}), "failed 2 times in a row: asked for again after 30s"},
		{"F6 sink", next(react.NextSink, crawl.Visit{Crawls: 3, Failures: 3}), "answered 4xx 3 times"},
		{"C7 blocked", next(react.NextWait, crawl.Visit{Robots: true}), "disallowed"},
		{"D3 pruned", next(react.NextPruned, crawl.Visit{Pruned: true}), "without end"},
		{"refresh", next(react.NextRefresh, crawl.Visit{Crawls: 1}), "crawled before"},
		{"again", next(react.NextAgain, crawl.Visit{Crawls: 1, Band: BandDiscovery}), "crawled before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Why(p, c.v); !strings.Contains(got, c.want) {
				t.Errorf("%q does not say %q", got, c.want)
			}
		})
	}
}
