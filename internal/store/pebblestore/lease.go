package pebblestore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

func (s *Store) loadLeases() error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{spaceLease}, UpperBound: []byte{spaceLease + 1}})
	if err != nil {
		return err
	}
	for it.First(); it.Valid(); it.Next() {
		k := it.Key()
		if len(k) != shardLen {
			_ = it.Close()
			return fmt.Errorf("lease: %w", errKey)
		}
		shard := crawl.Shard(k[1])<<8 | crawl.Shard(k[2])
		if shard >= crawl.Shards {
			_ = it.Close()
			return fmt.Errorf("lease of shard %d: %w", shard, errKey)
		}
		l, err := record.Lease(it.Value(), shard)
		if err != nil {
			_ = it.Close()
			return err
		}
		s.leases[shard] = l
	}
	return it.Close()
}

// stale returns what is wrong with a lease, nil if it holds at now.
func (s *Store) stale(l store.Lease, now time.Time) error {
	if l.Shard >= crawl.Shards {
		return fmt.Errorf("%w: shard %d of a lease, there are %d", store.ErrInvalid, l.Shard, crawl.Shards)
	}
	s.leaseMu.Lock()
	have := s.leases[l.Shard]
	s.leaseMu.Unlock()
	if l.Worker == "" || have.Worker != l.Worker || have.Epoch != l.Epoch || !now.Before(have.Expires) {
		return &store.FencedError{Shard: l.Shard, Have: l.Epoch, Now: have.Epoch}
	}
	return nil
}

// Acquire implements [store.Store].
func (s *Store) Acquire(ctx context.Context, worker string, shards []crawl.Shard, ttl time.Duration) ([]store.Lease, error) {
	if worker == "" || ttl <= 0 {
		return nil, fmt.Errorf("acquiring shards for worker %q for %s: %w: both must be given", worker, ttl, store.ErrInvalid)
	}
	shards = slices.Compact(slices.Sorted(slices.Values(shards)))
	if n := len(shards); n > 0 && shards[n-1] >= crawl.Shards {
		return nil, fmt.Errorf("acquiring shard %d: %w: there are %d", shards[n-1], store.ErrInvalid, crawl.Shards)
	}
	got, err := s.changeLeases(ctx, func(now time.Time) []store.Lease {
		var got []store.Lease
		for _, shard := range shards {
			l := s.leases[shard]
			if l.Worker == worker || !now.Before(l.Expires) {
				got = append(got, store.Lease{Shard: shard, Worker: worker, Epoch: l.Epoch + 1, Expires: now.Add(ttl)})
			}
		}
		return got
	})
	if err != nil {
		return nil, fmt.Errorf("acquiring %d shards for worker %s: %w", len(shards), worker, err)
	}
	return got, nil
}

// Renew implements [store.Store].
func (s *Store) Renew(ctx context.Context, leases []store.Lease, ttl time.Duration) ([]store.Lease, error) {
	if ttl <= 0 {
		return nil, fmt.Errorf("renewing leases for %s: %w: the time must be positive", ttl, store.ErrInvalid)
	}
	got, err := s.changeLeases(ctx, func(now time.Time) []store.Lease {
		valid := s.valid(leases, now)
		for i := range valid {
			valid[i].Expires = now.Add(ttl)
		}
		return valid
	})
	if err != nil {
		return nil, fmt.Errorf("renewing %d leases: %w", len(leases), err)
	}
	return got, nil
}

// Release implements [store.Store].
func (s *Store) Release(ctx context.Context, leases []store.Lease) error {
	_, err := s.changeLeases(ctx, func(now time.Time) []store.Lease {
		valid := s.valid(leases, now)
		for i := range valid {
			valid[i].Worker, valid[i].Expires = "", time.Time{}
		}
		return valid
	})
	if err != nil {
		return fmt.Errorf("releasing %d leases: %w", len(leases), err)
	}
	return nil
}

// valid returns the leases that hold at now, each once, sorted by shard.
func (s *Store) valid(leases []store.Lease, now time.Time) []store.Lease {
	var valid []store.Lease
	for _, l := range leases {
		if s.stale(l, now) == nil {
			valid = append(valid, l)
		}
	}
	slices.SortFunc(valid, func(a, b store.Lease) int { return int(a.Shard) - int(b.Shard) })
	return slices.CompactFunc(valid, func(a, b store.Lease) bool { return a.Shard == b.Shard })
}

// changeLeases writes the leases that change returns and returns them.
func (s *Store) changeLeases(ctx context.Context, change func(now time.Time) []store.Lease) ([]store.Lease, error) {
	var changed []store.Lease
	err := s.write(ctx, func(b *pebble.Batch) (func(), error) {
		changed = change(s.now().Round(0).UTC())
		for _, l := range changed {
			if err := b.Set(leaseKey(l.Shard), record.AppendLease(nil, &l), nil); err != nil {
				return nil, err
			}
		}
		return func() {
			s.leaseMu.Lock()
			defer s.leaseMu.Unlock()
			for _, l := range changed {
				s.leases[l.Shard] = l
			}
		}, nil
	})
	return changed, err
}
