package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file; Line and Column count from 1, 0 = the file as
// a whole.
type Position struct {
	File         string
	Line, Column int
}

// FieldError is one thing wrong in one place of a file.
type FieldError struct {
	File         string
	Line, Column int    // from 1; 0 = the file as a whole
	Field        string // path of the field: "crawl.include[2]"; "" = the document
	Detail       string // what is wrong and what would be right
	Suggestion   string // the nearest valid name or form; "" = none
}

// Error returns one line: file:line:column: field: detail; did you mean "x"?
func (e *FieldError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Detail)
	if e.Suggestion != "" {
		fmt.Fprintf(&b, "; did you mean %q?", e.Suggestion)
	}
	return b.String()
}

// Errors is everything wrong in a file, in the order of its lines, at most
// MaxErrors of them.
type Errors []*FieldError

// Error returns one line for each error.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As and errors.Is every single error.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// Sort puts the errors into the order of their places.
func (es Errors) Sort() {
	slices.SortStableFunc(es, func(a, b *FieldError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// quote returns text of unknown origin for a message: quoted and short.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%q and %d more bytes", s[:most], len(s)-most)
	}
	return fmt.Sprintf("%q", s)
}

// Nearest returns the name that is closest to got, or "" when none is near:
// at most a third of its letters (at least one, at most three) added, left out,
// replaced or swapped.
func Nearest(got string, names []string) string {
	const longest = 64
	if got == "" || len(got) > longest {
		return ""
	}
	low := strings.ToLower(strings.ReplaceAll(got, "-", "_"))
	best, bestName := min(3, max(1, len(got)/3))+1, ""
	for _, name := range names {
		if len(name) > longest {
			continue
		}
		if d := distance(low, strings.ToLower(strings.ReplaceAll(name, "-", "_"))); d < best {
			best, bestName = d, name
		}
	}
	return bestName
}

// distance is the optimal string alignment distance of a and b in bytes.
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
