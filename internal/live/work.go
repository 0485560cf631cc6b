package live

import (
	"context"
	"fmt"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// finished is a job on its way back to the loop.
type finished struct {
	job      *schedule.Job
	findings *schedule.Findings
	err      error // of the archive
}

// work fetches, reads and archives until no jobs are left.
func (l *loop) work(ctx context.Context) {
	cfg := l.sched.Config()
	for job := range l.jobs {
		res := l.cfg.Fetcher.Fetch(ctx, job.Request)
		skip := func(u crawl.URL) bool { return l.seen.skip(job.Client, u) }
		f := cfg.Digest(job, res, skip, utcNow())
		out := finished{job: job, findings: f}
		if l.cfg.Archive != nil {
			ref, err := l.cfg.Archive.Write(job, f)
			if err != nil {
				out.err = fmt.Errorf("archiving %s: %w", job.URL, err)
			}
			ref.At = res.Start
			f.Archive = ref
		}
		l.cfg.Progress.fetched(job, f)
		l.done <- out
	}
}
