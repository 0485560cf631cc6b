package sim

import (
	"context"
	"errors"
)

// maxShrinks bounds the runs that shrinking costs (house choice).
const maxShrinks = 300

// Shrink looks for a smaller scenario that breaks the same invariant as v does
// in v.Scenario, by leaving out faults, hosts, clients and pages, one after the
// other, and ending the run at the violation. It returns the last violation
// that it found, v itself if none.
func Shrink(ctx context.Context, v *Violation, o Options) *Violation {
	o.Check = true
	runs := 0
	fails := func(sc Scenario) *Violation {
		if runs++; runs > maxShrinks {
			return nil
		}
		var found *Violation
		if _, err := RunWith(ctx, sc, o); !errors.As(err, &found) || found.Invariant != v.Invariant {
			return nil
		}
		found.Scenario = sc
		return found
	}
	best := v
	for again := true; again && runs < maxShrinks; {
		again = false
		for _, smaller := range shrinks(best) {
			if found := fails(smaller); found != nil {
				best, again = found, true
				break
			}
		}
	}
	return best
}

// shrinks are the scenarios one step smaller, the boldest steps first.
func shrinks(v *Violation) []Scenario {
	var out []Scenario
	sc := v.Scenario
	with := func(change func(*Scenario)) {
		s := sc
		s.Hosts = append([]Host(nil), sc.Hosts...)
		s.Faults = append([]Fault(nil), sc.Faults...)
		change(&s)
		out = append(out, s)
	}
	if till := v.At.Sub(sc.complete().Start) + 1; till < sc.Duration {
		with(func(s *Scenario) { s.Duration = till })
	}
	for i := range sc.Hosts {
		with(func(s *Scenario) { s.Hosts = append(s.Hosts[:i], s.Hosts[i+1:]...) })
	}
	for i := range sc.Faults {
		with(func(s *Scenario) { s.Faults = append(s.Faults[:i], s.Faults[i+1:]...) })
	}
	if sc.HostRoom > 0 {
		with(func(s *Scenario) { s.HostRoom = 0 })
	}
	for i := range sc.Clients {
		if len(sc.Clients) > 1 {
			with(func(s *Scenario) { s.Clients = append(append([]Client(nil), sc.Clients[:i]...), sc.Clients[i+1:]...) })
		}
	}
	for i := range sc.Hosts {
		h := sc.Hosts[i]
		for j := range h.Pages {
			if len(h.Pages) > 1 {
				with(func(s *Scenario) {
					s.Hosts[i].Pages = append(append([]PageClass(nil), h.Pages[:j]...), h.Pages[j+1:]...)
				})
			}
			if h.Pages[j].Count > 1 {
				with(func(s *Scenario) {
					s.Hosts[i].Pages = append([]PageClass(nil), h.Pages...)
					s.Hosts[i].Pages[j].Count /= 2
				})
			}
		}
		if len(h.Traps) > 0 {
			with(func(s *Scenario) { s.Hosts[i].Traps = nil })
		}
		if h.Server != (Server{}) {
			with(func(s *Scenario) { s.Hosts[i].Server = Server{} })
		}
		if h.Robots.text() != nil && len(h.Robots.text()) > 0 || h.Robots.Status != 0 || h.Robots.MoveTo != "" {
			with(func(s *Scenario) { s.Hosts[i].Robots = RobotsFile{} })
		}
	}
	return out
}
