package react

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func result(status int, fail crawl.FailureClass) *crawl.Result {
	r := &crawl.Result{Status: status}
	if fail != crawl.FailNone {
		r.Failure = &crawl.Failure{Class: fail}
	}
	return r
}

func TestEveryResponseHasOneRow(t *testing.T) {
	for status := 100; status <= 999; status++ {
		if r := Lookup(result(status, 0)); r.ID == "" || r.Source == "" || r.Response == crawl.ResponseNone {
			t.Errorf("status %d: row %+v", status, r)
		}
	}
	for c := crawl.FailDNS; c <= crawl.FailOther; c++ {
		r := Lookup(result(0, c))
		if len(r.Failures) == 0 || r.Response == crawl.ResponseNone {
			t.Errorf("%s: row %+v", c, r)
		}
		n := 0
		for _, row := range Table() {
			for _, f := range row.Failures {
				if f == c {
					n++
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: in %d rows", c, n)
		}
	}
}

// fresh applies one response to a URL of the given earlier state.
func fresh(was crawl.IndexState, status int, fail crawl.FailureClass, since time.Duration) (crawl.Index, Row, string) {
	res := result(status, fail)
	row := Lookup(res)
	reason := crawl.ReasonNone
	if was == crawl.IndexPassed {
		reason = crawl.ReasonIndexable
	}
	idx, detail := Index(DefaultParams(), row, crawl.Index{State: was, Reason: reason, Since: t0.Add(-time.Hour)},
		Facts{Status: status, Failure: res.Failure, Target: "http://b.example/", FailingSince: t0.Add(-since)}, t0)
	return idx, row, detail
}

func testRows(t *testing.T, cases []rowCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d_%s_from_%s_after_%s", c.status, c.fail, c.was, c.since), func(t *testing.T) {
			idx, row, detail := fresh(c.was, c.status, c.fail, c.since)
			if row.ID != c.id || row.Rate != c.rate {
				t.Errorf("row %s with rate effect %q, want %s with %q", row.ID, row.Rate, c.id, c.rate)
			}
			if idx.State != c.want || c.reason != crawl.ReasonNone && idx.Reason != c.reason {
				t.Errorf("index %s (%s), want %s (%s)", idx.State, idx.Reason, c.want, c.reason)
			}
			if idx.State != c.was && (detail == "" || idx.Row == "" || !idx.Since.Equal(t0)) {
				t.Errorf("F13: change without reason, row or time: %+v %q", idx, detail)
			}
		})
	}
}

type rowCase struct {
	status int
	fail   crawl.FailureClass
	was    crawl.IndexState
	since  time.Duration
	id     string
	rate   crawl.RateEffect
	want   crawl.IndexState
	reason crawl.IndexReason
}

const day = 24 * time.Hour

func TestF1Passed(t *testing.T) {
	testRows(t, []rowCase{
		{status: 200, was: crawl.IndexUnknown, id: "F1", rate: crawl.RateHealthy, want: crawl.IndexPassed, reason: crawl.ReasonIndexable},
		{status: 206, was: crawl.IndexRemoved, id: "F1", rate: crawl.RateHealthy, want: crawl.IndexPassed, reason: crawl.ReasonIndexable},
		{status: 200, was: crawl.IndexPreserved, id: "F1", rate: crawl.RateHealthy, want: crawl.IndexPassed, reason: crawl.ReasonIndexable},
	})
}

func TestF2AcceptedContent(t *testing.T) {
	testRows(t, []rowCase{
		{status: 201, id: "F2", rate: crawl.RateHealthy, want: crawl.IndexPassed},
		{status: 202, id: "F2", rate: crawl.RateHealthy, want: crawl.IndexPassed},
	})
}

func TestF3NoContent(t *testing.T) {
	testRows(t, []rowCase{{status: 204, id: "F3", rate: crawl.RateHealthy, want: crawl.IndexExcluded, reason: crawl.ReasonNoContent}})
}

func TestF4Redirects(t *testing.T) {
	for status, want := range map[int]IndexEffect{301: EffectStrong, 308: EffectStrong, 302: EffectWeak, 303: EffectWeak, 307: EffectWeak} {
		idx, row, _ := fresh(crawl.IndexUnknown, status, 0, 0)
		if row.ID != "F4" || row.Index != want || idx.Reason != crawl.ReasonRedirect {
			t.Errorf("%d: %+v, %+v", status, row, idx)
		}
	}
}

