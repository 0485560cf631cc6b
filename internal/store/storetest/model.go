package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// RunModel drives two implementations with the same random operations and
// compares every answer, and at the end everything they hold. Each call of b
// gives a new, empty place; if reopens is set, it is closed and opened again now
// and then. It checks 1,000 histories, 100 under the race detector or with
// -short (in rounds of as many as the flag -rapid.checks says, 100 by default).
//
// Hosts, URLs, clients and times are few, so that they meet often.
func RunModel(t *testing.T, a func(now func() time.Time) store.Store, b func() Durable, reopens bool) {
	rounds := modelRounds
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		rapid.Check(t, func(rt *rapid.T) { history(rt, a, b, reopens) })
	}
}

func history(rt *rapid.T, a func(now func() time.Time) store.Store, b func() Durable, reopens bool) {
	m := &model{clock: &clock{t: start()}, reopens: reopens, place: b()}
	m.a = a(m.clock.now)
	var err error
	if m.b, err = m.place(m.clock.now); err != nil {
		rt.Fatal(err)
	}
	defer func() {
		if err := errors.Join(m.a.Close(), m.b.Close()); err != nil {
			rt.Errorf("closing: %v", err)
		}
	}()
	for _, w := range []string{"v", "w"} {
		m.acquire(rt, w, []crawl.Shard{hostShard(0), hostShard(1), hostShard(2)}[:rapid.IntRange(0, 3).Draw(rt, "shards")])
	}
	rt.Repeat(map[string]func(*rapid.T){
		"commit": m.commit, "commit again": m.commitAgain, "commit more": m.commit, "lease": m.lease, "time": m.time,
		"due": m.due, "read": m.read, "reopen": m.reopen, "": func(*rapid.T) {},
	})
	m.compareAll(rt)
}

type model struct {
	a, b    store.Store
	place   Durable
	reopens bool
	clock   *clock
	held    []store.Lease // all that were ever given, newest last
	last    []*crawl.Outcome
	under   []store.Lease
}

func hostName(i int) crawl.Host       { return crawl.Host([]string{"a.example", "b.example", "a"}[i]) }
func hostShard(i int) crawl.Shard     { return crawl.ShardOf(hostName(i)) }
func clientName(i int) crawl.ClientID { return crawl.ClientID([]string{"m", "c", "x"}[i]) }

func draw(t *rapid.T, n int, label string) int { return rapid.IntRange(0, n-1).Draw(t, label) }

func drawHost(t *rapid.T) crawl.Host { return hostName(draw(t, 3, "host")) }

func drawURL(t *rapid.T) crawl.URL {
	return crawl.URL([]string{"http", "https"}[draw(t, 2, "scheme")] + "://" + string(drawHost(t)) + []string{"/", "/x", ":81/", "/\x00"}[draw(t, 4, "path")])
}

// drawTime gives one of few times around start, or none.
func drawTime(t *rapid.T) time.Time {
	n := draw(t, 6, "time")
	if n == 0 {
		return time.Time{}
	}
	return at(time.Duration(n-3) * time.Second / 2)
}

// answer compares what the two said and returns a's error.
func answer[T any](t *rapid.T, what string, f func(s store.Store) (T, error), m *model) (T, error) {
	x, errX := f(m.a)
	y, errY := f(m.b)
	if class(errX) != class(errY) {
		t.Fatalf("%s: errors differ:\n%v\n%v", what, errX, errY)
	}
	if errX == nil && !same(x, y) {
		t.Fatalf("%s differs:\n%+v\n%+v", what, x, y)
	}
	return x, errX
}

func class(err error) string {
	var f *store.FencedError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return fmt.Sprintf("fenced %+v", *f)
	case errors.Is(err, store.ErrNotLeased):
		return "not leased"
	case errors.Is(err, store.ErrInvalid):
		return "invalid"
	}
	return "other: " + err.Error()
}

