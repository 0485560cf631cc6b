package hostload

import (
	"math"
	"time"

	"trawl/internal/crawl"
)

// observe takes in a healthy answer.
func observe(l crawl.HostLoad, took, wait float64) crawl.HostLoad {
	l.Expected += 0.2 * (took - l.Expected)
	if wait > 0 {
		l.WindowWait += wait
		l.WindowWaits++
	}
	return l
}

// latency closes the books of a window on how long answers took: their mean, so
// that a site whose pages differ much does not look slow each time that some slow
// ones come together. A window of few answers counts for less.
//
// The baseline is the latency of the healthy hostname. It follows falling latency
// quickly. Rising latency it follows as time passes, so that a hostname that has
// become slower is not taken for ill for ever: slowly while there is more than one
// connection, since their number may be the cause, and taking the effect of our
// own load for the hostname's nature would allow more and more of it.
func latency(p Params, l crawl.HostLoad, now time.Time) crawl.HostLoad {
	if l.WindowWaits == 0 {
		return l
	}
	n := float64(l.WindowWaits)
	mean := l.WindowWait / n
	if l.Baseline == 0 {
		l.Baseline, l.Latency = mean, mean
		return l
	}
	l.Latency += n / (n + latencyDoubt) * (mean - l.Latency)
	if l.Latency < l.Baseline {
		l.Baseline += 0.3 * (l.Latency - l.Baseline)
		return l
	}
	span := p.BaselineTime.Seconds()
	if l.Limit > 1 {
		span = p.BaselineTimeLoaded.Seconds()
	}
	if dt := now.Sub(l.WindowStart).Seconds(); dt > 0 {
		l.Baseline += (1 - math.Exp(-dt/span)) * (l.Latency - l.Baseline)
	}
	return l
}

// latencyDoubt is how many answers weigh as much as all that was known before
// (house choice).
const latencyDoubt = 4
