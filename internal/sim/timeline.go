package sim

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// Responses counts requests by their label in the crawl stats (I2).
type Responses [crawl.ResponseOther + 1]int

// ByClient counts requests by client type, page resources among them (I2, I5).
type ByClient [crawl.ClientStoreBot + 1]int

// Index counts URLs by index state. Unknown are those that nothing is known of
// yet.
type Index [crawl.IndexRemoved + 1]int

// Point is one interval of a timeline: sums over it, or the state at its end.
type Point struct {
	At         time.Time     // its start
	Requests   int           // sent
	Robots     int           // of them, for robots.txt
	Clients    ByClient      // of them, by client type
	HTTP2      int           // answers over HTTP/2
	Refused    int           // answers with 421 over HTTP/2, asked again over HTTP/1.1 (B1)
	Responses  Responses     // by answers that came in it
	Abandoned  int           // requests that were not made because robots.txt was not available (C6)
	Blocked    int           // requests that were not made because robots.txt disallows them
	Bytes      int64         // transferred
	Open       time.Duration // for which connections were held open, summed when they ended
	Parallel   int           // most connections at the same time
	Limit      float64       // crawl capacity limit at the end, connection-seconds per second; of the total, the sum
	Lowest     float64       // and its lowest value
	Exceeded   bool          // demand waited for capacity: hostload exceeded (E9)
	Discovered int           // URLs known at the end
	Index      Index         // states at the end
	Queue      int           // URLs in memory at the end; of the total only
}

// Cause is a change of a hostname's capacity.
type Cause struct {
	At    time.Time
	Limit float64
	Until time.Time // of a back-off; zero = none
	Text  string
}

// Track is the timeline of one hostname, or of all.
type Track struct {
	Host   crawl.Host // "" = all
	Points []Point
	Causes []Cause // the first MaxCauses changes of its capacity; not of all
}

// MaxCauses bounds the changes of capacity kept of a hostname (house choice).
const MaxCauses = 1000

// track is a timeline being recorded.
type track struct {
	out      Track
	point    Point
	keep     bool // of points and causes
	index    Index
	limit    float64
	cause    string
	changed  time.Time
	inflight int
	load     crawl.HostLoad
	sum      Point // over the whole run
	lastSent time.Time
	rows     map[Change]int
}

// clientType is the label under which a request is counted (I2).
func (r *recorder) clientType(job *schedule.Job) crawl.ClientType {
	if job.Kind == crawl.KindResource {
		return crawl.ClientResource
	}
	return r.types[job.Client]
}

// recorder writes the timelines of a run.
type recorder struct {
	sc     Scenario
	total  *track
	tracks map[crawl.Host]*track
	list   []*track
	types  map[crawl.ClientID]crawl.ClientType
	from   time.Time // start of the interval
}

func newRecorder(sc Scenario, w *Web) *recorder {
	r := &recorder{sc: sc, tracks: map[crawl.Host]*track{}, from: sc.Start, total: &track{keep: true}}
	r.total.point.At = sc.Start
	for i, s := range w.list {
		t := &track{out: Track{Host: s.name}, keep: i < TimedHosts}
		t.point.At = sc.Start
		r.tracks[s.name] = t
		r.list = append(r.list, t)
	}
	return r
}

// advance closes the intervals that end until at.
func (r *recorder) advance(d *driver, at time.Time) {
	for end := r.from.Add(r.sc.Interval); !at.Before(end); end = r.from.Add(r.sc.Interval) {
		r.close(d)
		r.from = end
		r.open(end)
	}
}

// close ends the present interval in all timelines.
func (r *recorder) close(d *driver) {
	known := 0
	for _, t := range r.list {
		n := d.st.Count(t.out.Host)
		known += n
		t.close(n)
	}
	r.total.close(known)
	if n := len(r.total.out.Points); n > 0 {
		r.total.out.Points[n-1].Queue = d.m.Counts().Queued
	}
}

func (t *track) close(known int) {
	p := &t.point
	p.Limit, p.Index, p.Discovered = t.limit, t.index, known
	if p.Lowest == 0 {
		p.Lowest = t.limit
	}
	p.Index[crawl.IndexUnknown] = known
	for _, n := range t.index[1:] {
		p.Index[crawl.IndexUnknown] -= n
	}
	t.sum.add(p)
	if t.keep {
		t.out.Points = append(t.out.Points, *p)
	}
}

