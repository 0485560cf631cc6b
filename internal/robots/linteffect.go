package robots

import (
	"slices"
	"strings"
)

// checkEffects looks at what the rules of a group do together to a few paths
// that matter: the whole site, and what pages need to be shown.
func (l *linter) checkEffects() {
	told := make(map[int32]bool) // by line of the rule
	for _, set := range l.sets() {
		for i := range set.rules {
			r := &set.rules[i]
			if r.allow || told[r.line] {
				continue
			}
			lang := languageOf(r.pattern)
			if strings.Trim(lang.text, "*") == "" || lang.text == "/" || lang.text == "/*" {
				if lang.anchored {
					continue // the homepage only
				}
				told[r.line] = true
				what := "everything is forbidden to " + namesOf(l, set)
				if slices.ContainsFunc(set.rules[:i], func(x groupRule) bool { return x.allow }) {
					what += ", but for what longer allow rules permit"
				}
				l.at(&r.rule, 0, KindDisallowAll, "With this rule %s.", what)
				continue
			}
			if path := resourceOf(lang); path != "" {
				if rank := set.match(escape(path)); rank != noRank && set.rules[rank].line == r.line {
					told[r.line] = true
					l.at(&r.rule, 0, KindBlocksResources, "It forbids scripts or styles such as %s. Pages are rendered with what robots.txt lets be fetched, and may be judged without their layout or content.", shown(path))
				}
			}
		}
	}
}

// namesOf returns what the groups of a set are for.
func namesOf(l *linter, set *ruleset) string {
	if set.token == "*" {
		return "every crawler without a group of its own"
	}
	var names []string
	for _, a := range l.rules.agents {
		if a.line < set.line || a.group != l.groupAt(set.line) {
			continue
		}
		if len(names) == 3 {
			names = append(names, "others")
			break
		}
		names = append(names, shown(a.token))
	}
	return strings.Join(names, ", ")
}

// groupAt returns the group of the user-agent line at line.
func (l *linter) groupAt(line int32) int32 {
	i, _ := slices.BinarySearchFunc(l.rules.agents, line, func(a agentLine, line int32) int { return int(a.line - line) })
	return l.rules.agents[i].group
}

// resourceDirectories are names of directories that hold what pages need
// (house choice: those that widespread content systems and build tools use).
var resourceDirectories = []string{"css", "js", "javascript", "scripts", "styles", "stylesheets", "wp-includes", "_next", "_nuxt"}

// resourceOf returns a script or style that the pattern matches by its name:
// one that ends in .css, .js or .mjs, or lies in a directory for them. "" if
// there is none.
func resourceOf(l language) string {
	path := strings.ReplaceAll(l.text, "*", "")
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	file, _, _ := strings.Cut(path, "?")
	for _, ending := range [...]string{".css", ".js", ".mjs"} {
		if strings.HasSuffix(file, ending) {
			return path
		}
	}
	if l.anchored || strings.IndexByte(path, '?') >= 0 || !strings.HasSuffix(path, "/") {
		return ""
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for _, name := range resourceDirectories {
		if strings.EqualFold(segments[len(segments)-1], name) {
			if strings.Contains(name, "css") || strings.Contains(name, "style") {
				return path + "main.css"
			}
			return path + "main.js"
		}
	}
	return ""
}
