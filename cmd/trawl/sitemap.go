package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/lastmod"
	"trawl/internal/robots"
	"trawl/internal/schedule"
	"trawl/internal/sitemaps"
	"trawl/internal/weburl"
)

// sitemapOptions are the flags of `trawl sitemap`.
type sitemapOptions struct {
	identityOptions
	clients    []string
	data       string
	robotsFile string
	servedAt   string
	max        int
	limit      int
	json       bool
	quiet      bool
	fromStore  bool
	host       string
	out        string
	base       string
	gzip       bool
}

func newSitemap(s streams) *cobra.Command {
	o := sitemapOptions{}
	cmd := &cobra.Command{
		Use:   "sitemap URL|FILE",
		Short: "Check a sitemap as a crawler reads it, or write one from a crawl",
		Long: `Sitemap reads a sitemap of any format (XML, index, RSS, Atom, text; packed by gzip
or not) and says, line by line, what a crawler will not take, what it takes otherwise
than meant, and what it will not believe (D2): invalid, doubled, out of scope, not
canonical, blocked by robots.txt, over the limits, lastmod that cannot be.

The sitemaps of an index are read too: those of a URL one after the other with a pause
of a second between, those of a FILE from the same directory. A FILE is judged as if
it were served at the root of the host of its first URL; --url says where it is. robots.txt
of the hosts is asked for when a URL is given; --robots FILE is used instead.

With --data, the URLs are compared with what a crawl knows: which it does not know, did
not crawl, and cannot index, and whether the host's lastmod is believed.

With --from-store a sitemap is written of the URLs that can be indexed: fetched with
200, not noindex, canonical to themselves, allowed by robots.txt. lastmod is when the
content was first seen as it is, and left out where no change was seen. -o names a
directory, or a file that ends in .xml; of several hosts each gets a directory. Beyond
50,000 URLs or 50 MB the sitemap is split, and the file is an index.

Exit codes: 0 no errors or warnings; 1 the sitemap could not be read or written; 2 bad
usage; 3 errors or warnings were found, or sitemaps of an index were left out; 130
interrupted.`,
		Example: `  trawl sitemap https://www.example.org/sitemap.xml
  trawl sitemap public/sitemap.xml --url https://www.example.org/sitemap.xml --robots public/robots.txt
  trawl sitemap --client googlebot-smartphone --data trawl-data https://www.example.org/sitemap.xml
  trawl sitemap --json https://www.example.org/sitemap.xml | jq '.findings[] | select(.severity=="error")'
  trawl sitemap --from-store --data trawl-data --host www.example.org -o public/`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.fromStore && len(args) > 0:
				return usageError("--from-store writes a sitemap and reads none: leave out %q (--host names the host)", args[0])
			case !o.fromStore && len(args) != 1:
				return usageError("%s needs one URL or file of a sitemap, got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.misused(cmd); err != nil {
				return err
			}
			if o.fromStore {
				return runSitemapWrite(cmd.Context(), &o, s)
			}
			return runSitemapCheck(cmd.Context(), &o, args[0], s)
		},
	}
	o.identityOptions.flags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.clients, "client", []string{"trawl"}, "crawler client for which robots.txt is asked; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("client", completeClients)
	f.StringVar(&o.data, "data", "", "data directory of a crawl to compare with, or to write from")
	f.StringVar(&o.robotsFile, "robots", "", "file with the robots.txt of the sitemap's host")
	f.StringVar(&o.servedAt, "url", "", "where the FILE is, or will be, on the web")
	f.IntVar(&o.max, "max", 100, "read at most so many sitemaps")
	f.IntVar(&o.limit, "limit", 20, "list so many findings of one kind for each sitemap; all are counted")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.BoolVar(&o.fromStore, "from-store", false, "write a sitemap from the crawl in --data")
	f.StringVar(&o.host, "host", "", "with --from-store: only this hostname")
	f.StringVarP(&o.out, "output", "o", "", "with --from-store: directory, or file that ends in .xml")
	f.StringVar(&o.base, "base", "", "with --from-store: URL of the directory where the files will be served (default the root of the host)")
	f.BoolVar(&o.gzip, "gzip", false, "with --from-store: pack the files")
	return cmd
}

