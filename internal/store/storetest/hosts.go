package storetest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

func hostTests() []subtest {
	return []subtest{
		{"record is kept whole", testHostWhole},
		{"due is lowered to the queue's earliest", testHostLowered},
		{"due is never lowered below NotBefore", testHostNotBefore},
		{"new work lowers the due of a known host", testHostNewWork},
		{"the rule holds for the queue after the batch", testHostBatch},
		{"DueHosts in order, leased shards only, limits", testDueHosts},
		{"DueHosts while due times move", testDueHostsMove},
		{"robots records", testRobots},
	}
}

func wholeHost(h crawl.Host) crawl.HostRecord {
	return crawl.HostRecord{
		Host: h, Due: at(time.Second),
		Load: crawl.HostLoad{
			Limit: 0.5, Level: -3.25, At: at(1), Expected: 0.1, Latency: math.SmallestNonzeroFloat64, Baseline: math.MaxFloat64,
			NotBefore: at(2), Backoffs: 3, WindowStart: at(3), WindowOK: 4, WindowBad: 5, WindowUsed: true, WindowWait: 2.25, WindowWaits: 7, BeforeOK: 6, BeforeSpan: 1.25, Pace: 0.75, PaceTop: 1.5, LimitTop: 2.5, HeldUntil: at(5), ShareBad: 0.125, ShareAll: 17.5, BadRow: 8, RefusedAt: at(6), LimiterAt: at(7), Cause: "503 ×3", ChangedAt: at(4),
			Changes: []crawl.RateChange{
				{Cause: crawl.RateCauseOwner, From: 1, To: 0.5, Since: at(1), At: at(2), Until: at(3), Count: math.MaxInt32, Detail: "503 ×3"}, {At: at(4)},
			},
		},
		Protocol: crawl.ProtocolRecord{
			Choice: crawl.ProtocolHTTP2, OptOut: true,
			H1: crawl.ProtocolStats{Fetches: 1, Failures: 2, Millis: 3}, H2: crawl.ProtocolStats{Fetches: 4, Failures: 5, Millis: math.MaxInt64},
		},
		Traps: []crawl.Trap{{Pattern: "/a/*", Reason: "deep", Example: "http://a.example/a/a", Count: 9, Since: at(5)}, {Pattern: "?sid="}},
		Sitemaps: crawl.SitemapRecord{
			Trust: crawl.LastModTrust{
				True: 0.5, False: math.SmallestNonzeroFloat64, Told: 2, Untold: 3, At: at(6), Checked: 1<<32 - 1, Dates: 7, BadDates: 8,
			},
			OutOfScope: 9, Example: "http://b.example/", Sitemap: "http://a.example/s.xml", At: at(7),
		},
		Clusters: []crawl.Cluster{{Digest: math.MaxUint64, First: "http://a.example/x", Title: "Error ×", Count: math.MaxInt64, Since: at(8)}, {Count: -1}},
		Contents: []crawl.Content{{Digest: math.MaxUint64, Count: math.MaxInt32}, {Count: -1}},
		Landings: []crawl.Landing{{Target: "http://a.example/", Title: "Home ×", Count: math.MaxInt32}, {Count: -1}},
		Move:     crawl.MoveRecord{Since: at(11), Count: math.MaxInt32, Until: at(12)},
		Egress: crawl.EgressRecord{
			Choice: "eu", Session: at(8),
			Regions: []crawl.EgressRegion{{Good: 1, Blocked: 2}, {Region: "eu", Good: 3, Bad: math.MaxInt32, Proxy: 4, Blocked: 5, Tried: at(9), LastOK: at(10)}},
		},
	}
}

func testHostWhole(b *bed) {
	if _, ok, err := b.Host(b.ctx(), "a.example"); ok || err != nil {
		b.Fatalf("unknown host: %v %v", ok, err)
	}
	want := wholeHost("a.example")
	given := wholeHost("a.example")
	b.commit(&crawl.Outcome{Host: &given})
	given.Traps[0].Count, given.Load.Changes[0].Count, given.Egress.Regions[0].Good, given.Clusters[0].Count, given.Landings[0].Count = -1, -1, -1, -1, -1 // the store must not share them
	got := b.hostRecord("a.example")
	b.equal("record", got, want)
	got.Traps[0].Count, got.Egress.Regions[0].Good = -1, -1
	b.equal("record after the caller changed a copy", b.hostRecord("a.example"), want)
	b.commit(&crawl.Outcome{Host: &crawl.HostRecord{Host: "a.example"}})
	b.equal("replaced record", b.hostRecord("a.example"), crawl.HostRecord{Host: "a.example"})
}

