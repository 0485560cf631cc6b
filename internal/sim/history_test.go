package sim

import (
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// known makes the pages of a scenario's first host known from earlier crawls.
func known(sc Scenario) Scenario {
	sc.Hosts[0].Pages = append([]PageClass(nil), sc.Hosts[0].Pages...)
	for i := range sc.Hosts[0].Pages {
		sc.Hosts[0].Pages[i].Known = true
	}
	return sc
}

// Pages that are known are not discovered: they are due again spread over the
// time of a refresh, in the states that earlier crawls left.
func TestKnownPagesComeDueEvenly(t *testing.T) {
	sc := known(shopSite(4*day, 401))
	sc.Refresh = 2 * day
	sc.Hosts[0].Pages = append(sc.Hosts[0].Pages,
		PageClass{Name: "gone", Count: 10, Status: 404, Known: true}, PageClass{Name: "moved", Count: 10, Status: 301, Known: true},
		PageClass{Name: "quiet", Count: 10, Noindex: true, Known: true, ETag: true}, PageClass{Name: "private", Count: 10, Disallow: true, Known: true})
	o := run(t, sc)
	first := o.track.Points[0].Index
	o.expect("passed on at the start", first[crawl.IndexPassed], 401, 401)
	o.expect("excluded at the start", first[crawl.IndexExcluded], 40, 40)
	for i := range 4 {
		from := time.Duration(i) * 12 * time.Hour
		o.expect("requests in twelve hours", o.between(from, from+12*time.Hour).Requests, 80, 140)
	}
	end := o.r.Sum.Index
	o.expect("passed on at the end", end[crawl.IndexPassed], 401, 401)
	o.expect("excluded at the end", end[crawl.IndexExcluded], 40, 40)
}

func TestKnownCapacityIsWhereItBegins(t *testing.T) {
	sc := known(shopSite(day, 20))
	sc.Hosts[0].Capacity = 0.7
	o := run(t, sc)
	if l := o.track.Points[0].Lowest; l < 0.6 || l > 0.8 {
		t.Errorf("the limit begins at %.3g", l)
	}
	sc.Hosts[0].Capacity = 50 // beyond what a stranger's host may have
	if l := run(t, sc).track.Points[0].Limit; l != 1 {
		t.Errorf("the limit begins at %.3g, the ceiling is 1", l)
	}
}

// TestB1HTTP2OptOut: a faster HTTP/2 is used from the second session on, and never
// again after a 421.
func TestB1HTTP2OptOut(t *testing.T) {
	sc := shopSite(12*day, 150, Fault{From: 6 * day, OptOut: true})
	sc.Refresh = day
	sc.Hosts[0].Server.HTTP2 = 0.5
	o := run(t, sc)
	o.expect("over HTTP/2 on the first day", o.between(0, 12*time.Hour).HTTP2, 0, 0)
	o.expect("over HTTP/2 on the fifth and sixth day", o.between(4*day, 6*day).HTTP2, 250, 320)
	o.expect("refused with 421", o.r.Sum.Refused, 1, 3)
	o.expect("over HTTP/2 after it", o.between(6*day, 12*day).HTTP2, 0, 0)
	o.expect("passed on at the end", o.r.Sum.Index[crawl.IndexPassed], 150, 150)
	sc.Hosts[0].Server.HTTP2 = 0
	o.expect("over HTTP/2 where it is not spoken", run(t, sc).r.Sum.HTTP2, 0, 0)
}

// TestI2I5J3J4AssetsAreLoadedOnce: page resources are asked for once, kept for 30 days,
// and asked for again at once when a deploy names them anew.
func TestI2I5J3J4AssetsAreLoadedOnce(t *testing.T) {
	calm := known(shopSite(10*day, 100))
	calm.Refresh = day
	calm.Hosts[0].Assets = Assets{Count: 50}
	a := run(t, calm)
	a.expect("page resources in ten days", a.r.Sum.Clients[crawl.ClientResource], 50, 50)
	counted := 0
	for s, err := range a.r.Store.Stats(t.Context(), store.StatFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Type == crawl.ClientResource {
			counted += int(s.Count)
		}
	}
	a.expect("page resource loads in the crawl stats", counted, 50, 50)
	sc := calm
	sc.Hosts = append([]Host(nil), calm.Hosts...)
	sc.Hosts[0].Assets.Deploys = []time.Duration{2 * day, 4 * day, 6 * day, 8 * day}
	b := run(t, sc)
	b.expect("page resources with four deploys", b.r.Sum.Clients[crawl.ClientResource], 240, 250)
	b.expect("not found", b.r.Sum.Responses[crawl.ResponseNotFound], 0, 0)
}

// TestE5AssetsAreChargedToTheirHost: resources are paid for by the hostname that
// serves them.
func TestE5AssetsAreChargedToTheirHost(t *testing.T) {
	sc := known(shopSite(2*day, 60))
	sc.Hosts[0].Assets = Assets{Count: 30, Host: "cdn.example"}
	sc.Hosts = append(sc.Hosts, Host{Name: "cdn.example", Empty: true})
	o := run(t, sc)
	o.expect("page resources of the site itself", o.track.Between(0, 2*day).Clients[crawl.ClientResource], 0, 0)
	o.expect("page resources of the other host", o.r.Host("cdn.example").Between(0, 2*day).Clients[crawl.ClientResource], 30, 30)
}

// TestD4H5AdsBotSpike: a client whose demand begins later takes its pages once, and
// then again after two weeks.
func TestD4H5AdsBotSpike(t *testing.T) {
	sc := known(shopSite(25*day, 301))
	sc.Refresh = 2 * day
	sc.Clients = []Client{{ID: "trawl"}, {ID: "adsbot", From: 5 * day, Landing: 0.5}}
	o := run(t, sc)
	ads := func(from, to time.Duration) int { return o.between(from, to).Clients[crawl.ClientAdsBot] }
	o.expect("before", ads(0, 5*day), 0, 0)
	spike := ads(5*day, 6*day)
	o.expect("on the first day", spike, 301, 301) // it follows links
	o.expect("in the days after", ads(6*day, 18*day), 0, 0)
	o.expect("after two weeks", ads(19*day-time.Hour, 20*day), spike, spike)
}

func TestF10F11ErrorTextUnder200(t *testing.T) {
	sc := known(shopSite(40*day, 400, Fault{From: 4 * day, For: day, ErrorText: true, Target: TargetPages}))
	sc.Refresh = 2 * day
	o := run(t, sc)
	during := o.between(4*day, 5*day)
	if during.Lowest < 0.9*o.between(3*day, 4*day).Limit {
		t.Errorf("an error text under 200 lowered the limit to %.3g", during.Lowest)
	}
	o.expect("excluded as duplicates after a day", o.state(5*day, crawl.IndexExcluded), 130, 230)
	o.expect("still excluded four days after it was mended", o.state(9*day, crawl.IndexExcluded), 100, 230)
	o.expect("excluded 20 days after", o.state(25*day, crawl.IndexExcluded), 0, 0)
}
