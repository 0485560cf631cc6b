package pebblestore

import (
	"context"
	"fmt"
	"iter"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// A scan reads in pieces of at most so many keys and bytes and holds nothing
// while the caller works: a caller may commit, close the store or take its time.
const (
	pieceKeys  = 256
	pieceBytes = 1 << 20
)

// pieces iterates over the values of the keys with a prefix, decoded one by one.
func pieces[T any](ctx context.Context, s *Store, what string, from, end []byte, decode func(k, v []byte) (T, bool, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for from := from; from != nil; {
			var piece []T
			var next []byte
			keys, bytes := 0, 0
			err := s.scan(ctx, from, end, func(k, v []byte) (bool, error) {
				if keys >= pieceKeys || bytes >= pieceBytes {
					next = append([]byte{}, k...)
					return false, nil
				}
				keys++
				bytes += len(k) + len(v)
				x, take, err := decode(k, v)
				if err == nil && take {
					piece = append(piece, x)
				}
				return err == nil, err
			})
			for _, x := range piece {
				if !yield(x, nil) {
					return
				}
			}
			if err != nil {
				var none T
				yield(none, fmt.Errorf("reading %s: %w", what, err))
				return
			}
			from = next
		}
	}
}

// hostRange is the range of keys of a keyspace, for one host unless it is "".
func hostRange(space byte, h crawl.Host) (from, end []byte) {
	if h == "" {
		return []byte{space}, []byte{space + 1}
	}
	from = appendHostPrefix(nil, space, h)
	return from, after(from)
}

// URLs implements [store.Store].
func (s *Store) URLs(ctx context.Context, f store.URLFilter) iter.Seq2[crawl.URLRecord, error] {
	from, end := hostRange(spaceURL, f.Host)
	return pieces(ctx, s, "URL records", from, end, func(k, v []byte) (crawl.URLRecord, bool, error) {
		u, err := parseURLKey(k)
		if err != nil {
			return crawl.URLRecord{}, false, err
		}
		r, err := record.URL(v, s.dict, u)
		return r, true, err
	})
}

// Hosts implements [store.Store].
func (s *Store) Hosts(ctx context.Context) iter.Seq2[crawl.HostRecord, error] {
	return pieces(ctx, s, "host records", []byte{spaceHost}, []byte{spaceHost + 1}, func(k, v []byte) (crawl.HostRecord, bool, error) {
		if len(k) < shardLen {
			return crawl.HostRecord{}, false, errKey
		}
		r, err := record.Host(v, crawl.Host(k[shardLen:]))
		return r, true, err
	})
}

// Links implements [store.Store].
func (s *Store) Links(ctx context.Context, f store.URLFilter) iter.Seq2[store.PageLinks, error] {
	from, end := hostRange(spaceLinks, f.Host)
	return pieces(ctx, s, "links", from, end, func(k, v []byte) (store.PageLinks, bool, error) {
		u, err := parseURLKey(k)
		if err != nil {
			return store.PageLinks{}, false, err
		}
		links, err := record.Links(v, u)
		return store.PageLinks{URL: u, Links: links}, true, err
	})
}

// Stats implements [store.Store].
func (s *Store) Stats(ctx context.Context, f store.StatFilter) iter.Seq2[store.Stat, error] {
	from, end := hostRange(spaceStats, f.Host)
	return pieces(ctx, s, "crawl stats", from, end, func(k, v []byte) (store.Stat, bool, error) {
		key, err := parseStatsKey(k)
		if err != nil {
			return store.Stat{}, false, err
		}
		var sum sums
		if err := sum.add(v); err != nil {
			return store.Stat{}, false, err
		}
		take := (f.FromDay == 0 || key.Day >= f.FromDay) && (f.ToDay == 0 || key.Day <= f.ToDay)
		return store.Stat{StatKey: key, Count: sum.count, Bytes: sum.bytes, Millis: sum.millis}, take, nil
	})
}
