package sim

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
	"trawl/internal/store"
)

const day = 24 * time.Hour

// storeFilter takes every URL.
var storeFilter = store.URLFilter{}

func small() Scenario {
	return Scenario{
		Name: "small", Seed: 1, Duration: day,
		Hosts: []Host{{Name: "a.example", Pages: []PageClass{{Name: "news", Count: 200, ETag: true, ChangeEvery: time.Hour}}}},
	}
}

func play(t testing.TB, sc Scenario) *Result {
	t.Helper()
	r, err := RunWith(context.Background(), sc, Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWholeSiteIsCrawled(t *testing.T) {
	r := play(t, small())
	if got := r.Sum.Index[crawl.IndexPassed]; got != 201 {
		t.Errorf("%d of 201 pages passed on: %+v", got, r.Sum)
	}
	if n := len(r.Total.Points); n != 200 {
		t.Errorf("%d points, want a 200th of the duration each", n)
	}
	sum := 0
	for _, p := range r.Total.Points {
		sum += p.Requests
	}
	if int64(sum) != r.Fetches || r.Sum.Requests != sum {
		t.Errorf("%d requests in the points, %d in their sum, %d fetches", sum, r.Sum.Requests, r.Fetches)
	}
	answers := 0
	for _, n := range r.Sum.Responses {
		answers += n
	}
	if answers != sum {
		t.Errorf("%d answers to %d requests", answers, sum)
	}
}

// A dropped hostname is handed in again when something of it is due.
func TestRefreshAfterDays(t *testing.T) {
	sc := small()
	sc.Duration, sc.Refresh = 10*day, 3*day
	r := play(t, sc)
	for rec, err := range r.Store.URLs(t.Context(), storeFilter) {
		if err != nil {
			t.Fatal(err)
		}
		if n := rec.Visits[0].Crawls; n != 4 {
			t.Fatalf("%s was crawled %d times in ten days, every three days is wanted", rec.URL, n)
		}
	}
}

func TestSameSeedSameTimeline(t *testing.T) {
	seeds := uint64(25)
	if raceEnabled {
		seeds = 5
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		sc := Random(seed)
		first, err := Run(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		second := play(t, sc) // the checker looks on, it changes nothing
		if first.Hash() != second.Hash() {
			t.Fatalf("seed %d: %x and %x", seed, first.Hash(), second.Hash())
		}
		sc.Seed++
		other, err := Run(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if first.Fetches > 50 && first.Hash() == other.Hash() {
			t.Errorf("seed %d: another seed gives the same timeline", seed)
		}
	}
}

func TestRunStopsWhenItsContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, small()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestCrowdedHostsTakeTurns has more hostnames than fit into memory.
func TestCrowdedHostsTakeTurns(t *testing.T) {
	sc := small()
	sc.HostRoom = 3
	sc.Hosts[0].Name, sc.Hosts[0].Count = "www.example", 12
	sc.Hosts[0].Pages[0].Count = 10
	r := play(t, sc)
	for _, h := range r.Final {
		if h.Sum.Index[crawl.IndexPassed] != 11 {
			t.Errorf("%s: %d of 11 pages passed on", h.Host, h.Sum.Index[crawl.IndexPassed])
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	for want, spoil := range map[string]func(*Scenario){
		"duration: it must be given":          func(s *Scenario) { s.Duration = 0 },
		"duration: -1s is not":                func(s *Scenario) { s.Duration = -time.Second },
		"interval: the timeline would":        func(s *Scenario) { s.Interval = time.Second },
		"window: 3 is not":                    func(s *Scenario) { s.Window = 3 },
		"concurrency: -1":                     func(s *Scenario) { s.Concurrency = -1 },
		"host_room: -1":                       func(s *Scenario) { s.HostRoom = -1 },
		`did you mean "adsbot"`:               func(s *Scenario) { s.Clients = []Client{{ID: "adsbt"}} },
		`clients[0].id: "google-extended"`:    func(s *Scenario) { s.Clients = []Client{{ID: "google-extended"}} },
		"clients[1].id":                       func(s *Scenario) { s.Clients = []Client{{ID: "trawl"}, {ID: "trawl"}} },
		"clients[0].weight":                   func(s *Scenario) { s.Clients = []Client{{ID: "trawl", Weight: -1}} },
		"hosts: there must be one":            func(s *Scenario) { s.Hosts = nil },
		"hosts: all of them are empty":        func(s *Scenario) { s.Hosts[0].Empty = true },
		`hosts[0].name: "A.example"`:          func(s *Scenario) { s.Hosts[0].Name = "A.example" },
		"hosts[0].name: \"a.example:8080\"":   func(s *Scenario) { s.Hosts[0].Name = "a.example:8080" },
		"hosts[1].name: \"a.example\" is the": func(s *Scenario) { s.Hosts = append(s.Hosts, s.Hosts[0]) },
		"hosts[0].count":                      func(s *Scenario) { s.Hosts[0].Count = MaxHosts + 1 },
		"at most 5000000 can be simulated":    func(s *Scenario) { s.Hosts[0].Count, s.Hosts[0].Pages[0].Count = 10_000, 1000 },
		"hosts[0].limit":                      func(s *Scenario) { s.Hosts[0].Limit = -1 },
		"hosts[0].pages[0].name":              func(s *Scenario) { s.Hosts[0].Pages[0].Name = "No" },
		"is the path of a trap or of assets":  func(s *Scenario) { s.Hosts[0].Pages[0].Name = "calendar" },
		"hosts[0].pages[0].count":             func(s *Scenario) { s.Hosts[0].Pages[0].Count = 0 },
		"hosts[0].pages[0].change_every":      func(s *Scenario) { s.Hosts[0].Pages[0].ChangeEvery = time.Millisecond },
		"hosts[0].server.jitter":              func(s *Scenario) { s.Hosts[0].Server.Jitter = 1.1 },
		"hosts[0].server.rate_limit":          func(s *Scenario) { s.Hosts[0].Server.RateLimit = -0.5 },
		"hosts[0].server.rate_status":         func(s *Scenario) { s.Hosts[0].Server.RateStatus = 99 },
		"hosts[0].robots.move_to":             func(s *Scenario) { s.Hosts[0].Robots.MoveTo = "nowhere.example" },
		"hosts[0].robots.disallow[0]":         func(s *Scenario) { s.Hosts[0].Robots.Disallow = []string{"x"} },
		"hosts[0].robots.only":                func(s *Scenario) { s.Hosts[0].Robots.Only = []string{"/x"} },
		"hosts[0].traps[0]":                   func(s *Scenario) { s.Hosts[0].Traps = []Trap{"x"} },
		"faults[0]: exactly one":              func(s *Scenario) { s.Faults = []Fault{{}} },
		"not 2":                               func(s *Scenario) { s.Faults = []Fault{{Status: 503, Slow: 2}} },
		"faults[0].from":                      func(s *Scenario) { s.Faults = []Fault{{Status: 503, From: 2 * day}} },
		"faults[0].for":                       func(s *Scenario) { s.Faults = []Fault{{Status: 503, For: -1}} },
		"faults[0].share":                     func(s *Scenario) { s.Faults = []Fault{{Status: 503, Share: 2}} },
		"faults[0].status: 999":               func(s *Scenario) { s.Faults = []Fault{{Status: 999}} },
		`faults[0].failure: "canceled"`:       func(s *Scenario) { s.Faults = []Fault{{Failure: "canceled"}} },
		"faults[0].hosts[0]":                  func(s *Scenario) { s.Faults = []Fault{{Status: 503, Hosts: []string{"b.example"}}} },
		"faults[0].target":                    func(s *Scenario) { s.Faults = []Fault{{Status: 503, Target: "x"}} },
		"move_to: \"www.example\" is no host": func(s *Scenario) {
			s.Hosts[0].Name, s.Hosts[0].Count, s.Faults = "www.example", 2, []Fault{{MoveTo: "www.example"}}
		},
		"faults[0].move_to":             func(s *Scenario) { s.Faults = []Fault{{MoveTo: "b.example"}} },
		"clients[0].from: the primary":  func(s *Scenario) { s.Clients = []Client{{ID: "trawl", From: time.Hour}} },
		"clients[1].landing":            func(s *Scenario) { s.Clients = []Client{{ID: "trawl"}, {ID: "adsbot", Landing: 1.5}} },
		"start: the year 10000":         func(s *Scenario) { s.Start = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"hosts[0].capacity":             func(s *Scenario) { s.Hosts[0].Capacity = -1 },
		"hosts[0].assets.deploys[0]":    func(s *Scenario) { s.Hosts[0].Assets.Deploys = []time.Duration{2 * day} },
		"hosts[0].assets.host":          func(s *Scenario) { s.Hosts[0].Assets.Host = "b.example" },
		"hosts[0].server.http2":         func(s *Scenario) { s.Hosts[0].Server.HTTP2 = -1 },
		"hosts[0].pages[0].status":      func(s *Scenario) { s.Hosts[0].Pages[0].Status = 99 },
		`did you mean "connect-timeout`: func(s *Scenario) { s.Faults = []Fault{{Failure: "connect-timout"}} },
		`did you mean "a.example"`:      func(s *Scenario) { s.Faults = []Fault{{Status: 503, Hosts: []string{"a.exmple"}}} },
		`did you mean "robots"`:         func(s *Scenario) { s.Faults = []Fault{{Status: 503, Target: "robot"}} },
		"faults[0].robots_file.status":  func(s *Scenario) { s.Faults = []Fault{{RobotsFile: &RobotsFile{Status: 1}}} },
	} {
		sc := small()
		spoil(&sc)
		_, err := Run(t.Context(), sc)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if err := small().Validate(); err != nil {
		t.Error(err)
	}
}

// A fault names one of numbered hosts, or all of them by the name they share.
func TestFaultsNameNumberedHosts(t *testing.T) {
	for name, want := range map[string]int{"www.example": 3, "www2.example": 1} {
		sc := small()
		sc.Hosts[0].Name, sc.Hosts[0].Count = "www.example", 3
		sc.Faults = []Fault{{Hosts: []string{name}, Status: 403, Target: TargetPages}}
		n := 0
		for _, h := range play(t, sc).Final {
			if h.Sum.Index[crawl.IndexExcluded] > 0 {
				n++
			}
		}
		if n != want {
			t.Errorf("a fault of %s hit %d hosts, want %d", name, n, want)
		}
	}
}

// Every field has a name for scenario files, so that errors can name it.
func TestFieldsHaveNames(t *testing.T) {
	for _, v := range []any{Scenario{}, Client{}, Host{}, PageClass{}, Server{}, RobotsFile{}, Fault{}, Assets{}} {
		typ := reflect.TypeOf(v)
		seen := map[string]bool{}
		for i := range typ.NumField() {
			name := typ.Field(i).Tag.Get("yaml")
			if name == "" || seen[name] || strings.ToLower(name) != name {
				t.Errorf("%s.%s is named %q", typ.Name(), typ.Field(i).Name, name)
			}
			seen[name] = true
		}
	}
}

// The machine of a run is the shipped scheduler, unless a test wraps it.
func TestTheShippedSchedulerIsDriven(t *testing.T) {
	wrapped := false
	_, err := RunWith(t.Context(), small(), Options{Machine: func(m Machine) Machine {
		_, wrapped = m.(*schedule.Scheduler)
		return m
	}})
	if err != nil || !wrapped {
		t.Errorf("wrapped %v, %v", wrapped, err)
	}
}
