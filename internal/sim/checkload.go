package sim

import (
	"math"
	"time"

	"trawl/internal/hostload"
)

// usage compares the time that connections were held with the time that the
// limit allowed, over every span at once: with M = used − allowed, no span used
// more than its share if M never rises more than a bounded amount above the
// lowest value it had before.
type usage struct {
	at      time.Time
	current float64 // limit
	m       float64 // used − allowed so far
	least   float64 // lowest value of m
	highest float64 // limit so far
	longest float64 // charge of one fetch so far, seconds
}

// limit notes that the limit is v from now on.
func (u *usage) limit(v float64, p *hostload.Params, now time.Time) {
	v = min(max(v, p.Floor), p.Ceiling)
	if !u.at.IsZero() {
		u.m -= u.current * max(0, now.Sub(u.at).Seconds())
		u.least = min(u.least, u.m)
	}
	u.at, u.current = now, v
	u.highest = max(u.highest, v)
}

// add charges a finished fetch. It returns how much more was used within some
// span than the limit allowed, and how much of that is explained: by what may
// be saved up, and by fetches under way.
func (u *usage) add(took time.Duration, limit float64, p *hostload.Params, now time.Time) (excess, explained float64) {
	u.limit(u.current, p, now)
	// Package hostload forgives debt beyond MaxDebt: see its reason there.
	charge := min(took.Seconds(), u.current*(p.MaxDebt+p.Burst).Seconds())
	u.longest = max(u.longest, charge)
	u.m += charge
	excess = u.m - u.least
	u.limit(limit, p, now)
	parallel := max(1, math.Ceil(u.highest))
	// A fetch counts when it is over: those under way at the beginning of the
	// span count too much, those at its end were admitted already.
	return excess, u.highest*p.Burst.Seconds() + 2*parallel*u.longest + 1e-6*(1+math.Abs(u.m))
}
