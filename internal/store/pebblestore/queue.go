package pebblestore

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// DueHosts implements [store.Store].
func (s *Store) DueHosts(ctx context.Context, leases []store.Lease, now time.Time, limit int) ([]crawl.HostRecord, error) {
	hosts, err := s.dueHosts(ctx, leases, now, limit)
	if err != nil {
		return nil, fmt.Errorf("reading due hosts of %d shards: %w", len(leases), err)
	}
	return hosts, nil
}

// dueEntry is an entry of the due index: time and hostname, in the form of the key.
type dueEntry []byte

// dueHeap has the latest entry on top.
type dueHeap []dueEntry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return bytes.Compare(h[i], h[j]) > 0 }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(dueEntry)) }
func (h *dueHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (s *Store) dueHosts(ctx context.Context, leases []store.Lease, now time.Time, limit int) ([]crawl.HostRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	clock := s.now()
	shards := map[crawl.Shard]bool{}
	for _, l := range leases {
		if err := s.stale(l, clock); err != nil {
			return nil, err
		}
		shards[l.Shard] = true
	}
	if limit <= 0 || len(shards) == 0 || now.Before(time.Time{}) {
		return nil, nil
	}
	gen := s.dues.generation()
	it, err := s.db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	hosts, err := s.firstDue(it, gen, shards, now, limit)
	if err2 := it.Close(); err == nil {
		err = err2
	}
	return hosts, err
}

// firstDue merges the heads of the shards' indexes.
func (s *Store) firstDue(it *pebble.Iterator, gen uint64, shards map[crawl.Shard]bool, now time.Time, limit int) ([]crawl.HostRecord, error) {
	limitKey := record.AppendTime(nil, record.ClampTime(now))
	var first dueHeap
	for shard := range shards {
		prefix := appendShard(nil, spaceDue, shard)
		from, empty := s.dues.seek(prefix)
		if empty || len(from) >= shardLen+record.TimeLen && bytes.Compare(from[shardLen:shardLen+record.TimeLen], limitKey) > 0 {
			continue
		}
		head := true
		ok := it.SeekGE(from)
		for ; ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
			e := it.Key()[shardLen:]
			if len(e) < record.TimeLen {
				return nil, errKey
			}
			if head {
				s.dues.set(gen, prefix, it.Key())
				head = false
			}
			if bytes.Compare(e[:record.TimeLen], limitKey) > 0 || len(first) >= limit && bytes.Compare(e, first[0]) > 0 {
				break
			}
			heap.Push(&first, dueEntry(bytes.Clone(e)))
			if len(first) > limit {
				heap.Pop(&first)
			}
		}
		if err := it.Error(); err != nil {
			return nil, err
		}
		if head {
			s.dues.set(gen, prefix, nil)
		}
	}
	slices.SortFunc(first, func(a, b dueEntry) int { return bytes.Compare(a, b) })
	hosts := make([]crawl.HostRecord, 0, len(first))
	for _, e := range first {
		h := crawl.Host(e[record.TimeLen:])
		if !it.SeekPrefixGE(hostKey(h)) {
			return nil, cmp.Or(it.Error(), fmt.Errorf("host %s is in the due index and has no record: %w", h, errKey))
		}
		r, err := record.Host(it.Value(), h)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, r)
	}
	return hosts, nil
}

// NextDue implements [store.Store].
func (s *Store) NextDue(ctx context.Context, host crawl.Host, client crawl.ClientID) (time.Time, error) {
	var first time.Time
	err := s.eachRange(ctx, host, client, func(it *pebble.Iterator, r queueRange) error {
		due, _, err := record.CutTime(it.Key()[len(r.prefix):])
		if err == nil && (first.IsZero() || due.Before(first)) {
			first = due
		}
		return err
	}, func() error { return nil })
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the next due time of %s: %w", host, err)
	}
	return first, nil
}

// queueRange is one client's part of one band of a queue.
type queueRange struct {
	prefix []byte
	client uint32
	band   crawl.Band
}

