package archtest

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	behavioursFile = "docs/behaviours.md"
	provenHead     = "## Proven"
	notYetHead     = "## Not yet"
)

var updateBehaviours = flag.Bool("update-behaviours", false, "rewrite the tables of docs/behaviours.md from the tests' names; notes are kept")

func TestBehavioursPage(t *testing.T) {
	m := theModule(t)
	text, err := fs.ReadFile(m.fsys, behavioursFile)
	if err != nil {
		t.Fatal(err)
	}
	if *updateBehaviours {
		text = []byte(m.rewriteBehaviours(string(text)))
		root, err := moduleRoot()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(behavioursFile)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	report(t, m.checkBehaviours(string(text)))
}

// behaviours is the page docs/behaviours.md as data.
type behaviours struct {
	intro  string // everything before the first table's heading
	proven []provenLine
	notYet []notYetLine
}

// provenLine is what the tests of one package prove of one row.
type provenLine struct {
	row, pkg string
	tests    []string
	note     string
}

type notYetLine struct{ row, note string }

func parseBehaviours(text string) (behaviours, []string) {
	var b behaviours
	var problems []string
	section := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			section = line
		case section == "":
		case !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| row") || strings.HasPrefix(line, "|--"):
			continue
		default:
			cells := tableCells(line)
			switch {
			case section == provenHead && len(cells) == 5:
				b.proven = append(b.proven, provenLine{cells[0], unquote(cells[2]), unquoteList(cells[3]), cells[4]})
			case section == notYetHead && len(cells) == 3:
				b.notYet = append(b.notYet, notYetLine{cells[0], cells[2]})
			default:
				problems = append(problems, fmt.Sprintf("%s:%d: not a line of the table under %q: %s", behavioursFile, i+1, section, line))
			}
			continue
		}
		if section == "" {
			b.intro += line + "\n"
		}
	}
	return b, problems
}

func tableCells(line string) []string {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

func unquote(s string) string { return strings.Trim(s, "` ") }

func unquoteList(s string) []string {
	var list []string
	for t := range strings.SplitSeq(s, ",") {
		if t = unquote(t); t != "" {
			list = append(list, t)
		}
	}
	return list
}

func (b behaviours) claims() []claim {
	var all []claim
	for _, l := range b.proven {
		for _, test := range l.tests {
			all = append(all, claim{l.row, l.pkg, test})
		}
	}
	return all
}

const howToUpdate = "run go test ./internal/archtest -update-behaviours"

// checkBehaviours holds the page to the rows and to the tests that exist.
func (t *tree) checkBehaviours(text string) []string {
	b, problems := parseBehaviours(text)
	say := func(format string, args ...any) {
		problems = append(problems, behavioursFile+": "+fmt.Sprintf(format, args...))
	}
	proven, notYet := map[string]bool{}, map[string]int{}
	for _, l := range b.proven {
		proven[l.row] = true
		if rowOrder(l.row) < 0 {
			say("%q is no row", l.row)
		}
		i := slices.IndexFunc(t.pkgs, func(p *pkg) bool { return p.path == l.pkg })
		switch {
		case i < 0:
			say("row %s names package %q, which does not exist", l.row, l.pkg)
		case len(l.tests) == 0:
			say("row %s names no test of %s", l.row, l.pkg)
		case t.pkgs[i].suite() && !t.run(t.pkgs[i]):
			say("row %s names the suite %s, which no test runs", l.row, l.pkg)
		}
	}
	for _, l := range b.notYet {
		notYet[l.row]++
		if rowOrder(l.row) < 0 {
			say("%q is no row", l.row)
		}
	}
	for _, r := range rows {
		switch {
		case !proven[r.id] && notYet[r.id] == 0:
			say("row %s is missing: every row is proven or listed under %q", r.id, notYetHead)
		case proven[r.id] && notYet[r.id] > 0:
			say("row %s is both proven and listed under %q: if a part is missing, say \"partial: …\" in the note", r.id, notYetHead)
		case notYet[r.id] > 1:
			say("row %s is listed twice under %q", r.id, notYetHead)
		}
	}
	listed := b.claims()
	for _, c := range listed {
		if slices.ContainsFunc(t.pkgs, func(p *pkg) bool { return p.path == c.pkg }) && !t.exists(c) {
			say("row %s claims %s in %s, which does not exist: %s", c.row, c.test, c.pkg, howToUpdate)
		}
	}
	for _, c := range t.claims() {
		if !slices.Contains(listed, c) {
			say("%s in %s names row %s, and the table does not list it: %s", c.test, c.pkg, c.row, howToUpdate)
		}
	}
	return problems
}

// rewriteBehaviours brings the tables up to date: claims by name are added,
// claims of tests that are gone dropped, others that were added by hand kept,
// notes kept where their row stands.
func (t *tree) rewriteBehaviours(text string) string {
	b, _ := parseBehaviours(text)
	all := t.claims()
	notes := map[string]string{}
	for _, l := range b.proven {
		notes[l.row+" "+l.pkg] = l.note
	}
	for _, c := range b.claims() {
		if t.exists(c) && rowOrder(c.row) >= 0 && !staleLabel(c, all) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, compareClaims)
	all = slices.Compact(all)
	missing := map[string]string{}
	for _, l := range b.notYet {
		missing[l.row] = l.note
	}
	next := behaviours{intro: b.intro}
	for _, r := range rows {
		n := len(next.proven)
		for _, c := range all {
			if c.row != r.id {
				continue
			}
			last := len(next.proven) - 1
			if last < n || next.proven[last].pkg != c.pkg {
				next.proven = append(next.proven, provenLine{r.id, c.pkg, []string{c.test}, notes[r.id+" "+c.pkg]})
			} else {
				next.proven[last].tests = append(next.proven[last].tests, c.test)
			}
		}
		if len(next.proven) == n {
			next.notYet = append(next.notYet, notYetLine{r.id, missing[r.id]})
		}
	}
	return next.String()
}

// staleLabel reports whether c claims a label ("TestLadder/C4") that its
// function no longer has.
func staleLabel(c claim, found []claim) bool {
	_, label, ok := strings.Cut(c.test, "/")
	return ok && label == c.row && !slices.Contains(found, c)
}

func (b behaviours) String() string {
	var s strings.Builder
	s.WriteString(strings.TrimRight(b.intro, "\n") + "\n\n" + provenHead + "\n\n")
	s.WriteString("| row | behaviour | package | test | note |\n|---|---|---|---|---|\n")
	for _, l := range b.proven {
		fmt.Fprintf(&s, "| %s | %s | `%s` | `%s` | %s |\n", l.row, rows[rowOrder(l.row)].title, l.pkg, strings.Join(l.tests, "`, `"), l.note)
	}
	s.WriteString("\n" + notYetHead + "\n\n| row | behaviour | note |\n|---|---|---|\n")
	for _, l := range b.notYet {
		fmt.Fprintf(&s, "| %s | %s | %s |\n", l.row, rows[rowOrder(l.row)].title, l.note)
	}
	return s.String()
}
