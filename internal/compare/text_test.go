package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStrip(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"plain":                                "plain",
		"<p>a<p>b":                             "a|b",
		"a <b>bold</b> word":                   "a bold word",
		"a\nb":                                 "a b",
		"<script>x<p>y</script>z":              "z",
		"<SCRIPT>x</Script >z":                 "z",
		"<style>p{}":                           "",
		"<!-- a --> b <!-- c":                  "b",
		"1 < 2 <3 </>":                         "1 < 2 <3 </>",
		"<div title='a>b'>c</div>":             "b'>c",
		"<br/>a<br />b":                        "a|b",
		"a<!doctype html>b":                    "a|b",
		"<p>\xff\xfe bytes":                    "\uFFFD bytes",
		"<p " + strings.Repeat("x", 99) + ">a": "a",
	} {
		if got := strings.Join(readText([]byte(in), true).lines, "|"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	lines := func(s string) []string { return strings.Split(s, " ") }
	for _, c := range [][3]string{
		{"a b c", "a b c", ""},
		{"a b c d", "a x c d", " a|-b|+x| c"},
		{"a b c d e f g", "a b c d e f h", " f|-g|+h"},
		{"b c d e f", "a b c d e g", "+a| b|@@| e|-f|+g"},
		{"a", "", "-a|+"},
	} {
		if got := strings.Join(excerpt(lines(c[0]), lines(c[1])), "|"); got != c[2] {
			t.Errorf("%q to %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	long := excerpt(nil, lines(strings.Repeat("x ", 100)+"é"+strings.Repeat("é", 200)))
	if len(long) != maxExcerpt+1 || long[maxExcerpt] != "… and 77 more lines that differ" {
		t.Errorf("%q", long)
	}
}

// TestDifferenceIsOne: removing and adding as it says turns a into b, and no line
// that is called the same differs.
func TestDifferenceIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		a := rapid.SliceOfN(word, 0, 30).Draw(t, "a")
		b := rapid.SliceOfN(word, 0, 30).Draw(t, "b")
		var x, y []string
		changes := 0
		for _, e := range difference(a, b) {
			if e.op != '+' {
				x = append(x, e.line)
			}
			if e.op != '-' {
				y = append(y, e.line)
			}
			if e.op != ' ' {
				changes++
			}
		}
		if !slices.Equal(x, a) || !slices.Equal(y, b) {
			t.Fatalf("%v to %v: %v and %v", a, b, x, y)
		}
		if want := len(a) + len(b) - 2*common(a, b); changes != want {
			t.Fatalf("%v to %v: %d changes, %d are enough", a, b, changes, want)
		}
	})
}

// common is the length of the longest common subsequence, the plain way.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

func TestSimilarity(t *testing.T) {
	read := func(s string) *text { return readText([]byte(s), false) }
	for _, c := range []struct {
		a, b string
		want float64
	}{{"", "", 1}, {"a b", "b a", 1}, {"a", "b", 0}, {"a b c d", "a b x y", 0.5}, {"a a", "a", 2. / 3}, {"a", "", 0}} {
		if got := similarity(read(c.a), read(c.b)); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if similarity(nil, read("a")) != 0 || distance(read("a b c"), read("c b a")) != 0 || distance(read("a"), nil) != 64 {
		t.Error("without text")
	}
}

// TestHostileTextIsBounded: what a server sends costs time and memory in
// proportion to its length at most.
func TestHostileTextIsBounded(t *testing.T) {
	for name, unit := range map[string]string{"open tags": "<", "scripts": "<script>", "lines": "x\n", "blocks": "<p>x"} {
		t.Run(name, func(t *testing.T) {
			doc := []byte(strings.Repeat(unit, (maxText+100)/len(unit)+1))
			start := time.Now()
			a := readText(doc, true)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			if !a.cut || len(a.lines) > maxLines {
				t.Errorf("cut %v, %d lines", a.cut, len(a.lines))
			}
		})
	}
	var a, b []string
	for i := range maxLines {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	if got := excerpt(a, b); len(got) != maxExcerpt+1 {
		t.Errorf("%d lines", len(got))
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("<p>a<script>b</script><!-- c"), []byte("a\nb"))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, b := readText(x, true), readText(y, false)
		if s := similarity(a, b); s < 0 || s > 1 {
			t.Errorf("similarity %v", s)
		}
		for _, l := range excerpt(a.lines, b.lines) {
			if len(l) > 2*shownWidth || strings.Contains(l, "\n") {
				t.Errorf("line %q", l)
			}
		}
	})
}
