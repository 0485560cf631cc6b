package hostload

import (
	"math"
	"time"

	"trawl/internal/crawl"
)

// Servers and what stands in front of them refuse with 429 or 503 for two
// reasons: too many requests a second, or too many at a time. The connection time
// of the limit sees only the second: where an answer takes two milliseconds, even
// the lowest limit is dozens of requests a second. So that refusals stay rare, a
// second figure is learned from them, the pace in requests per second; and
// whichever of the two was what the server refused is held below that for a while
// before more is tried.

// refused learns from a refusal that begins a pause (E3). Only one that comes
// just after healthy answers says something about a rate: a server that refuses
// everything, or the first request after an hour, is in trouble for another
// reason, and back-off and error share act on that.
func refused(p Params, l crawl.HostLoad, until time.Time, now time.Time) crawl.HostLoad {
	accepted, span := lately(p, l, now)
	if accepted == 0 {
		return l
	}
	l.HeldUntil, l.RefusedAt = now.Add(p.Hold), now
	if one := below(l.Limit) == l.Limit; one && l.Pace > 0 && !paced(p, l) {
		l.Pace = clamp(p, l.Limit) / max(l.Expected, p.MinCost.Seconds()) // the same in requests: no connection can be spared
		l.PaceTop = l.Pace
		l.Pace = max(l.Pace*(1-p.PaceCut), p.PaceFloor)
		return l
	}
	if paced(p, l) {
		l.PaceTop = l.Pace
		// Not below what was accepted just now, but for a moment's luck.
		least := min(l.Pace, float64(accepted)/span) * p.PaceHold
		l.Pace = max(l.Pace*(1-p.PaceCut), least, p.PaceFloor)
		return l
	}
	if l.Pace == 0 {
		// With the pause that follows this is too low: nothing holds it, and it rises
		// fast until the limit is what counts, or until it is refused.
		l.Pace, l.PaceTop = max(float64(accepted)/(span+until.Sub(now).Seconds()), p.PaceFloor), 0
	}
	l.LimitTop = l.Limit
	return change(p, l, below(l.Limit), crawl.RateCauseErrors, now, "refused: one connection fewer (E3)")
}

// lately counts the healthy answers of the last one or two windows, and their
// seconds; none when the hostname was not at work without a break.
func lately(p Params, l crawl.HostLoad, now time.Time) (int, float64) {
	n, span := l.WindowOK, now.Sub(l.WindowStart).Seconds()
	if span < p.Window.Seconds()/2 {
		n, span = n+l.BeforeOK, span+l.BeforeSpan
	}
	if span <= 0 || span > 3*p.Window.Seconds() {
		return 0, 0
	}
	return n, span
}

// below is a limit with one connection fewer.
func below(limit float64) float64 {
	if n := math.Ceil(limit) - 1; n >= 1 {
		return n
	}
	return limit
}

// held is a limit that is to rise from from to next, kept below the one that was
// refused last while that is held.
func held(l crawl.HostLoad, from, next float64, now time.Time) float64 {
	if now.Before(l.HeldUntil) && l.LimitTop > 0 {
		return min(next, max(from, below(l.LimitTop)))
	}
	return next
}

// rise makes more of a hostname possible after a healthy window in which demand
// used it: the pace if that is what held demand back, the limit otherwise.
func rise(p Params, l crawl.HostLoad, now time.Time) crawl.HostLoad {
	if paced(p, l) {
		grow := p.PaceGrow
		if l.PaceTop == 0 { // never refused: it was guessed from a refused limit
			grow = p.PaceSeek
		}
		next := l.Pace + max(grow*l.Pace, p.PaceStep)
		if top := p.PaceHold * l.PaceTop; now.Before(l.HeldUntil) && l.PaceTop > 0 {
			next = min(next, max(l.Pace, top))
		}
		l.Pace = next
		return l
	}
	next := held(l, l.Limit, l.Limit+p.Step, now)
	return change(p, l, next, crawl.RateCauseHealthy, now, "healthy, and demand used the limit (E3)")
}

// paced reports whether the pace allows fewer requests than the limit does.
func paced(p Params, l crawl.HostLoad) bool {
	return l.Pace > 0 && l.Pace*max(l.Expected, p.MinCost.Seconds()) < clamp(p, l.Limit)
}

// least is what a fetch is charged at least, in connection-seconds.
func least(p Params, l crawl.HostLoad) float64 {
	if l.Pace > 0 {
		return max(p.MinCost.Seconds(), clamp(p, l.Limit)/l.Pace)
	}
	return p.MinCost.Seconds()
}

// saved is how much unused capacity is kept at most, in connection-seconds; none
// under a pace: many limiters refuse the second of two requests at once.
func saved(p Params, l crawl.HostLoad) float64 {
	limit := clamp(p, l.Limit)
	if paced(p, l) {
		return 0
	}
	return limit * p.Burst.Seconds()
}
