package robots

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// segments matches many patterns with stars at once, however hostile they are.
//
// A pattern is a sequence of literal segments between stars. The leftmost place
// for each is as good as any other, so where a segment ends depends on the
// segments before it alone: patterns that begin with the same segments share
// them, as nodes of a tree. A path is gone through once from left to right. At
// each position a binary search gives the longest segment that begins there;
// the others that do are its prefixes, of which only those are visited that a
// tree node waits for, and each node moves on once at most:
//
//	time = (path + nodes) × log(segments)
//
// which is far below path × rules. What is kept for a path comes from a pool.
type segments struct {
	heads    []prefix // what stands before the first star; best is a node
	literals []prefix // the other segments, each once
	keys     []uint64 // the first eight bytes of each literal, see key
	last     []int32  // last literal that begins with this one; nil if none has many prefixes
	width    int32    // power of two, at least the number of literals
	nodes    []segmentNode
	tails    []segmentTail
	pool     sync.Pool // of *segmentRun
}

// segmentNode is one segment after those of its parents. Node 0 is none.
type segmentNode struct {
	literal int32 // index in literals; -1 for a head
	length  int32 // of the literal
	child   int32 // first of the list of children
	sibling int32
	tail    int32 // first of the list of tails, from 1; 0 = none
	own     int32 // rank of the pattern that ends here; noRank = none
	best    int32 // lowest rank of this node and all below it
}

// segmentTail is the last segment of a pattern that ends in "$".
type segmentTail struct {
	text string
	rank int32
	next int32 // from 1; 0 = the last
}

// newSegments builds the tree. patterns are in order of rank, ranks their ranks.
func newSegments(patterns []pattern, rank func(i int) int32) *segments {
	s := &segments{nodes: make([]segmentNode, 1, len(patterns)+1)}
	numbers := make(map[string]int32) // of literals
	heads := make(map[string]int32)   // node of a head
	type edge struct{ parent, literal int32 }
	nodes := make(map[edge]int32)
	for i, p := range patterns {
		r := rank(i)
		head, rest, _ := strings.Cut(p.text, "*")
		n, ok := heads[head]
		if !ok {
			n = s.node(-1, len(head), r)
			heads[head] = n
			s.heads = append(s.heads, prefix{text: head, best: n})
		}
		for {
			text, more, star := strings.Cut(rest, "*")
			if !star && p.anchored {
				s.tails = append(s.tails, segmentTail{text: text, rank: r, next: s.nodes[n].tail})
				s.nodes[n].tail = int32(len(s.tails))
				break
			}
			if text != "" {
				number, ok := numbers[text]
				if !ok {
					number = int32(len(numbers))
					numbers[text] = number
					s.literals = append(s.literals, prefix{text: text, best: number})
				}
				next, ok := nodes[edge{n, number}]
				if !ok {
					next = s.node(number, len(text), r)
					s.nodes[next].sibling, s.nodes[n].child = s.nodes[n].child, next
					nodes[edge{n, number}] = next
				}
				n = next
			}
			if !star {
				s.nodes[n].own = min(s.nodes[n].own, r)
				break
			}
			rest = more
		}
	}
	s.heads, _ = linkTexts(s.heads)
	var at []int32
	s.literals, at = linkTexts(s.literals)
	s.keys = make([]uint64, len(s.literals))
	for i, l := range s.literals {
		s.keys[i] = key(l.text)
	}
	s.linkLast()
	for i := range s.nodes {
		if n := &s.nodes[i]; n.literal >= 0 && i > 0 {
			n.literal = at[n.literal]
		}
	}
	return s
}

// node adds a node. Patterns come in order of rank, so the one that a node is
// made for is the best that it will ever be part of.
func (s *segments) node(literal int32, length int, rank int32) int32 {
	s.nodes = append(s.nodes, segmentNode{literal: literal, length: int32(length), own: noRank, best: rank})
	return int32(len(s.nodes) - 1)
}

// manyPrefixes is how many prefixes of a literal may be literals too before it
// pays to look for those that are waited for. Measured.
const manyPrefixes = 16

