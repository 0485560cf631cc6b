package archtest

import (
	"slices"
	"strings"
	"testing"
)

// behavingTree has tests that claim B4 (twice), B5, C4 and, in a script, C2.
func behavingTree(t *testing.T) *tree {
	return memory(t, map[string]string{
		"internal/f/f.go":       "package f\n\nvar notATest = \"E1/in code\"\n",
		"internal/f/f_test.go":  "package f\n\nfunc TestB4B5Limit(t *testing.T) { t.Run(\"B4/at the limit\", nil) }\n\nfunc TestOther(t *testing.T) {}\n\nfunc TestB64Encoding(t *testing.T) {}\n\nfunc TestE2ESmoke(t *testing.T) {}\n",
		"internal/f/s_test.go":  imports("f_test", "trawl/internal/ftest"),
		"internal/l/l.go":       "package l\n",
		"internal/l/l_test.go":  "package l\n\nfunc TestLadder(t *testing.T) {\n\tt.Run(\"C4/after 12h\", nil)\n\tt.Run(\"C5\", nil)\n\tt.Run(\"C6Abandoned\", nil)\n\t_ = \"F6\"\n\t_ = \"B9: message\"\n}\n",
		"internal/ftest/s.go":   "package ftest\n\nfunc cases() []string { return []string{\"B4/at the limit\"} }\n",
		"cmd/trawl/main.go":     "package main\n",
		"testdata/s/some.txtar": "# rows: C2\nexec trawl\n",
	})
}

func TestClaims(t *testing.T) {
	want := []claim{
		{"B4", "internal/f", "TestB4B5Limit"},
		{"B4", "internal/ftest", "cases/B4"},
		{"B5", "internal/f", "TestB4B5Limit"},
		{"C2", "cmd/trawl", "testdata/s/some.txtar"},
		{"C4", "internal/l", "TestLadder/C4"},
		{"C5", "internal/l", "TestLadder/C5"},
		{"C6", "internal/l", "TestLadder/C6"},
	}
	if got := behavingTree(t).claims(); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestBehavioursPageCanFail(t *testing.T) {
	m := behavingTree(t)
	page := m.rewriteBehaviours("# Behaviours\n")
	expect(t, m.checkBehaviours(page), "")
	without := func(start string) string {
		lines := strings.SplitAfter(page, "\n")
		return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, start) }), "")
	}
	for name, tc := range map[string]struct{ page, want string }{
		"row missing":          {without("| A1 |"), "row A1 is missing"},
		"row twice":            {page + "| A1 | x | |\n", "row A1 is listed twice"},
		"proven and not yet":   {page + "| B4 | x | |\n", "row B4 is both"},
		"no such row":          {page + "| Z9 | x | |\n", `"Z9" is no row`},
		"no such test":         {strings.Replace(page, "`cases/B4`", "`cases/B4`, `TestGone`", 1), "claims TestGone"},
		"no such script":       {strings.Replace(page, "`cases/B4`", "`cases/B4`, `testdata/no.txtar`", 1), "claims testdata/no.txtar"},
		"test in code only":    {strings.Replace(page, "`TestLadder/C4`", "`TestLadder/C4`, `notATest`", 1), "claims notATest"},
		"no such package":      {page[:strings.Index(page, notYetHead)] + "| E1 | x | `internal/gone` | `TestX` | |\n" + without("| E1 |")[strings.Index(page, notYetHead):], "internal/gone"},
		"test not listed":      {strings.Replace(page, "`TestB4B5Limit`", "`TestOther`", 1), "names row B4, and the table does not list it"},
		"malformed line":       {page + "| A1 |\n", "not a line of the table"},
		"kept by hand, exists": {strings.Replace(page, "`TestLadder/C4`", "`TestLadder/C4`, `TestLadder/by hand`", 1), ""},
	} {
		t.Run(name, func(t *testing.T) { expect(t, m.checkBehaviours(tc.page), tc.want) })
	}
}

func TestBehavioursSuiteMustBeRun(t *testing.T) {
	m := memory(t, map[string]string{
		"internal/ftest/s.go": "package ftest\n\nfunc cases() []string { return []string{\"B4/at the limit\"} }\n",
	})
	expect(t, m.checkBehaviours(m.rewriteBehaviours("# Behaviours\n")), "which no test runs")
}

func TestBehavioursUpdateKeepsNotes(t *testing.T) {
	m := behavingTree(t)
	page := m.rewriteBehaviours("# Behaviours\n\nHow to read it.\n")
	page = strings.Replace(page, "| `TestLadder/C4` |  |", "| `TestLadder/C4`, `TestLadder/by hand`, `TestGone`, `TestLadder/C9` | partial: 30 days |", 1)
	page = strings.Replace(page, "| J1 | 200 pages are rendered |  |", "| J1 | 200 pages are rendered | later |", 1)
	again := m.rewriteBehaviours(page)
	for _, want := range []string{
		"How to read it.",
		"| `TestLadder/C4`, `TestLadder/C9`, `TestLadder/by hand` | partial: 30 days |",
		"| J1 | 200 pages are rendered | later |",
	} {
		if !strings.Contains(again, want) {
			t.Errorf("after the update %q is gone:\n%s", want, again)
		}
	}
	if strings.Contains(again, "TestGone") {
		t.Error("a test that does not exist is still claimed")
	}
	if twice := m.rewriteBehaviours(again); twice != again {
		t.Error("a second update changes the page again")
	}
	expect(t, m.checkBehaviours(again), "")
}
