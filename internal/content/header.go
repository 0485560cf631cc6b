package content

import (
	"strings"

	"trawl/internal/crawl"
)

// maxHeaderItems bounds the links and rules read from header fields (house
// choice).
const maxHeaderItems = 256

// splitUnquoted splits s at sep outside quoted strings and <references>.
func splitUnquoted(s string, sep byte) []string {
	var parts []string
	quoted, angle := false, false
	start := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"' && !angle:
			quoted = !quoted
		case quoted:
		case c == '<':
			angle = true
		case c == '>':
			angle = false
		case c == sep && !angle:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// headerLink is one link of a Link header (RFC 8288).
type headerLink struct {
	target string
	rel    []string // lower case
	params map[string]string
}

func (l headerLink) is(rel string) bool {
	for _, r := range l.rel {
		if r == rel {
			return true
		}
	}
	return false
}

func (l headerLink) has(param string) bool {
	_, ok := l.params[param]
	return ok
}

// headerLinks reads the Link header fields. Links with an anchor are about
// another resource and left out (RFC 8288 section 3.2).
func headerLinks(h crawl.Header) (links []headerLink, cut bool) {
	for _, field := range h.Values("Link") {
		for _, v := range splitUnquoted(field, ',') {
			if l, ok := parseHeaderLink(v); ok {
				if len(links) >= maxHeaderItems {
					return links, true
				}
				links = append(links, l)
			}
		}
	}
	return links, false
}

func parseHeaderLink(v string) (headerLink, bool) {
	v = strings.TrimLeft(v, " \t")
	if !strings.HasPrefix(v, "<") {
		return headerLink{}, false
	}
	target, rest, ok := strings.Cut(v[1:], ">")
	if !ok {
		return headerLink{}, false
	}
	l := headerLink{target: strings.TrimSpace(target), params: map[string]string{}}
	for _, p := range splitUnquoted(rest, ';') {
		name, value, _ := strings.Cut(p, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" || l.has(name) { // of duplicates the first counts
			continue
		}
		l.params[name] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	l.rel = strings.Fields(strings.ToLower(l.params["rel"]))
	return l, len(l.rel) > 0 && !l.has("anchor")
}

// feedOrPage reports whether a rel=alternate of a header is to be crawled.
func (l headerLink) feedOrPage() bool {
	t, _, _ := strings.Cut(strings.ToLower(l.params["type"]), ";")
	switch strings.TrimSpace(t) {
	case "", "text/html", "application/xhtml+xml", "application/rss+xml", "application/atom+xml":
		return true
	}
	return l.has("hreflang")
}
