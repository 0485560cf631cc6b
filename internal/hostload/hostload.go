// Package hostload decides how much a hostname can bear: its crawl capacity
// limit, in connection-seconds per second, shared by all crawler clients.
//
// The model: a hostname's bucket refills at the limit; a fetch is admitted
// while the bucket is not in debt and fewer than ⌈limit⌉ fetches are under way;
// it reserves its expected duration and is settled with the real one. The limit
// grows by steps over healthy windows in which demand used it, shrinks in
// proportion to the share of URLs that failed, at once and by half for network
// failures, and smoothly when latency leaves its own baseline. Where a server
// refuses requests beyond a rate (429, 503), a pace in requests per second is
// learned beside the limit; under a pace a fetch costs at least limit ÷ pace.
//
// It does not decide which URL is fetched, nor what a response means: the
// effect of a response on the rate is handed in (package react).
//
// Invariants: Floor ≤ limit ≤ Ceiling; over any span, the time charged is at
// most limit × span plus the burst and the fetches under way; no function here
// reads a clock or a random number.
//
// Sources: behaviours E1 to E9; the crawl capacity limit of the crawl-budget
// documentation. All values are house choices, in [Params].
package hostload

import (
	"fmt"
	"math"
	"time"

	"trawl/internal/crawl"
)

// Verdict answers whether a fetch may start now.
type Verdict struct {
	OK       bool
	At       time.Time // when to ask again; zero = when a fetch under way is done
	Capacity bool      // refused for capacity, not for back-off: demand uses the limit
	Reason   string
}

// Start returns the state of a hostname never crawled before (E2).
func Start(p Params, now time.Time) crawl.HostLoad {
	return crawl.HostLoad{
		Limit: p.Start, Level: p.Start * p.Burst.Seconds(), At: now,
		Expected: p.FirstCost.Seconds(), WindowStart: now,
		Cause: "start (E2)", ChangedAt: now,
		Changes: []crawl.RateChange{{Cause: crawl.RateCauseStart, To: p.Start, Since: now, At: now, Count: 1, Detail: "start (E2)"}},
	}
}

// Admit decides whether one more fetch may start, with inflight under way
// (E1, E5, E8). A zero load must be started first.
func Admit(p Params, l crawl.HostLoad, inflight int, now time.Time) Verdict {
	if now.Before(l.NotBefore) {
		return Verdict{At: l.NotBefore, Reason: "backing off (E4, E8): " + l.Cause}
	}
	limit := clamp(p, l.Limit)
	if inflight >= parallel(limit) {
		return Verdict{Capacity: true, Reason: fmt.Sprintf("%d connections open, limit %.3g (E1)", inflight, limit)}
	}
	level := refill(p, l, now)
	if level >= 0 {
		return Verdict{OK: true}
	}
	// A nanosecond more, so that rounding never leaves a debt of nothing.
	wait := time.Duration(-level/limit*float64(time.Second)) + 1
	return Verdict{At: now.Add(wait), Capacity: true, Reason: fmt.Sprintf("capacity used up, limit %.3g (E1)", limit)}
}

// Reserve charges an admitted fetch with its expected duration and returns the
// charge in seconds, to be handed back to [Settle]. It is charged for no more
// than MaxDebt: where fetches take long and the limit is at its floor, the
// hostname would fall silent for hours (E4).
func Reserve(p Params, l crawl.HostLoad, now time.Time) (crawl.HostLoad, float64) {
	level := refill(p, l, now)
	cost := max(l.Expected, least(p, l))
	l.Level = max(level-cost, min(level, -clamp(p, l.Limit)*p.MaxDebt.Seconds()))
	l.At = now
	return l, level - l.Level
}

// Rate is how many requests a second the limit and the pace allow, if each takes
// what a fetch lately took; while the hostname is backing off, one in each pause. A
// zero load has none.
func Rate(p Params, l crawl.HostLoad) float64 {
	cost := max(l.Expected, least(p, l))
	if l.Limit == 0 || cost <= 0 {
		return 0
	}
	rate := clamp(p, l.Limit) / cost
	if l.Backoffs > 0 {
		rate = min(rate, 1/backoff(p, l.Backoffs-1).Seconds())
	}
	return rate
}

// backoff is the pause after n others in a row, without jitter.
func backoff(p Params, n int) time.Duration {
	return time.Duration(min(float64(p.Backoff)*math.Pow(2, float64(min(n, 20))), float64(p.MaxBackoff)))
}

// Observation is a finished fetch as the capacity sees it.
type Observation struct {
	Reserved   float64          // what Reserve charged, in seconds
	Duration   time.Duration    // how long the connection was held
	Wait       time.Duration    // request sent until first byte; 0 = unknown
	Effect     crawl.RateEffect // by package react
	RetryAfter time.Duration    // from the response; 0 = none (E8)
	Jitter     float64          // a random number in [0,1), handed in
	Detail     string           // for the cause: "503", "connect-timeout"
	TooMany    bool             // 429: the server says itself that it counts requests
	Repeat     bool             // the URL had failed the time before, with 429, 5xx or on the network
}

