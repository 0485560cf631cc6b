package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/schedule"
	"trawl/internal/store"
	"trawl/internal/store/memstore"
)

// Machine is what a driver does with a scheduler; [schedule.Scheduler] is one.
type Machine interface {
	Next(now time.Time) schedule.Step
	Done(now time.Time, job *schedule.Job, f *schedule.Findings) *crawl.Outcome
	Committed(now time.Time, outcomes []*crawl.Outcome, news []crawl.Host)
	AddHost(now time.Time, rec crawl.HostRecord, robots []crawl.RobotsRecord)
	AddURLs(now time.Time, step schedule.Step, entries []crawl.QueueEntry, next time.Time)
	Config() *schedule.Config
	Counts() schedule.Counts
	Knows(name crawl.Host) bool
	Uncrowd()
}

// Options are for tests of the code that is simulated.
type Options struct {
	Check   bool                   // hold every step to the invariants
	Config  func(*schedule.Config) // changes what the scheduler is made with, behind the back of the checker
	Machine func(Machine) Machine  // wraps the scheduler

	// Progress, if not nil, is called now and then while the run goes on.
	Progress func(Progress)

	// Catalogue of clients; nil = the built-in one, read for each run anew.
	Catalogue *client.Catalogue
}

// Progress is how far a run is.
type Progress struct {
	Elapsed  time.Duration // of the scenario's time
	Duration time.Duration // of the whole scenario
	Fetches  int64
}

// Run plays a scenario. It fails for a scenario that is not valid and when ctx
// is done.
func Run(ctx context.Context, sc Scenario) (*Result, error) {
	return RunWith(ctx, sc, Options{})
}

// RunWith plays a scenario with options. When an invariant is broken the error
// is a [*Violation].
func RunWith(ctx context.Context, sc Scenario, o Options) (*Result, error) {
	if o.Catalogue == nil {
		all, err := client.Builtin()
		if err != nil {
			return nil, fmt.Errorf("reading the catalogue of clients: %w", err)
		}
		o.Catalogue = all
	}
	if err := sc.validate(o.Catalogue); err != nil {
		return nil, fmt.Errorf("scenario %q cannot be run:\n%w", sc.Name, err)
	}
	d, err := newDriver(ctx, sc.complete(), o)
	if err != nil {
		return nil, err
	}
	if err := d.run(ctx); err != nil {
		return nil, err
	}
	return d.rec.finish(d), nil
}

// newDriver prepares a run: the store holds the seeds, the scheduler nothing.
func newDriver(ctx context.Context, sc Scenario, o Options) (*driver, error) {
	d := &driver{
		sc: sc, web: NewWeb(sc), now: sc.Start, end: sc.Start.Add(sc.Duration),
		params: map[crawl.Host]hostload.Params{}, seen: map[seenKey]struct{}{},
	}
	var seeds []crawl.URL
	for i := range sc.Hosts {
		h := &sc.Hosts[i]
		d.params[crawl.Host(h.Name)] = capacity(h)
		if !h.Empty && !h.Hidden {
			seeds = append(seeds, home(h.Name))
		}
	}
	cfg, err := d.config(o.Catalogue)
	if err != nil {
		return nil, err
	}
	d.st = memstore.New(func() time.Time { return d.now })
	shards := make([]crawl.Shard, 0, len(sc.Hosts))
	for i := range sc.Hosts {
		shards = append(shards, crawl.ShardOf(crawl.Host(sc.Hosts[i].Name)))
	}
	if d.leases, err = d.st.Acquire(ctx, "sim", shards, MaxDuration+time.Hour); err != nil {
		return nil, fmt.Errorf("simulating: %w", err)
	}
	d.rec = newRecorder(sc, d.web)
	d.rec.types = map[crawl.ClientID]crawl.ClientType{}
	for i := range cfg.Clients {
		d.rec.types[cfg.Clients[i].Profile.ID] = cfg.Clients[i].Profile.Type
	}
	if o.Check {
		d.check = newChecker(d, cfg)
	}
	d.primary, d.demand, d.progress = cfg.Clients[0].Profile.ID, cfg.Demand, o.Progress
	if o.Config != nil {
		o.Config(&cfg)
	}
	d.m = schedule.New(cfg)
	if o.Machine != nil {
		d.m = o.Machine(d.m)
	}
	if err := d.know(ctx); err != nil {
		return nil, err
	}
	if err := d.seed(ctx, d.early(cfg.Seed(seeds, d.now))); err != nil {
		return nil, err
	}
	d.plan()
	return d, nil
}

// capacity is the one that a host has in the shipped program.
func capacity(h *Host) hostload.Params {
	p := hostload.Stranger()
	if h.Own {
		p = hostload.Own()
	}
	return p.WithLimit(h.Limit)
}

// config is that of the shipped program, but for what the scenario sets.
func (d *driver) config(all *client.Catalogue) (schedule.Config, error) {
	sc := &d.sc
	cfg := schedule.Config{
		Capacity: func(h crawl.Host) hostload.Params {
			if p, ok := d.params[h]; ok {
				return p
			}
			return hostload.Stranger()
		},
		Identity: client.Identity{Contact: "https://example.org/bot"},
		Robots:   robots.DefaultTimes(), React: react.DefaultParams(), Demand: demand.DefaultParams(),
		Timeouts: crawl.DefaultTimeouts(),
		Scope:    schedule.Scope{AllHosts: true, MaxDepth: -1, Allowed: func(h crawl.Host) bool { return d.web.sites[h] != nil }},
		Window:   sc.Window,
		HostRoom: sc.HostRoom,
		Rand:     rand.New(rand.NewPCG(sc.Seed, 0x5c4ed)).Float64,
	}
	if sc.Refresh > 0 {
		cfg.Demand.Refresh = sc.Refresh
	}
	for _, c := range sc.Clients {
		p, ok := all.Get(c.ID)
		if !ok {
			return cfg, fmt.Errorf("no client %q", c.ID)
		}
		cfg.Clients = append(cfg.Clients, schedule.Client{Profile: p, Weight: c.Weight})
	}
	return cfg, nil
}

var _ Machine = (*schedule.Scheduler)(nil)

var _ store.Store = (*memstore.Store)(nil)
