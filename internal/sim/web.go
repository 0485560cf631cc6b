package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"trawl/internal/crawl"
)

// Web is the synthetic web of a scenario. It answers requests; it knows nothing
// of the crawler. One goroutine at a time uses it.
//
// The model of a server: an answer takes Latency, varied by Jitter, times the
// slow-downs that are on, times the number of requests under way over Knee (the
// server works on Knee requests at a time); its bytes take as long as Bandwidth
// lets them. Beyond Overload requests under way it answers 503 in a tenth of
// that, beyond Collapse it does not answer in time, beyond RateLimit requests a
// second (a bucket of RateBurst) it answers RateStatus. Faults come first. Over
// HTTP/2 the latency is multiplied by HTTP2; a 421 there costs a second request,
// over HTTP/1.1, as the fetcher makes it at once.
//
// A page is a place in a tree over all pages of its host, so that every page is
// reachable, and has further links by chance. Its body holds the links and the
// number of its version; what it weighs is counted, not rendered.
type Web struct {
	start time.Time
	seed  uint64
	sites map[crawl.Host]*site
	list  []*site
	rnd   *rand.Rand
}

// site is one hostname.
type site struct {
	name    crawl.Host
	cfg     Host
	seed    uint64
	classes []class
	pages   int // the homepage is page 0
	branch  int
	changes []change
	faults  []*Fault
	robots  []byte
	index   int        // in the web's list
	assets  crawl.Host // that serves its assets
	open    int        // requests under way
	known   bool       // the scheduler was told of it
	wake    time.Time  // when it is looked at next, though the scheduler does not know it; zero = not
	tokens  float64
	filled  time.Duration // when tokens were right
}

type class struct {
	PageClass
	first int // its first page
}

// change is the state of a page's content.
type change struct {
	last, next time.Duration // since the start
	version    uint32
}

// NewWeb makes the web of a valid scenario.
func NewWeb(sc Scenario) *Web {
	sc = sc.complete()
	w := &Web{start: sc.Start, seed: sc.Seed, sites: map[crawl.Host]*site{}, rnd: rand.New(rand.NewPCG(sc.Seed, 0x77eb))}
	for i := range sc.Hosts {
		s := newSite(sc.Hosts[i], mix(sc.Seed, uint64(i)+1))
		s.index = i
		w.sites[s.name] = s
		w.list = append(w.list, s)
	}
	for i := range sc.Faults {
		f := &sc.Faults[i]
		if len(f.Hosts) == 0 {
			for _, s := range w.list {
				s.faults = append(s.faults, f)
			}
		}
		for _, n := range f.Hosts {
			if s := w.sites[crawl.Host(n)]; s != nil {
				s.faults = append(s.faults, f)
			}
		}
	}
	return w
}

func newSite(cfg Host, seed uint64) *site {
	s := &site{
		name: crawl.Host(cfg.Name), assets: crawl.Host(cmp.Or(cfg.Assets.Host, cfg.Name)), cfg: cfg, seed: seed, pages: 1, branch: 2, robots: cfg.Robots.text(), tokens: float64(cfg.Server.RateBurst),
	}
	for _, p := range cfg.Pages {
		s.classes = append(s.classes, class{p, s.pages})
		s.pages += p.Count
		s.branch = max(s.branch, p.Links/2)
	}
	return s
}

// Response is an answer on its way.
type Response struct {
	Took   time.Duration // from the request to the end
	result crawl.Result
	site   *site
	owner  *site // of an asset, nil if it is none
	proto  crawl.Protocol
	body   body
	page   int
	path   string
	mark   uint64
}

// body says what an answer's body is made of when it arrives.
type body uint8

const (
	bodyNone body = iota
	bodyPage
	bodyTrap
	bodyError
	bodyMissing
	bodyRobots
	bodyOther // of another robots.txt
	bodyAsset
)

// Serve takes a request at now. Its answer is there after Took, and then
// [Web.Finish] is called.
func (w *Web) Serve(req *crawl.Request, now time.Time) *Response {
	at := now.Sub(w.start)
	r := &Response{result: crawl.Result{URL: req.URL, Start: now, Limit: req.Limits.For("text/html")}, page: -1, proto: crawl.ProtocolHTTP1}
	s := w.sites[req.URL.Host()]
	if s == nil {
		r.fail(crawl.FailDNS, req, 0)
		return r
	}
	r.site, r.path = s, req.URL.PathQuery()
	s.open++
	t := s.trouble(r.path, at)
	fault := t.decides
	latency := float64(s.cfg.Server.Latency) * t.slow * r.negotiate(req, t.optOut)
	if j := s.cfg.Server.Jitter; j > 0 {
		latency *= 1 + j*(2*w.rnd.Float64()-1)
	}
	if k := s.cfg.Server.Knee; k > 0 && s.open > k {
		latency *= float64(s.open) / float64(k)
	}
	wait := time.Duration(min(latency, float64(time.Hour)))
	switch {
	case fault != nil && fault.Failure != "":
		c, _ := failureOf(fault.Failure)
		r.fail(c, req, wait)
	case fault != nil && fault.Status != 0:
		r.status(fault.Status, fault.RetryAfter)
		r.take(wait, 500, req)
	case s.refuses(r, wait, at, req):
	default:
		r.owner = w.assetOwner(s, r.path)
		s.content(r, req, fault, wait, at)
	}
	return r
}

