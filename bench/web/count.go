package web

import (
	"sync/atomic"
	"syscall"
	"time"
)

// Stats is what the server saw since the last reset.
type Stats struct {
	Total       int     `json:"total"`        // pages there are
	Unique      int64   `json:"unique"`       // pages asked for by GET at least once
	Repeats     int64   `json:"repeats"`      // GETs of a page after its first
	Requests    int64   `json:"requests"`     // of any kind
	Robots      int64   `json:"robots"`       // for robots.txt
	Other       int64   `json:"other"`        // HEADs, and paths that no link leads to
	Bad         int64   `json:"bad"`          // not understood, or with another host's name
	NoPort      int64   `json:"no_port"`      // answered though the Host field lacks the port
	Connections int64   `json:"connections"`  // accepted
	Open        int64   `json:"open"`         // connections open now
	PeakOpen    int64   `json:"peak_open"`    // connections open at the same time
	BrokenOff   int64   `json:"broken_off"`   // responses the client did not take
	Bytes       int64   `json:"bytes"`        // sent, header fields included
	CPUSeconds  float64 `json:"server_cpu_s"` // of the server's process
	Seconds     float64 `json:"seconds"`      // since the reset
}

// counters is the changing part of a server. Every field may be used by many
// goroutines; reset gives exact counts only while no client is connected.
type counters struct {
	visits                        []atomic.Uint32 // GETs of each page
	unique, repeats               atomic.Int64
	requests, robots, other, bad  atomic.Int64
	noPort                        atomic.Int64
	connections, open, peak, lost atomic.Int64
	bytes                         atomic.Int64
	cpu                           atomic.Int64 // nanoseconds at the reset
	since                         atomic.Int64 // Unix nanoseconds
}

func (c *counters) visit(page int) {
	if c.visits[page].Add(1) == 1 {
		c.unique.Add(1)
	} else {
		c.repeats.Add(1)
	}
}

func (c *counters) opened() {
	c.connections.Add(1)
	n := c.open.Add(1)
	for old := c.peak.Load(); n > old && !c.peak.CompareAndSwap(old, n); old = c.peak.Load() {
		// Another connection raised the peak: compare again.
	}
}

func (c *counters) closed() { c.open.Add(-1) }

// reset begins a new count. Connections that are open stay counted as open.
func (c *counters) reset() {
	for i := range c.visits {
		c.visits[i].Store(0)
	}
	for _, n := range []*atomic.Int64{&c.unique, &c.repeats, &c.requests, &c.robots, &c.other, &c.bad, &c.noPort, &c.connections, &c.lost, &c.bytes} {
		n.Store(0)
	}
	c.peak.Store(c.open.Load())
	c.cpu.Store(int64(processCPU()))
	c.since.Store(time.Now().UnixNano())
}

func (c *counters) stats() Stats {
	return Stats{
		Total: len(c.visits), Unique: c.unique.Load(), Repeats: c.repeats.Load(), Requests: c.requests.Load(), Robots: c.robots.Load(),
		Other: c.other.Load(), Bad: c.bad.Load(), NoPort: c.noPort.Load(), Connections: c.connections.Load(), Open: c.open.Load(), PeakOpen: c.peak.Load(),
		BrokenOff: c.lost.Load(), Bytes: c.bytes.Load(),
		CPUSeconds: (processCPU() - time.Duration(c.cpu.Load())).Seconds(),
		Seconds:    time.Since(time.Unix(0, c.since.Load())).Seconds(),
	}
}

// processCPU returns the CPU time of this process, user and system.
func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0 // cannot fail with these arguments; a zero shows in the figures
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
