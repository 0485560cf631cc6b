package robots

// segmentRun is what is kept while one path is gone through. The numbers are
// nodes; each node is in one list at most, linked by next, and 0 ends a list.
type segmentRun struct {
	next    []int32
	waiting []int32 // by literal: nodes that wait for it, their parent being reached
	reached []int32 // by position: nodes whose segment ends there
	waits   int     // how many nodes wait
	ahead   int     // how many are in reached
	// open is a tree of maxima, in an array from index 1, over the literals that
	// are waited for: last + 1 of each, 0 for the others. Only if last is set.
	open []int32
}

func (s *segments) run(path string) *segmentRun {
	r, _ := s.pool.Get().(*segmentRun)
	if r == nil {
		r = &segmentRun{next: make([]int32, len(s.nodes)), waiting: make([]int32, len(s.literals))}
	}
	if cap(r.reached) < len(path)+1 {
		r.reached = make([]int32, len(path)+1)
	}
	r.reached = r.reached[:len(path)+1]
	clear(r.reached)
	clear(r.waiting)
	if s.last != nil {
		if r.open == nil {
			r.open = make([]int32, 2*s.width)
		}
		clear(r.open)
	}
	r.waits, r.ahead = 0, 0
	return r
}

func (r *segmentRun) reach(n int32, at int) {
	r.next[n], r.reached[at] = r.reached[at], n
	r.ahead++
}

// wait puts a node into the list of those that wait for a literal.
func (r *segmentRun) wait(s *segments, n, literal int32) {
	if r.waiting[literal] == 0 && s.last != nil {
		v := s.last[literal] + 1
		for k := s.width + literal; k > 0 && r.open[k] < v; k /= 2 {
			r.open[k] = v
		}
	}
	r.next[n], r.waiting[literal] = r.waiting[literal], n
	r.waits++
}

// unmark says that nothing waits for a literal any more.
func (r *segmentRun) unmark(s *segments, literal int32) {
	if s.last == nil {
		return
	}
	k := s.width + literal
	r.open[k] = 0
	for k /= 2; k > 0; k /= 2 {
		v := max(r.open[2*k], r.open[2*k+1])
		if r.open[k] == v {
			return
		}
		r.open[k] = v
	}
}

// nearest returns the longest of literal and its prefixes that something waits
// for, or -1. The literals that begin with one lie behind it without a gap: so
// it is the last entry, not after literal, whose own last is not before it.
func (r *segmentRun) nearest(s *segments, literal int32) int32 {
	if s.last == nil {
		for literal >= 0 && r.waiting[literal] == 0 {
			literal = s.literals[literal].parent
		}
		return literal
	}
	if literal < 0 || r.waiting[literal] != 0 {
		return literal
	}
	for k := s.width + literal; k > 1; k /= 2 {
		if k%2 == 0 || r.open[k-1] <= literal {
			continue
		}
		for k--; k < s.width; {
			if k = 2*k + 1; r.open[k] <= literal {
				k--
			}
		}
		return k - s.width
	}
	return -1
}
