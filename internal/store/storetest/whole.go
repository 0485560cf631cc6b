package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

func wholeTests() []subtest {
	return []subtest{
		{"a batch with one invalid outcome applies nothing", testAtomic},
		{"a repeated batch changes nothing but stats and feed", testRepeated},
		{"Hosts in order of shard and name", testHostsOrder},
		{"settings", testSettings},
		{"cancelled context", testCancelled},
		{"closed store", testClosed},
		{"many goroutines", testConcurrent},
	}
}

// full is an outcome that touches everything of u.
func full(u crawl.URL) *crawl.Outcome {
	v, x, c := wholeVisit(u, "c"), change(at(9), 1), crawl.URL("http://canonical.example/")
	h := wholeHost(u.Host())
	h.Due = time.Time{}
	o := found(at(1), u+"1", "http://other.example/", "http://another.example/x")
	o.Host, o.Robots = &h, []crawl.RobotsRecord{{Origin: u.Origin(), Body: []byte("x")}}
	o.URL, o.Visit, o.Index, o.Canonical, o.Links = u, &v, &x, &c, []uint32{1, 2}
	o.Events = []crawl.Event{{Host: u.Host(), At: start(), Bytes: 1}}
	o.Document = &crawl.Document{URL: u}
	return o
}

// world is everything a store gives back about the hosts it knows.
type world struct {
	Hosts   []crawl.HostRecord
	URLs    []crawl.URLRecord
	Links   []store.PageLinks
	Stats   []store.Stat
	Robots  []crawl.RobotsRecord
	History []crawl.IndexChange
	Queue   []store.Due
	Next    []time.Time
	Feed    []crawl.Document
}

func snapshot(b *bed) world {
	b.Helper()
	w, err := readWorld(b.ctx(), b.Store)
	b.ok(err)
	return w
}

func readWorld(ctx context.Context, s store.Store) (w world, err error) {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	w.Hosts, err = collect(s.Hosts(ctx))
	note(err)
	w.URLs, err = collect(s.URLs(ctx, store.URLFilter{}))
	note(err)
	w.Links, err = collect(s.Links(ctx, store.URLFilter{}))
	note(err)
	w.Stats, err = collect(s.Stats(ctx, store.StatFilter{}))
	note(err)
	shards := map[crawl.Shard]bool{}
	for _, h := range w.Hosts {
		robots, err := s.Robots(ctx, h.Host)
		note(err)
		queue, err := s.DueURLs(ctx, h.Host, "", at(100*ttl), 1<<20)
		note(err)
		next, err := s.NextDue(ctx, h.Host, "")
		note(err)
		w.Robots, w.Queue, w.Next = append(w.Robots, robots...), append(w.Queue, queue...), append(w.Next, next)
		shards[crawl.ShardOf(h.Host)] = true
	}
	for _, r := range w.URLs {
		h, err := s.History(ctx, r.URL)
		note(err)
		w.History = append(w.History, h...)
	}
	for shard := range crawl.Shard(crawl.Shards) {
		if shards[shard] {
			docs, err := s.Feed(ctx, shard, 0, 1<<20)
			note(err)
			w.Feed = append(w.Feed, docs...)
		}
	}
	return w, errors.Join(errs...)
}