// Settle replaces the reservation by the real duration and lets the answer act
// on the limit.
func Settle(p Params, l crawl.HostLoad, o Observation, now time.Time) crawl.HostLoad {
	l.Limit = clamp(p, l.Limit)
	took := o.Duration.Seconds()
	l.Level = refill(p, l, now) + o.Reserved - max(took, least(p, l))
	l.Level = max(l.Level, -l.Limit*p.MaxDebt.Seconds())
	l.At = now
	switch known := repeated(p, l, o, now); {
	case o.Effect == crawl.RateHealthy:
		l.WindowOK++
		l.Backoffs, l.BadRow = 0, 0
		if o.Repeat {
			l.LimiterAt = now // it was not the URL that was refused
		}
		l = observe(l, took, o.Wait.Seconds())
	case known: // nothing new
	case o.Effect == crawl.RateError:
		l.WindowBad++
		l.BadRow++
	case o.Effect == crawl.RateOverload:
		l = overload(p, l, o, now)
	case o.Effect == crawl.RateNetwork:
		l = network(p, l, o, now)
	}
	if o.RetryAfter > 0 && (o.Effect == crawl.RateOverload || o.Effect == crawl.RateError) {
		l = retryAfter(p, l, o, now)
	}
	if window(p, l, now) {
		l = closeWindow(p, l, now)
	}
	return l
}

func parallel(limit float64) int { return max(1, int(math.Ceil(limit))) }

func clamp(p Params, limit float64) float64 {
	if math.IsNaN(limit) {
		return p.Floor
	}
	return min(max(limit, p.Floor), p.Ceiling)
}

// refill returns the bucket's level at now.
func refill(p Params, l crawl.HostLoad, now time.Time) float64 {
	limit := clamp(p, l.Limit)
	dt := max(0, now.Sub(l.At).Seconds())
	return min(l.Level+dt*limit, saved(p, l))
}

// repeated reports a failure that is no news of the hostname: of a URL that had
// failed before, while others are answered. The rate follows the share of distinct
// URLs that fail (E3), and one that always fails must not pause the others each
// time that it is asked for.
func repeated(p Params, l crawl.HostLoad, o Observation, now time.Time) bool {
	if !o.Repeat || o.TooMany || limiting(p, l, now) || o.Effect == crawl.RateHealthy || o.Effect == crawl.RateNone {
		return false
	}
	good, _ := lately(p, l, now)
	return good > 0
}

// limiting reports whether refusals lately had to do with the rate and not with
// the URL: one that was refused was answered when it was asked for again.
func limiting(p Params, l crawl.HostLoad, now time.Time) bool {
	return !l.LimiterAt.IsZero() && now.Sub(l.LimiterAt) < p.LimiterTrust
}

// overload takes in a 429 or 503. The hostname is paused if the server counts
// requests (429) or more than a few of its URLs fail; a 503 among many good
// answers costs its share of the limit when the window ends, as any other error.
func overload(p Params, l crawl.HostLoad, o Observation, now time.Time) crawl.HostLoad {
	l.WindowBad++
	l.BadRow++
	paused := false
	until := now
	if o.TooMany || l.BadRow >= p.PauseRow || share(p, l) >= p.PauseShare {
		var next crawl.HostLoad
		if next, paused = pause(p, l, o, now); paused {
			l, until = next, next.NotBefore
		}
	}
	if many := share(p, l) >= p.PauseShare; (many || o.TooMany || limiting(p, l, now)) && !now.Before(l.RefusedAt.Add(p.Backoff)) {
		l = refused(p, l, until, now)
	}
	if !paused {
		return l
	}
	return note(l, crawl.RateChange{
		Cause: crawl.RateCauseBackoff, From: l.Limit, To: l.Limit, Since: now, At: now, Until: l.NotBefore,
		Detail: fmt.Sprintf("back-off after %s (E3, E8)", o.Detail),
	})
}

// pause begins a back-off. Answers to requests that were under way when one
// began say nothing new and do not lengthen it: false.
func pause(p Params, l crawl.HostLoad, o Observation, now time.Time) (crawl.HostLoad, bool) {
	if now.Before(l.NotBefore) {
		return l, false
	}
	d := float64(backoff(p, l.Backoffs)) * (1 + p.Jitter*o.Jitter)
	l.NotBefore = now.Add(time.Duration(d))
	l.Backoffs++
	return l, true
}

