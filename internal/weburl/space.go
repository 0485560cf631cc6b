package weburl

import (
	"cmp"
	"slices"
	"strings"

	"trawl/internal/crawl"
)

// The limits of a [Space]. All are house choices.
const (
	SpaceQueries = 1000  // distinct queries of one path that are taken, if their pages say nothing new
	SpacePaths   = 256   // paths with queries that are remembered
	SpaceEntries = 20000 // queries remembered in all: about 1 MB
	SpaceRoots   = 64    // first path segments whose depths are remembered
	NarrowFrom   = 16    // depth from which a narrow path is a trap
	NarrowLevels = 12    // levels above it, its own among them, that are narrow
	NarrowWidth  = 3     // distinct paths that a narrow level has at most
)

// Space recognises the traps of one hostname that show only in many URLs
// together (D3): a path with ever more queries, the same parameters in ever
// other orders, and a path that goes ever deeper without going wider. It is
// told of URLs as they are discovered, and remembers those it let pass. What
// only the pages themselves give away, it learns from them ([Space.Learn]).
//
// It is bounded in memory, deterministic in the order of its URLs, and of the
// owner of the hostname alone. It is no durable state: after a restart it
// starts anew and lets at most the same number of URLs pass again. When it
// forgets for want of room, it forgets the smallest first; a path that was
// pruned stays so as long as possible. The zero value is ready.
type Space struct {
	queries map[uint64]*queries
	entries int
	born    uint64
	levels  map[uint64]*levels
	groups  map[uint64]*group
}

// queries are what is remembered of one path.
type queries struct {
	path uint64
	born uint64            // order of arrival
	seen map[uint64]uint64 // parameters without order → the query as it was first seen
	full bool              // pruned; seen may be gone
}

// levels hold, per depth, up to NarrowWidth+1 distinct paths that were let
// pass, and whether one was not.
type levels struct {
	paths  [TrapDepth + 1][NarrowWidth + 1]uint64
	pruned [TrapDepth + 1]bool
}

// Observe reports whether u, newly discovered, is in a trap, by itself ([Trap])
// or with those observed before. All URLs must be of one hostname.
func (s *Space) Observe(u crawl.URL) (pattern, reason string, trapped bool) {
	if pattern, reason, trapped = Trap(u); trapped {
		return pattern, reason, true
	}
	p := split(u)
	if p.path == "" {
		return "", "", false
	}
	if pattern, reason, trapped = s.observeGroup(&p); trapped {
		return pattern, reason, true
	}
	if pattern, reason, trapped = s.observeDepth(&p); trapped {
		return pattern, reason, true
	}
	if p.query == "" {
		return "", "", false
	}
	return s.observeQuery(&p)
}

func (s *Space) observeQuery(p *parts) (pattern, reason string, trapped bool) {
	q := s.queriesOf(hash(p.path))
	set, asSeen := hashUnordered(p.query), hash(p.query)
	first, known := q.seen[set]
	switch {
	case known && first == asSeen:
		return "", "", false
	case known:
		return bound(p.host + p.path + "?" + sortedNames(p.query) + " (any order)"),
			"The same parameters occur in another order; the first order seen is crawled.", true
	case len(q.seen) >= SpaceQueries && s.tellsNews(p):
		return "", "", false // a forum of ten thousand threads is no trap
	case q.full || len(q.seen) >= SpaceQueries:
		q.full = true
		return bound(p.host + p.path + "?*"), "The path has more than 1000 different queries, and their pages say little that is new.", true
	}
	if s.entries >= SpaceEntries {
		s.forget(q)
	}
	q.seen[set] = asSeen
	s.entries++
	return "", "", false
}

func (s *Space) queriesOf(path uint64) *queries {
	if q := s.queries[path]; q != nil {
		return q
	}
	if s.queries == nil {
		s.queries = make(map[uint64]*queries)
	}
	if len(s.queries) >= SpacePaths {
		s.forget(nil)
	}
	s.born++
	q := &queries{path: path, born: s.born, seen: make(map[uint64]uint64)}
	s.queries[path] = q
	return q
}

// forget makes room: first the sets of pruned paths, then the paths with the
// fewest queries, until half of all limits is free. It leaves keep alone.
func (s *Space) forget(keep *queries) {
	all := make([]*queries, 0, len(s.queries))
	for _, q := range s.queries {
		if q.full && q != keep {
			s.entries -= len(q.seen)
			q.seen = nil
		}
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b *queries) int {
		if a.full != b.full {
			if b.full {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(len(a.seen), len(b.seen)), cmp.Compare(a.born, b.born))
	})
	for _, q := range all {
		roomy := s.entries <= SpaceEntries/2 && len(s.queries) <= SpacePaths/2
		if roomy || q.full && len(s.queries) < SpacePaths {
			return
		}
		if q == keep {
			continue
		}
		s.entries -= len(q.seen)
		delete(s.queries, q.path)
	}
}

func (s *Space) observeDepth(p *parts) (pattern, reason string, trapped bool) {
	depth := strings.Count(strings.TrimSuffix(p.path, "/"), "/")
	if depth <= NarrowFrom-NarrowLevels || depth > TrapDepth {
		return "", "", false
	}
	root, _, _ := strings.Cut(p.path[1:], "/")
	key := hash(root)
	l := s.levels[key]
	if l == nil {
		if len(s.levels) >= SpaceRoots {
			return "", "", false // the stateless limit of depth still holds
		}
		if s.levels == nil {
			s.levels = make(map[uint64]*levels)
		}
		l = new(levels)
		s.levels[key] = l
	}
	if l.narrow(depth, hash(p.path)) {
		return bound(p.host + "/" + root + "/…/*"), "The path goes ever deeper without going wider.", true
	}
	return "", "", false
}

// narrow adds path to its level, unless that makes it a trap.
func (l *levels) narrow(depth int, path uint64) bool {
	level := &l.paths[depth]
	i := 0
	for i < len(level) && level[i] != 0 {
		if level[i] == path {
			return false // let pass before
		}
		i++
	}
	if i == len(level) {
		return false // wide
	}
	if depth >= NarrowFrom && i < NarrowWidth {
		n := 1
		for n < NarrowLevels && l.isNarrow(depth-n) {
			n++
		}
		if n == NarrowLevels {
			l.pruned[depth] = true
			return true
		}
	}
	level[i] = path
	return false
}

func (l *levels) isNarrow(depth int) bool {
	return l.pruned[depth] || l.paths[depth][0] != 0 && l.paths[depth][NarrowWidth] == 0
}

// hash is FNV-1a, never 0. It is not stored.
func hash(s string) uint64 {
	x := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		x = (x ^ uint64(s[i])) * 1099511628211
	}
	return max(x, 1)
}

// hashUnordered is the same for the same parameters in any order.
func hashUnordered(query string) uint64 {
	sum := uint64(0)
	for param := range strings.SplitSeq(query, "&") {
		x := hash(param)
		x ^= x >> 29
		x *= 0xbf58476d1ce4e5b9
		x ^= x >> 32
		sum += x
	}
	return sum
}

// sortedNames returns the names of a query's parameters in order, as a pattern.
func sortedNames(query string) string {
	var names []string
	for param := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(param, "=")
		names = append(names, name+"=*")
	}
	slices.Sort(names)
	return strings.Join(names, "&")
}
