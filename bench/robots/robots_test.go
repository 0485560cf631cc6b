package robots

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/temoto/robotstxt"

	"trawl/internal/robots"
)

// usualFile has 50 rules, as a shop or a content system writes them.
func usualFile() []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 38 {
		fmt.Fprintf(&b, "Disallow: /section-%d/private/\n", i)
	}
	for i := range 10 {
		fmt.Fprintf(&b, "Disallow: /*?sort%d=\n", i)
	}
	b.WriteString("Disallow: /*.pdf$\nAllow: /section-1/private/open/\n")
	return []byte(b.String())
}

// starFile fills the size limit with rules made by pattern.
func starFile(pattern func(i int) string) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 20000 {
		rule := "Disallow: " + pattern(i) + "\n"
		if b.Len()+len(rule) > robots.MaxBytes {
			break
		}
		b.WriteString(rule)
	}
	return []byte(b.String())
}

func letters(i, n int) string {
	return strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%0*b", n, i%(1<<n)))
}

func randomLetters(n int) string {
	rng := rand.New(rand.NewSource(1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab"[rng.Intn(2)]
	}
	return string(b)
}

// files are what is parsed, each with a path that is matched.
var files = []struct {
	name, path string
	body       []byte
}{
	{"usual", "/section-7/some-product-name-that-is-long-enough/index.html?colour=red&size=12", usualFile()},
	{"many-prefixes", "/shop/item-70007/details?colour=red", starFile(func(i int) string { return fmt.Sprintf("/shop/item-%d", i*7) })},
	{"half-stars", "/shop/item-70007/details?colour=red", starFile(func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf("/shop/*-%d/x", i*7)
		}
		return fmt.Sprintf("/shop/item-%d", i*7)
	})},
	{"case10-stars", "/" + strings.Repeat("a", 1999), starFile(func(i int) string { return fmt.Sprintf("/*a*a*a*%d", i) })},
	{"case10-two-letters", "/" + randomLetters(1999), starFile(func(i int) string { return "/*" + letters(i, 9) + "*ba*" + strings.Repeat("ab", 9) })},
	{"case10-needle", "/" + strings.Repeat("a", 1000) + "b/" + strings.Repeat("a", 997), starFile(func(i int) string { return "/*" + strings.Repeat("a", 8+i%5) + "b/*ab" })},
}

func BenchmarkParse(b *testing.B) {
	for _, f := range files {
		b.Run(f.name+"/trawl", func(b *testing.B) {
			b.SetBytes(int64(len(f.body)))
			for b.Loop() {
				robots.Parse(f.body)
			}
		})
		b.Run(f.name+"/temoto", func(b *testing.B) {
			b.SetBytes(int64(len(f.body)))
			for b.Loop() {
				if _, err := robotstxt.FromBytes(f.body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, f := range files {
		b.Run(f.name+"/trawl", func(b *testing.B) {
			m := robots.Parse(f.body).For(robots.Agent{Tokens: []string{"Googlebot"}})
			m.Check(f.path)
			for b.Loop() {
				m.Check(f.path)
			}
		})
		b.Run(f.name+"/temoto", func(b *testing.B) {
			r, err := robotstxt.FromBytes(f.body)
			if err != nil {
				b.Fatal(err)
			}
			g := r.FindGroup("Googlebot")
			for b.Loop() {
				g.Test(f.path)
			}
		})
	}
}

// Both agree on what the benchmarks are about.
func TestSameVerdicts(t *testing.T) {
	for _, f := range files[:3] {
		r, err := robotstxt.FromBytes(f.body)
		if err != nil {
			t.Fatal(err)
		}
		m := robots.Parse(f.body).For(robots.Agent{Tokens: []string{"Googlebot"}})
		for _, path := range []string{f.path, "/section-30/private/x", "/x?sort7=up", "/x.pdf", "/section-1/private/open/x", "/shop/item-7"} {
			if got, want := m.Check(path).Allowed, r.TestAgent(path, "Googlebot"); got != want {
				t.Errorf("%s: %s is allowed: trawl %t, temoto %t", f.name, path, got, want)
			}
		}
	}
}
