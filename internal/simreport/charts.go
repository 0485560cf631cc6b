package simreport

import (
	"fmt"
	"math"
	"time"

	"trawl/internal/chart"
	"trawl/internal/crawl"
	"trawl/internal/sim"
)

// Named is a chart with the name of its file, without ending.
type Named struct {
	Name  string
	Chart chart.Chart
}

// Charts are the charts of a run: crawl rate, crawl capacity limit, answers and
// index states of the first host over time.
func Charts(f *Figures, r *sim.Result) []Named {
	if len(r.Hosts) == 0 || len(r.Hosts[0].Points) == 0 {
		return nil
	}
	t := &r.Hosts[0]
	hours := pointHours(t)
	base := func(title, unit, desc string, kind chart.Kind) chart.Chart {
		c := chart.Chart{Title: title, Unit: unit, Desc: desc, Kind: kind, Elapsed: true, Times: times(t), Spans: f.spans(r)}
		return c
	}
	rate := base("Crawl rate of "+string(t.Host), "requests an hour", f.describe("requests an hour", f.Before.Requests, f.During.Requests), chart.Lines)
	rate.Series = []chart.Series{
		series(t, "all requests", func(p *sim.Point) float64 { return float64(p.Requests) / hours }),
		series(t, "for robots.txt", func(p *sim.Point) float64 { return float64(p.Robots) / hours }),
	}
	if most(t, func(p *sim.Point) float64 { return float64(p.Clients[crawl.ClientResource]) }) > 0 {
		rate.Series = append(rate.Series, series(t, "page resources", func(p *sim.Point) float64 { return float64(p.Clients[crawl.ClientResource]) / hours }))
	}
	if most(t, func(p *sim.Point) float64 { return float64(p.Clients[crawl.ClientAdsBot]) }) > 0 {
		rate.Series = append(rate.Series, series(t, "AdsBot", func(p *sim.Point) float64 { return float64(p.Clients[crawl.ClientAdsBot]) / hours }))
	}
	capacity := base("Crawl capacity limit of "+string(t.Host), "connection-seconds per second", f.describe("connection-seconds per second", f.Before.Limit, f.During.Lowest), chart.Lines)
	capacity.Series = []chart.Series{
		series(t, "limit", func(p *sim.Point) float64 { return p.Limit }),
		series(t, "lowest in each interval", func(p *sim.Point) float64 { return p.Lowest }),
	}
	if f.Before.Limit > 0 && len(f.Trouble) > 0 {
		capacity.Thresholds = []chart.Threshold{{Value: f.Before.Limit, Label: "before"}}
	}
	index := base("Index states of "+string(t.Host), "URLs", fmt.Sprintf("%d URLs passed on before, %d at the fewest, up to %d removed", f.Before.Index.Passed, f.Least, f.Peak.Removed), chart.Areas)
	for _, s := range []crawl.IndexState{crawl.IndexPassed, crawl.IndexRemoved, crawl.IndexPreserved, crawl.IndexExcluded, crawl.IndexUnknown} {
		index.Series = append(index.Series, series(t, indexNames[s], func(p *sim.Point) float64 { return float64(p.Index[s]) }))
	}
	answers := base("Answers of "+string(t.Host), "an hour", "answers by kind, and requests that were not made", chart.Bars)
	answers.Series = answerSeries(t, hours)
	return []Named{{"rate", rate}, {"capacity", capacity}, {"index", index}, {"answers", answers}}
}

var indexNames = map[crawl.IndexState]string{
	crawl.IndexPassed: "passed on", crawl.IndexRemoved: "removed", crawl.IndexPreserved: "preserved", crawl.IndexExcluded: "excluded", crawl.IndexUnknown: "not crawled yet",
}

// answerSeries groups the responses of the crawl stats.
func answerSeries(t *sim.Track, hours float64) []chart.Series {
	groups := []struct {
		name string
		of   []crawl.Response
	}{
		{"OK", []crawl.Response{crawl.ResponseOK}},
		{"server error", []crawl.Response{crawl.ResponseServerError, crawl.ResponseFetchError}},
		{"not modified", []crawl.Response{crawl.ResponseNotModified}},
		{"not found, other 4xx", []crawl.Response{crawl.ResponseNotFound, crawl.ResponseUnauthorized, crawl.ResponseClientError}},
		{"redirect", []crawl.Response{crawl.ResponseMovedPermanently, crawl.ResponseMovedTemporarily, crawl.ResponseRedirectError}},
		{"network failure", []crawl.Response{crawl.ResponseDNSError, crawl.ResponseDNSUnresponsive, crawl.ResponseUnreachable, crawl.ResponseTimeout}},
	}
	var out []chart.Series
	for _, g := range groups {
		value := func(p *sim.Point) float64 {
			n := 0
			for _, r := range g.of {
				n += p.Responses[r]
			}
			return float64(n) / hours
		}
		if most(t, value) > 0 || len(out) == 0 {
			out = append(out, series(t, g.name, value))
		}
	}
	if abandoned := func(p *sim.Point) float64 { return float64(p.Abandoned) / hours }; most(t, abandoned) > 0 {
		out = append(out, series(t, "not made: no robots.txt", abandoned))
	}
	return out
}

func series(t *sim.Track, name string, value func(*sim.Point) float64) chart.Series {
	s := chart.Series{Name: name, Values: make([]float64, len(t.Points))}
	for i := range t.Points {
		s.Values[i] = value(&t.Points[i])
	}
	return s
}

func most(t *sim.Track, value func(*sim.Point) float64) float64 {
	m := 0.0
	for i := range t.Points {
		m = max(m, value(&t.Points[i]))
	}
	return m
}

func times(t *sim.Track) []time.Time {
	out := make([]time.Time, len(t.Points))
	for i := range t.Points {
		out[i] = t.Points[i].At
	}
	return out
}

// pointHours is how many hours a point of a timeline stands for.
func pointHours(t *sim.Track) float64 {
	if len(t.Points) < 2 {
		return 1
	}
	return math.Max(t.Points[1].At.Sub(t.Points[0].At).Hours(), 1.0/3600)
}

// spans are the stretches of trouble.
func (f *Figures) spans(r *sim.Result) []chart.Span {
	var out []chart.Span
	for i := range f.Trouble {
		t := &f.Trouble[i]
		to := r.End
		if t.Ends {
			to = r.Start.Add(time.Duration(t.To))
		}
		out = append(out, chart.Span{From: r.Start.Add(time.Duration(t.From)), To: to, Label: t.Text})
	}
	return out
}

func (f *Figures) describe(unit string, before, during float64) string {
	if len(f.Trouble) == 0 || f.Before.To == 0 {
		return number(during) + " " + unit
	}
	return fmt.Sprintf("%s %s before, %s during: %s", number(before), unit, number(during), f.Trouble[0].Text)
}
