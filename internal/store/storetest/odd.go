package storetest

import (
	"fmt"
	"strings"
	"time"

	"trawl/internal/crawl"
)

func oddTests() []subtest {
	return []subtest{
		{"hostnames that are prefixes of each other", testPrefixHosts},
		{"huge values", testHuge},
		{"times at the ends of what is allowed", testTimes},
	}
}

func testPrefixHosts(b *bed) {
	hosts := []crawl.Host{"a", "a\x00", "a\x00\x01", "a\x01", "a.", "ä", "[::1]", "A", "\xff"}
	for i, h := range hosts {
		o := full(crawl.URL("http://" + h + "/"))
		o.Host.Protocol.H1.Fetches = int64(i)
		o.Robots[0].Status = i
		o.Discovered = found(start(), crawl.URL(fmt.Sprint("https://", h, "/", i))).Discovered
		b.commit(o)
	}
	for i, h := range hosts {
		b.equal("host", b.hostRecord(h).Protocol.H1.Fetches, int64(i))
		r, err := b.Robots(b.ctx(), h)
		b.ok(err)
		b.equal(fmt.Sprintf("number of robots records of %q", h), len(r), 1)
		b.equal("robots record", r[0].Status, i)
		b.equal(fmt.Sprintf("queue of %q", h), b.queue(h), []string{fmt.Sprint("https://", h, "/", i, " c"), "http://" + string(h) + "/ c"})
	}
	b.equal("hosts", len(snapshot(b).Hosts), len(hosts))
}

func testHuge(b *bed) {
	const mega = 1 << 20
	u := crawl.URL("http://a.example/")
	long := u + crawl.URL(strings.Repeat("x", 60000))
	o := full(long)
	o.Host.Load.Cause = strings.Repeat("c", mega)
	o.Robots[0].Body = []byte(strings.Repeat("r", 2*mega))
	o.Visit.ETag = strings.Repeat("e", mega)
	o.Index.Detail = strings.Repeat("d", mega)
	o.Document.Title = strings.Repeat("t", mega)
	o.Links = make([]uint32, 300000)
	for i := range o.Links {
		o.Links[i] = uint32(i) * 14000
	}
	b.commit(o)
	w := snapshot(b)
	b.equal("cause", b.hostRecord("a.example").Load.Cause, o.Host.Load.Cause)
	b.equal("robots", w.Robots[0], o.Robots[0])
	b.equal("visit", b.record(long).Visits[0], *o.Visit)
	b.equal("detail", b.history(long)[0].Detail, o.Index.Detail)
	b.equal("title", w.Feed[0].Title, o.Document.Title)
	b.equal("links", w.Links[0].Links, o.Links)
	var batch crawl.Outcome
	for i := range 5000 {
		batch.Discovered = append(batch.Discovered, found(at(1), crawl.URL(fmt.Sprint("http://b.example/", i))).Discovered...)
	}
	b.equal("many at once", b.commit(&batch).New, 5000)
	b.equal("their queue", len(b.queue("b.example")), 5000)
}

func testTimes(b *bed) {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	b.commit(found(first, "http://a.example/1"), found(last, "http://a.example/2"), found(time.Unix(0, 0), "http://a.example/3"))
	due, err := b.DueURLs(b.ctx(), "a.example", "", last, 9)
	b.ok(err)
	var got []time.Time
	for _, d := range due {
		got = append(got, d.Visit.Due)
	}
	b.equal("due times", got, []time.Time{first, time.Unix(0, 0), last})
	far := time.Date(200000, 1, 1, 0, 0, 0, 5, time.UTC)
	h := crawl.HostRecord{Host: "a.example", Load: crawl.HostLoad{NotBefore: far, At: far, WindowStart: time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC)}}
	b.commit(&crawl.Outcome{Host: &h})
	h.Due = last // as late as it can be
	b.equal("host", b.hostRecord("a.example"), h)
	b.equal("due hosts", b.dueHosts(b.leases, far, 9), []crawl.Host{"a.example"})
	local := time.Date(2026, 7, 1, 12, 0, 0, 0, time.FixedZone("x", 3600))
	b.commit(visited("http://b.example/", 0, local))
	b.equal("a time of another zone", b.record("http://b.example/").Visits[0].Due, local)
}
