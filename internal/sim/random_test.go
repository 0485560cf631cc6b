package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"trawl/internal/client"
)

// How many random scenarios a normal test run plays, a short one, and one with
// the race detector, which has nothing to find in one goroutine.
const (
	randomRuns = 2000
	shortRuns  = 150
	raceRuns   = 40
)

// long is for tests of many fetches.
func long(t *testing.T) {
	t.Helper()
	if raceEnabled || testing.Short() {
		t.Skip("long: not with -short or -race")
	}
}

var (
	manyRuns = flag.Uint64("sim.runs", 0, "random scenarios to run; 0 = as many as a normal test runs")
	fromSeed = flag.Uint64("sim.seed", 1, "seed of the first random scenario")
)

func TestRandomScenariosKeepInvariants(t *testing.T) {
	n := uint64(randomRuns)
	if testing.Short() {
		n = shortRuns
	}
	if raceEnabled {
		n = raceRuns
	}
	if *manyRuns > 0 {
		n = *manyRuns
	}
	all, err := client.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	fetches := int64(0)
	start := time.Now()
	for seed := *fromSeed; seed < *fromSeed+n; seed++ {
		sc := Random(seed)
		r, err := RunWith(context.Background(), sc, Options{Check: true, Catalogue: all})
		var v *Violation
		if errors.As(err, &v) {
			v.Scenario = sc
			v = Shrink(context.Background(), v, Options{})
			t.Errorf("seed %d: %v\n%s", seed, v, describe(v.Scenario))
			if t.Failed() {
				return
			}
		}
		if err != nil && v == nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r != nil {
			fetches += r.Fetches
		}
	}
	t.Logf("%d scenarios, %d fetches, %s", n, fetches, time.Since(start).Round(time.Millisecond))
}

func describe(sc Scenario) string {
	s := fmt.Sprintf("shrunk: duration %s, clients %v, window %d, host room %d, concurrency %d, load %s, commit %s, refresh %s", sc.Duration, sc.Clients, sc.Window, sc.HostRoom, sc.Concurrency, sc.LoadDelay, sc.CommitDelay, sc.Refresh)
	for _, h := range sc.Hosts {
		s += fmt.Sprintf("\n  host %+v", h)
	}
	for _, f := range sc.Faults {
		s += fmt.Sprintf("\n  fault %+v", f)
		if f.RobotsFile != nil {
			s += fmt.Sprintf(" %+v", *f.RobotsFile)
		}
	}
	return s
}
