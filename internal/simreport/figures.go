package simreport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/sim"
)

// Figures are what a run has shown of the first host of its scenario.
type Figures struct {
	Name     string        `json:"name"`
	Title    string        `json:"title,omitempty"`
	Rows     []string      `json:"rows,omitempty"` // behaviour rows, as the scenario names them
	Seed     uint64        `json:"seed"`
	Host     crawl.Host    `json:"host"`
	Duration Seconds       `json:"duration_seconds"`
	Fetches  int64         `json:"requests"` // over all hosts
	Known    int           `json:"urls_known"`
	Trouble  []Trouble     `json:"trouble"`
	Before   Phase         `json:"before"`
	During   Phase         `json:"during"`
	After    *Phase        `json:"after"` // nil: the trouble lasts until the end
	FirstCut After         `json:"first_cut_after_seconds"`
	Cut      string        `json:"first_cut_cause,omitempty"`
	Removed  After         `json:"first_removed_after_seconds"` // since the trouble began
	RateBack After         `json:"rate_back_after_seconds"`     // since it ended
	URLsBack After         `json:"urls_back_after_seconds"`     // since it ended
	Peak     States        `json:"most"`                        // since the trouble began
	Least    int           `json:"fewest_passed"`
	Lost     int           `json:"lost"` // URLs passed on before, less those at the end
	OptOut   bool          `json:"http2_opt_out"`
	Traps    []crawl.Trap  `json:"traps,omitempty"`
	Clusters []Cluster     `json:"clusters,omitempty"`
	Others   []Other       `json:"other_hosts,omitempty"`
	Changes  []Change      `json:"index_changes"` // during the run, by behaviour row
	from, to time.Duration // of the trouble
	ends     bool
}

// Cluster is content that many URLs of the host gave.
type Cluster struct {
	Title string `json:"title"`
	Count int64  `json:"urls"`
}

// Other is what came of another host of the scenario.
type Other struct {
	Host     crawl.Host `json:"host"`
	Requests int        `json:"requests"`
	Index    States     `json:"index"`
	Reached  After      `json:"half_passed_after_seconds"` // half of its pages passed on, since the trouble began
}

// Change is how many index states of the host became another one by a behaviour row.
type Change struct {
	To    crawl.IndexState `json:"to"`
	Row   string           `json:"behaviour"`
	Count int              `json:"urls"`
}

// rowsTo are the rows by which URLs came into a state.
func (f *Figures) rowsTo(to crawl.IndexState) []string {
	var rows []string
	for _, c := range f.Changes {
		if c.To == to {
			rows = append(rows, c.Row)
		}
	}
	return rows
}

// States counts URLs by index state.
type States struct {
	Unknown   int `json:"unknown"`
	Passed    int `json:"passed"`
	Preserved int `json:"preserved"`
	Excluded  int `json:"excluded"`
	Removed   int `json:"removed"`
}

func statesOf(x sim.Index) States {
	return States{x[crawl.IndexUnknown], x[crawl.IndexPassed], x[crawl.IndexPreserved], x[crawl.IndexExcluded], x[crawl.IndexRemoved]}
}

// Phase is a stretch of the run.
type Phase struct {
	From      Seconds        `json:"from_seconds"`
	To        Seconds        `json:"to_seconds"`
	Requests  float64        `json:"requests_an_hour"`
	Robots    float64        `json:"robots_requests_a_day"`
	Resources float64        `json:"page_resources_an_hour"`
	HTTP2     int            `json:"http2_answers"`
	Refused   int            `json:"http2_refused"`
	Lowest    float64        `json:"lowest_limit"`
	Limit     float64        `json:"limit_at_end"`
	Abandoned int            `json:"abandoned"`
	Exceeded  bool           `json:"hostload_exceeded"`
	Index     States         `json:"index_at_end"`
	Responses map[string]int `json:"responses"`
	Clients   map[string]int `json:"clients"`
}

// Seconds is a duration as JSON: whole seconds.
type Seconds time.Duration

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d", int64(time.Duration(s).Seconds())), nil
}

// After is when something was reached, nil = never.
type After struct{ d *time.Duration }

func after(d time.Duration) After { return After{&d} }

// Value returns the time, false if it was never reached.
func (a After) Value() (time.Duration, bool) {
	if a.d == nil {
		return 0, false
	}
	return *a.d, true
}

// MarshalJSON implements json.Marshaler: null if it was never reached.
func (a After) MarshalJSON() ([]byte, error) {
	if a.d == nil {
		return []byte("null"), nil
	}
	return Seconds(*a.d).MarshalJSON()
}

