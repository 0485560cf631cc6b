package hostload

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// drive runs a hostname that answers every fetch after took with effect, for
// span, with demand always waiting; it returns the state and the fetches made.
func drive(p Params, l crawl.HostLoad, took, span time.Duration, effect crawl.RateEffect) (crawl.HostLoad, int, time.Time) {
	type open struct {
		end  time.Time
		cost float64
	}
	now, end := l.At, l.At.Add(span)
	var under []open
	n := 0
	for now.Before(end) {
		for len(under) > 0 && !under[0].end.After(now) {
			l = Settle(p, l, Observation{Reserved: under[0].cost, Duration: took, Wait: took, Effect: effect, Detail: effect.String()}, under[0].end)
			under = under[1:]
		}
		v := Admit(p, l, len(under), now)
		if v.OK {
			var cost float64
			l, cost = Reserve(p, l, now)
			under = append(under, open{now.Add(took), cost})
			n++
			continue
		}
		if v.Capacity {
			l.WindowUsed = true
		}
		next := v.At
		if len(under) > 0 && (next.IsZero() || under[0].end.Before(next)) {
			next = under[0].end
		}
		now = next
	}
	return l, n, now
}

func TestE1LimitBoundsConnectionTime(t *testing.T) {
	for _, took := range []time.Duration{5 * time.Millisecond, 200 * time.Millisecond, 3 * time.Second} {
		p := Stranger()
		p.Step = 0 // a fixed limit
		p.Start = 0.5
		l := Start(p, t0)
		const span = 10 * time.Minute
		_, n, end := drive(p, l, took, span, crawl.RateHealthy)
		charged := float64(n) * max(took, p.MinCost).Seconds()
		allowed := p.Start*end.Sub(t0).Seconds() + p.Start*p.Burst.Seconds() + 2*max(took, p.FirstCost).Seconds()
		if charged > allowed {
			t.Errorf("took %s: charged %.1f connection-seconds, allowed %.1f", took, charged, allowed)
		}
		if charged < 0.9*p.Start*span.Seconds() {
			t.Errorf("took %s: charged only %.1f of %.1f", took, charged, p.Start*span.Seconds())
		}
	}
}

func TestE1ParallelConnections(t *testing.T) {
	p := Own()
	l := Start(p, t0)
	l.Limit, l.Level = 2.5, 100
	for inflight, want := range []bool{true, true, true, false} {
		if v := Admit(p, l, inflight, t0); v.OK != want {
			t.Errorf("%d under way: admitted %v, want %v (%s)", inflight, v.OK, want, v.Reason)
		}
	}
}

func TestE2StartIsConservative(t *testing.T) {
	p := Stranger()
	p.Step = 0
	_, n, end := drive(p, Start(p, t0), 200*time.Millisecond, 5*time.Minute, crawl.RateHealthy)
	every := end.Sub(t0) / time.Duration(n)
	if every < 2*time.Second || every > 8*time.Second {
		t.Errorf("one request every %s, want every few seconds", every)
	}
}

func TestE3HealthRaisesOnlyWhatDemandUses(t *testing.T) {
	p := Stranger()
	used, _, _ := drive(p, Start(p, t0), 200*time.Millisecond, 10*time.Minute, crawl.RateHealthy)
	if used.Limit < 4*p.Start {
		t.Errorf("limit %.3f after ten healthy minutes in use, started at %.3f", used.Limit, p.Start)
	}
	l := Start(p, t0)
	for i := range 60 { // one fetch every ten seconds: demand never waits
		now := t0.Add(time.Duration(i) * 10 * time.Second)
		var cost float64
		l, cost = Reserve(p, l, now)
		l = Settle(p, l, Observation{Reserved: cost, Duration: 50 * time.Millisecond, Wait: 40 * time.Millisecond, Effect: crawl.RateHealthy}, now.Add(50*time.Millisecond))
	}
	if l.Limit != p.Start {
		t.Errorf("limit moved to %.3f without demand", l.Limit)
	}
}

