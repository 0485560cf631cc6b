package pgstore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/pgstore"
	"trawl/internal/store/pgstore/pgtest"
)

// web makes pages of a synthetic web, as the benchmark of pebblestore does: each
// has 50 links, about half of them to URLs that were found before.
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

// pagesPerCommit is how many finished fetches a worker collects for a commit.
const pagesPerCommit = 32

func benchStore(b *testing.B) (*pgstore.Store, []store.Lease, string) {
	b.Helper()
	server := pgtest.Needed(b, true, "shared_buffers=512MB")
	url, err := server.Database(b.Context())
	if err == nil {
		_, err = pgstore.Migrate(b.Context(), url, true)
	}
	if err != nil {
		b.Fatal(err)
	}
	s := openStore(b, url, pgstore.Options{})
	return s, lease(b, s, "w"), url
}

// BenchmarkCommit commits pages with 50 links each, half of them known, to a
// server that waits for its disk.
func BenchmarkCommit(b *testing.B) {
	s, l, url := benchStore(b)
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
	conn := connect(b, url)
	exec(b, conn, "VACUUM")
	for _, table := range []string{"url", "queue"} {
		var heap, all int64
		err := conn.QueryRow(b.Context(), `SELECT pg_relation_size($1::text::regclass), pg_total_relation_size($1::text::regclass)`, "trawl."+table).Scan(&heap, &all)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(heap)/float64(known), table+"-B/URL")
		b.ReportMetric(float64(all-heap)/float64(known), table+"-index-B/URL")
	}
}

// BenchmarkCommitSmall commits one page at a time.
func BenchmarkCommitSmall(b *testing.B) {
	s, l, _ := benchStore(b)
	w := newWeb(200)
	now := time.Unix(1790000000, 0)
	for b.Loop() {
		if _, err := s.Commit(b.Context(), l, []*crawl.Outcome{w.page(now)}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDue asks for due hostnames and the head of a queue, as a scheduler does.
func BenchmarkDue(b *testing.B) {
	s, l, _ := benchStore(b)
	w := newWeb(50)
	now := time.Unix(1790000000, 0)
	for range 60 {
		var batch []*crawl.Outcome
		for range pagesPerCommit {
			batch = append(batch, w.page(now))
		}
		if _, err := s.Commit(b.Context(), l, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("hosts", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.DueHosts(b.Context(), l, now, 64); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("URLs", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.DueURLs(b.Context(), w.url(7, 0).Host(), "", now, 16); err != nil {
				b.Fatal(err)
			}
		}
	})
}
