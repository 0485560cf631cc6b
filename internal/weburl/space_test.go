package weburl

import (
	"fmt"
	"strings"
	"testing"

	"trawl/internal/crawl"
)

func TestD3SpaceQueries(t *testing.T) {
	var s Space
	at := func(i int) crawl.URL { return crawl.URL(fmt.Sprintf("http://h.example/cal?sid=%d", i)) }
	for i := range SpaceQueries {
		if p, _, trapped := s.Observe(at(i)); trapped {
			t.Fatalf("query %d: %s", i, p)
		}
	}
	p, reason, trapped := s.Observe(at(SpaceQueries))
	if !trapped || p != "h.example/cal?*" || reason == "" {
		t.Fatalf("query 1001: %q, %q, %v", p, reason, trapped)
	}
	for name, u := range map[string]crawl.URL{"known": at(3), "without query": "http://h.example/cal", "other path": "http://h.example/shop?a=b"} {
		if p, _, trapped := s.Observe(u); trapped {
			t.Errorf("%s: %s", name, p)
		}
	}
}

func TestD3SpacePermutations(t *testing.T) {
	var s Space
	facets := []string{"color=red", "size=42", "brand=x", "sort=up"}
	passed := 0
	for _, order := range permutations(facets) {
		u := crawl.URL("http://h.example/shop?" + strings.Join(order, "&"))
		p, reason, trapped := s.Observe(u)
		if !trapped {
			passed++
		} else if p != "h.example/shop?brand=*&color=*&size=*&sort=* (any order)" || reason == "" {
			t.Fatalf("%q, %q", p, reason)
		}
	}
	if passed != 1 {
		t.Errorf("%d of 24 orders passed, want the first only", passed)
	}
	for _, u := range []crawl.URL{"http://h.example/shop?color=red&size=42", "http://h.example/shop?color=42&size=red", "http://h.example/shop?color=red&size=42"} {
		if p, _, trapped := s.Observe(u); trapped {
			t.Errorf("%s: %s", u, p)
		}
	}
}

func permutations(in []string) (out [][]string) {
	if len(in) == 0 {
		return [][]string{nil}
	}
	for i := range in {
		rest := append(append([]string{}, in[:i]...), in[i+1:]...)
		for _, p := range permutations(rest) {
			out = append(out, append([]string{in[i]}, p...))
		}
	}
	return out
}

func TestD3SpaceEverDeeper(t *testing.T) {
	t.Run("narrow", func(t *testing.T) {
		var s Space
		u := "http://h.example/top"
		for depth := 2; depth <= TrapDepth; depth++ {
			u += fmt.Sprintf("/level%d", depth*7919)
			p, reason, trapped := s.Observe(crawl.URL(u))
			if trapped != (depth >= NarrowFrom) || trapped && (p != "h.example/top/…/*" || reason == "") {
				t.Fatalf("depth %d: %q, %q, %v", depth, p, reason, trapped)
			}
		}
	})
	t.Run("wide", func(t *testing.T) {
		var s Space
		u := "http://h.example/top"
		for depth := 2; depth <= TrapDepth; depth++ {
			for i := range NarrowWidth + 1 {
				if p, _, trapped := s.Observe(crawl.URL(fmt.Sprintf("%s/leaf%d-%d", u, depth, i))); trapped {
					t.Fatalf("depth %d: %s", depth, p)
				}
			}
			u += fmt.Sprintf("/leaf%d-0", depth)
		}
	})
	t.Run("one deep link", func(t *testing.T) {
		var s Space
		if p, _, trapped := s.Observe(crawl.URL("http://h.example/" + strings.Join(numbered(30), "/"))); trapped {
			t.Fatal(p)
		}
	})
}

func TestSpaceAppliesTrap(t *testing.T) {
	var s Space
	if p, _, trapped := s.Observe("http://h.example/a/a/a/a/"); !trapped || p != "h.example/(a/)*…" {
		t.Errorf("%q, %v", p, trapped)
	}
	if _, _, trapped := s.Observe("nonsense"); trapped {
		t.Error("nonsense is no trap")
	}
}

// TestSpaceIsBounded: whatever a host does, memory stays within the limits, and
// what was pruned stays pruned when there is no room for the rest.
func TestSpaceIsBounded(t *testing.T) {
	var s Space
	for i := range SpaceQueries + 1 {
		s.Observe(crawl.URL(fmt.Sprintf("http://h.example/pruned?n=%d", i)))
	}
	for i := range 30000 {
		s.Observe(crawl.URL(fmt.Sprintf("http://h.example/p%d?n=%d", i%700, i)))
		s.Observe(crawl.URL(fmt.Sprintf("http://h.example/q%d?n=%d", i%30, i)))
		s.Observe(crawl.URL(fmt.Sprintf("http://h.example/r%d/a/b/c/d/e/f/g", i)))
	}
	held := 0
	for _, q := range s.queries {
		held += len(q.seen)
		if len(q.seen) > SpaceQueries {
			t.Errorf("a path with %d queries", len(q.seen))
		}
	}
	if held != s.entries || held > SpaceEntries || len(s.queries) > SpacePaths || len(s.levels) > SpaceRoots {
		t.Errorf("%d entries (counted %d), %d paths, %d roots", held, s.entries, len(s.queries), len(s.levels))
	}
	if _, _, trapped := s.Observe("http://h.example/pruned?n=-1"); !trapped {
		t.Error("the pruned path was forgotten before small ones")
	}
}

func TestSpaceManyPrunedPaths(t *testing.T) {
	var s Space
	for path := range 2 * SpacePaths {
		u := crawl.URL(fmt.Sprintf("http://h.example/p%d?n=1", path))
		s.Observe(u)
		s.queries[hash(u.Path())].full = true // as after 1001 queries
	}
	if len(s.queries) != SpacePaths || s.entries > SpaceEntries || s.entries < 0 {
		t.Errorf("%d paths, %d entries", len(s.queries), s.entries)
	}
	if _, _, trapped := s.Observe(crawl.URL(fmt.Sprintf("http://h.example/p%d?n=2", 2*SpacePaths-1))); !trapped {
		t.Error("the newest pruned path is not pruned")
	}
	if _, _, trapped := s.Observe("http://h.example/p0?n=2"); trapped {
		t.Error("the oldest pruned path did not make room")
	}
}

func TestSpaceIsDeterministic(t *testing.T) {
	run := func() (out []bool) {
		var s Space
		for i := range 30000 {
			_, _, trapped := s.Observe(crawl.URL(fmt.Sprintf("http://h.example/p%d?n=%d", i*i%500, i*7%5000)))
			out = append(out, trapped)
		}
		return out
	}
	a, b := run(), run()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("URL %d: %v, then %v", i, a[i], b[i])
		}
	}
}

func BenchmarkSpaceObserve(b *testing.B) {
	b.ReportAllocs()
	var s Space
	i := 0
	for b.Loop() {
		s.Observe(notTraps[i&3])
		i++
	}
}
