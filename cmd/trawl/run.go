package main

import (
	"context"
	"fmt"
	"time"

	"trawl/internal/live"
	"trawl/internal/report"
)

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
func finishCrawl(ctx context.Context, data *dataDir, p *plan, info runInfo, runErr error, o *crawlOptions, s streams) error {
	ctx = context.WithoutCancel(ctx)
	if runErr != nil {
		return &exitError{exitFailed, fmt.Errorf("the crawl stopped: %w\nNothing that was committed is lost: mend the cause and run it again", advise(runErr))}
	}
	sum, err := report.Summarise(ctx, data.store, report.Options{Limit: o.limit, Now: time.Now()})
	if err != nil {
		return fmt.Errorf("reading the store for the summary: %w", err)
	}
	info.Summary = sum
	good, problems, err := data.seedProblems(ctx, p)
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
		s.say("trawl: %s", problem)
	}
	switch {
	case info.Ending == live.EndInterrupted:
		return &exitError{code: exitInterrupted}
	case good == 0 && sum.Content == 0:
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
	next := ""
	if !i.Next.IsZero() && i.Ending != live.EndInterrupted && i.Ending != live.EndMaxPages {
		next = "; next due " + i.Next.UTC().Format(time.RFC3339)
	}
	_, err := fmt.Fprintf(s.out, "This run: %s after %s: %s (%.1f/s), %s, %s, %s%s\n",
		endingText(i), took.Round(time.Millisecond), report.Count(i.Pages, "page"), rate, report.Count(i.Requests, "request"),
		report.Count(i.Errors, "error"), report.Bytes(i.Bytes), next)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(s.out, "Whole crawl: "); err != nil {
		return err
	}
	return i.Summary.Text(s.out)
}

func endingText(i *runInfo) string {
	switch i.Ending {
	case live.EndComplete, live.EndPatience:
		switch {
		case i.Summary.Crawled == 0:
			return "nothing was crawled"
		case i.Summary.Pending > 0:
			return "ended, with hostnames left out"
		case i.Pages == 0:
			return "nothing was due"
		}
		return "complete"
	case live.EndMaxPages:
		return "page limit reached"
	case live.EndInterrupted:
		return "interrupted (run it again to go on)"
	}
	return string(i.Ending)
}
