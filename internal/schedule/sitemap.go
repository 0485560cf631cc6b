package schedule

import (
	"fmt"
	"slices"
	"time"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/lastmod"
	"trawl/internal/react"
)

// Sitemaps (D2). A crawl knows sitemaps from robots.txt, through indexes and
// redirects, so that the host of a sitemap's referrer is always the one whose
// robots.txt led to it: where the sitemap itself is of another host, what it
// leads to keeps the robots.txt as its referrer.

// maxSitemapDepth bounds how deep sitemap indexes may nest (house choice).
const maxSitemapDepth = 3

// SitemapFindings are what a sitemap says beside the URLs that it makes known.
type SitemapFindings struct {
	Claims     []crawl.Claim // without a place in the queue
	Dates      int           // entries with a lastmod
	BadDates   int           // of them, in the future or no date
	OutOfScope int64         // URLs that the sitemap may not speak for
	Example    crawl.URL     // one of them
}

// sponsor is the hostname whose robots.txt led to a sitemap.
func sponsor(job *Job) crawl.Host { return job.Entry.Referrer.Host() }

// referrerOf is what the URLs that a response leads to are said to come from.
func referrerOf(job *Job) crawl.URL {
	if by := sponsor(job); job.Kind == crawl.KindSitemap && by != "" && by != job.URL.Host() {
		return job.Entry.Referrer
	}
	return job.URL
}

// sitemapLinks selects what a sitemap makes known: URLs in its scope and in that
// of the crawl. Language versions are links like any other (D1).
func (c *Config) sitemapLinks(f *Findings, job *Job, skip func(crawl.URL) bool, at time.Time) {
	lf := linkFilter{cfg: c, job: job, same: map[crawl.Host]bool{job.URL.Host(): true}, follow: true}
	scope := sitemap.Scope{Sitemap: job.URL}
	if by := sponsor(job); by != "" {
		scope.Named = []crawl.Host{by}
	}
	m := &SitemapFindings{Dates: f.Page.Dates, BadDates: f.Page.BadDates}
	f.Sitemap = m
	f.Links = make([]uint32, 0, len(f.Page.Links))
	depth, deep := job.Entry.Depth+1, 0
	for i := range f.Page.Links {
		l := &f.Page.Links[i]
		if l.Via == crawl.ViaSitemap && scope.Check(l.URL) != sitemap.InScope {
			if m.OutOfScope++; m.OutOfScope == 1 {
				m.Example = l.URL
			}
			continue
		}
		if l.Kind == crawl.KindSitemap && depth > maxSitemapDepth {
			deep++
			continue
		}
		if !lf.sameSite(l.URL.Host()) || l.Kind == crawl.KindPage && c.Scope.Check(l.URL, depth) != InScope {
			continue
		}
		u, ok := lf.untrap(f, l.URL, at)
		if !ok {
			continue
		}
		f.Links = append(f.Links, crawl.LinkHash(u))
		m.claim(job, l, u, at)
		if skip != nil && skip(u) {
			continue
		}
		band, due := demand.Discovered(l.Via, l.Kind, at)
		f.Discovered = append(f.Discovered, crawl.Discovery{
			URL: u, Client: job.Client, Kind: l.Kind, Via: l.Via, Referrer: sitemapReferrer(job, l), Depth: depth, At: at, Band: band, Due: due,
		})
	}
	if deep > 0 {
		f.Page.Bounded = append(f.Page.Bounded, fmt.Sprintf("%d sitemaps were not read: indexes are followed %d levels deep.", deep, maxSitemapDepth))
	}
	slices.Sort(f.Links)
	f.Links = slices.Compact(f.Links)
}

// sitemapReferrer: only sitemaps hand on who named them.
func sitemapReferrer(job *Job, l *crawl.Link) crawl.URL {
	if l.Kind == crawl.KindSitemap {
		return referrerOf(job)
	}
	return job.URL
}

// claim notes the lastmod of a page of the sitemap's own hostname. Those of other
// hostnames belong to other owners, who do not hear of it.
func (m *SitemapFindings) claim(job *Job, l *crawl.Link, u crawl.URL, at time.Time) {
	if l.LastMod.IsZero() || l.Kind != crawl.KindPage || l.Via != crawl.ViaSitemap {
		return
	}
	if !lastmod.Plausible(l.LastMod, at) {
		m.BadDates++
		return
	}
	if u.Host() == job.URL.Host() {
		m.Claims = append(m.Claims, crawl.Claim{URL: u, Client: job.Client, LastMod: l.LastMod, At: at})
	}
}

// sitemapDone lets a sitemap act on the queue, as far as its host's lastmod is
// believed, and on that belief.
func (s *Scheduler) sitemapDone(o *crawl.Outcome, h *host, job *Job, f *Findings, now time.Time) {
	m := f.Sitemap
	if m == nil || h.guest {
		return
	}
	rec := &h.rec.Sitemaps
	rec.Trust = lastmod.Dates(rec.Trust, m.Dates, m.BadDates, now)
	if m.OutOfScope > 0 || rec.Sitemap == job.URL {
		rec.OutOfScope, rec.Example, rec.Sitemap, rec.At = m.OutOfScope, m.Example, job.URL, now
	}
	v := lastmod.Judge(rec.Trust, now)
	for i := range m.Claims {
		m.Claims[i] = demand.Claimed(s.cfg.Demand, m.Claims[i], v.Newer, v.Unchanged)
	}
	o.Claims = m.Claims
	o.Host = s.record(h)
}

// proveLastMod learns from a crawl whether the sitemap had been right. was is the
// visit as it was before.
func (s *Scheduler) proveLastMod(o *crawl.Outcome, h *host, was *crawl.Visit, f *Findings, now time.Time) {
	if h.guest || was.Digest == 0 || was.Failures > 0 || was.LastMod.IsZero() {
		return
	}
	changed := f.Row.Index == react.EffectPass && f.Page != nil && f.Page.Digest != 0 && f.Page.Digest != was.Digest
	if !changed && !f.Unchanged {
		return
	}
	trust, ok := lastmod.Observe(h.rec.Sitemaps.Trust, lastmod.Crawl{
		LastMod: was.LastMod, Read: was.LastModAt, Before: was.LastCrawl, Now: now, Changed: changed, Crawls: was.Crawls, Changes: was.Changes,
	})
	if ok {
		h.rec.Sitemaps.Trust = trust
		o.Host = s.record(h)
	}
}

// SitemapLimits returns the byte limits of a request for a sitemap: its size limit
// (D2) and a byte more, so that one that is too large is seen to be, with room for
// the response header, which fetch limits count.
func SitemapLimits() crawl.ByteLimits {
	return crawl.ByteLimits{Default: sitemap.MaxBytes + 1 + robotsHeaderRoom}
}
