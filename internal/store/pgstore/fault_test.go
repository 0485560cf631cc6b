package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/pgstore"
	"trawl/internal/store/pgstore/pgtest"
)

func openStore(t testing.TB, url string, opt pgstore.Options) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func allShards() []crawl.Shard {
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	return shards
}

func lease(t testing.TB, s store.Store, worker string, shards ...crawl.Shard) []store.Lease {
	t.Helper()
	if len(shards) == 0 {
		shards = allShards()
	}
	l, err := s.Acquire(t.Context(), worker, shards, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func page(host, n int) *crawl.Outcome {
	u := crawl.URL(fmt.Sprintf("http://h%d.example/%d", host, n))
	return &crawl.Outcome{
		URL: u, Visit: &crawl.Visit{Client: "c", Crawls: 1, LastCrawl: time.Unix(1790000000, 0)},
		Discovered: []crawl.Discovery{{URL: u + "x", Client: "c", Due: time.Unix(1790000000, 0)}},
	}
}

// TestL1TwoProcesses: two stores on one database share its leases, and its clock
// judges them. What the first commits late is refused.
func TestL1TwoProcesses(t *testing.T) {
	url := database(t)
	a, b := openStore(t, url, pgstore.Options{}), openStore(t, url, pgstore.Options{})
	first, err := a.Acquire(t.Context(), "a", allShards(), 300*time.Millisecond)
	if err != nil || len(first) != crawl.Shards {
		t.Fatalf("%d leases, %v", len(first), err)
	}
	if left := time.Until(first[0].Expires); left < -5*time.Second || left > 5*time.Second {
		t.Errorf("the lease ends in %s by the clock of this machine, which is that of the database too", left)
	}
	if l := lease(t, b, "b"); len(l) != 0 {
		t.Errorf("b got %d leases that a holds", len(l))
	}
	var second []store.Lease
	for deadline := time.Now().Add(20 * time.Second); len(second) < crawl.Shards; {
		if time.Now().After(deadline) {
			t.Fatal("the leases of a do not expire")
		}
		second = append(second, lease(t, b, "b")...)
	}
	if _, err := a.Commit(t.Context(), first, []*crawl.Outcome{page(1, 1)}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("commit under a lost lease: %v", err)
	}
	if _, err := b.Commit(t.Context(), second, []*crawl.Outcome{page(1, 1)}); err != nil {
		t.Error(err)
	}
	// A client name that b has numbered is read by a.
	if r, ok, err := a.URL(t.Context(), "http://h1.example/1"); err != nil || !ok || r.Visits[0].Client != "c" {
		t.Errorf("%+v, %v, %v", r, ok, err)
	}
}

// TestL1CommitHoldsTheLease: while a commit is under way nobody leases its shard,
// and a renewal does not wait for it.
func TestL1CommitHoldsTheLease(t *testing.T) {
	url := database(t)
	a, b := openStore(t, url, pgstore.Options{}), openStore(t, url, pgstore.Options{})
	shard := crawl.ShardOf("h1.example")
	mine := lease(t, a, "a", shard)
	if _, err := a.Commit(t.Context(), mine, []*crawl.Outcome{page(1, 0)}); err != nil {
		t.Fatal(err)
	}
	// A lock on the hostname stops the commit after it took its lease row.
	blocker := connect(t, url)
	exec(t, blocker, "BEGIN")
	exec(t, blocker, "SELECT 1 FROM trawl.host FOR UPDATE")
	committed := make(chan error, 1)
	go func() {
		_, err := a.Commit(t.Context(), mine, []*crawl.Outcome{page(1, 1)})
		committed <- err
	}()
	waiting := connect(t, url)
	for deadline := time.Now().Add(20 * time.Second); ; {
		var n int
		if err := waiting.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%host_lock%'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the commit does not wait")
		}
	}
	if l, err := a.Renew(t.Context(), mine, time.Millisecond); err != nil || len(l) != 1 {
		t.Fatalf("renewal beside a commit: %v, %v", l, err)
	}
	leased := make(chan []store.Lease, 1)
	go func() {
		for {
			l, err := b.Acquire(t.Context(), "b", []crawl.Shard{shard}, time.Hour)
			if err != nil || len(l) > 0 {
				leased <- l
				return
			}
		}
	}()
	select {
	case l := <-leased:
		t.Fatalf("the shard was leased in the middle of a commit: %v", l)
	case <-time.After(200 * time.Millisecond):
	}
	exec(t, blocker, "COMMIT")
	if err := <-committed; err != nil {
		t.Errorf("commit: %v", err)
	}
	if l := <-leased; len(l) != 1 || l[0].Epoch != 2 {
		t.Errorf("leased: %v", l)
	}
}

// TestL1CommitsMeet: many stores discover the same URLs on hostnames that are
// theirs and others' at once; every URL is counted once and nobody fails.
func TestL1CommitsMeet(t *testing.T) {
	url := database(t)
	const workers, rounds, hosts = 4, 15, 6
	var wg sync.WaitGroup
	var total atomic.Int64
	for w := range workers {
		s := openStore(t, url, pgstore.Options{Conns: 2})
		wg.Go(func() {
			for i := range rounds {
				o := &crawl.Outcome{}
				for h := range hosts {
					h = (h*(w+1) + w) % hosts // each in an order of its own
					u := crawl.URL(fmt.Sprintf("http://h%d.example/%d", h, i))
					o.Discovered = append(o.Discovered, crawl.Discovery{URL: u, Client: crawl.ClientID(fmt.Sprint("c", w)), Due: time.Unix(int64(1000-i*workers-w), 0)})
					o.Events = append(o.Events, crawl.Event{Host: u.Host()})
				}
				r, err := s.Commit(t.Context(), nil, []*crawl.Outcome{o})
				if err != nil {
					t.Errorf("worker %d: %v", w, err)
				}
				total.Add(int64(r.New))
			}
		})
	}
	wg.Wait()
	s := openStore(t, url, pgstore.Options{})
	records, clients := 0, 0
	for r, err := range s.URLs(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		records, clients = records+1, clients+len(r.Visits)
	}
	distinct := map[int]bool{}
	for w := range workers {
		for h := range hosts {
			distinct[(h*(w+1)+w)%hosts] = true
		}
	}
	if want := len(distinct) * rounds; records != want || total.Load() != int64(want) {
		t.Errorf("%d URLs are known, %d were new, want %d", records, total.Load(), want)
	}
	for h, err := range s.Hosts(t.Context()) {
		next, err2 := s.NextDue(t.Context(), h.Host, "")
		if err != nil || err2 != nil || !h.Due.Equal(next) {
			t.Errorf("%s is due at %s, its work at %s (%v, %v)", h.Host, h.Due, next, err, err2)
		}
	}
	events := int64(0)
	for x, err := range s.Stats(t.Context(), store.StatFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		events += x.Count
	}
	if events != workers*rounds*hosts {
		t.Errorf("%d events, want %d", events, workers*rounds*hosts)
	}
}

// TestConnectionsAreLost: the server ends connections at random moments, and the
// commits go on as if nothing had happened.
func TestConnectionsAreLost(t *testing.T) {
	url := database(t)
	s := openStore(t, url, pgstore.Options{})
	leases := lease(t, s, "w")
	ctx, stop := context.WithCancel(t.Context())
	var killer sync.WaitGroup
	killed := 0
	conn := connect(t, url)
	killer.Go(func() {
		for ctx.Err() == nil {
			var n int
			err := conn.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE application_name = 'trawl' AND datname = current_database() AND pid <> pg_backend_pid()`).Scan(&n)
			if err != nil {
				t.Error(err)
				return
			}
			killed += n
			select {
			case <-ctx.Done():
			case <-time.After(25 * time.Millisecond):
			}
		}
	})
	const pages = 30
	sum := 0
	for i := range pages {
		r, err := s.Commit(t.Context(), leases, []*crawl.Outcome{page(i%7, i)})
		if err != nil {
			t.Fatal(err)
		}
		sum += r.New
	}
	stop()
	killer.Wait()
	known := 0
	for _, err := range s.URLs(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		known++
	}
	if known != 2*pages || sum != 2*pages || killed == 0 {
		t.Errorf("%d URLs are known, receipts say %d, want %d; %d connections were ended", known, sum, 2*pages, killed)
	}
}

// TestDurable: what a commit has confirmed is there after the server has crashed,
// and the store goes on with the server that comes back.
func TestDurable(t *testing.T) {
	server := pgtest.Needed(t, true)
	url, err := server.Database(t.Context())
	if err == nil {
		_, err = pgstore.Migrate(t.Context(), url, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := openStore(t, url, pgstore.Options{})
	hasty := openStore(t, url, pgstore.Options{Patience: time.Millisecond})
	leases := lease(t, s, "w")
	for i := range 20 {
		if i == 10 {
			if err := server.Kill(); err != nil {
				t.Fatal(err)
			}
			_, err := hasty.Commit(t.Context(), leases, []*crawl.Outcome{page(0, 99)})
			if !errors.Is(err, store.ErrWriteFailed) || !strings.Contains(err.Error(), "check that it runs") {
				t.Errorf("commit without a server: %v", err)
			}
			time.AfterFunc(100*time.Millisecond, func() {
				if err := server.Run(); err != nil {
					t.Error(err)
				}
			})
		}
		if _, err := s.Commit(t.Context(), leases, []*crawl.Outcome{page(0, i)}); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
	}
	for i := range 20 {
		if _, ok, err := s.URL(t.Context(), page(0, i).URL); !ok || err != nil {
			t.Errorf("page %d: known %v, %v", i, ok, err)
		}
	}
	if n := len(server.Log("database system was not properly shut down")); n == 0 {
		t.Error("the server did not crash, so that this shows nothing")
	}
}
