package record

import (
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// AddChange adds x to a history in order of At, unless it is there already,
// and keeps the newest.
func AddChange(h []crawl.IndexChange, x crawl.IndexChange) []crawl.IndexChange {
	x.At, x.From.Since, x.To.Since = utc(x.At), utc(x.From.Since), utc(x.To.Since)
	if slices.Contains(h, x) {
		return h
	}
	i := len(h)
	for i > 0 && h[i-1].At.After(x.At) {
		i--
	}
	h = slices.Insert(h, i, x)
	return h[max(0, len(h)-store.MaxHistory):]
}

// utc is t as the store gives it back: comparable with ==.
func utc(t time.Time) time.Time { return t.Round(0).UTC() }
