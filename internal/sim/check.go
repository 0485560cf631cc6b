package sim

import (
	"context"
	"fmt"
	"math"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/hostload"
	"trawl/internal/schedule"
)

// checker holds every step of a run to the invariants. It sees what a driver
// sees, and the web. Connection time, robots.txt, failing times and index
// states are followed by code of its own; whether a bucket admits a fetch is
// asked of package hostload, from the records that outcomes carry.
type checker struct {
	d       *driver
	clients map[crawl.ClientID]*client.Profile
	primary crawl.ClientID
	hosts   map[crawl.Host]*hostCheck
	list    []*hostCheck
	under   map[seenKey]bool // issued, and its outcome not committed
	index   map[crawl.URL]*urlCheck
	past    history
	crowded bool // there are more hostnames than fit into memory
	guests  int  // hostnames that may be there beside them: robots.txt files redirect to them
}

// hostCheck is a hostname as the checker follows it.
type hostCheck struct {
	name     crawl.Host
	site     *site
	params   hostload.Params
	load     crawl.HostLoad
	ready    bool
	inflight int
	busy     int // issued and not committed
	used     usage
	robots   robotsCheck
	sent     time.Time // last request
	pause    time.Time // asked for by a Retry-After
	starving time.Time // since when a due URL waits though there is capacity
	limited  bool      // demand waited for capacity since the last healthy window
	healthy  int       // healthy windows since the last fault ended in which it did
	counted  time.Time // when the last of them was counted
}

func newChecker(d *driver, cfg schedule.Config) *checker {
	c := &checker{
		d: d, clients: map[crawl.ClientID]*client.Profile{}, primary: cfg.Clients[0].Profile.ID,
		hosts: map[crawl.Host]*hostCheck{}, under: map[seenKey]bool{}, index: map[crawl.URL]*urlCheck{},
	}
	for _, cl := range cfg.Clients {
		c.clients[cl.Profile.ID] = &cl.Profile
	}
	for _, s := range d.web.list {
		h := &hostCheck{name: s.name, site: s, params: d.params[s.name], sent: d.now}
		c.hosts[s.name] = h
		c.list = append(c.list, h)
		if s.cfg.Robots.MoveTo != "" {
			c.guests++
		}
	}
	c.crowded = d.sc.HostRoom < len(c.list)
	return c
}

func (c *checker) fail(i Invariant, h crawl.Host, u crawl.URL, format string, args ...any) error {
	return &Violation{
		Invariant: i, At: c.d.now, Host: h, URL: u, Detail: fmt.Sprintf(format, args...),
		History: c.past.lines(h), Scenario: c.d.sc,
	}
}

// host notes that a hostname's records are handed to the scheduler.
func (c *checker) host(rec crawl.HostRecord) {
	h := c.hosts[rec.Host]
	if h == nil {
		return
	}
	h.ready, h.load = true, rec.Load
	if h.load.Limit == 0 {
		h.load = hostload.Start(h.params, c.d.now)
	}
	h.used.limit(h.load.Limit, &h.params, c.d.now)
	c.past.add(trace{at: c.d.now, what: "host handed in", host: rec.Host})
}

