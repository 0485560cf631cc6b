package sim

import (
	"container/heap"
	"context"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// load asks for a read of the store.
func (d *driver) load(step schedule.Step) {
	d.loading++
	d.reading = append(d.reading, request{step: step, at: d.now})
	if len(d.reading) == 1 {
		d.startRead()
	}
}

func (d *driver) startRead() {
	d.events.push(event{at: d.now.Add(d.sc.LoadDelay / 2), kind: eventRead})
}

// read looks into the store for the first request.
func (d *driver) read(ctx context.Context) error {
	r := &d.reading[0]
	var err error
	if r.step.Kind == schedule.StepLoadHost {
		r.rec, r.robots, err = d.records(ctx, r.step.Host)
	} else {
		r.entries, err = d.st.DueURLs(ctx, r.step.Host, r.step.Client, r.at, r.step.Limit)
		if err == nil && len(r.entries) == 0 {
			r.next, err = d.st.NextDue(ctx, r.step.Host, r.step.Client)
		}
	}
	if err != nil {
		return fmt.Errorf("simulating: %w", err)
	}
	d.events.push(event{at: d.now.Add(d.sc.LoadDelay - d.sc.LoadDelay/2), kind: eventLoaded})
	return nil
}

func (d *driver) records(ctx context.Context, h crawl.Host) (crawl.HostRecord, []crawl.RobotsRecord, error) {
	rec, _, err := d.st.Host(ctx, h)
	rec.Host = h
	if err != nil {
		return rec, nil, err
	}
	robots, err := d.st.Robots(ctx, h)
	return rec, robots, err
}

// loaded hands the first request's answer to the scheduler.
func (d *driver) loaded() {
	r := d.reading[0]
	d.reading[0] = request{}
	d.reading = d.reading[1:]
	d.loading--
	if len(d.reading) > 0 {
		d.startRead()
	}
	if r.step.Kind == schedule.StepLoadHost {
		d.addHost(r.rec, r.robots)
		return
	}
	d.m.AddURLs(d.now, r.step, r.entries, r.next)
}

func (d *driver) addHost(rec crawl.HostRecord, robots []crawl.RobotsRecord) {
	if d.check != nil {
		d.check.host(rec)
	}
	if s := d.web.sites[rec.Host]; s != nil {
		s.known = true
	}
	d.m.AddHost(d.now, rec, robots)
}

// push hands an outcome to the committer.
func (d *driver) push(o *crawl.Outcome) {
	if o == nil {
		return
	}
	o.Document = nil // nobody reads the feed, and it would grow without end
	d.rec.outcome(o)
	d.uncommit++
	d.pending = append(d.pending, o)
	if !d.gather {
		d.gather = true
		d.events.push(event{at: d.now.Add(d.sc.CommitDelay), kind: eventWrite})
	}
}

// maxBatch is how many outcomes are committed together, as in package live.
const maxBatch = 512

// write commits a batch.
func (d *driver) write(ctx context.Context) error {
	n := min(len(d.pending), maxBatch)
	d.writing = append(d.writing[:0], d.pending[:n]...)
	rest := copy(d.pending, d.pending[n:])
	clear(d.pending[rest:])
	d.pending = d.pending[:rest]
	r, err := d.st.Commit(ctx, d.leases, d.writing)
	if err != nil {
		return fmt.Errorf("simulating: %w", err)
	}
	d.news = d.news[:0]
	for _, n := range r.News {
		d.news = append(d.news, n.Host)
	}
	d.events.push(event{at: d.now.Add(d.sc.CommitDelay), kind: eventCommitted})
	return nil
}

// committed acknowledges the batch and starts the next one.
func (d *driver) committed(ctx context.Context) error {
	d.uncommit -= len(d.writing)
	if d.check != nil {
		d.check.committed(d.writing)
	}
	d.m.Committed(d.now, d.writing, d.news)
	for _, h := range d.news {
		if !d.m.Knows(h) {
			if err := d.sleeps(ctx, h); err != nil {
				return err
			}
		}
	}
	d.gather = len(d.pending) > 0
	if d.gather {
		return d.write(ctx)
	}
	return nil
}

// seed commits what the crawl starts with.
func (d *driver) seed(ctx context.Context, o *crawl.Outcome) error {
	r, err := d.st.Commit(ctx, d.leases, []*crawl.Outcome{o})
	if err != nil {
		return fmt.Errorf("simulating: %w", err)
	}
	for _, disc := range o.Discovered {
		d.seen[seenKey{disc.Client, disc.URL}] = struct{}{}
	}
	for _, n := range r.News {
		if err := d.sleeps(ctx, n.Host); err != nil {
			return err
		}
	}
	return d.wake(ctx)
}

// A hostname that the scheduler forgot, because nothing of it was due soon, is
// handed in again when it is due: what a scan of the store does for the live
// driver.

// notice looks for hostnames that the scheduler forgot.
func (d *driver) notice() {
	n := d.m.Counts().Hosts
	crowded := d.sc.HostRoom < len(d.web.list) // one may have gone to make room for another
	if n < d.hosts || crowded {
		at := d.now
		if crowded {
			at = at.Add(crowdedPause)
		}
		for _, s := range d.web.list {
			if s.known && !d.m.Knows(s.name) {
				s.known = false
				d.wakeAt(s, at)
			}
		}
	}
	d.hosts = n
}

// sleeps puts a hostname among those that are not in memory.
func (d *driver) sleeps(ctx context.Context, h crawl.Host) error {
	rec, ok, err := d.st.Host(ctx, h)
	if err != nil {
		return fmt.Errorf("simulating: %w", err)
	}
	if s := d.web.sites[h]; s != nil && ok && !rec.Due.IsZero() {
		d.wakeAt(s, rec.Due)
	}
	return nil
}

// wakeAt has a hostname looked at, at the latest at that time.
func (d *driver) wakeAt(s *site, at time.Time) {
	if s.wake.IsZero() || at.Before(s.wake) {
		s.wake = at
		heap.Push(&d.asleep, sleeper{at, s.name})
	}
}

// crowdedPause is when a hostname that found no room in memory is tried again:
// as often as the live driver looks.
const crowdedPause = 15 * time.Second

// wake hands in hostnames that are due.
func (d *driver) wake(ctx context.Context) error {
	for len(d.asleep) > 0 && !d.asleep[0].at.After(d.now) {
		next := heap.Pop(&d.asleep).(sleeper)
		h, s := next.host, d.web.sites[next.host]
		if !s.wake.Equal(next.at) {
			continue // it was looked at before
		}
		s.wake = time.Time{}
		if d.m.Knows(h) {
			continue
		}
		rec, robots, err := d.records(ctx, h)
		if err != nil {
			return fmt.Errorf("simulating: %w", err)
		}
		if rec.Due.IsZero() {
			continue
		}
		if rec.Due.After(d.now) {
			d.wakeAt(s, rec.Due)
			continue
		}
		d.m.Uncrowd()
		d.addHost(rec, robots)
		if !d.m.Knows(h) {
			d.wakeAt(s, d.now.Add(crowdedPause))
		}
	}
	d.hosts = max(d.hosts, d.m.Counts().Hosts)
	return nil
}
