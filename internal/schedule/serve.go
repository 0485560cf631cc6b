package schedule

import (
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/react"
	"trawl/internal/robots"
)

// serve takes the best entry of q through robots.txt: it becomes a job, or an
// outcome without a request, or waits for robots.txt.
func (s *Scheduler) serve(h *host, q *queue, now time.Time) (Step, bool) {
	c := s.cfg.client(q.client)
	h.turn(q)
	if o := s.pruned(h, q, now); o != nil {
		return Step{Kind: StepCommit, Outcome: o}, true
	}
	if c.Profile.Robots == client.RobotsIgnore {
		return s.fetchEntry(h, c, s.pop(h, q), now), true
	}
	o := h.origin(q.origin, now)
	st := robots.Ladder(s.cfg.Robots, o.rec, now)
	if !st.FetchAt.After(now) && !o.fetching {
		o.fetching = true
		job := s.robotsJob(q.origin, q.origin.URL("/robots.txt"), nil, c)
		job.repeat = o.rec.Attempts > 0
		if o.rec.FetchedAt.IsZero() {
			job.Purpose = crawl.PurposeDiscovery
		}
		return s.issue(h, job, now), true
	}
	if st.AskHomepage && !o.asking {
		o.asking = true
		job := s.robotsJob(q.origin, q.origin.URL("/"), nil, c)
		job.Kind, job.Homepage = crawl.KindPage, true
		return s.issue(h, job, now), true
	}
	switch st.Access {
	case robots.AccessAll:
		return s.fetchEntry(h, c, s.pop(h, q), now), true
	case robots.AccessRules:
		if v := o.matcher(&c.Profile).Check(q.entries[0].URL.PathQuery()); !v.Allowed {
			return Step{Kind: StepCommit, Outcome: s.blocked(h, c, s.pop(h, q), now)}, true
		}
		return s.fetchEntry(h, c, s.pop(h, q), now), true
	case robots.AccessNone:
		if f := o.rec.Failure; f == crawl.FailBlockedAddress || f == crawl.FailBlockedPort {
			return Step{Kind: StepCommit, Outcome: s.refused(h, s.pop(h, q), f, now)}, true
		}
		return Step{Kind: StepCommit, Outcome: s.abandoned(h, c, s.pop(h, q), st, now)}, true
	case robots.AccessUnknown:
	}
	if o.fetching {
		q.waiting = true
		return Step{}, false
	}
	// Not known, not being asked for, and not due: the ladder says when.
	s.sleep(h, st.FetchAt)
	return Step{}, false
}

func (s *Scheduler) pop(h *host, q *queue) crawl.QueueEntry {
	s.queued--
	return h.pop(q)
}

// pruned takes the first entry of q out, if it is a discovery that lies in a
// trap together with those that were taken before (D3); nil if it does not. What
// the operator gave, and what a redirect led to, is taken as it is.
func (s *Scheduler) pruned(h *host, q *queue, now time.Time) *crawl.Outcome {
	e := &q.entries[0]
	if e.Visit.Crawls > 0 || e.Via == crawl.ViaSeed || e.Via == crawl.ViaSubmit || e.Via == crawl.ViaRedirect {
		return nil
	}
	pattern, reason, trapped := h.space.Observe(e.URL)
	if !trapped {
		return nil
	}
	v := e.Visit
	v.Pruned = true
	v.Band, v.Due = demand.Next(s.cfg.Demand, react.Trapped().Next, v, 0, now)
	o := &crawl.Outcome{URL: e.URL, Visit: &v}
	s.traps(o, h, []crawl.Trap{{Pattern: pattern, Reason: reason, Example: e.URL, Count: 1, Since: now}})
	s.pop(h, q)
	return o
}

// fetchEntry makes the job of an admitted entry.
func (s *Scheduler) fetchEntry(h *host, c *Client, e crawl.QueueEntry, now time.Time) Step {
	job := &Job{
		Kind: e.Visit.Kind, URL: e.URL, Client: c.Profile.ID, Entry: e, Chain: e.Visit.Chain,
		Purpose: purpose(&e.Visit),
	}
	job.Request = c.Profile.Request(e.URL, s.cfg.Identity, job.Purpose, &e.Visit, s.cfg.Rand())
	job.Request.Timeouts = s.cfg.Timeouts
	job.repeat = failed(&e.Visit)
	h.retried = job.repeat
	job.Watch = e.Visit.Crawls == 0 && h.space.Watches(e.URL)
	if job.Kind == crawl.KindSitemap {
		job.Request.Limits = SitemapLimits()
	}
	step := s.issue(h, job, now)
	h.share(c, job.reserved)
	return step
}

