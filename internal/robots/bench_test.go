package robots

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
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
	b.WriteString("Disallow: /*.pdf$\nAllow: /section-1/private/open/\nSitemap: https://example.com/sitemap.xml\n")
	return []byte(b.String())
}

// starFile fills the size limit with 20,000 rules made by pattern.
func starFile(pattern func(i int) string) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 20000 {
		rule := "Disallow: " + pattern(i) + "\n"
		if b.Len()+len(rule) > MaxBytes {
			break
		}
		b.WriteString(rule)
	}
	return []byte(b.String())
}

var longPath = "/" + strings.Repeat("a", 1999)

// hostile are files that are as bad as the limit lets them be, each with a
// path that goes with it. None of the rules matches, so all must be dismissed.
var hostile = []struct {
	name    string
	path    string
	pattern func(i int) string
}{
	{"stars", longPath, func(i int) string { return fmt.Sprintf("/*a*a*a*%d", i) }},
	{"last byte missing", longPath, func(i int) string { return "/" + strings.Repeat("*a", i%6+1) + "*b" }},
	{"bytes of the path only", longPath, func(i int) string { return "/*a" + strings.Repeat("*a", i%5) + "*/a*a$" }},
	{"pairs missing", "/" + strings.Repeat("ab", 999), func(i int) string { return "/*a*" + ab(i, 8) + "*aab" }},
	{"two letters, last part missing", "/" + randomAB(1999), func(i int) string { return "/*" + ab(i, 9) + "*ba*" + strings.Repeat("ab", 9) }},
	{"pairs only in front", "/aabb" + strings.Repeat("ab", 997), func(i int) string { return "/*b*" + ab(i, 9) + "*bb" }},
	{"all parts different, all pairs there", "/" + randomAB(1999), func(i int) string { return "/*" + ab(i, 15) + "*" + strings.Repeat("ab", 7) }},
	{"parts of every length", "/c" + strings.Repeat("a", 1997) + "b", func(i int) string { return "/*b*" + strings.Repeat("a", 1+i%990) + "*c" }},
	{"needle at every position", "/" + strings.Repeat("a", 1000) + "b/" + strings.Repeat("a", 997), func(i int) string { return "/*" + strings.Repeat("a", 8+i%5) + "b/*ab" }},
}

func randomAB(n int) string {
	rng := rand.New(rand.NewSource(1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab"[rng.Intn(2)]
	}
	return string(b)
}

func ab(i, n int) string {
	return strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%0*b", n, i%(1<<n)))
}

func BenchmarkParse(b *testing.B) {
	files := map[string][]byte{"usual": usualFile(), "500KiB stars": starFile(hostile[0].pattern)}
	for name, body := range files {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(body)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	files := map[string][]byte{"usual": usualFile(), "500KiB stars": starFile(hostile[0].pattern)}
	for name, body := range files {
		b.Run(name, func(b *testing.B) {
			r := Parse(body)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r.compiled = nil
				r.For(Agent{})
			}
		})
	}
}

func BenchmarkMatchUsual(b *testing.B) {
	m := Parse(usualFile()).For(Agent{Tokens: []string{"Googlebot"}})
	for name, path := range map[string]string{
		"allowed":    "/section-7/some-product-name-that-is-long-enough/index.html?colour=red&size=12",
		"disallowed": "/section-30/private/some/page.html",
		"wildcard":   "/catalogue/list?sort7=up",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Check(path)
			}
		})
	}
}

func BenchmarkMatchHostile(b *testing.B) {
	for _, h := range hostile {
		b.Run(h.name, func(b *testing.B) {
			m := Parse(starFile(h.pattern)).For(Agent{})
			b.ReportAllocs()
			for b.Loop() {
				m.Check(h.path)
			}
		})
	}
}

func BenchmarkMatchManyPrefixes(b *testing.B) {
	m := Parse(starFile(func(i int) string { return fmt.Sprintf("/shop/item-%d", i*7) })).For(Agent{})
	b.ReportAllocs()
	for b.Loop() {
		m.Check("/shop/item-70007/details?colour=red")
	}
}
