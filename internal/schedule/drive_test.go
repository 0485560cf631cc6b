package schedule

import (
	"context"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/hostload"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/store"
	"trawl/internal/store/memstore"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// answer is what the test's web says to one request.
type answer struct {
	status  int
	header  crawl.Header
	body    string
	failure crawl.FailureClass
	took    time.Duration // 0 = 100 ms
	no2     bool          // answers 421 to HTTP/2
}

func page(links ...string) answer {
	var b strings.Builder
	b.WriteString("<html><title>t</title><p>text</p>")
	for _, l := range links {
		b.WriteString(`<a href="` + l + `">x</a>`)
	}
	return answer{status: 200, header: crawl.Header{{Name: "Content-Type", Value: "text/html"}}, body: b.String()}
}

func text(s string) answer {
	return answer{status: 200, header: crawl.Header{{Name: "Content-Type", Value: "text/plain"}}, body: s}
}

func redirect(status int, to string) answer {
	return answer{status: status, header: crawl.Header{{Name: "Location", Value: to}}}
}

// sent is one request that reached the test's web.
type sent struct {
	at     time.Time
	url    crawl.URL
	client crawl.ClientID
	req    *crawl.Request
}

// bench drives a scheduler in virtual time over a memory store.
type bench struct {
	t      *testing.T
	now    time.Time
	cfg    Config
	web    func(u crawl.URL, now time.Time) answer
	st     *memstore.Store
	leases []store.Lease
	sched  *Scheduler
	log    []sent
	most   map[crawl.Host]int // largest number of fetches under way
	under  map[crawl.Host]int
	open   []flight
	events []crawl.Event
	held   map[key]bool

	archive bool // everything that is fetched gets a reference, numbered from 1
	records int64
}

type flight struct {
	job  *Job
	res  *crawl.Result
	done time.Time
}

func pages(m map[string]answer) func(crawl.URL, time.Time) answer {
	return func(u crawl.URL, _ time.Time) answer {
		if a, ok := m[string(u)]; ok {
			return a
		}
		return answer{status: 404}
	}
}

func profile(t testing.TB, id string) client.Profile {
	c, err := client.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, ok := c.Get(crawl.ClientID(id))
	if !ok {
		t.Fatalf("no client %s", id)
	}
	return p
}

func newBench(t *testing.T, web func(crawl.URL, time.Time) answer, clients ...string) *bench {
	t.Helper()
	if len(clients) == 0 {
		clients = []string{"trawl"}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	b := &bench{t: t, now: t0, web: web, most: map[crawl.Host]int{}, under: map[crawl.Host]int{}, held: map[key]bool{}}
	b.cfg = Config{
		Capacity: func(crawl.Host) hostload.Params { return hostload.Own() },
		Robots:   robots.DefaultTimes(), React: react.DefaultParams(), Demand: demand.DefaultParams(),
		Timeouts: crawl.DefaultTimeouts(), Scope: Scope{AllHosts: true, MaxDepth: -1}, Rand: rnd.Float64,
	}
	for _, id := range clients {
		b.cfg.Clients = append(b.cfg.Clients, Client{Profile: profile(t, id)})
	}
	b.st = memstore.New(func() time.Time { return b.now })
	return b
}

// start seeds the crawl; it may be called again after changes to the config.
func (b *bench) start(seeds ...string) *bench {
	b.t.Helper()
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	var err error
	if b.leases, err = b.st.Acquire(context.Background(), "w", shards, 1000*time.Hour); err != nil {
		b.t.Fatal(err)
	}
	b.sched = New(b.cfg)
	urls := make([]crawl.URL, len(seeds))
	for i, s := range seeds {
		urls[i] = crawl.URL(s)
	}
	b.commit(b.cfg.Seed(urls, b.now))
	b.findHosts()
	return b
}

func (b *bench) findHosts() {
	recs, err := b.st.DueHosts(context.Background(), b.leases, b.now, 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range recs {
		b.addHost(r)
	}
}

func (b *bench) addHost(r crawl.HostRecord) {
	rb, err := b.st.Robots(context.Background(), r.Host)
	if err != nil {
		b.t.Fatal(err)
	}
	b.sched.AddHost(b.now, r, rb)
}

func (b *bench) commit(o *crawl.Outcome) {
	b.t.Helper()
	if o == nil {
		return
	}
	b.events = append(b.events, o.Events...)
	r, err := b.st.Commit(context.Background(), b.leases, []*crawl.Outcome{o})
	if err != nil {
		b.t.Fatalf("commit: %v", err)
	}
	var news []crawl.Host
	for _, n := range r.News {
		news = append(news, n.Host)
	}
	b.sched.Committed(b.now, []*crawl.Outcome{o}, news)
}

// run goes on until nothing is due before end.
func (b *bench) run(end time.Time) *bench {
	b.t.Helper()
	for n := 0; ; n++ {
		if n > 2_000_000 {
			b.t.Fatal("the scheduler does not come to rest")
		}
		step := b.sched.Next(b.now)
		switch step.Kind {
		case StepFetch:
			b.fetch(step.Job)
		case StepCommit:
			b.commit(step.Outcome)
		case StepLoadHost:
			rec, _, err := b.st.Host(context.Background(), step.Host)
			if err != nil {
				b.t.Fatal(err)
			}
			rec.Host = step.Host
			b.addHost(rec)
		case StepLoadURLs:
			b.load(step)
		case StepWait:
			if !b.wait(step.Until, end) {
				return b
			}
		}
	}
}

func (b *bench) load(step Step) {
	entries, err := b.st.DueURLs(context.Background(), step.Host, step.Client, b.now, step.Limit)
	if err != nil {
		b.t.Fatal(err)
	}
	var next time.Time
	if len(entries) == 0 {
		if next, err = b.st.NextDue(context.Background(), step.Host, step.Client); err != nil {
			b.t.Fatal(err)
		}
	}
	b.sched.AddURLs(b.now, step, entries, next)
}

func (b *bench) fetch(job *Job) {
	b.t.Helper()
	k := key{job.URL, job.Client}
	if job.Kind != crawl.KindRobots && !job.Homepage {
		if b.held[k] {
			b.t.Fatalf("%s issued twice for %s", job.URL, job.Client)
		}
		b.held[k] = true
	}
	h := job.URL.Host()
	if job.Host != h {
		b.t.Fatalf("%s is charged to %s", job.URL, job.Host)
	}
	b.under[h]++
	b.most[h] = max(b.most[h], b.under[h])
	b.log = append(b.log, sent{b.now, job.URL, job.Client, job.Request})
	a := b.web(job.URL, b.now)
	if a.took == 0 {
		a.took = 100 * time.Millisecond
	}
	res := &crawl.Result{
		URL: job.URL, Start: b.now, Status: a.status, Header: a.header, Body: []byte(a.body), WireBytes: int64(len(a.body)),
		Timings: crawl.Timings{Wait: a.took, Total: a.took},
	}
	res.Protocol = crawl.ProtocolHTTP1
	if job.Request.Protocol == crawl.ProtocolHTTP2 {
		res.Misdirected = a.no2
		if !a.no2 {
			res.Protocol = crawl.ProtocolHTTP2
		}
	}
	if a.failure != crawl.FailNone {
		res.Failure = &crawl.Failure{Class: a.failure, Host: h}
	}
	b.open = append(b.open, flight{job, res, b.now.Add(a.took)})
	sort.SliceStable(b.open, func(i, j int) bool { return b.open[i].done.Before(b.open[j].done) })
}

// wait moves the time to what happens next; false when that is after end.
func (b *bench) wait(until, end time.Time) bool {
	if len(b.open) > 0 && (until.IsZero() || !b.open[0].done.After(until)) {
		f := b.open[0]
		if f.done.After(end) {
			return false
		}
		b.open = b.open[1:]
		b.now = f.done
		b.under[f.job.Host]--
		delete(b.held, key{f.job.URL, f.job.Client})
		d := b.sched.Config().Digest(f.job, f.res, nil, b.now)
		if b.archive {
			b.records++
			d.Archive = crawl.ArchiveRef{File: "a.warc.gz", Offset: b.records, Length: 1, At: f.res.Start}
		}
		b.commit(b.sched.Done(b.now, f.job, d))
		return true
	}
	if until.IsZero() {
		// Hostnames that were dropped come back when they are due.
		next := b.nextHost()
		if next.IsZero() || next.After(end) {
			return b.crowded()
		}
		b.now = next
		b.findHosts()
		return true
	}
	if until.After(end) {
		return b.crowded()
	}
	b.now = until
	b.findHosts()
	return true
}

// crowded looks for hostnames that were left in the store and may have room now;
// false if there were none.
func (b *bench) crowded() bool {
	if !b.sched.Counts().Crowded {
		return false
	}
	b.sched.Uncrowd()
	b.findHosts()
	return true
}

func (b *bench) nextHost() time.Time {
	var next time.Time
	for rec, err := range b.st.Hosts(context.Background()) {
		if err != nil {
			b.t.Fatal(err)
		}
		if !rec.Due.IsZero() && rec.Due.After(b.now) && (next.IsZero() || rec.Due.Before(next)) {
			next = rec.Due
		}
	}
	return next
}

// urls returns the pages asked for, in order, robots.txt left out.
func (b *bench) urls() []string {
	var out []string
	for _, s := range b.log {
		if s.url.Path() != "/robots.txt" {
			out = append(out, string(s.url))
		}
	}
	return out
}

func (b *bench) count(u string) int {
	n := 0
	for _, s := range b.log {
		if string(s.url) == u {
			n++
		}
	}
	return n
}

func (b *bench) record(u string) crawl.URLRecord {
	b.t.Helper()
	rec, ok, err := b.st.URL(context.Background(), crawl.URL(u))
	if err != nil || !ok {
		b.t.Fatalf("%s: known %v, %v", u, ok, err)
	}
	return rec
}
