package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// ladderOrigin is one scheme, host and port of the hostname that the ladder is
// climbed on, with its fate.
type ladderOrigin struct {
	name   string
	origin string
	copied bool // robots.txt could be had once
	home   bool // the homepage answers while robots.txt does not
	failed time.Time
}

const (
	ladderFails    = 3 * 24 * time.Hour  // robots.txt fails from here on
	ladderRecovers = 43 * 24 * time.Hour // and is back
	ladderEnd      = 45 * 24 * time.Hour
)

// down reports whether robots.txt fails at a time.
func (o *ladderOrigin) down(now time.Time) bool {
	d := now.Sub(t0)
	return o.name != "healthy" && d < ladderRecovers && (!o.copied || d >= ladderFails)
}

func (o *ladderOrigin) answer(u crawl.URL, now time.Time) answer {
	switch {
	case u.Path() == "/robots.txt" && o.down(now):
		if u.Scheme() == "ftp" {
			return answer{failure: crawl.FailConnectTimeout}
		}
		return answer{status: 503, body: "User-agent: *\nAllow: /\n"}
	case u.Path() == "/robots.txt":
		return text("User-agent: *\nDisallow: /private/\n")
	case u.Path() == "/" && o.down(now) && !o.home:
		return answer{status: 503}
	}
	return page()
}

// TestC1C3C4C5C6LadderOf45Days climbs the whole ladder in virtual time, on five
// origins of one hostname at once: each has its own robots.txt and its own clock
// (C1). New pages come up everywhere each six hours, half of them disallowed.
func TestC1C3C4C5C6LadderOf45Days(t *testing.T) {
	const host = "a.example"
	origins := []*ladderOrigin{
		{name: "copy, homepage up", origin: "https://" + host, copied: true, home: true},
		{name: "copy, homepage down", origin: "http://" + host, copied: true},
		{name: "no copy, homepage up", origin: "http://" + host + ":8080", home: true},
		{name: "no copy, homepage down", origin: "ftp://" + host},
		{name: "healthy", origin: "https://" + host + ":8443", copied: true, home: true},
	}
	of := func(u crawl.URL) *ladderOrigin {
		for _, o := range origins {
			if string(u.Origin()) == o.origin {
				return o
			}
		}
		t.Fatalf("asked for %s", u)
		return nil
	}
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		o := of(u)
		if u.Path() == "/robots.txt" && o.down(now) && o.failed.IsZero() {
			o.failed = now
		}
		return o.answer(u, now)
	}).start()
	// The hostname's shard is enough, and all of them cost more than the test.
	b.leases = slices.DeleteFunc(b.leases, func(l store.Lease) bool { return l.Shard != crawl.ShardOf(host) })
	for n := 0; b.now.Before(t0.Add(ladderEnd)); n++ {
		var fresh []crawl.URL
		for _, o := range origins {
			fresh = append(fresh, crawl.URL(fmt.Sprintf("%s/page/%d", o.origin, n)), crawl.URL(fmt.Sprintf("%s/private/%d", o.origin, n)))
		}
		var err error
		if b.leases, err = b.st.Renew(t.Context(), b.leases, 1000*time.Hour); err != nil {
			t.Fatal(err)
		}
		b.commit(b.cfg.Seed(fresh, b.now))
		b.findHosts()
		end := t0.Add(time.Duration(n+1) * 6 * time.Hour)
		b.run(end)
		b.now = end
	}
	for _, o := range origins {
		t.Run(o.name, func(t *testing.T) {
			if o.name == "healthy" {
				b.expectHealthy(t, o)
				return
			}
			b.expectLadder(t, o)
		})
	}
}

// tally is what happened at an origin in a span of time.
type tally struct{ pages, private, homepage, robots, abandoned int }