// robotsJob makes the job that asks for the robots.txt of an origin at u, which
// is not of that origin after a redirect. It carries no validators (C1).
func (s *Scheduler) robotsJob(o crawl.Origin, u crawl.URL, chain []crawl.URL, c *Client) *Job {
	req := c.Profile.Request(u, s.cfg.Identity, crawl.PurposeDiscovery, nil, 0)
	req.Timeouts = s.cfg.Timeouts
	req.Limits = RobotsLimits()
	return &Job{Kind: crawl.KindRobots, URL: u, Client: c.Profile.ID, Origin: o, Chain: chain, Purpose: crawl.PurposeRefresh, Request: req}
}

// robotsHeaderRoom is added to the size limit of robots.txt, because fetch
// limits count the response header and the documented limit does not.
const robotsHeaderRoom = 256 << 10

func purpose(v *crawl.Visit) crawl.Purpose {
	if v.Crawls == 0 {
		return crawl.PurposeDiscovery
	}
	return crawl.PurposeRefresh
}

// blocked is the outcome of an entry that robots.txt disallows: it stays known
// and is looked at again when the rules may have changed (C7).
func (s *Scheduler) blocked(h *host, c *Client, e crawl.QueueEntry, now time.Time) *crawl.Outcome {
	row := react.RobotsBlocked()
	v := e.Visit
	v.Robots, v.Response, v.Chain = true, row.Response, nil
	v.Band, v.Due = demand.Next(s.cfg.Demand, row.Next, v, 0, now)
	o := &crawl.Outcome{Host: s.record(h), URL: e.URL, Visit: &v}
	s.index(o, e, row, react.Facts{Unavailable: v.Unavailable}, now)
	o.Events = []crawl.Event{s.event(c, &e, row.Response, crawl.TypeUnknown, now)}
	return o
}

// refused is the outcome of an entry whose origin we do not contact at all
// (B11): that is no answer of the host, and nothing of C6.
func (s *Scheduler) refused(h *host, e crawl.QueueEntry, f crawl.FailureClass, now time.Time) *crawl.Outcome {
	row := react.Lookup(&crawl.Result{Failure: &crawl.Failure{Class: f}})
	v := e.Visit
	v.Failure, v.Response, v.Chain = f, row.Response, nil
	v.Band, v.Due = demand.Next(s.cfg.Demand, row.Next, v, 0, now)
	return &crawl.Outcome{Host: s.record(h), URL: e.URL, Visit: &v}
}

// abandoned counts a request that would have been made, and is not, because
// robots.txt is not available (C6). It is charged, so that no more are counted
// than would have been made.
func (s *Scheduler) abandoned(h *host, c *Client, e crawl.QueueEntry, st robots.State, now time.Time) *crawl.Outcome {
	row := react.RobotsUnavailable()
	h.rec.Load, _ = hostload.Reserve(h.params, h.rec.Load, now)
	v := e.Visit
	v.Response = row.Response
	v.Due = now.Add(abandonedPause)
	if st.FetchAt.After(v.Due) {
		v.Due = st.FetchAt
	}
	return &crawl.Outcome{
		Host: s.record(h), URL: e.URL, Visit: &v,
		Events: []crawl.Event{s.event(c, &e, row.Response, crawl.TypeUnknown, now)},
	}
}

// event is the crawl-stats row of a request that was not sent.
func (s *Scheduler) event(c *Client, e *crawl.QueueEntry, r crawl.Response, f crawl.FileType, now time.Time) crawl.Event {
	return crawl.Event{
		At: now, Host: e.URL.Host(), URL: e.URL, Client: c.Profile.ID, Type: c.Profile.Type,
		Purpose: purpose(&e.Visit), Response: r, File: f, Kind: e.Visit.Kind,
	}
}

// index lets the primary client's answer act on the index state.
func (s *Scheduler) index(o *crawl.Outcome, e crawl.QueueEntry, row react.Row, f react.Facts, now time.Time) {
	if e.Visit.Client != s.cfg.primary() || e.Visit.Kind != crawl.KindPage {
		return
	}
	to, detail := react.Index(s.cfg.React, row, e.Index, f, now)
	if to != e.Index {
		o.Index = &crawl.IndexChange{URL: e.URL, At: now, From: e.Index, To: to, Detail: detail}
	}
}

// record is a copy of the hostname's record to be committed; nil for a guest.
func (s *Scheduler) record(h *host) *crawl.HostRecord {
	if h.guest {
		return nil
	}
	rec := h.rec
	rec.Host = h.name
	rec.Due = time.Time{} // the store lowers it to the earliest entry of the queue
	rec.Traps = append([]crawl.Trap(nil), h.rec.Traps...)
	return &rec
}

// RobotsLimits returns the byte limits of a request for robots.txt: its size
// limit (C2) with room for the response header, which fetch limits count.
func RobotsLimits() crawl.ByteLimits {
	return crawl.ByteLimits{Default: robots.MaxBytes + robotsHeaderRoom}
}
