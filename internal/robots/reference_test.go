package robots

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reference decides as slowly and plainly as can be: it reads the file line by
// line for one agent and one path, and tries each rule at once. It shares no
// code with what it is compared to. Returned are the decision, the line that
// made it (0 = none), and whether a group names the token.
func reference(body, token, path string) (allowed bool, line int, named bool) {
	if len(body) > 512000 {
		body = body[:512000]
	}
	for _, c := range []string{"\xEF", "\xBB", "\xBF"} {
		rest, ok := strings.CutPrefix(body, c)
		if !ok {
			break
		}
		body = rest
	}
	body = strings.ReplaceAll(body, "\r\n", "\n")
	body = strings.ReplaceAll(body, "\r", "\n")
	type best struct{ length, line int }
	var allow, deny [2]best // 0: the * groups, 1: the groups that name the token
	specific, global, sawRule := false, false, false
	for i, l := range strings.Split(body, "\n") {
		key, value, ok := referenceLine(l)
		if !ok {
			continue
		}
		isAgent := begins(key, "user-agent", "useragent", "user agent")
		isAllow := begins(key, "allow")
		if isAgent {
			if sawRule {
				specific, global, sawRule = false, false, false
			}
			if regexp.MustCompile(`^\*([ \t\n\v\f\r]|$)`).MatchString(value) {
				global = true
			} else if name := regexp.MustCompile(`^[a-zA-Z_-]*`).FindString(value); strings.EqualFold(name, token) {
				specific, named = true, true
			}
			continue
		}
		if !isAllow && !begins(key, "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw") || !specific && !global {
			continue
		}
		sawRule = true
		which := 0
		if specific {
			which = 1
		}
		pattern := referenceEscape(value)
		if isAllow && !referenceMatch(pattern, path) {
			if dir := regexp.MustCompile(`^(.*/)index\.htm[^/]*$`).FindStringSubmatch(pattern); dir != nil {
				pattern = dir[1] + "$"
			}
		}
		if !referenceMatch(pattern, path) {
			continue
		}
		b := &deny[which]
		if isAllow {
			b = &allow[which]
		}
		if len(pattern) > b.length {
			*b = best{len(pattern), i + 1}
		}
	}
	which := 0
	if named {
		which = 1
	}
	if deny[which].length > allow[which].length {
		return false, deny[which].line, named
	}
	return true, allow[which].line, named
}

func referenceLine(l string) (key, value string, ok bool) {
	if len(l) > 16663 {
		l = l[:16663]
	}
	l, _, _ = strings.Cut(l, "\x00")
	l, _, _ = strings.Cut(l, "#")
	l = strings.Trim(l, " \t\n\v\f\r")
	key, value, ok = strings.Cut(l, ":")
	if !ok {
		words := strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) != 2 {
			return "", "", false
		}
		key, value = words[0], words[1]
	}
	key, value = strings.Trim(key, " \t\n\v\f\r"), strings.Trim(value, " \t\n\v\f\r")
	return strings.ToLower(key), value, key != ""
}

func begins(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func referenceEscape(s string) string {
	s = regexp.MustCompile(`%[0-9a-fA-F]{2}`).ReplaceAllStringFunc(s, strings.ToUpper)
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < 128 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// referenceMatch fills the table of "the first i bytes of the pattern match the
// first j bytes of the path".
func referenceMatch(pattern, path string) bool {
	if pattern == "" {
		return true
	}
	ends, anchored := strings.CutSuffix(pattern, "$")
	if !anchored {
		ends += "*"
	}
	row := make([]bool, len(path)+1)
	row[0] = true
	for _, c := range []byte(ends) {
		next := make([]bool, len(path)+1)
		for j := range next {
			if c == '*' {
				next[j] = row[j] || j > 0 && next[j-1]
			} else {
				next[j] = j > 0 && row[j-1] && path[j-1] == c
			}
		}
		row = next
	}
	return row[len(path)]
}

// agree fails if reference and implementation differ on anything.
func agree(t interface{ Fatalf(string, ...any) }, body, token, path string) {
	v := Parse([]byte(body)).Check(Agent{Tokens: []string{token}}, path)
	allowed, line, named := reference(body, token, path)
	if path == "/robots.txt" {
		allowed, line = true, 0
	}
	if v.Allowed != allowed || v.Line != line || named != strings.EqualFold(v.Group, token) {
		t.Fatalf("verdict %+v; reference: allowed %t by line %d, named %t\ntoken %q path %q file:\n%q", v, allowed, line, named, token, path, body)
	}
}

var (
	genPattern = rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "aa", "/", "/", "*", "*", "$", "%2f", "%", "\u00e9", "\xe9", "index.html", "/index.htm", "?"}), 0, 7).Draw(t, "parts")
		return rapid.SampledFrom([]string{"/", "/", "/", "*", ""}).Draw(t, "first") + strings.Join(parts, "")
	})
	genPath = rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "aa", "/", "%2F", "%C3%A9", "%E9", "index.html", "index.htm", "?", "$", "*"}), 0, 9).Draw(t, "parts")
		return "/" + strings.Join(parts, "")
	})
	genKey   = rapid.SampledFrom([]string{"Allow", "Allow", "Disallow", "Disallow", "disalow", "User-agent", "User-agent", "Sitemap", "crawl-delay", ""})
	genAgent = rapid.SampledFrom([]string{"*", "* x", "FooBot", "foobot/2", "BarBot", ""})
	genFile  = rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 100).Draw(t, "lines") {
			key := genKey.Draw(t, "key")
			value := genPattern.Draw(t, "pattern")
			if key == "User-agent" {
				value = genAgent.Draw(t, "agent")
			}
			sep := rapid.SampledFrom([]string{":", ": ", " "}).Draw(t, "separator")
			end := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r", "#x\n", "\x00\n"}).Draw(t, "end")
			b.WriteString(key + sep + value + end)
		}
		return b.String()
	})
)

