package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestE1E3Page: the figures of docs/capacity.md are those of this program, and
// say what the page says of them.
func TestE1E3Page(t *testing.T) {
	page, err := os.ReadFile("../../docs/capacity.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(&out, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines++
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/capacity.md does not have: %s\nrun go run ./capacity -write ../docs and bring the page up to date", line)
		}
	}
	if want := len(servers()) * (len(contenders()) + 3); lines != want {
		t.Errorf("%d lines, want %d", lines, want)
	}
}

// TestE3NearTheBest: on each server the owner's constants come within a quarter of
// the best, and no more than one request in a hundred fails.
func TestE3NearTheBest(t *testing.T) {
	prof, err := defaultProfile()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers() {
		best := s.best(prof)
		o := s.play(contenders()[0].make(), prof)
		if o.good < 0.75*best.good || o.bad > 0.01 || o.latency > 2.5 {
			t.Errorf("%s: %.3g of %.3g, %.2f %% failed, latency ×%.2f", s.name, o.good, best.good, 100*o.bad, o.latency)
		}
	}
}
