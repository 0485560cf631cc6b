package storetest

import (
	"errors"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

func leaseTests() []subtest {
	return []subtest{
		{"L1/acquire skips what another holds", testAcquire},
		{"L1/own lease is taken over with a new epoch", testAcquireOwn},
		{"L1/expired lease is taken over", testExpiry},
		{"L1/renew keeps the epoch and leaves out lost ones", testRenew},
		{"L1/release ends at once, stale ones are ignored", testRelease},
		{"L1/stale commit applies nothing", testFencing},
		{"L1/any stale lease fences the batch", testFencingAny},
		{"L1/reads under a stale lease", testFencedRead},
		{"L1/commit without lease", testNotLeased},
		{"L1/wrong arguments", testLeaseArguments},
	}
}

func shardsOf(leases []store.Lease) []crawl.Shard {
	var s []crawl.Shard
	for _, l := range leases {
		s = append(s, l.Shard)
	}
	return s
}

func testAcquire(b *bed) {
	b.ok(b.Release(b.ctx(), b.leases))
	a := b.acquire("a", 7, 3, 3)
	b.equal("shards of a", shardsOf(a), []crawl.Shard{3, 7})
	for _, l := range a {
		b.equal("lease", l, store.Lease{Shard: l.Shard, Worker: "a", Epoch: 2, Expires: at(ttl)})
	}
	b.equal("shards of b", shardsOf(b.acquire("b", 9, 7, 1, 3)), []crawl.Shard{1, 9})
	b.equal("nothing free", len(b.acquire("b", 3, 7)), 0)
	b.equal("nothing asked", len(b.acquire("b")), 0)
}

func testAcquireOwn(b *bed) {
	again := b.acquire("w", 5)
	b.equal("lease", again[0].Epoch, b.leases[5].Epoch+1)
	_, err := b.Commit(b.ctx(), b.leases[5:6], nil)
	if !errors.Is(err, store.ErrFenced) {
		b.Fatalf("commit under the older lease of the same worker: %v", err)
	}
	_, err = b.Commit(b.ctx(), again, nil)
	b.ok(err)
}

func testExpiry(b *bed) {
	b.clock.add(ttl - 1)
	b.equal("one nanosecond before expiry", len(b.acquire("x", 5)), 0)
	_, err := b.Commit(b.ctx(), b.leases[5:6], nil)
	b.ok(err)
	b.clock.add(1)
	_, err = b.Commit(b.ctx(), b.leases[5:6], nil)
	var fenced *store.FencedError
	if !errors.As(err, &fenced) || !errors.Is(err, store.ErrFenced) {
		b.Fatalf("commit under an expired lease: %v", err)
	}
	b.equal("fenced", *fenced, store.FencedError{Shard: 5, Have: 1, Now: 1})
	x := b.acquire("x", 5)
	b.equal("new lease", x, []store.Lease{{Shard: 5, Worker: "x", Epoch: 2, Expires: at(2 * ttl)}})
	_, err = b.Commit(b.ctx(), b.leases[5:6], nil)
	if !errors.As(err, &fenced) {
		b.Fatalf("commit under a lost lease: %v", err)
	}
	b.equal("fenced", *fenced, store.FencedError{Shard: 5, Have: 1, Now: 2})
}

func testRenew(b *bed) {
	b.clock.add(time.Hour)
	mine := []store.Lease{b.leases[8], b.leases[2], b.leases[4], b.leases[2]}
	b.ok(b.Release(b.ctx(), b.leases[4:5]))
	b.acquire("x", 4)
	got, err := b.Renew(b.ctx(), mine, 2*ttl)
	b.ok(err)
	b.equal("renewed", got, []store.Lease{
		{Shard: 2, Worker: "w", Epoch: 1, Expires: at(time.Hour + 2*ttl)},
		{Shard: 8, Worker: "w", Epoch: 1, Expires: at(time.Hour + 2*ttl)},
	})
	b.clock.add(ttl)
	_, err = b.Commit(b.ctx(), mine[:2], nil) // epoch counts, not the copy of Expires
	b.ok(err)
	b.clock.add(ttl)
	got, err = b.Renew(b.ctx(), mine, ttl)
	b.ok(err)
	b.equal("renewed after expiry", len(got), 0)
}

func testRelease(b *bed) {
	stale := b.leases[5]
	b.ok(b.Release(b.ctx(), b.leases[5:7]))
	if _, err := b.Commit(b.ctx(), b.leases[5:6], nil); !errors.Is(err, store.ErrFenced) {
		b.Fatalf("commit under a released lease: %v", err)
	}
	x := b.acquire("x", 5)
	b.ok(b.Release(b.ctx(), []store.Lease{stale}))
	_, err := b.Commit(b.ctx(), x, nil)
	b.ok(err)
	fake := x[0]
	fake.Worker = "y"
	if _, err := b.Commit(b.ctx(), []store.Lease{fake}, nil); !errors.Is(err, store.ErrFenced) {
		b.Fatalf("commit under a lease of somebody else: %v", err)
	}
}

func testFencing(b *bed) {
	const u = "http://a.example/"
	shard := crawl.ShardOf("a.example")
	b.ok(b.Release(b.ctx(), b.leases[shard:shard+1]))
	x := b.acquire("x", shard)
	batch := []*crawl.Outcome{full(u)}
	before := snapshot(b)
	if _, err := b.Commit(b.ctx(), b.leases[shard:shard+1], batch); !errors.Is(err, store.ErrFenced) {
		b.Fatalf("stale commit: %v", err)
	}
	b.equal("store after a stale commit", snapshot(b), before)
	_, err := b.Commit(b.ctx(), x, batch)
	b.ok(err)
	if same(snapshot(b), before) {
		b.Fatal("the commit of the new owner changed nothing")
	}
}

func testFencingAny(b *bed) {
	b.ok(b.Release(b.ctx(), b.leases[5:6]))
	before := snapshot(b)
	if _, err := b.Commit(b.ctx(), b.leases, []*crawl.Outcome{full("http://a.example/")}); !errors.Is(err, store.ErrFenced) {
		b.Fatalf("commit with one stale lease among good ones: %v", err)
	}
	b.equal("store", snapshot(b), before)
}

func testFencedRead(b *bed) {
	b.commit(found(start(), "http://a.example/"))
	b.ok(b.Release(b.ctx(), b.leases[5:6]))
	if _, err := b.DueHosts(b.ctx(), b.leases, start(), 10); !errors.Is(err, store.ErrFenced) {
		b.Fatalf("DueHosts under a stale lease: %v", err)
	}
}

func testNotLeased(b *bed) {
	const u = crawl.URL("http://a.example/")
	shard := crawl.ShardOf(u.Host())
	others := slices.Delete(slices.Clone(b.leases), int(shard), int(shard)+1)
	before := snapshot(b)
	for name, o := range map[string]*crawl.Outcome{
		"host":     {Host: &crawl.HostRecord{Host: u.Host()}},
		"robots":   {Robots: []crawl.RobotsRecord{{Origin: u.Origin()}}},
		"visit":    visited(u, 0, start()),
		"index":    {URL: u, Index: &crawl.IndexChange{At: start()}},
		"links":    {URL: u, Links: []uint32{1}},
		"document": {Document: &crawl.Document{URL: u}},
	} {
		for _, leases := range [][]store.Lease{nil, others} {
			if _, err := b.Commit(b.ctx(), leases, []*crawl.Outcome{found(start(), "http://b.example/"), o}); !errors.Is(err, store.ErrNotLeased) {
				b.Fatalf("%s without a lease: %v", name, err)
			}
		}
	}
	b.equal("store", snapshot(b), before)
	// Discovered URLs are exempt, and so are events: both are of any shard.
	o := found(start(), u)
	o.Events = []crawl.Event{{Host: u.Host(), At: start()}}
	_, err := b.Commit(b.ctx(), nil, []*crawl.Outcome{o})
	b.ok(err)
	b.record(u)
}

func testLeaseArguments(b *bed) {
	for name, f := range map[string]func() error{
		"no worker":  func() error { _, err := b.Acquire(b.ctx(), "", []crawl.Shard{1}, ttl); return err },
		"no ttl":     func() error { _, err := b.Acquire(b.ctx(), "x", []crawl.Shard{1}, 0); return err },
		"high shard": func() error { _, err := b.Acquire(b.ctx(), "x", []crawl.Shard{crawl.Shards}, ttl); return err },
		"renew":      func() error { _, err := b.Renew(b.ctx(), b.leases, -1); return err },
		"commit": func() error {
			_, err := b.Commit(b.ctx(), []store.Lease{{Shard: crawl.Shards, Worker: "w"}}, nil)
			return err
		},
	} {
		if err := f(); !errors.Is(err, store.ErrInvalid) {
			b.Errorf("%s: %v", name, err)
		}
	}
}
