// Package demand decides what is worth (re)crawling when: the band and the due
// time of a URL in its hostname's queue, for one crawler client.
//
// First version: discovery first, then oldest. A known page is due again after
// an interval; failures are retried soon and then less and less often; 4xx sink;
// what robots.txt disallows waits. Later versions learn change rates and weigh
// popularity behind the same two functions.
//
// It does not decide whether there is capacity for what is wanted (hostload),
// nor what a response means (react).
//
// Invariants: a URL never leaves the queue for good (C7, F6); due times are
// bounded by MaxInterval; no clock is read.
//
// Sources: behaviours H1 to H5, F6, F7, C7, G3, D4. All values are house choices.
package demand

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

// The bands of a hostname's queue, best first (house choice).
const (
	BandHop       crawl.Band = iota // targets of redirects: a chain is walked while it is fresh
	BandSubmitted                   // seeds, submitted URLs, sitemaps
	BandDiscovery                   // never crawled
	BandRetry                       // failed lately
	BandRefresh                     // crawled before
	BandSink                        // 4xx and disallowed
)

// Params are the intervals.
type Params struct {
	Refresh     time.Duration // a page whose change rate is not known
	MinInterval time.Duration // max-age may shorten Refresh down to this (G3)
	MaxInterval time.Duration // and lengthen it up to this
	RetryFirst  time.Duration // after the first failure; doubles
	RetryMax    time.Duration
	Sitemap     time.Duration // until a sitemap is read again, if that is sooner than Refresh (D2)
	SinkFirst   time.Duration // after the first 4xx; doubles (F6)
	Blocked     time.Duration // until robots.txt is looked at again (C7)
	Duplicate   float64       // times the usual interval, for a URL that only repeats what another gives (F11)
	Missing     float64       // times the usual interval, for a soft 404 (F10)
	MoveFrom    int           // known URLs of a hostname that began to redirect permanently: a site move (H3)
	MoveWindow  time.Duration // within which they did
	MoveFor     time.Duration // for which the hostname then counts as moving
	MoveFaster  float64       // so many times as often its pages are asked for meanwhile
	Soon        time.Duration // at most until a page is asked for again; 0 = as usual: see [Params.InMove]
	Cycle       time.Duration // of the client; 0 = none (H5): see [Params.For]
	Resource    time.Duration // for which a page resource is kept, whatever its caching headers say (J4)
}

// DefaultParams returns the house choices.
func DefaultParams() Params {
	const day = 24 * time.Hour
	return Params{
		Refresh: 7 * day, MinInterval: time.Hour, MaxInterval: 90 * day,
		RetryFirst: 30 * time.Second, RetryMax: day, Sitemap: day,
		SinkFirst: day, Blocked: day, Duplicate: 4, Missing: 1.5, Resource: 30 * day,
		MoveFrom: 10, MoveWindow: 7 * day, MoveFor: 30 * day, MoveFaster: 4,
	}
}

// For returns p for a client that asks for each URL about once in a cycle,
// whatever the URL is like (H5); a cycle of 0 is none.
func (p Params) For(cycle time.Duration) Params {
	if cycle > 0 {
		p.Refresh, p.MinInterval, p.MaxInterval = cycle, cycle, max(cycle, p.MaxInterval)
		p.Cycle = cycle
	}
	return p
}

// Discovered returns the place in the queue of a URL just discovered.
func Discovered(via crawl.Via, kind crawl.Kind, at time.Time) (crawl.Band, time.Time) {
	switch {
	case via == crawl.ViaRedirect:
		return BandHop, at
	case via == crawl.ViaSeed, via == crawl.ViaSubmit, kind == crawl.KindSitemap:
		return BandSubmitted, at
	}
	return BandDiscovery, at
}

// Next returns the place in the queue of a URL just visited. v is its new
// state but for Band and Due; maxAge is the response's (0 = none).
func Next(p Params, next react.Next, v crawl.Visit, maxAge time.Duration, now time.Time) (crawl.Band, time.Time) {
	switch next {
	case react.NextRetry:
		return BandRetry, now.Add(double(p.RetryFirst, v.Failures, p.RetryMax))
	case react.NextSink:
		return BandSink, now.Add(double(p.SinkFirst, v.Failures, p.MaxInterval))
	case react.NextWait:
		return BandSink, now.Add(p.Blocked)
	case react.NextAgain:
		return v.Band, now.Add(p.RetryFirst)
	case react.NextPruned:
		return BandSink, now.Add(p.MaxInterval)
	case react.NextDuplicate:
		return BandSink, now.Add(min(time.Duration(float64(p.Refresh)*max(p.Duplicate, 1)), p.MaxInterval))
	case react.NextMissing:
		return BandRefresh, now.Add(min(time.Duration(float64(p.Refresh)*max(p.Missing, 1)), p.MaxInterval))
	case react.NextRefresh:
	}
	if v.Kind == crawl.KindResource {
		return BandRefresh, now.Add(p.Resource)
	}
	d := p.Refresh
	if v.Kind == crawl.KindSitemap && p.Cycle == 0 && p.Sitemap > 0 {
		d = min(d, p.Sitemap)
	}
	if maxAge > 0 && p.Cycle == 0 {
		d = min(max(maxAge, p.MinInterval), p.MaxInterval)
	}
	if p.Soon > 0 && p.Cycle == 0 {
		d = min(d, p.Soon)
	}
	return BandRefresh, now.Add(d)
}

// unchangedFor is how many intervals a page waits at most because its lastmod
// stands still (house choice): a sitemap that stopped telling is found out by then.
const unchangedFor = 4

// Claimed gives a sitemap's claim its places in the queue, as far as the lastmod
// of its host is believed (D2): a page that is newer than its last crawl is due at
// once, one that is not waits another interval from when the sitemap said so.
func Claimed(p Params, c crawl.Claim, newer, unchanged bool) crawl.Claim {
	if newer {
		c.Band, c.Sooner = BandRefresh, c.At
	}
	if unchanged {
		c.Later, c.LaterAge = c.At.Add(p.Refresh), min(unchangedFor*p.Refresh, p.MaxInterval)
	}
	return c
}

// double returns first × 2^(n-1), at most limit.
func double(first time.Duration, n uint32, limit time.Duration) time.Duration {
	d := first
	for i := uint32(1); i < n && d < limit; i++ {
		d *= 2
	}
	return min(d, limit)
}