func TestF5NotModifiedStands(t *testing.T) {
	testRows(t, []rowCase{
		{status: 304, was: crawl.IndexPassed, id: "F5", rate: crawl.RateHealthy, want: crawl.IndexPassed},
		{status: 304, was: crawl.IndexPreserved, id: "F5", rate: crawl.RateHealthy, want: crawl.IndexPassed},
		{status: 304, was: crawl.IndexUnknown, id: "F5", rate: crawl.RateHealthy, want: crawl.IndexUnknown}, // case 32: never fetched
	})
}

func TestF6ClientErrorsRemove(t *testing.T) {
	for status, reason := range map[int]crawl.IndexReason{
		400: crawl.ReasonOther4xx, 401: crawl.ReasonUnauthorized, 403: crawl.ReasonForbidden, 404: crawl.ReasonNotFound,
		410: crawl.ReasonNotFound, 418: crawl.ReasonOther4xx, 451: crawl.ReasonOther4xx,
	} {
		testRows(t, []rowCase{
			{status: status, was: crawl.IndexPassed, id: "F6", rate: crawl.RateNone, want: crawl.IndexRemoved, reason: reason},
			{status: status, was: crawl.IndexUnknown, id: "F6", rate: crawl.RateNone, want: crawl.IndexExcluded, reason: reason},
		})
	}
}

func TestF7ServerErrorsPreserveAtFirst(t *testing.T) {
	for _, status := range []int{429, 500, 502, 503, 504, 599} {
		rate := crawl.RateError
		if status == 429 || status == 503 {
			rate = crawl.RateOverload
		}
		testRows(t, []rowCase{
			{status: status, was: crawl.IndexPassed, since: time.Hour, id: "F7", rate: rate, want: crawl.IndexPreserved, reason: crawl.ReasonServerError},
			{status: status, was: crawl.IndexPreserved, since: 3 * day, id: "F7", rate: rate, want: crawl.IndexPreserved},
			{status: status, was: crawl.IndexPreserved, since: 6 * day, id: "F7", rate: rate, want: crawl.IndexRemoved},
			{status: status, was: crawl.IndexUnknown, since: 0, id: "F7", rate: rate, want: crawl.IndexExcluded},
		})
	}
}

func TestF8NetworkErrorsRemoveSooner(t *testing.T) {
	for _, c := range []crawl.FailureClass{crawl.FailDNS, crawl.FailDNSUnresponsive, crawl.FailConnectTimeout, crawl.FailReset, crawl.FailHeaderTimeout, crawl.FailBodyTimeout, crawl.FailTLS} {
		testRows(t, []rowCase{
			{fail: c, was: crawl.IndexPassed, since: time.Hour, id: "F8", rate: crawl.RateNetwork, want: crawl.IndexPreserved},
			{fail: c, was: crawl.IndexPreserved, since: 3 * day, id: "F8", rate: crawl.RateNetwork, want: crawl.IndexRemoved},
		})
	}
	p := DefaultParams()
	if p.DropNetworkAfter >= p.DropServerAfter {
		t.Errorf("network failures are preserved for %s, server errors for %s", p.DropNetworkAfter, p.DropServerAfter)
	}
}

func TestF12Noindex(t *testing.T) {
	page := &crawl.Page{Directives: crawl.Directives{Noindex: true}}
	idx, _ := Index(DefaultParams(), Lookup(result(200, 0)), crawl.Index{State: crawl.IndexPassed, Reason: crawl.ReasonIndexable}, Facts{Status: 200, Page: page}, t0)
	if idx.State != crawl.IndexExcluded || idx.Reason != crawl.ReasonNoindex || idx.Row != "F12" {
		t.Errorf("%+v", idx)
	}
}

