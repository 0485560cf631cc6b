package report

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/memstore"
)

// visited is a store that holds pages with these visits, and links from /.
func visited(t *testing.T, visits map[crawl.URL]crawl.Visit) store.Store {
	t.Helper()
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	st := memstore.New(func() time.Time { return at })
	t.Cleanup(func() { _ = st.Close() })
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	leases, err := st.Acquire(context.Background(), "test", shards, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	seeds := &crawl.Outcome{}
	batch := []*crawl.Outcome{}
	for u, v := range visits {
		v.Client = "trawl"
		seeds.Discovered = append(seeds.Discovered, crawl.Discovery{URL: u, Client: "trawl", Kind: v.Kind, Via: crawl.ViaLink, At: at, Due: at})
		if v.Crawls > 0 || v.Robots {
			batch = append(batch, &crawl.Outcome{URL: u, Visit: &v})
		}
	}
	for _, o := range [][]*crawl.Outcome{{seeds}, batch} {
		if _, err := st.Commit(context.Background(), leases, o); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

func redirect(to crawl.URL) crawl.Visit {
	return crawl.Visit{Crawls: 1, Status: 302, Response: crawl.ResponseMovedTemporarily, RedirectTo: to}
}

// TestB6Chains: a chain is told once from its start; a loop, of which every URL
// is a target, is told once too.
func TestB6Chains(t *testing.T) {
	ok := crawl.Visit{Crawls: 1, Status: 200, Response: crawl.ResponseOK}
	end := redirect("http://a/p")
	end.Response = crawl.ResponseRedirectError
	sum, err := Summarise(context.Background(), visited(t, map[crawl.URL]crawl.Visit{
		"http://a/one": redirect("http://a/page"), "http://a/page": ok,
		"http://a/1": redirect("http://a/2"), "http://a/2": redirect("http://a/3"), "http://a/3": ok,
		"http://a/p": redirect("http://a/q"), "http://a/q": end,
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range sum.Chains.Items {
		hops := ""
		for _, u := range c.Hops {
			hops += " " + strings.TrimPrefix(string(u), "http://a/")
		}
		got = append(got, strings.TrimSpace(hops+" "+c.End))
	}
	want := []string{"1 2 3", "p q p loop"}
	if !slices.Equal(got, want) {
		t.Errorf("chains %q, want %q", got, want)
	}
	if sum.Content != 2 {
		t.Errorf("%d pages with content, want 2", sum.Content)
	}
	var text strings.Builder
	if err := sum.Text(&text); err != nil || !strings.Contains(text.String(), "Redirect chains and errors: 2\n") {
		t.Errorf("text: %v\n%s", err, text.String())
	}
}

// TestI2NoNulls: scripts that loop over the lists meet no null.
func TestI2NoNulls(t *testing.T) {
	sum, err := Summarise(context.Background(), visited(t, map[crawl.URL]crawl.Visit{
		"http://a/": {Crawls: 1, Status: 404, Response: crawl.ResponseNotFound},
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(sum)
	if err != nil || strings.Contains(string(b), "null") {
		t.Errorf("%v: %s", err, b)
	}
	if sum.Broken.Total != 1 || sum.Broken.Items[0].Answer != "Not found (404)" {
		t.Errorf("broken links %+v", sum.Broken)
	}
}

// TestI8Sitemaps: a sitemap is no candidate for an index.
func TestI8Sitemaps(t *testing.T) {
	sum, err := Summarise(context.Background(), visited(t, map[crawl.URL]crawl.Visit{
		"http://a/": {}, "http://a/sitemap.xml": {Kind: crawl.KindSitemap},
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Share{{"Discovered, currently not indexed", 1, 100}}; !slices.Equal(sum.Index, want) {
		t.Errorf("index states %v, want %v", sum.Index, want)
	}
	if sum.Known != 2 || sum.Pending != 2 {
		t.Errorf("known %d, pending %d", sum.Known, sum.Pending)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 pages", 1: "1 page", 2: "2 pages"} {
		if got := Count(n, "page"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What was decided without a request is not left for later, and each origin of a
// hostname has its own reason.
func TestC4LeftIsToldByOrigin(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	st := memstore.New(func() time.Time { return now })
	leases, err := st.Acquire(t.Context(), "w", []crawl.Shard{crawl.ShardOf("a.example")}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	visit := func(u crawl.URL, v crawl.Visit) *crawl.Outcome {
		v.Client, v.Due = "c", now
		return &crawl.Outcome{URL: u, Visit: &v}
	}
	batch := []*crawl.Outcome{
		{
			Host: &crawl.HostRecord{Host: "a.example", Load: crawl.HostLoad{NotBefore: now.Add(time.Hour), Cause: "back-off after 429 (E3, E8)"}},
			Robots: []crawl.RobotsRecord{
				{Origin: "http://a.example", FetchedAt: now, Status: 404, GoodAt: now, HasGood: true},
				{Origin: "http://a.example:81", FetchedAt: now, Failure: crawl.FailRefused, FailingSince: now, Attempts: 1},
			},
		},
		visit("http://a.example/1", crawl.Visit{}),
		visit("http://a.example/2", crawl.Visit{}),
		visit("http://a.example:81/1", crawl.Visit{}),
		visit("http://a.example/no", crawl.Visit{Robots: true}),
		visit("http://a.example/trap", crawl.Visit{Pruned: true}),
		visit("http://a.example:25/", crawl.Visit{Failure: crawl.FailBlockedPort}),
		visit("http://a.example/long", crawl.Visit{Crawls: 1, Status: 200, Response: crawl.ResponseOK, Bounded: true}),
	}
	if _, err := st.Commit(t.Context(), leases, batch); err != nil {
		t.Fatal(err)
	}
	s, err := Summarise(t.Context(), st, Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if s.Pending != 3 || s.Pruned != 1 || s.Blocked.Total != 1 || s.Bounded.Total != 1 {
		t.Errorf("pending %d, pruned %d, blocked %d, bounded %d", s.Pending, s.Pruned, s.Blocked.Total, s.Bounded.Total)
	}
	if s.Broken.Total != 1 || !strings.Contains(s.Broken.Items[0].Answer, "blocked-port") {
		t.Errorf("broken %+v", s.Broken)
	}
	if len(s.Left.Items) != 2 {
		t.Fatalf("left %+v", s.Left)
	}
	if l := s.Left.Items[0]; l.Origin != "http://a.example" || l.URLs != 2 || !strings.Contains(l.Reason, "429") || !l.Until.Equal(now.Add(time.Hour)) {
		t.Errorf("left %+v", l)
	}
	if l := s.Left.Items[1]; l.Origin != "http://a.example:81" || l.URLs != 1 || !strings.Contains(l.Reason, "connect-refused") || !l.Until.After(now) {
		t.Errorf("left %+v", l)
	}
}
