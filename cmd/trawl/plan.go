package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/live"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/schedule"
)

// plan is what a crawl was started with; it is kept in the store, so that
// running the command again goes on with it.
type plan struct {
	Seeds    []string `json:"seeds"`
	Client   string   `json:"client"`
	Own      []string `json:"own"` // hostnames stated to be the operator's own
	AllHosts bool     `json:"all_hosts"`
	MaxDepth int      `json:"max_depth"`
	Include  []string `json:"include"`
	Exclude  []string `json:"exclude"`
	NoWARC   bool     `json:"no_warc"`
}

const planSetting = "crawl.plan"

// worker is the name under which this process leases the shards of an embedded
// store: it has the whole of it for itself.
const worker = "local"

func (p *plan) seeds() []crawl.URL {
	out := make([]crawl.URL, len(p.Seeds))
	for i, s := range p.Seeds {
		out[i] = crawl.URL(s)
	}
	return out
}

// plan joins what the store remembers with what the command line says: flags
// that were given replace, URLs are added.
func (d *dataDir) plan(ctx context.Context, o crawlOptions, seeds []crawl.URL, cmd *cobra.Command) (*plan, error) {
	saved, err := d.store.Setting(ctx, planSetting)
	if err != nil {
		return nil, fmt.Errorf("reading the crawl's settings: %w", err)
	}
	p := &plan{}
	if saved != "" {
		if err := json.Unmarshal([]byte(saved), p); err != nil {
			return nil, fmt.Errorf("the crawl's settings in %s cannot be read: %w", d.path, err)
		}
	}
	if saved == "" && len(seeds) == 0 {
		return nil, usageError("there is no crawl in %s to go on with: give at least one URL", d.path)
	}
	for _, u := range seeds {
		if !slices.Contains(p.Seeds, string(u)) {
			p.Seeds = append(p.Seeds, string(u))
		}
	}
	given := cmd.Flags().Changed
	for name, set := range map[string]func(){
		"client": func() { p.Client = o.Client }, "own": func() { p.stateOwn(o.own, seeds) }, "all-hosts": func() { p.AllHosts = o.AllHosts },
		"max-depth": func() { p.MaxDepth = o.MaxDepth }, "include": func() { p.Include = o.Include }, "exclude": func() { p.Exclude = o.Exclude },
		"no-warc": func() { p.NoWARC = o.NoWARC },
	} {
		if given(name) {
			set()
		}
	}
	return p, nil
}

// stateOwn notes that the hosts of the URLs given now are the operator's own, or
// are not: those of a stranger that is added to the crawl later are untouched.
// Without URLs it is about all of the crawl's.
func (p *plan) stateOwn(own bool, seeds []crawl.URL) {
	if len(seeds) == 0 {
		seeds = p.seeds()
	}
	for _, u := range seeds {
		i := slices.Index(p.Own, string(u.Host()))
		switch {
		case own && i < 0:
			p.Own = append(p.Own, string(u.Host()))
		case !own && i >= 0:
			p.Own = slices.Delete(p.Own, i, i+1)
		}
	}
}

func (p *plan) stated() []crawl.Host {
	out := make([]crawl.Host, len(p.Own))
	for i, h := range p.Own {
		out[i] = crawl.Host(h)
	}
	return out
}

// start saves the plan and makes its seeds known.
func (d *dataDir) start(ctx context.Context, p *plan, cfg *schedule.Config) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := d.store.SetSetting(ctx, planSetting, string(b)); err != nil {
		return fmt.Errorf("saving the crawl's settings: %w", err)
	}
	if _, err := d.store.Commit(ctx, nil, []*crawl.Outcome{cfg.Seed(p.seeds(), nowUTC())}); err != nil {
		return fmt.Errorf("saving the seeds: %w", err)
	}
	return d.retryRefused(ctx, p)
}

