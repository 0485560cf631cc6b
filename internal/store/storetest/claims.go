package storetest

import (
	"errors"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// testClaims: what a sitemap says moves known visits and makes nothing known.
func testClaims(b *bed) {
	const u = "http://a.example/x"
	claim := func(c crawl.Claim) { b.commit(&crawl.Outcome{Claims: []crawl.Claim{c}}) }
	c := crawl.Claim{URL: u, Client: "c", LastMod: at(30 * time.Minute), At: at(2 * time.Hour), Sooner: at(3 * time.Hour), Band: 2}
	claim(c)
	b.equal("nothing is known", len(b.urls(store.URLFilter{})), 0)

	v := crawl.Visit{Client: "c", Crawls: 1, Status: 200, LastCrawl: at(0), Band: 4, Due: at(9 * time.Hour)}
	b.commit(&crawl.Outcome{URL: u, Visit: &v})
	b.commit(&crawl.Outcome{Host: &crawl.HostRecord{Host: "a.example", Due: at(9 * time.Hour)}})
	other := c
	other.Client = "d"
	claim(other)
	b.equal("another client's claim", b.record(u).Visits, []crawl.Visit{v})

	claim(c)
	want := v
	want.LastMod, want.LastModAt, want.Due, want.Band = c.LastMod, c.At, c.Sooner, 2
	b.equal("sooner", b.record(u).Visits, []crawl.Visit{want})
	b.equal("due of the host", b.hostRecord("a.example").Due, at(3*time.Hour))
	due, err := b.DueURLs(b.ctx(), "a.example", "c", at(3*time.Hour), 9)
	b.ok(err)
	b.equal("queue", len(due), 1)
	b.equal("visit in the queue", due[0].Visit, want)
	claim(c)
	b.equal("again", b.record(u).Visits, []crawl.Visit{want})

	later := crawl.Claim{URL: u, Client: "c", LastMod: at(-24*time.Hour + 1), At: at(4 * time.Hour), Later: at(20 * time.Hour), LaterAge: 12 * time.Hour}
	claim(later)
	want.LastMod, want.LastModAt, want.Due = later.LastMod, later.At, at(12*time.Hour)
	b.equal("later, to its bound", b.record(u).Visits, []crawl.Visit{want})
	due, err = b.DueURLs(b.ctx(), "a.example", "c", at(11*time.Hour), 9)
	b.ok(err)
	b.equal("not due before", len(due), 0)
	claim(c)
	b.equal("an older claim", b.record(u).Visits, []crawl.Visit{want})

	b.commit(&crawl.Outcome{URL: u, Visit: &v, Claims: []crawl.Claim{later}})
	want.Band = v.Band
	b.equal("together with the visit", b.record(u).Visits, []crawl.Visit{want})
	_, err = b.Commit(b.ctx(), nil, []*crawl.Outcome{{Claims: []crawl.Claim{c}}})
	if !errors.Is(err, store.ErrNotLeased) {
		b.Errorf("claim without lease: %v", err)
	}
}
