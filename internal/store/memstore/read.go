package memstore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Host implements [store.Store].
func (s *Store) Host(ctx context.Context, name crawl.Host) (crawl.HostRecord, bool, error) {
	if err := s.lock(ctx); err != nil {
		return crawl.HostRecord{}, false, fmt.Errorf("reading host %s: %w", name, err)
	}
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil {
		return crawl.HostRecord{}, false, nil
	}
	return copyHost(h.record), true, nil
}

// Robots implements [store.Store].
func (s *Store) Robots(ctx context.Context, name crawl.Host) ([]crawl.RobotsRecord, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading robots.txt records of %s: %w", name, err)
	}
	defer s.mu.Unlock()
	var all []crawl.RobotsRecord
	for _, o := range slices.Sorted(maps.Keys(s.robots[name])) {
		r := s.robots[name][o]
		r.Body = bytes.Clone(r.Body)
		all = append(all, r)
	}
	return all, nil
}

// URL implements [store.Store].
func (s *Store) URL(ctx context.Context, u crawl.URL) (crawl.URLRecord, bool, error) {
	if err := s.lock(ctx); err != nil {
		return crawl.URLRecord{}, false, fmt.Errorf("reading the record of %s: %w", u, err)
	}
	defer s.mu.Unlock()
	r := s.urls[u]
	if r == nil {
		return crawl.URLRecord{}, false, nil
	}
	return copyRecord(*r), true, nil
}

// Known implements [store.Store].
func (s *Store) Known(ctx context.Context, urls []crawl.URL) ([]bool, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("looking up %d URLs: %w", len(urls), err)
	}
	defer s.mu.Unlock()
	known := make([]bool, len(urls))
	for i, u := range urls {
		known[i] = s.urls[u] != nil
	}
	return known, nil
}

// History implements [store.Store].
func (s *Store) History(ctx context.Context, u crawl.URL) ([]crawl.IndexChange, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading the index history of %s: %w", u, err)
	}
	defer s.mu.Unlock()
	return slices.Clone(s.history[u]), nil
}

// Feed implements [store.Store].
func (s *Store) Feed(ctx context.Context, shard crawl.Shard, after uint64, limit int) ([]crawl.Document, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading the feed of shard %d: %w", shard, err)
	}
	defer s.mu.Unlock()
	feed := s.feeds[shard]
	feed = feed[min(after, uint64(len(feed))):]
	return slices.Clone(feed[:min(len(feed), max(limit, 0))]), nil
}

// Setting implements [store.Store].
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	if err := s.lock(ctx); err != nil {
		return "", fmt.Errorf("reading setting %s: %w", name, err)
	}
	defer s.mu.Unlock()
	return s.settings[name], nil
}

// Settings implements [store.Store].
func (s *Store) Settings(ctx context.Context, prefix string) ([]store.Setting, error) {
	if err := s.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading settings %s…: %w", prefix, err)
	}
	defer s.mu.Unlock()
	var out []store.Setting
	for name, value := range s.settings {
		if strings.HasPrefix(name, prefix) && value != "" {
			out = append(out, store.Setting{Name: name, Value: value})
		}
	}
	slices.SortFunc(out, func(a, b store.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// SetSetting implements [store.Store].
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	if err := s.lock(ctx); err != nil {
		return fmt.Errorf("storing setting %s: %w", name, err)
	}
	defer s.mu.Unlock()
	s.settings[name] = value
	return nil
}

// each iterates over keys taken at the start and looks each value up when its
// turn comes, so that the caller may use the store meanwhile.
func each[K, V any](ctx context.Context, s *Store, keys func() []K, value func(K) (V, bool)) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		var none V
		if err := s.lock(ctx); err != nil {
			yield(none, fmt.Errorf("iterating: %w", err))
			return
		}
		all := keys()
		s.mu.Unlock()
		for _, k := range all {
			if err := s.lock(ctx); err != nil {
				yield(none, fmt.Errorf("iterating: %w", err))
				return
			}
			v, ok := value(k)
			s.mu.Unlock()
			if ok && !yield(v, nil) {
				return
			}
		}
	}
}

