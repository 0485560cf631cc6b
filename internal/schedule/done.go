package schedule

import (
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/protocol"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/weburl"
)

// Done settles a finished job and returns what is to be committed; nil when
// nothing durable changed.
func (s *Scheduler) Done(now time.Time, job *Job, f *Findings) *crawl.Outcome {
	s.inflight--
	h := s.hosts[job.Host]
	h.inflight--
	h.answered = now
	h.rec.Load = hostload.Settle(h.params, h.rec.Load, observation(job, f, s.cfg.Rand()), now)
	h.rec.Protocol, h.proto = protocol.Observe(s.cfg.protocol(), h.rec.Protocol, h.proto, job.Request.Protocol, f.Result)
	h.rec.Egress = s.cfg.observeEgress(h.rec, job, f.Result, now)
	c := s.cfg.client(job.Client)
	if job.Origin == "" && f.Result.Timings.Total > 0 {
		h.share(c, f.Result.Timings.Total.Seconds()-job.reserved)
	}
	s.schedule(h, now)
	o := &crawl.Outcome{Host: s.record(h)}
	switch {
	case job.Homepage:
		s.doneHomepage(o, job, f, now)
	case job.Kind == crawl.KindRobots:
		s.doneRobots(o, job, c, f, now)
	default:
		s.donePage(o, h, job, f, now)
	}
	if f.Result.Failure == nil || f.Result.Failure.Class != crawl.FailCanceled {
		o.Events = append(o.Events, requestEvent(c, job, f, now))
	}
	return o
}

func observation(job *Job, f *Findings, jitter float64) hostload.Observation {
	res := f.Result
	detail := res.Reason
	if res.Failure != nil {
		detail = res.Failure.Class.String()
	} else if res.Status > 0 {
		detail = strconv.Itoa(res.Status)
	}
	return hostload.Observation{
		Reserved: job.reserved, Duration: res.Timings.Total, Wait: res.Timings.Wait,
		Effect: f.Row.Rate, RetryAfter: f.RetryAfter, Jitter: jitter, Detail: detail,
		TooMany: res.Failure == nil && res.Status == 429, Repeat: job.repeat,
	}
}

// requestEvent is the crawl-stats row of a request that was sent (I2).
func requestEvent(c *Client, job *Job, f *Findings, now time.Time) crawl.Event {
	kind := c.Profile.Type
	if job.Kind == crawl.KindResource {
		kind = crawl.ClientResource // whoever renders the page, a media file too (I5)
	}
	return crawl.Event{
		At: now, Host: job.Host, URL: job.URL, Client: job.Client, Type: kind, Purpose: job.Purpose,
		Response: f.Row.Response, File: f.File, Status: f.Result.Status, Bytes: f.Result.HeaderBytes + f.Result.WireBytes,
		Duration: f.Result.Timings.Total, Kind: job.Kind, Sent: true,
	}
}

// doneHomepage notes whether the homepage answers (C4).
func (s *Scheduler) doneHomepage(o *crawl.Outcome, job *Job, f *Findings, now time.Time) {
	h := s.hosts[job.Origin.Host()]
	if h == nil {
		return
	}
	org := h.origin(job.Origin, now)
	org.asking = false
	ok := f.Result.Failure == nil && f.Result.Status >= 200 && f.Result.Status < 400
	org.set(robots.Homepage(org.rec, ok, now))
	o.Robots = append(o.Robots, org.rec)
	h.wake(job.Origin)
	s.schedule(h, now)
}

