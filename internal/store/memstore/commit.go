package memstore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, leases []store.Lease, batch []*crawl.Outcome) (store.Receipt, error) {
	fail := func(err error) (store.Receipt, error) {
		return store.Receipt{}, fmt.Errorf("committing %d outcomes: %w", len(batch), err)
	}
	if err := store.Validate(batch); err != nil {
		return fail(err)
	}
	if err := s.lock(ctx); err != nil {
		return fail(err)
	}
	defer s.mu.Unlock()
	if err := s.checkBatch(leases, batch); err != nil {
		return fail(err)
	}
	// From here on nothing can fail: the batch is applied whole.
	c := commit{s: s, touched: map[crawl.Host]bool{}, news: map[crawl.Host]int{}}
	for _, o := range batch {
		c.apply(o)
	}
	return c.finish(), nil
}

// commit is a batch being applied.
type commit struct {
	s       *Store
	touched map[crawl.Host]bool // due time to be settled
	news    map[crawl.Host]int
	new     int
}

func (c *commit) apply(o *crawl.Outcome) {
	for _, d := range o.Discovered {
		c.discover(d)
	}
	if o.Visit != nil || o.Index != nil || o.Canonical != nil || o.Links != nil {
		c.visit(o)
	}
	for _, x := range o.Claims {
		c.claim(x)
	}
	for _, r := range o.Robots {
		c.s.setRobots(r)
	}
	if o.Host != nil {
		h := c.host(o.Host.Host)
		h.record = copyHost(*o.Host)
	}
	for _, e := range o.Events {
		c.s.count(e)
	}
	if d := o.Document; d != nil {
		shard := crawl.ShardOf(d.URL.Host())
		doc := *d
		doc.Seq = uint64(len(c.s.feeds[shard]) + 1)
		c.s.feeds[shard] = append(c.s.feeds[shard], doc)
	}
}

// host returns a hostname that is about to change.
func (c *commit) host(name crawl.Host) *host {
	c.touched[name] = true
	h := c.s.hosts[name]
	if h == nil {
		h = &host{record: crawl.HostRecord{Host: name}}
		c.s.hosts[name] = h
	}
	return h
}

// create makes an unknown URL known.
func (c *commit) create(r crawl.URLRecord) *crawl.URLRecord {
	c.s.urls[r.URL] = &r
	c.new++
	h := c.host(r.URL.Host())
	h.urls, h.added = append(h.urls, r.URL), true
	return &r
}

func (c *commit) discover(d crawl.Discovery) {
	r := c.s.urls[d.URL]
	if r == nil {
		r = c.create(crawl.URLRecord{URL: d.URL, Discovered: d.At, Via: d.Via, Referrer: d.Referrer, Depth: d.Depth})
	}
	if visitOf(r, d.Client) != nil {
		return
	}
	if !d.Due.IsZero() {
		c.news[d.URL.Host()]++
	}
	c.setVisit(r, crawl.Visit{Client: d.Client, Kind: d.Kind, Band: d.Band, Due: d.Due, Chain: d.Chain})
}

func (c *commit) visit(o *crawl.Outcome) {
	r := c.s.urls[o.URL]
	if r == nil {
		var at time.Time
		switch {
		case o.Visit != nil && !o.Visit.LastCrawl.IsZero():
			at = o.Visit.LastCrawl
		case o.Index != nil:
			at = o.Index.At
		}
		r = c.create(crawl.URLRecord{URL: o.URL, Discovered: at})
	}
	if o.Visit != nil {
		c.setVisit(r, *o.Visit)
	}
	if o.Index != nil {
		r.Index = o.Index.To
		x := *o.Index
		x.URL = o.URL
		c.s.history[o.URL] = addChange(c.s.history[o.URL], x)
	}
	if o.Canonical != nil {
		r.Canonical = *o.Canonical
	}
	if o.Links != nil {
		delete(c.s.links, o.URL)
		if len(o.Links) > 0 {
			c.s.links[o.URL] = slices.Clone(o.Links)
		}
	}
}

// claim applies what a sitemap says of a URL, if it is known.
func (c *commit) claim(x crawl.Claim) {
	r := c.s.urls[x.URL]
	if r == nil {
		return
	}
	if v := visitOf(r, x.Client); v != nil {
		if after, changed := x.Apply(*v); changed {
			c.setVisit(r, after)
		}
	}
}

// setVisit replaces the visit of its client and moves its place in the queue.
func (c *commit) setVisit(r *crawl.URLRecord, v crawl.Visit) {
	v = copyVisit(v)
	h := c.host(r.URL.Host())
	if old := visitOf(r, v.Client); old != nil {
		h.dequeue(entry{old.Band, old.Due, r.URL, v.Client})
		*old = v
	} else {
		r.Visits = append(r.Visits, v)
	}
	h.enqueue(entry{v.Band, v.Due, r.URL, v.Client})
}

func (s *Store) setRobots(r crawl.RobotsRecord) {
	r.Body = bytes.Clone(r.Body)
	name := r.Origin.Host()
	if s.robots[name] == nil {
		s.robots[name] = map[crawl.Origin]crawl.RobotsRecord{}
	}
	s.robots[name][r.Origin] = r
}

func (s *Store) count(e crawl.Event) {
	k := store.StatKey{
		Host: e.Host, Day: store.Day(e.At), Client: e.Client, Type: e.Type, Purpose: e.Purpose,
		Response: e.Response, File: e.File, Kind: e.Kind, Sent: e.Sent,
	}
	cell := s.stats[k]
	cell.StatKey = k
	cell.Count++
	cell.Bytes += e.Bytes
	cell.Millis += e.Duration.Milliseconds()
	s.stats[k] = cell
}

// finish settles the due times of hostnames whose record or queue changed.
func (c *commit) finish() store.Receipt {
	for name := range c.touched {
		h := c.s.hosts[name]
		next := h.nextDue("")
		if next.IsZero() {
			continue
		}
		if nb := h.record.Load.NotBefore; next.Before(nb) {
			next = nb
			if last := time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC); next.After(last) {
				next = last
			}
		}
		if h.record.Due.IsZero() || h.record.Due.After(next) {
			h.record.Due = next
		}
	}
	r := store.Receipt{New: c.new}
	for name, n := range c.news {
		r.News = append(r.News, store.HostNews{Host: name, New: n})
	}
	slices.SortFunc(r.News, func(a, b store.HostNews) int { return cmp.Compare(a.Host, b.Host) })
	return r
}

func visitOf(r *crawl.URLRecord, client crawl.ClientID) *crawl.Visit {
	for i := range r.Visits {
		if r.Visits[i].Client == client {
			return &r.Visits[i]
		}
	}
	return nil
}

// addChange adds x to a history in order of At, unless it is there already,
// and keeps the newest.
func addChange(h []crawl.IndexChange, x crawl.IndexChange) []crawl.IndexChange {
	for _, old := range h {
		if sameChange(old, x) {
			return h
		}
	}
	h = append(slices.Clone(h), x)
	slices.SortStableFunc(h, func(a, b crawl.IndexChange) int { return a.At.Compare(b.At) })
	if len(h) > store.MaxHistory {
		h = h[len(h)-store.MaxHistory:]
	}
	return h
}

func sameChange(a, b crawl.IndexChange) bool {
	return a.At.Equal(b.At) && a.Detail == b.Detail && sameIndex(a.From, b.From) && sameIndex(a.To, b.To)
}

func sameIndex(a, b crawl.Index) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Row == b.Row && a.Since.Equal(b.Since)
}
