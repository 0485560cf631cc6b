package archtest

import (
	"strings"
	"testing"
	"testing/fstest"
)

// memory is a module in memory for the tests of the checkers themselves.
func memory(t *testing.T, files map[string]string) *tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, src := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(src)}
	}
	m, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// imports is the source of a file that imports paths and uses none of them.
func imports(name string, paths ...string) string {
	var b strings.Builder
	b.WriteString("package " + name + "\n")
	for _, p := range paths {
		b.WriteString("import _ \"" + p + "\"\n")
	}
	return b.String()
}

// expect wants exactly one problem that contains want, or none for "".
func expect(t *testing.T, problems []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(problems) > 0:
		t.Errorf("problems where there are none: %q", problems)
	case want != "" && (len(problems) != 1 || !strings.Contains(problems[0], want)):
		t.Errorf("got %q, want one problem with %q", problems, want)
	}
}
