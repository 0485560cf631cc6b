package demand

import (
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestH1DiscoveryFirstThenOldest(t *testing.T) {
	hop, _ := Discovered(crawl.ViaRedirect, crawl.KindPage, t0)
	seed, _ := Discovered(crawl.ViaSeed, crawl.KindPage, t0)
	sitemap, _ := Discovered(crawl.ViaSitemap, crawl.KindSitemap, t0)
	link, due := Discovered(crawl.ViaLink, crawl.KindPage, t0)
	refresh, later := Next(DefaultParams(), react.NextRefresh, crawl.Visit{}, 0, t0)
	if !(hop < seed && seed == sitemap && seed < link && link < refresh && refresh < crawl.Bands) {
		t.Errorf("bands: hop %d, seed %d, sitemap %d, link %d, refresh %d", hop, seed, sitemap, link, refresh)
	}
	if !due.Equal(t0) || !later.After(t0) {
		t.Errorf("due %s and %s", due, later)
	}
}

func TestH4ClientErrorsSink(t *testing.T) {
	p := DefaultParams()
	last := time.Duration(0)
	for n := uint32(1); n < 40; n++ {
		band, due := Next(p, react.NextSink, crawl.Visit{Failures: n}, 0, t0)
		d := due.Sub(t0)
		if band != BandSink || d < last || d > p.MaxInterval {
			t.Fatalf("failure %d: band %d, in %s after %s", n, band, d, last)
		}
		if n == 2 && d != 2*p.SinkFirst {
			t.Errorf("second 404: in %s, want less and less often", d)
		}
		last = d
	}
	if last != p.MaxInterval {
		t.Errorf("a URL never leaves the queue; last interval %s", last)
	}
}

func TestF7FailuresAreRetriedSoonThenLess(t *testing.T) {
	p := DefaultParams()
	for n, want := range map[uint32]time.Duration{1: p.RetryFirst, 2: 2 * p.RetryFirst, 5: 16 * p.RetryFirst, 60: p.RetryMax} {
		if _, due := Next(p, react.NextRetry, crawl.Visit{Failures: n}, 0, t0); due.Sub(t0) != want {
			t.Errorf("failure %d: in %s, want %s", n, due.Sub(t0), want)
		}
	}
}

func TestG3MaxAgeIsARecrawlHint(t *testing.T) {
	p := DefaultParams()
	for maxAge, want := range map[time.Duration]time.Duration{
		0: p.Refresh, time.Second: p.MinInterval, 26 * time.Hour: 26 * time.Hour, 9999 * 24 * time.Hour: p.MaxInterval,
	} {
		if _, due := Next(p, react.NextRefresh, crawl.Visit{}, maxAge, t0); due.Sub(t0) != want {
			t.Errorf("max-age %s: in %s, want %s", maxAge, due.Sub(t0), want)
		}
	}
}

func TestC7DisallowedWaits(t *testing.T) {
	band, due := Next(DefaultParams(), react.NextWait, crawl.Visit{}, 0, t0)
	if band != BandSink || due.Sub(t0) != DefaultParams().Blocked {
		t.Errorf("band %d, in %s", band, due.Sub(t0))
	}
}

func TestH4DuplicatesAreCrawledRarely(t *testing.T) {
	p := DefaultParams()
	band, due := Next(p, react.NextDuplicate, crawl.Visit{}, time.Hour, t0)
	if band != BandSink || due.Sub(t0) != 4*p.Refresh {
		t.Errorf("band %d, in %s", band, due.Sub(t0))
	}
	p.Refresh = 60 * 24 * time.Hour
	if _, due := Next(p, react.NextDuplicate, crawl.Visit{}, 0, t0); due.Sub(t0) != p.MaxInterval {
		t.Errorf("in %s, beyond the longest interval", due.Sub(t0))
	}
}

func TestH5Cycle(t *testing.T) {
	p := DefaultParams().For(14 * 24 * time.Hour)
	for _, maxAge := range []time.Duration{0, time.Second, 80 * 24 * time.Hour} {
		if _, due := Next(p, react.NextRefresh, crawl.Visit{}, maxAge, t0); due.Sub(t0) != 14*24*time.Hour {
			t.Errorf("max-age %s: in %s", maxAge, due.Sub(t0))
		}
	}
	if DefaultParams().For(0) != DefaultParams() {
		t.Error("a client without a cycle has other intervals than the defaults")
	}
}

// J4: a page resource is kept for 30 days, whatever its caching headers say.
func TestJ4ResourcesAreKept(t *testing.T) {
	v := crawl.Visit{Kind: crawl.KindResource}
	for _, maxAge := range []time.Duration{0, time.Hour, 80 * 24 * time.Hour} {
		if _, due := Next(DefaultParams(), react.NextRefresh, v, maxAge, t0); due.Sub(t0) != 30*24*time.Hour {
			t.Errorf("max-age %s: in %s", maxAge, due.Sub(t0))
		}
	}
}
