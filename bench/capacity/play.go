package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/sim"
)

const (
	span   = 30 * time.Minute
	settle = 10 * time.Minute // left out: the policies find their rate
	bin    = 15 * time.Second // of the plot
	pages  = 20_000
)

func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// server is a host model that all policies meet.
type server struct {
	name string
	host sim.Server
	slow float64 // factor on its latency from the middle of the measured time on; 0 = as before
}

func servers() []server {
	const ms = time.Millisecond
	return []server{
		{name: "works on 8 at a time, refuses beyond 20", host: sim.Server{Latency: 250 * ms, Jitter: 0.2, Knee: 8, Overload: 20}},
		{name: "works on 2 at a time, refuses beyond 5", host: sim.Server{Latency: 800 * ms, Jitter: 0.2, Knee: 2, Overload: 5}},
		{name: "works on 4 at a time, hangs beyond 12", host: sim.Server{Latency: 150 * ms, Jitter: 0.2, Knee: 4, Collapse: 12}},
		{name: "bears 5 requests a second, 429 beyond", host: sim.Server{Latency: 20 * ms, Jitter: 0.2, RateLimit: 5, RateBurst: 5}},
		{name: "works on 16 at a time, some answers in no time, some twice as long", host: sim.Server{Latency: 200 * ms, Jitter: 0.95, Knee: 16, Overload: 64}},
		{name: "works on 8 at a time, half as fast from the middle on", host: sim.Server{Latency: 250 * ms, Jitter: 0.2, Knee: 8, Overload: 20}, slow: 2},
	}
}

// outcome is what a policy achieved in the measured time.
type outcome struct {
	good    float64 // answers a second
	bad     float64 // share of the requests
	latency float64 // median, in times of the server's without load
	series  []float64
}

type flight struct {
	end      time.Time
	response *sim.Response
	reserved float64
	page     page
}

// page is a URL to ask for: one that failed is asked for again, sooner at first
// and then less and less often, as trawl does; in turn with new ones.
type page struct {
	n      int
	failed int // times in a row
	at     time.Time
}

type pageQueue struct {
	again []page
	next  int
	last  bool // the last one had failed before
}

func (q *pageQueue) take(now time.Time) page {
	if !q.last {
		if len(q.again) > 0 && !q.again[0].at.After(now) {
			p := q.again[0]
			q.again = q.again[1:]
			q.last = true
			return p
		}
	}
	q.last = false
	q.next++
	return page{n: (q.next - 1) % pages}
}

func (q *pageQueue) fail(p page, now time.Time) {
	p.failed++
	p.at = now.Add(30 * time.Second << min(p.failed-1, 11))
	i, _ := slices.BinarySearchFunc(q.again, p, func(a, b page) int { return a.at.Compare(b.at) })
	q.again = slices.Insert(q.again, i, p)
}

func (s *server) scenario() sim.Scenario {
	sc := sim.Scenario{
		Name: "capacity", Seed: 1, Start: start(), Duration: span,
		Hosts: []sim.Host{{Name: "a.example", Pages: []sim.PageClass{{Name: "p", Count: pages, Bytes: 1}}, Server: s.host}},
	}
	if s.slow > 0 {
		sc.Faults = []sim.Fault{{From: settle + (span-settle)/2, Slow: s.slow}}
	}
	return sc
}

// play lets a policy crawl the server with demand always waiting.
func (s *server) play(p policy, prof client.Profile) outcome {
	web := sim.NewWeb(s.scenario())
	var under []flight
	out := outcome{series: make([]float64, span/bin)}
	var waits []float64
	var good, bad int
	var queue pageQueue
	var buf []byte
	for now := start(); now.Before(start().Add(span)); {
		for len(under) > 0 && !under[0].end.After(now) {
			f := under[0]
			under = under[1:]
			var res *crawl.Result
			res, buf = web.Finish(f.response, buf[:0])
			a := answer{took: res.Timings.Total, wait: res.Timings.Wait, status: res.Status, reserved: f.reserved, repeat: f.page.failed > 0}
			if res.Failure != nil {
				a.status = 0
			}
			if !a.good() {
				queue.fail(f.page, f.end)
			}
			p.done(a, f.end)
			at := f.end.Sub(start())
			if i := int(at / bin); a.good() && i < len(out.series) {
				out.series[i] += 1 / bin.Seconds()
			}
			if at < settle {
				continue
			}
			if !a.good() {
				bad++
				continue
			}
			good++
			waits = append(waits, a.wait.Seconds()/s.host.Latency.Seconds())
		}
		ok, at := p.ask(len(under), now)
		if ok {
			next := queue.take(now)
			req := &crawl.Request{URL: crawl.URL(fmt.Sprintf("http://a.example/p/p%d", next.n)), Client: prof.ID, Limits: prof.Limits, Timeouts: crawl.DefaultTimeouts()}
			f := flight{page: next, reserved: p.sent(now), response: web.Serve(req, now)}
			f.end = now.Add(f.response.Took)
			i, _ := slices.BinarySearchFunc(under, f, func(a, b flight) int { return a.end.Compare(b.end) })
			under = slices.Insert(under, i, f)
			continue
		}
		if len(under) > 0 && (at.IsZero() || under[0].end.Before(at)) {
			at = under[0].end
		}
		now = at
	}
	out.good = float64(good) / (span - settle).Seconds()
	out.bad = float64(bad) / max(float64(good+bad), 1)
	out.latency = math.NaN()
	if slices.Sort(waits); len(waits) > 0 {
		out.latency = waits[len(waits)/2]
	}
	return out
}

// best is the most that any fixed number of connections or rate achieves with
// at most one request in a hundred failing.
func (s *server) best(prof client.Profile) outcome {
	var best outcome
	try := func(p policy) bool {
		o := s.play(p, prof)
		if o.bad <= 0.01 && o.good > best.good {
			best = o
		}
		return o.bad <= 0.05 && o.good > 0.8*best.good // else more of it makes it worse
	}
	for n := 1; n <= 32 && try(parallel(n)); n++ {
	}
	for r := 0.5; r < 200 && try(&rate{every: time.Duration(float64(time.Second) / r)}); r *= 1.1 {
	}
	return best
}