// doneRobots takes an answer for robots.txt, or sends the next hop of a
// redirect to the hostname it leads to (C1).
func (s *Scheduler) doneRobots(o *crawl.Outcome, job *Job, c *Client, f *Findings, now time.Time) {
	if f.Target != "" && f.RedirectErr == "" {
		next := s.robotsJob(job.Origin, f.Target, append(append([]crawl.URL(nil), job.Chain...), job.URL), c)
		t := s.want(f.Target.Host())
		t.urgent = append(t.urgent, next)
		s.schedule(t, now)
		return
	}
	h := s.hosts[job.Origin.Host()]
	if h == nil {
		return
	}
	org := h.origin(job.Origin, now)
	org.fetching = false
	org.set(robots.Update(s.cfg.Robots, org.rec, f.Answer, now))
	if !h.guest {
		o.Robots = append(o.Robots, org.rec)
		o.Discovered = s.sitemaps(org, job, now)
	}
	h.wake(job.Origin)
	s.schedule(h, now)
}

// sitemaps are the discoveries of the Sitemap lines (C8), for the primary client.
func (s *Scheduler) sitemaps(org *origin, job *Job, now time.Time) []crawl.Discovery {
	if !org.rec.HasGood || !org.rec.GoodAt.Equal(now) || len(org.rec.Body) == 0 {
		return nil
	}
	org.rules = robots.Parse(org.rec.Body)
	org.matchers = map[crawl.ClientID]*robots.Matcher{}
	var out []crawl.Discovery
	for _, sm := range org.rules.Sitemaps() {
		if len(out) >= MaxSitemaps {
			break
		}
		u, err := weburl.Parse(sm.URL)
		if err != nil || !s.cfg.Scope.SameSite(u.Host()) {
			continue
		}
		band, due := demand.Discovered(crawl.ViaSitemap, crawl.KindSitemap, now)
		out = append(out, crawl.Discovery{
			URL: u, Client: s.cfg.primary(), Kind: crawl.KindSitemap, Via: crawl.ViaSitemap,
			Referrer: job.Origin.URL("/robots.txt"), At: now, Band: band, Due: due,
		})
	}
	return out
}

// donePage turns a response into the new state of its URL.
func (s *Scheduler) donePage(o *crawl.Outcome, h *host, job *Job, f *Findings, now time.Time) {
	e := job.Entry
	v := e.Visit
	res := f.Result
	o.URL, o.Visit = job.URL, &v
	if res.Failure != nil && res.Failure.Class == crawl.FailCanceled {
		v.Due = now
		return
	}
	streak(&v, f.Row, now)
	v.Robots, v.Pruned, v.Chain = false, false, nil
	v.LastCrawl, v.Status, v.Response, v.Type = res.Start, res.Status, f.Row.Response, f.File
	v.Failure = crawl.FailNone
	if res.Failure != nil {
		v.Failure = res.Failure.Class
	}
	remember(&v, &e.Visit)
	v.Crawls++
	v.Bytes, v.WireBytes, v.Duration, v.Truncated = int64(len(res.Body)), res.WireBytes, res.Timings.Total, res.Truncated
	v.RedirectTo = f.Target
	if len(job.Chain) > 0 && f.RedirectErr != "" {
		v.Chain = job.Chain // a redirect error keeps the chain that led to it
	}
	validators(&v, f)
	v.Bounded = f.Page != nil && len(f.Page.Bounded) > 0
	if f.Page != nil {
		if v.Digest != 0 && v.Digest != f.Page.Digest {
			v.Changes++
			v.Changed = res.Start
		}
		v.Digest, v.Likeness = f.Page.Digest, f.Page.Likeness
		if v.Crawls == 1 && v.Kind == crawl.KindPage && f.Row.Index == react.EffectPass {
			h.space.Learn(job.URL, e.Depth, f.Page.Runs, f.Page.Inward)
		}
		canonical := f.Page.Canonical
		o.Canonical, o.Links = &canonical, f.Links
		if f.Links == nil {
			o.Links = []uint32{}
		}
	}
	if f.Archive.File != "" && res.Status != 304 && !(f.Unchanged && v.Archive.File != "") {
		v.Archive = f.Archive // of unchanged content, the copy that holds it stays (G5); a 304 is none
	}
	same := s.duplicate(o, h, &e, f, contentOf(e.Visit.Digest, e.Visit.Likeness), now)
	crowd := s.landing(o, h, job, f, &e.Visit)
	s.moved(o, h, f, &e.Visit, now)
	v.Band, v.Due = s.again(h, &v, f, same != "", now)
	unavailable(&v, f, now)
	s.index(o, e, f.Row, react.Facts{
		Status: res.Status, Failure: res.Failure, Page: f.Page, Target: f.Target, RedirectErr: f.RedirectErr, FailingSince: v.FailingSince,
		Duplicate: same, Crowd: crowd, Unavailable: v.Unavailable,
	}, now)
	o.Discovered = f.Discovered
	s.proveLastMod(o, h, &e.Visit, f, now)
	s.sitemapDone(o, h, job, f, now)
	s.traps(o, h, f.Traps)
	if f.Row.Index == react.EffectPass || f.Row.Index == react.EffectStands {
		o.Document = document(job, f, &v, now)
	}
}

