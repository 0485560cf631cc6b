package scenario

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
	"trawl/internal/sim"
	"trawl/internal/store"
)

// Known is a hostname as a crawl found it, made into a host of a scenario, with
// what could not be taken over.
type Known struct {
	Host  sim.Host
	Pages int
	Notes []string // what was assumed, one sentence each
}

// sums is what the pages of one class add up to.
type sums struct {
	pages, etag, modified int
	bytes, sized          int64
	changes               uint32
	watched, latency      time.Duration
	timed                 int
}

// FromStore makes a host of a scenario of what a store knows of a hostname: how
// many pages there are in which state, how large they are and how often they
// change, how fast the server answers, the crawl capacity limit, robots.txt.
// Paths and links are not taken over: the synthetic pages have their own.
func FromStore(ctx context.Context, st store.Store, name crawl.Host) (*Known, error) {
	rec, ok, err := st.Host(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s from the store: %w", name, err)
	}
	if !ok {
		return nil, fmt.Errorf("%s is not known in the store: nothing that was crawled links to it", name)
	}
	classes := map[string]*sums{}
	total := &sums{}
	for r, err := range st.URLs(ctx, store.URLFilter{Host: name}) {
		if err != nil {
			return nil, fmt.Errorf("reading the URLs of %s: %w", name, err)
		}
		if len(r.Visits) == 0 || r.Visits[0].Kind != crawl.KindPage || r.Visits[0].Pruned {
			continue
		}
		total.add(&r)
		if r.URL.PathQuery() == "/" {
			continue // the simulated host has a homepage of its own
		}
		c := classOf(&r)
		if classes[c] == nil {
			classes[c] = &sums{}
		}
		classes[c].add(&r)
	}
	k := &Known{Pages: total.pages}
	if total.pages == 0 {
		return nil, fmt.Errorf("no page of %s is in the store: crawl it first", name)
	}
	k.Host = sim.Host{Name: string(name), Capacity: rec.Load.Limit, Server: k.server(&rec, total)}
	if k.Host.Own = rec.Load.Limit > hostload.Stranger().Ceiling; k.Host.Own {
		k.Notes = append(k.Notes, "Its limit is above that of a stranger's host, so it was taken for the owner's own.")
	}
	left := sim.MaxPages - 1
	for _, c := range classNames {
		if s := classes[c]; s != nil {
			n := min(s.pages, left)
			left -= n
			if n > 0 {
				k.Host.Pages = append(k.Host.Pages, s.class(c, n, total))
			}
		}
	}
	if left == 0 {
		k.Notes = append(k.Notes, fmt.Sprintf("Only %d of its %d pages are simulated.", sim.MaxPages-1, total.pages))
	}
	return k, k.robots(ctx, st, name)
}

// The classes of pages, in the order in which they stand in the scenario.
var classNames = []string{"page", "noindex", "gone", "forbidden", "moved", "blocked", "waiting"}

// classOf is what a page is to the crawler. What fails at the moment is a page
// like others: faults are the scenario's business.
func classOf(r *crawl.URLRecord) string {
	v := &r.Visits[0]
	switch {
	case v.Robots:
		return "blocked"
	case v.Crawls == 0:
		return "waiting"
	case v.Status >= 300 && v.Status < 400 && v.Status != 304:
		return "moved"
	case v.Status == 401 || v.Status == 403:
		return "forbidden"
	case v.Status >= 400 && v.Status < 500 && v.Status != 429:
		return "gone"
	case r.Index.Reason == crawl.ReasonNoindex:
		return "noindex"
	}
	return "page"
}

func (s *sums) add(r *crawl.URLRecord) {
	v := &r.Visits[0]
	s.pages++
	if v.Crawls == 0 || (v.Status < 200 || v.Status >= 300) && v.Status != 304 {
		return
	}
	if v.ETag != "" {
		s.etag++
	}
	if v.LastModified != "" {
		s.modified++
	}
	if v.WireBytes > 0 {
		s.bytes += v.WireBytes
		s.sized++
	}
	if v.Duration > 0 {
		s.latency += v.Duration
		s.timed++
	}
	if v.Crawls > 1 {
		s.changes += v.Changes
		s.watched += v.LastCrawl.Sub(r.Discovered)
	}
}

