package hostload

import (
	"fmt"
	"time"

	"trawl/internal/crawl"
)

// note adds a change to the history of the limit. Several in a row with the
// same cause are one entry: what an owner asks is when the limit rose and fell,
// and a rise has hundreds of steps. The list is copied, never changed in place:
// records that were handed out share it.
func note(l crawl.HostLoad, c crawl.RateChange) crawl.HostLoad {
	n := len(l.Changes)
	if n > 0 && l.Changes[n-1].Cause == c.Cause {
		last := l.Changes[n-1]
		c.From, c.Since, c.Count = last.From, last.Since, last.Count
		n--
	}
	c.Count++
	keep := l.Changes[max(0, n-crawl.MaxRateChanges+1):n]
	changes := make([]crawl.RateChange, len(keep), len(keep)+1)
	copy(changes, keep)
	l.Changes = append(changes, c)
	l.Cause, l.ChangedAt = c.Detail, c.At
	return l
}

// change moves the limit, and notes why.
func change(p Params, l crawl.HostLoad, limit float64, cause crawl.RateCause, now time.Time, detail string) crawl.HostLoad {
	limit = clamp(p, limit)
	if limit == l.Limit {
		return l
	}
	from := l.Limit
	l.Limit = limit
	return note(l, crawl.RateChange{Cause: cause, From: from, To: limit, Since: now, At: now, Detail: detail})
}

// Bound applies constants that were changed while the hostname was known: an
// owner's limit that was set, moved or lifted (E7). A lower limit acts at once,
// also on what was saved up; after a higher one the limit grows as it always does.
func Bound(p Params, l crawl.HostLoad, now time.Time) crawl.HostLoad {
	if l.Limit <= p.Ceiling {
		return l
	}
	l = change(p, l, p.Ceiling, crawl.RateCauseOwner, now, fmt.Sprintf("the owner's limit of %.3g (E7)", p.Ceiling))
	l.Level = min(l.Level, l.Limit*p.Burst.Seconds())
	return l
}
