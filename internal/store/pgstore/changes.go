package pgstore

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// changes is one try of a commit: the records it touches as they will be.
type changes struct {
	s       *Store
	batch   []*crawl.Outcome
	hosts   map[crawl.Host]*hostChange
	urls    map[crawl.URL]*urlChange
	robots  map[crawl.Origin]*crawl.RobotsRecord
	stats   map[store.StatKey]*store.Stat
	docs    map[crawl.Shard][]*crawl.Document
	nextDoc map[crawl.Shard]int64
	seen    []uint64
	news    map[crawl.Host]int
	new     int
}

type hostChange struct {
	name      crawl.Host
	shard     crawl.Shard
	wanted    bool  // made if it is not there
	id        int32 // 0 = not there
	created   bool
	due       time.Time
	notBefore time.Time
	parts     []int16
	grown     bool              // parts were added
	replaced  *crawl.HostRecord // by an outcome
	added     time.Time         // earliest new entry of its queue; zero = none
}

type urlChange struct {
	record        crawl.URLRecord
	host          *hostChange
	place         place
	stored        []byte // its record as it was read, nil = unknown
	known         bool
	dirty         bool
	indexed       bool // the batch changes its index state
	old           []queued
	storedHistory []byte
	history       []crawl.IndexChange
	links         []uint32 // nil = unchanged
}

// queued is where a visit stands in the queue of its hostname; Due zero = nowhere.
type queued struct {
	client crawl.ClientID
	band   crawl.Band
	due    time.Time
}

func newChanges(s *Store, batch []*crawl.Outcome) *changes {
	c := &changes{
		s: s, batch: batch, hosts: map[crawl.Host]*hostChange{}, urls: map[crawl.URL]*urlChange{},
		robots: map[crawl.Origin]*crawl.RobotsRecord{}, stats: map[store.StatKey]*store.Stat{},
		docs: map[crawl.Shard][]*crawl.Document{}, nextDoc: map[crawl.Shard]int64{}, news: map[crawl.Host]int{},
	}
	var known []bool
	for _, o := range batch {
		if o.Host != nil {
			c.host(o.Host.Host).wanted = true
		}
		if touchesURL(o) {
			u := c.want(o.URL, true)
			u.indexed = u.indexed || o.Index != nil
		}
		known = s.seen.known(o.Discovered, known[:0])
		for i := range o.Discovered {
			if !known[i] {
				c.want(o.Discovered[i].URL, true)
			}
		}
		for i := range o.Claims {
			c.want(o.Claims[i].URL, false)
		}
	}
	return c
}

func touchesURL(o *crawl.Outcome) bool {
	return o.Visit != nil || o.Index != nil || o.Canonical != nil || o.Links != nil
}

func (c *changes) host(name crawl.Host) *hostChange {
	h := c.hosts[name]
	if h == nil {
		h = &hostChange{name: name, shard: crawl.ShardOf(name)}
		c.hosts[name] = h
	}
	return h
}

// want notes that the record of a URL is needed, and its hostname if the batch
// may make the URL known.
func (c *changes) want(u crawl.URL, makes bool) *urlChange {
	h := c.host(u.Host())
	h.wanted = h.wanted || makes
	x := c.urls[u]
	if x == nil {
		x = &urlChange{record: crawl.URLRecord{URL: u}, place: urlPlace(h.name, u)}
		c.urls[u] = x
	}
	return x
}

// decode reads what load has brought.
func (c *changes) decode(ctx context.Context, conn *pgx.Conn) error {
	for _, u := range c.urls {
		if u.stored == nil {
			continue
		}
		err := c.s.clients.read(ctx, conn, func() (err error) {
			u.record, err = record.URL(u.stored, c.s.clients, u.record.URL)
			return err
		})
		if err != nil {
			return err
		}
		u.known = true
		u.old = make([]queued, len(u.record.Visits))
		for i := range u.record.Visits {
			v := &u.record.Visits[i]
			u.old[i] = queued{v.Client, v.Band, v.Due}
		}
		if u.history, err = record.History(u.storedHistory, u.record.URL); err != nil {
			return err
		}
	}
	return nil
}

// apply puts one outcome into the records.
func (c *changes) apply(o *crawl.Outcome) {
	for i := range o.Discovered {
		c.discover(&o.Discovered[i])
	}
	if touchesURL(o) {
		c.visit(o)
	}
	for i := range o.Claims {
		c.claim(&o.Claims[i])
	}
	for i := range o.Robots {
		c.robots[o.Robots[i].Origin] = &o.Robots[i]
	}
	if o.Host != nil {
		c.hosts[o.Host.Host].replaced = o.Host
	}
	for i := range o.Events {
		c.count(&o.Events[i])
	}
	if d := o.Document; d != nil {
		shard := crawl.ShardOf(d.URL.Host())
		c.docs[shard] = append(c.docs[shard], d)
	}
}

func (c *changes) count(e *crawl.Event) {
	k := store.StatKey{
		Host: e.Host, Day: store.Day(e.At), Client: e.Client, Type: e.Type, Purpose: e.Purpose,
		Response: e.Response, File: e.File, Kind: e.Kind, Sent: e.Sent,
	}
	cell := c.stats[k]
	if cell == nil {
		cell = &store.Stat{StatKey: k}
		c.stats[k] = cell
	}
	cell.Count++
	cell.Bytes += e.Bytes
	cell.Millis += e.Duration.Milliseconds()
}

func (c *changes) discover(d *crawl.Discovery) {
	u := c.urls[d.URL]
	if u == nil {
		return // surely known
	}
	c.seen = append(c.seen, c.s.seen.hash(d.URL, d.Client))
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

// create makes an unknown URL known.
func (c *changes) create(u *urlChange, at time.Time) {
	u.dirty = true
	u.record.Discovered = at
	c.new++
}

// visit applies what an outcome says about its URL.
func (c *changes) visit(o *crawl.Outcome) {
	u := c.urls[o.URL]
	if !u.known && !u.dirty {
		var at time.Time
		switch {
		case o.Visit != nil && !o.Visit.LastCrawl.IsZero():
			at = o.Visit.LastCrawl
		case o.Index != nil:
			at = o.Index.At
		}
		c.create(u, at)
	}
	if o.Visit != nil {
		u.dirty = true
		if v := visitOf(&u.record, o.Visit.Client); v != nil {
			*v = *o.Visit
		} else {
			u.record.Visits = append(u.record.Visits, *o.Visit)
		}
		c.seen = append(c.seen, c.s.seen.hash(o.URL, o.Visit.Client))
	}
	if o.Canonical != nil {
		u.dirty = true
		u.record.Canonical = *o.Canonical
	}
	if o.Links != nil {
		u.links = o.Links
	}
	if o.Index != nil {
		u.dirty = true
		u.record.Index = o.Index.To
		x := *o.Index
		x.URL = o.URL
		u.history = record.AddChange(u.history, x)
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

func visitOf(r *crawl.URLRecord, client crawl.ClientID) *crawl.Visit {
	i := slices.IndexFunc(r.Visits, func(v crawl.Visit) bool { return v.Client == client })
	if i < 0 {
		return nil
	}
	return &r.Visits[i]
}
