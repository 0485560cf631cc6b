package sim

import (
	"testing"
	"time"

	"trawl/internal/crawl"
)

const shop = "shop.example"

// shopSite is a host of n pages that are due again every six hours, with faults from
// the second day on.
func shopSite(duration time.Duration, n int, faults ...Fault) Scenario {
	return Scenario{
		Name: "outcome", Seed: 3, Duration: duration, Interval: time.Hour, Refresh: 6 * time.Hour,
		Hosts:  []Host{{Name: shop, Pages: []PageClass{{Name: "item", Count: n - 1}}, Server: Server{Jitter: 0.2}}},
		Faults: faults,
	}
}

// outcome is one run with what the rows of the table ask for.
type outcome struct {
	*testing.T
	r     *Result
	track *Track
}

func run(t *testing.T, sc Scenario) outcome {
	t.Helper()
	r := play(t, sc)
	return outcome{t, r, r.Host(shop)}
}

func (o outcome) between(from, to time.Duration) Point { return o.track.Between(from, to) }

// state is the number of URLs in a state at a time.
func (o outcome) state(at time.Duration, s crawl.IndexState) int {
	return o.track.Between(at-time.Hour, at).Index[s]
}

// first is when a URL was first in a state, -1 if never.
func (o outcome) first(s crawl.IndexState) time.Duration {
	for _, p := range o.track.Points {
		if p.Index[s] > 0 {
			return p.At.Sub(o.r.Start)
		}
	}
	return -1
}

func (o outcome) expect(what string, got, least, most int) {
	o.Helper()
	o.Logf("%s: %d", what, got)
	if got < least || got > most {
		o.Errorf("%s: %d, want %d to %d", what, got, least, most)
	}
}

func TestE6F6Wall403(t *testing.T) {
	calm := run(t, shopSite(5*day, 100))
	o := run(t, shopSite(5*day, 100, Fault{From: 2 * day, For: 2 * day, Status: 403, Target: TargetPages}))
	before, during := o.between(day, 2*day), o.between(2*day, 4*day)
	if during.Lowest < before.Limit {
		t.Errorf("the wall lowered the limit from %.3g to %.3g", before.Limit, during.Lowest)
	}
	o.expect("URLs passed on before", o.state(2*day, crawl.IndexPassed), 100, 100)
	o.expect("URLs removed after 12 hours", o.state(2*day+12*time.Hour, crawl.IndexRemoved), 100, 100)
	same := calm.between(2*day, 2*day+6*time.Hour).Requests
	o.expect("requests in the first six hours of the wall", o.between(2*day, 2*day+6*time.Hour).Requests, same-3, same+3)
	if a, b := o.between(2*day+6*time.Hour, 4*day).Requests, calm.between(2*day+6*time.Hour, 4*day).Requests; a > b/2 {
		t.Errorf("%d requests while removed, %d without a wall: removed URLs are to be asked for less often", a, b)
	}
}

func TestE3F7Unavailable503ForSixHours(t *testing.T) {
	o := run(t, shopSite(6*day, 100, Fault{From: 2 * day, For: 6 * time.Hour, Status: 503, Target: TargetPages}))
	before, during := o.between(day, 2*day), o.between(2*day, 2*day+6*time.Hour)
	o.expect("requests in six hours before", before.Requests/4, 90, 110)
	o.expect("requests in six hours of 503", during.Requests, 5, 30)
	if first := o.between(2*day, 2*day+time.Hour).Requests; first > 12 {
		t.Errorf("%d requests in the first hour: the rate is to fall at once", first)
	}
	o.expect("URLs removed", o.r.Sum.Index[crawl.IndexRemoved], 0, 0)
	o.expect("URLs passed on or preserved during it", during.Index[crawl.IndexPassed]+during.Index[crawl.IndexPreserved], 100, 100)
	o.expect("URLs passed on a day after", o.state(3*day+6*time.Hour, crawl.IndexPassed), 100, 100)
	o.expect("requests in six hours, two days after", o.between(5*day, 6*day).Requests/4, 90, 110)
}

func TestE3SomeURLsAnswer503TheWholeHostSlows(t *testing.T) {
	long(t)
	o := run(t, shopSite(day, 4000, Fault{From: 12 * time.Hour, Status: 503, Target: TargetPages, Share: 0.5}))
	before, during := o.between(6*time.Hour, 12*time.Hour), o.between(12*time.Hour, 18*time.Hour)
	good := before.Responses[crawl.ResponseOK]
	o.expect("good answers in six hours before", good, 3900, 4100)
	// Half of the URLs are good: the half of them may be reached.
	o.expect("good answers in six hours with every second URL failing", during.Responses[crawl.ResponseOK], 10, good/4)
}

