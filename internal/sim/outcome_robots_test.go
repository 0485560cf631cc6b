package sim

import (
	"testing"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
)

func TestC3RobotsNotFoundIsNoRestriction(t *testing.T) {
	for _, status := range []int{401, 403, 404, 410} {
		sc := shopSite(day, 50)
		sc.Hosts[0].Robots = RobotsFile{Status: status}
		o := run(t, sc)
		o.expect("URLs passed on", o.r.Sum.Index[crawl.IndexPassed], 50, 50)
		o.expect("requests not made", o.r.Sum.Blocked+o.r.Sum.Abandoned, 0, 0)
	}
}

// TestC4C6RobotsUnavailableFor45Days fails robots.txt from the third day on, or
// from the start, with the homepage up and down.
func TestC4C6RobotsUnavailableFor45Days(t *testing.T) {
	for name, tc := range map[string]struct {
		copied, home bool
	}{
		"with a copy, homepage up":      {true, true},
		"with a copy, homepage down":    {true, false},
		"without a copy, homepage up":   {false, true},
		"without a copy, homepage down": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			from := time.Duration(0)
			if tc.copied {
				from = 3 * day // the copy is fresh until then, it was fetched at the start
			}
			sc := shopSite(from+45*day, 30, Fault{From: from - min(from, time.Hour), Status: 503, Target: TargetRobots})
			sc.Hosts[0].Pages = append(sc.Hosts[0].Pages, PageClass{Name: "private", Count: 10, Disallow: true})
			sc.Refresh = 12 * time.Hour
			if !tc.home {
				sc.Faults = append(sc.Faults, Fault{From: from + 20*day, Status: 503, Target: TargetHome})
			}
			o := run(t, sc)
			stopped := o.between(from+time.Hour, from+11*time.Hour)
			o.expect("pages asked for in the first 12 hours", stopped.Requests-stopped.Robots, 0, 0)
			o.expect("requests for robots.txt in them", stopped.Robots, 8, 40)
			o.expect("requests abandoned in them", stopped.Abandoned, 1, 2000)
			month := o.between(from+2*day, from+29*day)
			o.expect("pages asked for until the 30th day", month.Requests-month.Robots, 1000, 3000)
			// It is asked for when there is something to crawl: twice a day here.
			// A homepage that fails is asked for at other times as well.
			o.expect("requests for robots.txt until then", month.Robots, 50, 70)
			late := o.between(from+32*day, from+45*day)
			if tc.home {
				o.expect("pages asked for after the 30th day", late.Requests-late.Robots, 500, 2000)
			} else {
				o.expect("homepage asked for after the 30th day", late.Requests-late.Robots, 5, 30)
				o.expect("requests abandoned after the 30th day", late.Abandoned, 1, 1_000_000)
			}
			o.expect("requests for robots.txt after the 30th day", late.Robots, 10, 15)
			private := o.private()
			switch {
			case tc.copied && !tc.home:
				o.expect("disallowed pages asked for", private, 0, 0)
			case !tc.copied:
				o.expect("pages that a copy would disallow, asked for", private, 10, 10)
			}
		})
	}
}

// private is how many disallowed pages were ever asked for.
func (o outcome) private() int {
	n := 0
	for rec, err := range o.r.Store.URLs(o.Context(), storeFilter) {
		if err != nil {
			o.Fatal(err)
		}
		if len(rec.Visits) > 0 && rec.Visits[0].Crawls > 0 && rec.URL.Path() != "/" && rec.URL.Path()[1] == 'p' {
			n++
		}
	}
	return n
}

func TestE5ClientsShareOneLimit(t *testing.T) {
	sc := shopSite(day, 400)
	sc.Hosts[0].Server.Latency = time.Second
	sc.Hosts[0].Limit = 0.05
	sc.Refresh = time.Hour
	alone := run(t, sc)
	sc.Clients = []Client{{ID: client.DefaultID}, {ID: "googlebot-video", Weight: 3}}
	shared := run(t, sc)
	a, b := alone.r.Sum, shared.r.Sum
	shared.expect("requests of one client alone", a.Requests, 3000, 4500)
	shared.expect("requests of both together", b.Requests, a.Requests*95/100, a.Requests*105/100)
	crawls := map[crawl.ClientID]int{}
	for rec, err := range shared.r.Store.URLs(t.Context(), storeFilter) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range rec.Visits {
			crawls[v.Client] += int(v.Crawls)
		}
	}
	shared.expect("of them for the other client, of three times the weight, in per cent", 100*crawls["googlebot-video"]/b.Requests, 68, 80)
}

