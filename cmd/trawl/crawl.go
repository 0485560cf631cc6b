package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/live"
	"trawl/internal/report"
	"trawl/internal/schedule"
	"trawl/internal/weburl"
)

// crawlOptions are the flags of `trawl crawl`.
type crawlOptions struct {
	identityOptions
	plan
	data        string
	maxPages    int64
	noWARC      bool
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
committed is not fetched again before it is due.

To hosts of other people it starts at about one request every few seconds for each
hostname. --own states that the hosts are yours: capacity starts high.

Exit codes: 0 done; 1 failed, or nothing could be crawled; 2 bad usage or
configuration; 3 done, but hostnames were left out (the summary says why);
130 interrupted (run it again to go on).`,
		Example: `  trawl crawl https://www.example.org/
  trawl crawl                                  go on with the crawl in ./trawl-data
  trawl crawl --data site --max-pages 500 https://www.example.org/
  trawl crawl --own --client googlebot-smartphone http://127.0.0.1:8080/
  trawl crawl --exclude '/archive/' --json https://www.example.org/ > summary.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return runCrawl(cmd, o, args, s) },
	}
	o.identityOptions.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "trawl-data", "data directory: store and archive")
	f.StringVar(&o.Client, "client", "", "crawler client to crawl as (default trawl's own; see 'trawl clients')")
	f.Int64Var(&o.maxPages, "max-pages", 0, "stop after this many page requests in this run (0 = no limit)")
	f.IntVar(&o.MaxDepth, "max-depth", 0, "follow links at most this far from the given URLs (0 = no limit)")
	f.StringArrayVar(&o.Include, "include", nil, "only URLs that match this regular expression (RE2; may be repeated)")
	f.StringArrayVar(&o.Exclude, "exclude", nil, "no URLs that match this regular expression (RE2; may be repeated)")
	f.BoolVar(&o.AllHosts, "all-hosts", false, "follow links to other sites too (default: the sites of the given URLs)")
	f.BoolVar(&o.noWARC, "no-warc", false, "keep no WARC archive of what was fetched")
	f.IntVar(&o.concurrency, "concurrency", 0, "fetches at the same time over all hosts (default from the configuration)")
	f.DurationVar(&o.patience, "patience", live.DefaultPatience, "how long to wait at the end for hostnames that are backing off")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.IntVar(&o.limit, "limit", 20, "entries of each list in the summary")
	return cmd
}

// runInfo is what a run adds to the summary of the store.
type runInfo struct {
	Ending   live.Ending     `json:"ending"`
	Started  time.Time       `json:"started"`
	Ended    time.Time       `json:"ended"`
	Pages    int64           `json:"pages"`
	Requests int64           `json:"requests"`
	Errors   int64           `json:"errors"`
	Bytes    int64           `json:"bytes"`
	Next     time.Time       `json:"next_due,omitzero"`
	Problems []string        `json:"problems"`
	Data     string          `json:"data"`
	Summary  *report.Summary `json:"summary"`
}

func runCrawl(cmd *cobra.Command, o crawlOptions, args []string, s streams) error {
	ctx := cmd.Context()
	seeds, err := parseSeeds(args)
	if err != nil {
		return err
	}
	data, err := openData(o.data, len(seeds) > 0)
	if err != nil {
		return err
	}
	defer data.close()
	p, err := data.plan(ctx, o, seeds, cmd)
	if err != nil {
		return err
	}
	if p.Own {
		o.identityOptions.own = true
	}
	env, err := o.identityOptions.open(p.seeds(), s)
	if err != nil {
		return err
	}
	cfg, err := liveConfig(env, &o, p, data)
	if err != nil {
		return err
	}
	if err := data.start(ctx, p, &cfg.Schedule); err != nil {
		return err
	}
	if !o.noWARC && env.cfg.Crawl.WARC {
		arch, err := data.openArchive(env, s)
		if err != nil {
			return err
		}
		cfg.Archive = arch
	}
	info, err := drive(ctx, cfg, &o, s)
	if cerr := data.closeArchive(); err == nil {
		err = cerr
	}
	return finishCrawl(ctx, data, p, env, info, err, &o, s)
}

