package report

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/lastmod"
)

// SitemapStory is what the sitemaps of a hostname have shown (D2).
type SitemapStory struct {
	LastMod    lastmod.Verdict `json:"lastmod"`
	OutOfScope int64           `json:"out_of_scope"` // URLs of Sitemap that were not taken
	Example    crawl.URL       `json:"example,omitempty"`
	Sitemap    crawl.URL       `json:"sitemap,omitempty"`
	Read       time.Time       `json:"read,omitzero"`
}

func sitemapStory(r crawl.SitemapRecord, now time.Time) SitemapStory {
	return SitemapStory{LastMod: lastmod.Judge(r.Trust, now), OutOfScope: r.OutOfScope, Example: r.Example, Sitemap: r.Sitemap, Read: r.At}
}

func (s *SitemapStory) text(p *printer) {
	if v := &s.LastMod; v.Dates > 0 || v.Checked > 0 {
		p.f("  sitemaps: %s; proved or disproved by %s (D2)\n", v.Reason, Count(int64(v.Checked), "crawl"))
	}
	if s.OutOfScope > 0 {
		p.f("  sitemap %s, read %s: %s out of its scope not taken, such as %s (D2)\n",
			Safe(string(s.Sitemap)), stamp(s.Read), Count(s.OutOfScope, "URL"), Safe(string(s.Example)))
	}
}