func TestE3ErrorsLowerInProportion(t *testing.T) {
	p := Own()
	after := func(bad, ok int) float64 {
		l := Start(p, t0)
		l.Limit = 10
		for i := range bad + ok {
			e := crawl.RateHealthy
			if i%((bad+ok)/max(bad, 1)) == 0 && bad > 0 {
				e = crawl.RateError
			}
			l = Settle(p, l, Observation{Duration: time.Millisecond, Wait: time.Millisecond, Effect: e}, t0)
		}
		return Settle(p, l, Observation{Duration: time.Millisecond, Effect: crawl.RateNone}, t0.Add(2*time.Second)).Limit
	}
	few, many := after(4, 36), after(20, 20)
	if !(few < 10 && many < few) {
		t.Errorf("limit 10 → %.2f with a tenth failing, %.2f with half", few, many)
	}
	if d := (10 - many) / (10 - few); d < 3 || d > 7 {
		t.Errorf("five times the failing share cut %.1f times as much", d)
	}
}

func TestE3SlowerAnswersLower(t *testing.T) {
	p := Own()
	l, _, _ := drive(p, Start(p, t0), 100*time.Millisecond, time.Minute, crawl.RateHealthy)
	before := l.Limit
	l, _, _ = drive(p, l, 900*time.Millisecond, 30*time.Second, crawl.RateHealthy)
	if l.Limit >= before/2 {
		t.Errorf("latency × 9 moved the limit from %.2f to %.2f only", before, l.Limit)
	}
}

func TestE4NetworkFailureHalvesAtOnceAndRecovers(t *testing.T) {
	p := Own()
	l := Start(p, t0)
	l.Limit = 16
	l = Settle(p, l, Observation{Duration: time.Second, Effect: crawl.RateNetwork, Detail: "connection-reset"}, t0)
	if l.Limit != 8 || !l.NotBefore.After(t0) {
		t.Fatalf("limit %.1f, not before %s", l.Limit, l.NotBefore)
	}
	// Fetches that were under way fail too: nothing new.
	again := Settle(p, l, Observation{Duration: time.Second, Effect: crawl.RateNetwork}, t0.Add(time.Millisecond))
	if again.Limit != 8 || !again.NotBefore.Equal(l.NotBefore) {
		t.Errorf("a failure during the back-off moved limit to %.1f, pause to %s", again.Limit, again.NotBefore)
	}
	l.At = l.NotBefore
	l, _, _ = drive(p, l, 20*time.Millisecond, time.Minute, crawl.RateHealthy)
	if l.Limit <= 8 {
		t.Errorf("no recovery: %.1f", l.Limit)
	}
}

func TestE4FloorNeverStops(t *testing.T) {
	p := Stranger()
	l := Start(p, t0)
	now := t0
	for range 200 {
		l = Settle(p, l, Observation{Duration: 30 * time.Second, Effect: crawl.RateNetwork, Jitter: 0.99}, now)
		now = l.NotBefore
		for i := 0; ; i++ {
			v := Admit(p, l, 0, now)
			if v.OK {
				break
			}
			if i > 3 || v.At.IsZero() {
				t.Fatalf("no request admitted: %+v", v)
			}
			now = v.At
		}
	}
	if l.Limit < p.Floor {
		t.Errorf("limit %.4f under the floor", l.Limit)
	}
	if pause := l.NotBefore.Sub(now); pause > 2*p.MaxBackoff {
		t.Errorf("pause %s", pause)
	}
}

func TestE6ClientErrorsDoNotMatter(t *testing.T) {
	p := Stranger()
	l, _, _ := drive(p, Start(p, t0), 200*time.Millisecond, 10*time.Minute, crawl.RateNone)
	if l.Limit != p.Start || !l.NotBefore.IsZero() {
		t.Errorf("404s moved the limit to %.3f, back-off %s", l.Limit, l.NotBefore)
	}
}

func TestE7OwnersLowerLimit(t *testing.T) {
	p := Own().WithLimit(0.2)
	l, n, _ := drive(p, Start(p, t0), time.Millisecond, time.Hour, crawl.RateHealthy)
	if l.Limit > 0.2 {
		t.Errorf("limit %.2f above the owner's 0.2", l.Limit)
	}
	if n > 2*3600+100 {
		t.Errorf("%d requests an hour at limit 0.2: a fast server gets its owner's limit too", n)
	}
	if q := Stranger().WithLimit(50); q.Ceiling != Stranger().Ceiling {
		t.Errorf("a higher wish raised the ceiling to %.1f", q.Ceiling)
	}
}

