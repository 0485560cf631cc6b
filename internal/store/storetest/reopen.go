package storetest

import (
	"errors"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Durable is one directory, database or the like that can be opened again after
// it was closed.
type Durable func(now func() time.Time) (store.Store, error)

// RunReopen checks that what was committed is there after closing and opening.
// Each call of make gives a new, empty place.
func RunReopen(t *testing.T, make func(t *testing.T) Durable) {
	for _, s := range []struct {
		name string
		run  func(b *bed, reopen func())
	}{
		{"everything is there", testReopenAll},
		{"L1/leases and epochs are there", testReopenLeases},
		{"numbering goes on", testReopenNumbers},
	} {
		t.Run(s.name, func(t *testing.T) {
			place := make(t)
			b := newBed(t, func(t *testing.T, now func() time.Time) store.Store {
				st, err := place(now)
				if err != nil {
					t.Fatal(err)
				}
				return st
			})
			s.run(b, func() {
				b.ok(b.Close())
				var err error
				b.Store, err = place(b.clock.now)
				b.ok(err)
			})
		})
	}
}

func testReopenAll(b *bed, reopen func()) {
	b.commit(full("http://a.example/"), full("https://b.example/x"))
	b.discover("http://a.example/other", "another client", 3, at(time.Hour))
	b.ok(b.SetSetting(b.ctx(), "seed", "http://a.example/"))
	before := snapshot(b)
	for range 2 {
		reopen()
		b.equal("store", snapshot(b), before)
		v, err := b.Setting(b.ctx(), "seed")
		b.ok(err)
		b.equal("setting", v, "http://a.example/")
	}
	b.equal("known URLs stay known", b.commit(found(start(), "http://a.example/1")), store.Receipt{})
}

func testReopenLeases(b *bed, reopen func()) {
	b.ok(b.Release(b.ctx(), b.leases[5:6]))
	reopen()
	b.equal("another worker gets only what was released", shardsOf(b.acquire("x", 4, 5, 6)), []crawl.Shard{5})
	if _, err := b.Commit(b.ctx(), b.leases[5:6], nil); !errors.Is(err, store.ErrFenced) {
		b.Fatalf("released lease after reopening: %v", err)
	}
	_, err := b.Commit(b.ctx(), b.leases[6:7], nil)
	b.ok(err)
	reopen()
	b.equal("epoch grows on", b.acquire("x", 5)[0].Epoch, uint64(3))
}

func testReopenNumbers(b *bed, reopen func()) {
	const u = "http://a.example/"
	for i := range 4 {
		x := change(at(time.Duration(i)), i)
		b.commit(&crawl.Outcome{URL: u, Document: &crawl.Document{URL: u}, Index: &x, Events: []crawl.Event{{Host: "a.example", At: start()}}})
		b.discover(u, crawl.ClientID(rune('a'+i)), 0, start())
		reopen()
	}
	w := snapshot(b)
	for i, d := range w.Feed {
		b.equal("number", d.Seq, uint64(i+1))
	}
	b.equal("documents, changes, visits", []int{len(w.Feed), len(w.History), len(w.Queue)}, []int{4, 4, 4})
	b.equal("events", w.Stats[0].Count, int64(4))
	b.equal("queue", b.queue("a.example"), []string{u + " a", u + " b", u + " c", u + " d"})
}
