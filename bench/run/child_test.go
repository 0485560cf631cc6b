package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trawl/bench/web"
)

func child(t *testing.T, timeout time.Duration, script string) usage {
	t.Helper()
	dir := t.TempDir()
	u, err := runChild(t.Context(), []string{"sh", "-c", script}, dir, filepath.Join(dir, "log"), timeout)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestChildIsMeasured(t *testing.T) {
	u := child(t, time.Minute, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; echo late >&2; exit 3")
	if u.exit != 3 || u.timedOut || u.output != "done\nlate" {
		t.Errorf("usage %+v", u)
	}
	if u.user < 10*time.Millisecond || u.user+u.sys > 4*u.wall+time.Second {
		t.Errorf("CPU time is not the child's: %+v", u)
	}
	if u.peak < 256<<10 || u.peak > 1<<30 {
		t.Errorf("a shell's peak memory of %d bytes is not in bytes", u.peak)
	}
	idle := child(t, time.Minute, "sleep 0.05")
	if idle.user >= u.user || idle.exit != 0 || idle.wall < 50*time.Millisecond {
		t.Errorf("an idle child: %+v", idle)
	}
}

func TestChildOfChildCounts(t *testing.T) {
	u := child(t, time.Minute, "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; true")
	if u.user < 10*time.Millisecond {
		t.Errorf("the work of a grandchild is missing: %+v", u)
	}
}

func TestChildIsKilledWithItsChildren(t *testing.T) {
	begin := time.Now()
	// The grandchild holds the log open; only its end lets Run return.
	u := child(t, 100*time.Millisecond, "sleep 60 & sleep 60")
	if !u.timedOut || u.exit != -1 || time.Since(begin) > 30*time.Second {
		t.Errorf("usage %+v after %v", u, time.Since(begin))
	}
}

func TestInterruptEndsTheChild(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	dir := t.TempDir()
	_, err := runChild(ctx, []string{"sleep", "60"}, dir, filepath.Join(dir, "log"), time.Minute)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestCommandThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	if _, err := runChild(t.Context(), []string{filepath.Join(dir, "none")}, dir, filepath.Join(dir, "log"), time.Minute); err == nil {
		t.Error("no error")
	}
}

// TestWholeBenchmark runs the command as a user does, on a web so small that it
// is over in seconds: what the peers fetch must be counted right.
func TestWholeBenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("builds binaries")
	}
	spec := web.Spec{Hosts: 4, Pages: 30, Size: 4096, Links: 10, Seed: 5, Robots: web.RobotsAllow}
	o := options{spec: spec, rounds: 2, timeout: time.Minute, parallel: 4, against: []string{"colly"}, temp: t.TempDir()}
	for _, p := range builtins() {
		if p.build != "trawl" { // trawl itself is not this test's matter
			o.peers = append(o.peers, p)
		}
	}
	o.peers = append(o.peers, peer{name: "lazy", shell: "test -s {seeds} && test -d {data} && echo port {port} && exit 7"})
	var progress bytes.Buffer
	b := &bench{options: o, progress: &progress}
	rep, err := b.measure(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	if len(rep.Runs) != 6 || rep.complete() {
		t.Fatalf("%d runs, complete %v", len(rep.Runs), rep.complete())
	}
	for i, want := range []string{"colly", "floor", "lazy", "colly", "floor", "lazy"} {
		m := rep.Runs[i]
		if m.Peer != want || m.Round != 1+i/3 {
			t.Errorf("run %d is %s in round %d", i, m.Peer, m.Round)
		}
		if want == "lazy" {
			if m.Exit != 7 || m.Server.Unique != 0 || m.Server.Requests != 0 || !strings.Contains(m.output, "port ") {
				t.Errorf("a peer that does nothing: %+v", m)
			}
			continue
		}
		if m.Server.Unique != 120 || m.Server.Repeats != 0 || m.Server.Robots != 0 || m.Server.Connections < 4 || !m.complete() || m.cpu() <= 0 {
			t.Errorf("%s: %+v\n%s", want, m, m.output)
		}
	}
	if len(rep.Ratios) != 2 || len(rep.Ratios[0].Rounds) != 2 || rep.Ratios[0].Median <= 0 {
		t.Errorf("ratios %+v", rep.Ratios)
	}
	if left, _ := filepath.Glob(filepath.Join(o.temp, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
