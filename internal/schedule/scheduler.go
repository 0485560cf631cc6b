package schedule

import (
	"container/heap"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/egress"
	"trawl/internal/hostload"
	"trawl/internal/owner"
	"trawl/internal/protocol"
)

// Scheduler is the state machine. Make one with New.
type Scheduler struct {
	cfg    Config
	hosts  map[crawl.Host]*host
	wishes owner.Book
	heap   hostHeap
	toLoad []crawl.Host // hostnames whose records are wanted
	jobs   uint64       // issued
	pages  int64        // of them, pages and sitemaps

	inflight  int
	queued    int  // URLs in memory
	exhausted bool // MaxPages reached
	crowded   bool // hostnames were left in the store for want of room
}

// New returns a scheduler without hostnames. The config must have a client, a
// Capacity and a Rand.
func New(cfg Config) *Scheduler {
	cfg.Scope.prepare()
	return &Scheduler{cfg: cfg, hosts: map[crawl.Host]*host{}}
}

// Config returns the configuration, for Digest in other goroutines.
func (s *Scheduler) Config() *Config { return &s.cfg }

// Counts describes the scheduler for progress reports.
type Counts struct {
	Hosts     int   // in memory
	InFlight  int   // jobs issued and not done
	Queued    int   // URLs in memory
	Pages     int64 // page requests issued so far
	Exhausted bool  // MaxPages was reached
	Crowded   bool  // more hostnames have work than fit into memory
}

// Counts returns the present figures.
func (s *Scheduler) Counts() Counts {
	return Counts{Hosts: len(s.hosts), InFlight: s.inflight, Queued: s.queued, Pages: s.pages, Exhausted: s.exhausted, Crowded: s.crowded}
}

// Uncrowd forgets that hostnames were left in the store; a driver calls it
// before it looks there for more.
func (s *Scheduler) Uncrowd() { s.crowded = false }

// Knows reports whether the hostname is in memory.
func (s *Scheduler) Knows(name crawl.Host) bool { return s.hosts[name] != nil }

// AddHost hands in the records of a hostname of this owner's shards; a zero
// record is a hostname never seen before.
func (s *Scheduler) AddHost(now time.Time, rec crawl.HostRecord, robots []crawl.RobotsRecord) {
	h := s.hosts[rec.Host]
	if h == nil {
		if !s.room(now) {
			return
		}
		h = newHost(rec.Host)
		s.hosts[rec.Host] = h
	}
	if h.ready {
		return
	}
	rec.Protocol = protocol.Begin(s.cfg.protocol(), rec.Protocol)
	rec.Egress = s.cfg.beginEgress(rec, now)
	h.rec, h.ready = rec, true
	s.bound(h, now)
	if rec.Load.Limit == 0 {
		h.rec.Load = hostload.Start(h.params, now)
	}
	for i := range s.cfg.Clients {
		h.feed(s.cfg.Clients[i].Profile.ID).more = true
	}
	for _, r := range robots {
		if len(h.origins) < MaxOrigins {
			h.origin(r.Origin, now).set(r)
		}
	}
	s.schedule(h, now)
}

// AddGuest makes a hostname of another owner known: it is contacted only where
// a robots.txt redirect leads to it, at a capacity of its own that is not kept.
func (s *Scheduler) AddGuest(now time.Time, name crawl.Host) {
	h := s.hosts[name]
	if h == nil || h.ready {
		return
	}
	h.rec = crawl.HostRecord{Host: name}
	h.rec.Egress = s.cfg.beginEgress(h.rec, now)
	s.bound(h, now)
	h.rec.Load = hostload.Start(h.params, now)
	h.ready, h.guest = true, true
	s.schedule(h, now)
}

// room makes room for one more hostname: if there is none, hostnames that have
// to wait for long go, whose entries are still in the store. Robots.txt redirects
// bring hostnames without asking for room, so that more than one may have to.
// false: there is none, and the new one has to wait in the store.
func (s *Scheduler) room(now time.Time) bool {
	for len(s.hosts) >= s.cfg.hostRoom() {
		var last *host
		for _, h := range s.heap {
			if h.at.After(now.Add(keepWarm)) && h.resting(now) && (last == nil || h.at.After(last.at)) {
				last = h
			}
		}
		if last == nil {
			s.crowded = true
			return false
		}
		s.queued -= last.queued
		s.drop(last)
	}
	return true
}

// want asks for the records of a hostname that is not in memory.
func (s *Scheduler) want(name crawl.Host) *host {
	if h := s.hosts[name]; h != nil {
		return h
	}
	h := newHost(name)
	s.hosts[name] = h
	s.toLoad = append(s.toLoad, name)
	return h
}

// AddURLs answers a StepLoadURLs: entries are due, in the store's order; next is
// the earliest due time in the client's queue when there were fewer than asked for.
func (s *Scheduler) AddURLs(now time.Time, step Step, entries []crawl.QueueEntry, next time.Time) {
	h := s.hosts[step.Host]
	if h == nil {
		return
	}
	f := h.feed(step.Client)
	window, full := s.window(h), false
	for _, e := range entries {
		// Of the entries that were held when it was asked for, some were
		// committed since and did not come again.
		if full = f.queued >= window; full {
			break
		}
		if _, stale := f.released[e.URL]; !stale && h.push(e) {
			s.queued++
		}
	}
	f.more = full || len(entries) >= step.Limit || f.again
	f.loading, f.again, f.released = false, false, nil
	f.wakeAt = next
	if !f.more && f.held > 0 && !next.After(now) {
		// What is due next is in memory; its commit will tell.
		f.wakeAt = time.Time{}
	}
	s.schedule(h, now)
}

