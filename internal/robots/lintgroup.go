package robots

import (
	"fmt"
	"slices"
	"strings"

	"trawl/internal/weburl"
)

// checkGroups looks at which user-agent lines share rules.
func (l *linter) checkGroups() {
	agents := l.rules.agents
	first := make(map[string]agentLine) // by token: its first line in the last group that names it
	for i, a := range agents {
		if i > 0 && agents[i-1].group == a.group {
			l.checkJoined(agents[i-1], a)
		}
		key := strings.ToLower(a.token)
		switch before, ok := first[key]; {
		case ok && before.group == a.group:
			l.add(Issue{Line: int(a.line), Kind: KindNamedTwice, Detail: fmt.Sprintf("Line %d names %s for the same group already.", before.line, a.token)})
			continue
		case ok:
			l.add(Issue{Line: int(a.line), Kind: KindDuplicate, Detail: fmt.Sprintf("%s has a group at line %d too. Both are merged, and their order does not count.", a.token, before.line)})
		}
		first[key] = a
	}
	l.checkLastGroup()
}

// checkJoined reports two user-agent lines that look as if each began a group
// of its own, while only a rule ends a run of them.
func (l *linter) checkJoined(a, b agentLine) {
	between := ""
	for n := a.line + 1; n < b.line; n++ {
		line := l.lines[n-1]
		_, _, text, _ := splitLine(line)
		if text != "" {
			between = fmt.Sprintf("line %d is none", n)
			break
		}
		if trimLeft(line) == "" {
			between = "a blank line is none"
		}
	}
	if between == "" {
		return
	}
	i := Issue{
		Line: int(b.line), Kind: KindJoined,
		Detail: fmt.Sprintf("%s and %s of line %d share the rules below: only an allow or disallow line ends a run of user-agent lines, and %s.", b.token, a.token, a.line, between),
	}
	if strings.HasPrefix(between, "a blank") {
		i.Severity = SeverityNote
	}
	l.add(i)
}

// checkLastGroup reports a group without rules; only the last can be one.
func (l *linter) checkLastGroup() {
	if len(l.rules.groups) == 0 {
		return
	}
	last := int32(len(l.rules.groups) - 1)
	if g := l.rules.groups[last]; g.from < g.to {
		return
	}
	for i, a := range l.rules.agents {
		if a.group != last || i > 0 && l.rules.agents[i-1].group == last {
			continue
		}
		what := "everything is allowed"
		if a.token != "*" && slices.ContainsFunc(l.rules.agents, func(b agentLine) bool { return b.token == "*" && b.group != last }) {
			what = "everything is allowed, and the group of * does not apply to it"
		}
		if slices.ContainsFunc(l.rules.agents, func(b agentLine) bool { return strings.EqualFold(a.token, b.token) && b.group != last }) {
			what = "it changes nothing, as another group names it too"
		}
		l.add(Issue{Line: int(a.line), Kind: KindNoRules, Detail: fmt.Sprintf("The group of %s has no rules: %s.", a.token, what)})
	}
}

// checkTokens looks at the names on user-agent lines.
func (l *linter) checkTokens() {
	told := make(map[string]bool)
	for _, a := range l.rules.agents {
		_, value, text, _ := splitLine(l.lines[a.line-1])
		column := strings.Index(l.lines[a.line-1], text) + len(text) - len(value) + 1
		if rest := value[len(a.token):]; rest != "" {
			l.add(Issue{
				Line: int(a.line), Column: column + len(a.token), Kind: KindTokenRest,
				Detail: fmt.Sprintf("Only %s counts; %q is ignored.", a.token, shown(rest)),
			})
		}
		key := strings.ToLower(a.token)
		if len(l.context.Tokens) == 0 || a.token == "*" || told[key] || slices.ContainsFunc(l.context.Tokens, func(t string) bool { return strings.EqualFold(t, a.token) }) {
			continue
		}
		if len(told) >= MaxIssues {
			l.more++ // each costs a comparison with all tokens
			continue
		}
		told[key] = true
		i := Issue{Line: int(a.line), Column: column, Kind: KindTokenUnknown, Detail: fmt.Sprintf("No crawler of the catalogue calls itself %s; its group counts for others that do.", shown(a.token))}
		if near := nearest(a.token, l.context.Tokens); near != "" {
			i.Kind, i.Detail = KindTokenTypo, fmt.Sprintf("No crawler of the catalogue calls itself %s, so this group applies to none of them.", shown(a.token))
			i.Advice = fmt.Sprintf("If %s is meant, write that.", near)
		}
		l.add(i)
	}
}

// checkSitemaps compares sitemap lines with each other and with the file.
func (l *linter) checkSitemaps() {
	seen := make(map[string]int)
	for _, s := range l.rules.sitemaps {
		i := Issue{Line: s.Line}
		if at := strings.Index(l.lines[s.Line-1], s.URL); at >= 0 {
			i.Column = at + 1
		}
		u, err := weburl.Parse(s.URL)
		if err != nil {
			i.Kind, i.Detail = KindSitemap, fmt.Sprintf("The address of the sitemap cannot be used: %v.", err)
			l.add(i)
			continue
		}
		if line, ok := seen[string(u)]; ok {
			i.Kind, i.Detail = KindSitemapTwice, fmt.Sprintf("Line %d names the same sitemap.", line)
			l.add(i)
			continue
		}
		seen[string(u)] = s.Line
		own := l.context.URL
		switch {
		case own == "" || u.Origin() == own.Origin():
			continue
		case u.Host() == own.Host():
			i.Detail = fmt.Sprintf("The sitemap is at %s, while this file is about %s. It is read; the URLs in it should be those that are to be found.", u.Origin(), own.Origin())
		default:
			i.Detail = fmt.Sprintf("The sitemap is on another host, %s. That is allowed, and lets it list URLs of this host.", u.Host())
		}
		i.Kind = KindSitemapElsewhere
		l.add(i)
	}
}

// nearest returns the one of names that s is most probably a slip of, or "".
func nearest(s string, names []string) string {
	best, name := 3, ""
	for _, n := range names {
		most := 1
		if len(n) > 7 {
			most = 2
		}
		if len(n) < 5 || s == "" || s[0]|0x20 != n[0]|0x20 || max(len(s)-len(n), len(n)-len(s)) > most {
			continue
		}
		if d := distance(strings.ToLower(s), strings.ToLower(n)); d <= most && d < best {
			best, name = d, n
		}
	}
	return name
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that lead from a to b.
func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
