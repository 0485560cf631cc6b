package live

import (
	"context"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/owner"
	"trawl/internal/schedule"
	"trawl/internal/store"
)

// loadRequest asks the loader to read from the store. The zero step asks for
// hostnames that are due.
type loadRequest struct {
	step   schedule.Step
	now    time.Time
	leases []store.Lease
	limit  int
	wishes bool // asks for what the owners of hostnames want, and nothing else
}

type loadResult struct {
	req     loadRequest
	hosts   []hostRecords
	entries []crawl.QueueEntry
	next    time.Time
	wishes  owner.Book
	wrong   []error // wishes that cannot be read
	err     error
}

// hostRecords is what the store holds of one hostname.
type hostRecords struct {
	rec    crawl.HostRecord
	robots []crawl.RobotsRecord
}

// load serves read requests until none are left.
func (l *loop) load(ctx context.Context) {
	for req := range l.loads {
		l.loaded <- l.read(ctx, req)
	}
}

func (l *loop) read(ctx context.Context, req loadRequest) loadResult {
	r := loadResult{req: req}
	if req.wishes {
		r.wishes, r.wrong, r.err = Wishes(ctx, l.cfg.Store)
		return r
	}
	switch req.step.Kind {
	case schedule.StepLoadURLs:
		r.entries, r.next, r.err = l.readURLs(ctx, req)
	case schedule.StepLoadHost:
		rec, _, err := l.cfg.Store.Host(ctx, req.step.Host)
		rec.Host = req.step.Host
		r.err = err
		r.hosts = l.withRobots(ctx, []crawl.HostRecord{rec}, &r.err)
	default:
		recs, err := l.cfg.Store.DueHosts(ctx, req.leases, req.now.Add(l.cfg.Patience), req.limit)
		r.err = err
		r.hosts = l.withRobots(ctx, recs, &r.err)
	}
	return r
}

func (l *loop) readURLs(ctx context.Context, req loadRequest) ([]crawl.QueueEntry, time.Time, error) {
	entries, err := l.cfg.Store.DueURLs(ctx, req.step.Host, req.step.Client, req.now, req.step.Limit)
	if err != nil || len(entries) >= req.step.Limit {
		return entries, time.Time{}, err
	}
	next, err := l.cfg.Store.NextDue(ctx, req.step.Host, req.step.Client)
	if len(entries) > 0 {
		// The earliest is among the entries; their commit brings the next load.
		next = time.Time{}
	}
	return entries, next, err
}

func (l *loop) withRobots(ctx context.Context, recs []crawl.HostRecord, err *error) []hostRecords {
	out := make([]hostRecords, 0, len(recs))
	for _, rec := range recs {
		if *err != nil {
			return out
		}
		var robots []crawl.RobotsRecord
		robots, *err = l.cfg.Store.Robots(ctx, rec.Host)
		out = append(out, hostRecords{rec, robots})
	}
	return out
}

// scan asks for hostnames that are due and not in memory.
func (l *loop) scan() {
	if l.scanning {
		return
	}
	l.scanning = true
	now := utcNow()
	l.scanned = now
	l.sched.Uncrowd()
	l.wanted = append(l.wanted, loadRequest{now: now, leases: l.leases, limit: 2 * schedule.MaxHosts})
}

// look is what a continuous run does instead of ending: hostnames that became due
// in the store are looked for whether or not others are busy. The query is bounded
// as every scan is, and hostnames in memory are left as they are.
func (l *loop) look(now time.Time) {
	if now.Sub(l.scanned) >= dueHostsEvery {
		l.scan()
	}
}

// take hands what was read to the scheduler.
func (l *loop) take(r loadResult) {
	now := utcNow()
	switch {
	case r.req.wishes:
		l.asking = false
	case r.req.step.Kind == schedule.StepWait:
		l.scanning = false
	default:
		l.loading--
	}
	if r.err != nil {
		l.fail(fmt.Errorf("reading the store: %w", r.err))
		return
	}
	if r.req.wishes {
		l.sched.SetWishes(now, r.wishes)
		l.warn(r.wrong)
		return
	}
	for _, h := range r.hosts {
		l.sched.AddHost(now, h.rec, h.robots)
	}
	if r.req.step.Kind == schedule.StepLoadURLs {
		l.sched.AddURLs(now, r.req.step, r.entries, r.next)
	}
}
