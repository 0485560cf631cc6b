package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNoMutablePackageState(t *testing.T) {
	report(t, theModule(t).checkState())
}

// mutableType matches declared types and constructors of values that exist to
// be changed. sync.Pool is no state: it may forget at any time.
var mutableType = regexp.MustCompile(`^(sync\.(Mutex|RWMutex|Map|Once|WaitGroup|Cond)|sync/atomic\..*|bytes\.Buffer|strings\.Builder)$`)

// mutators are functions that change their first argument.
var mutators = regexp.MustCompile(`^(sort\.(Slice|SliceStable|Sort|Stable|Strings|Ints|Float64s)|slices\.(Sort.*|Reverse)|maps\.(Copy|DeleteFunc)|(rand|math/rand|math/rand/v2)\.Shuffle)$`)

// checkState finds package variables that change, and init functions. The rule:
// after its declaration no package variable is assigned to, nor a part of it,
// nor is its address taken. It does not see changes through a second name.
func (t *tree) checkState() []string {
	var problems []string
	exported := map[string]bool{} // "import/path.Name" of each exported variable
	resolved := map[*pkg]*names{}
	for _, p := range t.pkgs {
		n := t.resolve(p)
		resolved[p] = n
		for _, name := range n.scope.Names() {
			if v, ok := n.scope.Lookup(name).(*types.Var); ok && v.Exported() {
				exported[modulePath+"/"+p.path+"."+name] = true
			}
		}
	}
	for _, p := range t.pkgs {
		for _, f := range p.code() {
			s := stateScan{tree: t, file: f, names: resolved[p], exported: exported, aliases: map[types.Object]string{}, reading: map[*ast.UnaryExpr]bool{}}
			s.declarations()
			ast.Inspect(f.ast, s.visit)
			problems = append(problems, s.problems...)
		}
	}
	return problems
}

type stateScan struct {
	tree     *tree
	file     *file
	names    *names
	exported map[string]bool
	aliases  map[types.Object]string // locals that point to an element of a package variable
	reading  map[*ast.UnaryExpr]bool // where they got it
	problems []string
}

func (s *stateScan) problem(pos token.Pos, format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf("%s:%d %s", s.file.path, s.tree.line(pos), fmt.Sprintf(format, args...)))
}

func (s *stateScan) declarations() {
	for _, d := range s.file.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "init" && d.Recv == nil {
				s.problem(d.Pos(), "func init: nothing registers or computes itself; call it from where it is needed")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				for _, spec := range d.Specs {
					s.variable(spec.(*ast.ValueSpec))
				}
			}
		}
	}
}

func (s *stateScan) variable(spec *ast.ValueSpec) {
	mutable := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.ChanType:
			return true
		case *ast.SelectorExpr:
			imp, name, ok := s.names.imported(e)
			return ok && mutableType.MatchString(imp+"."+name)
		}
		return false
	}
	made := func(e ast.Expr) ast.Expr {
		switch e := e.(type) {
		case *ast.CompositeLit:
			return e.Type
		case *ast.UnaryExpr:
			if lit, ok := e.X.(*ast.CompositeLit); ok && e.Op == token.AND {
				return lit.Type
			}
		case *ast.CallExpr:
			if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") && len(e.Args) > 0 {
				return e.Args[0]
			}
		}
		return nil
	}
	bad := mutable(spec.Type)
	for _, v := range spec.Values {
		bad = bad || mutable(made(v))
	}
	if bad {
		s.problem(spec.Pos(), "package variable %s is state: put it into a value that its owner holds", spec.Names[0].Name)
	}
}

// visit looks for everything that changes a package variable.
func (s *stateScan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			s.alias(n)
			break
		}
		for _, e := range n.Lhs {
			s.changed(e, "assigned to")
		}
	case *ast.IncDecStmt:
		s.changed(n.X, "assigned to")
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			s.changed(n.Key, "assigned to")
			s.changed(n.Value, "assigned to")
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND && !s.reading[n] {
			s.changed(n.X, "handed out by address")
		}
	case *ast.CallExpr:
		if len(n.Args) > 0 && s.mutates(n.Fun) {
			s.changed(n.Args[0], "changed by a call")
		}
	}
	return true
}

// alias remembers "row := &table[i]": reading through it is fine, writing is not.
func (s *stateScan) alias(n *ast.AssignStmt) {
	for i, e := range n.Rhs {
		addr, ok := e.(*ast.UnaryExpr)
		if !ok || addr.Op != token.AND || len(n.Lhs) != len(n.Rhs) {
			continue
		}
		id, ok := n.Lhs[i].(*ast.Ident)
		if _, element := addr.X.(*ast.IndexExpr); !ok || !element || s.names.info.Defs[id] == nil {
			continue
		}
		if name := s.root(addr.X); name != "" {
			s.aliases[s.names.info.Defs[id]] = name
			s.reading[addr] = true
		}
	}
}

