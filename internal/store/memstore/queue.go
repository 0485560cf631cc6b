package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// compare orders a queue: band, due time, URL, client.
func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.band, f.band), e.due.Compare(f.due), cmp.Compare(e.url, f.url), cmp.Compare(e.client, f.client))
}

func (h *host) enqueue(e entry) {
	if e.due.IsZero() {
		return
	}
	i, _ := slices.BinarySearchFunc(h.queue, e, entry.compare)
	h.queue = slices.Insert(h.queue, i, e)
}

func (h *host) dequeue(e entry) {
	if i, ok := slices.BinarySearchFunc(h.queue, e, entry.compare); ok {
		h.queue = slices.Delete(h.queue, i, i+1)
	}
}

// band returns the queue entries of one band.
func (h *host) band(b crawl.Band) []entry {
	byBand := func(e entry, b crawl.Band) int { return cmp.Compare(e.band, b) }
	from, _ := slices.BinarySearchFunc(h.queue, b, byBand)
	to, _ := slices.BinarySearchFunc(h.queue, b+1, byBand)
	return h.queue[from:to]
}

// nextDue is the earliest due time of a client's entries, of all if client is "".
func (h *host) nextDue(client crawl.ClientID) time.Time {
	var first time.Time
	for b := range crawl.Band(crawl.Bands) {
		for _, e := range h.band(b) {
			if client != "" && e.client != client {
				continue
			}
			if first.IsZero() || e.due.Before(first) {
				first = e.due
			}
			break
		}
	}
	return first
}

// DueHosts implements [store.Store].
func (s *Store) DueHosts(ctx context.Context, leases []store.Lease, now time.Time, limit int) ([]crawl.HostRecord, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading due hosts: %w", err)
	}
	defer s.mu.Unlock()
	held := map[crawl.Shard]bool{}
	for _, l := range leases {
		if err := s.check(l, s.now()); err != nil {
			return nil, fmt.Errorf("reading due hosts: %w", err)
		}
		held[l.Shard] = true
	}
	var due []*host
	for name, h := range s.hosts {
		if d := h.record.Due; !d.IsZero() && !d.After(now) && held[crawl.ShardOf(name)] {
			due = append(due, h)
		}
	}
	slices.SortFunc(due, func(a, b *host) int {
		return cmp.Or(a.record.Due.Compare(b.record.Due), cmp.Compare(a.record.Host, b.record.Host))
	})
	var records []crawl.HostRecord
	for _, h := range due[:min(len(due), max(limit, 0))] {
		records = append(records, copyHost(h.record))
	}
	return records, nil
}

// DueURLs implements [store.Store].
func (s *Store) DueURLs(ctx context.Context, name crawl.Host, client crawl.ClientID, now time.Time, limit int) ([]store.Due, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading due URLs of %s: %w", name, err)
	}
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil {
		return nil, nil
	}
	var due []store.Due
	for b := range crawl.Band(crawl.Bands) {
		for _, e := range h.band(b) {
			if e.due.After(now) || len(due) >= limit {
				break
			}
			if client != "" && e.client != client {
				continue
			}
			r := s.urls[e.url]
			v := *visitOf(r, e.client)
			v.Chain = slices.Clone(v.Chain)
			due = append(due, store.Due{URL: r.URL, Depth: r.Depth, Referrer: r.Referrer, Via: r.Via, Index: r.Index, Visit: v})
		}
	}
	return due, nil
}

// NextDue implements [store.Store].
func (s *Store) NextDue(ctx context.Context, name crawl.Host, client crawl.ClientID) (time.Time, error) {
	if err := s.lock(ctx); err != nil {
		return time.Time{}, fmt.Errorf("reading the next due time of %s: %w", name, err)
	}
	defer s.mu.Unlock()
	if h := s.hosts[name]; h != nil {
		return h.nextDue(client), nil
	}
	return time.Time{}, nil
}