// again returns the place in the queue of a page just visited.
func (s *Scheduler) again(h *host, v *crawl.Visit, f *Findings, same bool, now time.Time) (crawl.Band, time.Time) {
	p := s.cfg.Demand.For(s.cfg.client(v.Client).Profile.Cycle)
	if demand.Moving(h.rec.Move, now) && v.Kind == crawl.KindPage {
		p = p.InMove()
	}
	next := f.Row.Next
	switch {
	case same:
		next = react.NextDuplicate
	case next == react.NextRefresh && v.Kind == crawl.KindPage && f.Page != nil && f.Page.Missing != "":
		next = react.NextMissing
	}
	return demand.Next(p, next, *v, f.MaxAge, now)
}

func document(job *Job, f *Findings, v *crawl.Visit, now time.Time) *crawl.Document {
	d := &crawl.Document{
		URL: job.URL, Client: job.Client, At: now, Status: f.Result.Status, Digest: v.Digest, Unchanged: f.Unchanged, Archive: v.Archive,
	}
	if f.Page != nil {
		d.MediaType, d.Title = f.Page.MediaType, f.Page.Title
	}
	return d
}

// validators keeps what the next conditional request needs (G1, G2).
func validators(v *crawl.Visit, f *Findings) {
	switch f.Row.Index {
	case react.EffectPass:
		v.ETag, v.LastModified = f.Result.Header.Get("ETag"), f.Result.Header.Get("Last-Modified")
	case react.EffectStands:
		if t := f.Result.Header.Get("ETag"); t != "" {
			v.ETag = t
		}
	default:
		v.ETag, v.LastModified = "", ""
	}
	if len(v.ETag) > maxValidator {
		v.ETag = ""
	}
	if len(v.LastModified) > maxValidator || strings.ContainsAny(v.LastModified, "\r\n") {
		v.LastModified = ""
	}
}

// maxValidator bounds a stored validator in bytes; a longer one is not worth
// its room (house choice).
const maxValidator = 1024

// streak counts failures in a row of the same kind (F6, F7, F8).
func streak(v *crawl.Visit, row react.Row, now time.Time) {
	failing := row.Next == react.NextRetry || row.Next == react.NextSink
	if !failing {
		v.Failures, v.FailingSince = 0, time.Time{}
		return
	}
	if v.Failures > 0 {
		last := &crawl.Result{Status: v.Status}
		if v.Failure != crawl.FailNone {
			last.Failure = &crawl.Failure{Class: v.Failure}
		}
		if react.Lookup(last).Next != row.Next {
			v.Failures, v.FailingSince = 0, time.Time{}
		}
	}
	if v.Failures == 0 {
		v.FailingSince = now
	}
	v.Failures++
}

// traps adds what a page showed to the hostname's record (D3). The links of a
// page may lead to traps of other hostnames; they are noted where they were found.
func (s *Scheduler) traps(o *crawl.Outcome, h *host, found []crawl.Trap) {
	for _, t := range found {
		h.rec.Traps = addTrap(h.rec.Traps, t)
	}
	if len(found) > 0 {
		o.Host = s.record(h)
	}
}
