package robots

import "strings"

// directive is what a line's key is taken for.
type directive uint8

const (
	directiveUnknown directive = iota
	directiveUserAgent
	directiveAllow
	directiveDisallow
	directiveSitemap
)

var directiveNames = [...]string{"", "user-agent", "allow", "disallow", "sitemap"}

// separator says how key and value of a line are parted.
type separator uint8

const (
	sepNone separator = iota
	sepColon
	sepSpace // the colon is missing
)

// blank reports whether c may stand around a key or a value.
func blank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func trimLeft(s string) string {
	for s != "" && blank(s[0]) {
		s = s[1:]
	}
	return s
}

func trimRight(s string) string {
	for s != "" && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// splitLine takes a line apart. text is the line without comment; "" if there
// is nothing else in it. A NUL ends a line, as it ends a string in Google's
// parser. A missing colon is tolerated if there are exactly two words.
func splitLine(line string) (key, value, text string, sep separator) {
	if i := strings.IndexByte(line, 0); i >= 0 {
		line = line[:i]
	}
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	text = trimLeft(trimRight(line))
	if text == "" {
		return "", "", "", sepNone
	}
	if k, v, ok := strings.Cut(text, ":"); ok {
		key = trimRight(k)
		if key == "" {
			return "", "", text, sepNone
		}
		return key, trimLeft(v), text, sepColon
	}
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return "", "", text, sepNone
	}
	value = strings.TrimLeft(text[i:], " \t")
	if strings.ContainsAny(value, " \t") {
		return "", "", text, sepNone
	}
	return trimRight(text[:i]), trimLeft(value), text, sepSpace
}

// spellings lists how a key may begin, in the order in which Google's parser
// asks. A key needs only to begin so: "disallowed" is a disallow.
var spellings = [...]struct {
	prefix string
	is     directive
}{
	{"user-agent", directiveUserAgent},
	{"useragent", directiveUserAgent},
	{"user agent", directiveUserAgent},
	{"allow", directiveAllow},
	{"disallow", directiveDisallow},
	{"dissallow", directiveDisallow},
	{"dissalow", directiveDisallow},
	{"disalow", directiveDisallow},
	{"diasllow", directiveDisallow},
	{"disallaw", directiveDisallow},
	{"sitemap", directiveSitemap},
	{"site-map", directiveSitemap},
}

// classify returns what key means, and whether it is spelled as it should be.
func classify(key string) (d directive, exact bool) {
	if key == "" || strings.IndexByte("uUaAdDsS", key[0]) < 0 {
		return directiveUnknown, false
	}
	for i := range spellings {
		if s := &spellings[i]; hasPrefixFold(key, s.prefix) {
			return s.is, len(key) == len(directiveNames[s.is]) && hasPrefixFold(key, directiveNames[s.is])
		}
	}
	return directiveUnknown, false
}

// hasPrefixFold reports whether s begins with prefix, which is in lower case,
// without regard to the case of ASCII letters.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	if s[:len(prefix)] == prefix {
		return true
	}
	for i := 0; i < len(prefix); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

// productToken returns the part of a user-agent line's value that is matched:
// the leading run of letters, "-" and "_"; or "*" for every crawler, which
// Google's parser also accepts with a space and anything after it (C2).
func productToken(value string) string {
	if value != "" && value[0] == '*' && (len(value) == 1 || blank(value[1])) {
		return "*"
	}
	i := 0
	for i < len(value) && tokenByte(value[i]) {
		i++
	}
	return value[:i]
}

func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_'
}
