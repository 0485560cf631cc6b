package main

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/bench/web"
)

// ran is a complete run of 1000 pages that took so many CPU-seconds.
func ran(round int, name string, cpu float64) measurement {
	u := usage{wall: 2 * time.Second, user: time.Duration(cpu * 0.75 * 1e9), sys: time.Duration(cpu * 0.25 * 1e9), peak: 64 << 20}
	return newMeasurement(round, name, u, web.Stats{Total: 1000, Unique: 1000, Connections: 7}, 0.5)
}

func sample() *report {
	slow := ran(2, "trawl", 1)
	slow.Server.Unique, slow.Server.Repeats = 900, 3
	return &report{
		Spec: web.Default(), Rounds: 3, Commands: map[string]string{"trawl": "trawl crawl", "colly": "collycrawl", "floor": "floor"},
		Runs: []measurement{
			ran(1, "trawl", 1), ran(1, "colly", 5), ran(1, "floor", 0.5),
			slow, ran(2, "colly", 5), ran(2, "floor", 0.5),
			ran(3, "trawl", 2), ran(3, "colly", 4), ran(3, "floor", 0.25),
		},
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestMeasurementFigures(t *testing.T) {
	m := ran(1, "x", 4)
	if !near(m.PagesPerCPU, 250) || !near(m.PagesPerSec, 500) || !near(m.User, 3) || !near(m.Sys, 1) || m.PeakMemory != 64<<20 {
		t.Errorf("figures are wrong: %+v", m)
	}
	if m := newMeasurement(1, "x", usage{}, web.Stats{Total: 1, Unique: 1}, 0); m.PagesPerCPU != 0 || m.PagesPerSec != 0 {
		t.Errorf("a run of no time has a rate: %+v", m) // JSON knows no infinity
	}
}

func TestCompleteAndNotes(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*measurement)
		complete bool
		notes    string
	}{
		"as it should be": {func(*measurement) {}, true, ""},
		"missing":         {func(m *measurement) { m.Server.Unique = 990 }, false, "10 PAGES MISSING"},
		"exit code":       {func(m *measurement) { m.Exit = 3 }, false, "EXIT 3"},
		"too slow":        {func(m *measurement) { m.TimedOut, m.Exit, m.Server.Unique = true, -1, 0 }, false, "TIMED OUT, 1000 PAGES MISSING"},
		"repeats":         {func(m *measurement) { m.Server.Repeats, m.Server.BrokenOff = 2, 1 }, true, "2 repeats, 1 broken off"},
		"bad requests":    {func(m *measurement) { m.Server.Bad = 4 }, true, "4 bad requests"},
	} {
		t.Run(name, func(t *testing.T) {
			m := ran(1, "x", 1)
			c.change(&m)
			if m.complete() != c.complete || m.notes() != c.notes {
				t.Errorf("complete %v, notes %q", m.complete(), m.notes())
			}
		})
	}
}

func TestRatiosGoRoundByRound(t *testing.T) {
	r := sample()
	r.summarise([]string{"colly", "floor", "absent"})
	type row struct {
		of, to string
		rounds []roundsRatio
		median float64
	}
	want := []row{
		{"trawl", "colly", []roundsRatio{{1, 5}, {3, 2}}, 3.5}, // round 2 was not complete
		{"floor", "colly", []roundsRatio{{1, 10}, {2, 10}, {3, 16}}, 10},
		{"trawl", "floor", []roundsRatio{{1, 0.5}, {3, 0.125}}, 0.3125},
	}
	if len(r.Ratios) != len(want) {
		t.Fatalf("%d ratios, want %d: %+v", len(r.Ratios), len(want), r.Ratios)
	}
	for i, w := range want {
		got := r.Ratios[i]
		same := slices.EqualFunc(got.Rounds, w.rounds, func(a, b roundsRatio) bool { return a.Round == b.Round && near(a.Value, b.Value) })
		if got.Of != w.of || got.To != w.to || !same || !near(got.Median, w.median) {
			t.Errorf("ratio %d is %+v, want %+v", i, got, w)
		}
	}
	if m := r.Medians[0]; m.Peer != "trawl" || m.Runs != 2 || !near(m.PagesPerCPU, 750) {
		t.Errorf("medians of trawl: %+v", m)
	}
}

func TestReportIsCompleteOnlyIfEveryRunIs(t *testing.T) {
	r := sample()
	if r.complete() {
		t.Error("a run with pages missing passes")
	}
	r.Runs[3] = ran(2, "trawl", 1)
	if !r.complete() {
		t.Error("nine complete runs do not pass")
	}
	r.Runs = r.Runs[:8]
	if r.complete() {
		t.Error("a run that never was passes")
	}
}

func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)).Draw(t, "values")
		before := slices.Clone(v)
		m := median(v)
		if !slices.Equal(v, before) {
			t.Fatal("the values were moved")
		}
		below, above := 0, 0
		for _, x := range v {
			if x < m {
				below++
			}
			if x > m {
				above++
			}
		}
		if below > len(v)/2 || above > len(v)/2 {
			t.Fatalf("median of %v is %v: %d below, %d above", v, m, below, above)
		}
	})
	if m := median([]float64{4, 1, 2}); m != 2 {
		t.Errorf("median of 1, 2, 4 is %v", m)
	}
	if m := median([]float64{4, 1, 2, 8}); m != 3 {
		t.Errorf("median of 1, 2, 4, 8 is %v", m)
	}
	if m := median(nil); m != 0 {
		t.Errorf("median of nothing is %v", m)
	}
}

func TestTextReport(t *testing.T) {
	r := sample()
	r.summarise([]string{"colly"})
	var b bytes.Buffer
	if err := r.text(&b); err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(b.String()) {
		f := strings.Fields(line)
		if len(f) > 2 {
			lines[strings.Join(f[:2], " ")] = strings.Join(f[2:], " ")
		}
	}
	for start, want := range map[string]string{
		"1 trawl":     "1000 500 0.75+0.25 2.00 64 1000 0 0 7 0.00 0.5",
		"2 trawl":     "1000 500 0.75+0.25 2.00 64 900 3 0 7 0.00 0.5 100 PAGES MISSING, 3 repeats",
		"trawl 2":     "750 500 64",
		"trawl /":     "colly 5.00 - 2.00 3.50",
		"ratio round": "1 round 2 round 3 median",
	} {
		if lines[start] != want {
			t.Errorf("row %q is %q, want %q", start, lines[start], want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
}

func TestTextReportOfAPeerThatNeverFinished(t *testing.T) {
	r := sample()
	for i := range r.Runs {
		if r.Runs[i].Peer == "trawl" {
			r.Runs[i].TimedOut = true
		}
	}
	r.summarise([]string{"colly"})
	var b bytes.Buffer
	if err := r.text(&b); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, "trawl / colly - - - -") || !strings.Contains(got, "trawl 0 - - -") {
		t.Errorf("no dashes for what was not measured:\n%s", b.String())
	}
}

func TestJSONReport(t *testing.T) {
	r := sample()
	r.summarise([]string{"colly"})
	var b bytes.Buffer
	if err := write(&b, r, true); err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Runs) != 9 || back.Runs[3].Server.Unique != 900 || len(back.Ratios) != 2 || back.Spec != r.Spec {
		t.Errorf("what is read back differs: %+v", back)
	}
}
