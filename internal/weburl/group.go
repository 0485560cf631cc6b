package weburl

import (
	"strings"

	"trawl/internal/crawl"
)

// Group is a set of URLs of one hostname that may be an endless space, as far
// as their shape says: they differ in numbers, in parameters, or in the words
// of a deep path. Most groups are real sections of a site; only what the pages
// say decides (see [Space.Learn]).
type Group struct {
	key     uint64
	counter bool // one number is all that varies
	random  bool // a parameter looks drawn by lot, as session ids are
}

// Same reports whether g and h are the same group.
func (g Group) Same(h Group) bool { return g.key == h.key }

// FacetDepth is the number of segments from which a path without numbers and
// without a file name may be a choice of facets, as in /shop/red/large (house
// choice).
const FacetDepth = 3

// GroupOf returns the group of u. ok is false if the shape of u does not let it
// lie in an endless space.
func GroupOf(u crawl.URL) (g Group, ok bool) {
	p := split(u)
	if p.path == "" {
		return g, false
	}
	g, _, ok = p.group()
	return g, ok
}

// group also returns the pattern that stands for the group.
func (p *parts) group() (g Group, pattern string, ok bool) {
	shape, numbers, last := p.shape()
	switch {
	case p.query != "":
		if numbers == 0 && !strings.Contains(p.query, "&") && isNumberValue(p.query) {
			name, _, _ := strings.Cut(p.query, "=")
			return Group{key: hash(shape + "?" + name), counter: true}, p.host + shape + "?" + name + "=*", true
		}
		return Group{key: hash(shape + "?"), random: isSessionID(p.query)}, p.host + shape + "?*", true
	case numbers > 0:
		return Group{key: hash(shape), counter: numbers == 1}, p.host + shape, true
	case strings.Count(strings.TrimSuffix(p.path, "/"), "/") >= FacetDepth && !strings.Contains(last, "."):
		first, _, _ := strings.Cut(p.path[1:], "/")
		return Group{key: hash("/" + first + "/…")}, p.host + "/" + first + "/…/*", true
	}
	return g, "", false
}

// shape returns the path with a star for each run of digits up to the segment
// after the first such, and for what follows; how many segments hold digits;
// and the last segment that is not empty.
func (p *parts) shape() (shape string, numbers int, last string) {
	var b strings.Builder
	words := 0 // segments after the first with digits that have none
	for seg := range strings.SplitSeq(p.path[1:], "/") {
		if seg != "" {
			last = seg
		}
		if words > 0 || numbers > 0 && seg != "" && !strings.ContainsAny(seg, "0123456789") {
			words++
			continue
		}
		b.WriteByte('/')
		if star(&b, seg) {
			numbers++
		}
	}
	if words > 0 {
		b.WriteString("/…")
	}
	return b.String(), numbers, last
}

// star writes a segment with a star for each run of digits, and reports whether
// there was one.
func star(b *strings.Builder, seg string) (found bool) {
	in := false
	for i := 0; i < len(seg); i++ {
		if !isDecimal(seg[i]) {
			in = false
			b.WriteByte(seg[i])
			continue
		}
		if !in {
			b.WriteByte('*')
		}
		in, found = true, true
	}
	return found
}

// isNumberValue reports whether a parameter's value is a number of at most nine
// digits, with or without a sign: what is longer is no count, but an id or a time.
func isNumberValue(param string) bool {
	_, v, _ := strings.Cut(param, "=")
	if v = strings.TrimLeft(v, "+-"); len(v) > 9 {
		return false
	}
	for i := 0; i < len(v); i++ {
		if !isDecimal(v[i]) {
			return false
		}
	}
	return v != ""
}

// Words returns the words and numbers that u's path and query are made of, in
// lower case: what pages of an endless space repeat of their own address. At
// most 32 are returned.
func Words(u crawl.URL) (words []string) {
	const most = 32
	p := split(u)
	s := strings.ToLower(p.path + "?" + p.query)
	start, kind := 0, byte(0)
	for i := 0; i <= len(s) && len(words) < most; i++ {
		k := byte(0)
		if i < len(s) {
			switch c := s[i]; {
			case isDecimal(c):
				k = '0'
			case 'a' <= c && c <= 'z':
				k = 'a'
			}
		}
		if k != kind {
			if kind != 0 {
				words = append(words, s[start:i])
			}
			start, kind = i, k
		}
	}
	return words
}
