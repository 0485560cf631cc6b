package robots

import (
	"fmt"
	"strings"
)

// MaxShadowPairs bounds how many pairs of rules are compared to find those that
// never decide, in one file (house choice: below a second).
const MaxShadowPairs = 20_000_000

// language is a pattern as a set of paths.
type language struct {
	pattern        // without the stars at its end
	whole   string // the pattern with a star at its end unless anchored
	head    string // what all its paths begin with
}

// languageOf returns the set of an escaped pattern that begins with / or *.
func languageOf(p string) language {
	text, anchored := strings.CutSuffix(p, "$")
	if anchored && strings.HasSuffix(text, "*") {
		anchored = false
	}
	if !anchored {
		text = strings.TrimRight(text, "*")
	}
	l := language{pattern: pattern{text, anchored}, whole: text}
	if !anchored {
		l.whole += "*"
	}
	l.head, _, _ = strings.Cut(text, "*")
	return l
}

// covers reports that every path of m is one of l. It may be false although
// that is so, never true when it is not: m's own stars are taken for a
// character that only a star of l can stand for, so that a match holds
// whatever they stand for.
func (l *language) covers(m *language) bool {
	if !strings.HasPrefix(m.head, l.head) {
		return false
	}
	if strings.IndexByte(l.text, '*') < 0 {
		// A literal has no star to stand for those of m.
		return !l.anchored || l.whole == m.whole
	}
	return l.match(m.whole)
}

// apart reports that no path is in both. It may be false although that is so.
func (l *language) apart(m *language) bool {
	n := common(l.head, m.head)
	if n < len(l.head) && n < len(m.head) {
		return true
	}
	for _, x := range [...][2]*language{{l, m}, {m, l}} {
		if a, b := x[0], x[1]; a.anchored && len(a.head) == len(a.text) {
			return !b.match(a.text) // a is one path
		}
	}
	return l.anchored && m.anchored && !sameEnd(lastPart(l.text), lastPart(m.text))
}

// match is pattern.match for patterns without a star too.
func (l *language) match(s string) bool {
	if strings.IndexByte(l.text, '*') >= 0 {
		return l.pattern.match(s)
	}
	return s == l.text || !l.anchored && strings.HasPrefix(s, l.text)
}

func lastPart(s string) string { return s[strings.LastIndexByte(s, '*')+1:] }

func sameEnd(a, b string) bool { return strings.HasSuffix(a, b) || strings.HasSuffix(b, a) }

// ranked is a rule of a merged group; a list of them is in order of rank.
type ranked struct {
	*groupRule
	language
	double bool // one of the two patterns of an allow rule for an index page
	dead   bool
}

// rankedOf returns the rules of a compiled group.
func rankedOf(set *ruleset) []ranked {
	list := make([]ranked, len(set.rules))
	for i := range set.rules {
		r := &set.rules[i]
		list[i] = ranked{groupRule: r, language: languageOf(r.pattern)}
		_, index := indexDirectory(*r)
		list[i].double = index || r.pattern != escape(r.value())
	}
	return list
}

// fate is why a rule never changes a verdict; the zero fate is that it may.
type fate struct {
	kind string
	by   *groupRule // nil = nothing of the other verdict could apply
}

// checkShadows reports rules that never decide, whichever of the tokens of
// their group asks.
func (l *linter) checkShadows() {
	fates := make(map[int32]fate) // by line
	pairs, left := 0, 0
	for _, set := range l.sets() {
		list := rankedOf(set)
		n := len(list) * len(list)
		if pairs+n > MaxShadowPairs {
			left += len(list)
			for i := range list {
				fates[list[i].line] = fate{}
			}
			continue
		}
		pairs += n
		for i, f := range fatesOf(list) {
			line := list[i].line
			if old, ok := fates[line]; ok && old.kind != f.kind {
				f = fate{}
			}
			fates[line] = f
		}
	}
	for i := range l.rules.rules {
		r := &l.rules.rules[i]
		if f := fates[r.line]; f.kind != "" {
			l.reportFate(r, f)
		}
	}
	if left > 0 {
		l.add(Issue{Kind: KindUnchecked, Detail: fmt.Sprintf("The file has too many rules to compare each with each: whether another always beats them was not checked for %d.", left)})
	}
}

// reportFate says why a rule has no effect.
func (l *linter) reportFate(r *rule, f fate) {
	switch {
	case f.by == nil:
		l.at(r, 0, f.kind, "No disallow rule of the group matches what this one allows, so it changes nothing.")
	case f.kind == KindDead && f.by.pattern == r.pattern:
		l.at(r, 0, f.kind, "It never decides: line %d allows the same pattern, and in a tie allow wins.", f.by.line)
	case f.kind == KindDead:
		l.at(r, 0, f.kind, "It never decides: line %d (%s) matches all that it matches, and its pattern is longer or as long.", f.by.line, shown(f.by.text))
	case f.by.pattern == r.pattern:
		l.at(r, 0, f.kind, "Line %d is the same rule.", f.by.line)
	default:
		l.at(r, 0, f.kind, "Line %d (%s) gives the same verdict for all that it matches.", f.by.line, shown(f.by.text))
	}
}

// sets returns the compiled groups of the file, merged as its tokens have them,
// each once.
func (l *linter) sets() (list []*ruleset) {
	groups := make(map[string][]int32) // by token
	var tokens []string
	for _, a := range l.rules.agents {
		key := strings.ToLower(a.token)
		if groups[key] == nil {
			tokens = append(tokens, a.token)
		}
		if g := groups[key]; len(g) == 0 || g[len(g)-1] != a.group {
			groups[key] = append(g, a.group)
		}
	}
	seen := make(map[string]bool)
	for _, token := range tokens {
		key := fmt.Sprint(groups[strings.ToLower(token)])
		if seen[key] {
			continue
		}
		seen[key] = true
		if len(list) == maxSets {
			l.add(Issue{Kind: KindUnchecked, Detail: fmt.Sprintf("The file has too many groups: what the rules do together was checked for the first %d.", maxSets)})
			break
		}
		list = append(list, l.rules.ruleset(token))
	}
	return list
}

// maxSets bounds how many merged groups are looked at (house choice).
const maxSets = 2000

// fatesOf decides about each rule of a merged group.
//
// A rule never decides if one that goes before it covers it. One that does may
// still be superfluous: if one behind it covers it with the same verdict, and
// none of the other verdict that goes between them has a path in common with
// it; an allow rule also if no disallow rule behind it has. What is superfluous
// may all be removed together: whatever takes a rule's place is never dead, and
// stands behind it.
func fatesOf(list []ranked) []fate {
	fates := make([]fate, len(list))
	for i := range list {
		for j := range i {
			if !list[i].double && list[j].covers(&list[i].language) {
				list[i].dead = true
				fates[i] = fate{KindDead, list[j].groupRule}
				if list[j].allow == list[i].allow {
					fates[i].kind = KindRedundant
				}
				break
			}
		}
	}
	for i := range list {
		if r := &list[i]; !r.dead && !r.double {
			fates[i] = superfluous(r, list[i+1:])
		}
	}
	return fates
}

// superfluous decides about a rule by those that go behind it.
func superfluous(r *ranked, behind []ranked) fate {
	for i := range behind {
		switch s := &behind[i]; {
		case s.allow != r.allow:
			if !s.apart(&r.language) {
				return fate{}
			}
		case !s.dead && s.covers(&r.language):
			return fate{KindRedundant, s.groupRule}
		}
	}
	if r.allow {
		return fate{kind: KindRedundant}
	}
	return fate{}
}
