package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// niceTop is the end of an axis from 0 that holds v, and the step of its ticks,
// about n of them.
func niceTop(v float64, n int) (top, step float64) {
	switch {
	case !(v > 1e-12):
		v = 1 // nothing to be seen
	case v > 1e300:
		v = 1e300
	}
	raw := v / float64(max(n, 1))
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * mag; step >= raw*0.999 {
			break
		}
	}
	return step * math.Ceil(v/step*0.9999), step
}

// SI writes a value with an SI prefix where it is large, and few digits.
func SI(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 0:
		return "−" + SI(-v)
	case v >= 1e15 || v > 0 && v < 1e-6:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	for _, p := range []struct {
		from float64
		unit string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.from*0.9995 {
			return trim(v/p.from, 3) + " " + p.unit
		}
	}
	return trim(v, 3)
}

// trim writes v with at most the given significant digits, and no zeros behind the point.
func trim(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(v)+1e-9)))
	if decimals > 9 {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// tick is a place on the time axis.
type tick struct {
	at    time.Time
	label string
}

// steps are the distances of ticks; beyond the last, months and years.
var steps = [...]time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
}

// timeTicks are the ticks from a time to another, at most n; relative to the
// first if elapsed.
func timeTicks(from, to time.Time, n int, elapsed bool) []tick {
	span := to.Sub(from)
	if span <= 0 {
		return []tick{{from, timeLabel(from, from, time.Hour, elapsed)}}
	}
	n = max(n, 1)
	step := time.Duration(0)
	for _, s := range steps {
		if int(span/s)+1 <= n {
			step = s
			break
		}
	}
	switch {
	case step == 0 && elapsed:
		for step = 30 * 24 * time.Hour; int(span/step)+1 > n; step *= 2 {
		}
	case step == 0:
		return monthTicks(from, to, n)
	}
	at := from
	if !elapsed {
		if at = from.Truncate(step); at.Before(from) {
			at = at.Add(step)
		}
	}
	var out []tick
	for ; !at.After(to) && len(out) < 1000; at = at.Add(step) {
		out = append(out, tick{at, timeLabel(at, from, step, elapsed)})
	}
	return out
}

func monthTicks(from, to time.Time, n int) []tick {
	months := int(to.Sub(from)/(30*24*time.Hour)) + 1
	step := 12 * 1000
	for _, s := range []int{1, 2, 3, 6, 12, 24, 60, 120, 600, 1200} {
		if months/s+1 <= n {
			step = s
			break
		}
	}
	at := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	var out []tick
	for ; !at.After(to) && len(out) < 1000; at = at.AddDate(0, step, 0) {
		if at.Before(from) {
			continue
		}
		label := at.Format("Jan 2006")
		if step%12 == 0 {
			label = at.Format("2006")
		}
		out = append(out, tick{at, label})
	}
	return out
}

func timeLabel(at, from time.Time, step time.Duration, elapsed bool) string {
	const day = 24 * time.Hour
	if !elapsed {
		if step >= day || at.Truncate(day).Equal(at) {
			return at.Format("2 Jan")
		}
		return at.Format("15:04")
	}
	d := at.Sub(from)
	switch {
	case d == 0:
		return "0"
	case step >= day:
		return trim(d.Hours()/24, 6) + " d"
	case step >= time.Hour:
		return trim(d.Hours(), 6) + " h"
	}
	return trim(d.Minutes(), 6) + " min"
}
