package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
	"trawl/internal/store"
)

// loop is the goroutine that owns the scheduler, and its channels.
type loop struct {
	cfg    Config
	sched  *schedule.Scheduler
	seen   *seen
	leases []store.Lease

	jobs    chan *schedule.Job
	done    chan finished
	loads   chan loadRequest
	loaded  chan loadResult
	commits chan *crawl.Outcome
	acks    chan ack
	renewed chan renewal

	inflight  int
	loading   int
	wanted    []loadRequest
	pending   []*crawl.Outcome // not yet handed to the committer
	uncommit  int              // handed over or pending, not acknowledged
	scanning  bool             // a DueHosts load is under way
	scanned   time.Time        // when DueHosts was last asked
	asking    bool             // a load of the owners' wishes is under way
	warned    map[string]bool  // what Warn was told
	renewing  bool
	until     time.Time // what Next last waited for
	stopping  Ending
	err       error
	stopFetch context.CancelFunc
}

func newLoop(cfg Config, leases []store.Lease) *loop {
	return &loop{
		warned: map[string]bool{},
		cfg:    cfg, sched: schedule.New(cfg.Schedule), seen: newSeen(), leases: leases,
		jobs: make(chan *schedule.Job, cfg.Concurrency), done: make(chan finished, cfg.Concurrency),
		loads: make(chan loadRequest), loaded: make(chan loadResult, 16),
		commits: make(chan *crawl.Outcome), acks: make(chan ack, 4), renewed: make(chan renewal, 1),
	}
}

// run starts the goroutines, drives the scheduler and waits for everything to
// end. It returns when no goroutine of the run is left.
func (l *loop) run(ctx context.Context) (Ending, error) {
	fetchCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stopFetch = stop
	defer stop()
	storeCtx := context.WithoutCancel(ctx)
	var wg sync.WaitGroup
	for range l.cfg.Concurrency {
		wg.Go(func() { l.work(fetchCtx) })
	}
	wg.Go(func() { l.load(storeCtx) })
	leases := l.leases // renewals keep the epoch, which is what a commit shows
	wg.Go(func() { l.commit(storeCtx, leases) })
	ending := l.drive(ctx)
	close(l.jobs)
	close(l.loads)
	close(l.commits)
	wg.Wait()
	if l.renewing {
		<-l.renewed
	}
	return ending, l.err
}

// drive is the loop proper.
func (l *loop) drive(ctx context.Context) Ending {
	timer := time.NewTimer(0)
	defer timer.Stop()
	renew := time.NewTicker(renewEvery)
	defer renew.Stop()
	wishes := time.NewTicker(wishesEvery)
	defer wishes.Stop()
	interrupt := ctx.Done()
	var grace <-chan time.Time
	l.ask() // before the first hostname: a pause holds from the start
	l.scan()
	for {
		now := utcNow()
		if l.stopping == "" {
			l.advance(now)
			l.finishIfIdle(now)
		}
		if l.stopping != "" && l.drained() {
			return l.stopping
		}
		l.report()
		l.arm(timer, now)
		select {
		case f := <-l.done:
			l.finish(f)
			l.drain()
		case r := <-l.loaded:
			l.take(r)
		case l.loadChannel() <- l.firstLoad():
			l.wanted = l.wanted[1:]
		case l.commitChannel() <- l.firstPending():
			l.pending = l.pending[1:]
		case a := <-l.acks:
			l.acknowledge(a)
		case r := <-l.renewed:
			l.renewal(r)
		case <-renew.C:
			l.renew(ctx)
		case <-wishes.C:
			l.ask()
		case hosts := <-l.cfg.News:
			l.sched.Committed(utcNow(), nil, hosts)
		case <-timer.C:
		case <-interrupt:
			interrupt = nil
			l.stop(EndInterrupted)
			grace = time.After(l.cfg.Grace)
		case <-grace:
			l.stopFetch()
		}
	}
}

// advance takes steps while there is room for what they ask for.
func (l *loop) advance(now time.Time) {
	l.until = time.Time{}
	for l.inflight < l.cfg.Concurrency && len(l.pending) < maxPending && l.stopping == "" {
		step := l.sched.Next(now)
		switch step.Kind {
		case schedule.StepWait:
			l.until = step.Until
			return
		case schedule.StepFetch:
			l.inflight++
			l.jobs <- step.Job // never blocks: the channel holds Concurrency jobs
		case schedule.StepCommit:
			l.push(step.Outcome)
		case schedule.StepLoadHost, schedule.StepLoadURLs:
			l.loading++
			l.wanted = append(l.wanted, loadRequest{step: step, now: now})
		}
	}
}

