package memstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Acquire implements [store.Store].
func (s *Store) Acquire(ctx context.Context, worker string, shards []crawl.Shard, ttl time.Duration) ([]store.Lease, error) {
	if worker == "" || ttl <= 0 {
		return nil, fmt.Errorf("acquiring shards for worker %q for %s: %w: both must be given", worker, ttl, store.ErrInvalid)
	}
	shards = slices.Compact(slices.Sorted(slices.Values(shards)))
	if n := len(shards); n > 0 && shards[n-1] >= crawl.Shards {
		return nil, fmt.Errorf("acquiring shard %d: %w: there are %d", shards[n-1], store.ErrInvalid, crawl.Shards)
	}
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("acquiring shards for worker %s: %w", worker, err)
	}
	defer s.mu.Unlock()
	now := s.now()
	var got []store.Lease
	for _, shard := range shards {
		l := s.leases[shard]
		if l.Worker != worker && now.Before(l.Expires) {
			continue
		}
		l = store.Lease{Shard: shard, Worker: worker, Epoch: l.Epoch + 1, Expires: now.Add(ttl)}
		s.leases[shard] = l
		got = append(got, l)
	}
	return got, nil
}

// Renew implements [store.Store].
func (s *Store) Renew(ctx context.Context, leases []store.Lease, ttl time.Duration) ([]store.Lease, error) {
	if ttl <= 0 {
		return nil, fmt.Errorf("renewing leases for %s: %w: the time must be positive", ttl, store.ErrInvalid)
	}
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("renewing %d leases: %w", len(leases), err)
	}
	defer s.mu.Unlock()
	now := s.now()
	var got []store.Lease
	for _, l := range s.valid(leases, now) {
		l.Expires = now.Add(ttl)
		s.leases[l.Shard] = l
		got = append(got, l)
	}
	return got, nil
}

// Release implements [store.Store].
func (s *Store) Release(ctx context.Context, leases []store.Lease) error {
	if err := s.lock(ctx); err != nil {
		return fmt.Errorf("releasing %d leases: %w", len(leases), err)
	}
	defer s.mu.Unlock()
	for _, l := range s.valid(leases, s.now()) {
		s.leases[l.Shard] = store.Lease{Shard: l.Shard, Epoch: l.Epoch}
	}
	return nil
}

// valid returns the leases that hold at now, each once, sorted by shard.
func (s *Store) valid(leases []store.Lease, now time.Time) []store.Lease {
	byShard := map[crawl.Shard]store.Lease{}
	for _, l := range leases {
		if s.check(l, now) == nil {
			byShard[l.Shard] = l
		}
	}
	var valid []store.Lease
	for shard := range crawl.Shard(crawl.Shards) {
		if l, ok := byShard[shard]; ok {
			valid = append(valid, l)
		}
	}
	return valid
}

// check says what is wrong with a lease, nil if it holds at now.
func (s *Store) check(l store.Lease, now time.Time) error {
	if l.Shard >= crawl.Shards {
		return fmt.Errorf("%w: shard %d of a lease, there are %d", store.ErrInvalid, l.Shard, crawl.Shards)
	}
	have := s.leases[l.Shard]
	if l.Worker == "" || have.Worker != l.Worker || have.Epoch != l.Epoch || !now.Before(have.Expires) {
		return &store.FencedError{Shard: l.Shard, Have: l.Epoch, Now: have.Epoch}
	}
	return nil
}

// checkBatch says whether leases hold and cover what a batch touches.
func (s *Store) checkBatch(leases []store.Lease, batch []*crawl.Outcome) error {
	var held [crawl.Shards]bool
	now := s.now()
	for _, l := range leases {
		if err := s.check(l, now); err != nil {
			return err
		}
		held[l.Shard] = true
	}
	var hosts []crawl.Host
	for _, o := range batch {
		hosts = hosts[:0]
		if o.Host != nil {
			hosts = append(hosts, o.Host.Host)
		}
		for _, r := range o.Robots {
			hosts = append(hosts, r.Origin.Host())
		}
		if o.URL != "" {
			hosts = append(hosts, o.URL.Host())
		}
		if o.Document != nil {
			hosts = append(hosts, o.Document.URL.Host())
		}
		for i := range o.Claims {
			hosts = append(hosts, o.Claims[i].URL.Host())
		}
		for _, h := range hosts {
			if !held[crawl.ShardOf(h)] {
				return fmt.Errorf("host %s, shard %d: %w", h, crawl.ShardOf(h), store.ErrNotLeased)
			}
		}
	}
	return nil
}
