package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/compare"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/schedule"
)

// exitDifferent is the exit code of a comparison that found differences.
const exitDifferent = 4

// House choices of a comparison.
const (
	compareTimeout = 5 * time.Minute // for all of it
	comparePause   = time.Second     // before each request but the first, on hosts of strangers
	maxProbes      = 12              // whose bodies are in memory together
)

// defaultCompared are the clients of a comparison that names none: trawl under its
// own name, and the two that decide what a search engine knows of a page. There is
// no browser among them: to send a browser's user agent would hide who asks (A7).
func defaultCompared() []string {
	return []string{string(client.DefaultID), "googlebot-smartphone", "googlebot-desktop"}
}

// comparison is a comparison that is carried out.
type comparison struct {
	env      *environment
	o        *fetchOptions
	url      crawl.URL
	fetcher  fetch.Fetcher
	asks     []*question
	pause    time.Duration
	sent     bool
	halt     string // why nothing more is asked; "" = it goes on
	announce func(string)
}

// question is one way of asking and its probe.
type question struct {
	asking
	probe *compare.Probe
}

func runCompare(ctx context.Context, o fetchOptions, env *environment, u crawl.URL, s streams) error {
	c := &comparison{env: env, o: &o, url: u, announce: func(string) {}}
	if s.tty {
		c.announce = func(what string) { s.say("asking as %s", what) }
	}
	if err := c.plan(s); err != nil {
		return err
	}
	timeout := o.timeout
	if timeout == 0 {
		timeout = compareTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c.fetcher = env.fetcher()
	defer c.fetcher.CloseIdle()
	if !env.owned.Contains(u.Host()) {
		c.pause = comparePause
	}
	rep := c.run(limited)
	if err := interrupted(ctx); err != nil {
		return err
	}
	if err := writeComparison(&o, s, rep); err != nil {
		return err
	}
	return compareEnding(rep)
}

// plan makes the list of ways to ask: every client over every protocol from every
// region, the protocols of one client together.
func (c *comparison) plan(s streams) error {
	names, chosen := c.o.clients, len(c.o.clients) > 0
	if !chosen {
		names = defaultCompared()
	}
	protocols, err := c.protocols()
	if err != nil {
		return err
	}
	regions, err := c.regions()
	if err != nil {
		return err
	}
	var left []string
	seen := map[string]bool{}
	for _, id := range names {
		p, err := c.env.client(id)
		if err != nil {
			return err
		}
		if err := c.env.allowed(p, c.url.Host(), c.o.impersonate); err != nil {
			if chosen {
				return err
			}
			left = append(left, id)
			continue
		}
		for _, proto := range protocols {
			for _, region := range regions {
				a := c.way(p, proto, region, len(protocols) > 1, len(regions) > 1)
				if !seen[a.probe.Name] {
					seen[a.probe.Name] = true
					c.asks = append(c.asks, a)
				}
			}
		}
	}
	if len(left) > 0 {
		s.say("left out: %s, whose names may be used on hosts that are yours only (A7): --own if %s is, --impersonate with its operator's consent",
			strings.Join(left, " and "), c.url.Host())
	}
	switch {
	case len(c.asks) > maxProbes:
		return usageError("a comparison takes at most %d requests, and this one would be %d: name fewer clients, protocols or regions", maxProbes, len(c.asks))
	case len(c.asks) < 2:
		return usageError("a comparison needs two ways of asking: name more clients (--client a,b), both protocols (--protocol http1,http2) or more regions")
	}
	return nil
}

func (c *comparison) protocols() ([]crawl.Protocol, error) {
	secure := c.url.Scheme() == "https"
	switch {
	case strings.HasPrefix(c.url.Scheme(), "ftp"):
		if len(c.o.protocols) > 0 {
			return nil, usageError("--protocol is for http and https URLs")
		}
		return []crawl.Protocol{crawl.ProtocolAuto}, nil
	case len(c.o.protocols) == 0 && secure:
		return []crawl.Protocol{crawl.ProtocolHTTP1, crawl.ProtocolHTTP2}, nil
	case len(c.o.protocols) == 0:
		return []crawl.Protocol{crawl.ProtocolHTTP1}, nil // without TLS a crawler speaks nothing else
	}
	var out []crawl.Protocol
	for _, p := range c.o.protocols {
		out = append(out, map[string]crawl.Protocol{"http1": crawl.ProtocolHTTP1, "http2": crawl.ProtocolHTTP2}[p])
	}
	return out, nil
}

// regions are those of --region, or the one that the host is asked from anyway.
func (c *comparison) regions() ([]string, error) {
	if len(c.o.regions) == 0 {
		return []string{c.env.leave(c.url.Host())}, nil
	}
	var out []string
	for _, name := range c.o.regions {
		r, err := chosenRegion(&c.env.cfg.Egress, name)
		if err != nil {
			return nil, err
		}
		out = append(out, *r)
	}
	return out, nil
}

func (c *comparison) way(p client.Profile, proto crawl.Protocol, region string, manyProtocols, manyRegions bool) *question {
	name := string(p.ID)
	if manyProtocols {
		name += " over " + proto.String()
	}
	if manyRegions {
		name += " from " + regionName(region)
	}
	operator := p.Operator
	if operator == "" && p.Impersonates() {
		operator = "Google"
	}
	follow := p.MaxRedirects > 0 && !c.o.noFollow
	return &question{
		asking: asking{profile: p, protocol: proto, region: func(crawl.Host) string { return region }, follow: follow},
		probe: &compare.Probe{
			Name: name, Client: p.ID, Operator: operator, RobotsNames: p.MetaNames(), Follows: follow, Protocol: proto, Region: region,
		},
	}
}

// run asks in every way, one after another, and the first one once more.
func (c *comparison) run(ctx context.Context) *compare.Report {
	probes := make([]*compare.Probe, len(c.asks))
	for i, a := range c.asks {
		probes[i] = a.probe
		c.ask(ctx, a)
	}
	first := *c.asks[0]
	control := *first.probe
	control.Hops, control.RedirectErr, control.Skipped = nil, "", ""
	first.probe = &control
	c.ask(ctx, &first)
	if control.Skipped != "" {
		return compare.Compare(c.url, probes, nil, control.Skipped)
	}
	return compare.Compare(c.url, probes, &control, "")
}

// ask fills one probe. A host that says that it is too much is not asked again.
func (c *comparison) ask(ctx context.Context, a *question) {
	if c.halt == "" && c.sent && c.pause > 0 {
		select {
		case <-time.After(c.pause):
		case <-ctx.Done():
		}
	}
	if c.halt == "" && ctx.Err() != nil {
		c.halt = "the time for the comparison was over (--timeout)"
	}
	if c.halt != "" {
		a.probe.Skipped = c.halt
		return
	}
	c.sent = true
	c.announce(a.probe.Name)
	var out *crawl.Result
	why, err := a.chain(ctx, c.fetcher, c.env, c.url, c.o.impersonate, func(_ *schedule.Job, f *schedule.Findings, _ *storedCopy) {
		out = f.Result
		a.probe.Hops = append(a.probe.Hops, out)
		if c.pause > 0 && (out.Status == 429 || out.Status == 503) {
			c.halt = fmt.Sprintf("%s answered %d before, and the host is not stated to be yours", out.URL.Host(), out.Status)
		}
	})
	c.fetcher.CloseIdle() // every way of asking makes its own connection
	a.probe.RedirectErr = why
	if err != nil {
		a.probe.RedirectErr = err.Error()
	}
	if out != nil && out.Failure != nil && out.Failure.Class == crawl.FailCanceled {
		a.probe.Hops, a.probe.Skipped = nil, "the time for the comparison was over (--timeout)"
	}
}

// compareEnding turns the report into an exit code.
func compareEnding(rep *compare.Report) error {
	asked, answered := 0, 0
	var last *crawl.Failure
	for _, p := range rep.Probes {
		if p.Skipped == "" {
			asked++
		}
		if p.Status > 0 {
			answered++
		}
		if p.Failure != nil {
			last = p.Failure
		}
	}
	switch {
	case !rep.Same:
		return &exitError{code: exitDifferent}
	case answered == 0 && last != nil:
		return &exitError{exitFailed, errors.New("none of them got a response: " + failureAdvice(&crawl.Result{URL: rep.URL, Failure: last}))}
	case asked < len(rep.Probes):
		return &exitError{code: exitIncomplete}
	}
	return nil
}