func (b *bed) putHost(h crawl.Host, due, notBefore time.Time) time.Time {
	b.Helper()
	b.commit(&crawl.Outcome{Host: &crawl.HostRecord{Host: h, Due: due, Load: crawl.HostLoad{NotBefore: notBefore}}})
	return b.hostRecord(h).Due
}

func testHostLowered(b *bed) {
	b.equal("empty queue, no due", b.putHost("a.example", time.Time{}, time.Time{}), time.Time{})
	b.equal("empty queue, due", b.putHost("a.example", at(9*time.Hour), time.Time{}), at(9*time.Hour))
	b.commit(visited("http://a.example/x", 5, at(time.Hour)), visited("http://a.example/y", 1, at(2*time.Hour)))
	b.equal("zero due", b.putHost("a.example", time.Time{}, time.Time{}), at(time.Hour))
	b.equal("later due", b.putHost("a.example", at(3*time.Hour), time.Time{}), at(time.Hour))
	b.equal("earlier due", b.putHost("a.example", at(time.Minute), time.Time{}), at(time.Minute))
	b.commit(visited("http://a.example/x", 5, time.Time{}))
	b.equal("after the earliest left", b.putHost("a.example", time.Time{}, time.Time{}), at(2*time.Hour))
	b.commit(visited("http://a.example/y", 1, time.Time{}))
	b.equal("after all left", b.putHost("a.example", time.Time{}, time.Time{}), time.Time{})
}

func testHostNotBefore(b *bed) {
	b.commit(found(at(time.Hour), "http://a.example/"))
	b.equal("zero due", b.putHost("a.example", time.Time{}, at(2*time.Hour)), at(2*time.Hour))
	b.equal("later due", b.putHost("a.example", at(5*time.Hour), at(2*time.Hour)), at(2*time.Hour))
	b.equal("due before NotBefore stays", b.putHost("a.example", at(time.Minute), at(2*time.Hour)), at(time.Minute))
	b.putHost("a.example", at(5*time.Hour), at(2*time.Hour))
	b.commit(found(at(time.Minute), "http://a.example/new"))
	b.equal("after discovery", b.hostRecord("a.example").Due, at(2*time.Hour))
}

func testHostNewWork(b *bed) {
	b.commit(found(at(time.Hour), "http://a.example/"))
	b.equal("new host", b.hostRecord("a.example"), crawl.HostRecord{Host: "a.example", Due: at(time.Hour)})
	b.commit(found(at(2*time.Hour), "http://a.example/2"))
	b.equal("later discovery", b.hostRecord("a.example").Due, at(time.Hour))
	b.commit(found(at(time.Minute), "http://a.example/3"))
	b.equal("earlier discovery", b.hostRecord("a.example").Due, at(time.Minute))
	b.commit(visited("http://a.example/2", 7, at(time.Second)))
	b.equal("earlier visit", b.hostRecord("a.example").Due, at(time.Second))
	b.commit(found(time.Time{}, "http://b.example/"))
	b.equal("host of an unqueued URL", b.hostRecord("b.example"), crawl.HostRecord{Host: "b.example"})
	b.commit(visited("http://c.example/", 0, at(time.Hour)))
	b.equal("host of a visit nobody discovered", b.hostRecord("c.example").Due, at(time.Hour))
}

func testHostBatch(b *bed) {
	host := &crawl.HostRecord{Host: "a.example", Due: at(9 * time.Hour)}
	batch := []*crawl.Outcome{found(at(time.Hour), "http://a.example/"), {Host: host}, visited("http://a.example/", 0, at(3*time.Hour))}
	for range 2 { // the second time nothing changes
		b.commit(batch...)
		b.equal("due", b.hostRecord("a.example").Due, at(3*time.Hour))
	}
}

func names(hosts []crawl.HostRecord) []crawl.Host {
	var n []crawl.Host
	for _, h := range hosts {
		n = append(n, h.Host)
	}
	return n
}

func (b *bed) dueHosts(leases []store.Lease, now time.Time, limit int) []crawl.Host {
	b.Helper()
	h, err := b.DueHosts(b.ctx(), leases, now, limit)
	b.ok(err)
	return names(h)
}