func TestF11DuplicateOfManyIsExcluded(t *testing.T) {
	facts := Facts{Status: 200, Page: &crawl.Page{}, Duplicate: "http://a.example/"}
	idx, detail := Index(DefaultParams(), Lookup(result(200, 0)), crawl.Index{State: crawl.IndexPassed, Reason: crawl.ReasonIndexable}, facts, t0)
	if idx.State != crawl.IndexExcluded || idx.Reason != crawl.ReasonDuplicate || idx.Row != "F11" || !strings.Contains(detail, "http://a.example/") {
		t.Errorf("%+v %q", idx, detail)
	}
	facts.Page.Directives.Noindex = true
	if other, _ := Index(DefaultParams(), Lookup(result(200, 0)), idx, facts, t0); other.Row != "F12" {
		t.Errorf("noindex says more than being a duplicate: %+v", other)
	}
	// 304: as before, until the others have gone.
	if same, _ := Index(DefaultParams(), Lookup(result(304, 0)), idx, Facts{Status: 304, Duplicate: "http://a.example/"}, t0); same != idx {
		t.Errorf("304 to a duplicate: %+v", same)
	}
	if back, _ := Index(DefaultParams(), Lookup(result(304, 0)), idx, Facts{Status: 304}, t0); back.State != crawl.IndexPassed || back.Row != "F5" {
		t.Errorf("304 to a former duplicate: %+v", back)
	}
}

func TestF13UnchangedStateKeepsItsTime(t *testing.T) {
	was := crawl.Index{State: crawl.IndexPassed, Reason: crawl.ReasonIndexable, Row: "F1", Since: t0.Add(-day)}
	idx, detail := Index(DefaultParams(), Lookup(result(200, 0)), was, Facts{Status: 200}, t0)
	if idx != was || detail != "" {
		t.Errorf("%+v %q", idx, detail)
	}
}

func TestB3PartialBodyIsJudgedByItsStatus(t *testing.T) {
	res := result(200, crawl.FailIncomplete)
	if r := Lookup(res); r.ID != "B3" {
		t.Errorf("case19 nothing read: row %s", r.ID)
	}
	res.Body = []byte("<p>half")
	if r := Lookup(res); r.ID != "F1" {
		t.Errorf("case19 something read: row %s", r.ID)
	}
}

func TestB11OurRefusalSaysNothingAboutTheHost(t *testing.T) {
	idx, row, _ := fresh(crawl.IndexPassed, 0, crawl.FailBlockedAddress, 0)
	if row.Rate != crawl.RateNone || idx.State != crawl.IndexPassed {
		t.Errorf("%+v %+v", row, idx)
	}
}

// I2: the labels, as the crawl stats group responses and failures.
func TestI2ResponseLabels(t *testing.T) {
	for label, results := range map[crawl.Response][]*crawl.Result{
		crawl.ResponseOK:               {result(200, 0)},
		crawl.ResponseNotModified:      {result(304, 0)},
		crawl.ResponseMovedPermanently: {result(301, 0), result(308, 0)},
		crawl.ResponseMovedTemporarily: {result(302, 0), result(303, 0), result(307, 0)},
		crawl.ResponseNotFound:         {result(404, 0), result(410, 0)},
		crawl.ResponseUnauthorized:     {result(401, 0), result(407, 0)},
		crawl.ResponseClientError:      {result(403, 0), result(429, 0), result(400, 0)},
		crawl.ResponseServerError:      {result(500, 0), result(503, 0)},
		crawl.ResponseDNSUnresponsive:  {result(0, crawl.FailDNSUnresponsive)},
		crawl.ResponseDNSError:         {result(0, crawl.FailDNS)},
		crawl.ResponseFetchError:       {result(0, crawl.FailUnparseable), result(0, crawl.FailHeaderTooLarge)},
		crawl.ResponseUnreachable:      {result(0, crawl.FailRefused), result(0, crawl.FailReset), result(0, crawl.FailTLS)},
		crawl.ResponseTimeout:          {result(0, crawl.FailConnectTimeout), result(0, crawl.FailHeaderTimeout), result(200, crawl.FailBodyTimeout)},
	} {
		for _, r := range results {
			if got := Lookup(r).Response; got != label {
				t.Errorf("%d %v: label %q, want %q", r.Status, r.Failure, got, label)
			}
		}
	}
	if RedirectError().Response != crawl.ResponseRedirectError || RobotsBlocked().Response != crawl.ResponseRobotsBlocked || RobotsUnavailable().Response != crawl.ResponseRobotsUnavailable {
		t.Error("rows without a response have the wrong labels")
	}
}
