package scenarios

import (
	"math"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/simreport"
)

const day = 24 * time.Hour

// outcome is what the documentation, or a house choice where it gives no value,
// says of a scenario. A name starts with the row.
type outcome struct {
	name, scenario string
	holds          func(*simreport.Figures) bool
}

// within reports whether a time was reached between two.
func within(a simreport.After, least, most time.Duration) bool {
	d, ok := a.Value()
	return ok && d >= least && d <= most
}

// never reports that it was not reached.
func never(a simreport.After) bool {
	_, ok := a.Value()
	return !ok
}

// slowed reports that the limit of the hostname fell to a part of what it was.
func slowed(f *simreport.Figures, to float64) bool { return f.During.Lowest <= to*f.Before.Limit }

// steady reports that the limit stayed.
func steady(f *simreport.Figures) bool { return f.During.Lowest >= 0.9*f.Before.Limit }

// only reports that URLs came into a state by these rows and no others.
func only(f *simreport.Figures, to crawl.IndexState, rows ...string) bool {
	n := 0
	for _, c := range f.Changes {
		if c.To != to {
			continue
		}
		n++
		ok := false
		for _, r := range rows {
			ok = ok || r == c.Row
		}
		if !ok {
			return false
		}
	}
	return n > 0
}

func (f outcome) test(t *testing.T) {
	r := played(t, f.scenario)
	if !f.holds(r.figures) {
		t.Errorf("%s: it is not so: before %+v, while it lasted %+v, most %+v, fewest %d, changes %v", f.scenario, r.figures.Before, r.figures.During, r.figures.Peak, r.figures.Least, r.figures.Changes)
	}
}