// linkLast fills last and width if a literal has many prefixes.
func (s *segments) linkLast() {
	depth, deep := make([]int32, len(s.literals)), false
	for i, l := range s.literals {
		if l.parent >= 0 {
			depth[i] = depth[l.parent] + 1
		}
		deep = deep || depth[i] > manyPrefixes
	}
	if !deep {
		return
	}
	for s.width = 1; int(s.width) < len(s.literals); {
		s.width *= 2
	}
	s.last = depth // needed no more
	for i := len(s.literals) - 1; i >= 0; i-- {
		s.last[i] = int32(i)
	}
	for i := len(s.literals) - 1; i >= 0; i-- {
		if up := s.literals[i].parent; up >= 0 {
			s.last[up] = max(s.last[up], s.last[i])
		}
	}
}

// linkTexts sorts entries with different texts and links each to the longest
// that is a prefix of it. at says where the entry with a given best went.
func linkTexts(in []prefix) (out []prefix, at []int32) {
	slices.SortFunc(in, func(a, b prefix) int { return strings.Compare(a.text, b.text) })
	parent, most := int32(-1), int32(0)
	for i := range in {
		for parent >= 0 && !strings.HasPrefix(in[i].text, in[parent].text) {
			parent = in[parent].parent
		}
		in[i].parent = parent
		parent = int32(i)
		most = max(most, in[i].best)
	}
	at = make([]int32, most+1)
	for i := range in {
		at[in[i].best] = int32(i)
	}
	return in, at
}

// match returns the lowest rank below limit that matches path, or noRank.
func (s *segments) match(path string, limit int32) int32 {
	r := s.run(path)
	best := limit
	for h := deepest(s.heads, path); h >= 0; h = s.heads[h].parent {
		if n := s.heads[h].best; s.nodes[n].best < best {
			r.reach(n, len(s.heads[h].text))
		}
	}
	for at := range r.reached {
		for n := r.reached[at]; n != 0; n = r.next[n] {
			best = s.arrive(r, n, path[at:], best)
			r.ahead--
		}
		if r.waits == 0 {
			if r.ahead == 0 {
				break
			}
			continue
		}
		for l := r.nearest(s, s.literalAt(path[at:])); l >= 0; l = r.nearest(s, s.literals[l].parent) {
			for n := r.waiting[l]; n != 0; {
				node, next := &s.nodes[n], r.next[n]
				if node.best < best {
					r.reach(n, at+int(node.length))
				}
				r.waits--
				n = next
			}
			r.waiting[l] = 0
			r.unmark(s, l)
		}
	}
	s.pool.Put(r)
	if best == limit {
		return noRank
	}
	return best
}

// arrive handles a node whose segments have all been found before rest: what
// ends here matches, what goes on waits. It returns the best rank so far.
func (s *segments) arrive(r *segmentRun, n int32, rest string, best int32) int32 {
	node := &s.nodes[n]
	best = min(best, node.own)
	for t := node.tail; t != 0; t = s.tails[t-1].next {
		if tail := &s.tails[t-1]; tail.rank < best && strings.HasSuffix(rest, tail.text) {
			best = tail.rank
		}
	}
	for c := node.child; c != 0; c = s.nodes[c].sibling {
		child := &s.nodes[c]
		if child.best >= best || int(child.length) > len(rest) {
			continue
		}
		r.wait(s, c, child.literal)
	}
	return best
}

// key returns the first eight bytes of s as a number that sorts as they do.
func key(s string) uint64 { return bits.ReverseBytes64(head(s)) }

// literalAt is deepest for the literals, whose keys spare it most comparisons.
func (s *segments) literalAt(rest string) int32 {
	k := key(rest)
	lo, hi := 0, len(s.keys)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if c := s.keys[mid]; c < k || c == k && s.literals[mid].text <= rest {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return within(s.literals, int32(lo-1), rest)
}

// deepest returns the index of the longest entry that s begins with, or -1.
// Everything that sorts between a prefix of s and s has that prefix too, so the
// last entry not after s has all matching entries among its parents.
func deepest(entries []prefix, s string) int32 {
	lo, hi := 0, len(entries)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if entries[mid].text <= s {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return within(entries, int32(lo-1), s)
}

// within returns the nearest of entry i and its parents that s begins with.
func within(entries []prefix, i int32, s string) int32 {
	if i < 0 {
		return -1
	}
	n := common(entries[i].text, s)
	for i >= 0 && len(entries[i].text) > n {
		i = entries[i].parent
	}
	return i
}
