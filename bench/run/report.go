package main

import (
	"fmt"
	"slices"
	"strings"

	"trawl/bench/web"
)

// measurement is one run of one crawler. Times are in seconds, memory in bytes.
type measurement struct {
	Round       int       `json:"round"`
	Peer        string    `json:"peer"`
	PagesPerCPU float64   `json:"pages_per_cpu_s"` // unique pages per CPU-second of the crawler
	PagesPerSec float64   `json:"pages_per_s"`     // unique pages per second from start to exit
	User        float64   `json:"user_s"`
	Sys         float64   `json:"sys_s"`
	Wall        float64   `json:"wall_s"`
	PeakMemory  int64     `json:"peak_memory"`
	Exit        int       `json:"exit"` // -1 = ended by a signal
	TimedOut    bool      `json:"timed_out"`
	Server      web.Stats `json:"server"`
	Load        float64   `json:"load"` // load average when it began
	output      string
}

func newMeasurement(round int, name string, u usage, s web.Stats, load float64) measurement {
	m := measurement{
		Round: round, Peer: name, User: u.user.Seconds(), Sys: u.sys.Seconds(), Wall: u.wall.Seconds(), PeakMemory: u.peak,
		Exit: u.exit, TimedOut: u.timedOut, Server: s, Load: load, output: u.output,
	}
	if cpu := m.cpu(); cpu > 0 {
		m.PagesPerCPU = float64(s.Unique) / cpu
	}
	if m.Wall > 0 {
		m.PagesPerSec = float64(s.Unique) / m.Wall
	}
	return m
}

func (m *measurement) cpu() float64 { return m.User + m.Sys }

// complete reports whether the run did the whole work, without which its
// figures are not comparable.
func (m *measurement) complete() bool {
	return !m.TimedOut && m.Exit == 0 && m.Server.Unique == int64(m.Server.Total)
}

// notes says what is not as it should be.
func (m *measurement) notes() string {
	var n []string
	if m.TimedOut {
		n = append(n, "TIMED OUT")
	} else if m.Exit != 0 {
		n = append(n, fmt.Sprintf("EXIT %d", m.Exit))
	}
	if missing := int64(m.Server.Total) - m.Server.Unique; missing > 0 {
		n = append(n, fmt.Sprintf("%d PAGES MISSING", missing))
	}
	for _, c := range []struct {
		n    int64
		what string
	}{
		{m.Server.Repeats, "repeats"},
		{m.Server.Bad, "bad requests"},
		{m.Server.NoPort, "Host fields without port"},
		{m.Server.BrokenOff, "broken off"},
	} {
		if c.n > 0 {
			n = append(n, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(n, ", ")
}

// report is the outcome of the whole benchmark.
type report struct {
	Spec     web.Spec          `json:"web"`
	Rounds   int               `json:"rounds"`
	Machine  machine           `json:"machine"`
	Commands map[string]string `json:"commands"` // by peer
	Runs     []measurement     `json:"runs"`
	Medians  []medians         `json:"medians"`
	Ratios   []ratio           `json:"ratios"`
}

// medians are those of a peer's complete runs, each figure for itself.
type medians struct {
	Peer        string  `json:"peer"`
	Runs        int     `json:"complete_runs"`
	PagesPerCPU float64 `json:"pages_per_cpu_s"`
	PagesPerSec float64 `json:"pages_per_s"`
	PeakMemory  float64 `json:"peak_memory"`
	ServerCPU   float64 `json:"server_cpu_s"`
}

// ratio compares two peers by pages per CPU-second, round by round.
type ratio struct {
	Of     string        `json:"of"`
	To     string        `json:"to"`
	Rounds []roundsRatio `json:"rounds"` // those in which both were complete
	Median float64       `json:"median"` // 0 = there was none
}

type roundsRatio struct {
	Round int     `json:"round"`
	Value float64 `json:"value"`
}

// complete reports whether every run was, of all that were asked for.
func (r *report) complete() bool {
	return len(r.Runs) == r.Rounds*len(r.Commands) && !slices.ContainsFunc(r.Runs, func(m measurement) bool { return !m.complete() })
}

// names returns the peers in the order in which they ran.
func (r *report) names() []string {
	var out []string
	for i := range r.Runs {
		if !slices.Contains(out, r.Runs[i].Peer) {
			out = append(out, r.Runs[i].Peer)
		}
	}
	return out
}

// summarise fills in the medians and the ratios to the given peers.
func (r *report) summarise(against []string) {
	names := r.names()
	for _, name := range names {
		r.Medians = append(r.Medians, r.mediansOf(name))
	}
	for _, to := range against {
		if !slices.Contains(names, to) {
			continue
		}
		for _, of := range names {
			if of != to && !(slices.Contains(against, of) && slices.Index(against, of) < slices.Index(against, to)) {
				r.Ratios = append(r.Ratios, r.ratioOf(of, to))
			}
		}
	}
}

func (r *report) mediansOf(name string) medians {
	var perCPU, perSec, peak, server []float64
	for i := range r.Runs {
		if m := &r.Runs[i]; m.Peer == name && m.complete() {
			perCPU, perSec = append(perCPU, m.PagesPerCPU), append(perSec, m.PagesPerSec)
			peak, server = append(peak, float64(m.PeakMemory)), append(server, m.Server.CPUSeconds)
		}
	}
	return medians{
		Peer: name, Runs: len(perCPU), PagesPerCPU: median(perCPU), PagesPerSec: median(perSec), PeakMemory: median(peak), ServerCPU: median(server),
	}
}

func (r *report) ratioOf(of, to string) ratio {
	out := ratio{Of: of, To: to}
	var values []float64
	for round := 1; round <= r.Rounds; round++ {
		a, b := r.find(round, of), r.find(round, to)
		if a == nil || b == nil || !a.complete() || !b.complete() || b.PagesPerCPU <= 0 {
			continue
		}
		v := a.PagesPerCPU / b.PagesPerCPU
		values = append(values, v)
		out.Rounds = append(out.Rounds, roundsRatio{round, v})
	}
	out.Median = median(values)
	return out
}

func (r *report) find(round int, name string) *measurement {
	for i := range r.Runs {
		if r.Runs[i].Round == round && r.Runs[i].Peer == name {
			return &r.Runs[i]
		}
	}
	return nil
}

// median returns the middle value, of an even number the mean of the two in the
// middle, of none 0.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return 0
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
