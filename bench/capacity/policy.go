package main

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

// answer is a finished request as a policy sees it.
type answer struct {
	took, wait time.Duration
	status     int // 0 = no answer
	retryAfter time.Duration
	repeat     bool // the URL had failed the time before
	reserved   float64
}

func (a answer) good() bool { return a.status == 200 }

// policy decides when the next request of one hostname is sent.
type policy interface {
	// ask reports whether a request may be sent with open ones under way; if
	// not, when to ask again: zero = when one is done.
	ask(open int, now time.Time) (bool, time.Time)
	sent(now time.Time) float64
	done(a answer, now time.Time)
}

// fixed sends one request at a time, delay after the last one began.
type fixed struct {
	delay time.Duration
	next  time.Time
}

func (f *fixed) ask(open int, now time.Time) (bool, time.Time) {
	if open > 0 {
		return false, time.Time{}
	}
	return !now.Before(f.next), f.next
}

func (f *fixed) sent(now time.Time) float64 {
	f.next = now.Add(f.delay)
	return 0
}
func (f *fixed) done(answer, time.Time) {}

// factor waits after each answer for as long as it took, times a factor, within
// bounds: the politeness of Heritrix (its delayFactor, minDelayMs, maxDelayMs).
type factor struct {
	times    float64
	min, max time.Duration
	next     time.Time
}

func (f *factor) ask(open int, now time.Time) (bool, time.Time) {
	if open > 0 {
		return false, time.Time{}
	}
	return !now.Before(f.next), f.next
}
func (f *factor) sent(time.Time) float64 { return 0 }
func (f *factor) done(a answer, now time.Time) {
	f.next = now.Add(min(max(time.Duration(f.times*float64(a.took)), f.min), f.max))
}

// aimd has a window of concurrent requests that grows by one for each window of
// good answers and is halved by a bad one, as TCP's does, and nothing else.
type aimd struct {
	window float64
	cut    time.Time // when it was halved last: what was sent before says nothing new
	began  map[float64]time.Time
	n      float64
}

func newAIMD() *aimd { return &aimd{window: 1, began: map[float64]time.Time{}} }

func (a *aimd) ask(open int, _ time.Time) (bool, time.Time) { return open < int(a.window), time.Time{} }

func (a *aimd) sent(now time.Time) float64 {
	a.n++
	a.began[a.n] = now
	return a.n
}

func (a *aimd) done(r answer, now time.Time) {
	began := a.began[r.reserved]
	delete(a.began, r.reserved)
	switch {
	case r.good():
		a.window += 1 / a.window
	case began.After(a.cut):
		a.window = max(1, a.window/2)
		a.cut = now
	}
}

// parallel keeps a number of requests under way: what the best one achieves is
// what the others are measured against.
type parallel int

func (p parallel) ask(open int, _ time.Time) (bool, time.Time) { return open < int(p), time.Time{} }
func (p parallel) sent(time.Time) float64                      { return 0 }
func (p parallel) done(answer, time.Time)                      {}

// rate sends requests at a fixed rate, however many are under way.
type rate struct {
	every time.Duration
	next  time.Time
}

func (r *rate) ask(_ int, now time.Time) (bool, time.Time) { return !now.Before(r.next), r.next }
func (r *rate) sent(now time.Time) float64 {
	r.next = now.Add(r.every)
	return 0
}
func (r *rate) done(answer, time.Time) {}

// shipped is trawl's own: package hostload.
type shipped struct {
	p hostload.Params
	l crawl.HostLoad
}

func newShipped(p hostload.Params, now time.Time) *shipped {
	return &shipped{p: p, l: hostload.Start(p, now)}
}

func (s *shipped) ask(open int, now time.Time) (bool, time.Time) {
	v := hostload.Admit(s.p, s.l, open, now)
	if !v.OK && v.Capacity {
		s.l.WindowUsed = true
	}
	return v.OK, v.At
}

func (s *shipped) sent(now time.Time) (reserved float64) {
	s.l, reserved = hostload.Reserve(s.p, s.l, now)
	return reserved
}

func (s *shipped) done(a answer, now time.Time) {
	o := hostload.Observation{Reserved: a.reserved, Duration: a.took, Wait: a.wait, Effect: crawl.RateHealthy, RetryAfter: a.retryAfter, Jitter: 0.5, Repeat: a.repeat, TooMany: a.status == 429}
	switch {
	case a.status == 0:
		o.Effect = crawl.RateNetwork
	case a.status == 429 || a.status == 503:
		o.Effect = crawl.RateOverload
	}
	s.l = hostload.Settle(s.p, s.l, o, now)
}
