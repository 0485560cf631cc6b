package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is said of rules that never decide, or are superfluous, is never false:
// such a rule is never the one that decides, or all of them together can be
// removed, and no verdict changes.
func TestC2LintShadowsAreProved(t *testing.T) {
	reported := 0
	rapid.Check(t, func(t *rapid.T) {
		lines := []string{"User-agent: a", "User-agent: b"}
		for range rapid.IntRange(1, 8).Draw(t, "rules") {
			lines = append(lines, rapid.SampledFrom([]string{"Allow: ", "Disallow: "}).Draw(t, "key")+genShort.Draw(t, "pattern"))
			if rapid.IntRange(0, 9).Draw(t, "group") == 0 {
				lines = append(lines, rapid.SampledFrom([]string{"User-agent: b", "User-agent: c"}).Draw(t, "agent"))
			}
		}
		file := strings.Join(lines, "\n")
		kept := slices.Clone(lines)
		dead := map[int]bool{}
		for _, i := range Lint([]byte(file), LintContext{}) {
			if i.Kind != KindDead && i.Kind != KindRedundant {
				continue
			}
			reported++
			kept[i.Line-1] = "# removed"
			dead[i.Line] = i.Kind == KindDead
		}
		// A group must stay one: an empty rule ends its user-agent lines.
		for i, line := range kept {
			if line == "# removed" {
				kept[i] = "Disallow:"
			}
		}
		before, after := Parse([]byte(file)), Parse([]byte(strings.Join(kept, "\n")))
		for range 40 {
			path := "/" + rapid.StringMatching(`[ab/]{0,6}`).Draw(t, "path")
			for _, token := range []string{"a", "b", "c"} {
				agent := Agent{Tokens: []string{token}}
				v, w := before.Check(agent, path), after.Check(agent, path)
				if v.Allowed != w.Allowed {
					t.Fatalf("%s for %s: %+v, without what was reported %+v\n%s", path, token, v, w, file)
				}
				if dead[v.Line] {
					t.Fatalf("%s for %s: line %d decides\n%s", path, token, v.Line, file)
				}
			}
		}
	})
	if reported < 50 {
		t.Errorf("only %d rules were reported", reported)
	}
}

var genShort = rapid.Map(rapid.StringMatching(`[ab/*]{0,4}\$?`), func(s string) string { return "/" + s })

// Languages: what is proved of two patterns holds for every path.
func TestC2LanguagesAreProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := genShort.Draw(t, "p"), genShort.Draw(t, "q")
		l, m := languageOf(p), languageOf(q)
		covers, apart := l.covers(&m), l.apart(&m)
		for range 30 {
			path := "/" + rapid.StringMatching(`[abx/]{0,6}`).Draw(t, "path")
			inP, inQ := referenceMatch(p, path), referenceMatch(q, path)
			if inP != l.match(path) {
				t.Fatalf("%s and %s: %t", p, path, !inP)
			}
			if covers && inQ && !inP || apart && inP && inQ {
				t.Fatalf("%s and %s: covers %t, apart %t; %s: %t and %t", p, q, covers, apart, path, inP, inQ)
			}
		}
	})
}

// That a pattern covers another is found whenever it is so, for patterns this
// short: the alphabet has a letter that none of them has.
func TestC2CoversIsComplete(t *testing.T) {
	var words []string
	var grow func(w string, n int)
	grow = func(w string, n int) {
		words = append(words, w)
		if n == 0 {
			return
		}
		for _, c := range "abx" {
			grow(w+string(c), n-1)
		}
	}
	grow("/", 5)
	patterns := []string{"/", "/a", "/a$", "/*a", "/*a$", "/a*", "/a*b", "/a*b$", "/*ab", "/*a*b", "/ab", "/ab$", "/*$", "/**a", "/aa", "/a*a"}
	for _, p := range patterns {
		for _, q := range patterns {
			l, m := languageOf(p), languageOf(q)
			all := true
			for _, w := range words {
				all = all && (!m.match(w) || l.match(w))
			}
			if got := l.covers(&m); got != all {
				t.Errorf("%s covers %s: %t, want %t", p, q, got, all)
			}
		}
	}
}

func TestC2LintIsBounded(t *testing.T) {
	for name, file := range map[string]string{
		"rules that never match": star + strings.Repeat("Allow: x\n", 40000),
		"empty rules":            star + strings.Repeat("Allow:\n", 60000),
		"many rules":             string(starFile(func(i int) string { return fmt.Sprintf("/a%d*", i) })),
		"many groups":            manyGroups(),
		"many names":             strings.Repeat("User-agent: a\n", 30000) + "Disallow: /\n",
		"blank lines between":    strings.Repeat("User-agent: a\n\n\n\n", 25000) + "Disallow: /\n",
		"hashes":                 strings.Repeat("Allow:/#\n", 50000),
		"one byte lines":         strings.Repeat("\n", MaxBytes),
		"one long line":          star + "Disallow: /" + strings.Repeat("a*", MaxBytes/2),
		"stars":                  star + strings.Repeat("Disallow: /*"+strings.Repeat("a*", 100)+"\n", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			found := Lint([]byte(file), lintContext)
			if len(found) > MaxIssues+1 {
				t.Errorf("%d issues", len(found))
			}
			if name == "many rules" && !slices.ContainsFunc(found, func(i Issue) bool { return i.Kind == KindUnchecked || i.Kind == KindMore }) {
				t.Error("what was not checked is not told")
			}
		})
	}
}

func manyGroups() string {
	var b strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&b, "user-agent:%s\nallow:/\n", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
	}
	return b.String()
}

func FuzzLint(f *testing.F) {
	for _, c := range lintCases {
		f.Add([]byte(c.file))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, i := range Lint(body, lintContext) {
			if _, known := kinds[i.Kind]; !known || i.Severity == "" || i.Row == "" || i.Detail == "" || len(i.Text) > MaxText || i.Line < 0 || i.Column < 0 {
				t.Errorf("%+v", i)
			}
		}
	})
}
