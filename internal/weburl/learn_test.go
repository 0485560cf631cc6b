package weburl

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

func TestD3GroupOf(t *testing.T) {
	for _, same := range [][]crawl.URL{
		{"http://h.example/cal/2024/01", "http://h.example/cal/1999/12"},
		{"http://h.example/cal/1", "http://h.example/cal/20"},
		{"http://h.example/page-7.html", "http://h.example/page-81.html"},
		{"http://h.example/2010/01/02/one-thing", "http://h.example/2011/12/31/another"},
		{"http://h.example/shop/red/large/new", "http://h.example/shop/blue/sale/"},
		{"http://h.example/list?a=b", "http://h.example/list?c=d&e=f"},
		{"http://h.example/list?page=1", "http://h.example/list?page=2"},
	} {
		a, ok := GroupOf(same[0])
		b, ok2 := GroupOf(same[1])
		if !ok || !ok2 || !a.Same(b) {
			t.Errorf("%s and %s are not of one group", same[0], same[1])
		}
	}
	for _, other := range [][2]crawl.URL{
		{"http://h.example/cal/1", "http://h.example/tag/1"},
		{"http://h.example/a?page=1", "http://h.example/b?page=1"},
		{"http://h.example/shop/red/large/new", "http://h.example/blog/red/large/new"},
	} {
		a, _ := GroupOf(other[0])
		b, _ := GroupOf(other[1])
		if a.Same(b) {
			t.Errorf("%s and %s are of one group", other[0], other[1])
		}
	}
	for _, none := range []crawl.URL{"http://h.example/", "http://h.example/about", "http://h.example/library/os.path.html", "http://h.example/a/b/c/d.html", "nonsense"} {
		if _, ok := GroupOf(none); ok {
			t.Errorf("%s is of a group", none)
		}
	}
}

// section is a part of a site: its URLs, the links that lead to each, and
// whether its pages say something of their own.
type section struct {
	n     int
	url   func(i int) string
	depth func(i int) int
	runs  func(i int) []uint32
}

func own(i int) []uint32 { return []uint32{1, 2, 3, uint32(1000 + i)} }
func same(int) []uint32  { return []uint32{1, 2, 3} }
func aside(int) int      { return 3 }
func chained(i int) int  { return i + 1 }
func tree(i int) (d int) {
	for ; i > 0; i = (i - 1) / 6 {
		d++
	}
	return d
}

func path(f string) func(int) string {
	return func(i int) string { return fmt.Sprintf("http://h.example"+f, i) }
}

// TestD3LargeSectionsAreNotPruned: not one URL of a real section is, however
// large it is and whatever shape its URLs have.
func TestD3LargeSectionsAreNotPruned(t *testing.T) {
	for name, s := range map[string]section{
		"50,000 products":                        {50_000, path("/product/%d"), tree, own},
		"50,000 products that differ in numbers": {50_000, path("/product/%d"), tree, same},
		"products listed side by side":           {5000, path("/item-%d.html"), aside, same},
		"blog by date": {8000, func(i int) string {
			return fmt.Sprintf("http://h.example/%d/%02d/%02d/slug-%d", 2000+i/365%25, i/28%12+1, i%28+1, i)
		}, tree, own},
		"500 pages of a list":       {500, path("/list?page=%d"), chained, own},
		"forum of 10,000 threads":   {10_000, path("/thread?t=%d"), tree, own},
		"forum with two parameters": {5000, func(i int) string { return fmt.Sprintf("http://h.example/show?f=%d&t=%d", i%40, i) }, tree, own},
		"deep words":                {5000, func(i int) string { return fmt.Sprintf("http://h.example/guide/%c/%s/x", 'a'+i%26, word(i)) }, tree, own},
		"a story of 200 parts":      {200, path("/story/%d"), chained, own},
		"archive of 1850":           {400, func(i int) string { return fmt.Sprintf("http://h.example/archive/%d/%d/", 1850+i/12, i%12+1) }, aside, own},
		"error text on every page":  {900, path("/shop/x?item=%d&a=b"), tree, nil},
		"versions":                  {300, path("/v%d.0/reference/api/index"), aside, own},
	} {
		t.Run(name, func(t *testing.T) {
			var space Space
			for i := range s.n {
				u, err := Parse(s.url(i))
				if err != nil {
					t.Fatal(err)
				}
				if p, reason, trapped := space.Observe(u); trapped {
					t.Fatalf("%s (%d of %d): %s, %s", u, i, s.n, p, reason)
				}
				if name == "50,000 products" && (i == 0 || i == LearnRuns) && space.Watches(u) != (i == 0) {
					t.Fatalf("page %d: watched %v", i, i > 0)
				}
				if s.runs == nil {
					space.Learn(u, s.depth(i), []uint32{7}, 0)
				} else {
					space.Learn(u, s.depth(i), s.runs(i), 2)
				}
			}
		})
	}
}

