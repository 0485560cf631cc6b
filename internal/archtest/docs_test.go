package archtest

import (
	"fmt"
	"go/doc"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// minDocSentences is the least that a package's comment says: what it decides,
// what it does not, and where that comes from (house choice).
const minDocSentences = 3

const architectureFile = "docs/architecture.md"

func TestPackageComments(t *testing.T) {
	report(t, theModule(t).checkPackageComments())
}

func (t *tree) checkPackageComments() []string {
	var problems []string
	for _, p := range t.pkgs {
		var where []string
		text := ""
		for _, f := range p.code() {
			if f.ast.Doc != nil {
				where = append(where, f.path)
				text += f.ast.Doc.Text()
			}
		}
		switch n := sentences(text); {
		case len(p.code()) == 0:
			problems = append(problems, fmt.Sprintf("%s has tests only: give it a doc.go that says what they hold", p.path))
		case len(where) == 0:
			problems = append(problems, fmt.Sprintf("%s has no package comment: say what it decides, what it does not, its invariants and its sources", p.path))
		case len(where) > 1:
			problems = append(problems, fmt.Sprintf("%s has package comments in %s: keep one", p.path, strings.Join(where, " and ")))
		case n < minDocSentences:
			problems = append(problems, fmt.Sprintf("%s: the package comment has %d sentences, at least %d are needed: what it decides, what it does not, its invariants and its sources", p.path, n, minDocSentences))
		}
	}
	return problems
}

var sentenceEnd = regexp.MustCompile(`[a-z0-9)\]"'][.!?](\s|$)`)

// sentences counts the sentences of a comment, its code blocks left out.
func sentences(text string) int {
	var prose []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "    ") {
			prose = append(prose, line)
		}
	}
	return len(sentenceEnd.FindAllString(strings.Join(prose, "\n"), -1))
}

func TestPackageCommentsStartWell(t *testing.T) {
	for _, p := range theModule(t).pkgs {
		for _, f := range p.code() {
			if f.ast.Doc == nil {
				continue
			}
			if first := new(doc.Package).Synopsis(f.ast.Doc.Text()); f.ast.Name.Name != "main" && !strings.HasPrefix(first, "Package "+f.ast.Name.Name+" ") {
				t.Errorf("%s: the package comment starts %q, not \"Package %s …\"", f.path, first, f.ast.Name.Name)
			}
		}
	}
}

func TestArchitecturePage(t *testing.T) {
	m := theModule(t)
	page, err := fs.ReadFile(m.fsys, architectureFile)
	if err != nil {
		t.Fatal(err)
	}
	report(t, m.checkArchitecture(string(page)))
}

// packageName matches what the page says is a package: `internal/…` or `cmd/…`
// in code quotes.
var packageName = regexp.MustCompile("`((?:internal|cmd)/[^`]*|scenarios)`")

// checkArchitecture compares the packages named on the page with those that exist.
func (t *tree) checkArchitecture(page string) []string {
	var problems, named []string
	for _, m := range packageName.FindAllStringSubmatch(page, -1) {
		named = append(named, m[1])
	}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(named))) {
		if !slices.ContainsFunc(t.pkgs, func(p *pkg) bool { return p.path == n }) {
			problems = append(problems, fmt.Sprintf("%s names `%s`, which is no package of the module", architectureFile, n))
		}
	}
	for _, p := range t.pkgs {
		if !slices.Contains(named, p.path) {
			problems = append(problems, fmt.Sprintf("%s does not name `%s`: say there what the package is for", architectureFile, p.path))
		}
	}
	return problems
}

func TestPackageCommentsCanFail(t *testing.T) {
	const good = "// Package a decides. It does not fetch.\n// Sources: RFC 9309 (C2).\npackage a\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"good":             {map[string]string{"internal/a/a.go": good}, ""},
		"none":             {map[string]string{"internal/a/a.go": "package a\n"}, "no package comment"},
		"too short":        {map[string]string{"internal/a/a.go": "// Package a decides. It is e.g.x short\npackage a\n"}, "has 1 sentences"},
		"code is no prose": {map[string]string{"internal/a/a.go": "// Package a decides.\n//\n//\tfoo. bar. baz.\npackage a\n"}, "has 1 sentences"},
		"two":              {map[string]string{"internal/a/a.go": good, "internal/a/b.go": good}, "keep one"},
		"tests only":       {map[string]string{"internal/a/a_test.go": good}, "tests only"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, memory(t, tc.files).checkPackageComments(), tc.want)
		})
	}
}

func TestArchitecturePageCanFail(t *testing.T) {
	m := memory(t, map[string]string{"internal/a/a.go": "package a\n", "cmd/x/main.go": "package main\n"})
	expect(t, m.checkArchitecture("| `internal/a` | and `cmd/x` and `internal` and internal/c"), "")
	expect(t, m.checkArchitecture("`internal/a`"), "does not name `cmd/x`")
	expect(t, m.checkArchitecture("`internal/a`, `cmd/x`, `internal/b`"), "no package")
	expect(t, m.checkArchitecture("`internal/a`, `cmd/x`, `internal/a/a.go`"), "no package")
}
