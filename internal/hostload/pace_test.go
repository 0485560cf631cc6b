package hostload

import (
	"testing"
	"time"

	"trawl/internal/crawl"
)

// limiter is a server, or what stands in front of it, that refuses.
type limiter struct {
	rate  float64 // requests a second; 0 = no bound
	burst float64
	conns int           // requests at a time; 0 = no bound
	took  time.Duration // of a good answer
	quiet bool          // 503 in place of 429
	bad   int           // every so manieth URL always answers 503; 0 = none

	tokens float64
	filled time.Time
}

func (s *limiter) refuses(open int, now time.Time) bool {
	if s.conns > 0 && open >= s.conns {
		return true
	}
	if s.rate == 0 {
		return false
	}
	if !s.filled.IsZero() {
		s.tokens = min(s.burst, s.tokens+now.Sub(s.filled).Seconds()*s.rate)
	}
	if s.filled = now; s.tokens < 1 {
		return true
	}
	s.tokens--
	return false
}

// retry is a URL that failed and is asked for again.
type retry struct {
	at     time.Time
	n      int
	broken bool // it always fails
}

// take returns the URL that is asked for next: one that failed when its time has
// come, but not twice in a row, or a new one.
func take(retries *[]retry, last *bool, urls *int, s *limiter, now time.Time) retry {
	if !*last {
		for i, r := range *retries {
			if !r.at.After(now) {
				*retries = append((*retries)[:i], (*retries)[i+1:]...)
				*last = true
				return r
			}
		}
	}
	*last = false
	*urls++
	return retry{broken: s.bad > 0 && *urls%s.bad == 0}
}

type flight struct {
	end  time.Time
	o    Observation
	good bool
}

// answer is what the server says to a URL.
func (s *limiter) answer(r retry, under []flight, now time.Time) flight {
	busy := 0
	for _, u := range under {
		if u.good {
			busy++
		}
	}
	f := flight{good: !r.broken && !s.refuses(busy, now), o: Observation{Duration: s.took, Wait: s.took, Effect: crawl.RateHealthy, Detail: "200"}}
	if !f.good {
		f.o = Observation{Duration: 2 * time.Millisecond, Wait: 2 * time.Millisecond, Effect: crawl.RateOverload, Detail: "429", TooMany: !s.quiet && !r.broken}
	}
	f.o.Repeat = r.n > 0
	return f
}

// against crawls with demand always waiting and counts the answers after the
// first settle.
func against(s *limiter, p Params, settle, span time.Duration) (l crawl.HostLoad, good, refused float64) {
	s.tokens = s.burst
	l = Start(p, t0)
	var under []flight
	var retries []retry
	last, urls := false, 0
	now := t0
	for now.Before(t0.Add(span)) {
		for len(under) > 0 && !under[0].end.After(now) {
			l = Settle(p, l, under[0].o, under[0].end)
			under = under[1:]
		}
		v := Admit(p, l, len(under), now)
		if !v.OK {
			l.WindowUsed = l.WindowUsed || v.Capacity
			next := v.At
			if len(under) > 0 && (next.IsZero() || under[0].end.Before(next)) {
				next = under[0].end
			}
			now = next
			continue
		}
		r := take(&retries, &last, &urls, s, now)
		f := s.answer(r, under, now)
		if !f.good {
			r.n++
			r.at = now.Add(30 * time.Second << min(r.n-1, 11))
			retries = append(retries, r)
		}
		l, f.o.Reserved = Reserve(p, l, now)
		f.end = now.Add(f.o.Duration)
		i := len(under)
		for i > 0 && under[i-1].end.After(f.end) {
			i--
		}
		under = append(under[:i], append([]flight{f}, under[i:]...)...)
		switch {
		case now.Before(t0.Add(settle)):
		case f.good:
			good++
		default:
			refused++
		}
	}
	seconds := (span - settle).Seconds()
	return l, good / seconds, refused / seconds
}