func word(i int) string {
	s := ""
	for ; i > 0 || s == ""; i /= 26 {
		s += string(rune('a' + i%26))
	}
	return s
}

// TestD3SpacesThatOnlyPagesGiveAway: each is pruned after few pages.
func TestD3SpacesThatOnlyPagesGiveAway(t *testing.T) {
	for name, s := range map[string]section{
		"counter":         {20, path("/step/%d"), chained, same},
		"counter query":   {20, path("/step?n=%d"), chained, same},
		"path calendar":   {20, func(i int) string { return fmt.Sprintf("http://h.example/cal/%d/%d", 2020+i/12, i%12+1) }, chained, same},
		"unknown session": {20, func(i int) string { return fmt.Sprintf("http://h.example/x?ticket=%032x", i*7919+1<<40) }, aside, same},
		"facets in paths": {20, func(i int) string { return fmt.Sprintf("http://h.example/shop/%s/%s", word(i), word(i+7)) }, aside, same},
		"facets":          {20, func(i int) string { return fmt.Sprintf("http://h.example/shop?a=%d&b=%d", i, i%3) }, aside, same},
	} {
		t.Run(name, func(t *testing.T) {
			var space Space
			at := -1
			for i := range s.n {
				u := crawl.URL(s.url(i))
				if p, reason, trapped := space.Observe(u); trapped {
					if p == "" || reason == "" || len(p) > MaxTrapPattern {
						t.Errorf("pattern %q, reason %q", p, reason)
					}
					at = i
					break
				}
				space.Learn(u, s.depth(i), s.runs(i), 1)
			}
			if at < 0 || at > 8 {
				t.Errorf("pruned after %d pages", at)
			}
		})
	}
}

// TestD3ProbesOpenAgain: a group that was pruned by mistake is found out.
func TestD3ProbesOpenAgain(t *testing.T) {
	var space Space
	at := func(i int) crawl.URL { return crawl.URL(fmt.Sprintf("http://h.example/shop?a=%d&b=1", i)) }
	passed, lost := 0, 0
	for i := range 900 {
		u := at(i)
		if _, _, trapped := space.Observe(u); trapped {
			lost++
			continue
		}
		passed++
		if i < 20 {
			space.Learn(u, 2, same(i), 1) // out of stock
		} else {
			space.Learn(u, 2, own(i), 1)
		}
	}
	if lost != ProbeFirst-1 || passed != 900-lost {
		t.Errorf("%d passed, %d were lost; want the first %d lost", passed, lost, ProbeFirst-1)
	}
}

// TestLearnIsBoundedAndDeterministic: whatever pages say, memory stays bounded
// and two runs agree.
func TestLearnIsBoundedAndDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type step struct{ group, page, depth, runs, inward int }
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{rapid.IntRange(0, 200).Draw(t, "group"), rapid.IntRange(0, 40).Draw(t, "page"), rapid.IntRange(0, 20).Draw(t, "depth"), rapid.SampledFrom([]int{0, 1, 3, 20, 1200, 2500}).Draw(t, "runs"), rapid.IntRange(0, 2).Draw(t, "inward")}
		}), 1, 40).Draw(t, "steps")
		play := func() (s Space, out string) {
			for _, x := range steps {
				u := crawl.URL(fmt.Sprintf("http://h.example/g%c%c?a=%d&b=%d", 'a'+x.group%26, 'a'+x.group/26, x.page, x.depth))
				_, _, trapped := s.Observe(u)
				runs := make([]uint32, x.runs)
				for i := range runs {
					runs[i] = uint32(i * (1 + x.page%2))
				}
				s.Learn(u, x.depth, runs, x.inward)
				out += fmt.Sprint(trapped)
			}
			return s, out
		}
		s, a := play()
		if _, b := play(); a != b {
			t.Fatal("two runs differ")
		}
		if len(s.groups) > LearnGroups {
			t.Fatalf("%d groups", len(s.groups))
		}
		for _, l := range s.groups {
			if len(l.seen) > LearnRuns {
				t.Fatalf("%d runs", len(l.seen))
			}
		}
	})
}

func FuzzGroupOf(f *testing.F) {
	for _, u := range []string{"http://h.example/cal/2024/01?x=1", "http://h.example/a/b/c", "http://h.example/p-1.html", "http://h.example/?", "x"} {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		var space Space
		for range 2 * LearnRow {
			if p, _, trapped := space.Observe(u); trapped && (p == "" || len(p) > MaxTrapPattern) {
				t.Errorf("%s: pattern %q", u, p)
			}
			space.Learn(u, 1, []uint32{1}, 1)
		}
		if len(Words(u)) > 32 {
			t.Errorf("%d words", len(Words(u)))
		}
	})
}
