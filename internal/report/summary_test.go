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