func (p *Point) add(q *Point) {
	p.Requests += q.Requests
	p.Robots += q.Robots
	for i, n := range q.Clients {
		p.Clients[i] += n
	}
	p.HTTP2 += q.HTTP2
	p.Refused += q.Refused
	for i, n := range q.Responses {
		p.Responses[i] += n
	}
	p.Abandoned += q.Abandoned
	p.Blocked += q.Blocked
	p.Bytes += q.Bytes
	p.Open += q.Open
	p.Parallel = max(p.Parallel, q.Parallel)
	p.Limit, p.Index, p.Discovered, p.Queue = q.Limit, q.Index, q.Discovered, q.Queue
	if p.Lowest == 0 || q.Lowest < p.Lowest {
		p.Lowest = q.Lowest
	}
	p.Exceeded = p.Exceeded || q.Exceeded
}

func (r *recorder) open(at time.Time) {
	for _, t := range r.list {
		t.open(at)
	}
	r.total.open(at)
}

func (t *track) open(at time.Time) {
	t.point = Point{At: at, Parallel: t.inflight, Lowest: t.limit}
}

// both calls f with the timelines that an event of a hostname belongs to.
func (r *recorder) both(h crawl.Host, f func(*track)) {
	if t := r.tracks[h]; t != nil {
		f(t)
	}
	f(r.total)
}

func (r *recorder) sent(job *schedule.Job) {
	r.both(job.Host, func(t *track) {
		t.inflight++
		t.point.Requests++
		if job.Kind == crawl.KindRobots {
			t.point.Robots++
		}
		t.point.Clients[r.clientType(job)]++
		t.point.Parallel = max(t.point.Parallel, t.inflight)
		t.lastSent = job.Issued
	})
}

func (r *recorder) answered(job *schedule.Job, f *schedule.Findings) {
	r.both(job.Host, func(t *track) {
		t.inflight--
		t.point.Responses[f.Row.Response]++
		t.point.Bytes += f.Result.HeaderBytes + f.Result.WireBytes
		t.point.Open += f.Result.Timings.Total
		if f.Result.Protocol == crawl.ProtocolHTTP2 {
			t.point.HTTP2++
		}
		if f.Result.Misdirected {
			t.point.Refused++
		}
	})
}

// outcome notes what an outcome changes.
func (r *recorder) outcome(o *crawl.Outcome) {
	if o.Host != nil {
		r.load(o.Host)
	}
	for i := range o.Events {
		e := &o.Events[i]
		if e.Sent {
			continue
		}
		r.both(e.Host, func(t *track) {
			switch e.Response {
			case crawl.ResponseRobotsUnavailable:
				t.point.Abandoned++
			case crawl.ResponseRobotsBlocked:
				t.point.Blocked++
			}
		})
	}
	if x := o.Index; x != nil {
		r.both(x.URL.Host(), func(t *track) {
			if x.From.State != crawl.IndexUnknown {
				t.index[x.From.State]--
			}
			t.index[x.To.State]++
			if !x.At.Before(r.sc.Start) && x.From.State != x.To.State {
				if t.rows == nil {
					t.rows = map[Change]int{}
				}
				t.rows[Change{x.To.State, x.To.Row}]++
			}
		})
	}
}

func (r *recorder) load(rec *crawl.HostRecord) {
	t := r.tracks[rec.Host]
	if t == nil {
		return
	}
	l := &rec.Load
	r.total.limit += l.Limit - t.limit
	t.limit = l.Limit
	t.point.Lowest = lower(t.point.Lowest, t.limit)
	r.total.point.Lowest = lower(r.total.point.Lowest, r.total.limit)
	if l.WindowUsed {
		t.point.Exceeded, r.total.point.Exceeded = true, true
	}
	t.load = *l
	if t.keep && (l.Cause != t.cause || !l.ChangedAt.Equal(t.changed)) && len(t.out.Causes) < MaxCauses {
		t.cause, t.changed = l.Cause, l.ChangedAt
		t.out.Causes = append(t.out.Causes, Cause{At: l.ChangedAt, Limit: l.Limit, Until: l.NotBefore, Text: l.Cause})
	}
}

func lower(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}
