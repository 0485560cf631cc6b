package lastmod

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

const day = 24 * time.Hour

func noon(n int) time.Time {
	return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * day)
}

// told is a crawl whose sitemap told of a change.
func told(n int, changed bool) Crawl {
	return Crawl{LastMod: noon(n).Add(time.Hour), Read: noon(n + 6), Before: noon(n), Now: noon(n + 7), Changed: changed, Crawls: 10, Changes: 1}
}

// still is a crawl whose sitemap said that nothing had changed.
func still(n int, changed bool) Crawl {
	c := told(n, changed)
	c.LastMod = noon(n - 3).Add(time.Hour)
	return c
}

func TestD2Observe(t *testing.T) {
	for name, tc := range map[string]struct {
		c             Crawl
		counts        bool
		newer, stands int // right answers in a row until believed; -1 = never
	}{
		"told and found":        {told(0, true), true, 9, 7},
		"told and not found":    {told(0, false), true, -1, -1},
		"not told and found":    {still(0, true), true, -1, -1},
		"not told, not found":   {still(0, false), false, -1, -1},
		"no lastmod":            {Crawl{Read: noon(6), Before: noon(0), Now: noon(7), Crawls: 1}, false, -1, -1},
		"read before the crawl": {Crawl{LastMod: noon(-1), Read: noon(-1), Before: noon(0), Now: noon(7), Changed: true, Crawls: 1}, false, -1, -1},
		"never crawled":         {Crawl{LastMod: noon(1), Read: noon(1), Now: noon(7), Changed: true}, false, -1, -1},
		"the day of the crawl":  {Crawl{LastMod: noon(0).Truncate(day), Read: noon(1), Before: noon(0), Now: noon(7), Changed: true, Crawls: 1}, false, -1, -1},
		"clock goes back":       {Crawl{LastMod: noon(1), Read: noon(1), Before: noon(0), Now: noon(-7), Changed: true, Crawls: 1}, false, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			var trust crawl.LastModTrust
			newer, stands := -1, -1
			for n := 1; n <= 30; n++ {
				next, ok := Observe(trust, tc.c)
				if ok != tc.counts || !ok && next != trust {
					t.Fatalf("counts: %v, want %v", ok, tc.counts)
				}
				trust = next
				v := Judge(trust, tc.c.Now)
				if v.Newer && newer < 0 {
					newer = n
				}
				if v.Unchanged && stands < 0 {
					stands = n
				}
			}
			if newer != tc.newer || stands != tc.stands {
				t.Errorf("believed after %d and %d, want %d and %d: %s", newer, stands, tc.newer, tc.stands, Judge(trust, tc.c.Now).Reason)
			}
		})
	}
}

func TestD2Case28BadDates(t *testing.T) {
	var trust crawl.LastModTrust
	for n := range 20 {
		trust, _ = Observe(trust, told(n, true))
	}
	if v := Judge(trust, noon(30)); !v.Newer {
		t.Fatalf("twenty right answers: %s", v.Reason)
	}
	few := trust
	for n := range 30 {
		few = Dates(few, 1000, 1, noon(30+n))
	}
	if v := Judge(few, noon(60)); !v.Newer || v.BadDates != 1 {
		t.Errorf("one date in a thousand: %+v", v)
	}
	for n := range 3 {
		trust = Dates(trust, 100, 100, noon(30+n))
	}
	if v := Judge(trust, noon(33)); v.Newer || v.Unchanged {
		t.Errorf("three sitemaps from the future: %+v", v)
	}
	if Plausible(noon(2), noon(0)) || !Plausible(noon(0).Add(20*time.Hour), noon(0)) {
		t.Error("future")
	}
	if got := Dates(trust, 0, 0, noon(99)); got != trust {
		t.Error("a sitemap without dates changed something")
	}
}

// TestD2Lost: a host that was believed and begins to bump its dates is not
// believed any more within twenty crawls, and not for ever.
func TestD2Lost(t *testing.T) {
	var trust crawl.LastModTrust
	n := 0
	for ; n < 200; n++ {
		trust, _ = Observe(trust, told(n, true))
	}
	bumps := 0
	for ; Judge(trust, noon(n)).Newer; n++ {
		trust, _ = Observe(trust, told(n, false))
		bumps++
	}
	if bumps > 20 || bumps < 3 {
		t.Errorf("lost after %d bumps", bumps)
	}
	for range 50 {
		n++
		trust, _ = Observe(trust, told(n, true))
	}
	if !Judge(trust, noon(n)).Newer {
		t.Error("never believed again")
	}
	if Judge(trust, noon(n+3650)).Newer {
		t.Error("ten years later it is still believed")
	}
}

