package content

import (
	"slices"
	"strings"

	"trawl/internal/content/html"
	"trawl/internal/crawl"
)

// directives joins what the meta elements and the X-Robots-Tag fields say to a
// client that listens to names (lower case) besides "robots". Rules only forbid
// or bound, so the most restrictive wins by adding up (F12, case 30). notes says
// which values could not be read.
func directives(metas []html.RobotsMeta, h crawl.Header, names []string) (d crawl.Directives, notes []string) {
	r := ruleReader{names: names, heard: true}
	for _, m := range metas {
		if r.listens(m.Name) {
			r.list(m.Content, false)
		}
	}
	for _, field := range h.Values("X-Robots-Tag") {
		r.heard = true // a name holds to the end of its field
		r.list(field, true)
	}
	return r.d, r.notes
}

// ruleReader reads lists of rules.
type ruleReader struct {
	d     crawl.Directives
	names []string
	heard bool // the rules being read are for us
	notes []string
}

func (r *ruleReader) listens(name string) bool {
	return name == "robots" || slices.Contains(r.names, name)
}

// list reads one list. Names of clients before a colon, which hold for all rules
// behind them up to the next name, are only read in header fields. It forgives
// semicolons and missing commas between rules without values.
func (r *ruleReader) list(rules string, named bool) {
	for range maxHeaderItems {
		rules = strings.TrimLeft(rules, ruleSpace)
		if rules == "" {
			return
		}
		word := rules
		if i := strings.IndexAny(rules, ruleSpace+":="); i >= 0 {
			word = rules[:i]
		}
		rest := strings.TrimLeft(rules[len(word):], " \t\r\n\u00a0")
		name := strings.ToLower(word)
		valued := strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=")
		switch {
		case valued && isValued(name):
			rules = r.valued(name, rest[1:])
		case valued && named && rest[0] == ':' && isToken(word):
			r.heard, rules = r.listens(name), rest[1:]
		case valued:
			rules = rest[1:] // a value of nothing that is known
		default:
			if r.heard {
				r.word(name)
			}
			rules = rest
		}
	}
	r.note("Robots rules after the first 256 of a list were not read.")
}

// ruleSpace separates rules.
const ruleSpace = ",; \t\r\n\f\u00a0"

func (r *ruleReader) note(sentence string) {
	if len(r.notes) < 8 && !slices.Contains(r.notes, sentence) {
		r.notes = append(r.notes, sentence)
	}
}

func (r *ruleReader) word(name string) {
	d := &r.d
	switch name {
	case "noindex":
		d.Noindex = true
	case "nofollow":
		d.Nofollow = true
	case "none":
		d.Noindex, d.Nofollow = true, true
	case "nosnippet":
		d.Nosnippet = true
	case "noarchive", "nocache":
		d.Noarchive = true
	case "noimageindex":
		d.Noimageindex = true
	case "notranslate":
		d.Notranslate = true
	case "nositelinkssearchbox":
		d.Nositelinks = true
	case "indexifembedded":
		d.Indexifembedded = true
	}
}

// isValued reports whether a rule has a value behind a colon.
func isValued(name string) bool {
	switch name {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}

// valued reads the value of a rule at the start of s and returns what follows.
func (r *ruleReader) valued(name, s string) (rest string) {
	if name == "unavailable_after" {
		return r.unavailable(s)
	}
	s = strings.TrimLeft(s, " \t\r\n\u00a0")
	v := s
	if i := strings.IndexAny(s, ruleSpace); i >= 0 {
		v = s[:i]
	}
	if r.heard {
		r.bound(name, strings.ToLower(v))
	}
	return s[len(v):]
}

func (r *ruleReader) bound(name, v string) {
	switch name {
	case "max-image-preview":
		order := []string{"none", "standard", "large"}
		at := slices.Index(order, v)
		if at < 0 {
			r.note("A max-image-preview was ignored: it is none, standard or large.")
		} else if now := slices.Index(order, r.d.MaxImagePreview); now < 0 || at < now {
			r.d.MaxImagePreview = v
		}
		return
	}
	b := &r.d.MaxSnippet
	if name == "max-video-preview" {
		b = &r.d.MaxVideoPreview
	}
	n, ok := boundNumber(v)
	switch {
	case !ok:
		r.note("A " + name + " was ignored: its value is no number from -1.")
	case !b.Said || b.Max == -1 || n != -1 && n < b.Max:
		*b = crawl.Bound{Said: true, Max: n}
	}
}

// boundNumber reads -1 or a number; what is larger than a billion is a billion.
func boundNumber(v string) (int, bool) {
	if v == "-1" {
		return -1, true
	}
	n := 0
	for i := 0; i < len(v); i++ {
		if v[i] < '0' || v[i] > '9' {
			return 0, false
		}
		n = min(n*10+int(v[i]-'0'), 1_000_000_000)
	}
	return n, v != ""
}
