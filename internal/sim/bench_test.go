package sim

import (
	"context"
	"testing"
	"time"
)

// BenchmarkFetches reports simulated fetches per minute of wall time, which on
// an idle machine is one of CPU time and a little garbage collection.
func BenchmarkFetches(b *testing.B) {
	for _, bc := range []struct {
		name         string
		hosts, pages int
		check        bool
	}{{"hosts=100", 100, 1000, false}, {"hosts=1", 1, 100_000, false}, {"hosts=3000", 3000, 30, false}, {"hosts=3/checked", 3, 1000, true}} {
		b.Run(bc.name, func(b *testing.B) {
			benchmark(b, Scenario{
				Name: "bench", Seed: 1, Duration: 365 * 24 * time.Hour, MaxFetches: 200_000,
				Hosts: []Host{{
					Name: "www.example", Count: bc.hosts, Own: true,
					Pages: []PageClass{{Name: "page", Count: bc.pages, ETag: true, ChangeEvery: 24 * time.Hour}},
				}},
				Refresh: 24 * time.Hour,
			}, Options{Check: bc.check})
		})
	}
}

func benchmark(b *testing.B, sc Scenario, o Options) {
	fetches := int64(0)
	for b.Loop() {
		r, err := RunWith(context.Background(), sc, o)
		if err != nil {
			b.Fatal(err)
		}
		fetches += r.Fetches
	}
	b.ReportMetric(float64(fetches)/b.Elapsed().Minutes(), "fetches/min")
}
