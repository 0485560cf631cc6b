package content

import (
	"strings"
	"testing"

	"trawl/internal/crawl"
)

func TestD2ReadSitemap(t *testing.T) {
	r := response(`<urlset><url><loc>http://e.com/1#f</loc><lastmod>2024-05-01</lastmod></url><url><loc>HTTP://E.com/1</loc></url><url><loc>/rel</loc></url><url><loc>mailto:x</loc></url>`+
		`<url><loc>http://o.org/?a&amp;b</loc><xhtml:link rel="alternate" hreflang="de" href="http://e.com/de"/><xhtml:link rel="alternate" hreflang="en" href="http://e.com/1"/></url></urlset>`, "Content-Type: text/html")
	p := ReadSitemap(r)
	if got, want := urls(p), "sitemap http://e.com/1|sitemap http://e.com/rel|sitemap http://o.org/?a&b|alternate http://e.com/de"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if p.Type != crawl.TypeOtherXML || p.Digest == 0 || p.Links[0].LastMod.Day() != 1 || p.Links[0].Kind != crawl.KindPage {
		t.Errorf("%+v", p)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "mailto:x") || !strings.Contains(notes, "/rel") {
		t.Errorf("notes %q", p.Notes)
	}
}

func TestCase29IndexNamesItself(t *testing.T) {
	p := ReadSitemap(response(`<sitemapindex><sitemap><loc>http://e.com/d/p</loc></sitemap><sitemap><loc>http://e.com/s.xml.gz</loc></sitemap></sitemapindex>`))
	if urls(p) != "sitemap http://e.com/s.xml.gz" || p.Links[0].Kind != crawl.KindSitemap {
		t.Errorf("%+v", p.Links)
	}
}

func TestD2SitemapOfNoSuccess(t *testing.T) {
	for _, status := range []int{0, 301, 404, 503} {
		r := response("http://e.com/1")
		r.Status = status
		if p := ReadSitemap(r); len(p.Links) != 0 {
			t.Errorf("%d: %d links", status, len(p.Links))
		}
	}
	if p := ReadSitemap(response("http://e.com/1", "Content-Type: text/plain")); urls(p) != "sitemap http://e.com/1" {
		t.Errorf("200: %s", urls(p))
	}
}