func testAtomic(b *bed) {
	b.commit(full("http://a.example/"))
	before := snapshot(b)
	for name, bad := range map[string]*crawl.Outcome{
		"nil":             nil,
		"band":            visited("http://a.example/", crawl.Bands, start()),
		"no URL":          {Visit: &crawl.Visit{Client: "c"}},
		"no host":         found(start(), "mailto:x"),
		"no client":       {URL: "http://a.example/", Visit: &crawl.Visit{}},
		"unsorted links":  {URL: "http://a.example/", Links: []uint32{2, 1}},
		"host name":       {Host: &crawl.HostRecord{}},
		"host due":        {Host: &crawl.HostRecord{Host: "a.example", Due: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"traps":           {Host: &crawl.HostRecord{Host: "a.example", Traps: make([]crawl.Trap, crawl.MaxTraps+1)}},
		"clusters":        {Host: &crawl.HostRecord{Host: "a.example", Clusters: make([]crawl.Cluster, crawl.MaxClusters+1)}},
		"landings":        {Host: &crawl.HostRecord{Host: "a.example", Landings: make([]crawl.Landing, crawl.MaxLandings+1)}},
		"contents":        {Host: &crawl.HostRecord{Host: "a.example", Contents: make([]crawl.Content, crawl.MaxContents+1)}},
		"origin":          {Robots: []crawl.RobotsRecord{{}}},
		"due before time": found(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), "http://a.example/"),
		"long URL":        found(start(), crawl.URL("http://a.example/"+strings.Repeat("x", store.MaxURL))),
		"claim":           {Claims: []crawl.Claim{{URL: "http://a.example/"}}},
		"claim's band":    {Claims: []crawl.Claim{{URL: "http://a.example/", Client: "c", Band: crawl.Bands}}},
		"claim's due":     {Claims: []crawl.Claim{{URL: "http://a.example/", Client: "c", Later: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}}},
		"document":        {Document: &crawl.Document{}},
		"event":           {Events: []crawl.Event{{}}},
	} {
		_, err := b.Commit(b.ctx(), b.leases, []*crawl.Outcome{full("http://b.example/"), bad})
		if !errors.Is(err, store.ErrInvalid) {
			b.Fatalf("%s: error %v", name, err)
		}
		if !strings.Contains(err.Error(), "outcome 2 of 2") {
			b.Errorf("%s: the error does not say which outcome: %v", name, err)
		}
	}
	b.equal("store", snapshot(b), before)
}

func testRepeated(b *bed) {
	moved, host := visited("http://a.example/1", 3, at(time.Minute)), crawl.HostRecord{Host: "a.example", Due: at(ttl)}
	again := change(at(8), 2)
	batch := []*crawl.Outcome{
		full("http://a.example/"), moved,
		{URL: "http://a.example/", Index: &again},
		full("http://b.example/"),
		{Host: &host},
		visited("http://a.example/", 1, at(2*time.Minute)),
	}
	b.commit(batch...)
	before := snapshot(b)
	r := b.commit(batch...)
	b.equal("receipt", r, store.Receipt{})
	after := snapshot(b)
	b.equal("feed", len(after.Feed), 2*len(before.Feed))
	b.equal("stats", after.Stats[0].Count, 2*before.Stats[0].Count)
	after.Feed, after.Stats = before.Feed, before.Stats
	b.equal("store", after, before)
}

func testHostsOrder(b *bed) {
	for i := range 600 {
		b.commit(found(start(), crawl.URL(fmt.Sprintf("http://h%d.example/", i))))
	}
	hosts := snapshot(b).Hosts
	b.equal("number", len(hosts), 600)
	for i := 1; i < len(hosts); i++ {
		x, y := hosts[i-1].Host, hosts[i].Host
		if s, t := crawl.ShardOf(x), crawl.ShardOf(y); s > t || s == t && x >= y {
			b.Fatalf("%s (shard %d) comes before %s (shard %d)", x, s, y, t)
		}
	}
}

func testSettings(b *bed) {
	get := func(name string) string {
		v, err := b.Setting(b.ctx(), name)
		b.ok(err)
		return v
	}
	b.equal("never set", get("x"), "")
	for _, v := range []string{"1", "", "z\x00\xff", strings.Repeat("long", 1<<16)} {
		b.ok(b.SetSetting(b.ctx(), "x", v))
		b.ok(b.SetSetting(b.ctx(), "", v+"!"))
		b.equal("value", get("x"), v)
		b.equal("value of the empty name", get(""), v+"!")
	}
	b.equal("other name", get("xx"), "")
	for _, name := range []string{"p/b", "p/\xff", "p/a", "p0", "o/z", "p/gone"} {
		b.ok(b.SetSetting(b.ctx(), name, "of "+name))
	}
	b.ok(b.SetSetting(b.ctx(), "p/gone", ""))
	some, err := b.Settings(b.ctx(), "p/")
	b.ok(err)
	b.equal("settings by prefix", some, []store.Setting{{Name: "p/a", Value: "of p/a"}, {Name: "p/b", Value: "of p/b"}, {Name: "p/\xff", Value: "of p/\xff"}})
	all, err := b.Settings(b.ctx(), "")
	b.ok(err)
	b.equal("number of settings", len(all), 7)
}

// calls are all methods that take a context.
func calls(s store.Store, leases []store.Lease) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Acquire":  func(c context.Context) error { _, err := s.Acquire(c, "x", []crawl.Shard{1}, ttl); return err },
		"Renew":    func(c context.Context) error { _, err := s.Renew(c, leases, ttl); return err },
		"Release":  func(c context.Context) error { return s.Release(c, leases) },
		"DueHosts": func(c context.Context) error { _, err := s.DueHosts(c, leases, start(), 1); return err },
		"Host":     func(c context.Context) error { _, _, err := s.Host(c, "a.example"); return err },
		"Robots":   func(c context.Context) error { _, err := s.Robots(c, "a.example"); return err },
		"DueURLs":  func(c context.Context) error { _, err := s.DueURLs(c, "a.example", "", start(), 1); return err },
		"NextDue":  func(c context.Context) error { _, err := s.NextDue(c, "a.example", ""); return err },
		"Commit": func(c context.Context) error {
			_, err := s.Commit(c, leases, []*crawl.Outcome{full("http://z.example/")})
			return err
		},
		"URL":        func(c context.Context) error { _, _, err := s.URL(c, "http://a.example/"); return err },
		"Known":      func(c context.Context) error { _, err := s.Known(c, []crawl.URL{"http://a.example/"}); return err },
		"History":    func(c context.Context) error { _, err := s.History(c, "http://a.example/"); return err },
		"URLs":       func(c context.Context) error { _, err := collect(s.URLs(c, store.URLFilter{})); return err },
		"Hosts":      func(c context.Context) error { _, err := collect(s.Hosts(c)); return err },
		"Links":      func(c context.Context) error { _, err := collect(s.Links(c, store.URLFilter{})); return err },
		"Stats":      func(c context.Context) error { _, err := collect(s.Stats(c, store.StatFilter{})); return err },
		"Feed":       func(c context.Context) error { _, err := s.Feed(c, 1, 0, 1); return err },
		"Setting":    func(c context.Context) error { _, err := s.Setting(c, "x"); return err },
		"Settings":   func(c context.Context) error { _, err := s.Settings(c, ""); return err },
		"SetSetting": func(c context.Context) error { return s.SetSetting(c, "x", "changed") },
	}
}