func TestE8RetryAfter(t *testing.T) {
	p := Stranger()
	for name, c := range map[string]struct {
		after time.Duration
		min   time.Duration
		max   time.Duration
	}{
		"case23 seconds":       {2 * time.Minute, 2 * time.Minute, 2 * time.Minute},
		"case23 a year":        {365 * 24 * time.Hour, p.MaxRetryAfter, p.MaxRetryAfter},
		"case23 none":          {0, p.Backoff, p.Backoff * 5 / 4},
		"case23 under backoff": {time.Second, p.Backoff, p.Backoff * 5 / 4},
	} {
		l := Settle(p, Start(p, t0), Observation{Duration: time.Second, Effect: crawl.RateOverload, RetryAfter: c.after, Jitter: 0.5}, t0)
		if d := l.NotBefore.Sub(t0); d < c.min || d > c.max {
			t.Errorf("%s: pause %s, want %s to %s", name, d, c.min, c.max)
		}
		if v := Admit(p, l, 0, l.NotBefore.Add(-time.Millisecond)); v.OK {
			t.Errorf("%s: admitted before the pause is over", name)
		}
	}
}

func TestE8BackoffDoublesWithJitter(t *testing.T) {
	p := Stranger()
	l, now := Start(p, t0), t0
	var last time.Duration
	for i := range 12 {
		l = Settle(p, l, Observation{Duration: time.Second, Effect: crawl.RateOverload}, now)
		d := l.NotBefore.Sub(now)
		if i > 0 && d != min(2*last, p.MaxBackoff) {
			t.Errorf("pause %d is %s after %s", i, d, last)
		}
		last, now = d, l.NotBefore
	}
	j := Settle(p, Start(p, t0), Observation{Duration: time.Second, Effect: crawl.RateOverload, Jitter: 0.999}, t0)
	if d := j.NotBefore.Sub(t0); d <= p.Backoff {
		t.Errorf("no jitter: %s", d)
	}
}

func TestLimitStaysInBoundsWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Stranger()
		if rapid.Bool().Draw(t, "own") {
			p = Own()
		}
		l, now := Start(p, t0), t0
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			now = now.Add(time.Duration(rapid.Int64Range(-1e9, 1e11).Draw(t, "dt")))
			var cost float64
			if Admit(p, l, 0, now).OK {
				l, cost = Reserve(p, l, now)
			}
			l = Settle(p, l, Observation{
				Reserved: cost, Duration: time.Duration(rapid.Int64Range(0, 2e11).Draw(t, "took")), Wait: time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "wait")),
				Effect: crawl.RateEffect(rapid.IntRange(0, 4).Draw(t, "effect")), RetryAfter: time.Duration(rapid.Int64Range(0, 1e18).Draw(t, "ra")),
				Jitter: rapid.Float64Range(0, 0.999).Draw(t, "jitter"),
			}, now)
			if l.Limit < p.Floor || l.Limit > p.Ceiling || l.Limit != l.Limit {
				t.Fatalf("limit %v", l.Limit)
			}
			if v := Admit(p, l, 0, now); !v.OK && v.At.Sub(now) > p.MaxRetryAfter+p.MaxBackoff*2 {
				t.Fatalf("wait %s: %+v", v.At.Sub(now), v)
			}
		}
	})
}

func BenchmarkAdmitReserveSettle(b *testing.B) {
	p := Own()
	l, now := Start(p, t0), t0
	for b.Loop() {
		now = now.Add(5 * time.Millisecond)
		var cost float64
		if Admit(p, l, 0, now).OK {
			l, cost = Reserve(p, l, now)
		}
		l = Settle(p, l, Observation{Reserved: cost, Duration: time.Millisecond, Wait: time.Millisecond, Effect: crawl.RateHealthy}, now)
	}
}
