package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"trawl/internal/crawl"
)

// Random makes a small scenario of a seed: a few hosts, pages, clients and
// faults, over minutes to weeks. Together the scenarios of many seeds reach
// every kind of fault, server, client and delay that there is.
func Random(seed uint64) Scenario {
	g := generator{rand.New(rand.NewPCG(seed, 0x5eed))}
	sc := Scenario{Name: fmt.Sprintf("random %d", seed), Seed: seed, MaxFetches: 800}
	sc.Duration = g.span(10*time.Minute, 2*24*time.Hour)
	if g.oneIn(12) {
		sc.Duration = g.span(20*24*time.Hour, 50*24*time.Hour)
	}
	sc.Interval = max(sc.Duration/20, time.Minute)
	if g.oneIn(2) {
		sc.Refresh = g.span(10*time.Minute, 24*time.Hour)
	}
	if g.oneIn(3) {
		sc.Concurrency = 1 + g.IntN(8)
	}
	sc.Window = 4 + g.IntN(40)
	sc.LoadDelay, sc.CommitDelay = g.span(time.Millisecond, 2*time.Second), g.span(time.Millisecond, 2*time.Second)
	sc.Clients = g.clients()
	hosts := 1 + g.IntN(4)
	if g.oneIn(6) {
		sc.HostRoom = 1 + g.IntN(3)
	}
	names := make([]string, hosts)
	for i := range names {
		names[i] = fmt.Sprintf("host%d.example", i+1)
	}
	for i := range hosts {
		sc.Hosts = append(sc.Hosts, g.host(names, i))
	}
	for range g.IntN(5) {
		sc.Faults = append(sc.Faults, g.fault(names, sc.Duration))
	}
	g.history(&sc)
	return sc
}

// history adds what was before the start, and what comes later.
func (g generator) history(sc *Scenario) {
	for i := range sc.Hosts {
		h := &sc.Hosts[i]
		if g.oneIn(3) {
			h.Capacity = 2 * g.Float64()
		}
		if g.oneIn(3) {
			h.Server.HTTP2 = 0.2 + 2*g.Float64()
		}
		if g.oneIn(4) {
			h.Assets = Assets{Count: 1 + g.IntN(20), PerPage: 1 + g.IntN(5), Bytes: 1 + g.Int64N(100_000), Keep: g.oneIn(2)}
			for range g.IntN(4) {
				h.Assets.Deploys = append(h.Assets.Deploys, time.Duration(g.Int64N(int64(sc.Duration))).Round(time.Millisecond))
			}
			if g.oneIn(3) {
				h.Assets.Host = sc.Hosts[g.IntN(len(sc.Hosts))].Name
			}
		}
		for j := range h.Pages {
			h.Pages[j].Known = !h.Empty && g.oneIn(2)
			if g.oneIn(8) {
				h.Pages[j].Status = []int{301, 302, 404, 410, 403, 500, 204}[g.IntN(7)]
			}
		}
	}
	for i := range sc.Clients[1:] {
		if g.oneIn(2) {
			sc.Clients[i+1].From = time.Duration(g.Int64N(int64(sc.Duration))).Round(time.Millisecond)
			sc.Clients[i+1].Landing = g.Float64()
		}
	}
	if g.oneIn(5) {
		sc.Faults = append(sc.Faults, Fault{From: time.Duration(g.Int64N(int64(sc.Duration))).Round(time.Millisecond), OptOut: true})
	}
}

// generator draws the parts of a scenario.
type generator struct{ *rand.Rand }

