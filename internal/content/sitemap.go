package content

import (
	"fmt"

	"github.com/zeebo/xxh3"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

// ReadSitemap reads a response that is wanted as a sitemap (D2). Its entries
// become links with ViaSitemap and their lastmod; those of an index are of
// KindSitemap. Language versions become links with ViaAlternate, after the
// entries. Relative URLs are resolved against the sitemap, though the protocol
// has none; the sitemap's own URL is left out, so an index cannot name itself
// (case 29). The owner's report comes from [sitemap.Parse]; what is wrong is in
// Notes in short.
//
// Like Read, it reads nothing of answers that are no success. An X-Robots-Tag
// says something about the sitemap's own place in an index and nothing about
// its entries, and is not read.
func ReadSitemap(res *crawl.Result) *crawl.Page {
	p := &crawl.Page{Base: res.URL}
	switch {
	case res.Status == 0:
		return p
	case res.Status >= 300:
		p.Type = crawl.TypeOther
		return p
	}
	named, value := declared(res.Header)
	p.MediaType = mediaTypeOf(named, res.Body, res.URL)
	p.Type = typeOf(p.MediaType)
	if len(res.Body) > 0 {
		p.Digest = xxh3.Hash(res.Body)
	}
	s := sitemap.Parse(res.Body, sitemap.Options{ContentType: value})
	switch s.Format {
	case sitemap.FormatRSS, sitemap.FormatAtom:
		p.Type = crawl.TypeSyndication
	case sitemap.FormatURLSet, sitemap.FormatIndex:
		p.Type = crawl.TypeOtherXML
	}
	for i := range s.Entries {
		if e := &s.Entries[i]; e.Dated {
			p.Dates++
			if e.LastMod.IsZero() {
				p.BadDates++
			}
		}
	}
	p.Links = sitemapLinks(res.URL, s, func(sentence string) {
		if len(p.Notes) < maxNotes {
			p.Notes = append(p.Notes, sentence)
		}
	})
	if s.Truncated && len(s.Issues) > 0 {
		p.Bounded = append(p.Bounded, s.Issues[0].Text)
	}
	return p
}

func sitemapLinks(self crawl.URL, s *sitemap.Sitemap, note func(string)) []crawl.Link {
	for _, i := range s.Issues {
		note(i.String())
	}
	var set linkSet
	set.init(self, 2*sitemap.MaxEntries)
	set.grow(len(s.Entries))
	base := weburl.NewBase(self)
	kind := crawl.KindPage
	if s.Index {
		kind = crawl.KindSitemap
	}
	for _, e := range s.Entries {
		u, err := base.Resolve([]byte(e.Loc))
		if err != nil {
			note(fmt.Sprintf("Line %d: %.100q is no URL that is crawled.", e.Line, e.Loc))
			continue
		}
		if l := set.add(u, crawl.ViaSitemap, false); l != nil {
			l.Kind = kind
			if l.LastMod.IsZero() {
				l.LastMod = e.LastMod
			}
		}
	}
	for _, e := range s.Alternates {
		if u, err := base.Resolve([]byte(e.Loc)); err == nil {
			set.add(u, crawl.ViaAlternate, false)
		}
	}
	return set.links
}
