// Package memstore keeps trawl's state in memory: the reference model of
// [store.Store] that other implementations are compared with, and the store of
// the simulator and of tests.
//
// It decides nothing. It is meant to be obviously right rather than fast: plain
// maps and sorted lists under one mutex. Nothing in it is shared with a caller:
// records are copied in and out. It is not durable, and it is bounded by memory.
//
// Sources: behaviour L1, F13, I1, I2.
package memstore

import (
	"context"
	"sync"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Store implements [store.Store].
type Store struct {
	now func() time.Time

	mu       sync.Mutex
	closed   bool
	leases   map[crawl.Shard]store.Lease
	hosts    map[crawl.Host]*host
	robots   map[crawl.Host]map[crawl.Origin]crawl.RobotsRecord
	urls     map[crawl.URL]*crawl.URLRecord
	history  map[crawl.URL][]crawl.IndexChange
	links    map[crawl.URL][]uint32
	stats    map[store.StatKey]store.Stat
	feeds    map[crawl.Shard][]crawl.Document
	settings map[string]string
}

// host is a hostname with what belongs to it.
type host struct {
	record crawl.HostRecord
	urls   []crawl.URL // sorted, unless added says otherwise
	added  bool        // URLs were added and not yet sorted in
	queues []*queue    // one per client
}

// entry is one place in a queue.
type entry struct {
	band   crawl.Band
	due    time.Time
	url    crawl.URL
	client crawl.ClientID
}

var _ store.Store = (*Store)(nil)

// New makes an empty store; now is the clock of its leases.
func New(now func() time.Time) *Store {
	return &Store{
		now:      now,
		leases:   map[crawl.Shard]store.Lease{},
		hosts:    map[crawl.Host]*host{},
		robots:   map[crawl.Host]map[crawl.Origin]crawl.RobotsRecord{},
		urls:     map[crawl.URL]*crawl.URLRecord{},
		history:  map[crawl.URL][]crawl.IndexChange{},
		links:    map[crawl.URL][]uint32{},
		stats:    map[store.StatKey]store.Stat{},
		feeds:    map[crawl.Shard][]crawl.Document{},
		settings: map[string]string{},
	}
}

// lock starts an operation; the caller unlocks unless an error came back.
func (s *Store) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	return nil
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
