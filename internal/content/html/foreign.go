package html

// foreign follows SVG and MathML just far enough to know whether a tag is an
// HTML element: the open svg, math and integration-point elements. It is a
// fixed array: what nests deeper is treated as if it stood at the limit.
type foreign struct {
	depth int
	stack [maxForeign]foreignNode
}

type foreignNode uint8

const (
	nodeSVG foreignNode = iota
	nodeMath
	nodePoint // in SVG or MathML, HTML again
)

// in reports whether the current element is an SVG or MathML one.
func (f *foreign) in() bool { return f.depth > 0 && f.stack[f.depth-1] != nodePoint }

func (f *foreign) push(n foreignNode) {
	if f.depth < len(f.stack) {
		f.stack[f.depth] = n
		f.depth++
	}
}

// leave closes foreign elements up to the next integration point.
func (f *foreign) leave() {
	for f.in() {
		f.depth--
	}
}

// close ends the innermost n, if one is open.
func (f *foreign) close(n foreignNode) {
	for i := f.depth - 1; i >= 0; i-- {
		if f.stack[i] == n {
			f.depth = i
			return
		}
	}
}

// startForeign handles a start tag while in SVG or MathML. It reports whether
// the tag is of that content; if not, it has left it.
func (s *scanner) startForeign(name []byte, k uint64) (point, foreign bool) {
	if endsForeign(k) || equalFold(name, "blockquote") {
		s.foreign.leave()
		return false, false
	}
	switch s.foreign.stack[s.foreign.depth-1] {
	case nodeSVG:
		return k == nDesc || k == nTitle || equalFold(name, "foreignobject"), true
	case nodeMath:
		return k == nMi || k == nMn || k == nMo || k == nMs || k == nMtext, true
	}
	return false, true
}

// endForeign handles an end tag while SVG or MathML is open.
func (s *scanner) endForeign(name []byte, k uint64) {
	switch k {
	case nSvg:
		s.foreign.close(nodeSVG)
	case nMath:
		s.foreign.close(nodeMath)
	case nP, nBr:
		s.foreign.leave()
	case nDesc, nTitle, nMi, nMn, nMo, nMs, nMtext:
		s.foreign.close(nodePoint)
	default:
		if equalFold(name, "foreignobject") {
			s.foreign.close(nodePoint)
		}
	}
}

// templates follows open template elements. Bit i of inert says that the one at
// depth i is inert, that is, no declarative shadow root; deeper than 64 all are.
type templates struct {
	depth int
	inert uint64
}

func (t *templates) push(inert bool) {
	if t.depth < 64 {
		t.inert &^= 1 << t.depth
		if inert {
			t.inert |= 1 << t.depth
		}
	}
	t.depth++
}

func (t *templates) pop() {
	if t.depth > 0 {
		t.depth--
	}
}

// inside reports whether the current element is in an inert template.
func (t *templates) inside() bool {
	switch {
	case t.depth == 0:
		return false
	case t.depth > 64:
		return true
	}
	return t.inert<<(64-t.depth) != 0
}
