package report

import (
	"context"
	"maps"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/owner"
	"trawl/internal/store"
)

// LeftHost is the part of a hostname with work that was not done, and why.
type LeftHost struct {
	Host   crawl.Host   `json:"host"`
	Origin crawl.Origin `json:"origin,omitempty"` // "" = several
	URLs   int64        `json:"urls"`
	Reason string       `json:"reason"`
	Until  time.Time    `json:"until,omitzero"`
}

// left says of each origin of a hostname why its URLs were not crawled.
func (b *builder) left(ctx context.Context, st store.Store, rec *crawl.HostRecord) error {
	waiting := b.pending[rec.Host]
	if len(waiting) == 0 {
		return nil
	}
	files, err := st.Robots(ctx, rec.Host)
	if err != nil {
		return err
	}
	for _, o := range slices.Sorted(maps.Keys(waiting)) {
		l := LeftHost{Host: rec.Host, Origin: o, URLs: waiting[o], Reason: "their turn had not come when the run ended"}
		if rec.Load.NotBefore.After(b.opt.Now) {
			l.Reason, l.Until = rec.Load.Cause, rec.Load.NotBefore
		}
		for i := range files {
			if files[i].Origin == o {
				l.robots(&files[i], b.opt.Now)
			}
		}
		l.paused(b.wishes[rec.Host], b.opt.Now)
		b.sum.Left.add(b.opt.Limit, l)
	}
	return nil
}

// paused replaces the reason by the owner's pause, if there is one (E7).
func (l *LeftHost) paused(w owner.Wishes, now time.Time) {
	if paused, until := w.Paused(now); paused {
		l.Reason, l.Until = "paused by its owner (E7)", until
		if w.Pause.Note != "" {
			l.Reason += ": " + w.Pause.Note
		}
	}
}

// robots replaces the reason by what robots.txt has to do with it, if it has.
func (l *LeftHost) robots(r *crawl.RobotsRecord, now time.Time) {
	switch {
	case !r.FailingSince.IsZero():
		l.Reason = "robots.txt not available since " + r.FailingSince.Format(time.RFC3339) + " (" + robotsAnswer(r) + ", C4)"
	case r.Failure != crawl.FailNone && !r.HasGood:
		l.Reason = "robots.txt could not be asked for (" + robotsAnswer(r) + ")"
	default:
		return
	}
	if next := robotsStory(*r, now).Next; next.After(now) {
		l.Until = next
	}
}
