package robots

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is kept for people (house choices).
const (
	// MaxIssues is how many issues are kept for a file; one more entry counts
	// the others.
	MaxIssues = 1000
	// MaxText bounds [Issue.Text] and [Verdict.Rule], in bytes.
	MaxText = 200
)

// Issue is one thing about a robots.txt file that its owner should know. It
// changes no decision.
type Issue struct {
	Line     int      // from 1; 0 = the file, or the answer that it came with
	Column   int      // of the part that is meant, in bytes from 1; 0 = the line. Only from Lint
	Indent   int      // how many bytes of the line stand before Text. Only from Lint
	Severity Severity // how bad it is
	Kind     string   // one of the Kind constants
	Text     string   // the line, valid UTF-8, at most MaxText bytes
	Detail   string   // what is so, in sentences for people
	Advice   string   // what to do, one sentence; "" = nothing
	Row      string   // behaviour id that explains it
}

// Severity says how bad an issue is.
type Severity string

// The severities (the words are those of compilers, what falls under which is a
// house choice). An error is something written that does not do what it says; a
// warning is something that most probably does not do what was meant; a note is
// good to know.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)

// AtLeast reports whether s is as bad as other, or worse.
func (s Severity) AtLeast(other Severity) bool { return s.weight() >= other.weight() }

func (s Severity) weight() int {
	switch s {
	case SeverityError:
		return 2
	case SeverityWarning:
		return 1
	}
	return 0
}

// issues collects at most limit.
type issues struct {
	limit int
	kept  []Issue
	more  int
}

func (s *issues) add(i Issue) {
	if len(s.kept) == s.limit {
		s.more++
		return
	}
	i.Text = printable(i.Text)
	i.fill()
	s.kept = append(s.kept, i)
}

func (s *issues) list() []Issue {
	if s.more == 0 {
		return s.kept
	}
	return append(s.kept[:len(s.kept):len(s.kept)], Issue{Kind: KindMore, Severity: SeverityNote, Detail: "and " + strconv.Itoa(s.more) + " more", Row: "C2"})
}

// unknownDirective returns kind and explanation for a key that C2 ignores.
func unknownDirective(key string) (kind, detail string) {
	switch {
	case hasPrefixFold(key, "crawl-delay"), hasPrefixFold(key, "crawldelay"):
		return KindCrawlDelay, "crawl-delay is not processed; the crawl rate follows the health of the server."
	case hasPrefixFold(key, "noindex"), hasPrefixFold(key, "nofollow"):
		return KindNoindex, "noindex and nofollow are not processed in robots.txt."
	case len(key) == len("host") && hasPrefixFold(key, "host"):
		return KindHost, "host is not processed."
	}
	for _, name := range foreignDirectives {
		if len(key) == len(name) && hasPrefixFold(key, name) {
			return KindForeign, name + " is not processed; other crawlers may know it."
		}
	}
	return KindUnknown, "The directive is not known and is ignored."
}

// foreignDirectives are keys that some crawlers were once documented to read.
var foreignDirectives = [...]string{
	"clean-param", "request-rate", "visit-time", "cache-delay", "robot-version", "content-signal", "content-usage", "comment", "noarchive", "nosnippet",
}

// reportSpelling reports a key that works although it is not as it should be.
func (p *parser) reportSpelling(d directive, exact bool, sep separator, text string) {
	if !exact {
		p.issue(p.line, KindMisspelled, text, "The line is read as \""+directiveNames[d]+"\"; other crawlers may not do so.")
	}
	if sep == sepSpace {
		p.issue(p.line, KindMissingColon, text, "The colon is missing. The line works here; other crawlers may ignore it.")
	}
}

// printable returns at most MaxText bytes of s as valid UTF-8 without control
// characters. It allocates only if something has to be replaced.
func printable(s string) string {
	if len(s) > MaxText {
		n := MaxText
		for n > MaxText-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	clean := strings.Map(func(c rune) rune {
		if unprintable(c) {
			return '?'
		}
		return c
	}, s)
	return clean
}

func unprintable(c rune) bool { return c == utf8.RuneError || unicode.IsControl(c) && c != '\t' }
