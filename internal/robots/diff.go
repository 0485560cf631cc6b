package robots

import (
	"slices"
	"strings"
)

// Difference is what two robots.txt files say differently, as they are obeyed:
// groups merged, the order and repetition of rules left aside, as neither
// changes a verdict. Comments and lines that are ignored do not count.
type Difference struct {
	Groups          []GroupChange // by token
	SitemapsAdded   []Sitemap
	SitemapsRemoved []Sitemap
}

// Empty reports that nothing differs.
func (d *Difference) Empty() bool {
	return len(d.Groups) == 0 && len(d.SitemapsAdded) == 0 && len(d.SitemapsRemoved) == 0
}

// GroupChange is the difference for one product token that a file names.
type GroupChange struct {
	Token   string // as the file spells it; "*" for all others
	OldLine int    // its first user-agent line; 0 = the old file has no such group
	NewLine int    // 0 = the new file has none
	Added   []RuleLine
	Removed []RuleLine
}

// RuleLine is a rule as a file has it.
type RuleLine struct {
	Line int
	Text string // without comment, valid UTF-8, at most MaxText bytes
}

// Diff compares two files.
func Diff(old, new *Rules) Difference {
	before, after := old.effective(), new.effective()
	var d Difference
	var tokens []string
	for key := range before {
		tokens = append(tokens, key)
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			tokens = append(tokens, key)
		}
	}
	slices.Sort(tokens)
	for _, key := range tokens {
		b, a := before[key], after[key]
		c := GroupChange{Token: a.token, OldLine: b.line, NewLine: a.line}
		if c.Token == "" {
			c.Token = b.token
		}
		c.Removed, c.Added = b.without(a), a.without(b)
		if c.OldLine == 0 || c.NewLine == 0 || len(c.Added) > 0 || len(c.Removed) > 0 {
			d.Groups = append(d.Groups, c)
		}
	}
	d.SitemapsAdded, d.SitemapsRemoved = missingIn(new.sitemaps, old.sitemaps), missingIn(old.sitemaps, new.sitemaps)
	return d
}

// effect is what a file says to one token.
type effect struct {
	token string
	line  int
	rules []rule
}

// effective returns what the file says to each token, in lower case.
func (r *Rules) effective() map[string]effect {
	all := make(map[string]effect)
	last := make(map[string]int32)
	for _, a := range r.agents {
		key := strings.ToLower(a.token)
		e, ok := all[key]
		if !ok {
			e = effect{token: a.token, line: int(a.line)}
		} else if last[key] == a.group {
			continue
		}
		last[key] = a.group
		g := r.groups[a.group]
		if e.rules == nil {
			e.rules = r.rules[g.from:g.to:g.to]
		} else {
			e.rules = append(e.rules, r.rules[g.from:g.to]...)
		}
		all[key] = e
	}
	return all
}

// without returns the rules that other does not have, each once. Rules that
// match nothing are left out.
func (e effect) without(other effect) (list []RuleLine) {
	type same struct {
		pattern string
		allow   bool
	}
	has := make(map[same]bool, len(other.rules))
	for _, r := range other.rules {
		has[same{r.pattern, r.allow}] = true
	}
	for _, r := range e.rules {
		k := same{r.pattern, r.allow}
		if has[k] || r.pattern == "" || r.pattern[0] != '/' && r.pattern[0] != '*' {
			continue
		}
		has[k] = true
		list = append(list, RuleLine{int(r.line), printable(r.text)})
	}
	return list
}

func missingIn(list, other []Sitemap) (missing []Sitemap) {
	has := make(map[string]bool)
	for _, s := range other {
		has[s.URL] = true
	}
	for _, s := range list {
		if !has[s.URL] {
			has[s.URL] = true
			missing = append(missing, s)
		}
	}
	return missing
}
