package robots

import "strings"

// Agent is what of a crawler client matters to robots.txt (A1, A3).
type Agent struct {
	// Tokens are the product tokens in order of precedence, most specific
	// first. The first that the file has a group for decides, and no other
	// group counts. A token is made of letters, "-" and "_"; others match
	// nothing.
	Tokens []string
	// IgnoreGlobal is set for special-case crawlers, which obey only groups
	// that name them (A3).
	IgnoreGlobal bool
}

// Verdict is the answer for one URL, with what decided it.
type Verdict struct {
	Allowed   bool
	Line      int    // of the rule that decided; 0 = no rule matched
	Rule      string // that line as written, at most MaxText bytes; "" = none
	Group     string // token of the group obeyed, as the file spells it; "*"; "" = no group applies
	GroupLine int    // its user-agent line; with several, that above the rule
	Row       string // behaviour id
}

// Matcher answers for one file and one agent. It never changes.
type Matcher struct {
	set *ruleset // nil = no group applies
	row string
}

// For returns the matcher of agent. The work of compiling a group is done once
// for a file and kept, so that agents that obey the same group share it.
func (r *Rules) For(agent Agent) *Matcher {
	for _, token := range agent.Tokens {
		if token == "" || token == "*" || productToken(token) != token {
			continue
		}
		if set := r.ruleset(token); set != nil {
			return &Matcher{set: set, row: "C2"}
		}
	}
	if agent.IgnoreGlobal {
		return &Matcher{row: "A3"}
	}
	return &Matcher{set: r.ruleset("*"), row: "C2"}
}

// Check answers for one URL. Callers with many URLs keep the result of
// [Rules.For] instead.
func (r *Rules) Check(agent Agent, pathQuery string) Verdict { return r.For(agent).Check(pathQuery) }

// ruleset returns the compiled rules of all groups that name token, merged
// (C2); nil if there is none.
func (r *Rules) ruleset(token string) *ruleset {
	key := strings.ToLower(token)
	r.mu.Lock()
	defer r.mu.Unlock()
	if set, ok := r.compiled[key]; ok {
		return set
	}
	var named []agentLine
	for _, a := range r.agents {
		// All are ASCII, so folding cannot match anything else.
		if !strings.EqualFold(a.token, token) {
			continue
		}
		if n := len(named); n > 0 && named[n-1].group == a.group {
			continue // named twice in one group
		}
		named = append(named, a)
	}
	if len(named) == 0 {
		return nil // not kept: what is asked for must not make the file grow
	}
	var rules []groupRule
	for _, a := range named {
		g := r.groups[a.group]
		for _, x := range r.rules[g.from:g.to] {
			rules = append(rules, groupRule{x, a.line})
		}
	}
	set := compile(rules)
	set.token, set.line = named[0].token, named[0].line
	if r.compiled == nil {
		r.compiled = make(map[string]*ruleset)
	}
	r.compiled[key] = set
	return set
}

// Check says whether path and query of a URL ("/a?b=c") may be fetched. A
// fragment is ignored, a missing first slash is added, the escapes are
// normalised. The file robots.txt itself may always be (RFC 9309 section 2.2.2).
// It allocates only for a path that had to be changed.
func (m *Matcher) Check(pathQuery string) Verdict {
	if i := strings.IndexByte(pathQuery, '#'); i >= 0 {
		pathQuery = pathQuery[:i]
	}
	v := Verdict{Allowed: true, Row: m.row}
	if m.set == nil {
		return v
	}
	v.Group, v.GroupLine = m.set.token, int(m.set.line)
	if pathQuery == "/robots.txt" {
		return v
	}
	if pathQuery == "" || pathQuery[0] != '/' {
		pathQuery = "/" + pathQuery
	}
	rank := m.set.match(escape(pathQuery))
	if rank == noRank {
		return v
	}
	d := &m.set.rules[rank]
	v.Allowed, v.Line, v.GroupLine, v.Rule = d.allow, int(d.line), int(d.groupLine), printable(d.text)
	return v
}