// simulate crawls sixty pages a week whose content changes with probability
// rate; the sitemap, read at some time between, tells of a change that was there
// with probability tells, and of one that was not with probability lies.
func simulate(rnd *rand.Rand, crawls int, rate, tells, lies float64) crawl.LastModTrust {
	var trust crawl.LastModTrust
	for i := range crawls {
		before := noon(7 * (i / 60))
		now := before.Add(7 * day)
		read := before.Add(time.Duration(rnd.Float64() * float64(7*day)))
		c := Crawl{LastMod: before.Add(-30 * day), Read: read, Before: before, Now: now, Crawls: 20, Changes: uint32(20 * rate)}
		if at := before.Add(time.Duration(rnd.Float64() * float64(7*day))); rnd.Float64() < rate {
			c.Changed = true
			if at.Before(read) && rnd.Float64() < tells {
				c.LastMod = at
			}
		}
		if !c.LastMod.After(before) && rnd.Float64() < lies {
			c.LastMod = before.Add(time.Minute)
		}
		trust, _ = Observe(trust, c)
	}
	return trust
}

func TestD2Hosts(t *testing.T) {
	for name, tc := range map[string]struct {
		rate, tells, lies float64
		newer, unchanged  bool
	}{
		"honest":                      {0.3, 1, 0, true, true},
		"honest, rare changes":        {0.05, 1, 0, true, true},
		"bumped every day":            {0.05, 1, 1, false, true},
		"bumped, changes often":       {0.4, 1, 1, false, true},
		"never updated":               {0.3, 0, 0, false, false},
		"tells of half":               {0.3, 0.5, 0, true, false},
		"random":                      {0.3, 0.3, 0.5, false, false},
		"dynamic: always changed":     {1, 0, 1, false, false},
		"nearly honest, lies 1 in 20": {0.4, 0.95, 0.02, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			right := 0
			const seeds = 20
			for seed := range uint64(seeds) {
				trust := simulate(rand.New(rand.NewPCG(seed, 1)), 3000, tc.rate, tc.tells, tc.lies)
				v := Judge(trust, trust.At)
				// A sitemap that names every page new tells of all changes: whether
				// the rest may wait is then no question, there is no rest.
				if v.Newer == tc.newer && (v.Unchanged == tc.unchanged || tc.lies == 1) {
					right++
				}
			}
			if right < seeds*9/10 {
				t.Errorf("right for %d of %d seeds", right, seeds)
			}
		})
	}
}

// TestD2RandomHistories: whatever happens, the state stays in its bounds, and
// neither time nor a wrong answer makes anybody more credible.
func TestD2RandomHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var trust crawl.LastModTrust
		date := func(name string) time.Time {
			return noon(0).Add(time.Duration(rapid.Int64Range(-int64(400*day), int64(400*day)).Draw(rt, name)))
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			was := trust
			if rapid.Bool().Draw(rt, "sitemap") {
				n := rapid.IntRange(-1, 100).Draw(rt, "dates")
				trust = Dates(trust, n, rapid.IntRange(-1, 200).Draw(rt, "bad"), date("now"))
			} else {
				c := Crawl{
					LastMod: date("lastmod"), Read: date("read"), Before: date("before"), Now: date("now"), Changed: rapid.Bool().Draw(rt, "changed"),
					Crawls: rapid.Uint32().Draw(rt, "crawls"), Changes: rapid.Uint32().Draw(rt, "changes"),
				}
				var ok bool
				trust, ok = Observe(trust, c)
				after, _ := crawl.ModifiedAfter(c.LastMod, c.Before)
				if ok && after && !c.Changed && Judge(trust, trust.At).TrueLow > Judge(was, trust.At).TrueLow+1e-9 {
					rt.Fatalf("a lie made it more credible: %+v to %+v", was, trust)
				}
			}
			for _, x := range []float64{trust.True, trust.False, trust.Told, trust.Untold} {
				if !(x >= 0) || math.IsInf(x, 0) {
					rt.Fatalf("weights %+v", trust)
				}
			}
			if trust.True+trust.False > MaxWeight+1e-9 || trust.Told+trust.Untold > MaxWeight+1e-9 {
				rt.Fatalf("more weight than allowed: %+v", trust)
			}
			if trust.At.Before(was.At) {
				rt.Fatalf("time goes back")
			}
			v := Judge(trust, trust.At)
			if v.TrueLow > v.True || v.Newer != (v.TrueLow >= Threshold) || v.Reason == "" {
				rt.Fatalf("%+v", v)
			}
		}
	})
}