// TestOutcomes holds the figures of the scenarios to what the documentation states.
func TestOutcomes(t *testing.T) {
	for _, o := range []outcome{
		{"E1/a healthy site is crawled as demand has it", "healthy", func(f *simreport.Figures) bool { return math.Abs(f.During.Requests-10.2) < 1 && f.Lost == 0 }},
		{"E3/503 slows at once", "outage-503-6h", func(f *simreport.Figures) bool {
			return slowed(f, 0.1) && within(f.FirstCut, 0, time.Hour) && f.During.Requests < f.Before.Requests/2
		}},
		{"F7/503 for hours removes nothing", "outage-503-6h", func(f *simreport.Figures) bool {
			return never(f.Removed) && f.Peak.Preserved > 0 && only(f, crawl.IndexPreserved, "F7") && f.Lost == 0
		}},
		{"E4/after 503 the rate recovers", "outage-503-6h", func(f *simreport.Figures) bool { return within(f.RateBack, 0, 6*time.Hour) }},
		{"F7/503 preserves for days, then removes", "outage-503-14d", func(f *simreport.Figures) bool {
			return within(f.Removed, 5*day, 7*day) && only(f, crawl.IndexRemoved, "F7") && f.Peak.Preserved == 61
		}},
		{"E4/under lasting 503 it never stops asking", "outage-503-14d", func(f *simreport.Figures) bool { return f.During.Requests > 0.5 && within(f.URLsBack, 0, 2*day) }},
		{"E8/a rate limiter is hardly ever met", "rate-limiter-429", func(f *simreport.Figures) bool {
			return f.During.Responses[crawl.ResponseClientError.String()]*50 < int(f.Fetches) && never(f.Removed)
		}},
		{"E6/a wall of 403 leaves the rate alone", "wall-403", steady},
		{"F6/a wall of 403 removes URLs when they are asked for", "wall-403", func(f *simreport.Figures) bool {
			return within(f.Removed, 0, 6*time.Hour) && f.Peak.Removed == 61 && only(f, crawl.IndexRemoved, "F6") && f.Peak.Preserved == 0
		}},
		{"H4/what was behind a wall comes back slowly", "wall-403", func(f *simreport.Figures) bool { return within(f.URLsBack, day, 16*day) }},
		{"F8/silence for two days is just survived", "silent-drop-2d", func(f *simreport.Figures) bool { return never(f.Removed) && only(f, crawl.IndexPreserved, "F8") }},
		{"E4/timeouts slow at once", "silent-drop-5d", func(f *simreport.Figures) bool { return slowed(f, 0.1) && within(f.FirstCut, 0, time.Hour) }},
		{"F8/timeouts remove within days", "silent-drop-5d", func(f *simreport.Figures) bool {
			return within(f.Removed, 2*day, 4*day) && only(f, crawl.IndexRemoved, "F8")
		}},
		{"C4/silence stops the crawl for twelve hours", "silent-drop-2d", func(f *simreport.Figures) bool { return f.During.Abandoned > 50 }},
		{"E4/DNS failures slow at once", "dns-outage", func(f *simreport.Figures) bool { return slowed(f, 0.1) && f.Lost == 0 }},
		{"C6/requests that were not made are counted", "dns-outage", func(f *simreport.Figures) bool {
			return f.During.Abandoned > 50 && f.During.Responses[crawl.ResponseDNSUnresponsive.String()] > 20
		}},
		{"C4/robots.txt down, homepage up: crawled on", "robots-503-45d", func(f *simreport.Figures) bool {
			return f.During.Abandoned > 20 && f.During.Abandoned < 500 && f.During.Requests > 3 && f.Lost == 0
		}},
		{"C7/without restriction the disallowed are crawled", "robots-503-45d", func(f *simreport.Figures) bool { return f.Peak.Passed == 71 }},
		{"C4/robots.txt and homepage down: stopped after 30 days", "robots-503-45d-home-down", func(f *simreport.Figures) bool { return f.During.Abandoned > 1000 && f.Peak.Passed == 61 }},
		{"C4/no copy: no restriction after twelve hours", "robots-503-45d-no-copy", func(f *simreport.Figures) bool { return f.Peak.Passed == 71 && f.During.Abandoned < 400 }},
		{"C4/no copy, homepage down: stopped after 30 days", "robots-503-45d-no-copy-home-down", func(f *simreport.Figures) bool { return f.During.Abandoned > 1000 }},
		{"E3/twice as slow lowers the limit, and it recovers", "slow-server", func(f *simreport.Figures) bool {
			return slowed(f, 0.8) && f.During.Requests < f.Before.Requests && within(f.RateBack, 0, 2*time.Hour)
		}},
		{"E3/one in five failing slows all", "one-in-five-fails", func(f *simreport.Figures) bool { return slowed(f, 0.5) && f.Least >= 50 }},
		{"F7/one in five failing removes those only", "one-in-five-fails", func(f *simreport.Figures) bool {
			return within(f.Removed, 5*day, 7*day) && f.Peak.Removed < 20 && f.Peak.Removed == f.Peak.Preserved
		}},
		{"F11/an error text under 200 is one cluster", "error-text-200", func(f *simreport.Figures) bool {
			return steady(f) && f.Peak.Excluded == 10_001 && only(f, crawl.IndexExcluded, "F10", "F11") && never(f.Removed)
		}},
		{"F11/the cluster recovers slowly", "error-text-200", func(f *simreport.Figures) bool { return within(f.URLsBack, 20*day, 35*day) }},
		{"F10/error messages under 200 are excluded and nothing slows", "soft-404-wave", func(f *simreport.Figures) bool {
			return steady(f) && f.Peak.Excluded > 80 && f.Peak.Excluded < 120 && only(f, crawl.IndexExcluded, "F10") && never(f.Removed) && f.Lost == 0
		}},
		{"H4/soft 404s keep costing", "soft-404-wave", func(f *simreport.Figures) bool { return f.During.Requests > 0.8*f.Before.Requests }},
		{"F10/they are back within days of having content", "soft-404-wave", func(f *simreport.Figures) bool { return within(f.URLsBack, day, 4*day) }},
		{"H3/old URLs of a move are asked for more often", "site-move-301", func(f *simreport.Figures) bool {
			return f.During.Requests > 2*f.Before.Requests && f.During.Requests < 5*f.Before.Requests
		}},
		{"F4/moved URLs are excluded", "site-move-301", func(f *simreport.Figures) bool { return f.Peak.Excluded == 501 && only(f, crawl.IndexExcluded, "F4") }},
		{"H3/new URLs of a move are wanted at once", "site-move-301", func(f *simreport.Figures) bool {
			return len(f.Others) == 1 && f.Others[0].Index.Passed == 501 && within(f.Others[0].Reached, 0, day)
		}},
		{"F6/404 removes without slowing", "gone-404", func(f *simreport.Figures) bool {
			return steady(f) && only(f, crawl.IndexRemoved, "F6") && f.Peak.Removed > 20
		}},
		{"H5/AdsBot comes back after its cycle", "adsbot-spike", func(f *simreport.Figures) bool {
			return f.During.Clients[crawl.ClientAdsBot.String()] == 2*1201+2 || f.During.Clients[crawl.ClientAdsBot.String()] == 2*1201
		}},
		{"E5/a spike stays within the hostname's limit", "adsbot-spike", func(f *simreport.Figures) bool { return f.During.Limit <= 0.02 && f.Lost == 0 }},
		{"B1/421 ends HTTP/2, once and for all", "http2-opt-out", func(f *simreport.Figures) bool {
			return f.OptOut && f.Before.HTTP2 > 1000 && f.During.HTTP2 == 0 && f.During.Refused >= 1 && f.During.Refused <= 3 && f.Lost == 0
		}},
		{"J4/new names cost a load each", "deploy-asset-names", func(f *simreport.Figures) bool {
			return f.During.Resources > 3*f.Before.Resources && f.During.Clients[crawl.ClientResource.String()] >= 3600
		}},
		{"D3/a calendar without end is pruned", "calendar-9999", func(f *simreport.Figures) bool {
			return len(f.Traps) > 0 && f.Fetches < 1000 && f.During.Index.Passed >= 201
		}},
	} {
		t.Run(o.name, o.test)
	}
}

// TestF6GoneAndNotFoundAreAlike: the figures of 404 and 410 are the same.
func TestF6GoneAndNotFoundAreAlike(t *testing.T) {
	c := simreport.Compare(played(t, "gone-404").figures, played(t, "gone-410").figures)
	if !c.Identity {
		t.Errorf("they differ in %v", c.Differ)
	}
}

// TestF7F8WhatRemovesSooner: 403 at once, timeouts sooner than 503.
func TestF7F8WhatRemovesSooner(t *testing.T) {
	var at []time.Duration
	for _, name := range []string{"wall-403", "silent-drop-5d", "outage-503-14d"} {
		d, ok := played(t, name).figures.Removed.Value()
		if !ok {
			t.Fatalf("%s removes nothing", name)
		}
		at = append(at, d)
	}
	if !(at[0] < at[1] && at[1] < at[2]) {
		t.Errorf("403 after %s, timeouts after %s, 503 after %s", at[0], at[1], at[2])
	}
}
