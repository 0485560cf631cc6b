package hostload

import (
	"testing"
	"time"

	"trawl/internal/crawl"
)

// A slow server is used no more than the limit says: what a long fetch takes is
// paid for by the pause after it.
func TestE1LongFetchesAreChargedWhole(t *testing.T) {
	p := Stranger()
	p.Step = 0 // a fixed limit
	for _, took := range []time.Duration{5 * time.Second, 20 * time.Second, 80 * time.Second} {
		const span = 10 * time.Hour
		_, n, _ := drive(p, Start(p, t0), took, span, crawl.RateHealthy)
		if used, allowed := float64(n)*took.Seconds(), p.Start*span.Seconds()+took.Seconds(); used > allowed {
			t.Errorf("fetches of %s: %.0f connection-seconds in %s, the limit allows %.0f", took, used, span, allowed)
		}
	}
}

// Charges that are never settled, of requests that were abandoned, silence a
// slow hostname at its floor for no longer than anything else (E4).
func TestE4ReservationsDoNotSilence(t *testing.T) {
	p := Stranger()
	l := Start(p, t0)
	l.Limit, l.Expected = p.Floor, 60
	now := t0.Add(time.Hour)
	for range 5 {
		v := Admit(p, l, 0, now)
		if v.OK {
			before := l.Level
			var cost float64
			if l, cost = Reserve(p, l, now); cost <= 0 || cost > 60+1e-9 {
				t.Fatalf("charged %.3f at level %.3f", cost, before)
			}
			continue
		}
		if wait := v.At.Sub(now); wait > p.MaxDebt+time.Second {
			t.Fatalf("the next request waits for %s, at most %s is wanted", wait, p.MaxDebt)
		}
		now = v.At
	}
	// The charge is what is given back: a fetch that took no time leaves no debt.
	l = Start(p, t0)
	l.Limit, l.Expected, l.Level = p.Floor, 60, 0
	reserved, cost := Reserve(p, l, t0)
	if got := Settle(p, reserved, Observation{Reserved: cost}, t0).Level; got != -p.MinCost.Seconds() {
		t.Errorf("after a fetch of no time the level is %.3f, want the least charge of %.3f", got, p.MinCost.Seconds())
	}
}

// A first answer that came by luck from a cache does not make a hostname that is
// seldom asked slow for ever (E3).
func TestE3BaselineRisesBetweenSeldomFetches(t *testing.T) {
	p := Stranger()
	l := Start(p, t0)
	settle := func(now time.Time, took time.Duration) {
		var cost float64
		l, cost = Reserve(p, l, now)
		l.WindowUsed = true
		l = Settle(p, l, Observation{Reserved: cost, Duration: took, Wait: took, Effect: crawl.RateHealthy}, now.Add(took))
	}
	settle(t0, 50*time.Millisecond)
	for i := range 120 {
		settle(t0.Add(time.Duration(i+1)*time.Minute), 600*time.Millisecond)
	}
	if l.Limit < p.Start {
		t.Errorf("after two hours of steady answers the limit is %.3f: %s", l.Limit, l.Cause)
	}
	// The other way round it is still noticed at once.
	before := l.Limit
	for i := range 5 {
		settle(t0.Add(3*time.Hour+time.Duration(i)*time.Minute), 3*time.Second)
	}
	if l.Limit >= before {
		t.Errorf("answers five times as slow leave the limit at %.3f", l.Limit)
	}
}