func TestC2AgreesWithReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := "User-agent: *\n" + genFile.Draw(t, "file")
		for range 5 {
			agree(t, body, rapid.SampledFrom([]string{"FooBot", "BarBot", "Baz"}).Draw(t, "token"), genPath.Draw(t, "path"))
		}
	})
}

// Filters that dismiss by pairs of bytes work only on groups with many stars.
func TestC2AgreesWithReferenceManyStars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := range 2 * fewForPairs {
			fmt.Fprintf(&b, "%s: /*%s\n", []string{"Allow", "Disallow"}[i%2], genPattern.Draw(t, "pattern"))
		}
		for range 5 {
			agree(t, b.String(), "FooBot", genPath.Draw(t, "path"))
		}
	})
}

func TestC2AllowNeverForbids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := "User-agent: *\n" + strings.ReplaceAll(genFile.Draw(t, "file"), "User-agent", "x")
		path := genPath.Draw(t, "path")
		more := file + "\nAllow: " + genPattern.Draw(t, "allow") + "\n"
		less := file + "\nDisallow: " + genPattern.Draw(t, "disallow") + "\n"
		before := Parse([]byte(file)).Check(Agent{}, path).Allowed
		if before && !Parse([]byte(more)).Check(Agent{}, path).Allowed {
			t.Fatalf("an allow rule forbids %s:\n%s", path, more)
		}
		if !before && Parse([]byte(less)).Check(Agent{}, path).Allowed {
			t.Fatalf("a disallow rule permits %s:\n%s", path, less)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, d := range lineDecisions[:20] {
		f.Add([]byte(d.file), "/x/y")
	}
	f.Add([]byte("\xff\xfeU\x00s\x00"), "/")
	f.Add([]byte("user-agent: FooBot\rsitemap:http://x\r\ndisallow /\x00\xe9"), "/%e9")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		r := Parse(body)
		if len(r.Issues()) > MaxIssues+1 {
			t.Errorf("%d issues", len(r.Issues()))
		}
		for _, i := range r.Issues() {
			if len(i.Text) > MaxText || i.Kind == "" || i.Detail == "" {
				t.Errorf("issue out of bounds: %+v", i)
			}
		}
		for _, s := range r.Sitemaps() {
			if !strings.Contains(s.URL, "://") || s.Line == 0 {
				t.Errorf("sitemap %+v", s)
			}
		}
		if v := r.Check(Agent{Tokens: []string{"FooBot"}}, path); !v.Allowed && (v.Line == 0 || v.Rule == "" || v.Group == "") {
			t.Errorf("disallowed without a reason: %+v", v)
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add("/*a*b$", "/*", "/xaxb")
	f.Add("/a/index.html", "/a", "/a/")
	f.Add("/%e9*", "*$", "/%E9?")
	f.Add("*aa*aab", "/$", "/aaaaaab")
	f.Fuzz(func(t *testing.T, disallow, allow, path string) {
		if len(disallow)+len(allow) > 400 || len(path) > 400 || strings.Contains(path, "#") || referenceEscape(path) != path {
			t.Skip()
		}
		body := "user-agent: *\ndisallow: " + disallow + "\nallow: " + allow + "\n"
		agree(t, body, "FooBot", "/"+path)
	})
}
