package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/hostload"
	"trawl/internal/schedule"
)

// meddler changes what passes between driver and scheduler.
type meddler struct {
	Machine
	next func(Machine, time.Time) schedule.Step
	done func(Machine, time.Time, *schedule.Job, *schedule.Findings) *crawl.Outcome
}

func (m *meddler) Next(now time.Time) schedule.Step {
	if m.next == nil {
		return m.Machine.Next(now)
	}
	return m.next(m.Machine, now)
}

func (m *meddler) Done(now time.Time, j *schedule.Job, f *schedule.Findings) *crawl.Outcome {
	if m.done == nil {
		return m.Machine.Done(now, j, f)
	}
	return m.done(m.Machine, now, j, f)
}

// capacityOf changes the constants that the scheduler is given.
func capacityOf(change func(*hostload.Params)) func(*schedule.Config) {
	return func(c *schedule.Config) {
		right := c.Capacity
		c.Capacity = func(h crawl.Host) hostload.Params {
			p := right(h)
			change(&p)
			return p
		}
	}
}

func wrap(next func(Machine, time.Time) schedule.Step, done func(Machine, time.Time, *schedule.Job, *schedule.Findings) *crawl.Outcome) Options {
	return Options{Machine: func(m Machine) Machine { return &meddler{m, next, done} }}
}

// again issues the first page a second time.
func again() func(Machine, time.Time) schedule.Step {
	var first *schedule.Job
	return func(m Machine, now time.Time) schedule.Step {
		if first != nil {
			j := *first
			first = nil
			return schedule.Step{Kind: schedule.StepFetch, Job: &j}
		}
		s := m.Next(now)
		if s.Kind == schedule.StepFetch && s.Job.Origin == "" {
			first = s.Job
		}
		return s
	}
}

// losing forgets every page that is issued after the tenth.
func losing() func(Machine, time.Time) schedule.Step {
	n := 0
	return func(m Machine, now time.Time) schedule.Step {
		s := m.Next(now)
		if s.Kind == schedule.StepFetch && s.Job.Origin == "" {
			if n++; n > 10 {
				return schedule.Step{Kind: schedule.StepWait}
			}
		}
		return s
	}
}

func elsewhere(m Machine, now time.Time) schedule.Step {
	s := m.Next(now)
	if s.Kind == schedule.StepFetch && s.Job.Origin == "" {
		s.Job.Host = "other.example"
	}
	return s
}

func cheap(m Machine, now time.Time, j *schedule.Job, f *schedule.Findings) *crawl.Outcome {
	f.Result.Timings.Total = time.Millisecond
	return m.Done(now, j, f)
}

func impatient(m Machine, now time.Time, j *schedule.Job, f *schedule.Findings) *crawl.Outcome {
	f.RetryAfter = 0
	return m.Done(now, j, f)
}

func rowless(m Machine, now time.Time, j *schedule.Job, f *schedule.Findings) *crawl.Outcome {
	o := m.Done(now, j, f)
	if o.Index != nil {
		o.Index.To.Row = ""
	}
	return o
}

// troubled is a scenario in which everything that can be broken matters.
func troubled() Scenario {
	return Scenario{
		Name: "troubled", Seed: 7, Duration: 3 * day, Window: 16, Refresh: 6 * time.Hour,
		Hosts: []Host{{
			Name: "a.example", Pages: []PageClass{{Name: "news", Count: 300, Links: 40}, {Name: "private", Count: 40, Disallow: true}},
			Server: Server{Latency: 2 * time.Second, Jitter: 0.3},
		}},
		Faults: []Fault{
			{From: 3 * time.Hour, For: 6 * time.Hour, Status: 503, RetryAfter: time.Minute, Target: TargetPages},
			{From: 20 * time.Hour, For: 20 * time.Hour, Failure: "connect-timeout"},
		},
	}
}

// TestCheckerCatchesDeliberateFaults breaks one promise at a time, behind the
// checker's back, and expects that it is noticed: and not before.
func TestCheckerCatchesDeliberateFaults(t *testing.T) {
	play(t, troubled())
	for name, tc := range map[string]struct {
		meddle Options
		want   Invariant
	}{
		"no capacity limit":              {Options{Config: capacityOf(func(p *hostload.Params) { p.Start, p.Ceiling, p.Burst = 100, 100, time.Hour })}, CapacityKept},
		"a long fetch is charged little": {wrap(nil, cheap), TimeKept},
		"Retry-After ignored":            {wrap(nil, impatient), BackoffKept},
		"robots.txt ignored": {Options{Config: func(c *schedule.Config) {
			c.Clients[0].Profile.Robots = client.RobotsIgnore
		}}, RobotsObeyed},
		"robots.txt failures stop the crawl for a day": {Options{Config: func(c *schedule.Config) { c.Robots.StopFor = day }}, RobotsNotAbused},
		"robots.txt failures do not stop it":           {Options{Config: func(c *schedule.Config) { c.Robots.StopFor = time.Minute }}, RobotsObeyed},
		"issued twice":                                 {wrap(again(), nil), IssuedOnce},
		"jobs are lost":                                {wrap(losing(), nil), NotStarved},
		"charged to another hostname":                  {wrap(elsewhere, nil), ChargedRight},
		"backs off for days":                           {Options{Config: capacityOf(func(p *hostload.Params) { p.Backoff, p.MaxBackoff = 9*time.Hour, 90*time.Hour })}, NeverSilent},
		"the limit never rises":                        {Options{Config: capacityOf(func(p *hostload.Params) { p.Step = 0 })}, Recovers},
		"a change without a row":                       {wrap(nil, rowless), IndexByTable},
		"removed at once":                              {Options{Config: func(c *schedule.Config) { c.React.DropServerAfter = 0 }}, IndexByTable},
		"more URLs in memory than agreed":              {Options{Config: func(c *schedule.Config) { c.Window = 64 }}, MemoryBounded},
	} {
		t.Run(name, func(t *testing.T) {
			tc.meddle.Check = true
			_, err := RunWith(context.Background(), troubled(), tc.meddle)
			var v *Violation
			if !errors.As(err, &v) {
				t.Fatalf("not noticed: %v", err)
			}
			if v.Invariant != tc.want {
				t.Errorf("noticed as something else: %v", v)
			}
			if len(v.History) == 0 {
				t.Error("the violation has no history")
			}
		})
	}
}

func TestShrinkFindsASmallerScenario(t *testing.T) {
	sc := troubled()
	sc.Hosts = append(sc.Hosts, Host{Name: "b.example", Pages: []PageClass{{Name: "x", Count: 5}}})
	fault := wrap(nil, rowless)
	fault.Check = true
	_, err := RunWith(context.Background(), sc, fault)
	var v *Violation
	if !errors.As(err, &v) {
		t.Fatal(err)
	}
	got := Shrink(context.Background(), v, fault).Scenario
	if len(got.Hosts) != 1 || len(got.Faults) != 0 || got.Duration > time.Hour || got.Hosts[0].Pages[0].Count > 5 {
		t.Errorf("shrunk to %d hosts, %d faults, %s, %+v", len(got.Hosts), len(got.Faults), got.Duration, got.Hosts[0].Pages)
	}
	if len(got.Hosts) == 1 && got.Seed != sc.Seed {
		t.Error("the seed was lost")
	}
}
