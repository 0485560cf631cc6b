package main

import (
	"context"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/store"
)

// refreshBatch bounds the outcomes of one commit.
const refreshBatch = 500

// refresh makes every page that was crawled before due now: its operator's wish,
// which goes before the schedule. Pages that robots.txt disallowed are looked at
// again too. It returns how many are due.
func (d *dataDir) refresh(ctx context.Context, now time.Time) (int, error) {
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	leases, err := d.store.Acquire(ctx, d.worker, shards, time.Hour)
	if err != nil {
		return 0, fmt.Errorf("--refresh: %w", err)
	}
	n, err := d.makeDue(ctx, leases, now)
	if rerr := d.store.Release(ctx, leases); err == nil {
		err = rerr
	}
	if err != nil {
		return n, fmt.Errorf("--refresh: %w", err)
	}
	return n, nil
}

func (d *dataDir) makeDue(ctx context.Context, leases []store.Lease, now time.Time) (int, error) {
	var batch []*crawl.Outcome
	n := 0
	commit := func() error {
		if len(batch) == 0 {
			return nil
		}
		_, err := d.store.Commit(ctx, leases, batch)
		batch = batch[:0]
		return err
	}
	for rec, err := range d.store.URLs(ctx, store.URLFilter{}) {
		if err != nil {
			return n, err
		}
		for _, v := range rec.Visits {
			if !v.Due.After(now) || v.Crawls == 0 && !v.Robots {
				continue
			}
			v.Due, v.Band = now, demand.BandRefresh
			n++
			batch = append(batch, &crawl.Outcome{URL: rec.URL, Visit: &v})
		}
		if len(batch) >= refreshBatch {
			if err := commit(); err != nil {
				return n, err
			}
		}
	}
	return n, commit()
}
