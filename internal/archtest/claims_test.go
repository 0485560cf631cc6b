package archtest

import (
	"cmp"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// claim says that a test proves a row: a function of the package
// ("TestB4ByteLimit"), what a function or table labels with the row
// ("TestLadder/C4"), or a script ("testdata/script/resume.txtar").
type claim struct{ row, pkg, test string }

func compareClaims(a, b claim) int {
	return cmp.Or(rowOrder(a.row)-rowOrder(b.row), strings.Compare(a.pkg, b.pkg), strings.Compare(a.test, b.test))
}

func rowOrder(id string) int { return slices.IndexFunc(rows, func(r row) bool { return r.id == id }) }

var (
	// testB4B5Name: ids stand between "Test" or "Fuzz" and an upper-case word.
	idsInName = regexp.MustCompile(`^(?:[tT]est|Fuzz)((?:[A-M][0-9]+)+)(?:[A-Z_].*)?$`)
	// "C4/after 12 h", "B4 B5/at the limit": ids, then a slash.
	idsInLabel = regexp.MustCompile(`^((?:[A-M][0-9]+[ ,]*)+)/`)
	// t.Run("B4ByteLimit", …), t.Run("C5", …).
	idsInRun  = regexp.MustCompile(`^((?:[A-M][0-9]+[ ,]*)+)(?:[^a-z0-9].*)?$`)
	idPattern = regexp.MustCompile(`[A-M][0-9]+`)
	// "# rows: B4 C2" in a script.
	rowsInScript = regexp.MustCompile(`(?m)^# rows?: *(.+)$`)
)

// known returns the row ids in text, and none when one of them is no row:
// TestB64Encoding is about something else. TestE2E… is an end-to-end test.
func known(text string) []string {
	ids := idPattern.FindAllString(text, -1)
	if slices.ContainsFunc(ids, func(id string) bool { return rowOrder(id) < 0 }) {
		return nil
	}
	return ids
}

func idsOfName(name string) []string {
	m := idsInName.FindStringSubmatch(name)
	if m == nil || strings.HasPrefix(strings.TrimPrefix(name, "Test"), "E2E") {
		return nil
	}
	return known(m[1])
}

// claims finds what the tests claim by their names and labels.
func (t *tree) claims() []claim {
	var all []claim
	for _, p := range t.pkgs {
		if p.name() == "archtest" {
			continue // its samples are about claims, they make none
		}
		for _, f := range p.files {
			if f.test || p.suite() {
				all = append(all, claimsOf(p, f)...)
			}
		}
	}
	for _, s := range t.scripts() {
		all = append(all, s.claims...)
	}
	slices.SortFunc(all, compareClaims)
	return slices.Compact(all)
}

// suite reports whether the package is a suite that other packages' tests run.
func (p *pkg) suite() bool { return strings.HasSuffix(p.path, "test") && p.name() != "archtest" }

// run reports whether a test of another package imports the suite p.
func (t *tree) run(p *pkg) bool {
	for _, q := range t.pkgs {
		for _, f := range q.files {
			if q != p && f.test && slices.Contains(f.imports(), modulePath+"/"+p.path) {
				return true
			}
		}
	}
	return false
}

func claimsOf(p *pkg, f *file) []claim {
	var all []claim
	for _, d := range f.ast.Decls {
		for _, name := range declared(d) {
			whole := idsOfName(name)
			for _, id := range whole {
				all = append(all, claim{id, p.path, name})
			}
			for _, id := range labels(d) {
				if !slices.Contains(whole, id) {
					all = append(all, claim{id, p.path, name + "/" + id})
				}
			}
		}
	}
	return all
}

// declared returns the names that a top-level declaration gives: at most one,
// so that a label belongs to one name.
func declared(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return []string{v.Names[0].Name}
			}
		}
	}
	return nil
}

// labels returns the row ids of the string literals that label a case: those
// that start "C4/", and bare ids handed to Run.
func labels(d ast.Decl) []string {
	var ids []string
	add := func(e ast.Expr, form *regexp.Regexp) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		s, _ := strconv.Unquote(lit.Value)
		if m := form.FindStringSubmatch(s); m != nil {
			ids = append(ids, known(m[1])...)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			add(n, idsInLabel)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" && len(n.Args) > 1 {
				add(n.Args[0], idsInRun)
			}
		}
		return true
	})
	return ids
}

type script struct {
	path   string // from the module's root
	claims []claim
}

// scripts finds the end-to-end scripts: testdata/**/*.txtar of a package, or of
// the root, which belong to cmd/trawl.
func (t *tree) scripts() []script {
	var all []script
	_ = fs.WalkDir(t.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && p != "." && strings.HasPrefix(path.Base(p), ".") {
				return fs.SkipDir
			}
			return err
		}
		if path.Ext(p) != ".txtar" {
			return nil
		}
		src, err := fs.ReadFile(t.fsys, p)
		if err != nil {
			return err
		}
		s := script{path: p}
		owner, inOwner := "cmd/trawl", p
		if dir, rest, ok := strings.Cut(p, "/testdata/"); ok {
			owner, inOwner = dir, "testdata/"+rest
		}
		for _, m := range rowsInScript.FindAllSubmatch(src, -1) {
			for _, id := range known(string(m[1])) {
				s.claims = append(s.claims, claim{id, owner, inOwner})
			}
		}
		all = append(all, s)
		return nil
	})
	return all
}

// exists reports whether the test of a claim exists: a function or table in a
// test file or a suite, or a script.
func (t *tree) exists(c claim) bool {
	name, _, _ := strings.Cut(c.test, "/")
	for _, p := range t.pkgs {
		if p.path != c.pkg {
			continue
		}
		for _, f := range p.files {
			if !f.test && !p.suite() {
				continue
			}
			for _, d := range f.ast.Decls {
				if slices.Contains(declared(d), name) {
					return true
				}
			}
		}
	}
	return path.Ext(c.test) == ".txtar" && slices.ContainsFunc(t.scripts(), func(s script) bool {
		return s.path == c.test || s.path == path.Join(c.pkg, c.test)
	})
}