func (m *model) acquire(t *rapid.T, worker string, shards []crawl.Shard) {
	d := time.Duration(1+draw(t, 4, "ttl")) * time.Second
	l, _ := answer(t, "Acquire", func(s store.Store) ([]store.Lease, error) { return s.Acquire(t.Context(), worker, shards, d) }, m)
	m.held = append(m.held, l...)
}

// leases gives some leases, mostly the newest of one worker.
func (m *model) leases(t *rapid.T) []store.Lease {
	newest := map[crawl.Shard]store.Lease{}
	for _, l := range m.held {
		newest[l.Shard] = l
	}
	var l []store.Lease
	for i := range 3 {
		if x, ok := newest[hostShard(i)]; ok && draw(t, 8, "leave out") > 0 {
			l = append(l, x)
		}
	}
	if len(m.held) > 0 && draw(t, 16, "old one") == 0 {
		l = append(l, m.held[draw(t, len(m.held), "which")])
	}
	return l
}

func (m *model) lease(t *rapid.T) {
	leases := m.leases(t)
	switch draw(t, 4, "what") {
	case 0:
		answer(t, "Release", func(s store.Store) (int, error) { return 0, s.Release(t.Context(), leases) }, m)
	case 1, 2:
		d := time.Duration(1+draw(t, 4, "ttl")) * time.Second
		answer(t, "Renew", func(s store.Store) ([]store.Lease, error) { return s.Renew(t.Context(), leases, d) }, m)
	}
	m.acquire(t, []string{"v", "w"}[draw(t, 2, "worker")], []crawl.Shard{hostShard(draw(t, 3, "shard")), hostShard(0)})
}

func (m *model) time(t *rapid.T) {
	m.clock.add(time.Duration(draw(t, 9, "quarters")) * time.Second / 4)
}

func (m *model) commit(t *rapid.T) {
	m.last = nil
	for range 1 + draw(t, 3, "outcomes") {
		m.last = append(m.last, drawOutcome(t))
	}
	m.under = m.leases(t)
	m.commitAgain(t)
}

func (m *model) commitAgain(t *rapid.T) {
	answer(t, "Commit", func(s store.Store) (store.Receipt, error) { return s.Commit(t.Context(), m.under, m.last) }, m)
}

func drawOutcome(t *rapid.T) *crawl.Outcome {
	o := &crawl.Outcome{}
	for range draw(t, 4, "discoveries") {
		o.Discovered = append(o.Discovered, crawl.Discovery{
			URL: drawURL(t), Client: clientName(draw(t, 3, "client")), Via: crawl.Via(draw(t, 3, "via")), Referrer: drawURL(t), Depth: draw(t, 3, "depth"),
			At: drawTime(t), Band: crawl.Band(draw(t, 3, "band")), Due: drawTime(t),
		})
	}
	has := func(what string) bool { return draw(t, 3, what) == 0 }
	if has("claim") {
		o.Claims = []crawl.Claim{{
			URL: drawURL(t), Client: clientName(draw(t, 3, "client")), LastMod: drawTime(t), At: drawTime(t), Sooner: drawTime(t),
			Band: crawl.Band(draw(t, 3, "band")), Later: drawTime(t), LaterAge: time.Duration(draw(t, 3, "age")) * time.Second,
		}}
	}
	if has("host") {
		o.Host = &crawl.HostRecord{Host: drawHost(t), Due: drawTime(t), Load: crawl.HostLoad{NotBefore: drawTime(t), Level: float64(draw(t, 3, "level"))}}
	}
	if has("robots") {
		o.Robots = []crawl.RobotsRecord{{Origin: drawURL(t).Origin(), Status: draw(t, 600, "status"), FetchedAt: drawTime(t)}}
	}
	if draw(t, 2, "page") == 0 {
		drawPage(t, o, has)
	}
	if has("event") {
		o.Events = []crawl.Event{{At: drawTime(t), Host: drawHost(t), Client: clientName(draw(t, 3, "client")), Bytes: int64(draw(t, 9, "bytes")), Sent: has("sent")}}
	}
	if has("document") {
		o.Document = &crawl.Document{URL: drawURL(t), At: drawTime(t), Client: clientName(draw(t, 3, "client"))}
	}
	return o
}

