package egress_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
	"trawl/internal/egress"
)

const day = 24 * time.Hour

func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func status(n int) *crawl.Result { return &crawl.Result{Status: n} }

func failed(c crawl.FailureClass) *crawl.Result {
	return &crawl.Result{Failure: &crawl.Failure{Class: c}}
}

// host plays sessions of one hostname: answers says what each region gets.
type host struct {
	plan    egress.Plan
	rec     crawl.EgressRecord
	answers map[string]*crawl.Result
	asks    int
}

// session returns the region that the session began from.
func (h *host) session(now time.Time) string {
	p := egress.DefaultParams()
	h.rec = egress.Begin(p, h.plan, h.rec, now)
	first := egress.For(h.plan, h.rec, "https")
	for range h.asks {
		from := egress.For(h.plan, h.rec, "https")
		h.rec = egress.Observe(p, h.plan, h.rec, from, h.answers[from], true, now)
	}
	return first
}

func (h *host) days(from, to int) []string {
	var got []string
	for d := from; d < to; d++ {
		got = append(got, h.session(start().Add(time.Duration(d)*day)))
	}
	return got
}

func TestB10RegionsOfABlockingHost(t *testing.T) {
	ok, no := status(200), status(403)
	for name, c := range map[string]struct {
		answers map[string]*crawl.Result
		want    []string
	}{
		"answered":     {map[string]*crawl.Result{"": ok}, []string{"", "", "", "", "", "", "", "", "", ""}},
		"blocks home":  {map[string]*crawl.Result{"": no, "eu": ok}, []string{"", "", "eu", "eu", "eu", "eu", "eu", "eu", "", "eu"}},
		"blocks two":   {map[string]*crawl.Result{"": no, "eu": no, "us": ok}, []string{"", "", "eu", "us", "us", "us", "us", "us", "", "us"}},
		"blocks all":   {map[string]*crawl.Result{"": no, "eu": no, "us": no}, []string{"", "", "eu", "us", "", "", "", "", "", "eu"}},
		"proxy fails":  {map[string]*crawl.Result{"": no, "eu": failed(crawl.FailProxy), "us": ok}, []string{"", "", "eu", "us", "us", "us", "us", "us", "", "us"}},
		"does not say": {map[string]*crawl.Result{"": status(500)}, []string{"", "", "", "", "", "", "", "", "", ""}},
		"no answer":    {map[string]*crawl.Result{"": failed(crawl.FailConnectTimeout), "eu": ok}, []string{"", "", "eu", "eu", "eu", "eu", "eu", "eu", "", "eu"}},
		"no DNS":       {map[string]*crawl.Result{"": failed(crawl.FailDNS)}, []string{"", "", "", "", "", "", "", "", "", ""}},
	} {
		t.Run("B10/"+name, func(t *testing.T) {
			h := host{plan: egress.Plan{Others: []string{"eu", "us"}}, answers: c.answers, asks: 6}
			if got := h.days(0, len(c.want)); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestB10HomeAnswersAgain: the retry that is answered ends the exile.
func TestB10HomeAnswersAgain(t *testing.T) {
	h := host{plan: egress.Plan{Home: "eu", Others: []string{"us"}}, answers: map[string]*crawl.Result{"eu": status(451), "us": status(200)}, asks: 5}
	h.days(0, 5)
	h.answers["eu"] = status(200)
	if got, want := h.days(5, 12), []string{"us", "us", "us", "eu", "eu", "eu", "eu"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestB10EvidenceOfASession(t *testing.T) {
	plan := egress.Plan{Others: []string{"eu"}}
	t.Run("B10/few requests add up", func(t *testing.T) {
		h := host{plan: plan, answers: map[string]*crawl.Result{"": status(403), "eu": status(200)}, asks: 3}
		if got, want := h.days(0, 5), []string{"", "", "", "", "eu"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("B10/one page is enough", func(t *testing.T) {
		h := host{plan: plan, answers: map[string]*crawl.Result{"": status(403)}, asks: 9}
		for d := range 5 {
			h.rec = egress.Observe(egress.DefaultParams(), plan, h.rec, "", status(404), true, start())
			if got := h.session(start().Add(time.Duration(d) * day)); got != "" {
				t.Fatalf("day %d: from %q", d, got)
			}
			h.rec = egress.Observe(egress.DefaultParams(), plan, h.rec, "", status(404), true, start())
		}
	})
	t.Run("B10/robots.txt is not", func(t *testing.T) {
		h := host{plan: plan, answers: map[string]*crawl.Result{"": status(403), "eu": status(200)}, asks: 9}
		for d := range 2 {
			h.session(start().Add(time.Duration(d) * day))
			h.rec = egress.Observe(egress.DefaultParams(), plan, h.rec, "", status(200), false, start())
		}
		if got := h.session(start().Add(2 * day)); got != "eu" {
			t.Errorf("from %q", got)
		}
	})
	t.Run("B10/a session is at least an hour", func(t *testing.T) {
		h := host{plan: plan, answers: map[string]*crawl.Result{"": status(403)}, asks: 9}
		for m := range 50 {
			if got := h.session(start().Add(time.Duration(m) * time.Minute)); got != "" {
				t.Fatalf("minute %d: from %q", m, got)
			}
		}
	})
	t.Run("B10/FTP stays at home", func(t *testing.T) {
		if got := egress.For(plan, crawl.EgressRecord{Choice: "eu"}, "ftp"); got != "" {
			t.Errorf("from %q", got)
		}
	})
}

// TestB10OffWithoutRegions: with nothing to try, nothing is recorded.
func TestB10OffWithoutRegions(t *testing.T) {
	for _, home := range []string{"", "eu"} {
		h := host{plan: egress.Plan{Home: home}, answers: map[string]*crawl.Result{home: status(403)}, asks: 50}
		for _, got := range h.days(0, 30) {
			if got != home {
				t.Fatalf("from %q, want %q", got, home)
			}
		}
		if want := (crawl.EgressRecord{Choice: home}); !reflect.DeepEqual(h.rec, want) {
			t.Errorf("record %+v", h.rec)
		}
	}
}

// TestB10Invariants plays random answers and plans that change between sessions.
func TestB10Invariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, now := egress.DefaultParams(), start()
		rec := crawl.EgressRecord{}
		names := []string{"", "eu", "us", "asia"}
		for range rapid.IntRange(1, 40).Draw(t, "sessions") {
			now = now.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "hours")) * time.Hour)
			plan := egress.Plan{Home: rapid.SampledFrom(names[:2]).Draw(t, "home"), Others: rapid.SliceOfN(rapid.SampledFrom(names[1:]), 0, 3).Draw(t, "others")}
			before := fmt.Sprintf("%+v", rec)
			next := egress.Begin(p, plan, rec, now)
			if fmt.Sprintf("%+v", rec) != before {
				t.Fatal("the record handed in was changed")
			}
			if next.Choice != plan.Home && !slices.Contains(plan.Others, next.Choice) {
				t.Fatalf("region %q is not in the plan %+v", next.Choice, plan)
			}
			if len(next.Regions) > crawl.MaxEgressRegions {
				t.Fatalf("%d regions", len(next.Regions))
			}
			rec = next
			for range rapid.IntRange(0, 8).Draw(t, "requests") {
				res := rapid.SampledFrom([]*crawl.Result{status(200), status(403), status(503), failed(crawl.FailProxy), failed(crawl.FailReset), failed(crawl.FailCanceled)}).Draw(t, "answer")
				from := egress.For(plan, rec, "http")
				before := fmt.Sprintf("%+v", rec)
				next := egress.Observe(p, plan, rec, from, res, true, now)
				if fmt.Sprintf("%+v", rec) != before {
					t.Fatal("the record handed in was changed")
				}
				rec = next
			}
		}
	})
}