// TestF7F8TimeoutsRemoveSooner compares 14 days of 503 with 14 days in which
// connections are silently dropped.
func TestF7F8TimeoutsRemoveSooner(t *testing.T) {
	removed := map[string]time.Duration{}
	for name, f := range map[string]Fault{
		"503":      {From: 2 * day, For: 14 * day, Status: 503, Target: TargetPages},
		"timeouts": {From: 2 * day, For: 14 * day, Failure: "connect-timeout", Target: TargetPages},
	} {
		o := run(t, shopSite(25*day, 40, f))
		removed[name] = o.first(crawl.IndexRemoved) - 2*day
		t.Logf("%s: first URL removed after %s", name, removed[name])
		o.expect(name+": URLs removed at the end of it", o.state(16*day, crawl.IndexRemoved), 35, 40)
		o.expect(name+": URLs passed on nine days after", o.state(25*day, crawl.IndexPassed), 38, 40)
	}
	if a := removed["503"]; a < 5*day || a > 8*day {
		t.Errorf("503 removes after %s, want five to eight days", a)
	}
	if a := removed["timeouts"]; a < 2*day || a > 4*day {
		t.Errorf("timeouts remove after %s, want two to four days", a)
	}
}

func TestE4F8DNSOutage(t *testing.T) {
	short := run(t, shopSite(5*day, 60, Fault{From: 2 * day, For: 12 * time.Hour, Failure: "dns-unresponsive"}))
	short.expect("12 hours: URLs removed", short.r.Sum.Index[crawl.IndexRemoved], 0, 0)
	short.expect("12 hours: URLs passed on at the end", short.state(5*day, crawl.IndexPassed), 60, 60)
	during := short.between(2*day, 2*day+12*time.Hour)
	if during.Lowest > 0.01 {
		t.Errorf("the limit fell to %.3g only", during.Lowest)
	}
	short.expect("12 hours: requests meanwhile", during.Requests, 10, 60)
	long := run(t, shopSite(9*day, 20, Fault{From: 2 * day, For: 5 * day, Failure: "dns-error"}))
	long.expect("five days: URLs removed at the end of it", long.state(7*day, crawl.IndexRemoved), 15, 20)
	long.expect("five days: URLs passed on two days after", long.state(9*day, crawl.IndexPassed), 15, 20)
}

func TestF6GoneIsLikeNotFound(t *testing.T) {
	var got [2]Point
	for i, status := range []int{404, 410} {
		o := run(t, shopSite(10*day, 50, Fault{From: 2 * day, Status: status, Target: TargetPages, Share: 0.5}))
		got[i] = o.r.Sum
		o.expect("URLs removed", o.r.Sum.Index[crawl.IndexRemoved], 10, 40)
	}
	if got[0].Index != got[1].Index || got[0].Requests != got[1].Requests {
		t.Errorf("404: %d requests, %v; 410: %d requests, %v", got[0].Requests, got[0].Index, got[1].Requests, got[1].Index)
	}
}

func TestE3F7OneInFiveFails(t *testing.T) {
	calm := run(t, shopSite(10*day, 100))
	o := run(t, shopSite(10*day, 100, Fault{From: 2 * day, Status: 500, Target: TargetPages, Share: 0.2}))
	o.expect("URLs that fail, removed at the end", o.r.Sum.Index[crawl.IndexRemoved], 10, 30)
	o.expect("all URLs, passed on or removed", o.r.Sum.Index[crawl.IndexRemoved]+o.r.Sum.Index[crawl.IndexPassed], 100, 100)
	if a, b := o.between(2*day, 3*day).Lowest, calm.between(2*day, 3*day).Lowest; a >= b {
		t.Errorf("the limit did not fall: %.3g, without errors %.3g", a, b)
	}
	if o.first(crawl.IndexRemoved) < 7*day {
		t.Errorf("removed after %s", o.first(crawl.IndexRemoved)-2*day)
	}
}

func TestE8F7RateLimiter(t *testing.T) {
	long(t)
	sc := shopSite(2*day, 400)
	sc.Hosts[0].Own = true
	sc.Refresh = 20 * time.Minute
	sc.Hosts[0].Server = Server{RateLimit: 0.2, RateBurst: 5, RetryAfter: 20 * time.Second}
	o := run(t, sc)
	p := o.between(day, 2*day)
	o.expect("answers with 429 a day", p.Responses[crawl.ResponseClientError], 1, p.Requests/4)
	o.expect("good answers a day, of 17280 possible", p.Responses[crawl.ResponseOK], 16000, 17290)
	o.expect("URLs removed", p.Index[crawl.IndexRemoved], 0, 0)
}
