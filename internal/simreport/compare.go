package simreport

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"trawl/internal/chart"
	"trawl/internal/report"
	"trawl/internal/sim"
)

// Metric is one figure of a run, as text.
type Metric struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// hasBefore reports whether there was a time before the trouble: else figures of
// it are no figures.
func (f *Figures) hasBefore() bool { return f.Before.To > f.Before.From }

// Metrics are the figures that are compared.
func (f *Figures) Metrics() []Metric {
	reached := func(a After) string {
		if d, ok := a.Value(); ok {
			return short(d)
		}
		return "never"
	}
	back := func(a After) string {
		if !f.ends {
			return "–"
		}
		return reached(a)
	}
	before := func(s string) string {
		if !f.hasBefore() {
			return "–" // the trouble begins with the run, or there is none
		}
		return s
	}
	end := f.During.Index
	if f.After != nil {
		end = f.After.Index
	}
	return []Metric{
		{"requests an hour before", before(number(f.Before.Requests))},
		{"requests an hour while it lasted", number(f.During.Requests)},
		{"limit before", before(number(f.Before.Limit))},
		{"lowest limit while it lasted", number(f.During.Lowest)},
		{"URLs passed on before", before(fmt.Sprint(f.Before.Index.Passed))},
		{"URLs passed on at the fewest", before(fmt.Sprint(f.Least))},
		{"URLs preserved at the most", fmt.Sprint(f.Peak.Preserved)},
		{"first URL removed within", reached(f.Removed)},
		{"URLs removed at the most", fmt.Sprint(f.Peak.Removed)},
		{"URLs passed on at the end", fmt.Sprint(end.Passed)},
		{"limit back within", back(f.RateBack)},
		{"URLs back within", back(f.URLsBack)},
		{"requests not made (no robots.txt)", fmt.Sprint(f.During.Abandoned)},
		{"requests in all", fmt.Sprint(f.Fetches)},
	}
}

// Comparison is two runs side by side.
type Comparison struct {
	A        *Figures   `json:"a"`
	B        *Figures   `json:"b"`
	Words    []Sentence `json:"words"`
	Same     []string   `json:"same"`      // metrics that do not differ
	Differ   []string   `json:"different"` // and those that do
	Identity bool       `json:"identical"`
}

// Compare puts two runs side by side.
func Compare(a, b *Figures) *Comparison {
	c := &Comparison{A: a, B: b, Same: []string{}, Differ: []string{}}
	mb := b.Metrics()
	for i, m := range a.Metrics() {
		if m.Value == mb[i].Value {
			c.Same = append(c.Same, m.Name)
		} else {
			c.Differ = append(c.Differ, m.Name)
		}
	}
	c.Identity = len(c.Differ) == 0
	c.words()
	return c
}

func (c *Comparison) words() {
	say := func(topic string, rows []string, format string, args ...any) {
		c.Words = append(c.Words, Sentence{topic, fmt.Sprintf(format, args...), rows})
	}
	if c.Identity {
		say("Both", nil, "The two make no difference in any of the figures.")
		return
	}
	both := c.A.hasBefore() && c.B.hasBefore()
	slows := func(f *Figures) bool { return f.During.Lowest < unchanged*f.Before.Limit }
	switch a, b := slows(c.A), slows(c.B); {
	case !both:
		say("Crawl rate", nil, "What becomes of the limit cannot be compared: of one of them nothing is known from before.")
	case a && b:
		say("Crawl rate", []string{"E3", "E4"}, "Both slow the whole hostname: to %s and to %s connection-seconds per second.", number(c.A.During.Lowest), number(c.B.During.Lowest))
	case a:
		say("Crawl rate", []string{"E3", "E6"}, "%s slows the whole hostname; %s leaves its limit as it was.", c.A.Name, c.B.Name)
	case b:
		say("Crawl rate", []string{"E3", "E6"}, "%s slows the whole hostname; %s leaves its limit as it was.", c.B.Name, c.A.Name)
	default:
		say("Crawl rate", []string{"E6"}, "Neither lowers the crawl capacity limit.")
	}
	ra, oka := c.A.Removed.Value()
	rb, okb := c.B.Removed.Value()
	switch {
	case oka && okb && ra == rb:
		say("Index", nil, "Both remove the first URL within %s.", short(ra))
	case oka && okb:
		say("Index", []string{"F6", "F7", "F8"}, "%s removes the first URL within %s, %s within %s.", c.A.Name, short(ra), c.B.Name, short(rb))
	case oka:
		say("Index", []string{"F6", "F7", "F8"}, "%s removes URLs, the first within %s; %s removes none.", c.A.Name, short(ra), c.B.Name)
	case okb:
		say("Index", []string{"F6", "F7", "F8"}, "%s removes URLs, the first within %s; %s removes none.", c.B.Name, short(rb), c.A.Name)
	default:
		say("Index", nil, "Neither removes a URL.")
	}
	if la, lb := c.A.Least, c.B.Least; both && la != lb {
		say("Index", nil, "URLs passed on at the fewest: %d with %s, %d with %s.", la, c.A.Name, lb, c.B.Name)
	}
}

