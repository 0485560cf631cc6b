package sim

import (
	"fmt"
	"hash/fnv"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Result is what a run has shown.
type Result struct {
	Name    string
	Seed    uint64
	Start   time.Time
	End     time.Time
	Fetches int64       // requests sent
	Total   Track       // over all hostnames
	Hosts   []Track     // the first TimedHosts hostnames
	Final   []HostState // every hostname, in the scenario's order
	Sum     Point       // of Total, over the whole run
	Store   store.Store // as the run left it
}

// Change is a kind of change of an index state: to what, and by which row (F13).
type Change struct {
	To  crawl.IndexState
	Row string
}

// HostState is a hostname at the end of a run, and sums over it.
type HostState struct {
	Host crawl.Host
	Load crawl.HostLoad
	Sum  Point
	Last time.Time      // last request sent; zero = none
	Rows map[Change]int // changes of index states by behaviour row, those before the start left out
}

func (r *recorder) finish(d *driver) *Result {
	if r.from.Before(d.now) {
		r.close(d) // the rest of an interval
	}
	res := &Result{
		Name: r.sc.Name, Seed: r.sc.Seed, Start: r.sc.Start, End: d.now, Fetches: d.fetches,
		Total: r.total.out, Sum: r.total.sum, Store: d.st,
	}
	for _, t := range r.list {
		if t.keep {
			res.Hosts = append(res.Hosts, t.out)
		}
		res.Final = append(res.Final, HostState{Host: t.out.Host, Load: t.load, Sum: t.sum, Last: t.lastSent, Rows: t.rows})
	}
	return res
}

// Host returns the timeline of a hostname, nil if it has none.
func (r *Result) Host(name crawl.Host) *Track {
	for i := range r.Hosts {
		if r.Hosts[i].Host == name {
			return &r.Hosts[i]
		}
	}
	return nil
}

// Between sums the points of a timeline that start in [from, to), both since
// the start of the run.
func (t *Track) Between(from, to time.Duration) Point {
	var sum Point
	if len(t.Points) == 0 {
		return sum
	}
	start := t.Points[0].At
	for i := range t.Points {
		if at := t.Points[i].At.Sub(start); at >= from && at < to {
			if sum.At.IsZero() {
				sum.At = t.Points[i].At
			}
			sum.add(&t.Points[i])
		}
	}
	return sum
}

// Hash is a fingerprint of every figure of the result: two runs that are the
// same have the same.
func (r *Result) Hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %v %v %d\n", r.Name, r.Seed, r.Start, r.End, r.Fetches)
	for _, t := range append([]Track{r.Total}, r.Hosts...) {
		fmt.Fprintf(h, "%s %+v %+v\n", t.Host, t.Points, t.Causes)
	}
	for _, f := range r.Final {
		fmt.Fprintf(h, "%+v\n", f)
	}
	return h.Sum64()
}