func drawPage(t *rapid.T, o *crawl.Outcome, has func(string) bool) {
	o.URL = drawURL(t)
	if !has("no visit") {
		o.Visit = &crawl.Visit{
			Client: clientName(draw(t, 3, "client")), Band: crawl.Band(draw(t, 3, "band")), Due: drawTime(t), LastCrawl: drawTime(t), Status: draw(t, 600, "status"),
			Crawls: uint32(draw(t, 2, "crawls")),
		}
		if draw(t, 50, "bad") == 0 {
			o.Visit.Band = crawl.Bands
		}
	}
	if has("index") {
		o.Index = &crawl.IndexChange{At: drawTime(t), To: crawl.Index{State: crawl.IndexState(draw(t, 5, "state")), Since: drawTime(t)}}
	}
	if has("canonical") {
		u := drawURL(t)
		o.Canonical = &u
	}
	if has("links") {
		o.Links = []uint32{1, 2, 3}[:draw(t, 4, "links")]
	}
}

func (m *model) due(t *rapid.T) {
	now, limit, leases := drawTime(t), draw(t, 5, "limit"), m.leases(t)
	hosts, _ := answer(t, "DueHosts", func(s store.Store) ([]crawl.HostRecord, error) { return s.DueHosts(t.Context(), leases, now, limit) }, m)
	client := append([]crawl.ClientID{""}, clientName(0), clientName(1), clientName(2))[draw(t, 4, "of client")]
	for _, h := range append(hosts, crawl.HostRecord{Host: drawHost(t)}) {
		answer(t, "DueURLs", func(s store.Store) ([]store.Due, error) { return s.DueURLs(t.Context(), h.Host, client, now, limit) }, m)
		answer(t, "NextDue", func(s store.Store) (time.Time, error) { return s.NextDue(t.Context(), h.Host, client) }, m)
	}
}

func (m *model) read(t *rapid.T) {
	u, after, limit := drawURL(t), uint64(draw(t, 4, "after")), draw(t, 3, "limit")
	answer(t, "URL", func(s store.Store) (crawl.URLRecord, error) { r, _, err := s.URL(t.Context(), u); return r, err }, m)
	answer(t, "Host", func(s store.Store) (crawl.HostRecord, error) {
		r, _, err := s.Host(t.Context(), u.Host())
		return r, err
	}, m)
	answer(t, "Known", func(s store.Store) ([]bool, error) {
		return s.Known(t.Context(), []crawl.URL{u, "http://a/", "http://b/"})
	}, m)
	answer(t, "Feed", func(s store.Store) ([]crawl.Document, error) {
		return s.Feed(t.Context(), crawl.ShardOf(u.Host()), after, limit)
	}, m)
	answer(t, "URLs", func(s store.Store) ([]crawl.URLRecord, error) {
		return collect(s.URLs(t.Context(), store.URLFilter{Host: u.Host()}))
	}, m)
}

func (m *model) reopen(t *rapid.T) {
	if !m.reopens || draw(t, 4, "reopen") > 0 {
		t.Skip("not now")
	}
	if err := m.b.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if m.b, err = m.place(m.clock.now); err != nil {
		t.Fatal(err)
	}
}

func (m *model) compareAll(t *rapid.T) {
	w, err := answer(t, "everything", func(s store.Store) (world, error) { return readWorld(context.Background(), s) }, m)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range w.Hosts { // what DueHosts must find is found
		next, nb := w.Next[i], h.Load.NotBefore
		if next.Before(nb) {
			next = nb
		}
		if !w.Next[i].IsZero() && (h.Due.IsZero() || h.Due.After(next)) {
			t.Fatalf("host %s has work at %s and is due at %s", h.Host, w.Next[i], h.Due)
		}
	}
}