// arm sets the timer for what the scheduler waits for.
func (l *loop) arm(timer *time.Timer, now time.Time) {
	wait := time.Second
	if !l.until.IsZero() {
		wait = min(wait, max(l.until.Sub(now), 0))
	}
	timer.Reset(wait)
}

// finishIfIdle ends the run when nothing is under way and nothing is due within
// the patience.
func (l *loop) finishIfIdle(now time.Time) {
	busy := l.inflight > 0 || l.loading > 0 || l.uncommit > 0 || l.scanning
	if l.sched.Counts().Exhausted {
		l.stop(EndMaxPages)
		return
	}
	if l.cfg.Continuous {
		l.look(now)
		return
	}
	if busy {
		if l.sched.Counts().Crowded && now.Sub(l.scanned) > dueHostsEvery {
			l.scan()
		}
		return
	}
	if !l.until.IsZero() && l.until.Sub(now) <= l.cfg.Patience {
		return
	}
	if c := l.sched.Counts(); now.Sub(l.scanned) > dueHostsEvery || c.Crowded && c.Hosts < schedule.MaxHosts {
		l.scan() // once more: hostnames that were dropped or left in the store
		return
	}
	if l.until.IsZero() {
		l.stop(EndComplete)
		return
	}
	l.stop(EndPatience)
}

func (l *loop) stop(e Ending) {
	if l.stopping == "" {
		l.stopping = e
	}
}

// fail ends the run because something cannot go on.
func (l *loop) fail(err error) {
	if l.err == nil {
		l.err = err
	}
	l.stopping = EndFailed
	l.stopFetch()
}

func (l *loop) drained() bool {
	return l.inflight == 0 && l.loading == 0 && !l.scanning && !l.asking && l.uncommit == 0
}

// drain takes what else is finished, so that the scheduler sees it before the
// next step.
func (l *loop) drain() {
	for {
		select {
		case f := <-l.done:
			l.finish(f)
		default:
			return
		}
	}
}

func (l *loop) finish(f finished) {
	l.inflight--
	if f.err != nil {
		l.fail(f.err)
		return
	}
	if l.stopping == EndFailed {
		return // its archive record may not be durable: fetched again later
	}
	l.push(l.sched.Done(utcNow(), f.job, f.findings))
}

func (l *loop) push(o *crawl.Outcome) {
	if o == nil || l.stopping == EndFailed {
		return
	}
	l.uncommit++
	l.pending = append(l.pending, o)
}

func (l *loop) acknowledge(a ack) {
	l.uncommit -= len(a.outcomes)
	if a.err != nil {
		l.uncommit -= len(l.pending)
		l.pending = nil
		l.fail(a.err)
		return
	}
	news := make([]crawl.Host, 0, len(a.receipt.News))
	for _, n := range a.receipt.News {
		news = append(news, n.Host)
	}
	l.cfg.Progress.known(a.receipt.New)
	l.sched.Committed(utcNow(), a.outcomes, news)
}

func (l *loop) report() {
	c := l.sched.Counts()
	l.cfg.Progress.gauges(c.Hosts, c.InFlight, c.Queued)
}

// A nil channel is never chosen by select: nothing to send.

func (l *loop) loadChannel() chan<- loadRequest {
	if len(l.wanted) == 0 {
		return nil
	}
	return l.loads
}

func (l *loop) firstLoad() loadRequest {
	if len(l.wanted) == 0 {
		return loadRequest{}
	}
	return l.wanted[0]
}

func (l *loop) commitChannel() chan<- *crawl.Outcome {
	if len(l.pending) == 0 {
		return nil
	}
	return l.commits
}

func (l *loop) firstPending() *crawl.Outcome {
	if len(l.pending) == 0 {
		return nil
	}
	return l.pending[0]
}

// renewal is the answer to a renewal of the leases.
type renewal struct {
	leases []store.Lease
	err    error
}

func (l *loop) renew(ctx context.Context) {
	if l.renewing {
		return
	}
	l.renewing = true
	held := l.leases
	go func() {
		got, err := l.cfg.Store.Renew(context.WithoutCancel(ctx), held, leaseTime)
		l.renewed <- renewal{got, err}
	}()
}

func (l *loop) renewal(r renewal) {
	l.renewing = false
	switch {
	case r.err != nil:
		l.fail(fmt.Errorf("renewing leases: %w", r.err))
	case len(r.leases) < len(l.leases):
		l.fail(errors.New("leases were lost to another worker: this process stops, nothing committed is lost"))
	default:
		l.leases = r.leases
	}
}