// misused finds flags that go with the other half of the command.
func (o *sitemapOptions) misused(cmd *cobra.Command) error {
	writing, reading := []string{"host", "output", "base", "gzip"}, []string{"robots", "url", "max", "client", "limit"}
	wrong, hint := writing, "goes with --from-store"
	if o.fromStore {
		wrong, hint = reading, "does not go with --from-store"
	}
	for _, name := range wrong {
		if cmd.Flags().Changed(name) {
			return usageError("--%s %s", name, hint)
		}
	}
	switch {
	case o.max < 1:
		return usageError("--max takes a number from 1 on")
	case o.limit < 1:
		return usageError("--limit takes a number from 1 on")
	case o.fromStore && o.data == "":
		return usageError("--from-store needs --data DIR, the data directory of a crawl")
	case o.fromStore && o.out == "":
		return usageError("--from-store needs -o, a directory or a file that ends in .xml")
	}
	return nil
}

// sitemapReport is what a check found, for scripts.
type sitemapReport struct {
	Input    string                     `json:"input"`
	Files    []sitemaps.File            `json:"sitemaps"`
	Left     int                        `json:"sitemaps_left_out"`
	URLs     int64                      `json:"urls"`
	Hosts    int                        `json:"hosts"`
	Errors   int64                      `json:"errors"`
	Warnings int64                      `json:"warnings"`
	Counts   []sitemaps.Count           `json:"counts"`
	Findings []sitemaps.Finding         `json:"findings"`
	Dropped  int64                      `json:"findings_not_listed"`
	Robots   []robotsUsed               `json:"robots"`
	Clients  []crawl.ClientID           `json:"clients"`
	Crawl    *sitemaps.Facts            `json:"crawl,omitempty"`
	Trust    map[string]lastmod.Verdict `json:"lastmod_trust,omitempty"`
}

// robotsUsed is a robots.txt that the check went by.
type robotsUsed struct {
	Origin  crawl.Origin `json:"origin"`
	Meaning string       `json:"meaning"`
	Names   int          `json:"sitemaps_named"`
}

// sitemapCheck is one run of the check.
type sitemapCheck struct {
	opt     *sitemapOptions
	streams streams
	env     *environment
	self    client.Profile   // fetches
	judged  []client.Profile // may or may not
	source  sitemapSource
	review  *sitemaps.Review
	robots  map[crawl.Origin]*hostRobots
	order   []crawl.Origin
	alias   map[crawl.URL]crawl.URL // where a redirect led: from where
	data    *dataDir
	left    int
}

func runSitemapCheck(ctx context.Context, o *sitemapOptions, what string, s streams) error {
	c := &sitemapCheck{opt: o, streams: s, robots: map[crawl.Origin]*hostRobots{}, alias: map[crawl.URL]crawl.URL{}}
	if err := c.open(what); err != nil {
		return err
	}
	if o.data != "" {
		d, err := openData(o.data, false, s)
		if err != nil {
			return err
		}
		defer d.close()
		c.data = d
	}
	opt := sitemaps.Options{Now: nowUTC(), Listed: o.limit, Named: c.named, Robots: c.blocked}
	if c.data != nil {
		opt.Known = func(u crawl.URL) (sitemaps.Fact, error) { return sitemapFact(ctx, c.data.store, u) }
	}
	c.review = sitemaps.New(opt)
	err := c.follow(ctx, what)
	if cerr := c.source.close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	rep, err := c.report(ctx, what)
	if err != nil {
		return err
	}
	if o.json {
		err = printJSON(s.out, rep)
	} else {
		err = rep.text(s.out)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return interrupted(ctx)
	case rep.Errors+rep.Warnings > 0 || rep.Left > 0:
		return &exitError{code: exitIncomplete}
	}
	return nil
}

// open makes ready what the check works with.
func (c *sitemapCheck) open(what string) error {
	isURL := strings.Contains(what, "://")
	var hosts []crawl.Host
	var at crawl.URL
	switch {
	case isURL && c.opt.servedAt != "":
		return usageError("--url goes with a FILE")
	case isURL || c.opt.servedAt != "":
		raw := c.opt.servedAt
		if isURL {
			raw = what
		}
		u, err := parseURL(raw)
		if err != nil {
			return err
		}
		at, hosts = u, c.opt.ownHosts(u)
	}
	env, err := c.opt.identityOptions.open(hosts)
	if err != nil {
		return err
	}
	c.env = env
	if c.self, err = env.client("trawl"); err != nil {
		return err
	}
	for _, id := range c.opt.clients {
		p, err := env.client(id)
		if err != nil {
			return err
		}
		c.judged = append(c.judged, p)
	}
	if isURL {
		c.source = &webSource{check: c, fetcher: env.fetcher(), start: at}
	} else {
		c.source = &fileSource{start: what, at: at}
	}
	if c.opt.robotsFile != "" {
		return c.readRobots(c.opt.robotsFile, at)
	}
	return nil
}

