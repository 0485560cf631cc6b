package report

import (
	"context"
	"sort"
	"strconv"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Breakdown are the crawl stats of a store or hostname (I1, I2): requests with
// duplicates counted, each redirect hop for itself, and those of C6 that would
// have been made.
type Breakdown struct {
	Requests  int64         `json:"requests"`
	NotSent   int64         `json:"not_sent"` // of them, disallowed or abandoned: nothing went over the wire
	Bytes     int64         `json:"bytes"`
	Average   time.Duration `json:"average_response_ns"` // over requests that were sent
	Response  []Share       `json:"by_response"`
	File      []Share       `json:"by_file_type"`
	Purpose   []Share       `json:"by_purpose"`
	Client    []Share       `json:"by_client_type"`
	Days      []Day         `json:"days"`
	Robots    []Share       `json:"robots_txt"` // requests for robots.txt and homepages (C4), by response
	HostCount int           `json:"hosts"`
}

// Share is one row of a breakdown.
type Share struct {
	Label    string  `json:"label"`
	Requests int64   `json:"requests"`
	Percent  float64 `json:"percent"`
}

// Day are the totals of one day (I1).
type Day struct {
	Date     string `json:"date"`
	Requests int64  `json:"requests"`
	Bytes    int64  `json:"bytes"`
	Millis   int64  `json:"response_ms"`
}

// Stats sums the crawl stats that match the filter.
func Stats(ctx context.Context, st store.Store, filter store.StatFilter) (*Breakdown, error) {
	b := &Breakdown{Days: []Day{}}
	by := [5]map[string]int64{{}, {}, {}, {}, {}}
	days := map[int32]*Day{}
	hosts := map[crawl.Host]bool{}
	var sent, millis int64
	for s, err := range st.Stats(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if len(hosts) < 1_000_000 {
			hosts[s.Host] = true
		}
		b.Requests += s.Count
		b.Bytes += s.Bytes
		if s.Sent {
			sent += s.Count
			millis += s.Millis
		} else {
			b.NotSent += s.Count
		}
		if s.Kind == crawl.KindRobots {
			by[4][s.Response.String()] += s.Count
		}
		by[0][s.Response.String()] += s.Count
		by[1][s.File.String()] += s.Count
		by[2][s.Purpose.String()] += s.Count
		by[3][s.Type.String()] += s.Count
		d := days[s.Day]
		if d == nil {
			d = &Day{Date: time.Unix(int64(s.Day)*86_400, 0).UTC().Format(time.DateOnly)}
			days[s.Day] = d
		}
		d.Requests += s.Count
		d.Bytes += s.Bytes
		d.Millis += s.Millis
	}
	if sent > 0 {
		b.Average = time.Duration(millis) * time.Millisecond / time.Duration(sent)
	}
	b.HostCount = len(hosts)
	b.Response, b.File, b.Purpose, b.Client, b.Robots = shares(by[0]), shares(by[1]), shares(by[2]), shares(by[3]), shares(by[4])
	for _, d := range days {
		b.Days = append(b.Days, *d)
	}
	sort.Slice(b.Days, func(i, j int) bool { return b.Days[i].Date < b.Days[j].Date })
	return b, nil
}

// shares orders a breakdown by requests, then label.
func shares(m map[string]int64) []Share {
	var total int64
	out := make([]Share, 0, len(m))
	for label, n := range m {
		out = append(out, Share{Label: label, Requests: n})
		total += n
	}
	for i := range out {
		out[i].Percent = 100 * float64(out[i].Requests) / float64(total)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Requests != out[j].Requests {
			return out[i].Requests > out[j].Requests
		}
		return out[i].Label < out[j].Label
	})
	return out
}

func robotsAnswer(r *crawl.RobotsRecord) string {
	if r.Failure != crawl.FailNone {
		return r.Failure.String()
	}
	return strconv.Itoa(r.Status)
}

// top keeps the n facts with the largest values.
type top struct {
	n     int
	items []ranked
}

type ranked struct {
	fact  PageFact
	value int64
}

func (t *top) add(f PageFact, value int64) {
	if len(t.items) == t.n && value <= t.items[len(t.items)-1].value {
		return
	}
	i := sort.Search(len(t.items), func(i int) bool { return t.items[i].value < value })
	t.items = append(t.items, ranked{})
	copy(t.items[i+1:], t.items[i:])
	t.items[i] = ranked{f, value}
	if len(t.items) > t.n {
		t.items = t.items[:t.n]
	}
}

func (t *top) sorted() []PageFact {
	out := make([]PageFact, len(t.items))
	for i := range t.items {
		out[i] = t.items[i].fact
	}
	return out
}
