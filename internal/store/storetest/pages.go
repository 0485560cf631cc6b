package storetest

import (
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

func pageTests() []subtest {
	return []subtest{
		{"F13/index changes are kept with reason, row and time", testHistory},
		{"F13/history keeps the newest MaxHistory", testHistoryBounded},
		{"F13/a repeated change is kept once", testHistoryRepeated},
		{"canonical and links are replaced", testCanonicalLinks},
		{"URLs and Links in order, by host", testURLsOrder},
		{"iteration may be left and used with commits", testIterate},
	}
}

func change(t time.Time, n int) crawl.IndexChange {
	return crawl.IndexChange{
		At:     t,
		From:   crawl.Index{State: crawl.IndexPassed, Reason: crawl.ReasonIndexable, Row: "F1", Since: t.Add(-time.Hour)},
		To:     crawl.Index{State: crawl.IndexRemoved, Reason: crawl.ReasonNotFound, Row: fmt.Sprint("F", n), Since: t},
		Detail: fmt.Sprintf("change %d: 404 three times", n),
	}
}

func (b *bed) history(u crawl.URL) []crawl.IndexChange {
	b.Helper()
	h, err := b.History(b.ctx(), u)
	b.ok(err)
	return h
}

func testHistory(b *bed) {
	const u = "http://a.example/"
	b.equal("unknown URL", len(b.history(u)), 0)
	first, second := change(at(1), 1), change(at(2), 2)
	b.commit(&crawl.Outcome{URL: u, Index: &first}, &crawl.Outcome{URL: u, Index: &second})
	b.equal("index of the record", b.record(u).Index, second.To)
	first.URL, second.URL = u, u
	b.equal("history", b.history(u), []crawl.IndexChange{first, second})
	sameTime := change(at(2), 3)
	b.commit(&crawl.Outcome{URL: u, Index: &sameTime})
	early := change(at(0), 4)
	b.commit(&crawl.Outcome{URL: u, Index: &early})
	sameTime.URL, early.URL = u, u
	h := b.history(u)
	b.equal("in order of time, then of commits", h, []crawl.IndexChange{early, first, second, sameTime})
	h[0].Detail = "changed"
	b.equal("history after the caller changed a copy", b.history(u)[0], early)
	due, err := b.DueURLs(b.ctx(), "a.example", "", at(ttl), 9)
	b.ok(err)
	b.equal("an index change queues nothing", len(due), 0)
	b.commit(visited(u, 0, start()))
	due, err = b.DueURLs(b.ctx(), "a.example", "", at(ttl), 9)
	b.ok(err)
	b.equal("index in the queue", due[0].Index, early.To)
	b.equal("other URLs have none", len(b.history("http://a.example/x")), 0)
}

func testHistoryBounded(b *bed) {
	const u = "http://a.example/"
	var want []crawl.IndexChange
	for i := range store.MaxHistory + 5 {
		x := change(at(time.Duration(i)*time.Hour), i)
		b.commit(&crawl.Outcome{URL: u, Index: &x})
		x.URL = u
		want = append(want, x)
	}
	b.equal("history", b.history(u), want[5:])
	b.commit(&crawl.Outcome{URL: u, Index: &want[0]})
	b.equal("an older change than all kept", b.history(u), want[5:])
}

func testHistoryRepeated(b *bed) {
	const u = "http://a.example/"
	var batch []*crawl.Outcome
	for i := range 5 {
		x := change(at(time.Duration(i%2)), i)
		batch = append(batch, &crawl.Outcome{URL: u, Index: &x})
	}
	b.commit(batch...)
	before := b.history(u)
	b.equal("length", len(before), 5)
	b.commit(batch...)
	b.equal("history after the batch was repeated", b.history(u), before)
}

func (b *bed) links(f store.URLFilter) []store.PageLinks {
	b.Helper()
	l, err := collect(b.Links(b.ctx(), f))
	b.ok(err)
	return l
}

func testCanonicalLinks(b *bed) {
	const u = crawl.URL("http://a.example/")
	canonical := []crawl.URL{"http://b.example/", ""}
	links := []uint32{0, 0, 1, 1<<32 - 1}
	b.commit(&crawl.Outcome{URL: u, Canonical: &canonical[0], Links: links})
	links[0] = 9
	b.equal("canonical", b.record(u).Canonical, canonical[0])
	b.equal("links", b.links(store.URLFilter{}), []store.PageLinks{{URL: u, Links: []uint32{0, 0, 1, 1<<32 - 1}}})
	b.commit(visited(u, 0, start()))
	b.equal("canonical unchanged", b.record(u).Canonical, canonical[0])
	b.equal("links unchanged", len(b.links(store.URLFilter{})), 1)
	b.commit(&crawl.Outcome{URL: u, Canonical: &canonical[1], Links: []uint32{5}})
	b.equal("canonical removed", b.record(u).Canonical, crawl.URL(""))
	b.equal("links replaced", b.links(store.URLFilter{}), []store.PageLinks{{URL: u, Links: []uint32{5}}})
	b.commit(&crawl.Outcome{URL: u, Links: []uint32{}})
	b.equal("links removed", len(b.links(store.URLFilter{})), 0)
}

// oddURLs are URLs of one host that stores shorten, and others, in order.
func oddURLs() []crawl.URL {
	return []crawl.URL{
		"ftp://a.example/", "http://\x00@a.example/", "http://@a.example/", "http://a.example/", "http://a.example/%00", "http://a.example/\x00",
		"http://a.example/\x00\x01", "http://a.example/a", "http://a.example/a\x00", "http://a.example/a\x00\xff", "http://a.example/a\x01",
		"http://a.example/b", "http://a.example/é", "http://a.example/\xff", "http://a.example:81/", "http://a.example?x", "http://b@a.example/",
		"httpa://a.example/", "https://@a.example/", "https://a.example", "https://a.example/", "https://a.example/z", "https://b@a.example/", "zz://a.example/",
	}
}

func testURLsOrder(b *bed) {
	odd := oddURLs()
	slices.Sort(odd)
	shuffled := slices.Clone(odd)
	slices.Reverse(shuffled)
	b.commit(found(start(), shuffled[5:]...))
	b.commit(found(start(), shuffled[:5]...))
	all := slices.Clone(odd)
	for i := range 700 { // more than any piece a store may read at once
		u := crawl.URL(fmt.Sprintf("http://h%d.example/%d", i%7, i))
		all = append(all, u)
		b.commit(found(start(), u), &crawl.Outcome{URL: u, Links: []uint32{uint32(i)}})
	}
	slices.SortFunc(all, func(x, y crawl.URL) int {
		if d := int(crawl.ShardOf(x.Host())) - int(crawl.ShardOf(y.Host())); d != 0 {
			return d
		}
		return slices.Compare([]string{string(x.Host()), string(x)}, []string{string(y.Host()), string(y)})
	})
	b.equal("all URLs", b.urls(store.URLFilter{}), all)
	b.equal("one host", b.urls(store.URLFilter{Host: "a.example"}), odd)
	b.equal("unknown host", len(b.urls(store.URLFilter{Host: "a.exampl"})), 0)
	var linked []crawl.URL
	for _, l := range b.links(store.URLFilter{}) {
		linked = append(linked, l.URL)
	}
	b.equal("links", linked, slices.DeleteFunc(all, func(u crawl.URL) bool { return u.Host() == "a.example" }))
	b.equal("links of one host", len(b.links(store.URLFilter{Host: "h3.example"})), 100)
	known, err := b.Known(b.ctx(), odd)
	b.ok(err)
	b.equal("known", slices.Contains(known, false), false)
	var queue []string
	for _, u := range odd {
		queue = append(queue, string(u)+" c")
	}
	b.equal("queue", b.queue("a.example"), queue)
}

func (b *bed) urls(f store.URLFilter) []crawl.URL {
	b.Helper()
	records, err := collect(b.URLs(b.ctx(), f))
	b.ok(err)
	var urls []crawl.URL
	for _, r := range records {
		urls = append(urls, r.URL)
	}
	return urls
}

func testIterate(b *bed) {
	b.commit(found(start(), "http://a.example/1", "http://a.example/2", "http://a.example/3"))
	n := 0
	for r, err := range b.URLs(b.ctx(), store.URLFilter{}) {
		b.ok(err)
		b.commit(visited(r.URL, 1, at(time.Hour)))
		if n++; n == 2 {
			break
		}
	}
	b.equal("steps", n, 2)
	for range b.Hosts(b.ctx()) {
		b.commit(found(start(), "http://a.example/4"))
	}
	b.equal("all", len(b.urls(store.URLFilter{})), 4)
}
