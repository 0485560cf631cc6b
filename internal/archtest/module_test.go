package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const modulePath = "trawl"

// tree is the module as files: what every checker works on.
type tree struct {
	fset *token.FileSet
	fsys fs.FS
	pkgs []*pkg // sorted by path
}

// pkg is one directory of Go files. path is relative to the module's root.
type pkg struct {
	path  string
	files []*file // sorted by path, tests among them
}

type file struct {
	path string
	test bool
	src  []byte
	ast  *ast.File
}

// name is the package's name in the policy: "crawl" for internal/crawl.
func (p *pkg) name() string { return strings.TrimPrefix(p.path, "internal/") }

// code returns the files that are no tests.
func (p *pkg) code() []*file {
	return slices.DeleteFunc(slices.Clone(p.files), func(f *file) bool { return f.test })
}

func (t *tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// load reads every package of the module whose root is fsys. Modules within it
// (bench, tools) are not part of it.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), fsys: fsys}
	byDir := map[string]*pkg{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipDir(fsys, p)
		case path.Ext(p) != ".go":
			return nil
		}
		f, err := t.parse(p)
		if err != nil {
			return err
		}
		dir := path.Dir(p)
		if byDir[dir] == nil {
			byDir[dir] = &pkg{path: dir}
			t.pkgs = append(t.pkgs, byDir[dir])
		}
		byDir[dir].files = append(byDir[dir].files, f)
		return nil
	})
	slices.SortFunc(t.pkgs, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
	return t, err
}

func skipDir(fsys fs.FS, p string) error {
	base := path.Base(p)
	if p == "." {
		return nil
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(p, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (t *tree) parse(p string) (*file, error) {
	src, err := fs.ReadFile(t.fsys, p)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(t.fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%s does not parse: %w", p, err)
	}
	return &file{path: p, test: strings.HasSuffix(p, "_test.go"), src: src, ast: syntax}, nil
}

// wholeModule is the tree under test, read once.
var wholeModule = sync.OnceValues(func() (*tree, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	return load(os.DirFS(root))
})

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above the working directory: run the tests inside the module")
		}
		dir = filepath.Dir(dir)
	}
}

func theModule(t *testing.T) *tree {
	t.Helper()
	m, err := wholeModule()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.pkgs) < 3 {
		t.Fatalf("only %d packages found: the walk is broken", len(m.pkgs))
	}
	return m
}

// report fails the test once for each problem.
func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

// names resolves identifiers of a package's code without its dependencies:
// imports are empty stand-ins, so type errors are expected and ignored.
type names struct {
	info  types.Info
	scope *types.Scope
}

type standIns struct{}

func (standIns) Import(p string) (*types.Package, error) {
	stand := types.NewPackage(p, importName(p))
	stand.MarkComplete()
	return stand, nil
}

var versionElem = regexp.MustCompile(`^v\d+$`)

// importName guesses the name of a package from its import path, as Go's own
// conventions have it.
func importName(p string) string {
	base := path.Base(p)
	if versionElem.MatchString(base) {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimPrefix(base, "go-")
}

func (t *tree) resolve(p *pkg) *names {
	var files []*ast.File
	for _, f := range p.code() {
		files = append(files, f.ast)
	}
	n := &names{info: types.Info{
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	conf := types.Config{Importer: standIns{}, Error: func(error) {}, FakeImportC: true}
	typed, _ := conf.Check(p.path, t.fset, files, &n.info)
	n.scope = typed.Scope()
	return n
}

// packageVar returns the package-level variable that the identifier means.
func (n *names) packageVar(id *ast.Ident) *types.Var {
	obj := n.info.Uses[id]
	if obj == nil && n.info.Defs[id] == nil {
		obj = n.scope.Lookup(id.Name) // an expression the type checker gave up on
	}
	if v, ok := obj.(*types.Var); ok && v.Parent() == n.scope {
		return v
	}
	return nil
}

// imported returns import path and name of a selector such as time.Now.
func (n *names) imported(sel *ast.SelectorExpr) (importPath, name string, ok bool) {
	id, isIdent := sel.X.(*ast.Ident)
	if !isIdent {
		return "", "", false
	}
	pn, isPkg := n.info.Uses[id].(*types.PkgName)
	if !isPkg {
		return "", "", false
	}
	return pn.Imported().Path(), sel.Sel.Name, true
}
