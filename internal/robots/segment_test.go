package robots

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bruteForce tries one pattern after the other.
func bruteForce(patterns []pattern, path string, limit int32) int32 {
	for i, p := range patterns[:min(len(patterns), int(limit))] {
		if p.match(path) {
			return int32(i)
		}
	}
	return noRank
}

var genStars = rapid.Custom(func(t *rapid.T) pattern {
	parts := rapid.SliceOfN(rapid.StringMatching(`[ab/]{0,4}`), 2, 6).Draw(t, "parts")
	p := pattern{text: "/" + strings.Join(parts, "*"), anchored: rapid.Bool().Draw(t, "anchored")}
	if strings.HasSuffix(p.text, "*") {
		p.anchored = false // as ruleset.add has it
	}
	return p
})

// Matching all patterns at once gives what trying them one by one does, with
// and without literals that have many prefixes.
func TestC2Case10TogetherAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patterns := rapid.SliceOfN(genStars, 1, 60).Draw(t, "patterns")
		deep := rapid.Bool().Draw(t, "deep")
		if deep {
			for i := range manyPrefixes + 5 {
				patterns = append(patterns, pattern{text: "/b*" + strings.Repeat("a", i+1) + "*" + strings.Repeat("a", i/2) + "b"})
			}
		}
		s := newSegments(patterns, func(i int) int32 { return int32(i) })
		if deep != (s.last != nil) {
			t.Fatalf("many prefixes: %t, seen: %t", deep, s.last != nil)
		}
		for range 4 { // the second and later with what the pool gives back
			path := "/" + rapid.StringMatching(`[ab/]{0,40}`).Draw(t, "path")
			limit := int32(rapid.IntRange(0, len(patterns)).Draw(t, "limit"))
			for _, l := range []int32{limit, noRank} {
				if got, want := s.match(path, l), bruteForce(patterns, path, l); got != want {
					t.Fatalf("%q below %d: %d, want %d", path, l, got, want)
				}
			}
		}
	})
}

// The tree of the worst files stays within the size of the file, and none of
// their patterns matches, whichever way they are tried.
func TestC2Case10TreeIsBounded(t *testing.T) {
	for _, h := range hostile {
		w := &Parse(starFile(h.pattern)).For(Agent{}).set.wild
		s := w.together()
		if n := len(s.nodes); n > MaxBytes/2 {
			t.Errorf("case10/%s: %d nodes", h.name, n)
		}
		if got, want := s.match(h.path, noRank), int32(noRank); got != want {
			t.Errorf("case10/%s: rank %d", h.name, got)
		}
	}
}

// A check comes to the same whether it goes from one way to the other or not.
func TestC2Case10SwitchesWithoutATrace(t *testing.T) {
	for _, h := range hostile {
		w := &Parse(starFile(h.pattern)).For(Agent{}).set.wild
		for _, path := range []string{h.path, h.path + "abababababababababab", h.path + "bb" + h.path[:100], "/b" + h.path + "aab/ab"} {
			for _, limit := range []int32{noRank, 40, 1200} {
				want := bruteForce(w.patterns, path, limit) // ranks are indexes: there are only stars
				if got := w.match(path, limit); got != want {
					t.Errorf("case10/%s, below %d: %d, want %d", h.name, limit, got, want)
				}
			}
		}
		t.Logf("%s: all at once %t", h.name, w.all != nil)
	}
}

func FuzzSegments(f *testing.F) {
	f.Add("/*a*b\n/*ab\n/a*b*a", "/aab")
	f.Add("/*\x80*a", "/\x80a")
	f.Fuzz(func(t *testing.T, text, path string) {
		if len(text) > 500 || len(path) > 500 {
			t.Skip()
		}
		var patterns []pattern
		for line := range strings.SplitSeq(text, "\n") {
			line, anchored := strings.CutSuffix(line, "$")
			if strings.Contains(line, "*") {
				patterns = append(patterns, pattern{line, anchored && !strings.HasSuffix(line, "*")})
			}
		}
		s := newSegments(patterns, func(i int) int32 { return int32(i) })
		if got, want := s.match(path, noRank), bruteForce(patterns, path, noRank); got != want {
			t.Errorf("rank %d, want %d", got, want)
		}
	})
}