func testCancelled(b *bed) {
	b.commit(full("http://a.example/"))
	before := snapshot(b)
	ctx, cancel := context.WithCancel(b.ctx())
	cancel()
	for name, call := range calls(b.Store, b.leases) {
		if err := call(ctx); !errors.Is(err, context.Canceled) || err == context.Canceled {
			b.Errorf("%s: error %v, want one that says what was done and that it was cancelled", name, err)
		}
	}
	b.equal("store", snapshot(b), before)
	v, err := b.Setting(b.ctx(), "x")
	b.ok(err)
	b.equal("setting", v, "")
	_, err = b.Commit(b.ctx(), b.leases, nil) // the leases were neither renewed nor released
	b.ok(err)
}

func testClosed(b *bed) {
	b.commit(full("http://a.example/"))
	for range b.URLs(b.ctx(), store.URLFilter{}) { // also in the middle of a scan
		b.ok(b.Close())
		break
	}
	for name, call := range calls(b.Store, b.leases) {
		if err := call(b.ctx()); !errors.Is(err, store.ErrClosed) || err == store.ErrClosed {
			b.Errorf("%s: error %v, want one that says what was done and that the store is closed", name, err)
		}
	}
	b.ok(b.Close())
}

func testConcurrent(b *bed) {
	const workers, rounds, shared = 8, 12, 5
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				own := crawl.URL(fmt.Sprintf("http://w%d.example/%d", w, i))
				o := found(start(), own, crawl.URL(fmt.Sprintf("http://shared.example/%d", i%shared)))
				o.Events = []crawl.Event{{Host: "shared.example", At: start(), Bytes: 1}}
				o.Document = &crawl.Document{URL: "http://shared.example/"}
				r, err := b.Commit(b.ctx(), b.leases, []*crawl.Outcome{o, visited(own, 1, at(time.Duration(i)))})
				if err != nil {
					b.Errorf("commit: %v", err)
					return
				}
				mu.Lock()
				total += r.New
				mu.Unlock()
				for name, call := range calls(b.Store, b.leases) {
					if name == "Acquire" || name == "Release" || name == "Commit" {
						continue
					}
					if err := call(b.ctx()); err != nil {
						b.Errorf("%s: %v", name, err)
					}
				}
			}
		})
	}
	wg.Wait()
	b.equal("new URLs in receipts", total, workers*rounds+shared)
	b.equal("known URLs", len(b.urls(store.URLFilter{})), workers*rounds+shared)
	s := b.stats(store.StatFilter{})
	b.equal("events", s[0].Count+s[0].Bytes, int64(2*workers*rounds))
	docs, err := b.Feed(b.ctx(), crawl.ShardOf("shared.example"), 0, 1<<20)
	b.ok(err)
	for i, d := range docs {
		b.equal("number of a document", d.Seq, uint64(i+1))
	}
	b.equal("documents", len(docs), workers*rounds)
	for w := range workers {
		q := b.queue(crawl.Host(fmt.Sprintf("w%d.example", w)))
		b.equal("queue of a worker's host", len(q), rounds)
	}
}
