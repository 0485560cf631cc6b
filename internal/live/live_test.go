package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/schedule"
	"trawl/internal/store"
	"trawl/internal/store/memstore"
)

// web is a fetcher over a function, with virtual delays.
type web struct {
	mu     sync.Mutex
	answer func(u crawl.URL) *crawl.Result
	took   time.Duration
	count  map[crawl.URL]int
	under  map[crawl.Host]int
	most   map[crawl.Host]int
	times  map[crawl.Host][]time.Time
}

func newWeb(answer func(u crawl.URL) *crawl.Result) *web {
	return &web{answer: answer, took: 50 * time.Millisecond, count: map[crawl.URL]int{}, under: map[crawl.Host]int{}, most: map[crawl.Host]int{}, times: map[crawl.Host][]time.Time{}}
}

func (w *web) Fetch(ctx context.Context, req *crawl.Request) *crawl.Result {
	host, start := req.URL.Host(), time.Now().UTC()
	w.mu.Lock()
	w.count[req.URL]++
	w.under[host]++
	w.most[host] = max(w.most[host], w.under[host])
	w.times[host] = append(w.times[host], start)
	w.mu.Unlock()
	select {
	case <-time.After(w.took):
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.under[host]--
	res := w.answer(req.URL)
	if ctx.Err() != nil {
		res = &crawl.Result{Failure: &crawl.Failure{Class: crawl.FailCanceled}}
	}
	res.URL, res.Start = req.URL, start
	res.Timings = crawl.Timings{Wait: w.took, Total: w.took}
	return res
}

func (w *web) CloseIdle() {}

func html(links ...string) *crawl.Result {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "<a href=%q>x</a>", l)
	}
	return &crawl.Result{Status: 200, Header: crawl.Header{{Name: "Content-Type", Value: "text/html"}}, Body: []byte(b.String())}
}

// tree is a host of n pages: page i links to 2i+1 and 2i+2, and to the other host.
func tree(n int) func(u crawl.URL) *crawl.Result {
	return func(u crawl.URL) *crawl.Result {
		var i int
		if _, err := fmt.Sscanf(u.Path(), "/p%d", &i); err != nil || i >= n {
			return &crawl.Result{Status: 404}
		}
		var links []string
		for _, j := range []int{2*i + 1, 2*i + 2} {
			if j < n {
				links = append(links, fmt.Sprintf("/p%d", j))
			}
		}
		return html(append(links, "http://b.example/p0")...)
	}
}

func config(t testing.TB, st store.Store, w *web) Config {
	t.Helper()
	cat, err := client.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := cat.Get(client.DefaultID)
	return Config{
		Schedule: schedule.Config{
			Clients: []schedule.Client{{Profile: p}}, Capacity: func(crawl.Host) hostload.Params { return hostload.Own() },
			Robots: robots.DefaultTimes(), React: react.DefaultParams(), Demand: demand.DefaultParams(), Timeouts: crawl.DefaultTimeouts(),
			Scope: schedule.Scope{AllHosts: true, MaxDepth: -1}, Rand: rand.New(rand.NewPCG(1, 1)).Float64,
		},
		Store: st, Fetcher: w, Worker: "w", Concurrency: 8,
	}
}

func seed(t testing.TB, cfg Config, urls ...crawl.URL) {
	t.Helper()
	if _, err := cfg.Store.Commit(t.Context(), nil, []*crawl.Outcome{cfg.Schedule.Seed(urls, utcNow())}); err != nil {
		t.Fatal(err)
	}
}

func crawled(t testing.TB, st store.Store) int {
	t.Helper()
	n := 0
	for rec, err := range st.URLs(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Visits[0].Crawls > 0 {
			n++
		}
	}
	return n
}

func TestRunFetchesEverythingOnceAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(tree(300))
		cfg := config(t, memstore.New(utcNow), w)
		seed(t, cfg, "http://a.example/p0")
		res, err := Run(t.Context(), cfg)
		if err != nil || res.Ending != EndPatience && res.Ending != EndComplete {
			t.Fatalf("%+v, %v", res, err)
		}
		if n := crawled(t, cfg.Store); n != 600 {
			t.Errorf("%d of 600 pages crawled", n)
		}
		for u, n := range w.count {
			if n != 1 {
				t.Errorf("%s fetched %d times", u, n)
			}
		}
		// Again: nothing is due.
		before := len(w.count)
		if _, err := Run(t.Context(), cfg); err != nil || len(w.count) != before {
			t.Errorf("second run: %v", err)
		}
	})
}

func TestE2StrangersAreAskedSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(tree(20))
		cfg := config(t, memstore.New(utcNow), w)
		cfg.Schedule.Capacity = func(crawl.Host) hostload.Params { return hostload.Stranger() }
		seed(t, cfg, "http://a.example/p0")
		if _, err := Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		times := w.times["a.example"]
		if span := times[10].Sub(times[0]); span < 10*time.Second {
			t.Errorf("first ten requests in %s", span)
		}
		if w.most["a.example"] != 1 {
			t.Errorf("%d connections at once", w.most["a.example"])
		}
	})
}