func (s *stateScan) mutates(fun ast.Expr) bool {
	switch fun := fun.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"delete", "clear", "copy"}, fun.Name)
	case *ast.SelectorExpr:
		imp, name, ok := s.names.imported(fun)
		return ok && mutators.MatchString(imp+"."+name)
	}
	return false
}

func (s *stateScan) changed(e ast.Expr, how string) {
	if e == nil {
		return
	}
	if name := s.root(e); name != "" {
		s.problem(e.Pos(), "package variable %s is %s: package variables never change", name, how)
	}
}

// root returns the name of the package variable that e is, or is a part of.
func (s *stateScan) root(e ast.Expr) string {
	for whole := e; ; {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SelectorExpr:
			if imp, name, ok := s.names.imported(x); ok {
				// A foreign variable: one of the module's, or the standard
				// library's (http.DefaultClient, os.Args): all are shared.
				if s.exported[imp+"."+name] || !strings.HasPrefix(imp, modulePath+"/") {
					return importName(imp) + "." + name
				}
				return ""
			}
			e = x.X
		case *ast.Ident:
			if s.names.packageVar(x) != nil {
				return x.Name
			}
			if whole == e {
				return "" // another value for the pointer itself
			}
			return s.aliases[s.names.info.Uses[x]]
		default:
			return ""
		}
	}
}

func TestNoMutablePackageStateCanFail(t *testing.T) {
	for name, tc := range map[string]struct{ src, want string }{
		"error":               {`import "errors"; var ErrX = errors.New("x")`, ""},
		"regexp":              {`import "regexp"; var re = regexp.MustCompile("x"); func f() bool { return re.MatchString("y") }`, ""},
		"table":               {`var m = map[string]int{"a": 1}; func f() int { return m["a"] }`, ""},
		"pool":                {`import "sync"; var pool = sync.Pool{}; func f() { pool.Put(1) }`, ""},
		"interface assertion": {`var _ error = (*e)(nil); type e struct{ error }`, ""},
		"shadowed":            {`var m = 1; func f() { m := 2; m = 3; m++; _ = &m }`, ""},
		"parameter":           {`var m = 1; func f(m map[int]int) { m[1] = 2 }`, ""},
		"field of a local":    {`var n = 1; type s struct{ n int }; func f(x *s) { x.n = 2 }`, ""},
		"assigned":            {`var n int; func f() { n = 1 }`, "n is assigned to"},
		"assigned from error": {`import "time"; var n time.Time; func f() { n = time.Now() }`, "n is assigned to"},
		"counted":             {`var n int; func f() { n++ }`, "n is assigned to"},
		"element":             {`var m = map[string]int{}; func f() { m["a"] = 1 }`, "m is assigned to"},
		"field":               {`var s struct{ a []struct{ b int } }; func f() { s.a[0].b = 1 }`, "s is assigned to"},
		"other file":          {`func g() { other = 2 }`, "other is assigned to"},
		"deleted":             {`var m = map[string]int{}; func f() { delete(m, "a") }`, "m is changed by a call"},
		"sorted":              {`import "slices"; var m = []int{2, 1}; func f() { slices.Sort(m) }`, "m is changed by a call"},
		"address":             {`var n int; func f() *int { return &n }`, "n is handed out by address"},
		"element read":        {`var m = []struct{ n int }{{1}}; func f() int { e := &m[0]; x := e.n; x++; e = nil; return x }`, ""},
		"element written":     {`var m = []struct{ n int }{{1}}; func f() { e := &m[0]; e.n = 1 }`, "m is assigned to"},
		"element counted":     {`var m = []int{1}; func f() { e := &m[0]; *e++ }`, "m is assigned to"},
		"element returned":    {`var m = []int{1}; func f() *int { return &m[0] }`, "m is handed out by address"},
		"mutex":               {`import "sync"; var mu sync.Mutex`, "mu is state"},
		"atomic":              {`import "sync/atomic"; var n = new(atomic.Int64)`, "n is state"},
		"channel":             {`var c = make(chan int)`, "c is state"},
		"range":               {`var i int; func f() { for i = range 3 { } }`, "i is assigned to"},
		"init":                {`func init() {}`, "func init"},
		"another package's":   {`import "trawl/internal/b"; func f() { b.Table = nil }`, "b.Table is assigned to"},
		"standard library's":  {`import "net/http"; func f() { http.DefaultClient = nil }`, "http.DefaultClient is assigned to"},
	} {
		t.Run(name, func(t *testing.T) {
			m := memory(t, map[string]string{
				"internal/a/a.go":      "package a\n" + strings.ReplaceAll(tc.src, ";", "\n"),
				"internal/a/other.go":  "package a\n\nvar other = 1\n",
				"internal/a/a_test.go": "package a\n\nfunc reset() { other = 5 }\n",
				"internal/b/b.go":      "package b\n\nvar Table = []int{1}\n",
			})
			expect(t, m.checkState(), tc.want)
		})
	}
}