func testDueHosts(b *bed) {
	var want []crawl.Host
	for i := range 30 {
		h := crawl.Host(fmt.Sprintf("h%02d.example", i))
		want = append(want, h)
		b.commit(&crawl.Outcome{Host: &crawl.HostRecord{Host: h, Due: at(time.Duration(i / 3))}})
	}
	b.commit(&crawl.Outcome{Host: &crawl.HostRecord{Host: "never.example"}})
	b.equal("all", b.dueHosts(b.leases, at(time.Hour), 100), want)
	for _, limit := range []int{-1, 0, 1, 2, 4, 30} {
		b.equal(fmt.Sprint("limit ", limit), b.dueHosts(b.leases, at(time.Hour), limit), slices.Clone(want[:max(limit, 0)]))
	}
	b.equal("due now", b.dueHosts(b.leases, at(1), 100), want[:6])
	b.equal("before all", len(b.dueHosts(b.leases, at(-1), 100)), 0)
	b.equal("zero time", len(b.dueHosts(b.leases, time.Time{}, 100)), 0)
	b.equal("no lease", len(b.dueHosts(nil, at(time.Hour), 100)), 0)
	shard := crawl.ShardOf("h07.example")
	var mine []crawl.Host
	for _, h := range want {
		if crawl.ShardOf(h) == shard {
			mine = append(mine, h)
		}
	}
	b.equal("one shard", b.dueHosts([]store.Lease{b.leases[shard], b.leases[shard]}, at(time.Hour), 100), mine)
}

func testDueHostsMove(b *bed) {
	due := func(h crawl.Host, t time.Time) { b.commit(&crawl.Outcome{Host: &crawl.HostRecord{Host: h, Due: t}}) }
	b.equal("empty", len(b.dueHosts(b.leases, at(time.Hour), 9)), 0)
	due("a.example", at(5))
	due("b.example", at(6))
	b.equal("two", b.dueHosts(b.leases, at(5), 9), []crawl.Host{"a.example"})
	due("a.example", at(7))
	b.equal("moved later", b.dueHosts(b.leases, at(9), 9), []crawl.Host{"b.example", "a.example"})
	due("a.example", at(1))
	b.equal("moved earlier", b.dueHosts(b.leases, at(9), 9), []crawl.Host{"a.example", "b.example"})
	due("a.example", time.Time{})
	due("b.example", time.Time{})
	b.equal("all gone", len(b.dueHosts(b.leases, at(9), 9)), 0)
	due("b.example", at(2))
	b.equal("back", b.dueHosts(b.leases, at(9), 9), []crawl.Host{"b.example"})
}

func testRobots(b *bed) {
	whole := crawl.RobotsRecord{
		Origin: "https://a.example", FetchedAt: at(1), Status: 200, Failure: crawl.FailOther, GoodAt: at(2), Body: []byte("User-agent: *\n\x00\xff"),
		HasGood: true, MaxAge: time.Hour, FailingSince: at(3), Attempts: 4, HomepageOK: true, HomepageAt: at(5), Truncated: true,
	}
	b.commit(&crawl.Outcome{Robots: []crawl.RobotsRecord{
		{Origin: "https://a.example:8443", Body: []byte{}}, whole, {Origin: "http://a.example"}, {Origin: "http://b.example"},
	}})
	body := whole.Body
	whole.Body = slices.Clone(body)
	body[0] = 'X' // the store must not share it
	read := func() []crawl.RobotsRecord {
		got, err := b.Robots(b.ctx(), "a.example")
		b.ok(err)
		return got
	}
	want := []crawl.RobotsRecord{{Origin: "http://a.example"}, whole, {Origin: "https://a.example:8443", Body: []byte{}}}
	got := read()
	b.equal("records sorted by origin", got, want)
	got[1].Body[0] = 'X'
	b.equal("records after the caller changed a copy", read(), want)
	want[1] = crawl.RobotsRecord{Origin: "https://a.example", Status: 503}
	b.commit(&crawl.Outcome{Robots: want[1:2]})
	b.equal("replaced", read(), want)
	if got, err := b.Robots(b.ctx(), "unknown.example"); err != nil || len(got) != 0 {
		b.Fatalf("unknown host: %v %v", got, err)
	}
}