func TestF4SiteMove(t *testing.T) {
	sc := shopSite(12*day, 80, Fault{Hosts: []string{shop}, From: 3 * day, MoveTo: "new.example"})
	sc.Hosts = append(sc.Hosts, sc.Hosts[0])
	sc.Hosts[1].Name, sc.Hosts[1].Empty = "new.example", false
	sc.Hosts[1].Pages = sc.Hosts[0].Pages
	o := run(t, sc)
	o.expect("old URLs excluded as redirects after a day", o.state(4*day, crawl.IndexExcluded), 80, 80)
	o.expect("new URLs passed on", o.r.Host("new.example").Between(0, 12*day).Index[crawl.IndexPassed], 80, 80)
}

func TestD3TrapsAreBounded(t *testing.T) {
	for _, trap := range []Trap{TrapCalendar, TrapDeeper, TrapFacets, TrapSession} {
		sc := shopSite(3*day, 20)
		sc.Hosts[0].Own, sc.Hosts[0].Traps = true, []Trap{trap}
		sc.Refresh = 30 * day
		o := run(t, sc)
		rest := o.between(2*day, 3*day).Requests
		t.Logf("%s: %d requests in all, %d on the last day", trap, o.r.Sum.Requests, rest)
		o.expect(string(trap)+": requests in all", o.r.Sum.Requests, 20, 4000)
		o.expect(string(trap)+": requests on the last day", rest, 0, 100)
	}
}

func TestE3ServerTwiceAsSlow(t *testing.T) {
	long(t)
	sc := shopSite(14*time.Hour, 2000, Fault{From: 6 * time.Hour, For: 2 * time.Hour, Slow: 3})
	sc.Hosts[0].Server.Latency = 400 * time.Millisecond
	sc.Refresh = time.Hour
	o := run(t, sc)
	before, during, after := o.between(5*time.Hour, 6*time.Hour), o.between(6*time.Hour, 7*time.Hour), o.between(13*time.Hour, 14*time.Hour)
	t.Logf("limit before %.3g, lowest in the slow time %.3g, after %.3g", before.Limit, during.Lowest, after.Limit)
	if during.Lowest > 0.8*before.Limit {
		t.Errorf("answers three times as slow leave the limit at %.3g of %.3g", during.Lowest, before.Limit)
	}
	if after.Limit < 0.9*before.Limit {
		t.Errorf("six hours later the limit is %.3g of %.3g", after.Limit, before.Limit)
	}
}

// TestE1E3CapacitySettlesAtTheKnee crawls a server that works on eight requests
// at a time and refuses beyond twenty.
func TestE1E3CapacitySettlesAtTheKnee(t *testing.T) {
	long(t)
	sc := shopSite(40*time.Minute, 10_000)
	sc.Interval = time.Minute
	sc.Hosts[0].Own = true
	sc.Hosts[0].Server = Server{Latency: 250 * time.Millisecond, Jitter: 0.2, Knee: 8, Overload: 20}
	sc.Refresh = 5 * time.Minute
	o := run(t, sc)
	p := o.between(20*time.Minute, 40*time.Minute)
	best := 8 / 0.25 * 1200
	o.expect("good answers, in per cent of what the server can", int(100*float64(p.Responses[crawl.ResponseOK])/best), 75, 101)
	if p.Responses[crawl.ResponseServerError]*100 > p.Requests {
		t.Errorf("%d of %d requests were refused", p.Responses[crawl.ResponseServerError], p.Requests)
	}
	t.Logf("limit %.3g, lowest %.3g, most connections %d, refused %d", p.Limit, p.Lowest, p.Parallel, p.Responses[crawl.ResponseServerError])
}