// Measure reads the figures of a run.
func Measure(ctx context.Context, sc sim.Scenario, r *sim.Result) (*Figures, error) {
	if len(r.Hosts) == 0 {
		return nil, fmt.Errorf("the run of %q has no timeline of a host", sc.Name)
	}
	t := &r.Hosts[0]
	f := &Figures{Name: sc.Name, Seed: r.Seed, Host: t.Host, Duration: Seconds(r.End.Sub(r.Start)), Fetches: r.Fetches, Trouble: troubles(sc)}
	f.span(sc)
	f.Before, f.During = phase(t, 0, f.from), phase(t, f.from, f.to)
	if f.ends {
		p := phase(t, f.to, time.Duration(f.Duration)+1)
		f.After = &p
	}
	f.reached(t, r.Start)
	for i := range t.Causes {
		c := &t.Causes[i]
		if at := c.At.Sub(r.Start); at >= f.from && (c.Limit < f.Before.Limit || c.Until.After(c.At)) && c.Text != "" {
			f.FirstCut, f.Cut = after(at-f.from), c.Text
			break
		}
	}
	f.others(sc, r)
	f.Changes = []Change{}
	for c, n := range r.Final[0].Rows {
		f.Changes = append(f.Changes, Change{c.To, c.Row, n})
	}
	slices.SortFunc(f.Changes, func(a, b Change) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Row, b.Row)) })
	rec, ok, err := r.Store.Host(ctx, t.Host)
	if err != nil {
		return nil, fmt.Errorf("reading what the run left: %w", err)
	}
	if ok {
		f.OptOut, f.Traps = rec.Protocol.OptOut, rec.Traps
		for _, c := range rec.Clusters {
			f.Clusters = append(f.Clusters, Cluster{c.Title, c.Count})
		}
	}
	return f, nil
}

// span finds when the trouble begins, and when it is over.
func (f *Figures) span(sc sim.Scenario) {
	f.to = time.Duration(f.Duration) + 1
	if len(f.Trouble) == 0 {
		return
	}
	f.from, f.ends = time.Duration(f.Trouble[0].From), true
	end := time.Duration(0)
	for _, t := range f.Trouble {
		f.from = min(f.from, time.Duration(t.From))
		end = max(end, time.Duration(t.To))
		f.ends = f.ends && t.Ends
	}
	if f.ends = f.ends && end < time.Duration(f.Duration); f.ends {
		f.to = end
	}
}

func phase(t *sim.Track, from, to time.Duration) Phase {
	p := Phase{From: Seconds(from), To: Seconds(to), Responses: map[string]int{}, Clients: map[string]int{}}
	if to <= from || len(t.Points) == 0 {
		return p
	}
	q := t.Between(from, to)
	hours := max((to - from).Hours(), 1.0/60)
	p.Requests = float64(q.Requests) / hours
	p.Robots = float64(q.Robots) / hours * 24
	p.Resources = float64(q.Clients[crawl.ClientResource]) / hours
	p.HTTP2, p.Refused, p.Lowest, p.Limit, p.Abandoned, p.Exceeded = q.HTTP2, q.Refused, q.Lowest, q.Limit, q.Abandoned, q.Exceeded
	p.Index = statesOf(q.Index)
	for i, n := range q.Responses {
		if n > 0 {
			p.Responses[crawl.Response(i).String()] = n
		}
	}
	for i, n := range q.Clients {
		if n > 0 {
			p.Clients[crawl.ClientType(i).String()] = n
		}
	}
	return p
}

// What counts as back (house choices): nine tenths of the limit, and all but one
// in fifty of the URLs.
const (
	rateBack = 0.9
	urlsBack = 0.98
)

// reached finds the first times, and the highest and lowest values.
func (f *Figures) reached(t *sim.Track, start time.Time) {
	f.Least = f.Before.Index.Passed
	passed := float64(f.Before.Index.Passed)
	interval := time.Duration(pointHours(t) * float64(time.Hour))
	for i := range t.Points {
		p := &t.Points[i]
		at, x := p.At.Sub(start), statesOf(p.Index)
		end := at + interval // what a point says was so at its end, at the latest
		f.Known = p.Discovered
		if at < f.from {
			continue
		}
		f.Peak = States{max(f.Peak.Unknown, x.Unknown), max(f.Peak.Passed, x.Passed), max(f.Peak.Preserved, x.Preserved), max(f.Peak.Excluded, x.Excluded), max(f.Peak.Removed, x.Removed)}
		f.Least = min(f.Least, x.Passed)
		if _, ok := f.Removed.Value(); !ok && x.Removed > f.Before.Index.Removed {
			f.Removed = after(end - f.from)
		}
		if !f.ends || at < f.to {
			continue
		}
		if _, ok := f.RateBack.Value(); !ok && p.Limit >= rateBack*f.Before.Limit {
			f.RateBack = after(end - f.to)
		}
		if _, ok := f.URLsBack.Value(); !ok && float64(x.Passed) >= urlsBack*passed {
			f.URLsBack = after(end - f.to)
		}
	}
	if n := len(t.Points); n > 0 {
		f.Lost = max(0, f.Before.Index.Passed-statesOf(t.Points[n-1].Index).Passed)
	}
}

// others are the hosts beside the first, the first ten of them.
func (f *Figures) others(sc sim.Scenario, r *sim.Result) {
	for i := 1; i < min(len(r.Final), len(r.Hosts), 11); i++ {
		h := &r.Final[i]
		o := Other{Host: h.Host, Requests: h.Sum.Requests, Index: statesOf(h.Sum.Index)}
		for _, p := range r.Hosts[i].Points {
			if at := p.At.Sub(r.Start); at >= f.from && 2*statesOf(p.Index).Passed >= o.Index.Passed && o.Index.Passed > 0 {
				o.Reached = after(at - f.from + time.Duration(pointHours(&r.Hosts[i])*float64(time.Hour)))
				break
			}
		}
		f.Others = append(f.Others, o)
	}
	slices.SortStableFunc(f.Others, func(a, b Other) int { return b.Requests - a.Requests })
}
