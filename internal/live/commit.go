package live

import (
	"context"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// ack says that a batch was committed, or that it was not.
type ack struct {
	outcomes []*crawl.Outcome
	receipt  store.Receipt
	err      error
}

const (
	maxBatch     = 512                  // outcomes of one commit
	commitLinger = 3 * time.Millisecond // how long a batch waits for more
)

// commit writes outcomes in batches until none are left. After a failure the
// rest is acknowledged as failed, so that the loop can end.
func (l *loop) commit(ctx context.Context, leases []store.Lease) {
	var failed error
	for o := range l.commits {
		batch := l.gather(o)
		a := ack{outcomes: batch, err: failed}
		if failed == nil {
			a.receipt, a.err = l.write(ctx, leases, batch)
			failed = a.err
		}
		l.acks <- a
	}
}

// gather takes more outcomes for a short time.
func (l *loop) gather(first *crawl.Outcome) []*crawl.Outcome {
	batch := []*crawl.Outcome{first}
	timer := time.NewTimer(commitLinger)
	defer timer.Stop()
	for len(batch) < maxBatch {
		select {
		case o, ok := <-l.commits:
			if !ok {
				return batch
			}
			batch = append(batch, o)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

func (l *loop) write(ctx context.Context, leases []store.Lease, batch []*crawl.Outcome) (store.Receipt, error) {
	if l.cfg.Archive != nil {
		if err := l.cfg.Archive.Sync(); err != nil {
			return store.Receipt{}, fmt.Errorf("archive: %w", err)
		}
	}
	newestHosts(batch)
	r, err := l.cfg.Store.Commit(ctx, leases, batch)
	if err != nil {
		return r, err // says what it was doing
	}
	return r, nil
}

// newestHosts leaves only the last state of each hostname in a batch: the
// earlier ones would be overwritten in the same transaction.
func newestHosts(batch []*crawl.Outcome) {
	last := make(map[crawl.Host]bool, 64)
	for i := len(batch) - 1; i >= 0; i-- {
		rec := batch[i].Host
		if rec == nil {
			continue
		}
		if last[rec.Host] {
			batch[i].Host = nil
			continue
		}
		last[rec.Host] = true
	}
}