// class is the page class of the sums; what it does not know it takes from all.
func (s *sums) class(name string, n int, all *sums) sim.PageClass {
	p := sim.PageClass{
		Name: name, Count: n, Known: name != "waiting", Disallow: name == "blocked", Noindex: name == "noindex",
		Status: map[string]int{"gone": 404, "forbidden": 403, "moved": 301}[name],
		ETag:   2*s.etag > s.pages, LastModified: 2*s.modified > s.pages,
	}
	if s.sized == 0 {
		s.bytes, s.sized = all.bytes, all.sized
	}
	if s.sized > 0 {
		p.Bytes = max(s.bytes/s.sized, 1)
	}
	// A change that is seen in a recrawl stands for one or more: the mean time
	// between changes is at most this.
	if s.changes > 0 {
		p.ChangeEvery = min(max(s.watched/time.Duration(s.changes), time.Second), sim.MaxDuration)
	}
	return p
}

// server takes the latency that the capacity was settled at.
func (k *Known) server(rec *crawl.HostRecord, all *sums) sim.Server {
	latency := time.Duration(rec.Load.Latency * float64(time.Second))
	if latency <= 0 && all.timed > 0 {
		latency = all.latency / time.Duration(all.timed)
	}
	if latency <= 0 || math.IsNaN(rec.Load.Latency) {
		k.Notes = append(k.Notes, "No answer was timed: 200 ms is assumed.")
		return sim.Server{}
	}
	if all.changes == 0 {
		k.Notes = append(k.Notes, "No page was seen to change, so none changes here.")
	}
	return sim.Server{Latency: min(max(latency, time.Millisecond), time.Hour).Round(time.Microsecond), Jitter: 0.2}
}

// robots takes over whether robots.txt answers, of the origin that is asked most.
func (k *Known) robots(ctx context.Context, st store.Store, name crawl.Host) error {
	list, err := st.Robots(ctx, name)
	if err != nil {
		return fmt.Errorf("reading robots.txt of %s: %w", name, err)
	}
	i := slices.IndexFunc(list, func(r crawl.RobotsRecord) bool { return r.Origin.URL("/").Port() == "" })
	if i < 0 {
		return nil
	}
	r := &list[i]
	switch {
	case r.Failure != crawl.FailNone:
		k.Host.Robots.Status = 503
		k.Notes = append(k.Notes, "robots.txt could not be fetched at last: it answers 503 here.")
	case r.Status >= 400:
		k.Host.Robots.Status = r.Status
	}
	return nil
}

// follow gives the host to which the first one moves the pages of the first one.
func (f *File) follow(sc *sim.Scenario) {
	for _, fault := range sc.Faults {
		for i := 1; i < len(sc.Hosts); i++ {
			if sc.Hosts[i].Name != fault.MoveTo {
				continue
			}
			pages := slices.Clone(sc.Hosts[0].Pages)
			for j := range pages {
				pages[j].Known = false
			}
			sc.Hosts[i].Pages = pages
		}
	}
}

// On returns the scenario with its first host replaced by a known one: what
// befell the one befalls the other. Demand becomes that of the shipped program.
func (f *File) On(k *Known) (*File, error) {
	g := *f
	sc := &g.Run
	if sc.Hosts[0].Count > 1 {
		return nil, fmt.Errorf("the scenario has %d hosts that are alike: none of them can be another", sc.Hosts[0].Count)
	}
	was := sc.Hosts[0].Name
	sc.Hosts = slices.Clone(sc.Hosts)
	assets, traps := sc.Hosts[0].Assets, sc.Hosts[0].Traps
	http2, limiter := sc.Hosts[0].Server.HTTP2, sc.Hosts[0].Server
	sc.Hosts[0] = k.Host
	h := &sc.Hosts[0]
	h.Assets, h.Traps = assets, traps
	h.Server.HTTP2 = http2
	h.Server.RateLimit, h.Server.RateBurst, h.Server.RateStatus, h.Server.RetryAfter = limiter.RateLimit, limiter.RateBurst, limiter.RateStatus, limiter.RetryAfter
	sc.Refresh = 0
	sc.Faults = slices.Clone(sc.Faults)
	for i := range sc.Faults {
		hosts := slices.Clone(sc.Faults[i].Hosts)
		for j := range hosts {
			if hosts[j] == was {
				hosts[j] = h.Name
			}
		}
		sc.Faults[i].Hosts = hosts
	}
	f.follow(sc)
	if err := sc.Validate(); err != nil {
		return nil, fmt.Errorf("the scenario does not fit the host:\n%w", err)
	}
	return &g, nil
}