// liveConfig makes the driver's configuration.
func liveConfig(env *environment, o *crawlOptions, p *plan, data *dataDir) (live.Config, error) {
	id := p.Client
	if id == "" {
		id = string(env.cfg.Crawl.Client)
	}
	prof, err := env.client(id)
	if err != nil {
		return live.Config{}, err
	}
	for _, u := range p.seeds() {
		if err := env.allowed(prof, u.Host(), o.impersonate); err != nil {
			return live.Config{}, err
		}
		if o.insecure && !slices.Contains(p.Own, string(u.Host())) {
			return live.Config{}, usageError("--insecure needs --own for every host of the crawl, and %s is not stated to be yours", u.Host())
		}
	}
	scope, err := p.scope(env, prof, o.impersonate)
	if err != nil {
		return live.Config{}, err
	}
	maxPages := o.maxPages
	if maxPages == 0 {
		maxPages = env.cfg.Crawl.MaxPages
	}
	concurrency := o.concurrency
	if concurrency <= 0 {
		concurrency = env.cfg.Crawl.Concurrency
	}
	return live.Config{
		Schedule: schedule.Config{
			Clients: scheduleClients(prof), Identity: env.identity, Capacity: env.capacity, Paused: env.paused, Egress: env.egress,
			Robots: robots.DefaultTimes(), React: react.DefaultParams(), Demand: demand.DefaultParams(),
			Timeouts: env.timeouts, Scope: scope, MaxPages: maxPages, Rand: rand.Float64,
		},
		Store: data.store, Fetcher: env.fetcher(), Worker: data.worker, Concurrency: concurrency, Patience: o.patience,
	}, nil
}

func (p *plan) scope(env *environment, prof client.Profile, impersonate bool) (schedule.Scope, error) {
	s := schedule.Scope{AllHosts: p.AllHosts || env.cfg.Crawl.AllHosts, MaxDepth: p.MaxDepth}
	if s.MaxDepth == 0 {
		s.MaxDepth = env.cfg.Crawl.MaxDepth
	}
	if s.MaxDepth <= 0 {
		s.MaxDepth = -1
	}
	for _, u := range p.seeds() {
		if !slices.Contains(s.Sites, u.Host()) {
			s.Sites = append(s.Sites, u.Host())
		}
	}
	var err error
	if s.Include, err = compile("--include", p.Include); err != nil {
		return s, err
	}
	if s.Exclude, err = compile("--exclude", p.Exclude); err != nil {
		return s, err
	}
	s.Include = append(s.Include, env.cfg.Crawl.Include...)
	s.Exclude = append(s.Exclude, env.cfg.Crawl.Exclude...)
	if prof.Impersonates() && !impersonate {
		s.Allowed = env.owned.Contains // A7, wherever links lead
	}
	return s, nil
}

func compile(flag string, list []string) ([]*regexp.Regexp, error) {
	out := make([]*regexp.Regexp, 0, len(list))
	for _, s := range list {
		re, err := regexp.Compile(s)
		if err != nil {
			return nil, usageError("%s: %v (RE2 syntax; put it in quotes)", flag, err)
		}
		out = append(out, re)
	}
	return out, nil
}

// capacity returns the constants for a hostname: its owner's or a stranger's.
func (env *environment) capacity(h crawl.Host) hostload.Params {
	p := hostload.Stranger()
	if env.statedOwn(h) {
		p = hostload.Own()
	}
	if rule, ok := env.cfg.HostRule(h); ok {
		p = p.WithLimit(rule.Limit)
	}
	return p
}

func (env *environment) paused(h crawl.Host) bool {
	rule, ok := env.cfg.HostRule(h)
	return ok && rule.Pause
}

// statedOwn reports whether the operator said that the host is theirs. This
// machine's own addresses are theirs without saying so, but a high capacity is
// still only for the saying (E7).
func (env *environment) statedOwn(h crawl.Host) bool {
	if !env.owned.Contains(h) {
		return false
	}
	name := strings.Trim(string(h), "[]")
	a, err := netip.ParseAddr(name)
	if !thisMachine(h) {
		return true
	}
	for _, e := range env.own {
		if strings.Trim(e, "[]") == name {
			return true
		}
		if p, perr := netip.ParsePrefix(e); perr == nil && err == nil && p.Contains(a) {
			return true
		}
	}
	return false
}
