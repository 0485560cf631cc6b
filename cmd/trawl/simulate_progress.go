package main

import (
	"fmt"
	"io"
	"time"

	"trawl/internal/report"
	"trawl/internal/sim"
)

// simProgress shows how far a long run is: a line that is rewritten on a terminal,
// a plain one now and then elsewhere, nothing for the first seconds.
type simProgress struct {
	w           io.Writer
	tty, quiet  bool
	name        string
	began, last time.Time
	shown       bool
}

func (p *simProgress) every() time.Duration {
	if p.tty {
		return 500 * time.Millisecond
	}
	return 10 * time.Second
}

// show is called by the run. It is cheap when there is nothing to show.
func (p *simProgress) show(now sim.Progress) {
	if p.quiet {
		return
	}
	t := time.Now()
	if p.began.IsZero() {
		p.began, p.last = t, t
	}
	if t.Sub(p.last) < p.every() || t.Sub(p.began) < 2*time.Second {
		return
	}
	p.last = t
	line := fmt.Sprintf("%.40s  day %.1f of %.1f  %d requests  %s", report.Safe(p.name), now.Elapsed.Hours()/24, now.Duration.Hours()/24, now.Fetches, t.Sub(p.began).Round(time.Second))
	if !p.tty {
		fmt.Fprintln(p.w, line)
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r%-79.79s", line)
}

// end ends the line.
func (p *simProgress) end() {
	if p.shown {
		fmt.Fprintln(p.w)
	}
}
