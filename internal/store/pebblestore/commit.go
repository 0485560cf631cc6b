package pebblestore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, leases []store.Lease, batch []*crawl.Outcome) (store.Receipt, error) {
	fail := func(err error) (store.Receipt, error) {
		return store.Receipt{}, fmt.Errorf("committing %d outcomes: %w", len(batch), err)
	}
	if err := store.Validate(batch); err != nil {
		return fail(err)
	}
	var receipt store.Receipt
	err := s.write(ctx, func(b *pebble.Batch) (func(), error) {
		if err := s.checkLeases(leases, batch); err != nil {
			return nil, err
		}
		c, err := s.newChanges()
		if err != nil {
			return nil, err
		}
		done, err := c.run(ctx, b, batch)
		if err2 := c.it.Close(); err == nil {
			err = err2
		}
		receipt = c.receipt()
		return done, err
	})
	if err != nil {
		return fail(err)
	}
	return receipt, nil
}

func (s *Store) checkLeases(leases []store.Lease, batch []*crawl.Outcome) error {
	now := s.now()
	held := make(map[crawl.Shard]bool, len(leases))
	for _, l := range leases {
		if err := s.stale(l, now); err != nil {
			return err
		}
		held[l.Shard] = true
	}
	need := func(h crawl.Host) error {
		if shard := crawl.ShardOf(h); !held[shard] {
			return fmt.Errorf("host %s, shard %d: %w", h, shard, store.ErrNotLeased)
		}
		return nil
	}
	for _, o := range batch {
		if o.Host != nil {
			if err := need(o.Host.Host); err != nil {
				return err
			}
		}
		for i := range o.Robots {
			if err := need(o.Robots[i].Origin.Host()); err != nil {
				return err
			}
		}
		if o.URL != "" {
			if err := need(o.URL.Host()); err != nil {
				return err
			}
		}
		if o.Document != nil {
			if err := need(o.Document.URL.Host()); err != nil {
				return err
			}
		}
		for i := range o.Claims {
			if err := need(o.Claims[i].URL.Host()); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes is a commit in the making: the records it touches as they will be.
type changes struct {
	s       *Store
	it      *pebble.Iterator
	key     []byte // scratch
	urls    map[crawl.URL]*urlChange
	hosts   map[crawl.Host]*hostChange
	robots  map[crawl.Origin]*crawl.RobotsRecord
	history map[crawl.URL][]crawl.IndexChange
	links   map[crawl.URL][]uint32
	stats   map[store.StatKey]sums
	docs    []crawl.Document
	known   []uint64 // hashes for the seen table
	news    map[crawl.Host]int
	new     int
}

type urlChange struct {
	record crawl.URLRecord
	known  bool // was in the store
	dirty  bool
	old    []place // places of its visits in the queue before
}

// place is where a visit stands in the queue of its host; Due zero = nowhere.
type place struct {
	client crawl.ClientID
	band   crawl.Band
	due    time.Time
}

type hostChange struct {
	record   crawl.HostRecord
	known    bool      // was in the store
	replaced bool      // by an outcome
	added    time.Time // earliest new entry of its queue; zero = none
}

func (s *Store) newChanges() (*changes, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	return &changes{
		s: s, it: it,
		urls: map[crawl.URL]*urlChange{}, hosts: map[crawl.Host]*hostChange{}, robots: map[crawl.Origin]*crawl.RobotsRecord{},
		history: map[crawl.URL][]crawl.IndexChange{}, links: map[crawl.URL][]uint32{}, stats: map[store.StatKey]sums{},
		news: map[crawl.Host]int{},
	}, nil
}

func (c *changes) run(ctx context.Context, b *pebble.Batch, batch []*crawl.Outcome) (func(), error) {
	if err := c.loadURLs(batch); err != nil {
		return nil, err
	}
	for _, o := range batch {
		if err := c.apply(o); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.writeTo(b)
}

func (c *changes) receipt() store.Receipt {
	r := store.Receipt{New: c.new}
	for h, n := range c.news {
		r.News = append(r.News, store.HostNews{Host: h, New: n})
	}
	slices.SortFunc(r.News, func(a, b store.HostNews) int { return cmp.Compare(a.Host, b.Host) })
	return r
}

// get reads one key; nil = not there. The value is valid until the next get.
func (c *changes) get(key []byte) ([]byte, error) {
	if c.it.SeekPrefixGE(key) {
		return c.it.ValueAndErr()
	}
	return nil, c.it.Error()
}

func touchesURL(o *crawl.Outcome) bool {
	return o.Visit != nil || o.Index != nil || o.Canonical != nil || o.Links != nil
}

// loadURLs reads the records that the batch may change, in the order of keys.
// Discoveries of pairs that are surely known need none.
func (c *changes) loadURLs(batch []*crawl.Outcome) error {
	type lookup struct {
		key []byte
		u   *urlChange
	}
	var lookups []lookup
	want := func(u crawl.URL) {
		if c.urls[u] != nil {
			return
		}
		start := len(c.key)
		c.key = appendURLKey(c.key, spaceURL, u)
		ch := &urlChange{record: crawl.URLRecord{URL: u}}
		c.urls[u] = ch
		lookups = append(lookups, lookup{c.key[start:len(c.key):len(c.key)], ch})
	}
	for _, o := range batch {
		if touchesURL(o) {
			want(o.URL)
		}
		for i := range o.Discovered {
			d := &o.Discovered[i]
			if !c.s.seen.has(c.s.seen.hash(d.URL, d.Client)) {
				want(d.URL)
			}
		}
		for i := range o.Claims {
			want(o.Claims[i].URL)
		}
	}
	slices.SortFunc(lookups, func(a, b lookup) int { return slices.Compare(a.key, b.key) })
	for _, l := range lookups {
		v, err := c.get(l.key)
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		u := l.u
		if u.record, err = record.URL(v, c.s.dict, u.record.URL); err != nil {
			return err
		}
		u.known = true
		u.old = make([]place, len(u.record.Visits))
		for i := range u.record.Visits {
			v := &u.record.Visits[i]
			u.old[i] = place{v.Client, v.Band, v.Due}
		}
	}
	return nil
}

// apply puts one outcome into the records.
func (c *changes) apply(o *crawl.Outcome) error {
	for i := range o.Discovered {
		c.discover(&o.Discovered[i])
	}
	if touchesURL(o) {
		if err := c.visit(o); err != nil {
			return err
		}
	}
	for i := range o.Claims {
		c.claim(&o.Claims[i])
	}
	for i := range o.Robots {
		c.robots[o.Robots[i].Origin] = &o.Robots[i]
	}
	if o.Host != nil {
		h := c.host(o.Host.Host)
		h.record, h.replaced = *o.Host, true
	}
	for i := range o.Events {
		e := &o.Events[i]
		k := store.StatKey{
			Host: e.Host, Day: store.Day(e.At), Client: e.Client, Type: e.Type, Purpose: e.Purpose,
			Response: e.Response, File: e.File, Kind: e.Kind, Sent: e.Sent,
		}
		s := c.stats[k]
		c.stats[k] = sums{s.count + 1, s.bytes + e.Bytes, s.millis + e.Duration.Milliseconds()}
	}
	if o.Document != nil {
		c.docs = append(c.docs, *o.Document)
	}
	return nil
}

func (c *changes) discover(d *crawl.Discovery) {
	h := c.s.seen.hash(d.URL, d.Client)
	u := c.urls[d.URL]
	if u == nil {
		return // surely known
	}
	c.known = append(c.known, h)
	if visitOf(&u.record, d.Client) != nil {
		return
	}
	if !u.known && !u.dirty {
		c.create(u, d.At)
		u.record.Via, u.record.Referrer, u.record.Depth = d.Via, d.Referrer, d.Depth
	}
	u.dirty = true
	u.record.Visits = append(u.record.Visits, crawl.Visit{Client: d.Client, Kind: d.Kind, Band: d.Band, Due: d.Due, Chain: d.Chain})
	if !d.Due.IsZero() {
		c.news[d.URL.Host()]++
	}
}

// claim applies what a sitemap says of a URL, if it is known.
func (c *changes) claim(x *crawl.Claim) {
	u := c.urls[x.URL]
	if v := visitOf(&u.record, x.Client); v != nil {
		if after, changed := x.Apply(*v); changed {
			*v, u.dirty = after, true
		}
	}
}

// create makes an unknown URL known.
func (c *changes) create(u *urlChange, at time.Time) {
	u.dirty = true
	u.record.Discovered = at
	c.new++
	c.host(u.record.URL.Host())
}

// visit applies what an outcome says about its URL.
func (c *changes) visit(o *crawl.Outcome) error {
	u := c.urls[o.URL]
	if !u.known && !u.dirty {
		switch {
		case o.Visit != nil && !o.Visit.LastCrawl.IsZero():
			c.create(u, o.Visit.LastCrawl)
		case o.Index != nil:
			c.create(u, o.Index.At)
		default:
			c.create(u, time.Time{})
		}
	}
	if o.Visit != nil {
		u.dirty = true
		if v := visitOf(&u.record, o.Visit.Client); v != nil {
			*v = *o.Visit
		} else {
			u.record.Visits = append(u.record.Visits, *o.Visit)
		}
		c.known = append(c.known, c.s.seen.hash(o.URL, o.Visit.Client))
	}
	if o.Canonical != nil {
		u.dirty = true
		u.record.Canonical = *o.Canonical
	}
	if o.Links != nil {
		c.links[o.URL] = o.Links
	}
	if o.Index != nil {
		u.dirty = true
		u.record.Index = o.Index.To
		return c.remember(o.URL, *o.Index)
	}
	return nil
}

// remember adds a change to the history of u.
func (c *changes) remember(u crawl.URL, x crawl.IndexChange) error {
	h, ok := c.history[u]
	if !ok {
		c.key = appendURLKey(c.key[:0], spaceHistory, u)
		v, err := c.get(c.key)
		if err != nil {
			return err
		}
		if h, err = record.History(v, u); err != nil {
			return err
		}
	}
	x.URL = u
	c.history[u] = record.AddChange(h, x)
	return nil
}

func visitOf(r *crawl.URLRecord, client crawl.ClientID) *crawl.Visit {
	for i := range r.Visits {
		if r.Visits[i].Client == client {
			return &r.Visits[i]
		}
	}
	return nil
}

// host returns the change of a host, which is loaded later if need be.
func (c *changes) host(name crawl.Host) *hostChange {
	h := c.hosts[name]
	if h == nil {
		h = &hostChange{record: crawl.HostRecord{Host: name}}
		c.hosts[name] = h
	}
	return h
}
