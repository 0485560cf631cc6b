package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"

	"trawl/internal/client/strictyaml"
	"trawl/internal/sim"
)

const whole = `title: A title
about: >-
  Two
  lines.
rows: [F7, E3]
name: mine
seed: 7
start: 2026-03-01
duration: 10d
interval: 30m
refresh: 6h
max_fetches: 1000
clients:
  - {id: trawl}
  - {id: adsbot, from: 2d, landing: 0.5, weight: 2}
hosts:
  - name: shop.example
    limit: 0.5
    capacity: 0.2
    server: {latency: 250ms, jitter: 0.2, rate_limit: 1.5, http2: 0.5}
    robots: {disallow: [/x/], max_age: 1h}
    traps: [calendar]
    assets: {count: 10, deploys: [1d, 2d]}
    pages:
      - {name: item, count: 20, known: true, etag: true}
faults:
  - {from: 2d, for: 6h, status: 503, target: pages}
  - {from: 1d, robots_file: {status: 404}}
`

func TestParseReadsEveryField(t *testing.T) {
	f, err := Parse("x.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	sc := f.Run
	if f.Title != "A title" || strings.TrimSpace(f.About) != "Two lines." || len(f.Rows) != 2 {
		t.Errorf("%+v", f)
	}
	if sc.Seed != 7 || sc.Start != time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) || sc.Duration != 240*time.Hour || sc.MaxFetches != 1000 || sc.Interval != 30*time.Minute {
		t.Errorf("%+v", sc)
	}
	if c := sc.Clients[1]; c.ID != "adsbot" || c.From != 48*time.Hour || c.Landing != 0.5 || c.Weight != 2 {
		t.Errorf("%+v", c)
	}
	h := sc.Hosts[0]
	if h.Limit != 0.5 || h.Server.Latency != 250*time.Millisecond || h.Server.RateLimit != 1.5 || h.Robots.Disallow[0] != "/x/" || h.Traps[0] != sim.TrapCalendar || len(h.Assets.Deploys) != 2 || !h.Pages[0].Known {
		t.Errorf("%+v", h)
	}
	if sc.Faults[0].Target != sim.TargetPages || sc.Faults[1].RobotsFile.Status != 404 {
		t.Errorf("%+v", sc.Faults)
	}
}

// TestErrorsNameThePlace spoils the file, one line at a time.
func TestErrorsNameThePlace(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, want string }{
		"unknown field":      {"    limit: 0.5", "    limt: 0.5", `x.yaml:18:5: hosts[0].limt: unknown field; did you mean "limit"?`},
		"unknown top field":  {"refresh: 6h", "refesh: 6h", `x.yaml:11:1: refesh: unknown field; did you mean "refresh"?`},
		"impossible time":    {"start: 2026-03-01", "start: 2026-02-30", `x.yaml:8:8: start: "2026-02-30" is no time: write a day`},
		"time after the end": {"{from: 2d, for: 6h", "{from: 20d, for: 6h", `x.yaml:27:12: faults[0].from: 480h0m0s is not from 0s to 240h0m0s`},
		"negative rate":      {"rate_limit: 1.5", "rate_limit: -1.5", `x.yaml:20:55: hosts[0].server.rate_limit: -1.5 is not from 0 to`},
		"negative duration":  {"duration: 10d", "duration: -10d", `x.yaml:9:11: duration: it must be given, and positive`},
		"no unit":            {"duration: 10d", "duration: 10", `x.yaml:9:11: duration: a duration needs a unit`},
		"no duration":        {"duration: 10d\n", "", `x.yaml:1:1: duration: it must be given, and positive`},
		"share":              {"landing: 0.5", "landing: 1.5", `x.yaml:15:37: clients[1].landing: 1.5 is not from 0 to 1`},
		"client":             {"id: adsbot,", "id: adsbt,", `x.yaml:15:10: clients[1].id: "adsbt" is no client of the catalogue; did you mean "adsbot"?`},
		"trap":               {"[calendar]", "[calender]", `x.yaml:22:13: hosts[0].traps[0]: "calender" is none of calendar, deeper, facets, session; did you mean "calendar"?`},
		"target":             {"target: pages", "target: page", `faults[0].target: "page" is none of pages, robots, home; did you mean "pages"?`},
		"missing field":      {"name: item, count: 20", "name: item", `x.yaml:25:10: hosts[0].pages[0]: hosts[0].pages[0].count: it must be given, and positive`},
		"two faults in one":  {"status: 503", "status: 503, slow: 2", `x.yaml:27:6: faults[0]: exactly one of`},
		"wrong type":         {"known: true", "known: yes", `x.yaml:25:40: hosts[0].pages[0].known: must be true or false, not text`},
		"row":                {"[F7, E3]", "[F7, X3]", `x.yaml:5:12: rows[1]: "X3" is no behaviour row`},
		"two-line title":     {"title: A title", `title: "A\ntitle"`, `x.yaml:1:8: title: it must be one line of text`},
		"not YAML":           {"title: A title", "title: [", "x.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(whole, tc.old, tc.new, 1)
			if src == whole {
				t.Fatal("nothing was spoilt")
			}
			_, err := Parse("x.yaml", []byte(src))
			var list strictyaml.Errors
			if !errors.As(err, &list) || len(list) == 0 {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

// Everything that is wrong is reported at once.
func TestAllErrorsAtOnce(t *testing.T) {
	src := strings.NewReplacer("jitter: 0.2", "jitter: 2", "count: 20", "count: -1", "from: 1d", "from: 99d").Replace(whole)
	_, err := Parse("x.yaml", []byte(src))
	if n := strings.Count(err.Error(), "x.yaml:"); n < 3 {
		t.Errorf("%d errors: %v", n, err)
	}
}

func TestIntervalFallsOnWholeHours(t *testing.T) {
	for _, d := range []time.Duration{time.Minute, time.Hour, 14 * time.Hour, 8 * 24 * time.Hour, 60 * 24 * time.Hour, sim.MaxDuration} {
		x := interval(d)
		if n := d / x; n > 400 || x > time.Hour && x%time.Hour != 0 {
			t.Errorf("%s: %s, %d points", d, x, n)
		}
	}
}
