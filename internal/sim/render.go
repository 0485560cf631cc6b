package sim

import (
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/schedule"
)

// What stands around the scheduler and hands URLs to it: a renderer that needs
// page resources, and clients whose demand begins later.
//
// The renderer is a model of the next processing system (J1, J3, J4): each page
// of the primary client that came with 200 is rendered at once, and what it
// needs is submitted to the platform as page resources, each URL once. Package
// demand has them asked for again when the copy is too old.

// render submits the assets of a page.
func (d *driver) render(job *schedule.Job, res *crawl.Result) {
	s := d.web.sites[job.Host]
	if s == nil || s.cfg.Assets.Count == 0 || job.Kind != crawl.KindPage || job.Client != d.primary || job.Origin != "" || res.Status != 200 || res.Failure != nil {
		return
	}
	page := s.locate(job.URL.PathQuery())
	if page < 0 {
		return
	}
	band, due := demand.Discovered(crawl.ViaSubmit, crawl.KindResource, d.now)
	o := &crawl.Outcome{}
	s.assetsOf(page, d.now.Sub(d.sc.Start), func(u crawl.URL) {
		k := seenKey{d.primary, u}
		if _, ok := d.seen[k]; ok {
			return
		}
		d.seen[k] = struct{}{}
		o.Discovered = append(o.Discovered, crawl.Discovery{
			URL: u, Client: d.primary, Kind: crawl.KindResource, Via: crawl.ViaSubmit, Referrer: job.URL, Depth: job.Entry.Depth + 1, At: d.now, Band: band, Due: due,
		})
	})
	if len(o.Discovered) > 0 {
		d.push(o)
	}
}

// early leaves out of the seeds what is for clients that come later.
func (d *driver) early(o *crawl.Outcome) *crawl.Outcome {
	o.Discovered = slices.DeleteFunc(o.Discovered, func(x crawl.Discovery) bool {
		for _, c := range d.sc.Clients {
			if c.ID == x.Client && c.From > 0 {
				return true
			}
		}
		return false
	})
	return o
}

// plan notes when the demand of clients begins.
func (d *driver) plan() {
	for i, c := range d.sc.Clients {
		if c.From > 0 || c.Landing > 0 {
			d.events.push(event{at: d.sc.Start.Add(c.From), kind: eventSubmit, client: i})
		}
	}
}

// submitted is how many URLs are submitted together.
const submitted = 1000

// submit hands in the homepages and landing pages of a client (D4).
func (d *driver) submit(client int) {
	c := &d.sc.Clients[client]
	band, due := demand.Discovered(crawl.ViaSubmit, crawl.KindPage, d.now)
	o := &crawl.Outcome{}
	for _, s := range d.web.list {
		if s.cfg.Empty || s.cfg.Hidden {
			continue
		}
		for page := range s.pages {
			if page > 0 && unit(mix(mix(s.seed, uint64(page)), 0xad)) >= c.Landing {
				continue
			}
			u := crawl.URL("https://" + string(s.name) + string(s.appendPath(nil, page)))
			d.seen[seenKey{c.ID, u}] = struct{}{}
			o.Discovered = append(o.Discovered, crawl.Discovery{URL: u, Client: c.ID, Via: crawl.ViaSubmit, At: d.now, Band: band, Due: due})
			if len(o.Discovered) >= submitted {
				d.push(o)
				o = &crawl.Outcome{}
			}
		}
	}
	if len(o.Discovered) > 0 {
		d.push(o)
	}
}

// offset is where in the time of a refresh a known page stands, 0 to 1.
func (s *site) offset(page int) float64 { return unit(mix(mix(s.seed, uint64(page)), 0x0ff5e7)) }

// since is the time of a part of a duration.
func since(d time.Duration, part float64) time.Duration { return time.Duration(float64(d) * part) }
