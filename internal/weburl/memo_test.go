package weburl

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMemoChangesNothing: a base that remembers answers as one that is new,
// whatever it was asked before.
func TestMemoChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := rapid.SampledFrom(bases).Draw(t, "base")
		u, err := Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		word := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 3).Draw(t, "pieces"), "")
		})
		refs := rapid.SliceOfN(word, 1, 12).Draw(t, "refs")
		long := strings.Repeat("x/", memoRef/2+1)
		b := NewBase(u)
		for range rapid.IntRange(20, 120).Draw(t, "times") {
			ref := rapid.SampledFrom(refs).Draw(t, "ref")
			if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
				ref = long + ref
			}
			got, err := b.Resolve([]byte(ref))
			want, err2 := NewBase(u).Resolve([]byte(ref))
			if got != want || (err == nil) != (err2 == nil) {
				t.Fatalf("%q against %q: %q, %v; a new base says %q, %v", ref, u, got, err, want, err2)
			}
		}
	})
}

// TestMemoCostsNothingTwice: a repeated reference gives the same string, with no
// allocation, and a long one is not kept.
func TestMemoCostsNothingTwice(t *testing.T) {
	b := NewBase("http://h.example/")
	for i := range 50_000 {
		if _, err := b.Resolve([]byte(strings.Repeat("a", i%300) + string(rune('a'+i%26)))); err != nil {
			t.Fatal(err)
		}
	}
	for ref, want := range map[string]float64{"again/and/again": 0, strings.Repeat("x", memoRef+1): 1} {
		ref := []byte(ref)
		if n := testing.AllocsPerRun(100, func() { b.Resolve(ref) }); n != want {
			t.Errorf("%s: a repeated reference costs %v allocations, want %v", ref, n, want)
		}
	}
}
