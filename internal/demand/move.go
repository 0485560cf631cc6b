package demand

import (
	"time"

	"trawl/internal/crawl"
)

// A site move is many known URLs of a hostname that begin to redirect permanently
// within a short time (H3). The new URLs are wanted at once, as all targets of
// redirects are ([Discovered]). The old hostname's pages are asked for more often
// for a while, those that redirect and those that do not yet, so that the move is
// seen through and its end is not missed. What counts as many, short and a while
// are house choices; the capacity of the hostname bounds it as ever.

// Moved counts one more known URL that began to redirect permanently at now.
func Moved(p Params, m crawl.MoveRecord, now time.Time) crawl.MoveRecord {
	if m.Since.IsZero() || now.Sub(m.Since) > p.MoveWindow {
		m.Since, m.Count = now, 0
	}
	m.Count++
	if p.MoveFrom > 0 && m.Count >= p.MoveFrom {
		m.Until = now.Add(p.MoveFor)
	}
	return m
}

// Moving reports whether a site move is under way.
func Moving(m crawl.MoveRecord, now time.Time) bool { return now.Before(m.Until) }

// InMove returns p for the pages of a hostname that is moving.
func (p Params) InMove() Params {
	p.Soon = max(time.Duration(float64(p.Refresh)/max(p.MoveFaster, 1)), p.MinInterval)
	return p
}
