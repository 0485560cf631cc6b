package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"trawl/internal/live"
	"trawl/internal/report"
)

// progressLine shows a run while it goes on: one line that is rewritten on a
// terminal, a plain line now and then elsewhere.
type progressLine struct {
	w     io.Writer
	tty   bool
	p     *live.Progress
	last  live.Snapshot
	width int
	stop  chan struct{}
	done  chan struct{}
}

func startProgress(w io.Writer, tty bool, p *live.Progress) *progressLine {
	l := &progressLine{w: w, tty: tty, p: p, stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *progressLine) run() {
	defer close(l.done)
	every := 10 * time.Second
	if l.tty {
		every = 500 * time.Millisecond
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.show()
		case <-l.stop:
			if l.tty {
				l.show()
				fmt.Fprintln(l.w)
			}
			return
		}
	}
}

func (l *progressLine) show() {
	s := l.p.Snapshot()
	text := progressText(s, l.last)
	l.last = s
	if !l.tty {
		fmt.Fprintln(l.w, text)
		return
	}
	// A line that wraps cannot be rewritten; every terminal has 80 columns.
	text = text[:min(len(text), 79)]
	pad := max(0, l.width-len(text))
	l.width = len(text)
	fmt.Fprint(l.w, "\r", text, strings.Repeat(" ", pad))
}

// progressText is one line: pages, pages a second since the last one, queue,
// hosts, errors, bytes.
func progressText(s, last live.Snapshot) string {
	rate := 0.0
	if dt := (s.Elapsed - last.Elapsed).Seconds(); dt > 0 {
		rate = float64(s.Pages-last.Pages) / dt
	}
	return fmt.Sprintf("%s  pages %d (%.1f/s)  queue %d  hosts %d  errors %d  %s",
		s.Elapsed.Round(time.Second), s.Pages, rate, s.Waiting(), s.Hosts, s.Errors, report.Bytes(s.Bytes))
}

// end stops the line; it is written no more when end has returned.
func (l *progressLine) end() {
	close(l.stop)
	<-l.done
}