// Next returns what to do now. It never returns two jobs for the same URL and
// client unless the first one's outcome was committed.
func (s *Scheduler) Next(now time.Time) Step {
	if n := len(s.toLoad); n > 0 {
		name := s.toLoad[n-1]
		s.toLoad = s.toLoad[:n-1]
		return Step{Kind: StepLoadHost, Host: name}
	}
	if s.cfg.MaxPages > 0 && s.pages >= s.cfg.MaxPages {
		s.exhausted = true
		return Step{Kind: StepWait}
	}
	for len(s.heap) > 0 {
		h := s.heap[0]
		if h.at.After(now) {
			return Step{Kind: StepWait, Until: h.at}
		}
		if step, ok := s.step(h, now); ok {
			return step
		}
	}
	return Step{Kind: StepWait}
}

// step serves one hostname. false: it has nothing now, and its place in the
// heap has changed.
func (s *Scheduler) step(h *host, now time.Time) (Step, bool) {
	if !h.limitEnds.IsZero() && !now.Before(h.limitEnds) {
		s.bound(h, now)
	}
	if paused, until := s.paused(h, now); paused {
		s.sleep(h, until) // its work stays in the store
		return Step{}, false
	}
	if step, ok := s.refill(h, now); ok {
		return step, true
	}
	if h.queued == 0 && len(h.urgent) == 0 {
		if h.idle(now.Add(keepWarm)) {
			s.drop(h)
			return Step{}, false
		}
		s.sleep(h, h.wakeAt())
		return Step{}, false
	}
	v := hostload.Admit(h.params, h.rec.Load, h.inflight, now)
	if !v.OK {
		if v.Capacity {
			h.rec.Load.WindowUsed = true
		}
		s.sleep(h, v.At)
		return Step{}, false
	}
	if n := len(h.urgent); n > 0 {
		job := h.urgent[0]
		h.urgent = h.urgent[1:]
		return s.issue(h, job, now), true
	}
	q := h.pick()
	if q == nil {
		s.sleep(h, h.wakeAt()) // robots.txt under way; its Done wakes the hostname
		return Step{}, false
	}
	return s.serve(h, q, now)
}

// refill asks for more entries of a client that has few in memory.
func (s *Scheduler) refill(h *host, now time.Time) (Step, bool) {
	if h.guest {
		return Step{}, false
	}
	window := s.window(h)
	for _, f := range h.feeds {
		if !f.loading && f.queued > 2*window {
			s.trim(h, f, window)
		}
		if !f.wakeAt.IsZero() && !f.wakeAt.After(now) {
			f.more, f.wakeAt = true, time.Time{}
		}
		if f.more && !f.loading && f.queued < max(1, window/4) {
			f.loading, f.more = true, false
			// What is held is still in the store's queue, so it comes again.
			return Step{Kind: StepLoadURLs, Host: h.name, Client: f.client, Limit: f.held + window - f.queued}, true
		}
	}
	return Step{}, false
}

// issue sends a job off.
func (s *Scheduler) issue(h *host, job *Job, now time.Time) Step {
	s.jobs++
	job.ID, job.Host, job.Issued = s.jobs, h.name, now
	job.Request.Protocol = protocol.For(h.rec.Protocol, job.URL.Scheme())
	job.Request.Egress = egress.For(s.cfg.egress(h.name), h.rec.Egress, job.URL.Scheme())
	h.rec.Load, job.reserved = hostload.Reserve(h.params, h.rec.Load, now)
	h.inflight++
	s.inflight++
	if job.Origin == "" {
		s.pages++
	}
	return Step{Kind: StepFetch, Job: job}
}

// Committed says that outcomes are durable, and what the store reported of
// hostnames with new entries. Hostnames that are not in memory are asked for.
func (s *Scheduler) Committed(now time.Time, outcomes []*crawl.Outcome, news []crawl.Host) {
	for _, o := range outcomes {
		if o.URL == "" || o.Visit == nil {
			continue
		}
		if h := s.hosts[o.URL.Host()]; h != nil {
			h.release(key{o.URL, o.Visit.Client})
			if len(o.Claims) > 0 {
				h.feed(o.Visit.Client).news()
			}
			s.schedule(h, now)
		}
	}
	for _, name := range news {
		h := s.hosts[name]
		if h == nil {
			if s.room(now) {
				s.want(name)
			}
			continue
		}
		for _, f := range h.feeds {
			f.news()
		}
		s.schedule(h, now)
	}
}

// drop forgets a hostname that has nothing to do; its record is in the store.
func (s *Scheduler) drop(h *host) {
	s.remove(h)
	delete(s.hosts, h.name)
}

// The heap of hostnames by the time of their next step.

// schedule puts h into the heap for now.
func (s *Scheduler) schedule(h *host, now time.Time) {
	if h.ready {
		s.place(h, now)
	}
}

// sleep moves h to t, or out of the heap for a zero t.
func (s *Scheduler) sleep(h *host, t time.Time) {
	if t.IsZero() {
		s.remove(h)
		return
	}
	s.place(h, t)
}

func (s *Scheduler) place(h *host, t time.Time) {
	h.at = t
	if h.index < 0 {
		heap.Push(&s.heap, h)
		return
	}
	heap.Fix(&s.heap, h.index)
}

func (s *Scheduler) remove(h *host) {
	if h.index >= 0 {
		heap.Remove(&s.heap, h.index)
	}
}

type hostHeap []*host

func (q hostHeap) Len() int { return len(q) }
func (q hostHeap) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].name < q[j].name
}

func (q hostHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *hostHeap) Push(x any) {
	h := x.(*host)
	h.index = len(*q)
	*q = append(*q, h)
}

func (q *hostHeap) Pop() any {
	old := *q
	h := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	h.index = -1
	return h
}