func TestC4Case3RobotsErrorForEverEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(func(u crawl.URL) *crawl.Result {
			if u.Host() == "b.example" {
				return &crawl.Result{Status: 503}
			}
			return tree(50)(u)
		})
		cfg := config(t, memstore.New(utcNow), w)
		seed(t, cfg, "http://a.example/p0")
		start := time.Now()
		res, err := Run(t.Context(), cfg)
		if err != nil || res.Ending == EndFailed {
			t.Fatalf("%+v, %v", res, err)
		}
		if took := time.Since(start); took > 10*time.Minute {
			t.Errorf("the run took %s", took)
		}
		if n := crawled(t, cfg.Store); n != 50 {
			t.Errorf("%d of 50 pages of the healthy host", n)
		}
		if n := w.count["http://b.example/p0"]; n != 0 {
			t.Errorf("page of the stopped host fetched %d times", n)
		}
	})
}

func TestInterruptCommitsWhatIsUnderWayAndResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(tree(500))
		cfg := config(t, memstore.New(utcNow), w)
		seed(t, cfg, "http://a.example/p0")
		runs := 0
		for crawled(t, cfg.Store) < 1000 {
			if runs++; runs > 100 {
				t.Fatal("no progress")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
			res, err := Run(ctx, cfg)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if res.Ending != EndInterrupted && crawled(t, cfg.Store) < 1000 {
				t.Fatalf("ended %s with %d", res.Ending, crawled(t, cfg.Store))
			}
		}
		for u, n := range w.count {
			if n != 1 && u.Path() != "/robots.txt" {
				t.Errorf("%s fetched %d times", u, n)
			}
		}
		if runs < 3 {
			t.Errorf("only %d runs: nothing was interrupted", runs)
		}
	})
}

func TestSlowFetchIsCanceledAfterTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(tree(5))
		w.took = time.Hour
		cfg := config(t, memstore.New(utcNow), w)
		seed(t, cfg, "http://a.example/p0")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if res, err := Run(ctx, cfg); err != nil || res.Ending != EndInterrupted {
			t.Fatalf("%+v, %v", res, err)
		}
		if took := time.Since(start); took > DefaultGrace+3*time.Second {
			t.Errorf("stopped after %s", took)
		}
	})
}

// broken is a store or archive that fails from some moment on.
type broken struct {
	store.Store
	after int
	calls int
	err   error
}

func (b *broken) Commit(ctx context.Context, leases []store.Lease, batch []*crawl.Outcome) (store.Receipt, error) {
	if b.calls++; b.calls > b.after {
		return store.Receipt{}, b.err
	}
	return b.Store.Commit(ctx, leases, batch)
}

func TestStoreFailureEndsTheRunAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memstore.New(utcNow)
		w := newWeb(tree(200))
		cfg := config(t, st, w)
		seed(t, cfg, "http://a.example/p0")
		full := fmt.Errorf("commit: %w", store.ErrNoSpace)
		cfg.Store = &broken{Store: st, after: 5, err: full}
		res, err := Run(t.Context(), cfg)
		if !errors.Is(err, store.ErrNoSpace) || res.Ending != EndFailed {
			t.Fatalf("%+v, %v", res, err)
		}
		cfg.Store = st
		if _, err := Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		if n := crawled(t, st); n != 400 {
			t.Errorf("%d of 400 pages after the resume", n)
		}
		for u, n := range w.count {
			if n > 2 {
				t.Errorf("case25: %s fetched %d times", u, n)
			}
		}
	})
}

type badArchive struct{ writes, after int }

var errArchive = errors.New("archive is full")

func (a *badArchive) Write(*schedule.Job, *schedule.Findings) (crawl.ArchiveRef, error) {
	if a.writes++; a.writes > a.after {
		return crawl.ArchiveRef{}, errArchive
	}
	return crawl.ArchiveRef{File: "f", Offset: int64(a.writes), Length: 1}, nil
}
func (a *badArchive) Sync() error { return nil }

func TestArchiveFailureCommitsNothingThatIsNotArchived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memstore.New(utcNow)
		cfg := config(t, st, newWeb(tree(100)))
		cfg.Concurrency = 1
		cfg.Archive = &badArchive{after: 20}
		seed(t, cfg, "http://a.example/p0")
		res, err := Run(t.Context(), cfg)
		if !errors.Is(err, errArchive) || res.Ending != EndFailed {
			t.Fatalf("%+v, %v", res, err)
		}
		for rec, err := range st.URLs(t.Context(), store.URLFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if v := rec.Visits[0]; v.Crawls > 0 && v.Archive.File == "" {
				t.Errorf("%s is committed without its archive record", rec.URL)
			}
		}
	})
}

func TestL1LostLeasesStopTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memstore.New(utcNow)
		w := newWeb(func(u crawl.URL) *crawl.Result { return html(string(u) + "x") })
		w.took = time.Second
		cfg := config(t, st, w)
		seed(t, cfg, "http://a.example/p0")
		go func() {
			time.Sleep(5 * time.Second)
			// The same name takes over, as a second process of a laptop would.
			shards := make([]crawl.Shard, crawl.Shards)
			for i := range shards {
				shards[i] = crawl.Shard(i)
			}
			if _, err := st.Acquire(context.Background(), "w", shards, time.Hour); err != nil {
				t.Error(err)
			}
		}()
		res, err := Run(t.Context(), cfg)
		if !errors.Is(err, store.ErrFenced) || res.Ending != EndFailed {
			t.Errorf("%+v, %v", res, err)
		}
	})
}