// named are the hosts whose robots.txt names a sitemap.
func (c *sitemapCheck) named(u crawl.URL) []crawl.Host {
	var out []crawl.Host
	for _, o := range c.order {
		for _, x := range []crawl.URL{u, c.alias[u]} {
			if x != "" && c.robots[o].names[x] {
				out = append(out, o.Host())
			}
		}
	}
	return out
}

// blocked says for which of the clients robots.txt disallows a URL.
func (c *sitemapCheck) blocked(u crawl.URL) []sitemaps.Blocked {
	r := c.robots[u.Origin()]
	if r == nil {
		return nil
	}
	var out []sitemaps.Blocked
	for i, p := range c.judged {
		_, _, ignores := p.RobotsAgent()
		switch {
		case ignores || r.state.Access == robots.AccessAll:
		case r.state.Access != robots.AccessRules:
			out = append(out, sitemaps.Blocked{Client: p.ID, Why: r.state.Reason})
		default:
			if v := r.matchers[i].Check(u.PathQuery()); !v.Allowed {
				out = append(out, sitemaps.Blocked{Client: p.ID, Line: v.Line, Why: fmt.Sprintf("line %d: %s", v.Line, v.Rule)})
			}
		}
	}
	return out
}

func (c *sitemapCheck) report(ctx context.Context, what string) (*sitemapReport, error) {
	r := c.review
	rep := &sitemapReport{
		Input: what, Files: append([]sitemaps.File{}, r.Files...), Left: c.left, URLs: r.URLs, Hosts: r.Hosts(), Counts: r.Counts(),
		Findings: append([]sitemaps.Finding{}, r.Findings...), Dropped: r.Dropped, Robots: []robotsUsed{},
	}
	rep.Errors, rep.Warnings = r.Problems()
	for _, o := range c.order {
		rep.Robots = append(rep.Robots, robotsUsed{o, c.robots[o].state.Reason, len(c.robots[o].names)})
	}
	for _, p := range c.judged {
		rep.Clients = append(rep.Clients, p.ID)
	}
	if c.data == nil {
		return rep, nil
	}
	rep.Crawl, rep.Trust = &r.Facts, map[string]lastmod.Verdict{}
	for _, f := range r.Files {
		h := f.URL.Host()
		if _, done := rep.Trust[string(h)]; done || h == "" {
			continue
		}
		rec, known, err := c.data.store.Host(ctx, h)
		if err != nil {
			return nil, err
		}
		if known {
			rep.Trust[string(h)] = lastmod.Judge(rec.Sitemaps.Trust, nowUTC())
		}
	}
	return rep, nil
}

// hostRobots is one robots.txt, compiled for the clients.
type hostRobots struct {
	state    robots.State
	matchers []*robots.Matcher // of the clients that are judged
	own      *robots.Matcher   // of the client that fetches
	names    map[crawl.URL]bool
}

func (c *sitemapCheck) addRobots(o crawl.Origin, rec crawl.RobotsRecord) {
	r := &hostRobots{state: robots.Ladder(robots.DefaultTimes(), rec, nowUTC()), names: map[crawl.URL]bool{}}
	rules := robots.Parse(rec.Body)
	for i := range c.judged {
		r.matchers = append(r.matchers, matcherFor(rules, &c.judged[i]))
	}
	r.own = matcherFor(rules, &c.self)
	for i, sm := range rules.Sitemaps() {
		if u, err := weburl.Parse(sm.URL); err == nil && i < schedule.MaxSitemaps {
			r.names[u] = true
		}
	}
	c.robots[o] = r
	c.order = append(c.order, o)
}

func matcherFor(rules *robots.Rules, p *client.Profile) *robots.Matcher {
	tokens, ignoreGlobal, _ := p.RobotsAgent()
	return rules.For(robots.Agent{Tokens: tokens, IgnoreGlobal: ignoreGlobal})
}