// eachRange calls visit with an iterator at the first entry of each part of a
// host's queue that has one, and end in any case.
func (s *Store) eachRange(ctx context.Context, host crawl.Host, client crawl.ClientID, visit func(it *pebble.Iterator, r queueRange) error, end func() error) (err error) {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	defer func() {
		if err2 := end(); err == nil {
			err = err2
		}
	}()
	gen := s.queues.generation()
	it, err := s.db.NewIter(&pebble.IterOptions{UpperBound: after(appendHostPrefix(nil, spaceQueue, host))})
	if err != nil {
		return err
	}
	defer func() {
		if err2 := it.Close(); err == nil {
			err = err2
		}
	}()
	for _, num := range s.dict.find(client) {
		for band := range crawl.Band(crawl.Bands) {
			r := queueRange{appendQueuePrefix(nil, host, num, band), num, band}
			from, empty := s.queues.seek(r.prefix)
			if empty {
				continue
			}
			if !it.SeekGE(from) || !bytes.HasPrefix(it.Key(), r.prefix) {
				if it.Error() != nil {
					return it.Error()
				}
				s.queues.set(gen, r.prefix, nil)
				continue
			}
			s.queues.set(gen, r.prefix, it.Key())
			if err := visit(it, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// DueURLs implements [store.Store].
func (s *Store) DueURLs(ctx context.Context, host crawl.Host, client crawl.ClientID, now time.Time, limit int) ([]store.Due, error) {
	q := dueReader{s: s, host: host, until: record.AppendTime(nil, record.ClampTime(now)), limit: limit}
	if now.Before(time.Time{}) {
		q.limit = 0 // before all that keys can say
	}
	if err := s.eachRange(ctx, host, client, q.read, q.close); err != nil {
		return nil, fmt.Errorf("reading due URLs of %s: %w", host, err)
	}
	if client == "" {
		slices.SortStableFunc(q.due, func(a, b store.Due) int {
			return cmp.Or(cmp.Compare(a.Visit.Band, b.Visit.Band), a.Visit.Due.Compare(b.Visit.Due), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Visit.Client, b.Visit.Client))
		})
	}
	return q.due[:min(len(q.due), max(limit, 0))], nil
}

// dueReader collects queue entries with their records.
type dueReader struct {
	s       *Store
	host    crawl.Host
	until   []byte // due time, as in keys
	limit   int    // entries of one client
	due     []store.Due
	client  uint32
	taken   int              // of this client
	records *pebble.Iterator // same moment as the queue's
	key     []byte
}

func (q *dueReader) close() error {
	if q.records == nil {
		return nil
	}
	return q.records.Close()
}

// read reads one client's part of one band.
func (q *dueReader) read(it *pebble.Iterator, r queueRange) error {
	if q.client != r.client {
		q.client, q.taken = r.client, 0
	}
	for ok := true; ok && bytes.HasPrefix(it.Key(), r.prefix) && q.taken < q.limit; ok = it.Next() {
		e := it.Key()[len(r.prefix):]
		if len(e) <= record.TimeLen {
			return errKey
		}
		if bytes.Compare(e[:record.TimeLen], q.until) > 0 {
			break
		}
		d, err := q.entry(it, e[record.TimeLen], string(e[record.TimeLen+1:]), r.client)
		if err != nil {
			return err
		}
		q.due = append(q.due, d)
		q.taken++
	}
	return it.Error()
}

func (q *dueReader) entry(it *pebble.Iterator, form byte, rest string, client uint32) (store.Due, error) {
	u, err := record.LongURL(q.host, form, rest)
	if err != nil {
		return store.Due{}, err
	}
	name, ok := q.s.dict.Name(uint64(client))
	if !ok {
		return store.Due{}, errKey
	}
	if q.records == nil {
		if q.records, err = it.Clone(pebble.CloneOptions{IterOptions: &pebble.IterOptions{}}); err != nil {
			return store.Due{}, err
		}
	}
	q.key = appendURLKey(q.key[:0], spaceURL, u)
	if !q.records.SeekPrefixGE(q.key) {
		return store.Due{}, cmp.Or(q.records.Error(), fmt.Errorf("%s is queued and has no record: %w", u, errKey))
	}
	r, err := record.URL(q.records.Value(), q.s.dict, u)
	if err != nil {
		return store.Due{}, err
	}
	v := visitOf(&r, name)
	if v == nil {
		return store.Due{}, fmt.Errorf("%s is queued for %s and has no visit: %w", u, name, errKey)
	}
	return store.Due{URL: u, Depth: r.Depth, Referrer: r.Referrer, Via: r.Via, Index: r.Index, Visit: *v}, nil
}