// negotiate settles the protocol and returns its factor on the latency.
func (r *Response) negotiate(req *crawl.Request, optOut bool) float64 {
	f := r.site.cfg.Server.HTTP2
	switch {
	case req.Protocol != crawl.ProtocolHTTP2 || f == 0:
		return 1
	case optOut:
		r.result.Misdirected = true
		return 2 // asked again over HTTP/1.1
	}
	r.proto = crawl.ProtocolHTTP2
	return f
}

// refuses answers for a server that has too much to do.
func (s *site) refuses(r *Response, wait, at time.Duration, req *crawl.Request) bool {
	v := &s.cfg.Server
	switch {
	case v.Collapse > 0 && s.open > v.Collapse:
		r.fail(crawl.FailHeaderTimeout, req, wait)
	case v.Overload > 0 && s.open > v.Overload:
		r.status(503, v.RetryAfter)
		r.take(wait/10, 500, req)
	case v.RateLimit > 0 && !s.token(at):
		r.status(v.RateStatus, v.RetryAfter)
		r.take(wait/10, 500, req)
	default:
		return false
	}
	return true
}

// token takes one from the bucket of the rate limit.
func (s *site) token(at time.Duration) bool {
	v := &s.cfg.Server
	s.tokens = min(s.tokens+(at-s.filled).Seconds()*v.RateLimit, float64(v.RateBurst))
	s.filled = at
	if s.tokens < 1 {
		return false
	}
	s.tokens--
	return true
}

// Finish returns the whole result and frees the connection. buf is reused for
// the body, which is valid until the next call with it.
func (w *Web) Finish(r *Response, buf []byte) (*crawl.Result, []byte) {
	if r.site != nil {
		r.site.open--
		buf = r.site.render(buf[:0], r)
		r.result.Body = buf
		if r.body == bodyNone {
			r.result.Body = nil
		}
	}
	return &r.result, buf
}

func (r *Response) status(status int, retryAfter time.Duration) {
	r.result.Status = status
	r.result.Protocol = r.proto
	if retryAfter > 0 {
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Retry-After", Value: strconv.Itoa(int(retryAfter.Seconds()))})
	}
}

// take sets the times of an answer, or lets it fail for being too slow.
func (r *Response) take(wait time.Duration, bytes int64, req *crawl.Request) {
	total := wait
	if r.site != nil && r.site.cfg.Server.Bandwidth > 0 {
		total += time.Duration(float64(bytes) / float64(r.site.cfg.Server.Bandwidth) * float64(time.Second))
	}
	switch {
	case wait > req.Timeouts.Header:
		r.fail(crawl.FailHeaderTimeout, req, wait)
		return
	case total > req.Timeouts.Total:
		r.fail(crawl.FailBodyTimeout, req, wait)
		r.took(req.Timeouts.Total, wait)
		return
	}
	r.result.HeaderBytes, r.result.WireBytes = 200, bytes
	r.took(total, wait)
}

// shortest keeps an answer from taking no time at all.
const shortest = time.Millisecond

func (r *Response) took(total, wait time.Duration) {
	r.Took = max(total, shortest)
	r.result.Timings = crawl.Timings{Wait: wait, Total: r.Took}
}

// fail ends a fetch in the way and after the time of its class.
func (r *Response) fail(c crawl.FailureClass, req *crawl.Request, wait time.Duration) {
	t, phase := wait, crawl.PhaseHeaders
	switch c {
	case crawl.FailDNS:
		t, phase = 50*time.Millisecond, crawl.PhaseDNS
	case crawl.FailDNSUnresponsive:
		t, phase = req.Timeouts.Connect, crawl.PhaseDNS
	case crawl.FailRefused, crawl.FailUnreachable:
		t, phase = 5*time.Millisecond, crawl.PhaseConnect
	case crawl.FailConnectTimeout:
		t, phase = req.Timeouts.Connect, crawl.PhaseConnect
	case crawl.FailTLS:
		phase = crawl.PhaseTLS
	case crawl.FailHeaderTimeout:
		t = req.Timeouts.Header
	case crawl.FailBodyTimeout:
		t, phase = wait+req.Timeouts.Idle, crawl.PhaseBody
	}
	r.body, r.result.Status, r.result.Header = bodyNone, 0, nil
	r.result.WireBytes, r.result.HeaderBytes = 0, 0
	r.took(min(t, req.Timeouts.Total), 0)
	r.result.Failure = &crawl.Failure{Class: c, Phase: phase, Host: req.URL.Host(), Elapsed: r.Took, Detail: "simulated"}
}

// failureOf returns the class of a fault's failure; only what a server or the
// network can do is taken.
func failureOf(name string) (crawl.FailureClass, bool) {
	for c := crawl.FailDNS; c <= crawl.FailUnparseable; c++ {
		if c.String() == name {
			return c, true
		}
	}
	return crawl.FailNone, false
}

// failureNames are the names that failureOf knows.
func failureNames() []string {
	var names []string
	for c := crawl.FailDNS; c <= crawl.FailUnparseable; c++ {
		names = append(names, c.String())
	}
	return names
}

// mix is a hash of two numbers (the finaliser of splitmix64).
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// unit makes a number in [0, 1) of a hash.
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// exponential is an exponentially distributed time of the given mean.
func exponential(mean time.Duration, u float64) time.Duration {
	d := -math.Log(1-u) * float64(mean)
	return time.Duration(min(d, float64(MaxDuration))) + 1
}
