package robots

import (
	"strings"
	"sync"
)

// wildcards are patterns with a star that is not at the end, in order of rank.
// A hostile file has tens of thousands, so almost all must be dismissed without
// being tried: that is what a gate is for. The gates lie together, apart from
// the patterns. Where a file is made so that many gates let a path through,
// the patterns are matched all at once instead of one by one.
type wildcards struct {
	gates    []gate
	patterns []pattern
	once     sync.Once
	all      *segments // made when first needed, see together
}

// All patterns are matched at once if there are more than fewPatterns and
// fewToTry of them were tried one by one. Ordinary files never come so far.
// Measured.
const (
	fewToTry    = 32
	fewPatterns = 1500
)

// together returns all patterns in the form that matches them at once. Most
// files never need it, so it is made only when one does.
func (w *wildcards) together() *segments {
	w.once.Do(func() { w.all = newSegments(w.patterns, func(i int) int32 { return w.gates[i].rank }) })
	return w.all
}

// gate holds what a path must have for a pattern to be worth trying. Each
// condition is necessary, none sufficient.
type gate struct {
	head    uint64    // the first bytes of the pattern, before the first star
	bytes   [2]uint64 // set of its bytes; all are ASCII
	pairs   [4]uint64 // set of its neighbouring bytes, hashed
	rank    int32
	minLen  uint16 // length without stars; a line has at most 16,663 bytes, escaped 49,989
	headLen uint8
	slashes uint8 // up to 255
}

// pattern is text with stars; anchored means that it ends in "$", which is not
// part of text.
type pattern struct {
	text     string
	anchored bool
}

// headMask has a mask for each length of a head.
var headMask = [9]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

func (w *wildcards) len() int { return len(w.gates) }

func (w *wildcards) add(text string, anchored bool, rank int32) {
	g := gate{rank: rank, headLen: uint8(min(8, strings.IndexByte(text, '*')))}
	g.head = head(text) & headMask[g.headLen]
	slashes := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '*' {
			continue
		}
		g.minLen++
		if c == '/' {
			slashes++
		}
		g.bytes[c>>6&1] |= 1 << (c & 63)
		if i+1 < len(text) && text[i+1] != '*' {
			h := pair(c, text[i+1])
			g.pairs[h>>6] |= 1 << (h & 63)
		}
	}
	g.slashes = uint8(min(slashes, 255))
	w.gates = append(w.gates, g)
	w.patterns = append(w.patterns, pattern{text, anchored})
}

// head returns the first eight bytes of s, zero-padded, the first in the
// lowest bits.
func head(s string) uint64 {
	if len(s) >= 8 {
		return load8(s)
	}
	var h uint64
	for i := 0; i < len(s); i++ {
		h |= uint64(s[i]) << (8 * i)
	}
	return h
}

// pair hashes two neighbouring bytes to eight bits.
func pair(a, b byte) uint8 { return a*37 + b }

// Numbers of patterns up to which collecting the bytes, or the pairs, of a path
// costs more than it saves. Measured.
const (
	fewForBytes = 4
	fewForPairs = 64
)

// features are what gates ask a path for.
type features struct {
	head    uint64
	bytes   [2]uint64
	pairs   [4]uint64
	length  int
	slashes int
}

// featuresOf returns the features of path that are worth collecting for n
// patterns; the others are such that every gate admits them.
func featuresOf(path string, n int) features {
	const all = ^uint64(0)
	f := features{head: head(path), length: len(path), slashes: 255, bytes: [2]uint64{all, all}, pairs: [4]uint64{all, all, all, all}}
	if n > fewForBytes {
		f.bytes = bytesOf(path)
	}
	if n > fewForPairs {
		f.pairs, f.slashes = pairsOf(path), strings.Count(path, "/")
	}
	return f
}

// admits reports whether a path with these features may match.
func (g *gate) admits(f *features) bool {
	if (f.head^g.head)&headMask[g.headLen] != 0 || int(g.minLen) > f.length || int(g.slashes) > f.slashes {
		return false
	}
	if g.bytes[0]&^f.bytes[0]|g.bytes[1]&^f.bytes[1] != 0 {
		return false
	}
	return g.pairs[0]&^f.pairs[0]|g.pairs[1]&^f.pairs[1]|g.pairs[2]&^f.pairs[2]|g.pairs[3]&^f.pairs[3] == 0
}

// match returns the lowest rank below limit that matches path, or noRank.
func (w *wildcards) match(path string, limit int32) int32 {
	f := featuresOf(path, len(w.gates))
	tried := 0
	for i := range w.gates {
		g := &w.gates[i]
		if g.rank >= limit {
			break
		}
		if !g.admits(&f) {
			continue
		}
		if tried++; tried > fewToTry && len(w.gates) > fewPatterns {
			return w.together().match(path, limit)
		}
		if w.patterns[i].match(path) {
			return g.rank
		}
	}
	return noRank
}

// bytesOf returns the set of the bytes of path.
func bytesOf(path string) [2]uint64 {
	var lo, hi uint64
	for i := 0; i < len(path); i++ {
		bit := uint64(1) << (path[i] & 63)
		up := -uint64(path[i] >> 6 & 1)
		lo |= bit &^ up
		hi |= bit & up
	}
	return [2]uint64{lo, hi}
}

// pairsOf returns the set of the neighbouring bytes of path, hashed.
func pairsOf(path string) (set [4]uint64) {
	for i := 1; i < len(path); i++ {
		h := pair(path[i-1], path[i])
		set[h>>6] |= 1 << (h & 63)
	}
	return set
}

// match reports whether the pattern matches s. The leftmost place for each
// part between two stars is as good as any other, so nothing is ever tried
// twice: the cost is at most the length of s and of the pattern.
func (p pattern) match(s string) bool {
	first, rest, _ := strings.Cut(p.text, "*")
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		star := strings.IndexByte(rest, '*')
		if star < 0 {
			break
		}
		i := strings.Index(s, rest[:star])
		if i < 0 {
			return false
		}
		s, rest = s[i+star:], rest[star+1:]
	}
	if p.anchored {
		return strings.HasSuffix(s, rest)
	}
	return strings.Contains(s, rest)
}
