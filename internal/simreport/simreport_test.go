package simreport

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"trawl/internal/chart"
	"trawl/internal/sim"
)

const day = 24 * time.Hour

// shop is a site of n pages with a fault from the second day on.
func shop(name string, n int, faults ...sim.Fault) sim.Scenario {
	return sim.Scenario{
		Name: name, Duration: 8 * day, Interval: time.Hour, Refresh: 6 * time.Hour,
		Hosts:  []sim.Host{{Name: "shop.example", Capacity: 0.2, Pages: []sim.PageClass{{Name: "item", Count: n, Known: true}}}},
		Faults: faults,
	}
}

func measured(t *testing.T, sc sim.Scenario) (*Figures, *sim.Result) {
	t.Helper()
	r, err := sim.Run(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Measure(t.Context(), sc, r)
	if err != nil {
		t.Fatal(err)
	}
	return f, r
}

func textOf(t *testing.T, f *Figures) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWordsSayWhatHappened(t *testing.T) {
	outage := sim.Fault{From: 2 * day, For: 6 * time.Hour, Status: 503, Target: sim.TargetPages}
	for name, tc := range map[string]struct {
		sc   sim.Scenario
		want []string
		not  string
	}{
		"F7/503": {shop("outage", 40, outage), []string{
			"From 2 d, for 6 h: 503 for all pages.", "requests an hour before,", "fell from", "[E3 E4]", "Removed: none.", "Preserved though they failed: up to", "[F7]", "were back within",
		}, "stayed"},
		"F6/403": {shop("wall", 40, sim.Fault{From: 2 * day, Status: 403, Target: sim.TargetPages}), []string{
			"From 2 d on: 403 for all pages.", "The crawl capacity limit stayed", "[E6]", "Removed: the first URL within", "[F6]", "40 at the most",
		}, "fell from"},
		"C6/robots":  {shop("robots", 40, sim.Fault{Status: 503, Target: sim.TargetRobots}), []string{"From the start on: 503 for robots.txt.", "were not made, because robots.txt was not available", "[C4 C6]"}, "before,"},
		"E1/healthy": {shop("calm", 40), []string{"in all. [E1]", "41 URLs of 41 known URLs passed on at the end. [F1]"}, "Trouble"},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := measured(t, tc.sc)
			got := textOf(t, f)
			for _, w := range tc.want {
				if !strings.Contains(got, strings.Replace(w, "40 at the most", "41 at the most", 1)) {
					t.Errorf("no %q in:\n%s", w, got)
				}
			}
			if strings.Contains(got, tc.not) {
				t.Errorf("%q in:\n%s", tc.not, got)
			}
		})
	}
}

// The same scenario gives the same text, to the letter.
func TestTextIsDeterministic(t *testing.T) {
	sc := shop("outage", 40, sim.Fault{From: 2 * day, For: day, Failure: "connect-timeout"})
	a, _ := measured(t, sc)
	b, _ := measured(t, sc)
	if x, y := textOf(t, a), textOf(t, b); x != y {
		t.Errorf("%s\n%s", x, y)
	}
	sc.Seed = 99
	if c, _ := measured(t, sc); textOf(t, c) == textOf(t, a) {
		t.Error("another seed gives the same text")
	}
}

func TestTimelineFitsItsWidth(t *testing.T) {
	sc := shop("outage", 40, sim.Fault{From: 2 * day, For: day, Status: 503, Target: sim.TargetPages})
	_, r := measured(t, sc)
	for _, width := range []int{1, 40, 80, 200, 1000} {
		var b bytes.Buffer
		if err := Timeline(&b, sc, r, width); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) < 5 || !strings.HasPrefix(lines[0], "trouble ") {
			t.Errorf("width %d:\n%s", width, b.String())
		}
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n > max(width, narrowest) {
				t.Errorf("width %d: a line of %d columns: %q", width, n, l)
			}
		}
	}
}

func TestCompareNamesTheDifference(t *testing.T) {
	a, ra := measured(t, shop("a", 40, sim.Fault{From: 2 * day, For: day, Status: 503, Target: sim.TargetPages}))
	b, rb := measured(t, shop("b", 40, sim.Fault{From: 2 * day, For: day, Status: 403, Target: sim.TargetPages}))
	c := Compare(a, b)
	var out bytes.Buffer
	if err := c.Text(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a slows the whole hostname; b leaves its limit as it was. [E3 E6]", "b removes URLs, the first within", "≠ lowest limit while it lasted"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if c.Identity || !Compare(a, a).Identity {
		t.Error("alike and different are mixed up")
	}
	for _, n := range CompareCharts(a, b, ra, rb) {
		if len(n.Chart.Series) != 2 {
			t.Errorf("%s has %d series", n.Name, len(n.Chart.Series))
		}
		if err := n.Chart.SVG(&out); err != nil {
			t.Error(err)
		}
	}
}

func TestExports(t *testing.T) {
	f, r := measured(t, shop("outage", 40, sim.Fault{From: 2 * day, For: day, Status: 503, Target: sim.TargetPages}))
	var b bytes.Buffer
	if err := CSV(&b, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 1+2*len(r.Total.Points) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	enc, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(enc, &got); err != nil {
		t.Fatal(err)
	}
	if got["first_removed_after_seconds"] != nil || got["duration_seconds"] != 8*86400.0 || got["rate_back_after_seconds"] == nil {
		t.Errorf("%s", enc)
	}
	names := map[string]chart.Kind{}
	for _, n := range Charts(f, r) {
		names[n.Name] = n.Chart.Kind
		for _, width := range []int{390, 1280} {
			n.Chart.Width = width
			if err := n.Chart.SVG(&b); err != nil {
				t.Errorf("%s: %v", n.Name, err)
			}
		}
	}
	if len(names) != 4 || names["index"] != chart.Areas || names["answers"] != chart.Bars {
		t.Errorf("charts %v", names)
	}
}

func TestDurationsAndNumbers(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 250 * time.Millisecond: "250 ms", 90 * time.Second: "1 min 30 s", 6 * time.Hour: "6 h", 122 * time.Hour: "5 d 2 h", 48 * time.Hour: "2 d",
	} {
		if got := short(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.002: "0.002", 16.75: "16.8", 1234.5: "1234", 0.2604: "0.26", 999.9: "1000"} {
		if got := number(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

// What servers say is harmless on a terminal.
func TestTextIsSafe(t *testing.T) {
	f := &Figures{Name: "x\x1b[31m", Host: "a.example", Clusters: []Cluster{{Title: "a\x1b]0;x\a", Count: 12}}, Trouble: []Trouble{{Text: "y"}}}
	if got := textOf(t, f); strings.ContainsAny(got, "\x1b\a") {
		t.Errorf("%q", got)
	}
}