// Text writes the comparison for people.
func (c *Comparison) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s\n", report.Safe(c.A.Name), report.Safe(c.B.Name))
	for _, f := range []*Figures{c.A, c.B} {
		for i := range f.Trouble {
			fmt.Fprintf(&b, "  %s: %s: %s\n", report.Safe(f.Name), f.Trouble[i].when(), f.Trouble[i].Text)
		}
	}
	b.WriteString("\n")
	for _, s := range c.Words {
		rows := ""
		if len(s.Rows) > 0 {
			rows = " [" + strings.Join(s.Rows, " ") + "]"
		}
		fmt.Fprintf(&b, "  %s%s\n", report.Safe(s.Text), rows)
	}
	b.WriteString("\n")
	ma, mb := c.A.Metrics(), c.B.Metrics()
	wide := max(utf8.RuneCountInString(c.A.Name), 10)
	fmt.Fprintf(&b, "  %-34s %*s  %s\n", "", wide, report.Safe(c.A.Name), report.Safe(c.B.Name))
	for i := range ma {
		mark := " "
		if ma[i].Value != mb[i].Value {
			mark = "≠"
		}
		fmt.Fprintf(&b, "%s %-34s %*s  %s\n", mark, ma[i].Name, wide, ma[i].Value, mb[i].Value)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CompareCharts draws two runs into the same charts, each over its own time.
func CompareCharts(fa, fb *Figures, a, b *sim.Result) []Named {
	if len(a.Hosts) == 0 || len(b.Hosts) == 0 || len(a.Hosts[0].Points) == 0 || len(b.Hosts[0].Points) == 0 {
		return nil
	}
	ta, tb := &a.Hosts[0], &b.Hosts[0]
	union := times(ta)
	for _, t := range times(tb) {
		union = append(union, a.Start.Add(t.Sub(b.Start)))
	}
	slices.SortFunc(union, time.Time.Compare)
	union = slices.CompactFunc(union, time.Time.Equal)
	na, nb := fa.Name, fb.Name
	if na == nb {
		na, nb = na+" (1)", nb+" (2)"
	}
	make2 := func(title, unit string, value func(t *sim.Track, p *sim.Point) float64) chart.Chart {
		return chart.Chart{
			Title: title, Unit: unit, Desc: na + " and " + nb + ", " + unit + " over time", Elapsed: true, Times: union, Spans: fa.spans(a),
			Series: []chart.Series{
				{Name: na, Values: resample(ta, union, a.Start, a.Start, value)},
				{Name: nb, Values: resample(tb, union, a.Start, b.Start, value)},
			},
		}
	}
	perHour := func(t *sim.Track, p *sim.Point) float64 { return float64(p.Requests) / pointHours(t) }
	return []Named{
		{"rate", make2("Crawl rate", "requests an hour", perHour)},
		{"capacity", make2("Crawl capacity limit", "connection-seconds per second", func(_ *sim.Track, p *sim.Point) float64 { return p.Limit })},
		{"index", make2("URLs passed on", "URLs", func(_ *sim.Track, p *sim.Point) float64 { return float64(statesOf(p.Index).Passed) })},
	}
}

// resample gives the value of a timeline at each time: that of the interval in
// which it lies.
func resample(t *sim.Track, at []time.Time, zero, start time.Time, value func(*sim.Track, *sim.Point) float64) []float64 {
	out := make([]float64, len(at))
	i := 0
	last := t.Points[len(t.Points)-1].At.Sub(start)
	for k, x := range at {
		d := x.Sub(zero)
		for i+1 < len(t.Points) && t.Points[i+1].At.Sub(start) <= d {
			i++
		}
		out[k] = value(t, &t.Points[i])
		if d > last {
			out[k] = math.NaN()
		}
	}
	return out
}
