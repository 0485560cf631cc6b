package sim

import (
	"context"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/react"
)

// know puts into the store what was crawled before the start: the capacity of
// hostnames, and pages with their index states, due again spread over the time
// of a refresh.
func (d *driver) know(ctx context.Context) error {
	var batch []*crawl.Outcome
	flush := func() error {
		_, err := d.st.Commit(ctx, d.leases, batch)
		batch = batch[:0]
		if err != nil {
			return fmt.Errorf("simulating: %w", err)
		}
		return nil
	}
	for _, s := range d.web.list {
		if rec, ok := d.learned(s); ok {
			o := &crawl.Outcome{Host: &rec}
			d.rec.outcome(o)
			batch = append(batch, o)
		}
		for page := range s.pages {
			for i := range d.sc.Clients {
				if o := d.visited(s, page, &d.sc.Clients[i]); o != nil {
					d.rec.outcome(o)
					batch = append(batch, o)
				}
			}
			if len(batch) >= maxBatch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return d.sleepAll(ctx)
}

// learned is the record of a hostname whose capacity is known.
func (d *driver) learned(s *site) (crawl.HostRecord, bool) {
	if s.cfg.Capacity == 0 {
		return crawl.HostRecord{}, false
	}
	p := d.params[s.name]
	l := hostload.Start(p, d.now)
	l.Limit = min(max(s.cfg.Capacity, p.Floor), p.Ceiling)
	l.Cause = "learned before the start"
	return crawl.HostRecord{Host: s.name, Load: l}, true
}

// sleepAll has hostnames with known pages looked at when they are due.
func (d *driver) sleepAll(ctx context.Context) error {
	for _, s := range d.web.list {
		if s.remembered() {
			if err := d.sleeps(ctx, s.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// remembered reports whether pages of the site are known.
func (s *site) remembered() bool {
	for i := range s.classes {
		if s.classes[i].Known {
			return true
		}
	}
	return false
}

// visited is the state of a page after earlier crawls, nil if there were none.
func (d *driver) visited(s *site, page int, c *Client) *crawl.Outcome {
	p := s.class(page)
	if p == nil && !s.remembered() || p != nil && !p.Known || c.From > 0 {
		return nil
	}
	u := crawl.URL("https://" + string(s.name) + string(s.appendPath(nil, page)))
	d.seen[seenKey{c.ID, u}] = struct{}{}
	row, facts, every := d.past(s, p)
	part := s.offset(page)
	v := crawl.Visit{
		Client: c.ID, Kind: crawl.KindPage, LastCrawl: d.now.Add(-since(every, 1-part)), Status: facts.Status, Response: row.Response,
		Type: crawl.TypeHTML, Crawls: 1, Robots: row.Index == react.EffectBlocked,
	}
	if p != nil && row.Index == react.EffectPass {
		if p.ETag {
			v.ETag = etag(page, 0, 0)
		}
		if p.LastModified {
			v.LastModified = d.now.Format("Mon, 02 Jan 2006 15:04:05 GMT")
		}
	}
	if row.Next == react.NextSink {
		v.Failures, v.FailingSince, v.Type = 1, v.LastCrawl, crawl.TypeUnknown
	}
	v.Band, _ = demand.Next(d.demand, row.Next, v, 0, v.LastCrawl)
	v.Due = d.now.Add(since(every, part))
	o := &crawl.Outcome{URL: u, Visit: &v}
	if c.ID == d.primary {
		to, detail := react.Index(react.DefaultParams(), row, crawl.Index{}, facts, v.LastCrawl)
		o.Index = &crawl.IndexChange{URL: u, At: v.LastCrawl, To: to, Detail: detail}
		if d.check != nil {
			d.check.url(u).index = to
		}
	}
	return o
}

// past is what a page of a class answered before the start, and after which time
// it is due again.
func (d *driver) past(s *site, p *class) (react.Row, react.Facts, time.Duration) {
	facts := react.Facts{Status: 200, Page: &crawl.Page{}}
	if p == nil {
		return react.Lookup(&crawl.Result{Status: 200}), facts, d.demand.Refresh
	}
	if p.Disallow {
		return react.RobotsBlocked(), react.Facts{}, d.demand.Blocked
	}
	if p.Status != 0 && p.Status != 200 {
		facts.Status, facts.Page, facts.Target = p.Status, nil, home(string(s.name))
	} else {
		facts.Page.Directives.Noindex = p.Noindex
		if p.Soft404 {
			facts.Page.Missing = "an error message"
		}
	}
	row := react.Lookup(&crawl.Result{Status: facts.Status})
	every := d.demand.Refresh
	if row.Next == react.NextSink {
		every = max(d.demand.SinkFirst, every)
	}
	return row, facts, every
}
