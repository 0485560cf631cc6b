package hostload

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"trawl/internal/crawl"
)

// story drives a hostname and returns the causes of its changes, in order.
type story struct {
	p   Params
	l   crawl.HostLoad
	now time.Time
}

func begin() *story {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	return &story{p: Stranger(), l: Start(Stranger(), now), now: now}
}

// spend lets answers come, one every step, for a time, with the limit in use.
func (s *story) spend(d, step time.Duration, o Observation) *story {
	for end := s.now.Add(d); s.now.Before(end); s.now = s.now.Add(step) {
		s.l.WindowUsed = true
		var cost float64
		s.l, cost = Reserve(s.p, s.l, s.now)
		o.Reserved = cost
		s.l = Settle(s.p, s.l, o, s.now.Add(o.Duration))
	}
	return s
}

func healthy(wait time.Duration) Observation {
	return Observation{Duration: wait, Wait: wait, Effect: crawl.RateHealthy, Detail: "200"}
}

func (s *story) causes() string {
	out := ""
	for _, c := range s.l.Changes {
		out += c.Cause.String() + ";"
	}
	return out
}

// Each change of the limit and each pause keeps what caused it, so that "why is
// my site crawled so slowly" has an answer (E3, E4, E8, F13).
func TestE3ChangesKeepTheirCauses(t *testing.T) {
	s := begin().spend(10*time.Minute, 2*time.Second, healthy(200*time.Millisecond))
	risen := s.l.Limit
	s.spend(time.Second, time.Second, Observation{Duration: time.Second, Effect: crawl.RateOverload, RetryAfter: time.Hour, Detail: "503"})
	if got, want := s.causes(), "start;healthy;back-off;server errors;"; got != want {
		t.Fatalf("changes %q, want %q", got, want)
	}
	rise, pause := s.l.Changes[1], s.l.Changes[2]
	if rise.From != 0.05 || rise.To != risen || rise.Count < 10 || !rise.At.After(rise.Since) {
		t.Errorf("E3: the rise is told as %+v", rise)
	}
	if d := pause.Until.Sub(pause.At); d != time.Hour || pause.From != pause.To || s.l.NotBefore != pause.Until {
		t.Errorf("E8: Retry-After of an hour is told as %+v", pause)
	}
	s.now = s.l.NotBefore
	s.spend(time.Second, time.Second, Observation{Duration: time.Second, Effect: crawl.RateNetwork, Detail: "connect-timeout"})
	last := s.l.Changes[len(s.l.Changes)-1]
	if last.Cause != crawl.RateCauseNetwork || last.To != last.From/2 || last.Detail != "network failure: connect-timeout (E4)" {
		t.Errorf("E4: told as %+v", last)
	}
	s.now = s.l.NotBefore
	s.spend(20*time.Minute, 5*time.Second, healthy(200*time.Millisecond)).spend(time.Minute, 5*time.Second, healthy(3*time.Second))
	if last = s.l.Changes[len(s.l.Changes)-1]; last.Cause != crawl.RateCauseSlow || last.To >= last.From {
		t.Errorf("E3: a slow-down is told as %+v", last)
	}
	s.spend(time.Minute, 5*time.Second, Observation{Duration: time.Second, Effect: crawl.RateError, Detail: "500"})
	if last = s.l.Changes[len(s.l.Changes)-1]; last.Cause != crawl.RateCauseErrors || s.l.Cause != last.Detail || s.l.ChangedAt != last.At {
		t.Errorf("E3: errors are told as %+v; the present cause as %q", last, s.l.Cause)
	}
}

func TestE3ChangesAreBoundedAndNeverChangedInPlace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	s := begin()
	effects := []Observation{
		healthy(100 * time.Millisecond), healthy(4 * time.Second),
		{Duration: time.Second, Effect: crawl.RateError, Detail: "500"},
		{Duration: time.Second, Effect: crawl.RateOverload, Detail: "429"},
		{Duration: time.Second, Effect: crawl.RateNetwork, Detail: "reset"},
	}
	for range 500 {
		before := s.l
		copied := fmt.Sprint(before.Changes)
		s.spend(time.Duration(rnd.IntN(120))*time.Second, 3*time.Second, effects[rnd.IntN(len(effects))])
		if fmt.Sprint(before.Changes) != copied {
			t.Fatal("a list that was handed out changed")
		}
		n := len(s.l.Changes)
		if n > crawl.MaxRateChanges {
			t.Fatalf("%d changes kept", n)
		}
		for i := 1; i < n; i++ {
			a, b := s.l.Changes[i-1], s.l.Changes[i]
			if a.Cause == b.Cause || b.Since.Before(a.At) || a.To != b.From {
				t.Fatalf("entry %+v does not follow %+v", b, a)
			}
		}
	}
	if len(s.l.Changes) != crawl.MaxRateChanges {
		t.Errorf("only %d changes: the test shows nothing", len(s.l.Changes))
	}
}

func TestE7BoundActsAtOnce(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	p := Own().WithLimit(0.5)
	l := Start(Own(), now)
	got := Bound(p, l, now)
	if got.Limit != 0.5 || got.Level > 0.5*p.Burst.Seconds() || got.Changes[1].Cause != crawl.RateCauseOwner || got.Changes[1].From != l.Limit {
		t.Errorf("E7: %+v", got)
	}
	if again := Bound(p, got, now.Add(time.Hour)); len(again.Changes) != 2 || again.Limit != 0.5 {
		t.Errorf("the same bound again: %+v", again)
	}
	if lifted := Bound(Own(), got, now); lifted.Limit != 0.5 {
		t.Errorf("a bound that is lifted makes a limit of %g at once", lifted.Limit)
	}
}
