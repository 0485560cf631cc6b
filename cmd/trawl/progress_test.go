package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"trawl/internal/live"
)

func TestProgressText(t *testing.T) {
	last := live.Snapshot{Elapsed: 10 * time.Second, Pages: 100}
	now := live.Snapshot{Elapsed: 12 * time.Second, Pages: 130, New: 200, Hosts: 3, Errors: 2, Bytes: 3 << 20}
	want := "12s  pages 130 (15.0/s)  queue 70  hosts 3  errors 2  3.0 MiB"
	if got := progressText(now, last); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProgressFits: on a terminal a line is rewritten, so it may not wrap.
func TestProgressFits(t *testing.T) {
	var out bytes.Buffer
	l := &progressLine{w: &out, tty: true, p: live.NewProgress()}
	l.last = live.Snapshot{Pages: -1 << 60}
	l.show()
	l.show()
	lines := strings.Split(out.String(), "\r")[1:]
	if len(lines) != 2 || len(lines[0]) > 79 || len(lines[1]) < len(strings.TrimRight(lines[0], " ")) {
		t.Errorf("got %q", lines)
	}
}
