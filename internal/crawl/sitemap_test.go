package crawl

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestD2ModifiedAfter(t *testing.T) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		lastMod        time.Time
		after, certain bool
	}{
		"later":              {noon.Add(time.Second), true, true},
		"the same moment":    {noon, false, true},
		"earlier that day":   {noon.Add(-time.Hour), false, true},
		"that day":           {noon.Truncate(24 * time.Hour), true, false},
		"the day before":     {noon.Truncate(24*time.Hour).AddDate(0, 0, -1), false, true},
		"the next day":       {noon.Truncate(24*time.Hour).AddDate(0, 0, 1), true, true},
		"midnight elsewhere": {noon.Add(-2 * time.Hour), false, true},
	} {
		if after, certain := ModifiedAfter(tc.lastMod, noon); after != tc.after || certain != tc.certain {
			t.Errorf("%s: %v, certain %v", name, after, certain)
		}
	}
}

func TestD2ClaimMoves(t *testing.T) {
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	healthy := Visit{Crawls: 1, LastCrawl: at(0), Due: at(10), Band: 4}
	for name, tc := range map[string]struct {
		c    Claim
		due  int
		band Band
	}{
		"newer":                     {Claim{LastMod: at(1), Sooner: at(5), Band: 2}, 5, 2},
		"newer, due before anyway":  {Claim{LastMod: at(1), Sooner: at(11), Band: 2}, 10, 4},
		"newer, not believed":       {Claim{LastMod: at(1), Later: at(20), LaterAge: 99 * time.Hour}, 10, 4},
		"on the day of the crawl":   {Claim{LastMod: at(-12), Sooner: at(5), Band: 2, Later: at(20), LaterAge: 99 * time.Hour}, 5, 2},
		"unchanged":                 {Claim{LastMod: at(-1), Sooner: at(5), Later: at(20), LaterAge: 99 * time.Hour}, 20, 4},
		"unchanged, to the bound":   {Claim{LastMod: at(-1), Later: at(20), LaterAge: 15 * time.Hour}, 15, 4},
		"unchanged, bound is past":  {Claim{LastMod: at(-1), Later: at(20), LaterAge: time.Hour}, 10, 4},
		"unchanged, not believed":   {Claim{LastMod: at(-1), Sooner: at(5)}, 10, 4},
		"unchanged, due later then": {Claim{LastMod: at(-1), Later: at(9), LaterAge: 99 * time.Hour}, 10, 4},
	} {
		tc.c.At = at(2)
		if v, changed := tc.c.Apply(healthy); v.Due != at(tc.due) || v.Band != tc.band || !changed || v.LastMod != tc.c.LastMod || v.LastModAt != at(2) {
			t.Errorf("%s: due %s, band %d", name, v.Due, v.Band)
		}
	}
}

// TestD2ClaimProperties: a claim never takes a URL out of its queue, nor moves one
// that failed, is disallowed or was not crawled; applied again it does nothing.
func TestD2ClaimProperties(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		date := func(label string) time.Time {
			if h := rapid.IntRange(-100, 101).Draw(rt, label); h <= 100 {
				return start.Add(time.Duration(h) * time.Hour)
			}
			return time.Time{}
		}
		v := Visit{
			Crawls: rapid.Uint32Range(0, 2).Draw(rt, "crawls"), Failures: rapid.Uint32Range(0, 1).Draw(rt, "failures"), Robots: rapid.Bool().Draw(rt, "robots"),
			Due: date("due"), LastCrawl: date("crawled"), Band: 4, LastMod: date("was"), LastModAt: date("was read"),
		}
		c := Claim{LastMod: date("lastmod"), At: date("at"), Sooner: date("sooner"), Band: 2, Later: date("later"), LaterAge: time.Duration(rapid.IntRange(0, 50).Draw(rt, "age")) * time.Hour}
		w, changed := c.Apply(v)
		if again, twice := c.Apply(w); twice || again.Due != w.Due {
			rt.Fatalf("applied twice: %+v", again)
		}
		still := v.Crawls == 0 || v.Failures > 0 || v.Robots || v.Due.IsZero()
		switch {
		case c.At.Before(v.LastModAt) && changed, !changed && w.Due != v.Due:
			rt.Fatalf("an older claim, or none, did something: %+v", w)
		case still && (w.Due != v.Due || w.Band != v.Band), !v.Due.IsZero() && w.Due.IsZero():
			rt.Fatalf("moved: %+v to %+v", v, w)
		case w.Due.Before(v.Due) && (w.Due != c.Sooner || w.Band != c.Band):
			rt.Fatalf("sooner, and not to the place of the claim: %+v", w)
		case w.Due.After(v.Due) && (w.Due.After(c.Later) || w.Due.After(v.LastCrawl.Add(c.LaterAge))):
			rt.Fatalf("later than the claim says: %+v", w)
		case w.LastCrawl != v.LastCrawl || w.Crawls != v.Crawls:
			rt.Fatalf("something else changed: %+v", w)
		}
	})
}
