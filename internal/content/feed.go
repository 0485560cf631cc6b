package content

import (
	"bytes"
	"fmt"

	"trawl/internal/content/charset"
	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
)

// isFeed reports whether a page that was read is an RSS or Atom feed: by its
// type, or, as many are sent as plain XML, by its root element.
func isFeed(p *crawl.Page, body []byte) bool {
	switch {
	case p.Type == crawl.TypeSyndication:
		return p.MediaType != "application/feed+json"
	case p.MediaType != "application/xml" && p.MediaType != "text/xml":
		return false
	}
	const head = 1 << 10 // bytes in which the root element starts (house choice)
	b := body[:min(len(body), head)]
	return bytes.Contains(b, []byte("<rss")) || bytes.Contains(b, []byte("<feed")) || bytes.Contains(b, []byte("<rdf:RDF"))
}

// feed reads the entries of a feed that was found as a page (D1). They are
// links like those of a page: what a feed says of their dates is for feeds that
// the owner submits as sitemaps (D2), because only there its host answers for it.
func (r *reader) feed() {
	p := r.page
	e, _ := charset.Detect(r.res.Body, r.contentType, charset.XMLDeclared(r.res.Body))
	p.Charset = e.Name
	s := sitemap.Parse(r.res.Body, sitemap.Options{ContentType: r.contentType})
	if s.Format != sitemap.FormatRSS && s.Format != sitemap.FormatAtom {
		return
	}
	r.links.grow(len(s.Entries))
	for _, e := range s.Entries {
		u, err := r.base.Resolve([]byte(e.Loc))
		if err != nil {
			r.note(fmt.Sprintf("Line %d of the feed: %.100q is no URL that is crawled.", e.Line, e.Loc))
			continue
		}
		r.links.add(u, crawl.ViaLink, false)
	}
	if s.Truncated {
		p.Bounded = append(p.Bounded, "The feed has more entries than are read.")
	}
}