// drive runs the crawl with its progress line.
func drive(ctx context.Context, cfg live.Config, o *crawlOptions, s streams) (runInfo, error) {
	cfg.Progress = live.NewProgress()
	var line *progressLine
	if !o.quiet {
		line = startProgress(s.err, s.tty, cfg.Progress)
	}
	res, err := live.Run(ctx, cfg)
	if line != nil {
		line.end()
	}
	snap := cfg.Progress.Snapshot()
	return runInfo{
		Ending: res.Ending, Started: res.Started, Ended: res.Ended, Next: res.Next, Data: o.data, Problems: []string{},
		Pages: snap.Pages, Requests: snap.Requests, Errors: snap.Errors, Bytes: snap.Bytes,
	}, err
}

// finishCrawl prints the summary and turns the ending into an exit code.
func finishCrawl(ctx context.Context, data *dataDir, p *plan, env *environment, info runInfo, runErr error, o *crawlOptions, s streams) error {
	ctx = context.WithoutCancel(ctx)
	if runErr != nil {
		return &exitError{exitFailed, fmt.Errorf("the crawl stopped: %w\nNothing that was committed is lost: mend the cause and run it again", advise(runErr))}
	}
	sum, err := report.Summarise(ctx, data.store, report.Options{Limit: o.limit, Now: time.Now()})
	if err != nil {
		return fmt.Errorf("reading the store for the summary: %w", err)
	}
	info.Summary = sum
	good, problems, err := data.seedProblems(ctx, p, env)
	if err != nil {
		return err
	}
	info.Problems = append(info.Problems, problems...)
	if o.json {
		err = printJSON(s.out, info)
	} else {
		err = info.text(s)
	}
	if err != nil {
		return err
	}
	for _, problem := range problems {
		fmt.Fprintln(s.err, "trawl: "+report.Safe(problem))
	}
	switch {
	case info.Ending == live.EndInterrupted:
		return &exitError{code: exitInterrupted}
	case good == 0 && sum.Crawled == 0, good == 0 && len(problems) > 0 && info.Pages <= int64(len(problems)):
		return &exitError{exitFailed, fmt.Errorf("nothing could be crawled")}
	case len(problems) > 0, sum.Left.Total > 0 && info.Ending != live.EndMaxPages:
		return &exitError{code: exitIncomplete}
	}
	return nil
}

func (i *runInfo) text(s streams) error {
	took := i.Ended.Sub(i.Started)
	rate := 0.0
	if took > 0 {
		rate = float64(i.Pages) / took.Seconds()
	}
	_, err := fmt.Fprintf(s.out, "This run: %s after %s, %d pages (%.1f/s), %d requests, %d errors, %s\n",
		endingText(i), took.Round(time.Millisecond), i.Pages, rate, i.Requests, i.Errors, report.Bytes(i.Bytes))
	if err != nil {
		return err
	}
	return i.Summary.Text(s.out)
}

func endingText(i *runInfo) string {
	switch i.Ending {
	case live.EndComplete, live.EndPatience:
		if i.Pages == 0 {
			return "nothing was due"
		}
		if i.Summary.Pending > 0 {
			return "ended, with hostnames left out"
		}
		return "complete"
	case live.EndMaxPages:
		return "page limit reached"
	case live.EndInterrupted:
		return "interrupted, run it again to go on"
	}
	return string(i.Ending)
}

func parseSeeds(args []string) ([]crawl.URL, error) {
	seeds := make([]crawl.URL, 0, len(args))
	for _, a := range args {
		u, err := weburl.Parse(a)
		if err != nil {
			return nil, usageError("%v", err)
		}
		if sch := u.Scheme(); sch != "http" && sch != "https" {
			return nil, usageError("%s: crawling over %s is not there yet; use http or https", a, sch)
		}
		seeds = append(seeds, u)
	}
	return seeds, nil
}

// scheduleClients returns the clients of a crawl: one for now.
func scheduleClients(p client.Profile) []schedule.Client { return []schedule.Client{{Profile: p}} }
