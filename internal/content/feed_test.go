package content

import (
	"slices"
	"strings"
	"testing"

	"trawl/internal/crawl"
)

// TestD1Feeds: a feed that a page links to is read for its entries.
func TestD1Feeds(t *testing.T) {
	const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><link>http://e.com/</link><item><title>1</title><link>http://e.com/1?a=1&amp;b=2</link></item><item><link>/2</link></item><item><link>mailto:x</link></item></channel></rss>`
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/><entry><link href="http://e.com/1"/></entry><entry><link rel="alternate" href="/2"/></entry></feed>`
	for name, tt := range map[string]struct {
		body, contentType string
		want              []crawl.URL
	}{
		"RSS":               {rss, "application/rss+xml", []crawl.URL{"http://e.com/1?a=1&b=2", "http://e.com/2"}},
		"RSS sent as XML":   {rss, "text/xml; charset=utf-8", []crawl.URL{"http://e.com/1?a=1&b=2", "http://e.com/2"}},
		"Atom":              {atom, "application/atom+xml", []crawl.URL{"http://e.com/1", "http://e.com/2"}},
		"XML that is none":  {"<doc><link>http://e.com/1</link></doc>", "text/xml", nil},
		"damaged":           {rss[:strings.Index(rss, "<item><link>/2")+9], "application/rss+xml", []crawl.URL{"http://e.com/1?a=1&b=2"}},
		"called a feed":     {"not XML at all", "application/rss+xml", nil},
		"JSON feed":         {`{"items":[{"url":"http://e.com/1"}]}`, "application/feed+json", nil},
		"a sitemap as page": {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://e.com/1</loc></url></urlset>`, "text/xml", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := Read(response(tt.body, "Content-Type: "+tt.contentType), Options{})
			var got []crawl.URL
			for _, l := range p.Links {
				got = append(got, l.URL)
				if l.Via != crawl.ViaLink || l.Kind != crawl.KindPage {
					t.Errorf("%+v", l)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q; notes %q", got, tt.want, p.Notes)
			}
		})
	}
	p := Read(response(rss, "Content-Type: application/rss+xml", "X-Robots-Tag: noindex"), Options{})
	if !p.Directives.Noindex || p.Charset == "" {
		t.Errorf("%+v, %q", p.Directives, p.Charset)
	}
}
