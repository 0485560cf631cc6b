// Package storetest is the suite that every implementation of [store.Store]
// passes: the contract sentence by sentence ([Run]), durability ([RunReopen])
// and equality with another implementation over random histories ([RunModel]).
//
// It decides nothing about what a crawl should do; records are values to it.
//
// Behaviour ids in subtest names: L1 leases and fencing, F13 index history, I1
// and I2 crawl stats.
package storetest

import (
	"context"
	"iter"
	"reflect"
	"sync"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Open makes an empty store whose leases run by the clock now. The suite closes it.
type Open func(t *testing.T, now func() time.Time) store.Store

// Run checks the contract.
func Run(t *testing.T, open Open) {
	for _, g := range []struct {
		name  string
		tests []subtest
	}{
		{"Leases", leaseTests()},
		{"Hosts", hostTests()},
		{"Discovery", discoveryTests()},
		{"Visits", visitTests()},
		{"Pages", pageTests()},
		{"Stats", statsTests()},
		{"Feed", feedTests()},
		{"Whole", wholeTests()},
		{"Odd", oddTests()},
	} {
		t.Run(g.name, func(t *testing.T) {
			for _, s := range g.tests {
				t.Run(s.name, func(t *testing.T) { s.run(newBed(t, open)) })
			}
		})
	}
}

type subtest struct {
	name string
	run  func(b *bed)
}

// clock is a virtual clock.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// start is when virtual clocks start; the odd nanoseconds are there to get lost.
func start() time.Time { return time.Date(2026, 11, 3, 10, 20, 30, 123456789, time.UTC) }

// at is a time d after start.
func at(d time.Duration) time.Time { return start().Add(d) }

// bed is what a test works with: a store, its clock, and leases of all shards.
type bed struct {
	*testing.T
	store.Store
	clock  *clock
	leases []store.Lease
}

const ttl = 1000 * time.Hour

func newBed(t *testing.T, open Open) *bed {
	t.Helper()
	c := &clock{t: start()}
	b := &bed{T: t, Store: open(t, c.now), clock: c}
	t.Cleanup(func() {
		if err := b.Store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	b.leases = b.acquire("w", all()...)
	return b
}

func all() []crawl.Shard {
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	return shards
}

func (b *bed) ctx() context.Context { return b.T.Context() }

func (b *bed) acquire(worker string, shards ...crawl.Shard) []store.Lease {
	b.Helper()
	l, err := b.Acquire(b.ctx(), worker, shards, ttl)
	b.ok(err)
	return l
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("error: %v", err)
	}
}

func (b *bed) commit(batch ...*crawl.Outcome) store.Receipt {
	b.Helper()
	r, err := b.Commit(b.ctx(), b.leases, batch)
	b.ok(err)
	return r
}

func (b *bed) record(u crawl.URL) crawl.URLRecord {
	b.Helper()
	r, ok, err := b.URL(b.ctx(), u)
	b.ok(err)
	if !ok {
		b.Fatalf("%s is not known", u)
	}
	return r
}

func (b *bed) hostRecord(h crawl.Host) crawl.HostRecord {
	b.Helper()
	r, ok, err := b.Host(b.ctx(), h)
	b.ok(err)
	if !ok {
		b.Fatalf("host %s is not known", h)
	}
	return r
}

// queue returns the whole queue of h as "url client" in order.
func (b *bed) queue(h crawl.Host) []string {
	b.Helper()
	due, err := b.DueURLs(b.ctx(), h, "", at(ttl*100), 1<<20)
	b.ok(err)
	var q []string
	for _, d := range due {
		q = append(q, string(d.URL)+" "+string(d.Visit.Client))
	}
	return q
}

func (b *bed) equal(what string, got, want any) {
	b.Helper()
	if !same(got, want) {
		b.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// collect returns what an iteration gives.
func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for x, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, x)
	}
	return all, nil
}

// same is deep equality with times compared as instants, floats by their bits,
// and empty lists equal to nil ones, except bytes: an empty robots.txt is
// something else than none.
func same(a, b any) bool { return sameValue(reflect.ValueOf(a), reflect.ValueOf(b)) }

func sameValue(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return a.IsValid() == b.IsValid()
	}
	if t, ok := a.Interface().(time.Time); ok {
		return t.Equal(b.Interface().(time.Time))
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() || a.Type().Elem().Kind() == reflect.Uint8 && a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// found is an outcome that discovers URLs for client "c", due as given.
func found(due time.Time, urls ...crawl.URL) *crawl.Outcome {
	o := &crawl.Outcome{}
	for _, u := range urls {
		o.Discovered = append(o.Discovered, crawl.Discovery{URL: u, Client: "c", At: start(), Due: due})
	}
	return o
}

// visited is an outcome that replaces the visit of client "c".
func visited(u crawl.URL, band crawl.Band, due time.Time) *crawl.Outcome {
	return &crawl.Outcome{URL: u, Visit: &crawl.Visit{Client: "c", Band: band, Due: due, LastCrawl: start(), Crawls: 1}}
}
