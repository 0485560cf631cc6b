package storetest

import (
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

func statsTests() []subtest {
	return []subtest{
		{"I1/events are summed per day", testStatsSums},
		{"I2/cells are kept apart by every field, in order", testStatsCells},
	}
}

func (b *bed) stats(f store.StatFilter) []store.Stat {
	b.Helper()
	s, err := collect(b.Stats(b.ctx(), f))
	b.ok(err)
	return s
}

func testStatsSums(b *bed) {
	day := store.Day(start())
	midnight := time.Unix(int64(day+1)*86400, 0)
	event := func(t time.Time, bytes int64, d time.Duration) crawl.Event {
		return crawl.Event{At: t, Host: "a.example", URL: "http://a.example/x", Client: "c", Bytes: bytes, Duration: d, Sent: true}
	}
	b.commit(
		&crawl.Outcome{Events: []crawl.Event{event(start(), 10, time.Second), event(midnight.Add(-1), 5, 1500*time.Microsecond)}},
		&crawl.Outcome{Events: []crawl.Event{event(midnight, 7, time.Minute)}},
	)
	b.commit(&crawl.Outcome{Events: []crawl.Event{event(start(), 1, 0)}})
	key := store.StatKey{Host: "a.example", Day: day, Client: "c", Sent: true}
	next := key
	next.Day++
	sums := []store.Stat{{StatKey: key, Count: 3, Bytes: 16, Millis: 1001}, {StatKey: next, Count: 1, Bytes: 7, Millis: 60000}}
	b.equal("stats", b.stats(store.StatFilter{}), sums)
	b.equal("from", b.stats(store.StatFilter{FromDay: day + 1}), sums[1:])
	b.equal("to", b.stats(store.StatFilter{Host: "a.example", ToDay: day}), sums[:1])
	b.equal("other host", len(b.stats(store.StatFilter{Host: "b.example"})), 0)
	b.equal("the day before 1970", store.Day(time.Unix(-1, 0)), int32(-1))
}

func testStatsCells(b *bed) {
	base := crawl.Event{At: time.Unix(0, 0), Host: "a.example", Client: "c"}
	events := []crawl.Event{base}
	for _, change := range []func(*crawl.Event){
		func(e *crawl.Event) { e.Sent = true },
		func(e *crawl.Event) { e.Kind = crawl.KindRobots },
		func(e *crawl.Event) { e.File = crawl.TypeHTML },
		func(e *crawl.Event) { e.Response = crawl.ResponseOK },
		func(e *crawl.Event) { e.Purpose = crawl.PurposeRefresh },
		func(e *crawl.Event) { e.Type = crawl.ClientDesktop },
		func(e *crawl.Event) { e.Client = "c\x00" },
		func(e *crawl.Event) { e.Client = "ca" },
		func(e *crawl.Event) { e.At = time.Unix(86400, 0) },
	} {
		e := base
		change(&e)
		events = append(events, e)
	}
	before, other := base, base
	before.At = time.Unix(-1, 0)
	other.Host = "b.example"
	b.commit(&crawl.Outcome{Events: append([]crawl.Event{other, before}, events...)})
	events = append([]crawl.Event{before}, events...)
	var want []store.Stat
	for _, e := range events {
		want = append(want, store.Stat{Count: 1, StatKey: store.StatKey{
			Host: e.Host, Day: store.Day(e.At), Client: e.Client, Type: e.Type,
			Purpose: e.Purpose, Response: e.Response, File: e.File, Kind: e.Kind, Sent: e.Sent,
		}})
	}
	b.equal("cells in order", b.stats(store.StatFilter{Host: "a.example"}), want)
	b.equal("all hosts", len(b.stats(store.StatFilter{})), len(want)+1)
}

func feedTests() []subtest {
	return []subtest{{"numbered per shard from 1, read from a cursor", testFeed}}
}

func testFeed(b *bed) {
	hosts := []crawl.Host{"a.example", "b.example"}
	if crawl.ShardOf(hosts[0]) == crawl.ShardOf(hosts[1]) {
		b.Fatal("the hosts of this test share a shard")
	}
	want := map[crawl.Host][]crawl.Document{}
	for i := range 6 {
		var batch []*crawl.Outcome
		for _, h := range hosts[:1+i%2] {
			d := crawl.Document{
				URL: crawl.URL(fmt.Sprintf("http://%s/%d", h, i)), Client: "c", At: at(time.Duration(i)), Status: 200, MediaType: "text/html",
				Title: "Füße", Digest: 7, Unchanged: i%2 == 0, Archive: crawl.ArchiveRef{File: "f", Offset: 1, Length: 2},
			}
			d.Seq = 99 // the store numbers, nobody else
			given := d
			batch = append(batch, &crawl.Outcome{Document: &given})
			d.Seq = uint64(len(want[h]) + 1)
			want[h] = append(want[h], d)
		}
		b.commit(batch...)
	}
	feed := func(h crawl.Host, after uint64, limit int) []crawl.Document {
		docs, err := b.Feed(b.ctx(), crawl.ShardOf(h), after, limit)
		b.ok(err)
		return docs
	}
	for _, h := range hosts {
		b.equal("all of "+string(h), feed(h, 0, 99), want[h])
	}
	w := want[hosts[0]]
	b.equal("page", feed(hosts[0], 2, 3), w[2:5])
	b.equal("limit 1", feed(hosts[0], 0, 1), w[:1])
	b.equal("limit 0", len(feed(hosts[0], 0, 0)), 0)
	b.equal("limit -1", len(feed(hosts[0], 0, -1)), 0)
	b.equal("at the end", len(feed(hosts[0], 6, 9)), 0)
	b.equal("behind the end", len(feed(hosts[0], 1<<64-1, 9)), 0)
	for shard := range crawl.Shard(3) { // one of them is of neither host
		if shard != crawl.ShardOf(hosts[0]) && shard != crawl.ShardOf(hosts[1]) {
			docs, err := b.Feed(b.ctx(), shard, 0, 9)
			b.ok(err)
			b.equal("other shard", len(docs), 0)
		}
	}
}
