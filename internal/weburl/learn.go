package weburl

import (
	"cmp"
	"slices"

	"trawl/internal/crawl"
)

// The limits of what a [Space] learns from pages. All are house choices.
const (
	LearnGroups = 64   // groups remembered; the least suspicious makes room
	LearnRuns   = 2048 // distinct runs of a group; one that says more is a real section
	LearnRow    = 6    // pages in a row that say nothing new, for a trap of combinations
	LearnRandom = 3    // the same, if a parameter looks like a session id
	LearnSteps  = 5    // links in a row that lead from page to such page, for a counter
	LearnNews   = 32   // pages with something new that make a section a real one, whatever its size
	LearnFirst  = 4    // pages with something new after which only one in LearnSample is looked at
	LearnSample = 8    // while none says nothing new: telling what a page says costs as much as reading it
	LearnWidth  = 3    // such pages for each of these steps, at most
	ProbeFirst  = 128  // of the URLs of a pruned group this one passes, and each twice as far
)

const learnReason = "The pages say nothing that others of this pattern had not said, and lead on to more of them."

// group is what is known of the pages of one [Group].
type group struct {
	key      uint64
	born     uint64
	seen     map[uint32]struct{} // runs; nil when there were more than LearnRuns
	news     int                 // pages that said something new
	row      int                 // pages since the last that said something new
	low, top int                 // least and greatest link depth of those
	pruned   bool
	turned   uint64 // URLs that were turned away since
}

// Learn takes notice of a page that was fetched for the first time: what it
// says, as runs that the reader of pages made (sorted hashes), the links that led to it
// from the start, and how many of its links stay in its own [Group]. It decides
// which groups are pruned (D3):
//
//   - A page is redundant if every run of it was on an earlier page of its
//     group, and it leads on to the group. A page without runs never is, so
//     that error texts and empty shells of applications prune nothing.
//   - Combinations (parameters, several numbers, words of deep paths) are a trap
//     after LearnRow redundant pages in a row.
//   - A counter is one only if the redundant pages hang on each other like
//     beads: LearnSteps links deep, and no more than LearnWidth of them a step. A
//     thousand numbered pages listed side by side are not.
//
// A group that is pruned is asked now and then whether it still says nothing;
// a page with something new opens it again.
func (s *Space) Learn(u crawl.URL, depth int, runs []uint32, inward int) {
	g, ok := GroupOf(u)
	if !ok {
		return
	}
	l := s.groupOf(g.key)
	if l.seen == nil {
		return
	}
	news := 0
	for _, r := range runs {
		if _, known := l.seen[r]; !known {
			l.seen[r] = struct{}{}
			news++
		}
	}
	if len(l.seen) > LearnRuns {
		l.seen, l.pruned, l.row = nil, false, 0
		return
	}
	if news > 0 || len(runs) == 0 || inward == 0 {
		if news > 0 {
			l.news++
			l.pruned, l.turned = false, 0
		}
		l.row = 0
		return
	}
	if l.row == 0 {
		l.low, l.top = depth, depth
	}
	l.row++
	l.low, l.top = min(l.low, depth), max(l.top, depth)
	steps := l.top - l.low + 1
	switch {
	case g.counter:
		l.pruned = l.pruned || steps >= LearnSteps && l.row <= LearnWidth*steps
	case g.random:
		l.pruned = l.pruned || l.row >= LearnRandom
	default:
		l.pruned = l.pruned || l.row >= LearnRow
	}
}

// Watches reports whether [Space.Learn] has a use for what the page at u says:
// not if no endless space has such URLs, nor if its group is a real section.
func (s *Space) Watches(u crawl.URL) bool {
	g, ok := GroupOf(u)
	if !ok {
		return false
	}
	l := s.groups[g.key]
	if l != nil && l.news >= LearnFirst && l.row == 0 && !l.pruned && hash(string(u))%LearnSample != 0 {
		return false
	}
	return l == nil || l.seen != nil
}

// observeGroup reports whether the URL lies in a pruned group, but for probes.
func (s *Space) observeGroup(p *parts) (pattern, reason string, trapped bool) {
	if len(s.groups) == 0 {
		return "", "", false
	}
	g, pattern, ok := p.group()
	if !ok {
		return "", "", false
	}
	l := s.groups[g.key]
	if l == nil || !l.pruned {
		return "", "", false
	}
	l.turned++
	if n := l.turned; n >= ProbeFirst && n&(n-1) == 0 {
		return "", "", false
	}
	return bound(pattern), learnReason, true
}

// tellsNews reports whether the pages of the URL's group were worth reading up
// to now.
func (s *Space) tellsNews(p *parts) bool {
	g, _, ok := p.group()
	if !ok {
		return false
	}
	l := s.groups[g.key]
	return l != nil && (l.seen == nil || l.news >= LearnNews && l.row < LearnRow)
}

func (s *Space) groupOf(key uint64) *group {
	if l := s.groups[key]; l != nil {
		return l
	}
	if s.groups == nil {
		s.groups = make(map[uint64]*group)
	}
	if len(s.groups) >= LearnGroups {
		s.forgetGroups()
	}
	s.born++
	l := &group{key: key, born: s.born, seen: make(map[uint32]struct{})}
	s.groups[key] = l
	return l
}

// forgetGroups drops half of the groups: those that look least like traps, and
// of these the oldest.
func (s *Space) forgetGroups() {
	all := make([]*group, 0, len(s.groups))
	for _, l := range s.groups {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *group) int {
		if a.pruned != b.pruned {
			if b.pruned {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.born, b.born))
	})
	for _, l := range all[:len(all)/2] {
		delete(s.groups, l.key)
	}
}
