package compare

import (
	"fmt"
	"slices"
)

const (
	maxEdits   = 400 // lines removed and added that are looked for one by one
	maxExcerpt = 24  // lines of an excerpt
	around     = 1   // equal lines shown before and behind a difference
	shownWidth = 160 // bytes of a line in an excerpt
)

// edit is one line of a difference: ' ' in both, '-' in the first, '+' in the second.
type edit struct {
	op   byte
	line string
}

// excerpt shows where b begins to differ from a, as a unified difference, and
// says how much is left out.
func excerpt(a, b []string) []string {
	edits := difference(a, b)
	var out []string
	changed, shown := 0, 0
	last := -1 // of the edits shown
	for i, e := range edits {
		if e.op != ' ' {
			changed++
		}
		if len(out) >= maxExcerpt || !near(edits, i) {
			continue
		}
		if last >= 0 && i > last+1 {
			out = append(out, "@@")
		}
		last = i
		if e.op != ' ' {
			shown++
		}
		out = append(out, string(e.op)+clip(e.line))
	}
	if changed > shown {
		out = append(out, fmt.Sprintf("… and %d more lines that differ", changed-shown))
	}
	return out
}

func near(edits []edit, i int) bool {
	for k := max(0, i-around); k <= min(len(edits)-1, i+around); k++ {
		if edits[k].op != ' ' {
			return true
		}
	}
	return false
}

func clip(s string) string {
	if len(s) <= shownWidth {
		return s
	}
	at := shownWidth
	for at > 0 && s[at]&0xc0 == 0x80 { // not in the middle of a character
		at--
	}
	return s[:at] + "…"
}

// difference lists the lines of both. Beyond maxEdits it does not look for the
// shortest way: what stands between the equal head and tail is replaced.
func difference(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []edit
	same := func(lines []string) {
		for _, l := range lines {
			out = append(out, edit{' ', l})
		}
	}
	same(a[:head])
	middleA, middleB := a[head:len(a)-tail], b[head:len(b)-tail]
	if edits, ok := shortest(middleA, middleB); ok {
		out = append(out, edits...)
	} else {
		for _, l := range middleA {
			out = append(out, edit{'-', l})
		}
		for _, l := range middleB {
			out = append(out, edit{'+', l})
		}
	}
	same(a[len(a)-tail:])
	return out
}

// shortest finds the fewest edits (Myers 1986, the greedy way), if they are not
// more than maxEdits.
func shortest(a, b []string) ([]edit, bool) {
	n, m := len(a), len(b)
	v := make([]int, 2*maxEdits+3)
	const mid = maxEdits + 1
	var trace [][]int
	for d := 0; d <= min(n+m, maxEdits); d++ {
		trace = append(trace, slices.Clone(v[mid-d-1:mid+d+2]))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				x = v[mid+k+1]
			} else {
				x = v[mid+k-1] + 1
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[mid+k] = x
			if x >= n && y >= m {
				return walk(a, b, trace), true
			}
		}
	}
	return nil, false
}

// walk goes the way back through the traces; each holds the diagonals -d-1 to
// d+1 as they were before step d.
func walk(a, b []string, trace [][]int) []edit {
	var out []edit
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		prev := k - 1
		if k == -d || k != d && v(k-1) < v(k+1) {
			prev = k + 1
		}
		fromX := v(prev)
		fromY := fromX - prev
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			out = append(out, edit{' ', a[x]})
		}
		if d == 0 {
			break
		}
		if x == fromX {
			y--
			out = append(out, edit{'+', b[y]})
		} else {
			x--
			out = append(out, edit{'-', a[x]})
		}
	}
	slices.Reverse(out)
	return out
}
