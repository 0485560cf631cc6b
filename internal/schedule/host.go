package schedule

import (
	"slices"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/hostload"
	"trawl/internal/protocol"
	"trawl/internal/robots"
	"trawl/internal/weburl"
)

// host is a hostname in memory: the value that its one owner holds.
type host struct {
	name      crawl.Host
	rec       crawl.HostRecord
	params    hostload.Params
	limitEnds time.Time // when the limit that the owner asked for is over; zero = not set
	guest     bool      // of another owner: only contacted on the way of a robots.txt redirect
	ready     bool      // its records are loaded
	origins   map[crawl.Origin]*origin
	queues    []*queue
	shares    map[crawl.ClientID]float64 // capacity used so far, by weight
	urgent    []*Job
	held      map[key]struct{} // in memory or awaiting commit
	proto     protocol.Session
	space     weburl.Space // traps that show in many URLs together (D3)

	feeds    []*feed   // one per client of the crawl
	answered time.Time // last answer
	retried  bool      // the last URL taken had failed before
	queued   int
	inflight int

	at    time.Time // place in the heap
	index int       // -1 = not in the heap
}

// key names one entry of the frontier.
type key struct {
	url    crawl.URL
	client crawl.ClientID
}

// feed is what is known of one client's entries in the store: each client's are
// loaded for themselves, so that none is crowded out of memory by another.
type feed struct {
	client  crawl.ClientID
	queued  int       // entries in memory
	held    int       // entries in memory or awaiting commit
	more    bool      // the store may hold more due entries
	loading bool      // a load is under way
	again   bool      // news came while loading
	wakeAt  time.Time // next due entry in the store
	// released are the entries committed while a load is under way: what it
	// brings may have been read before that commit.
	released map[crawl.URL]struct{}
}

// news says that the store may hold more than was loaded.
func (f *feed) news() {
	f.more = true
	f.again = f.loading
}

func (h *host) feed(c crawl.ClientID) *feed {
	for _, f := range h.feeds {
		if f.client == c {
			return f
		}
	}
	f := &feed{client: c}
	h.feeds = append(h.feeds, f)
	return f
}

// wakeAt is the earliest time at which the store has more for a client.
func (h *host) wakeAt() time.Time {
	var t time.Time
	for _, f := range h.feeds {
		if !f.wakeAt.IsZero() && (t.IsZero() || f.wakeAt.Before(t)) {
			t = f.wakeAt
		}
	}
	return t
}

// queue holds the entries of one client for one origin, best first.
type queue struct {
	client  crawl.ClientID
	origin  crawl.Origin
	entries []crawl.QueueEntry
	waiting bool // for robots.txt of its origin
}

// origin is a scheme, hostname and port with its robots.txt.
type origin struct {
	rec      crawl.RobotsRecord
	rules    *robots.Rules
	matchers map[crawl.ClientID]*robots.Matcher
	fetching bool // robots.txt is being asked for
	asking   bool // the homepage is being asked for
	used     time.Time
}

func newHost(name crawl.Host) *host {
	return &host{
		name: name, index: -1,
		origins: map[crawl.Origin]*origin{},
		shares:  map[crawl.ClientID]float64{},
		held:    map[key]struct{}{},
	}
}

// set replaces the robots.txt record; what was compiled of the old one goes.
func (o *origin) set(rec crawl.RobotsRecord) {
	o.rec, o.rules, o.matchers = rec, nil, nil
}

// matcher returns the compiled rules for a client, compiling them once.
func (o *origin) matcher(p *client.Profile) *robots.Matcher {
	if m := o.matchers[p.ID]; m != nil {
		return m
	}
	if o.rules == nil {
		o.rules = robots.Parse(o.rec.Body)
		o.matchers = map[crawl.ClientID]*robots.Matcher{}
	}
	tokens, ignoreGlobal, _ := p.RobotsAgent()
	m := o.rules.For(robots.Agent{Tokens: tokens, IgnoreGlobal: ignoreGlobal})
	o.matchers[p.ID] = m
	return m
}

// origin returns the state of an origin of the hostname, new if unknown. When
// there are too many, the one longest unused is forgotten: its robots.txt is
// asked for again when it is needed.
func (h *host) origin(name crawl.Origin, now time.Time) *origin {
	o := h.origins[name]
	if o == nil {
		if len(h.origins) >= MaxOrigins {
			h.forgetOrigin()
		}
		o = &origin{rec: crawl.RobotsRecord{Origin: name}}
		h.origins[name] = o
	}
	o.used = now
	return o
}

func (h *host) forgetOrigin() {
	var oldest crawl.Origin
	for name, o := range h.origins {
		if o.fetching || o.asking {
			continue
		}
		if old := h.origins[oldest]; old == nil || o.used.Before(old.used) || o.used.Equal(old.used) && name < oldest {
			oldest = name
		}
	}
	delete(h.origins, oldest)
}

// push adds an entry in order of band, due time, URL; false if it is held
// already.
func (h *host) push(e crawl.QueueEntry) bool {
	k := key{e.URL, e.Visit.Client}
	if _, dup := h.held[k]; dup {
		return false
	}
	h.held[k] = struct{}{}
	f := h.feed(e.Visit.Client)
	f.queued++
	f.held++
	q := h.queue(e.Visit.Client, e.URL.Origin())
	q.entries = append(q.entries, e)
	// Entries arrive nearly sorted, so that this loop is short.
	for i := len(q.entries) - 1; i > 0 && before(&q.entries[i], &q.entries[i-1]); i-- {
		q.entries[i], q.entries[i-1] = q.entries[i-1], q.entries[i]
	}
	h.queued++
	return true
}

