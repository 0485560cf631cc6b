package live

import (
	"sync/atomic"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// Progress are the figures of a run while it goes on. All methods may be
// called from any goroutine.
type Progress struct {
	start                          time.Time
	pages, requests, errors, bytes atomic.Int64
	newURLs                        atomic.Int64
	hosts, inflight, queued        atomic.Int64
}

// NewProgress returns figures that start now.
func NewProgress() *Progress { return &Progress{start: time.Now()} }

// Snapshot are the figures at one moment.
type Snapshot struct {
	Elapsed  time.Duration
	Pages    int64 // pages fetched, redirect hops among them
	Requests int64 // all requests, robots.txt among them
	Errors   int64 // failures, 4xx and 5xx
	Bytes    int64 // transferred
	New      int64 // URLs that became known
	Hosts    int64 // hostnames in memory
	InFlight int64
	Queued   int64 // URLs in memory
}

// Snapshot returns the present figures.
func (p *Progress) Snapshot() Snapshot {
	return Snapshot{
		Elapsed: time.Since(p.start), Pages: p.pages.Load(), Requests: p.requests.Load(), Errors: p.errors.Load(),
		Bytes: p.bytes.Load(), New: p.newURLs.Load(), Hosts: p.hosts.Load(), InFlight: p.inflight.Load(), Queued: p.queued.Load(),
	}
}

// Waiting is the number of URLs of this run known and not yet fetched, as far as
// the run has seen: what became known less the pages fetched.
func (s Snapshot) Waiting() int64 { return max(s.New-s.Pages, s.Queued) }

func (p *Progress) fetched(job *schedule.Job, f *schedule.Findings) {
	p.requests.Add(1)
	p.bytes.Add(f.Result.HeaderBytes + f.Result.WireBytes)
	if job.Kind == crawl.KindRobots || job.Homepage {
		return
	}
	p.pages.Add(1)
	if f.Result.Failure != nil || f.Result.Status >= 400 {
		p.errors.Add(1)
	}
}

func (p *Progress) known(n int) { p.newURLs.Add(int64(n)) }

func (p *Progress) gauges(hosts, inflight, queued int) {
	p.hosts.Store(int64(hosts))
	p.inflight.Store(int64(inflight))
	p.queued.Store(int64(queued))
}
