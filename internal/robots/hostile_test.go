package robots

import (
	"sync"
	"testing"
	"time"
)

// The figures are those of BenchmarkMatchHostile; the bound on time here is
// generous, as the machine may be busy. It stands against a matcher that comes
// back to what it tried: that one does not end.
func TestC2Case10Stars(t *testing.T) {
	for _, h := range hostile {
		t.Run("case10/"+h.name, func(t *testing.T) {
			m := Parse(starFile(h.pattern)).For(Agent{})
			if n := m.set.wild.len(); n < 11000 && h.name != "parts of every length" || n < 900 {
				t.Fatalf("only %d rules with stars", n)
			}
			start := time.Now()
			if v := m.Check(h.path); !v.Allowed {
				t.Fatalf("not what the case is about: %+v", v)
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("a check took %s", d)
			}
			if n := testing.AllocsPerRun(1, func() { m.Check(h.path) }); n > 4 { // not 0: a pool may be empty
				t.Errorf("a check allocates %v times", n)
			}
		})
	}
}

// The gates must turn away the very file of case 10 almost whole: without them
// each of 20,000 patterns would be tried against 2,000 characters.
func TestC2Case10Gates(t *testing.T) {
	for _, h := range hostile[:4] {
		w := &Parse(starFile(h.pattern)).For(Agent{}).set.wild
		f := featuresOf(h.path, w.len())
		tried := 0
		for i := range w.gates {
			if w.gates[i].admits(&f) {
				tried++
			}
		}
		if tried > w.len()/1000 {
			t.Errorf("case10/%s: %d of %d patterns are tried", h.name, tried, w.len())
		}
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	m := Parse(usualFile()).For(Agent{Tokens: []string{"Googlebot"}})
	for _, path := range []string{"/section-30/private/x", "/x.pdf", "/a?sort3=%2F", "/nothing"} {
		if n := testing.AllocsPerRun(10, func() { m.Check(path) }); n != 0 {
			t.Errorf("%s: %v allocations", path, n)
		}
	}
}

// Rules are shared by the clients of a hostname (C5).
func TestC5RulesAreShared(t *testing.T) {
	r := Parse(usualFile())
	var wait sync.WaitGroup
	for _, token := range []string{"a", "b", "c", "d"} {
		wait.Go(func() {
			for range 100 {
				if r.Check(Agent{Tokens: []string{token}}, "/x.pdf").Allowed {
					t.Error("/x.pdf is allowed")
				}
			}
		})
	}
	wait.Wait()
	if r.For(Agent{Tokens: []string{"a"}}).set != r.For(Agent{Tokens: []string{"b"}}).set {
		t.Error("agents of the same group do not share its compiled form")
	}
}