// step checks what the scheduler wants to be done.
func (c *checker) step(s *schedule.Step) error {
	c.past.add(stepTrace(c.d.now, s))
	switch s.Kind {
	case schedule.StepFetch:
		return c.fetch(s.Job)
	case schedule.StepCommit:
		return c.commit(s.Outcome)
	case schedule.StepWait:
		if n, most := c.d.m.Counts().Queued, c.d.sc.Window*len(c.clients)*len(c.list); n > most {
			return c.fail(MemoryBounded, "", "", "%d URLs in memory, %d allowed", n, most)
		}
		if n := c.d.m.Counts().Hosts; n > c.d.sc.HostRoom+c.guests {
			return c.fail(MemoryBounded, "", "", "%d hostnames in memory, %d allowed", n, c.d.sc.HostRoom)
		}
		for _, h := range c.list {
			if err := c.waits(h, s.Until); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) fetch(job *schedule.Job) error {
	now := c.d.now
	if job.Host != job.URL.Host() {
		return c.fail(ChargedRight, job.Host, job.URL, "charged to %s", job.Host)
	}
	h := c.hosts[job.Host]
	if h == nil || !h.ready {
		return c.fail(ChargedRight, job.Host, job.URL, "its records were never handed in")
	}
	if job.Origin == "" {
		k := seenKey{job.Client, job.URL}
		if c.under[k] {
			return c.fail(IssuedOnce, job.Host, job.URL, "issued again for %s before its outcome was committed", job.Client)
		}
		c.under[k] = true
		if err := c.allowed(h, job); err != nil {
			return err
		}
	}
	if err := c.silent(h); err != nil {
		return err
	}
	if now.Before(h.load.NotBefore) || now.Before(h.pause) {
		return c.fail(BackoffKept, job.Host, job.URL, "no request is to be made before %s", maxTime(h.load.NotBefore, h.pause).Format(time.RFC3339))
	}
	if v := hostload.Admit(h.params, h.load, h.inflight, now); !v.OK {
		return c.fail(CapacityKept, job.Host, job.URL, "%d under way: %s", h.inflight, v.Reason)
	}
	if most := int(max(1, math.Ceil(min(h.load.Limit, h.params.Ceiling)))); h.inflight >= most {
		return c.fail(CapacityKept, job.Host, job.URL, "%d under way already, the limit is %.3g", h.inflight, h.load.Limit)
	}
	h.load, _ = hostload.Reserve(h.params, h.load, now)
	h.inflight++
	h.busy++
	h.sent, h.starving = now, time.Time{}
	if job.Origin != "" {
		if o := c.hosts[job.Origin.Host()]; o != nil && job.Kind == crawl.KindRobots {
			o.robots.asking = true
		}
	}
	return nil
}

// commit checks an outcome without a request.
func (c *checker) commit(o *crawl.Outcome) error {
	h := c.hosts[o.URL.Host()]
	if o.Visit == nil || h == nil {
		return c.fail(IssuedOnce, "", o.URL, "an outcome without a request names no visit")
	}
	k := seenKey{o.Visit.Client, o.URL}
	if c.under[k] {
		return c.fail(IssuedOnce, h.name, o.URL, "decided for %s before its outcome was committed", o.Visit.Client)
	}
	c.under[k] = true
	h.busy++
	h.starving = time.Time{}
	if o.Host != nil {
		h.load = o.Host.Load
		h.used.limit(h.load.Limit, &h.params, c.d.now)
	}
	if err := c.heldBack(h, o); err != nil {
		return err
	}
	return c.changed(o)
}

// done checks a finished fetch and what is to be committed of it.
func (c *checker) done(job *schedule.Job, f *schedule.Findings, o *crawl.Outcome) error {
	now, res := c.d.now, f.Result
	note := ""
	if res.Failure != nil {
		note = res.Failure.Class.String()
	}
	h := c.hosts[job.Host]
	h.inflight--
	if o == nil || o.Host == nil {
		return c.fail(ChargedRight, job.Host, job.URL, "a finished fetch does not change the record of its hostname")
	}
	before := h.load.Limit
	h.load = o.Host.Load
	if h.load.Limit != before {
		note = fmt.Sprintf("%s limit %.4g → %.4g, %s;", note, before, h.load.Limit, h.load.Cause)
	}
	c.past.add(trace{at: now, what: "answer of", host: job.Host, url: job.URL, who: job.Client, n: res.Status, note: note})
	if used, allowed := h.used.add(now.Sub(res.Start), h.load.Limit, &h.params, now); used > allowed {
		return c.fail(TimeKept, job.Host, job.URL, "connections were held open %.1f s too long within a span, %.1f s is what bursts and fetches under way explain", used, allowed)
	}
	if v := res.Header.Get("Retry-After"); v != "" && (res.Status == 429 || res.Status >= 500) {
		h.pause = maxTime(h.pause, now.Add(min(schedule.RetryAfter(res.Header, now), h.params.MaxRetryAfter)))
	}
	if last, over := h.site.lastFault(); over && res.Start.Sub(c.d.sc.Start) >= last && res.Failure == nil && res.Status >= 200 && res.Status < 400 {
		h.window(now)
	}
	c.answer(job, f)
	if job.Origin == "" {
		c.streak(job, res)
	}
	return c.changed(o)
}

// window counts a healthy answer, if a window's time has passed in which demand
// waited for capacity.
func (h *hostCheck) window(now time.Time) {
	if h.limited && now.Sub(h.counted) >= h.params.Window {
		h.counted, h.limited = now, false
		h.healthy++
	}
}

// committed notes that outcomes are durable.
func (c *checker) committed(list []*crawl.Outcome) {
	for _, o := range list {
		name := o.URL.Host()
		if o.URL == "" && o.Host != nil {
			name = o.Host.Host
		}
		if h := c.hosts[name]; h != nil {
			h.busy--
			h.starving = time.Time{}
		}
		if o.Visit != nil {
			delete(c.under, seenKey{o.Visit.Client, o.URL})
		}
	}
}

// due is the earliest entry of the hostname's queue, held ones among them.
func (c *checker) due(h *hostCheck) (time.Time, bool) {
	t, err := c.d.st.NextDue(context.Background(), h.name, "")
	return t, err == nil && !t.IsZero() && !t.After(c.d.now)
}

// patience is how long a due URL may wait for what is under way at a hostname
// that has capacity: longer than any fetch takes.
const patience = 10 * time.Minute

// silence is how long a hostname with due URLs may go without a request: the
// longest back-off, the longest pause that capacity asks for and the longest
// pause between two requests for robots.txt, one after the other.
const silence = 3 * time.Hour

// slowly is how much longer it may be when the crawl is stopped after 30 days of
// robots.txt failures: then robots.txt and the homepage are asked for once a day.
const slowly = 24 * time.Hour

// elsewhere reports that the hostname's robots.txt is asked for at another one,
// which has its own back-off.
func (h *hostCheck) elsewhere() bool { return h.robots.asking && h.inflight == 0 }

// silent checks when a hostname was last asked.
func (c *checker) silent(h *hostCheck) error {
	since, due := c.due(h)
	if !due || c.crowded || h.elsewhere() {
		return nil // a crowded one may have to wait for room
	}
	most := silence
	if h.robots.standing(c.d.now) == nothingIs && c.d.now.Sub(h.robots.failing) >= lastGood {
		most += slowly
	}
	if quiet := c.d.now.Sub(maxTime(maxTime(h.sent, since), h.pause)); quiet > most {
		return c.fail(NeverSilent, h.name, "", "due URLs since %s and no request for %s: %s", since.Format(time.RFC3339), quiet, h.load.Cause)
	}
	return nil
}

// waits checks a hostname when the scheduler has nothing to do before until. What
// it means to do within a millisecond is not waited for: buckets are rounded.
func (c *checker) waits(h *hostCheck, until time.Time) error {
	now := c.d.now
	since, due := c.due(h)
	if !due {
		h.starving = time.Time{}
		return nil
	}
	if h.elsewhere() || c.crowded && !c.d.m.Knows(h.name) {
		return nil
	}
	if err := c.silent(h); err != nil {
		return err
	}
	v := hostload.Admit(h.params, h.load, h.inflight, now)
	if v.Capacity && !h.limited && h.site.sound() && c.d.loading == 0 {
		// What is under way is still in the store's queue.
		list, err := c.d.st.DueURLs(context.Background(), h.name, "", now, h.busy+1)
		h.limited = err == nil && len(list) > h.busy
	}
	if c.d.loading > 0 || !h.ready || !v.OK {
		h.starving = time.Time{}
		return nil
	}
	if soon := !until.IsZero() && until.Sub(now) < time.Millisecond; h.inflight == 0 && h.busy == 0 && c.d.uncommit == 0 && !soon {
		return c.fail(NotStarved, h.name, "", "an URL is due since %s, nothing is under way and capacity is free (in memory: %v)", since.Format(time.RFC3339), c.d.m.Knows(h.name))
	}
	if h.starving.IsZero() {
		h.starving = now
	}
	if now.Sub(h.starving) > patience {
		return c.fail(NotStarved, h.name, "", "an URL is due since %s, %d fetches are under way and capacity is free for %s", since.Format(time.RFC3339), h.inflight, now.Sub(h.starving))
	}
	return nil
}

// atEnd checks what only shows over time.
func (c *checker) atEnd() error {
	for _, h := range c.list {
		if err := c.silent(h); err != nil {
			return err
		}
		_, due := c.due(h)
		last, over := h.site.lastFault()
		part, after := h.site.recovery()
		over = over && c.d.now.Sub(c.d.sc.Start) >= last+after
		least := part * min(h.params.Start, h.params.Ceiling)
		if h.site.sound() && over && due && h.healthy >= recovered && h.load.Limit < least {
			return c.fail(Recovers, h.name, "", "%d healthy windows since the last fault, URLs are due, and the limit is %.3g: %s", h.healthy, h.load.Limit, h.load.Cause)
		}
	}
	return nil
}

// recovered is in how many healthy windows a hostname is back to where it
// started: several times as many as there are steps between floor and start.
const recovered = 30

// recovery is to which part of where it started the limit comes back at least,
// and after which time. Answers whose latency varies widely look slow by chance
// now and then, and all the time until the baseline has found their mean.
func (s *site) recovery() (part float64, after time.Duration) {
	if s.cfg.Server.Jitter > 0.5 {
		return 0.2, 2 * time.Hour
	}
	return 0.9, 0
}

// sound reports whether a server without faults gives healthy answers only, of
// a latency that does not depend on its load.
func (s *site) sound() bool {
	v, robots := &s.cfg.Server, s.cfg.Robots.Status
	for i := range s.classes {
		if n := s.classes[i].Status; n == 429 || n >= 500 {
			return false
		}
	}
	return v.Knee == 0 && v.Overload == 0 && v.Collapse == 0 && v.RateLimit == 0 && v.Bandwidth == 0 && v.Latency < 20*time.Second && robots != 429 && robots < 500
}

// lastFault is when the last fault of a site ends; false = never.
func (s *site) lastFault() (time.Duration, bool) {
	last := time.Duration(0)
	for _, f := range s.faults {
		end, ends := f.end()
		if !ends {
			return 0, false
		}
		last = max(last, end)
	}
	return last, true
}