// TestE3RefusalsStayRare: what limits a rate or the connections is used nearly
// whole, and seldom made to refuse.
func TestE3RefusalsStayRare(t *testing.T) {
	for _, c := range []struct {
		name string
		s    limiter
		p    Params
		best float64 // good answers a second
	}{
		{"20 requests a second, quick answers", limiter{rate: 20, burst: 10, took: 2 * time.Millisecond}, Own(), 20},
		{"5 requests a second, quick answers", limiter{rate: 5, burst: 10, took: 2 * time.Millisecond}, Own(), 5},
		{"5 requests a second, no burst", limiter{rate: 5, burst: 1, took: 2 * time.Millisecond}, Own(), 5},
		{"5 requests a second, slow answers", limiter{rate: 5, burst: 5, took: 400 * time.Millisecond}, Own(), 5},
		{"5 requests a second, 503", limiter{rate: 5, burst: 10, took: 2 * time.Millisecond, quiet: true}, Own(), 5},
		{"5 requests a second, no burst, 503", limiter{rate: 5, burst: 1, took: 2 * time.Millisecond, quiet: true}, Own(), 5},
		{"4 connections, 503", limiter{conns: 4, took: 250 * time.Millisecond, quiet: true}, Own(), 16},
		{"4 connections", limiter{conns: 4, took: 250 * time.Millisecond}, Own(), 16},
		{"10 connections", limiter{conns: 10, took: 500 * time.Millisecond}, Own(), 20},
		{"2 requests a second, a stranger", limiter{rate: 2, burst: 4, took: 50 * time.Millisecond}, Stranger(), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, good, bad := against(&c.s, c.p, 5*time.Minute, 35*time.Minute)
			t.Logf("%.3g good answers a second of %.3g, %.2f %% refused; limit %.3g, pace %.3g", good, c.best, 100*bad/(good+bad), l.Limit, l.Pace)
			if good < 0.75*c.best || bad > 0.03*(good+bad) {
				t.Errorf("%.3g good answers a second of %.3g and %.3g refused: want 75 %% and at most 3 %%", good, c.best, bad)
			}
		})
	}
}

// A limiter that is lifted is noticed.
func TestE3PaceRisesAgain(t *testing.T) {
	s := &limiter{rate: 5, burst: 5, took: 2 * time.Millisecond}
	l, _, _ := against(s, Own(), 0, 10*time.Minute)
	if l.Pace == 0 || l.Pace > 7 {
		t.Fatalf("pace %.3g after ten minutes at 5 a second", l.Pace)
	}
	p, now := Own(), l.At
	for end := now.Add(5 * time.Minute); now.Before(end); now = now.Add(100 * time.Millisecond) {
		l.WindowUsed = true
		l = Settle(p, l, Observation{Duration: 2 * time.Millisecond, Wait: 2 * time.Millisecond, Effect: crawl.RateHealthy}, now)
	}
	if paced(p, l) && l.Pace < 100 {
		t.Errorf("pace %.3g five minutes after the limiter was lifted", l.Pace)
	}
}

// A refusal that nothing came before says nothing about a rate (robots.txt after
// a day, an outage), nor does one while most is refused.
func TestE3PaceNeedsEvidence(t *testing.T) {
	p := Stranger()
	bad := Observation{Duration: time.Second, Effect: crawl.RateOverload, Detail: "429", TooMany: true}
	good := Observation{Duration: 100 * time.Millisecond, Wait: 100 * time.Millisecond, Effect: crawl.RateHealthy}
	l := Start(p, t0)
	if l = Settle(p, l, bad, t0.Add(time.Second)); l.Pace != 0 {
		t.Errorf("the first answer of all makes a pace of %.3g", l.Pace)
	}
	now := l.NotBefore
	for i := range 20 {
		l = Settle(p, l, good, now.Add(time.Duration(i)*time.Second))
	}
	now = now.Add(24 * time.Hour)
	if l = Settle(p, l, bad, now); l.Pace != 0 {
		t.Errorf("a refusal after a day makes a pace of %.3g", l.Pace)
	}
	now = l.NotBefore
	for i := range 20 {
		l = Settle(p, l, good, now.Add(time.Duration(i)*time.Second))
	}
	if l = Settle(p, l, bad, now.Add(20*time.Second)); l.Pace == 0 || l.Pace > 1 {
		t.Errorf("a refusal in the midst of one request a second makes a pace of %.3g", l.Pace)
	}
	was := l.Pace
	for range 500 { // an outage, and never below the floor (E4)
		now = l.NotBefore.Add(time.Second)
		l = Settle(p, l, bad, now)
	}
	if l.Pace < 0.7*was || l.Limit != p.Floor {
		t.Errorf("an outage leaves a pace of %.3g, was %.3g; limit %.3g", l.Pace, was, l.Limit)
	}
}

// URLs that always answer 503 cost their share, and no more (E3): the others are
// not paused each time that one of them is asked for.
func TestE3BrokenURLsCostTheirShare(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Params
	}{{"owner", Own()}, {"stranger", Stranger()}} {
		t.Run(c.name, func(t *testing.T) {
			site := limiter{took: time.Second}
			_, best, _ := against(&site, c.p, 20*time.Minute, 40*time.Minute)
			before := best
			for _, every := range []int{100, 20, 5} {
				site := limiter{took: time.Second, bad: every}
				l, good, bad := against(&site, c.p, 20*time.Minute, 40*time.Minute)
				t.Logf("1 URL in %d: %.3g good answers a second of %.3g, %.3g failed; limit %.3g, pace %.3g", every, good, best, bad, l.Limit, l.Pace)
				least := map[int]float64{100: 0.8, 20: 0.5, 5: 0.02}[every]
				if good < least*best || good > 1.05*before {
					t.Errorf("1 URL in %d: %.3g good answers a second of %.3g", every, good, best)
				}
				before = good
			}
		})
	}
}