func (g generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// span draws a duration; small ones are as likely as large ones of each size.
func (g generator) span(least, most time.Duration) time.Duration {
	d := least
	for d < most/2 && g.IntN(5) > 0 {
		d *= 2
	}
	return min(d+time.Duration(g.Int64N(int64(d)+1)), most).Round(time.Millisecond)
}

func (g generator) clients() []Client {
	all := []crawl.ClientID{"trawl", "googlebot-smartphone", "adsbot", "googlebot-image", "google-safety"}
	var list []Client
	for _, i := range g.Perm(len(all))[:1+g.IntN(2)*g.IntN(3)] {
		list = append(list, Client{ID: all[i], Weight: float64(1 + g.IntN(3))})
	}
	return list
}

func (g generator) host(names []string, i int) Host {
	h := Host{Name: names[i], Own: g.oneIn(3), Empty: i > 0 && g.oneIn(6)}
	if g.oneIn(5) {
		h.Limit = 0.01 + g.Float64()
	}
	for _, name := range []string{"news", "shop", "tags"}[:1+g.IntN(3)] {
		p := PageClass{
			Name: name, Count: 1 + g.IntN(40), Links: 1 + g.IntN(12), Bytes: g.Int64N(500_000) + 1,
			ETag: g.oneIn(3), LastModified: g.oneIn(3), Noindex: g.oneIn(8), Disallow: g.oneIn(5),
		}
		if g.oneIn(2) {
			p.ChangeEvery = g.span(time.Minute, 10*24*time.Hour)
		}
		if g.oneIn(4) {
			p.MaxAge = g.span(time.Minute, 10*24*time.Hour)
		}
		h.Pages = append(h.Pages, p)
	}
	h.Server = g.server()
	h.Robots = g.robotsFile(names, true)
	for _, t := range []Trap{TrapCalendar, TrapDeeper, TrapFacets, TrapSession} {
		if g.oneIn(12) {
			h.Traps = append(h.Traps, t)
		}
	}
	return h
}

func (g generator) server() Server {
	v := Server{Latency: g.span(time.Millisecond, 3*time.Second), Jitter: g.Float64()}
	if g.oneIn(3) {
		v.Bandwidth = 1000 << g.IntN(14)
	}
	if g.oneIn(3) {
		v.Knee = 1 + g.IntN(6)
	}
	if g.oneIn(5) {
		v.Overload = 1 + g.IntN(8)
	}
	if g.oneIn(8) {
		v.Collapse = 1 + g.IntN(12)
	}
	if g.oneIn(6) {
		v.RateLimit, v.RateBurst = 0.05+5*g.Float64(), 1+g.IntN(10)
	}
	if g.oneIn(4) {
		v.RetryAfter = g.span(time.Second, 30*time.Hour).Round(time.Second)
	}
	if g.oneIn(20) {
		v.Latency = g.span(5*time.Second, 40*time.Second)
	}
	return v
}

func (g generator) robotsFile(names []string, mayMove bool) RobotsFile {
	var r RobotsFile
	switch g.IntN(8) {
	case 0:
		r.Status = []int{204, 401, 403, 404, 410, 429, 500, 503}[g.IntN(8)]
	case 1:
		if mayMove {
			r.MoveTo = names[g.IntN(len(names))]
		}
	case 2:
		r.Disallow = []string{"/"}
	case 3, 4:
		r.Disallow = []string{"/shop/", "/news/p1"}
	}
	if g.oneIn(4) {
		r.Group = []string{"AdsBot-Google", "Googlebot", "trawl"}[g.IntN(3)]
		if g.oneIn(2) {
			r.Only = []string{"/tags/"}
		}
	}
	if g.oneIn(4) {
		r.MaxAge = g.span(time.Second, 40*24*time.Hour)
	}
	return r
}

func (g generator) fault(names []string, duration time.Duration) Fault {
	f := Fault{From: time.Duration(g.Int64N(int64(duration))).Round(time.Second), For: g.span(time.Minute, duration)}
	f.From = min(f.From, duration)
	if g.oneIn(6) {
		f.For = 0
	}
	if g.oneIn(3) {
		f.From = 0
	}
	if g.oneIn(2) {
		f.Hosts = []string{names[g.IntN(len(names))]}
	}
	f.Target = []Target{TargetAll, TargetAll, TargetPages, TargetRobots, TargetHome}[g.IntN(5)]
	if g.oneIn(3) {
		f.Share = g.Float64()
	}
	if g.oneIn(6) {
		f.Paths = []string{"/news/"}
	}
	switch g.IntN(8) {
	case 0, 1, 2:
		f.Status = []int{200, 204, 304, 302, 400, 401, 403, 404, 410, 429, 500, 502, 503, 503, 503, 599}[g.IntN(16)]
		if g.oneIn(3) {
			f.RetryAfter = g.span(time.Second, 30*time.Hour).Round(time.Second)
		}
	case 3, 4:
		f.Failure = (crawl.FailDNS + crawl.FailureClass(g.IntN(int(crawl.FailUnparseable)))).String()
	case 5:
		f.Slow = 1 + 20*g.Float64()
	case 6:
		switch g.IntN(4) {
		case 0:
			f.ErrorText = true
		case 1:
			f.Soft404 = true
		default:
			f.MoveTo = names[g.IntN(len(names))]
		}
	case 7:
		r := g.robotsFile(names, false)
		f.RobotsFile, f.Target = &r, TargetAll
	}
	return f
}
