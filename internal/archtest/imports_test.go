package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// dag maps each package of a policy to everything that it may import.
type dag map[string]map[string]bool

var policyName = regexp.MustCompile(`^[a-z][a-z0-9]*(/[a-z][a-z0-9]*)*$`)

// parsePolicy reads the policy language described at [policy] and closes it:
// who may import a package may import what that one may.
func parsePolicy(text string) (dag, error) {
	direct, err := parseRules(text)
	if err != nil {
		return nil, err
	}
	closed := dag{}
	for p := range direct {
		if err := direct.close(p, closed, nil); err != nil {
			return nil, err
		}
	}
	return closed, nil
}

// parseRules reads the policy language as it stands.
func parseRules(text string) (dag, error) {
	direct := dag{}
	for rule := range strings.SplitSeq(stripComments(text), ";") {
		if strings.TrimSpace(rule) == "" {
			continue
		}
		if err := direct.addRule(rule); err != nil {
			return nil, fmt.Errorf("policy rule %q: %w", strings.Join(strings.Fields(rule), " "), err)
		}
	}
	return direct, nil
}

func stripComments(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i], _, _ = strings.Cut(lines[i], "#")
	}
	return strings.Join(lines, "\n")
}

func (d dag) addRule(rule string) error {
	sides := strings.Split(rule, "<")
	if len(sides) < 2 {
		return fmt.Errorf("no '<'")
	}
	var left []string
	for i, side := range sides {
		right, err := nameList(side)
		if err != nil {
			return err
		}
		if i > 0 {
			if err := d.allow(right, left); err != nil {
				return err
			}
		}
		left = right
	}
	return nil
}

func nameList(side string) ([]string, error) {
	var list []string
	for n := range strings.SplitSeq(side, ",") {
		n = strings.TrimSpace(n)
		switch {
		case n == "":
			return nil, fmt.Errorf("empty list or name")
		case n != "NONE" && !policyName.MatchString(n):
			return nil, fmt.Errorf("%q is not a package's name", n)
		}
		list = append(list, n)
	}
	return list, nil
}

func (d dag) allow(importers, imported []string) error {
	for _, p := range importers {
		if p == "NONE" {
			return fmt.Errorf("NONE may stand on the left only")
		}
		if d[p] == nil {
			d[p] = map[string]bool{}
		}
		for _, q := range imported {
			if d[p][q] {
				return fmt.Errorf("%s < %s is said twice", q, p)
			}
			d[p][q] = true
		}
	}
	return nil
}

// close writes the transitive closure of p into closed.
func (d dag) close(p string, closed dag, above []string) error {
	if slices.Contains(above, p) {
		return fmt.Errorf("policy has a cycle: %s", strings.Join(append(above, p), " > "))
	}
	if closed[p] != nil {
		return nil
	}
	all := map[string]bool{}
	for q := range d[p] {
		if err := d.close(q, closed, append(above, p)); err != nil {
			return err
		}
		all[q] = true
		for r := range closed[q] {
			all[r] = true
		}
	}
	closed[p] = all
	return nil
}

// checkImports holds code to main, and tests to main and extra together.
func (t *tree) checkImports(main, extra dag) []string {
	var problems []string
	for _, p := range t.pkgs {
		if main[p.name()] == nil {
			problems = append(problems, p.path+" is not in the import policy: add it to policy in internal/archtest/policy_test.go where its place is")
			continue
		}
		seen := map[string]bool{}
		for _, f := range p.files {
			for _, imp := range f.imports() {
				q, ours := strings.CutPrefix(imp, modulePath+"/")
				q = strings.TrimPrefix(q, "internal/")
				if !ours || main[p.name()][q] || f.test && (q == p.name() || allowedInTests(main, extra, p.name(), q)) {
					continue
				}
				who := p.path
				if f.test {
					who = "tests of " + who
				}
				msg := fmt.Sprintf("%s may not import %s: the import policy does not allow it", who, strings.TrimPrefix(imp, modulePath+"/"))
				if !seen[msg] {
					seen[msg] = true
					problems = append(problems, msg+" ("+f.path+")")
				}
			}
		}
	}
	return problems
}

func allowedInTests(main, extra dag, p, q string) bool {
	for r := range extra[p] {
		if r == q || main[r][q] {
			return true
		}
	}
	return false
}

func (f *file) imports() []string {
	var list []string
	for _, s := range f.ast.Imports {
		if p, err := strconv.Unquote(s.Path.Value); err == nil {
			list = append(list, p)
		}
	}
	return list
}

func (t *tree) checkStandardOnly(list []string) []string {
	var problems []string
	for _, p := range t.pkgs {
		if !slices.Contains(list, p.name()) {
			continue
		}
		for _, f := range p.code() {
			for _, imp := range f.imports() {
				first, _, _ := strings.Cut(imp, "/")
				if strings.Contains(first, ".") {
					problems = append(problems, fmt.Sprintf("%s imports %q: %s may import the standard library only", f.path, imp, p.path))
				}
			}
		}
	}
	return problems
}

// impureImport matches what reaches outside the process or around the type system.
var impureImport = regexp.MustCompile(`^(net(/.*)?|os(/.*)?|log(/.*)?|syscall|unsafe|C|crypto/rand|hash/maphash|io/ioutil|runtime/debug|plugin)$`)

// clock lists the functions of package time that read or wait for a clock;
// seeded those of math/rand that do not use the global source.
var (
	clock  = []string{"Now", "Sleep", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}
	seeded = []string{"New", "NewPCG", "NewSource", "NewZipf", "NewChaCha8", "Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}
)

func (t *tree) checkPure(list []string) []string {
	var problems []string
	for _, p := range t.pkgs {
		if !covered(list, p.name()) {
			continue
		}
		n := t.resolve(p)
		for _, f := range p.code() {
			problems = append(problems, t.impureImports(f)...)
			ast.Inspect(f.ast, func(node ast.Node) bool {
				sel, ok := node.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if imp, name, ok := n.imported(sel); ok && impureUse(imp, name) {
					problems = append(problems, fmt.Sprintf("%s:%d uses %s.%s: a pure package is handed its time and its random numbers", f.path, t.line(sel.Pos()), importName(imp), name))
				}
				return true
			})
		}
	}
	return problems
}

func covered(list []string, name string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return l == name || strings.HasSuffix(l, "/") && strings.HasPrefix(name, l)
	})
}

func (t *tree) impureImports(f *file) []string {
	var problems []string
	for _, s := range f.ast.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		if s.Name != nil && s.Name.Name == "." {
			problems = append(problems, fmt.Sprintf("%s: dot import of %q hides where names come from", f.path, p))
		}
		if impureImport.MatchString(p) && p != "net/netip" && p != "net/url" {
			problems = append(problems, fmt.Sprintf("%s imports %q: a pure package does no I/O", f.path, p))
		}
	}
	return problems
}

func impureUse(imp, name string) bool {
	switch imp {
	case "time":
		return slices.Contains(clock, name)
	case "context":
		return strings.HasPrefix(name, "WithTimeout") || strings.HasPrefix(name, "WithDeadline")
	case "math/rand", "math/rand/v2":
		return !slices.Contains(seeded, name)
	}
	return false
}