// hostNames returns all hostnames in order of shard and name.
func (s *Store) hostNames() []crawl.Host {
	return slices.SortedFunc(maps.Keys(s.hosts), compareHosts)
}

func compareHosts(a, b crawl.Host) int {
	return cmp.Or(cmp.Compare(crawl.ShardOf(a), crawl.ShardOf(b)), cmp.Compare(a, b))
}

// sorted returns the URLs of the hostname in order.
func (h *host) sorted() []crawl.URL {
	if h.added {
		slices.Sort(h.urls)
		h.added = false
	}
	return h.urls
}

func (s *Store) urlNames(f store.URLFilter) []crawl.URL {
	var all []crawl.URL
	for _, h := range s.hostNames() {
		if f.Host == "" || f.Host == h {
			all = append(all, s.hosts[h].sorted()...)
		}
	}
	return all
}

// URLs implements [store.Store].
func (s *Store) URLs(ctx context.Context, f store.URLFilter) iter.Seq2[crawl.URLRecord, error] {
	return each(ctx, s, func() []crawl.URL { return s.urlNames(f) }, func(u crawl.URL) (crawl.URLRecord, bool) {
		return copyRecord(*s.urls[u]), true
	})
}

// Hosts implements [store.Store].
func (s *Store) Hosts(ctx context.Context) iter.Seq2[crawl.HostRecord, error] {
	return each(ctx, s, s.hostNames, func(h crawl.Host) (crawl.HostRecord, bool) {
		return copyHost(s.hosts[h].record), true
	})
}

// Links implements [store.Store].
func (s *Store) Links(ctx context.Context, f store.URLFilter) iter.Seq2[store.PageLinks, error] {
	return each(ctx, s, func() []crawl.URL { return s.urlNames(f) }, func(u crawl.URL) (store.PageLinks, bool) {
		return store.PageLinks{URL: u, Links: slices.Clone(s.links[u])}, s.links[u] != nil
	})
}

// Stats implements [store.Store].
func (s *Store) Stats(ctx context.Context, f store.StatFilter) iter.Seq2[store.Stat, error] {
	keys := func() []store.StatKey { return slices.SortedFunc(maps.Keys(s.stats), compareStats) }
	return each(ctx, s, keys, func(k store.StatKey) (store.Stat, bool) {
		in := (f.Host == "" || f.Host == k.Host) && (f.FromDay == 0 || k.Day >= f.FromDay) && (f.ToDay == 0 || k.Day <= f.ToDay)
		return s.stats[k], in
	})
}

func compareStats(a, b store.StatKey) int {
	sent := func(k store.StatKey) int {
		if k.Sent {
			return 1
		}
		return 0
	}
	return cmp.Or(
		compareHosts(a.Host, b.Host), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Response, b.Response), cmp.Compare(a.File, b.File),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(sent(a), sent(b)),
	)
}

func copyHost(h crawl.HostRecord) crawl.HostRecord {
	h.Traps, h.Load.Changes, h.Clusters, h.Contents = slices.Clone(h.Traps), slices.Clone(h.Load.Changes), slices.Clone(h.Clusters), slices.Clone(h.Contents)
	h.Egress.Regions, h.Landings = slices.Clone(h.Egress.Regions), slices.Clone(h.Landings)
	return h
}

func copyVisit(v crawl.Visit) crawl.Visit {
	v.Chain, v.Past = slices.Clone(v.Chain), slices.Clone(v.Past)
	return v
}

func copyRecord(r crawl.URLRecord) crawl.URLRecord {
	r.Visits = slices.Clone(r.Visits)
	for i := range r.Visits {
		r.Visits[i] = copyVisit(r.Visits[i])
	}
	return r
}

// Count returns how many URLs of a hostname are known. It is no part of
// [store.Store]: the simulator counts often, and a scan would be slow.
func (s *Store) Count(name crawl.Host) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hosts[name]; h != nil {
		return len(h.urls)
	}
	return 0
}
