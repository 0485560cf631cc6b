package pgstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

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
	got, err := s.changeLeases(ctx, worker, sqlLeaseAcquire, s.nanos(), numbers(shards), []byte(worker), ttl.Nanoseconds())
	if err != nil {
		return nil, fmt.Errorf("acquiring %d shards for worker %s: %w", len(shards), worker, err)
	}
	return got, nil
}

// changeLeases runs a statement that returns shard, epoch and expiry of leases.
func (s *Store) changeLeases(ctx context.Context, worker, sql string, args ...any) ([]store.Lease, error) {
	var got []store.Lease
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		got = nil
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		var shard int16
		var epoch, expires int64
		_, err = pgx.ForEachRow(rows, []any{&shard, &epoch, &expires}, func() error {
			got = append(got, store.Lease{Shard: crawl.Shard(shard), Worker: worker, Epoch: uint64(epoch), Expires: time.Unix(0, expires).UTC()})
			return nil
		})
		return err
	})
	sortLeases(got)
	return got, err
}

func sortLeases(l []store.Lease) {
	slices.SortFunc(l, func(a, b store.Lease) int { return int(a.Shard) - int(b.Shard) })
}

// columns are leases as parameters, those of shards that do not exist left out.
func columns(leases []store.Lease) (shards []int16, workers [][]byte, epochs []int64) {
	for _, l := range leases {
		if l.Shard < crawl.Shards {
			shards, workers, epochs = append(shards, int16(l.Shard)), append(workers, []byte(l.Worker)), append(epochs, int64(l.Epoch))
		}
	}
	return shards, workers, epochs
}

// Renew implements [store.Store].
func (s *Store) Renew(ctx context.Context, leases []store.Lease, ttl time.Duration) ([]store.Lease, error) {
	if ttl <= 0 {
		return nil, fmt.Errorf("renewing leases for %s: %w: the time must be positive", ttl, store.ErrInvalid)
	}
	shards, workers, epochs := columns(leases)
	var got []store.Lease
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		got = nil
		rows, err := conn.Query(ctx, sqlLeaseRenew, s.nanos(), shards, workers, epochs, ttl.Nanoseconds())
		if err != nil {
			return err
		}
		var shard int16
		var epoch, expires int64
		var worker []byte
		_, err = pgx.ForEachRow(rows, []any{&shard, &epoch, &worker, &expires}, func() error {
			got = append(got, store.Lease{Shard: crawl.Shard(shard), Worker: string(worker), Epoch: uint64(epoch), Expires: time.Unix(0, expires).UTC()})
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("renewing %d leases: %w", len(leases), err)
	}
	sortLeases(got)
	return got, nil
}

// Release implements [store.Store].
func (s *Store) Release(ctx context.Context, leases []store.Lease) error {
	shards, workers, epochs := columns(leases)
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sqlLeaseRelease, s.nanos(), shards, workers, epochs)
		return err
	})
	if err != nil {
		return fmt.Errorf("releasing %d leases: %w", len(leases), err)
	}
	return nil
}

func numbers(shards []crawl.Shard) []int16 {
	n := make([]int16, len(shards))
	for i, s := range shards {
		n[i] = int16(s)
	}
	return n
}

// checkLeases adds a statement to a batch that sets stale to what is wrong with
// the first lease that does not hold.
func (s *Store) checkLeases(b *pgx.Batch, leases []store.Lease, stale *error) {
	if len(leases) == 0 {
		return
	}
	for _, l := range leases {
		if l.Shard >= crawl.Shards {
			*stale = fmt.Errorf("%w: shard %d of a lease, there are %d", store.ErrInvalid, l.Shard, crawl.Shards)
			return
		}
	}
	shards, workers, epochs := columns(leases)
	b.Queue(sqlLeaseCheck, s.nanos(), shards, workers, epochs).Query(func(rows pgx.Rows) error {
		var i, epoch int64
		_, err := pgx.ForEachRow(rows, []any{&i, &epoch}, func() error {
			*stale = &store.FencedError{Shard: leases[i-1].Shard, Have: leases[i-1].Epoch, Now: uint64(epoch)}
			return nil
		})
		return err
	})
}

// covered says whether leases cover what a batch touches, and which of their
// shards it needs.
func covered(leases []store.Lease, batch []*crawl.Outcome) (map[crawl.Shard]bool, error) {
	have, needed := map[crawl.Shard]bool{}, map[crawl.Shard]bool{}
	for _, l := range leases {
		have[l.Shard] = true
	}
	var err error
	need := func(h crawl.Host) {
		shard := crawl.ShardOf(h)
		if needed[shard] = true; !have[shard] && err == nil {
			err = fmt.Errorf("host %s, shard %d: %w", h, shard, store.ErrNotLeased)
		}
	}
	for _, o := range batch {
		if o.Host != nil {
			need(o.Host.Host)
		}
		for i := range o.Robots {
			need(o.Robots[i].Origin.Host())
		}
		if o.URL != "" {
			need(o.URL.Host())
		}
		if o.Document != nil {
			need(o.Document.URL.Host())
		}
		for i := range o.Claims {
			need(o.Claims[i].URL.Host())
		}
	}
	return needed, err
}
