package pebblestore_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/pebblestore"
)

// web makes pages of a synthetic web: each has 50 links, about half of them to
// URLs that were found before.
type web struct {
	rng  *rand.Rand
	next []int // URLs known, by host
}

func newWeb(hosts int) *web {
	return &web{rng: rand.New(rand.NewPCG(1, 2)), next: make([]int, hosts)}
}

func (w *web) url(host, n int) crawl.URL {
	return crawl.URL(fmt.Sprintf("https://www.site-%d.example/%s/%s-%d.html", host, []string{"products", "blog", "about/team", "news/2026"}[n%4],
		[]string{"a-fairly-long-slug", "shoes", "how-to-crawl"}[n%3], n*7919%1000003))
}

func (w *web) page(now time.Time) *crawl.Outcome {
	h := w.rng.IntN(len(w.next))
	u := w.url(h, w.rng.IntN(w.next[h]+1))
	o := &crawl.Outcome{
		Host: &crawl.HostRecord{Host: u.Host(), Due: now, Load: crawl.HostLoad{Limit: 1, At: now}}, URL: u,
		Visit:  &crawl.Visit{Client: "googlebot-smartphone", Due: now.Add(24 * time.Hour), LastCrawl: now, Status: 200, Digest: w.rng.Uint64(), Crawls: 1, Bytes: 40000},
		Events: []crawl.Event{{At: now, Host: u.Host(), Client: "googlebot-smartphone", Bytes: 40000, Sent: true}},
	}
	for range 50 {
		n := w.next[h]
		if n > 0 && w.rng.IntN(2) == 0 {
			n = w.rng.IntN(n)
		} else {
			w.next[h]++
		}
		o.Discovered = append(o.Discovered, crawl.Discovery{
			URL: w.url(h, n), Client: "googlebot-smartphone", Via: crawl.ViaLink, Referrer: u, Depth: 2, At: now, Band: crawl.Band(n % 3), Due: now,
		})
	}
	return o
}

func benchStore(b *testing.B) (*pebblestore.Store, []store.Lease, string) {
	b.Helper()
	dir := b.TempDir()
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	l, err := s.Acquire(b.Context(), "w", allShards(), 24*time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	return s, l, dir
}

// pagesPerCommit is how many finished fetches a worker collects for a commit.
const pagesPerCommit = 32

// BenchmarkCommit commits pages with 50 links each, half of them known.
func BenchmarkCommit(b *testing.B) {
	s, l, dir := benchStore(b)
	w := newWeb(200)
	now := time.Unix(1790000000, 0)
	known, links := 0, 0
	for b.Loop() {
		b.StopTimer()
		var batch []*crawl.Outcome
		for range pagesPerCommit {
			now = now.Add(time.Millisecond)
			batch = append(batch, w.page(now))
		}
		b.StartTimer()
		r, err := s.Commit(b.Context(), l, batch)
		if err != nil {
			b.Fatal(err)
		}
		known += r.New
		links += pagesPerCommit * 50
	}
	b.ReportMetric(float64(links)/b.Elapsed().Seconds(), "links/s")
	b.ReportMetric(float64(known), "URLs")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	// Opening again brings what was in memory to tables.
	if s, err := pebblestore.Open(dir, pebblestore.Options{}); err != nil {
		b.Fatal(err)
	} else if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(size(b, dir))/float64(known), "disk-B/URL")
}

func size(b *testing.B, dir string) (n int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && filepath.Ext(d.Name()) == ".sst" {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func filled(b *testing.B, pages int) (*pebblestore.Store, []store.Lease, *web) {
	b.Helper()
	s, l, _ := benchStore(b)
	w := newWeb(50)
	for range pages / pagesPerCommit {
		var batch []*crawl.Outcome
		for range pagesPerCommit {
			batch = append(batch, w.page(time.Unix(1790000000, 0)))
		}
		if _, err := s.Commit(b.Context(), l, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() { _ = s.Close() })
	return s, l, w
}

// BenchmarkDueURLs reads the head of a queue and moves it back, as a crawl does.
func BenchmarkDueURLs(b *testing.B) {
	s, l, w := filled(b, 4000)
	now := time.Unix(1790000001, 0)
	entries := 0 // all stay due, behind the others
	for i := 0; b.Loop(); i++ {
		due, err := s.DueURLs(b.Context(), w.url(i%50, 0).Host(), "", now.Add(time.Hour), 16)
		if err != nil {
			b.Fatal(err)
		}
		entries += len(due)
		b.StopTimer()
		var batch []*crawl.Outcome
		for _, d := range due {
			d.Visit.Due = now.Add(time.Duration(i))
			batch = append(batch, &crawl.Outcome{URL: d.URL, Visit: &d.Visit})
		}
		if _, err := s.Commit(b.Context(), l, batch); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(entries)/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkDueHosts(b *testing.B) {
	s, l, _ := filled(b, 1000)
	for b.Loop() {
		if _, err := s.DueHosts(b.Context(), l, time.Unix(1790000001, 0), 64); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKnown asks for 500 URLs, half of them known.
func BenchmarkKnown(b *testing.B) {
	s, _, w := filled(b, 4000)
	urls := make([]crawl.URL, 500)
	for i := range urls {
		h := w.rng.IntN(50)
		urls[i] = w.url(h, w.rng.IntN(w.next[h]))
		if i%2 == 0 {
			urls[i] += "x"
		}
	}
	for b.Loop() {
		if _, err := s.Known(b.Context(), urls); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "URLs/s")
}
