package simreport

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"trawl/internal/crawl"
	"trawl/internal/sim"
)

// row is one line of a timeline: values by point, gathered to columns.
type row struct {
	name   string
	values []float64
	peak   bool // a column shows the highest value, not the mean
}

// rows are the lines of a hostname's timeline; those that are zero all the time
// are left out, but for the first three.
func rowsOf(t *sim.Track, interval time.Duration) []row {
	hours := interval.Hours()
	list := []row{{name: "requests/h"}, {name: "limit"}, {name: "passed on"}, {name: "preserved", peak: true}, {name: "removed", peak: true}, {name: "excluded", peak: true}, {name: "abandoned/h"}, {name: "resources/h"}}
	for i := range t.Points {
		p := &t.Points[i]
		for k, v := range []float64{
			float64(p.Requests) / hours, p.Limit, float64(p.Index[crawl.IndexPassed]), float64(p.Index[crawl.IndexPreserved]),
			float64(p.Index[crawl.IndexRemoved]), float64(p.Index[crawl.IndexExcluded]), float64(p.Abandoned) / hours, float64(p.Clients[crawl.ClientResource]) / hours,
		} {
			list[k].values = append(list[k].values, v)
		}
	}
	out := list[:3]
	for _, r := range list[3:] {
		if highest(r.values) > 0 {
			out = append(out, r)
		}
	}
	return out
}

func highest(list []float64) float64 {
	m := 0.0
	for _, v := range list {
		m = max(m, v)
	}
	return m
}

// columns gathers values to n columns.
func (r *row) columns(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		from := i * len(r.values) / n
		to := max((i+1)*len(r.values)/n, from+1)
		sum := 0.0
		for _, v := range r.values[from:min(to, len(r.values))] {
			if r.peak {
				sum = max(sum, v)
			} else {
				sum += v / float64(to-from)
			}
		}
		out[i] = sum
	}
	return out
}

// blocks are the bars, from nothing to full.
var blocks = []rune(" ▁▂▃▄▅▆▇█")

func bar(v, top float64) rune {
	if v <= 0 || top <= 0 {
		return blocks[0]
	}
	return blocks[min(max(int(math.Round(v/top*8)), 1), 8)]
}

const (
	labelWidth = 12
	valueWidth = 9
	narrowest  = 40
)

// Timeline writes the first host's timeline, no wider than width columns: a line of
// bars for each figure, with its highest value behind it.
func Timeline(w io.Writer, sc sim.Scenario, r *sim.Result, width int) error {
	if len(r.Hosts) == 0 || len(r.Hosts[0].Points) == 0 {
		return nil
	}
	t := &r.Hosts[0]
	n := min(max(width, narrowest)-labelWidth-valueWidth-2, len(t.Points))
	interval := r.End.Sub(r.Start)
	if len(t.Points) > 1 {
		interval = t.Points[1].At.Sub(t.Points[0].At)
	}
	var b strings.Builder
	if marks := troubleMarks(sc, r, n); marks != "" {
		fmt.Fprintf(&b, "%-*s %s\n", labelWidth, "trouble", marks)
	}
	for _, x := range rowsOf(t, interval) {
		cols := x.columns(n)
		top := highest(cols)
		fmt.Fprintf(&b, "%-*s ", labelWidth, x.name)
		for _, v := range cols {
			b.WriteRune(bar(v, top))
		}
		fmt.Fprintf(&b, " %*s\n", valueWidth, number(top))
	}
	fmt.Fprintf(&b, "%-*s %s\n", labelWidth, "", axis(r.End.Sub(r.Start), n))
	_, err := io.WriteString(w, b.String())
	return err
}

// troubleMarks shows when the trouble is.
func troubleMarks(sc sim.Scenario, r *sim.Result, n int) string {
	list := troubles(sc)
	if len(list) == 0 {
		return ""
	}
	span := float64(r.End.Sub(r.Start))
	marks := []rune(strings.Repeat("·", n))
	for _, t := range list {
		from, to := int(float64(t.From)/span*float64(n)), n
		if t.Ends {
			to = int(math.Ceil(float64(t.To) / span * float64(n)))
		}
		for i := min(from, n-1); i < max(min(to, n), min(from, n-1)+1); i++ {
			marks[i] = '▒'
		}
	}
	return string(marks)
}

// axis writes times below the bars, where there is room.
func axis(span time.Duration, n int) string {
	const day = 24 * time.Hour
	unit, name := day, "d"
	switch {
	case span < 3*time.Hour:
		unit, name = time.Minute, "min"
	case span < 3*day:
		unit, name = time.Hour, "h"
	}
	total := float64(span) / float64(unit)
	step := 1.0
	for _, s := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000} {
		if step = s; s/total*float64(n) >= 8 {
			break
		}
	}
	line := []rune(strings.Repeat(" ", n))
	for v := 0.0; v <= total; v += step {
		label := fmt.Sprintf("%g %s", v, name)
		if v == 0 {
			label = "0"
		}
		at := int(v / total * float64(n))
		if at+utf8.RuneCountInString(label) > n {
			break
		}
		copy(line[at:], []rune(label))
	}
	return strings.TrimRight(string(line), " ")
}
