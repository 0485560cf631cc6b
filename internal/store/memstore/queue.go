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

// queue holds the entries of one client, each band in order of compare.
type queue struct {
	client crawl.ClientID
	bands  [crawl.Bands]band
}

// band is a sorted list in pieces, so that an entry in the middle of a long one
// moves few others. No piece is empty.
type band [][]entry

// pieceSize bounds a piece.
const pieceSize = 128

// find returns the piece in which e is, or belongs, and its place there.
func (b band) find(e entry) (piece, at int, found bool) {
	piece, found = slices.BinarySearchFunc(b, e, func(p []entry, e entry) int { return p[0].compare(e) })
	if found {
		return piece, 0, true
	}
	if piece--; piece < 0 {
		return 0, 0, false
	}
	at, found = slices.BinarySearchFunc(b[piece], e, entry.compare)
	return piece, at, found
}

func (b band) insert(e entry) band {
	if len(b) == 0 {
		return append(b, append(make([]entry, 0, 4), e))
	}
	i, at, _ := b.find(e)
	b[i] = slices.Insert(b[i], at, e)
	if n := len(b[i]); n > pieceSize {
		rest := slices.Clone(b[i][n/2:])
		clear(b[i][n/2:])
		b[i] = b[i][:n/2]
		b = slices.Insert(b, i+1, rest)
	}
	return b
}

func (b band) remove(e entry) band {
	if len(b) == 0 {
		return b
	}
	i, at, found := b.find(e)
	if !found {
		return b
	}
	if b[i] = slices.Delete(b[i], at, at+1); len(b[i]) == 0 {
		b = slices.Delete(b, i, i+1)
	}
	return b
}

// due appends up to limit entries that are due at now.
func (b band) due(list []entry, now time.Time, limit int) []entry {
	for _, p := range b {
		for _, e := range p {
			if limit <= 0 || e.due.After(now) {
				return list
			}
			list = append(list, e)
			limit--
		}
	}
	return list
}

func (h *host) queue(client crawl.ClientID) *queue {
	for _, q := range h.queues {
		if q.client == client {
			return q
		}
	}
	return nil
}

func (h *host) enqueue(e entry) {
	if e.due.IsZero() {
		return
	}
	q := h.queue(e.client)
	if q == nil {
		q = &queue{client: e.client}
		h.queues = append(h.queues, q)
	}
	q.bands[e.band] = q.bands[e.band].insert(e)
}

func (h *host) dequeue(e entry) {
	if q := h.queue(e.client); q != nil {
		q.bands[e.band] = q.bands[e.band].remove(e)
	}
}

// nextDue is the earliest due time of a client's entries, of all if client is "".
func (h *host) nextDue(client crawl.ClientID) time.Time {
	var first time.Time
	for _, q := range h.queues {
		if client != "" && q.client != client {
			continue
		}
		for _, b := range q.bands {
			if len(b) > 0 && (first.IsZero() || b[0][0].due.Before(first)) {
				first = b[0][0].due
			}
		}
	}
	return first
}

// dueEntries returns up to limit entries that are due at now, in order; only
// those of one client unless client is "".
func (h *host) dueEntries(client crawl.ClientID, now time.Time, limit int) []entry {
	var list []entry
	for b := range crawl.Bands {
		from := len(list)
		for _, q := range h.queues {
			if client == "" || q.client == client {
				list = q.bands[b].due(list, now, limit-from)
			}
		}
		if client == "" {
			slices.SortFunc(list[from:], entry.compare)
		}
		if len(list) >= limit {
			return list[:max(limit, 0)]
		}
	}
	return list
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
	entries := h.dueEntries(client, now, limit)
	due := make([]store.Due, 0, len(entries))
	for _, e := range entries {
		r := s.urls[e.url]
		v := copyVisit(*visitOf(r, e.client))
		due = append(due, store.Due{URL: r.URL, Depth: r.Depth, Referrer: r.Referrer, Via: r.Via, Index: r.Index, Visit: v})
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
