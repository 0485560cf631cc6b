package schedule

import (
	"fmt"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

// What is committed between asking for more entries and reading them does not
// come again: then the read brings more new ones than there is room for.
func TestWindowHoldsWhenCommitsOvertakeALoad(t *testing.T) {
	b := newBench(t, pages(nil), "google-safety") // ignores robots.txt: only pages are issued
	b.cfg.Window = 8
	b.cfg.Capacity = func(crawl.Host) hostload.Params {
		p := hostload.Own()
		p.Start = p.Ceiling
		return p
	}
	s := New(b.cfg)
	n := 0
	fresh := func(count int) (list []crawl.QueueEntry) {
		for range count {
			n++
			list = append(list, crawl.QueueEntry{
				URL: crawl.URL(fmt.Sprintf("%s/p%03d", h, n)), Visit: crawl.Visit{Client: "google-safety", Due: t0},
			})
		}
		return list
	}
	s.AddHost(t0, crawl.HostRecord{Host: "a.example"}, nil)
	load := s.Next(t0)
	if load.Kind != StepLoadURLs || load.Limit != 8 {
		t.Fatalf("got %+v, want a load of the window", load)
	}
	s.AddURLs(t0, load, fresh(8), time.Time{})
	var jobs []*Job
	for load = s.Next(t0); load.Kind == StepFetch; load = s.Next(t0) {
		jobs = append(jobs, load.Job)
	}
	if load.Kind != StepLoadURLs || len(jobs) < 6 {
		t.Fatalf("got %+v after %d jobs, want another load", load, len(jobs))
	}
	for _, j := range jobs {
		res := &crawl.Result{URL: j.URL, Status: 404, Start: t0, Timings: crawl.Timings{Total: time.Millisecond}}
		o := s.Done(t0, j, s.Config().Digest(j, res, nil, t0))
		s.Committed(t0, []*crawl.Outcome{o}, nil)
	}
	s.AddURLs(t0, load, fresh(load.Limit), time.Time{})
	if got := s.Counts().Queued; got > 8 {
		t.Errorf("%d URLs in memory, the window holds 8", got)
	}
	for step := s.Next(t0); ; step = s.Next(t0) {
		if step.Kind == StepLoadURLs {
			break // what found no room is asked for again
		}
		if step.Kind != StepFetch {
			t.Fatalf("got %+v, what found no room is lost", step)
		}
	}
}

// A window too small to be divided is still refilled.
func TestWindowOfOne(t *testing.T) {
	b := newBench(t, pages(map[string]answer{h + "/": page("/1", "/2", "/3", "/4", "/5")}))
	b.cfg.Window = 1
	b.start(h + "/").run(t0.Add(time.Minute))
	if got := len(b.urls()); got != 6 {
		t.Errorf("%d pages asked for, want 6: %v", got, b.urls())
	}
}

// A robots.txt redirect brings a hostname though there is no room; the next one
// that wants room brings memory back to its bound.
func TestRoomShrinksBack(t *testing.T) {
	b := newBench(t, pages(nil))
	b.cfg.HostRoom = 1
	s := New(b.cfg)
	for _, name := range []crawl.Host{"a.example", "b.example"} {
		s.want(name)
		rec := crawl.HostRecord{Host: name, Load: hostload.Start(hostload.Own(), t0)}
		rec.Load.NotBefore = t0.Add(time.Hour)
		s.AddHost(t0, rec, nil)
	}
	for step := s.Next(t0); step.Kind != StepWait; step = s.Next(t0) {
		if step.Kind == StepLoadURLs {
			u := crawl.URL("http://" + string(step.Host) + "/")
			s.AddURLs(t0, step, []crawl.QueueEntry{{URL: u, Visit: crawl.Visit{Client: "trawl", Due: t0}}}, time.Time{})
		}
	}
	if n := s.Counts().Hosts; n != 2 {
		t.Fatalf("%d hostnames in memory, two were brought", n)
	}
	s.Committed(t0, nil, []crawl.Host{"c.example"})
	if c := s.Counts(); c.Hosts != 1 || c.Queued != 0 || !s.Knows("c.example") {
		t.Errorf("%d hostnames and %d URLs in memory, there is room for one hostname", c.Hosts, c.Queued)
	}
}