func (b *bench) tally(o *ladderOrigin, from, to time.Time) (n tally) {
	in := func(u crawl.URL, at time.Time) bool {
		return string(u.Origin()) == o.origin && !at.Before(from) && at.Before(to)
	}
	for _, s := range b.log {
		switch path := s.url.Path(); {
		case !in(s.url, s.at):
		case path == "/robots.txt":
			n.robots++
		case path == "/":
			n.homepage++
		case strings.HasPrefix(path, "/private/"):
			n.private++
		default:
			n.pages++
		}
	}
	for _, e := range b.events {
		if e.Response == crawl.ResponseRobotsUnavailable && in(e.URL, e.At) && !e.Sent {
			n.abandoned++
		}
	}
	return n
}

// span is a bound on a figure.
type span struct{ least, most int }

func within(t *testing.T, when, what string, got int, want span) {
	t.Helper()
	if got < want.least || got > want.most {
		t.Errorf("%s: %s %d, want %d to %d", when, what, got, want.least, want.most)
	}
}

const unbounded = 1 << 30

func (b *bench) expectHealthy(t *testing.T, o *ladderOrigin) {
	all := b.tally(o, t0, t0.Add(ladderEnd))
	within(t, "C1/its neighbours' trouble is not its own", "pages", all.pages, span{175, unbounded})
	within(t, "C1/its neighbours' trouble is not its own", "disallowed pages", all.private, span{0, 0})
	within(t, "C5/once a day", "robots.txt", all.robots, span{40, 46})
	within(t, "C6", "abandoned", all.abandoned, span{0, 0})
}

func (b *bench) expectLadder(t *testing.T, o *ladderOrigin) {
	const day = 24 * time.Hour
	none, some := span{0, 0}, span{1, unbounded}
	t.Logf("robots.txt fails from %s", o.failed.Sub(t0))
	at := func(d time.Duration) time.Time { return o.failed.Add(d) }
	if o.copied {
		before := b.tally(o, t0, o.failed)
		within(t, "C5/good and fresh", "pages", before.pages, span{10, unbounded})
		within(t, "C5/good and fresh", "disallowed pages", before.private, none)
		within(t, "C5/good and fresh", "robots.txt", before.robots, span{3, 4})
		if d := o.failed.Sub(t0); d < ladderFails || d > ladderFails+day {
			t.Errorf("C5/a fresh copy is used for up to a day: first failure after %s", d)
		}
	}
	first := b.tally(o, at(0), at(12*time.Hour))
	within(t, "C4/first 12 h", "pages", first.pages+first.private+first.homepage, none)
	within(t, "C4/first 12 h", "robots.txt", first.robots, span{8, 40})
	within(t, "C6/first 12 h", "abandoned", first.abandoned, some)

	month := b.tally(o, at(13*time.Hour), at(30*day))
	private := some
	if o.copied {
		private = none // the copy says so
	}
	within(t, "C4/until 30 days", "pages", month.pages, span{110, unbounded})
	within(t, "C4/until 30 days", "disallowed pages", month.private, private)
	within(t, "C4/until 30 days", "robots.txt", month.robots, span{29, 30 * 25})
	within(t, "C6/until 30 days", "abandoned", month.abandoned, none)

	back := t0.Add(ladderRecovers)
	late := b.tally(o, at(31*day), back)
	within(t, "C4/after 30 days", "robots.txt", late.robots, span{7, 13})
	within(t, "C4/after 30 days", "homepage", late.homepage, span{7, 13})
	if o.home {
		within(t, "C4/after 30 days, homepage up", "pages", late.pages, span{25, unbounded})
		within(t, "C4/after 30 days, homepage up", "disallowed pages", late.private, some)
		within(t, "C6/after 30 days, homepage up", "abandoned", late.abandoned, none)
	} else {
		within(t, "C4/after 30 days, homepage down", "pages", late.pages+late.private, none)
		within(t, "C6/after 30 days, homepage down", "abandoned", late.abandoned, some)
	}
	after := b.tally(o, back.Add(day+time.Hour), t0.Add(ladderEnd))
	within(t, "C3/back", "pages", after.pages, some)
	within(t, "C3/back", "disallowed pages", after.private, none)
	within(t, "C6/back", "abandoned", after.abandoned, none)
}
