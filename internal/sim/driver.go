package sim

import (
	"context"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/schedule"
	"trawl/internal/store"
	"trawl/internal/store/memstore"
)

// driver is the loop of package live in virtual time: what is a goroutine there
// is an event here. Reads of the store are served one at a time, in order, and
// see it at half of their delay; commits are gathered, written and acknowledged
// one batch at a time, the acknowledgement as late again.
type driver struct {
	sc     Scenario
	web    *Web
	m      Machine
	st     *memstore.Store
	leases []store.Lease
	params map[crawl.Host]hostload.Params
	rec    *recorder
	check  *checker // nil = none

	primary  crawl.ClientID
	demand   demand.Params
	progress func(Progress)

	now, end time.Time
	events   events
	until    time.Time // what Next last waited for; zero = nothing
	waiting  bool      // Next last said to wait
	inflight int
	fetches  int64
	buf      []byte
	seen     map[seenKey]struct{}
	reading  []request // reads of the store, the first one under way
	asleep   wakes     // hostnames that are not in memory, by the time of their work
	hosts    int       // in memory, when last looked

	pending  []*crawl.Outcome
	writing  []*crawl.Outcome
	news     []crawl.Host
	gather   bool // a commit is due, being written or acknowledged
	uncommit int
	loading  int // reads asked for and not answered
}

// seenKey is a URL that was handed to the store for a client.
type seenKey struct {
	client crawl.ClientID
	url    crawl.URL
}

// request is a read of the store that was asked for.
type request struct {
	step    schedule.Step
	at      time.Time
	rec     crawl.HostRecord
	robots  []crawl.RobotsRecord
	entries []crawl.QueueEntry
	next    time.Time
}

// maxPending is how many outcomes may wait to be committed before no new fetch
// starts, as in package live.
const maxPending = 4096

// maxSteps bounds the steps at one moment: more than any scenario has work for.
const maxSteps = 10_000_000

// run plays the scenario to its end.
func (d *driver) run(ctx context.Context) error {
	for n := 0; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return fmt.Errorf("simulating %q: %w", d.sc.Name, ctx.Err())
		}
		if n&0xfff == 0 && d.progress != nil {
			d.progress(Progress{Elapsed: d.now.Sub(d.sc.Start), Duration: d.sc.Duration, Fetches: d.fetches})
		}
		if err := d.advance(); err != nil {
			return err
		}
		at, ok := d.next()
		if !ok || at.After(d.end) || d.sc.MaxFetches > 0 && d.fetches >= d.sc.MaxFetches {
			break
		}
		d.rec.advance(d, at)
		d.now = at
		if err := d.happen(ctx); err != nil {
			return err
		}
	}
	if d.sc.MaxFetches > 0 && d.fetches >= d.sc.MaxFetches {
		d.end = d.now
	}
	d.rec.advance(d, d.end)
	d.now = d.end
	if d.check != nil {
		return d.check.atEnd()
	}
	return nil
}

// advance takes steps while there is room for what they ask for.
func (d *driver) advance() error {
	d.until, d.waiting = time.Time{}, false
	defer d.notice()
	for n := 0; d.inflight < d.sc.Concurrency && len(d.pending) < maxPending; n++ {
		step := d.m.Next(d.now)
		if n > maxSteps {
			return &Violation{Invariant: ProgressMade, At: d.now, Host: step.Host, Detail: fmt.Sprintf("%d steps without time going on", n)}
		}
		if d.check != nil {
			if err := d.check.step(&step); err != nil {
				return err
			}
		}
		switch step.Kind {
		case schedule.StepWait:
			d.until, d.waiting = step.Until, true
			return nil
		case schedule.StepFetch:
			d.fetch(step.Job)
		case schedule.StepCommit:
			d.push(step.Outcome)
		case schedule.StepLoadHost, schedule.StepLoadURLs:
			d.load(step)
		}
	}
	return nil
}

// next is when something happens next; false = never.
func (d *driver) next() (time.Time, bool) {
	var at time.Time
	ok := false
	take := func(t time.Time) {
		if !ok || t.Before(at) {
			at, ok = t, true
		}
	}
	if len(d.events.heap) > 0 {
		take(d.events.heap[0].at)
	}
	if !d.until.IsZero() {
		take(d.until)
	}
	if len(d.asleep) > 0 {
		take(d.asleep[0].at)
	}
	return maxTime(at, d.now), ok
}

// happen lets everything happen that is due now.
func (d *driver) happen(ctx context.Context) error {
	for len(d.events.heap) > 0 && !d.events.heap[0].at.After(d.now) {
		e := d.events.pop()
		var err error
		switch e.kind {
		case eventAnswer:
			err = d.answer(e.flight)
		case eventRead:
			err = d.read(ctx)
		case eventLoaded:
			d.loaded()
		case eventWrite:
			err = d.write(ctx)
		case eventCommitted:
			err = d.committed(ctx)
		case eventSubmit:
			d.submit(e.client)
		}
		if err != nil {
			return err
		}
	}
	return d.wake(ctx)
}

// flight is a fetch under way.
type flight struct {
	job  *schedule.Job
	resp *Response
}

func (d *driver) fetch(job *schedule.Job) {
	d.inflight++
	d.fetches++
	resp := d.web.Serve(job.Request, d.now)
	d.rec.sent(job)
	d.events.push(event{at: d.now.Add(resp.Took), kind: eventAnswer, flight: flight{job, resp}})
}

func (d *driver) answer(f flight) error {
	var res *crawl.Result
	res, d.buf = d.web.Finish(f.resp, d.buf)
	d.inflight--
	skip := func(u crawl.URL) bool {
		k := seenKey{f.job.Client, u}
		if _, ok := d.seen[k]; ok {
			return true
		}
		d.seen[k] = struct{}{}
		return false
	}
	found := d.m.Config().Digest(f.job, res, skip, d.now)
	o := d.m.Done(d.now, f.job, found)
	d.rec.answered(f.job, found)
	if d.check != nil {
		if err := d.check.done(f.job, found, o); err != nil {
			return err
		}
	}
	d.push(o)
	d.render(f.job, res)
	return nil
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
