package storetest

import (
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

func discoveryTests() []subtest {
	return []subtest{
		{"inserts URL, host and visit", testDiscover},
		{"known pairs are left as they are", testDiscoverKnown},
		{"another client gets its own visit", testDiscoverClient},
		{"receipt counts URLs and queue entries", testReceipt},
		{"Known in any order, with duplicates", testKnown},
	}
}

func testDiscover(b *bed) {
	d := crawl.Discovery{
		URL: "https://a.example/x?y=1", Client: "c", Kind: crawl.KindSitemap, Via: crawl.ViaRedirect, Referrer: "https://a.example/",
		Depth: 3, Chain: []crawl.URL{"https://b.example/"}, At: at(1), Band: 4, Due: at(2),
	}
	visit := crawl.Visit{Client: "c", Kind: crawl.KindSitemap, Band: 4, Due: at(2), Chain: []crawl.URL{"https://b.example/"}}
	want := crawl.URLRecord{URL: d.URL, Discovered: at(1), Via: d.Via, Referrer: d.Referrer, Depth: 3, Visits: []crawl.Visit{visit}}
	r := b.commit(&crawl.Outcome{Discovered: []crawl.Discovery{d}})
	b.equal("receipt", r, store.Receipt{New: 1, News: []store.HostNews{{Host: "a.example", New: 1}}})
	d.Chain[0] = "changed" // the store must not share it
	got := b.record(d.URL)
	b.equal("record", got, want)
	got.Visits[0].Chain[0] = "changed"
	got.Visits[0].Band = 1
	b.equal("record after the caller changed a copy", b.record(d.URL), want)
	due, err := b.DueURLs(b.ctx(), "a.example", "", at(2), 9)
	b.ok(err)
	entry := []store.Due{{URL: d.URL, Depth: 3, Referrer: d.Referrer, Via: d.Via, Visit: visit}}
	b.equal("queue", due, entry)
	due[0].Visit.Chain[0] = "changed"
	due, err = b.DueURLs(b.ctx(), "a.example", "", at(2), 9)
	b.ok(err)
	b.equal("queue after the caller changed a copy", due, entry)
}

func testDiscoverKnown(b *bed) {
	const u = "http://a.example/"
	b.commit(found(at(time.Hour), u))
	b.commit(visited(u, 3, at(2*time.Hour)))
	before := snapshot(b)
	again := found(start(), u, u)
	again.Discovered[0].Depth, again.Discovered[0].Via, again.Discovered[0].At = 9, crawl.ViaSeed, at(9)
	b.equal("receipt", b.commit(again), store.Receipt{})
	b.equal("store", snapshot(b), before)
}

func testDiscoverClient(b *bed) {
	const u = "http://a.example/"
	b.commit(found(at(time.Hour), u))
	other := found(at(time.Minute), u)
	other.Discovered[0].Client, other.Discovered[0].Depth = "b", 7
	b.equal("receipt", b.commit(other), store.Receipt{News: []store.HostNews{{Host: "a.example", New: 1}}})
	r := b.record(u)
	b.equal("depth of the first discovery", r.Depth, 0)
	b.equal("visits, first client first", r.Visits, []crawl.Visit{{Client: "c", Due: at(time.Hour)}, {Client: "b", Due: at(time.Minute)}})
	b.equal("queue", b.queue("a.example"), []string{u + " b", u + " c"})
}

func testReceipt(b *bed) {
	unqueued := found(time.Time{}, "http://c.example/")
	r := b.commit(found(start(), "http://b.example/1", "http://a.example/1", "http://a.example/2", "http://a.example/1"), unqueued,
		visited("http://d.example/", 0, start()))
	b.equal("receipt", r, store.Receipt{New: 5, News: []store.HostNews{{Host: "a.example", New: 2}, {Host: "b.example", New: 1}}})
	b.equal("empty batch", b.commit(), store.Receipt{})
	b.equal("empty outcome", b.commit(&crawl.Outcome{}), store.Receipt{})
}

func testKnown(b *bed) {
	b.commit(found(start(), "http://a.example/b", "https://a.example/b", "http://b.example/"))
	urls := []crawl.URL{"http://z.example/", "https://a.example/b", "http://a.example/", "http://a.example/b", "http://a.example/bc", "https://a.example/b", "", "http://b.example/"}
	got, err := b.Known(b.ctx(), urls)
	b.ok(err)
	b.equal("known", got, []bool{false, true, false, true, false, true, false, true})
	got, err = b.Known(b.ctx(), nil)
	b.ok(err)
	b.equal("known of nothing", len(got), 0)
}

func visitTests() []subtest {
	return []subtest{
		{"record is kept whole", testVisitWhole},
		{"queue in order of band, due, URL, client", testQueueOrder},
		{"DueURLs limits and due times", testDueURLs},
		{"replacing a visit moves its queue entry", testVisitMoves},
		{"visit of an unknown URL makes it known", testVisitUnknown},
		{"visit of a URL discovered in the same outcome", testVisitDiscovered},
		{"NextDue over all bands", testNextDue},
		{"A5 queue of one client", testQueueOfClient},
		{"a long queue emptied from its head", testDrain},
		{"D2 claims of sitemaps", testClaims},
	}
}

func wholeVisit(u crawl.URL, c crawl.ClientID) crawl.Visit {
	return crawl.Visit{
		Client: c, Kind: crawl.KindSitemap, Band: 7, Due: at(time.Hour), Chain: []crawl.URL{"http://b.example/", u}, Robots: true, LastCrawl: at(1),
		Status: 599, Failure: crawl.FailIncomplete, Response: crawl.ResponseServerError, Type: crawl.TypePDF, ETag: `W/"é"`,
		LastModified: "Tue, 03 Nov 2026 10:20:30 GMT", Digest: 1<<64 - 1, Crawls: 1<<32 - 1, Changes: 5, Failures: 6, FailingSince: at(2),
		Bytes: 1 << 60, WireBytes: 7, Duration: time.Minute, Truncated: true, RedirectTo: u + "/next",
		Archive: crawl.ArchiveRef{File: "x.warc.gz", Offset: 8, Length: 9}, Pruned: true, Bounded: true, Same: 1<<32 - 1, SameSince: at(3),
		Past:    []crawl.Answer{{Status: 200, Count: 1<<32 - 1, Since: at(-2), Until: at(-1)}, {Failure: crawl.FailIncomplete, Until: at(4)}},
		LastMod: at(-time.Hour), LastModAt: at(5), Changed: at(6), Unavailable: at(7), Likeness: 1<<64 - 1,
	}
}

func testVisitWhole(b *bed) {
	const u = "http://a.example/"
	v, w := wholeVisit(u, "c"), wholeVisit(u, "d")
	b.commit(&crawl.Outcome{URL: u, Visit: &v}, &crawl.Outcome{URL: u, Visit: &w})
	v.Chain[0], v.Past[0].Status = "changed", -1
	want := []crawl.Visit{wholeVisit(u, "c"), wholeVisit(u, "d")}
	b.equal("visits", b.record(u).Visits, want)
	want[0] = crawl.Visit{Client: "c"}
	b.commit(&crawl.Outcome{URL: u, Visit: &want[0]})
	b.equal("replaced", b.record(u).Visits, want)
}

func (b *bed) discover(u crawl.URL, c crawl.ClientID, band crawl.Band, due time.Time) {
	b.Helper()
	b.commit(&crawl.Outcome{Discovered: []crawl.Discovery{{URL: u, Client: c, Band: band, Due: due}}})
}

func testQueueOrder(b *bed) {
	b.discover("http://a.example/9", "c", 1, at(1))
	b.discover("http://a.example/1", "c", 2, at(-time.Hour))
	b.discover("http://a.example/2", "z", 1, at(2))
	b.discover("http://a.example/2", "a", 1, at(2))
	b.discover("http://a.example/2", "m", 1, at(2))
	b.discover("https://a.example/0", "c", 1, at(2))
	b.discover("http://a.example:8080/0", "c", 1, at(2))
	b.discover("http://u@a.example/0", "c", 1, at(2))
	b.discover("ftp://a.example/0", "c", 1, at(2))
	b.discover("http://a.example/0", "c", 0, at(time.Hour))
	b.discover("http://b.example/0", "c", 0, at(0))
	want := []string{
		"http://a.example/0 c", "http://a.example/9 c", "ftp://a.example/0 c", "http://a.example/2 a", "http://a.example/2 m", "http://a.example/2 z",
		"http://a.example:8080/0 c", "http://u@a.example/0 c", "https://a.example/0 c", "http://a.example/1 c",
	}
	b.equal("queue", b.queue("a.example"), want)
	for limit := range len(want) + 2 { // a limit in the middle of a tie
		due, err := b.DueURLs(b.ctx(), "a.example", "", at(ttl), limit)
		b.ok(err)
		b.equal(fmt.Sprint("length at limit ", limit), len(due), min(limit, len(want)))
		for i, d := range due {
			b.equal(fmt.Sprint("entry at limit ", limit), string(d.URL)+" "+string(d.Visit.Client), want[i])
		}
	}
}

func testDueURLs(b *bed) {
	b.discover("http://a.example/1", "c", 0, at(2))
	b.discover("http://a.example/2", "c", 0, at(3))
	b.discover("http://a.example/3", "c", 6, at(1))
	for _, c := range []struct {
		now   time.Time
		limit int
		want  []crawl.URL
	}{
		{at(0), 9, nil},
		{at(1), 9, []crawl.URL{"http://a.example/3"}},
		{at(2), 9, []crawl.URL{"http://a.example/1", "http://a.example/3"}},
		{at(3), 2, []crawl.URL{"http://a.example/1", "http://a.example/2"}},
		{at(3), 1, []crawl.URL{"http://a.example/1"}},
		{at(3), 0, nil},
		{at(3), -1, nil},
		{time.Time{}, 9, nil},
		{time.Time{}.Add(-1), 9, nil},
	} {
		due, err := b.DueURLs(b.ctx(), "a.example", "", c.now, c.limit)
		b.ok(err)
		var got []crawl.URL
		for _, d := range due {
			got = append(got, d.URL)
		}
		b.equal(fmt.Sprintf("at %s limit %d", c.now, c.limit), got, c.want)
	}
	due, err := b.DueURLs(b.ctx(), "unknown.example", "", at(9), 9)
	b.ok(err)
	b.equal("unknown host", len(due), 0)
}

func testVisitMoves(b *bed) {
	const x, y = "http://a.example/x", "http://a.example/y"
	b.commit(found(at(1), x), found(at(2), y))
	b.equal("queue", b.queue("a.example"), []string{x + " c", y + " c"})
	b.commit(visited(x, 0, at(3)))
	b.equal("later", b.queue("a.example"), []string{y + " c", x + " c"})
	b.commit(visited(y, 1, at(2)))
	b.equal("other band", b.queue("a.example"), []string{x + " c", y + " c"})
	b.commit(visited(x, 0, time.Time{}))
	b.equal("not queued", b.queue("a.example"), []string{y + " c"})
	b.commit(visited(x, 7, at(1)), visited(x, 0, at(9)))
	b.equal("twice in a batch", b.queue("a.example"), []string{x + " c", y + " c"})
	due, err := b.DueURLs(b.ctx(), "a.example", "", at(8), 9)
	b.ok(err)
	b.equal("only y is due", len(due), 1)
}

func testVisitUnknown(b *bed) {
	b.equal("receipt", b.commit(visited("http://a.example/", 0, at(1))), store.Receipt{New: 1})
	b.equal("record", b.record("http://a.example/"), crawl.URLRecord{
		URL: "http://a.example/", Discovered: start(), Visits: []crawl.Visit{{Client: "c", Due: at(1), LastCrawl: start(), Crawls: 1}},
	})
	b.commit(&crawl.Outcome{URL: "http://b.example/", Index: &crawl.IndexChange{At: at(7)}})
	b.equal("record by index", b.record("http://b.example/"), crawl.URLRecord{URL: "http://b.example/", Discovered: at(7)})
	b.equal("its host", b.hostRecord("b.example"), crawl.HostRecord{Host: "b.example"})
	canonical := crawl.URL("http://d.example/")
	b.commit(&crawl.Outcome{URL: "http://c.example/", Canonical: &canonical}, &crawl.Outcome{URL: "http://d.example/", Links: []uint32{1}})
	b.equal("record by canonical", b.record("http://c.example/"), crawl.URLRecord{URL: "http://c.example/", Canonical: canonical})
	b.equal("record by links", b.record("http://d.example/"), crawl.URLRecord{URL: "http://d.example/"})
	if _, ok, err := b.URL(b.ctx(), "http://e.example/"); ok || err != nil {
		b.Fatalf("unknown URL: %v %v", ok, err)
	}
}

func testVisitDiscovered(b *bed) {
	o := visited("http://a.example/", 2, at(2))
	o.Discovered = found(at(1), "http://a.example/").Discovered
	o.Discovered[0].Depth = 4
	b.commit(o)
	r := b.record("http://a.example/")
	b.equal("depth", r.Depth, 4)
	b.equal("visits", r.Visits, []crawl.Visit{{Client: "c", Band: 2, Due: at(2), LastCrawl: start(), Crawls: 1}})
	b.equal("queue", b.queue("a.example"), []string{"http://a.example/ c"})
	b.equal("due of the host", b.hostRecord("a.example").Due, at(2))
}

func testNextDue(b *bed) {
	next := func() time.Time {
		t, err := b.NextDue(b.ctx(), "a.example", "")
		b.ok(err)
		return t
	}
	b.equal("unknown host", next(), time.Time{})
	for _, c := range []struct {
		band      crawl.Band
		due, want time.Duration
	}{{3, 7, 7}, {0, 10, 7}, {7, 3, 3}, {5, 5, 3}} {
		b.discover(crawl.URL(fmt.Sprint("http://a.example/", c.band)), "c", c.band, at(c.due))
		b.equal(fmt.Sprint("with band ", c.band), next(), at(c.want))
	}
	b.commit(visited("http://a.example/7", 7, time.Time{}))
	b.equal("without band 7", next(), at(5))
}

func testQueueOfClient(b *bed) {
	for i := range 20 {
		b.discover(crawl.URL(fmt.Sprintf("http://a.example/%02d", i)), "many", 0, at(1))
	}
	b.discover("http://a.example/05", "few", 3, at(5))
	b.discover("http://a.example/01", "few", 3, at(4))
	due, err := b.DueURLs(b.ctx(), "a.example", "few", at(9), 9)
	b.ok(err)
	var got []string
	for _, d := range due {
		got = append(got, string(d.URL)+" "+string(d.Visit.Client))
	}
	b.equal("few", got, []string{"http://a.example/01 few", "http://a.example/05 few"})
	for c, want := range map[crawl.ClientID]time.Time{"few": at(4), "many": at(1), "none": {}, "": at(1)} {
		next, err := b.NextDue(b.ctx(), "a.example", c)
		b.ok(err)
		b.equal("next of "+string(c), next, want)
	}
	due, err = b.DueURLs(b.ctx(), "a.example", "none", at(9), 9)
	b.ok(err)
	b.equal("none", len(due), 0)
}

func testDrain(b *bed) {
	const n = 300
	var o crawl.Outcome
	for i := range n {
		o.Discovered = append(o.Discovered, crawl.Discovery{URL: crawl.URL(fmt.Sprintf("http://a.example/%03d", i)), Client: "c", Due: start()})
	}
	b.commit(&o)
	var got []crawl.URL
	for i := 0; ; i++ {
		due, err := b.DueURLs(b.ctx(), "a.example", "", start(), 7)
		b.ok(err)
		if len(due) == 0 {
			break
		}
		var batch []*crawl.Outcome
		for _, d := range due {
			got = append(got, d.URL)
			batch = append(batch, visited(d.URL, 0, at(time.Hour)))
		}
		if i == 10 { // new work in front of a head that moved on
			batch = append(batch, found(at(-1), "http://a.example/early"))
		}
		b.commit(batch...)
	}
	b.equal("visited", len(got), n+1)
	b.equal("the early one came as soon as it was known", slices.Index(got, "http://a.example/early"), 77)
	b.equal("queue", len(b.queue("a.example")), n+1)
}
