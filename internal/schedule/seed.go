package schedule

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
)

// Seed returns the outcome that makes seed URLs known to every client of the
// crawl. A client's own schedule stays the platform's (D4).
func (c *Config) Seed(urls []crawl.URL, at time.Time) *crawl.Outcome {
	o := &crawl.Outcome{}
	for _, u := range urls {
		for i := range c.Clients {
			band, due := demand.Discovered(crawl.ViaSeed, crawl.KindPage, at)
			o.Discovered = append(o.Discovered, crawl.Discovery{
				URL: u, Client: c.Clients[i].Profile.ID, Via: crawl.ViaSeed, At: at, Band: band, Due: due,
			})
		}
	}
	return o
}
