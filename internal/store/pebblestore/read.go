package pebblestore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// get reads one key and hands its value to read; false if it is not there.
func (s *Store) get(ctx context.Context, key []byte, read func([]byte) error) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.use.RUnlock()
	v, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = read(v)
	return err == nil, errors.Join(err, closer.Close())
}

// Host implements [store.Store].
func (s *Store) Host(ctx context.Context, host crawl.Host) (crawl.HostRecord, bool, error) {
	var r crawl.HostRecord
	ok, err := s.get(ctx, hostKey(host), func(v []byte) (err error) {
		r, err = record.Host(v, host)
		return err
	})
	if err != nil {
		return crawl.HostRecord{}, false, fmt.Errorf("reading host %s: %w", host, err)
	}
	return r, ok, nil
}

// URL implements [store.Store].
func (s *Store) URL(ctx context.Context, u crawl.URL) (crawl.URLRecord, bool, error) {
	var r crawl.URLRecord
	ok, err := s.get(ctx, appendURLKey(nil, spaceURL, u), func(v []byte) (err error) {
		r, err = record.URL(v, s.dict, u)
		return err
	})
	if err != nil {
		return crawl.URLRecord{}, false, fmt.Errorf("reading the record of %s: %w", u, err)
	}
	return r, ok, nil
}

// History implements [store.Store].
func (s *Store) History(ctx context.Context, u crawl.URL) ([]crawl.IndexChange, error) {
	var h []crawl.IndexChange
	_, err := s.get(ctx, appendURLKey(nil, spaceHistory, u), func(v []byte) (err error) {
		h, err = record.History(v, u)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the index history of %s: %w", u, err)
	}
	return h, nil
}

// Known implements [store.Store].
func (s *Store) Known(ctx context.Context, urls []crawl.URL) ([]bool, error) {
	known, err := s.known(ctx, urls)
	if err != nil {
		return nil, fmt.Errorf("looking up %d URLs: %w", len(urls), err)
	}
	return known, nil
}

func (s *Store) known(ctx context.Context, urls []crawl.URL) ([]bool, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	type lookup struct {
		key []byte
		i   int
	}
	lookups := make([]lookup, len(urls))
	for i, u := range urls {
		lookups[i] = lookup{appendURLKey(nil, spaceURL, u), i}
	}
	slices.SortFunc(lookups, func(a, b lookup) int { return bytes.Compare(a.key, b.key) })
	it, err := s.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	known := make([]bool, len(urls))
	for _, l := range lookups {
		known[l.i] = it.SeekPrefixGE(l.key)
		if it.Error() != nil {
			break
		}
	}
	return known, it.Close()
}

// Robots implements [store.Store].
func (s *Store) Robots(ctx context.Context, host crawl.Host) ([]crawl.RobotsRecord, error) {
	var all []crawl.RobotsRecord
	prefix := appendHostPrefix(nil, spaceRobots, host)
	err := s.scan(ctx, prefix, after(prefix), func(k, v []byte) (bool, error) {
		_, origin, err := cutHost(k)
		if err != nil {
			return false, err
		}
		r, err := record.Robots(v, crawl.Origin(origin))
		all = append(all, r)
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading robots.txt records of %s: %w", host, err)
	}
	return all, nil
}

// Feed implements [store.Store].
func (s *Store) Feed(ctx context.Context, shard crawl.Shard, after uint64, limit int) ([]crawl.Document, error) {
	var docs []crawl.Document
	if after == 1<<64-1 {
		limit = 0
	}
	end := append(feedKey(shard, 1<<64-1), 0)
	err := s.scan(ctx, feedKey(shard, after+1), end, func(k, v []byte) (bool, error) {
		if len(docs) >= limit {
			return false, nil
		}
		seq, err := parseSeq(k)
		if err != nil {
			return false, err
		}
		d, err := record.Document(v, s.dict, seq)
		docs = append(docs, d)
		return len(docs) < limit, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the feed of shard %d after %d: %w", shard, after, err)
	}
	return docs, nil
}

func parseSeq(k []byte) (uint64, error) {
	if len(k) != shardLen+8 {
		return 0, errKey
	}
	return binary.BigEndian.Uint64(k[shardLen:]), nil
}

// scan calls visit for the keys from from to before end, while it returns true.
func (s *Store) scan(ctx context.Context, from, end []byte, visit func(k, v []byte) (bool, error)) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	if bytes.Compare(from, end) >= 0 {
		return nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: end})
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err == nil {
			ok, err = visit(it.Key(), v)
		}
		if err != nil {
			_ = it.Close()
			return err
		}
		if !ok {
			break
		}
	}
	return it.Close()
}

// Setting implements [store.Store].
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var value string
	_, err := s.get(ctx, settingKey(name), func(v []byte) error {
		value = string(v)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("reading setting %s: %w", name, err)
	}
	return value, nil
}

// Settings implements [store.Store].
func (s *Store) Settings(ctx context.Context, prefix string) ([]store.Setting, error) {
	var out []store.Setting
	from := settingKey(prefix)
	err := s.scan(ctx, from, []byte{spaceSetting + 1}, func(k, v []byte) (bool, error) {
		if !bytes.HasPrefix(k, from) {
			return false, nil
		}
		if len(v) > 0 {
			out = append(out, store.Setting{Name: string(k[1:]), Value: string(v)})
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading settings %s…: %w", prefix, err)
	}
	return out, nil
}

// SetSetting implements [store.Store].
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	err := s.write(ctx, func(b *pebble.Batch) (func(), error) {
		return nil, b.Set(settingKey(name), []byte(value), nil)
	})
	if err != nil {
		return fmt.Errorf("storing setting %s: %w", name, err)
	}
	return nil
}

var _ store.Store = (*Store)(nil)
