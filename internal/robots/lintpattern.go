package robots

import (
	"fmt"
	"strings"
)

// checkPatterns looks at the patterns of one group, each for itself.
func (l *linter) checkPatterns(group []rule) {
	first := -1 // the first disallow rule that forbids something
	for i := range group {
		if !group[i].allow && group[i].pattern != "" {
			first = i
			break
		}
	}
	for i := range group {
		r := &group[i]
		switch v := r.value(); {
		case v == "" && first >= 0:
			l.at(r, 0, KindEmptyRule, "An empty %s matches nothing: the other rules of the group, such as that of line %d, still apply.", r.word(), group[first].line)
		case v == "":
		case v[0] != '/' && v[0] != '*':
			l.noSlash(r, v)
		default:
			l.checkPattern(r, v)
		}
	}
}

// checkPattern looks at a pattern that begins as it should.
func (l *linter) checkPattern(r *rule, v string) {
	if i := strings.IndexByte(v, '$'); i >= 0 && i < len(v)-1 {
		l.at(r, i, KindDollar, "A $ that is not the last character is an ordinary one: only a URL that has it in this place matches.")
	}
	if i, why := neverInURL(v); i >= 0 {
		l.at(r, i, KindNotInURL, "The pattern matches nothing: in a URL %s.", why)
	}
	if i := dotSegment(v); i >= 0 {
		l.at(r, i, KindDotSegment, "The pattern matches nothing: . and .. segments are resolved before a URL is asked for.")
	}
	l.checkEscapes(r, v)
	if i := len(strings.TrimRight(v, "*")); i < len(v) && i > 1 {
		l.at(r, i, KindTrailingStar, "A * at the end changes nothing about what is matched; it only makes the pattern longer, which counts where two rules match.")
	}
	if _, ok := indexDirectory(groupRule{rule: *r}); ok {
		l.at(r, strings.LastIndexByte(v, '/'), KindIndexPage, "An allow rule for an index page also allows its directory, %s.", shown(v[:strings.LastIndexByte(v, '/')+1]))
	}
}

// noSlash reports a pattern without / or * in front.
func (l *linter) noSlash(r *rule, v string) {
	i := Issue{Line: int(r.line), Column: l.column(r, 0), Kind: KindNeverMatches, Text: r.text, Detail: "A path begins with a slash, so this pattern matches nothing."}
	if _, rest, ok := strings.Cut(v, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		i.Detail = "A rule holds a path, not a whole URL, so this pattern matches nothing. The file is about the host that serves it."
		i.Advice = fmt.Sprintf("Write /%s instead.", shown(path))
	} else if v[0] != '$' {
		i.Advice = fmt.Sprintf("Write /%s, or */%[1]s for any directory.", shown(v))
	}
	l.add(i)
}

// neverInURL returns the first byte that no URL holds as it is when it is asked
// for, and what stands there instead; -1 if there is none. What is escaped in
// the path but not in the query counts only before anything that may stand for
// the beginning of a query.
//
// Source: the percent-encode sets of the WHATWG URL Standard.
func neverInURL(v string) (int, string) {
	path, query := true, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\t' || c == '\n' || c == '\r':
			return i, "no tab or line end stands"
		case c == '\\' && path:
			return i, "a backslash is written /"
		case c < ' ' || c == 0x7F || c == ' ' || c == '"' || c == '<' || c == '>', path && strings.IndexByte("`{}^", c) >= 0, query && c == '\'':
			return i, fmt.Sprintf("%q is written %%%02X", c, c)
		case c == '?' || c == '*':
			path, query = false, query || c == '?'
		}
	}
	return -1, ""
}

// dotSegment returns where a . or .. segment stands that is surely in the path
// and surely whole; -1 if there is none.
func dotSegment(v string) int {
	path := v
	if i := strings.IndexAny(v, "?*"); i >= 0 {
		path = v[:i]
	}
	for _, s := range [...]string{"/./", "/../"} {
		if i := strings.Index(path, s); i >= 0 {
			return i + 1
		}
	}
	return -1
}

// checkEscapes reports what is compared otherwise than it is written.
func (l *linter) checkEscapes(r *rule, v string) {
	normal := -1
	for i := 0; i < len(v); i++ {
		c := v[i]
		switch {
		case c >= 0x80:
			if normal < 0 {
				normal = i
			}
		case c == '%' && isEscape(v[i:]):
			if b := unhex(v[i+1])<<4 | unhex(v[i+2]); plain(b) {
				l.at(r, i, KindEscapedPlain, "%s is never decoded in a pattern, while URLs are asked for with %q itself: the pattern matches none of them.", v[i:i+3], b)
				return
			}
			if normal < 0 && (isLower(v[i+1]) || isLower(v[i+2])) {
				normal = i
			}
			i += 2
		}
	}
	if normal >= 0 {
		l.at(r, normal, KindNormalised, "It is compared as %s.", shown(r.pattern))
	}
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// plain reports whether c is an unreserved character (RFC 3986 section 2.3),
// whose escape canonical URLs do not have.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
