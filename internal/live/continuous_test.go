package live

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store/memstore"
)

// A continuous run does not end when nothing is due, takes up at once what others
// submit and name, finds by itself what they do not name, and ends when stopped with
// everything committed.
func TestContinuous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memstore.New(utcNow)
		w := newWeb(tree(5))
		cfg := config(t, st, w)
		news := make(chan []crawl.Host, 1)
		cfg.Continuous, cfg.News = true, news
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		type ended struct {
			res Result
			err error
		}
		end := make(chan ended, 1)
		go func() {
			res, err := Run(ctx, cfg)
			end <- ended{res, err}
		}()
		fetched := func(u crawl.URL) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.count[u] > 0
		}
		time.Sleep(10 * time.Minute) // an empty store, far beyond the patience
		select {
		case e := <-end:
			t.Fatalf("it ended: %+v", e)
		default:
		}

		seed(t, cfg, "http://a.example/p0")
		news <- []crawl.Host{"a.example"}
		time.Sleep(5 * time.Second)
		if !fetched("http://a.example/p0") {
			t.Error("a hostname that was named was not taken up within 5 s")
		}

		time.Sleep(10 * time.Minute)
		seed(t, cfg, "http://unnamed.example/p0")
		time.Sleep(dueHostsEvery + 5*time.Second)
		if !fetched("http://unnamed.example/p0") {
			t.Error("a hostname that became due in the store was not found by the next look")
		}

		stop()
		e := <-end
		if e.err != nil || e.res.Ending != EndInterrupted {
			t.Errorf("%+v", e)
		}
		if n := crawled(t, st); n != 15 {
			t.Errorf("%d URLs were crawled and committed, want 5 of each of the two hosts and 5 of b.example, to which they link", n)
		}
	})
}
