// Package live is the live driver: it runs the state machine of package
// schedule with goroutines, sockets, the wall clock and a store.
//
// One goroutine, the loop, owns the scheduler; workers fetch, read and archive;
// a committer writes outcomes in batches; a loader reads what the scheduler
// wants to know. Nothing here decides anything about crawling: when there is
// nothing left to do the driver stops, unless it is to go on continuously, and how long it waits for hostnames that
// are backing off is its operator's patience.
//
// Invariants:
//   - An outcome is committed after its archive record is on disk, and the
//     scheduler hears of it after it is durable: kill -9 at any moment loses
//     nothing that was committed, and what was not is fetched again.
//   - Memory is bounded: jobs under way, outcomes waiting and URLs in memory
//     all have limits, and a slow disk stops new fetches (back-pressure).
//   - When the store or the archive fails, no new fetch starts, what can be
//     committed is, and Run returns the error.
//
// Sources: shared design "a pure core, two drivers"; behaviours L1, B5, E.
package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/schedule"
	"trawl/internal/store"
)

// Archive keeps what was fetched. It is safe for many goroutines.
type Archive interface {
	// Write archives a finished fetch; the reference is valid after Sync.
	Write(job *schedule.Job, f *schedule.Findings) (crawl.ArchiveRef, error)
	// Sync makes everything written so far durable.
	Sync() error
}

// Config is a crawl to be run.
type Config struct {
	Schedule    schedule.Config
	Store       store.Store
	Fetcher     fetch.Fetcher
	Archive     Archive // nil = no archive
	Worker      string  // name under which shards are leased
	Concurrency int     // fetches under way at most
	Patience    time.Duration
	Grace       time.Duration // for fetches under way after a stop
	Progress    *Progress     // may be nil
	Warn        func(string)  // told what is wrong and does not end the run; may be nil

	// Continuous makes the run go on when nothing is due: it looks for hostnames
	// that became due every quarter of a minute until it is stopped.
	Continuous bool
	// News names hostnames for which others have committed discoveries, so that
	// they need not wait for the next look; may be nil, and what is not sent is
	// only found later. It is never closed.
	News <-chan []crawl.Host
}

// Defaults (house choices).
const (
	DefaultConcurrency = 256
	DefaultPatience    = 45 * time.Second
	DefaultGrace       = 10 * time.Second
	leaseTime          = time.Minute
	renewEvery         = 20 * time.Second
	dueHostsEvery      = 15 * time.Second
	wishesEvery        = time.Second // an owner's limit must act at once (E7)
	maxPending         = 4096        // outcomes waiting for the committer
)

// Ending says why a run ended.
type Ending string

// The endings.
const (
	EndComplete    Ending = "complete"    // nothing was left to do
	EndPatience    Ending = "patience"    // what is left is not due for longer than the patience
	EndMaxPages    Ending = "max-pages"   // the page limit was reached
	EndInterrupted Ending = "interrupted" // stopped from outside
	EndFailed      Ending = "failed"      // store or archive failed
)

// Result is how a run ended.
type Result struct {
	Ending  Ending
	Started time.Time
	Ended   time.Time
	Next    time.Time // when something would be due next; zero = unknown or nothing
}

// Run crawls until nothing is left to do, ctx is done or something fails.
func Run(ctx context.Context, cfg Config) (Result, error) {
	if cfg.Concurrency <= 0 {
		cfg.Concurrency = DefaultConcurrency
	}
	if cfg.Patience <= 0 {
		cfg.Patience = DefaultPatience
	}
	if cfg.Grace <= 0 {
		cfg.Grace = DefaultGrace
	}
	if cfg.Warn == nil {
		cfg.Warn = func(string) {}
	}
	if cfg.Progress == nil {
		cfg.Progress = NewProgress()
	}
	res := Result{Started: utcNow()}
	leases, err := acquire(ctx, cfg)
	if err != nil {
		return res, err
	}
	l := newLoop(cfg, leases)
	res.Ending, err = l.run(ctx)
	res.Next, res.Ended = l.until, utcNow()
	if rerr := cfg.Store.Release(context.WithoutCancel(ctx), l.leases); err == nil && rerr != nil && !errors.Is(rerr, store.ErrFenced) {
		err = fmt.Errorf("releasing shards: %w", rerr)
	}
	cfg.Fetcher.CloseIdle()
	return res, err
}

// acquire leases every shard: one process owns the whole embedded store.
func acquire(ctx context.Context, cfg Config) ([]store.Lease, error) {
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	leases, err := cfg.Store.Acquire(ctx, cfg.Worker, shards, leaseTime)
	if err != nil {
		return nil, fmt.Errorf("leasing shards: %w", err)
	}
	if len(leases) < len(shards) {
		return nil, fmt.Errorf("leasing shards: %d of %d are held by another worker; stop it, or wait a minute for its leases to expire", len(shards)-len(leases), len(shards))
	}
	return leases, nil
}

// utcNow is the wall clock as everything durable has it.
func utcNow() time.Time { return time.Now().UTC() }
