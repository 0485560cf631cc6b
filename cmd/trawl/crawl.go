package main

import (
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/config"
	"trawl/internal/crawl"
	"trawl/internal/live"
	"trawl/internal/schedule"
)

// crawlOptions are the flags of `trawl crawl`.
type crawlOptions struct {
	identityOptions
	plan
	data        string
	store       string
	maxPages    int64
	refresh     bool
	concurrency int
	patience    time.Duration
	json        bool
	quiet       bool
	limit       int
}

func newCrawl(s streams) *cobra.Command {
	o := crawlOptions{}
	cmd := &cobra.Command{
		Use:   "crawl [URL...]",
		Short: "Crawl sites into a data directory, or go on with a crawl",
		Long: `Crawl follows links and sitemaps from the given URLs within their sites, politely:
robots.txt is obeyed, and each hostname is asked only as fast as it bears.

Everything is kept in the data directory. Stop it whenever you like, with ^C or
worse: run it again, with or without the URLs, and it goes on where it was. What was
committed is not fetched again before it is due. It remembers --client, --own,
--all-hosts, --max-depth, --include, --exclude and --no-warc until they are given
again; the other flags are for one run, --config among them.

To hosts of other people it starts at about one request every few seconds for each
hostname. --own states that the hosts of the URLs given with it are yours: capacity
starts high.

The given URLs are crawled even where --include or --exclude say otherwise, and a
pattern holds for links that are found from then on.

Exit codes: 0 done; 1 failed, or nothing could be crawled; 2 bad usage or
configuration, and nothing was started; 3 done, but given URLs or hostnames were left
out (the summary says why); 130 interrupted (run it again to go on).`,
		Example: `  trawl crawl https://www.example.org/
  trawl crawl                                  go on with the crawl in ./trawl-data
  trawl crawl --refresh                        crawl everything in it again
  trawl crawl --data site --max-pages 500 https://www.example.org/
  trawl crawl --own --client googlebot-smartphone http://127.0.0.1:8080/
  trawl crawl --store postgres://crawler@db.example.org/crawl https://www.example.org/
  trawl crawl --exclude '/archive/' --json https://www.example.org/ > summary.json`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runCrawl(cmd, o, args, s) },
	}
	o.identityOptions.flags(cmd)
	clientFlag(cmd, &o.Client, "", "crawler client to crawl as (default trawl's own; see 'trawl clients')")
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "trawl-data", "data directory: store and archive")
	storeFlag(cmd, &o.store)
	f.Int64Var(&o.maxPages, "max-pages", 0, "stop after this many page requests in this run (0 = no limit)")
	f.IntVar(&o.MaxDepth, "max-depth", 0, "follow links at most this far from the given URLs (0 = no limit)")
	f.StringArrayVar(&o.Include, "include", nil, "only URLs that match this regular expression (RE2; may be repeated)")
	f.StringArrayVar(&o.Exclude, "exclude", nil, "no URLs that match this regular expression (RE2; may be repeated)")
	f.BoolVar(&o.AllHosts, "all-hosts", false, "follow links to other sites too (default: the sites of the given URLs)")
	f.BoolVar(&o.NoWARC, "no-warc", false, "keep no WARC archive of what was fetched")
	f.BoolVar(&o.refresh, "refresh", false, "crawl again, now, every page that was crawled before (conditionally, where the client asks so)")
	f.IntVar(&o.concurrency, "concurrency", 0, "fetches at the same time over all hosts, 1 to 10000 (default from the configuration, or 64)")
	f.DurationVar(&o.patience, "patience", live.DefaultPatience, "how long to wait at the end for hostnames that are backing off")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.IntVar(&o.limit, "limit", 20, limitUsage)
	return cmd
}

// limitUsage is the text of --limit, which two commands have.
const limitUsage = "entries of each list in the summary: broken links, redirects, traps and the like (0 = 100); slowest and largest show 10 at most"

func runCrawl(cmd *cobra.Command, o crawlOptions, args []string, s streams) error {
	ctx := cmd.Context()
	if cmd.Flags().Changed("concurrency") && (o.concurrency < 1 || o.concurrency > config.MaxConcurrency) {
		return usageError("--concurrency takes 1 to %d", config.MaxConcurrency)
	}
	seeds, err := o.check(args)
	if err != nil {
		return err
	}
	data, err := openCrawl(ctx, o.data, o.store, len(seeds) > 0, s)
	if err != nil {
		return err
	}
	defer data.close()
	if err := data.holdData(); err != nil {
		return err
	}
	p, err := data.plan(ctx, o, seeds, cmd)
	if err != nil {
		return err
	}
	env, err := o.identityOptions.open(p.stated())
	if err != nil {
		return err
	}
	cfg, err := liveConfig(env, &o, p, data)
	if err != nil {
		return err
	}
	warnContact(s, env, cfg.Schedule.Clients[0].Profile, p)
	if err := data.start(ctx, p, &cfg.Schedule); err != nil {
		return err
	}
	if o.refresh {
		n, err := data.refresh(ctx, nowUTC())
		if err != nil {
			return err
		}
		s.say("%d pages that were crawled before are due again", n)
	}
	if !p.NoWARC && env.cfg.Crawl.WARC {
		arch, err := data.openArchive(env)
		if err != nil {
			return err
		}
		cfg.Archive = arch
	}
	cfg.Warn = func(text string) { s.say("trawl: %s", text) }
	stop := data.serveInbox(ctx)
	info, err := drive(ctx, cfg, &o, s)
	stop()
	if cerr := data.closeArchive(); err == nil {
		err = cerr
	}
	return finishCrawl(ctx, data, p, info, err, &o, s)
}

// check finds what is wrong with the command line and the configuration before
// a data directory is made for it.
func (o *crawlOptions) check(args []string) ([]crawl.URL, error) {
	if o.maxPages < 0 || o.MaxDepth < 0 || o.patience < 0 || o.limit < 0 {
		return nil, usageError("--max-pages, --max-depth, --patience and --limit take no negative values")
	}
	seeds := make([]crawl.URL, 0, len(args))
	var own []crawl.Host
	for _, a := range args {
		u, err := parseURL(a)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, u)
		own = append(own, o.ownHosts(u)...)
	}
	if len(seeds) == 0 {
		return nil, nil // what is stored decides
	}
	env, err := o.identityOptions.open(own)
	if err != nil {
		return nil, err
	}
	id := o.Client
	if id == "" {
		id = string(env.cfg.Crawl.Client)
	}
	prof, err := env.client(id)
	if err != nil {
		return nil, err
	}
	for _, u := range seeds {
		if err := env.allowed(prof, u.Host(), o.impersonate); err != nil {
			return nil, err
		}
	}
	_, err = o.scope(env, prof, o.impersonate)
	return seeds, err
}

// warnContact says once that the operators of the hosts cannot tell who crawls.
func warnContact(s streams, env *environment, prof client.Profile, p *plan) {
	id := env.identity
	id.Contact = "https://example.org/"
	if env.identity.Contact != "" || prof.UserAgent(id) == prof.UserAgent(env.identity) {
		return
	}
	for _, u := range p.seeds() {
		if !env.owned.Contains(u.Host()) {
			s.say("warning: no contact is set, so that the operator of %s cannot reach you: "+
				"put \"contact: you@example.org\" into a file and name it with --config", u.Host())
			return
		}
	}
}

// scheduleClients returns the clients of a crawl: one for now.
func scheduleClients(p client.Profile) []schedule.Client { return []schedule.Client{{Profile: p}} }