// retryAfter makes the pause as long as the server asked for, within bounds (E8).
func retryAfter(p Params, l crawl.HostLoad, o Observation, now time.Time) crawl.HostLoad {
	until := now.Add(min(o.RetryAfter, p.MaxRetryAfter))
	if !until.After(l.NotBefore) {
		return l
	}
	l.NotBefore = until
	detail := fmt.Sprintf("Retry-After of %s with %s (E8)", o.RetryAfter, o.Detail)
	if o.RetryAfter > p.MaxRetryAfter {
		detail = fmt.Sprintf("Retry-After of %s with %s, of which %s are waited for (E8)", o.RetryAfter, o.Detail, p.MaxRetryAfter)
	}
	c := crawl.RateChange{Cause: crawl.RateCauseBackoff, From: l.Limit, To: l.Limit, Since: now, At: now, Until: until, Detail: detail}
	if n := len(l.Changes); n > 0 && l.Changes[n-1].Cause == c.Cause && l.Changes[n-1].At.Equal(now) {
		// The same answer has begun a pause of our own already: it is told once.
		last := l.Changes[n-1]
		l.Changes = append([]crawl.RateChange(nil), l.Changes...)
		last.Until, last.Detail = until, detail
		l.Changes[n-1], l.Cause, l.ChangedAt = last, detail, now
		return l
	}
	return note(l, c)
}

// network pauses the hostname and takes a part of its limit at once (E4).
func network(p Params, l crawl.HostLoad, o Observation, now time.Time) crawl.HostLoad {
	next, ok := pause(p, l, o, now)
	if !ok {
		return l
	}
	if accepted, _ := lately(p, l, now); accepted > 0 {
		// It was answering: more connections than it bears may be the cause.
		next.LimitTop, next.HeldUntil = l.Limit, now.Add(p.HoldNetwork)
	}
	next.Limit = clamp(p, l.Limit*(1-p.NetworkCut))
	next = note(next, crawl.RateChange{
		Cause: crawl.RateCauseNetwork, From: l.Limit, To: next.Limit, Since: now, At: now, Until: next.NotBefore,
		Detail: fmt.Sprintf("network failure: %s (E4)", o.Detail),
	})
	return restart(p, next, now)
}

// window reports whether the observation window is to be closed: its time is
// over, or enough answers failed that waiting would be hammering.
func window(p Params, l crawl.HostLoad, now time.Time) bool {
	if now.Sub(l.WindowStart) >= p.Window {
		return true
	}
	return l.WindowBad >= 5 && 2*l.WindowBad > l.WindowOK && now.Sub(l.WindowStart) >= p.Window/4
}

func closeWindow(p Params, l crawl.HostLoad, now time.Time) crawl.HostLoad {
	l = latency(p, l, now)
	switch slow := l.Baseline*p.SlowFactor + p.SlowSlack.Seconds(); {
	case l.WindowBad > 0:
		share := share(p, l)
		limit := l.Limit * (1 - p.ErrorCut*share)
		if l.WindowUsed && share < 0.5 && !paced(p, l) {
			// The healthy ones raise it: so it settles where both are even, lower the
			// more URLs fail, and not at the floor because some always do.
			limit = held(l, limit, limit+p.Step*(1-share), now)
		}
		l = change(p, l, limit, crawl.RateCauseErrors, now,
			fmt.Sprintf("%.0f %% of the URLs failed with 429 or 5xx (E3)", 100*share))
	case l.WindowOK > 0 && l.Baseline > 0 && l.Latency > slow:
		cut := min(p.SlowCut, 1-slow/l.Latency)
		l = change(p, l, l.Limit*(1-cut), crawl.RateCauseSlow, now,
			fmt.Sprintf("latency %.0f ms left its baseline of %.0f ms (E3)", l.Latency*1000, l.Baseline*1000))
	case l.WindowOK > 0 && l.WindowUsed:
		l = rise(p, l, now)
	}
	return restart(p, l, now)
}

// restart begins a new window.
func restart(p Params, l crawl.HostLoad, now time.Time) crawl.HostLoad {
	l.ShareBad, l.ShareAll = shares(p, l)
	l.BeforeOK, l.BeforeSpan = l.WindowOK, max(0, now.Sub(l.WindowStart).Seconds())
	l.WindowStart, l.WindowOK, l.WindowBad, l.WindowUsed, l.WindowWait, l.WindowWaits = now, 0, 0, false, 0, 0
	return l
}

// shares are the failures and the answers of this window together with those
// before, which fade: about the last ShareOf of them. A window of two answers
// would know no shares but none, half and all.
func shares(p Params, l crawl.HostLoad) (bad, all float64) {
	n := float64(l.WindowOK + l.WindowBad)
	keep := max(0, 1-n/p.ShareOf)
	return keep*l.ShareBad + float64(l.WindowBad), keep*l.ShareAll + n
}

func share(p Params, l crawl.HostLoad) float64 {
	bad, all := shares(p, l)
	return bad / max(all, 1)
}
