package schedule

import (
	"time"

	"trawl/internal/hostload"
	"trawl/internal/owner"
)

// SetWishes replaces what the owners of hostnames asked for (E7). It acts at
// once on hostnames in memory; the others meet it when they are loaded. The book
// must not change afterwards.
func (s *Scheduler) SetWishes(now time.Time, book owner.Book) {
	was := s.wishes
	s.wishes = book
	for name, h := range s.hosts {
		if !h.ready || was[name] == book[name] {
			continue
		}
		s.bound(h, now)
		s.schedule(h, now) // also one that was paused and may go on
	}
}

// bound makes the constants of a hostname those that are in force at now.
func (s *Scheduler) bound(h *host, now time.Time) {
	wishes := s.wishes[h.name]
	h.params = wishes.Params(s.cfg.Capacity(h.name), now)
	h.rec.Load = hostload.Bound(h.params, h.rec.Load, now)
	h.limitEnds = wishes.Limit.Active(now).Until
}

// paused reports whether nothing may be sent to the hostname, and until when;
// zero = until somebody lifts it.
func (s *Scheduler) paused(h *host, now time.Time) (bool, time.Time) {
	if s.cfg.Paused != nil && s.cfg.Paused(h.name) {
		return true, time.Time{}
	}
	return s.wishes[h.name].Paused(now)
}