func before(a, b *crawl.QueueEntry) bool {
	if a.Visit.Band != b.Visit.Band {
		return a.Visit.Band < b.Visit.Band
	}
	if !a.Visit.Due.Equal(b.Visit.Due) {
		return a.Visit.Due.Before(b.Visit.Due)
	}
	return a.URL < b.URL
}

func (h *host) queue(c crawl.ClientID, o crawl.Origin) *queue {
	for _, q := range h.queues {
		if q.client == c && q.origin == o {
			return q
		}
	}
	q := &queue{client: c, origin: o}
	h.queues = append(h.queues, q)
	return q
}

// pick returns the queue to be served next: of the client that used least of
// the capacity for its weight (E5), the best entry. nil = all wait.
func (h *host) pick() *queue {
	var best *queue
	for _, q := range h.queues {
		if q.waiting || len(q.entries) == 0 {
			continue
		}
		switch {
		case best == nil:
			best = q
		case q.client != best.client:
			if a, b := h.shares[q.client], h.shares[best.client]; a < b || a == b && q.client < best.client {
				best = q
			}
		case before(&q.entries[0], &best.entries[0]):
			best = q
		}
	}
	return best
}

// pop takes the first entry of q; it stays held.
func (h *host) pop(q *queue) crawl.QueueEntry {
	e := q.entries[0]
	q.entries = q.entries[1:]
	h.queued--
	h.feed(q.client).queued--
	if len(q.entries) == 0 {
		h.forget(q)
	}
	return e
}

// failed reports whether a URL failed the last time, by its hostname's fault as
// far as one can tell: 429, 5xx, or on the network (F7, F8).
func failed(v *crawl.Visit) bool {
	return v.Failures > 0 && (v.Failure != crawl.FailNone || v.Status == 429 || v.Status >= 500)
}

// turn lets another entry go first when it is its turn. URLs that failed lately
// rank before those that are only to be crawled again; but of two requests in a
// row at most one goes to such a URL while others wait, or where the hostname
// bears little a few that fail would be all that it is asked for.
func (h *host) turn(q *queue) {
	if !h.retried || !failed(&q.entries[0].Visit) {
		return
	}
	j := slices.IndexFunc(q.entries, func(e crawl.QueueEntry) bool { return !failed(&e.Visit) })
	if j > 0 {
		e := q.entries[j]
		copy(q.entries[1:j+1], q.entries[:j])
		q.entries[0] = e
	}
}

// forget drops an empty queue.
func (h *host) forget(q *queue) {
	for i := range h.queues {
		if h.queues[i] == q {
			h.queues = append(h.queues[:i], h.queues[i+1:]...)
			return
		}
	}
}

// share charges a client with used capacity. A client that had no work for a
// while starts at the level of the others: idleness is not saved up.
func (h *host) share(c *Client, cost float64) {
	w := c.Weight
	if w <= 0 {
		w = 1
	}
	id := c.Profile.ID
	least, any := 0.0, false
	for _, q := range h.queues {
		if q.client != id {
			if v := h.shares[q.client]; !any || v < least {
				least, any = v, true
			}
		}
	}
	if any && h.shares[id] < least-1 {
		h.shares[id] = least - 1
	}
	h.shares[id] += cost / w
}

// wake lets the queues of an origin be served again.
func (h *host) wake(o crawl.Origin) {
	for _, q := range h.queues {
		if q.origin == o {
			q.waiting = false
		}
	}
}

// release says that an entry's outcome is durable: the store may hold it again.
func (h *host) release(k key) {
	if _, ok := h.held[k]; !ok {
		return
	}
	delete(h.held, k)
	f := h.feed(k.client)
	f.held--
	if f.loading {
		if f.released == nil {
			f.released = map[crawl.URL]struct{}{}
		}
		f.released[k.url] = struct{}{}
		f.again = true
	}
	if f.queued == 0 && !f.more {
		f.news()
	}
}

// resting reports that all that is in memory of the hostname is in the store as
// well: nothing is under way, being loaded or awaiting commit. Its robots.txt or
// homepage may be under way at another hostname, where it redirects to.
func (h *host) resting(now time.Time) bool {
	if now.Sub(h.answered) < storedAfter {
		return false
	}
	for _, o := range h.origins {
		if o.fetching || o.asking {
			return false
		}
	}
	for _, f := range h.feeds {
		if f.loading {
			return false
		}
	}
	return h.inflight == 0 && len(h.urgent) == 0 && len(h.held) == h.queued
}

// idle reports that nothing of the hostname is in memory, under way or wanted
// before t.
func (h *host) idle(t time.Time) bool {
	if !h.ready || h.queued > 0 || len(h.urgent) > 0 || h.inflight > 0 || len(h.held) > 0 {
		return false
	}
	for _, f := range h.feeds {
		if f.more || f.loading || !f.wakeAt.IsZero() && !f.wakeAt.After(t) {
			return false
		}
	}
	return true
}
