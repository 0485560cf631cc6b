package schedule

import (
	"math"

	"trawl/internal/hostload"
)

// window is how many URLs of a hostname are kept in memory for each client: no
// more than it bears in windowTime.
func (s *Scheduler) window(h *host) int {
	most := s.cfg.window()
	n := hostload.Rate(h.params, h.rec.Load) * windowTime.Seconds()
	if n >= float64(most) {
		return most
	}
	return min(most, max(minWindow, int(math.Ceil(n))))
}

// trim gives entries back, the least worth first, until n are in memory: the
// capacity of the hostname collapsed, and what is due by the time that they would
// be served is worth more. They are still in the store.
func (s *Scheduler) trim(h *host, f *feed, n int) {
	for f.queued > n {
		var worst *queue
		for _, q := range h.queues {
			if q.client != f.client || len(q.entries) == 0 {
				continue
			}
			if worst == nil || before(&worst.entries[len(worst.entries)-1], &q.entries[len(q.entries)-1]) {
				worst = q
			}
		}
		if worst == nil {
			return
		}
		last := len(worst.entries) - 1
		delete(h.held, key{worst.entries[last].URL, f.client})
		worst.entries = worst.entries[:last]
		if last == 0 {
			h.forget(worst)
		}
		f.held--
		f.queued--
		h.queued--
		s.queued--
		f.more = true
	}
}
