package robots

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// ruleset is a compiled group. Rules have a rank: 0 is the one that beats all
// others, that is the longest pattern, among equals allow, among equals the
// first in the file (C2). The decision for a path is the lowest rank that
// matches. Three structures find it:
//
//   - prefixes holds patterns without a wildcard in a sorted array, from which
//     one binary search gives all that match;
//   - exact holds patterns without a wildcard that end in "$";
//   - wild holds the rest, in order of rank, and is searched only up to the
//     rank that the other two gave.
type ruleset struct {
	token    string
	line     int32
	rules    []groupRule // by rank
	prefixes []prefix
	exact    map[string]int32
	wild     wildcards
}

// groupRule is a rule and the user-agent line under which it counts.
type groupRule struct {
	rule
	groupLine int32
}

// noRank is worse than every rank: no rule matches.
const noRank = 1<<31 - 1

// compile builds a ruleset. It takes time in proportion to the rules' text,
// times the logarithm of their number.
func compile(in []groupRule) *ruleset {
	s := &ruleset{rules: make([]groupRule, 0, len(in))}
	for _, r := range in {
		// An empty pattern, or one that no path can begin with, never decides.
		if r.pattern == "" || r.pattern[0] != '/' && r.pattern[0] != '*' {
			continue
		}
		s.rules = append(s.rules, r)
		if dir, ok := indexDirectory(r); ok {
			s.rules = append(s.rules, dir)
		}
	}
	s.sort()
	for i := range s.rules {
		s.add(s.rules[i].pattern, int32(i))
	}
	s.prefixes = linkPrefixes(s.prefixes)
	return s
}

// sort puts the rules in order of rank. What orders them is packed into one
// number each, as moving whole rules about is slow.
func (s *ruleset) sort() {
	keys := make([]uint64, len(s.rules))
	for i, r := range s.rules {
		k := uint64(1<<16-1-len(r.pattern)) << 33 // a pattern has less than 1<<16 bytes
		if !r.allow {
			k |= 1 << 32
		}
		keys[i] = k | uint64(i) // rules come in the order of the file
	}
	slices.Sort(keys)
	sorted := make([]groupRule, len(keys))
	for i, k := range keys {
		sorted[i] = s.rules[uint32(k)]
	}
	s.rules = sorted
}

// indexDirectory returns the second rule that an allow rule for an index.htm
// or index.html stands for: the directory itself, and only that. Google's
// parser tries it when the rule as written does not match; as it is always the
// shorter of the two, it may as well always be there.
func indexDirectory(r groupRule) (groupRule, bool) {
	slash := strings.LastIndexByte(r.pattern, '/')
	if !r.allow || slash < 0 || !strings.HasPrefix(r.pattern[slash:], "/index.htm") {
		return groupRule{}, false
	}
	r.pattern = r.pattern[:slash+1] + "$"
	return r, true
}

// add files a pattern under its structure. Stars at the end change nothing but
// the length, which the rank already holds; "*$" is a star at the end.
func (s *ruleset) add(pattern string, rank int32) {
	text, anchored := strings.CutSuffix(pattern, "$")
	if anchored && strings.HasSuffix(text, "*") {
		anchored = false
	}
	if !anchored {
		text = strings.TrimRight(text, "*")
	}
	switch {
	case strings.IndexByte(text, '*') >= 0:
		s.wild.add(text, anchored, rank)
	case !anchored:
		s.prefixes = append(s.prefixes, prefix{text: text, best: rank})
	default:
		if s.exact == nil {
			s.exact = make(map[string]int32)
		}
		if _, ok := s.exact[text]; !ok {
			s.exact[text] = rank
		}
	}
}

// match returns the rank of the rule that decides about path, which is escaped
// and begins with a slash; noRank if none matches.
func (s *ruleset) match(path string) int32 {
	best := s.longest(path)
	if s.exact != nil {
		if rank, ok := s.exact[path]; ok {
			best = min(best, rank)
		}
	}
	if s.wild.len() > 0 {
		best = min(best, s.wild.match(path, best))
	}
	return best
}

// prefix is a pattern that matches what it is a prefix of.
type prefix struct {
	text   string
	parent int32 // the longest other entry that is a prefix of this one; -1 = none
	best   int32 // best rank of this entry and all its parents
}

// linkPrefixes sorts the entries, leaves one for each text, and links them.
func linkPrefixes(in []prefix) []prefix {
	slices.SortFunc(in, func(a, b prefix) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return cmp.Compare(a.best, b.best)
	})
	out := slices.CompactFunc(in, func(a, b prefix) bool { return a.text == b.text })
	parent := int32(-1)
	for i := range out {
		for parent >= 0 && !strings.HasPrefix(out[i].text, out[parent].text) {
			parent = out[parent].parent
		}
		out[i].parent = parent
		if parent >= 0 {
			out[i].best = min(out[i].best, out[parent].best)
		}
		parent = int32(i)
	}
	return slices.Clip(out)
}

// longest returns the best rank among the prefixes of path.
func (s *ruleset) longest(path string) int32 {
	i := deepest(s.prefixes, path)
	if i < 0 {
		return noRank
	}
	return s.prefixes[i].best
}

// common returns how many bytes a and b begin with in common.
func common(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if d := load8(a[i:]) ^ load8(b[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
