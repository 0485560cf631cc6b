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
	Line   int    // from 1; 0 = the file
	Kind   string // one of the Kind constants
	Text   string // the line, valid UTF-8, at most MaxText bytes
	Detail string // one sentence for people
}

// The kinds of issues. They are stable: they are stored and printed.
const (
	KindCrawlDelay    = "crawl-delay"          // not processed (C7)
	KindNoindex       = "noindex"              // not processed (C7)
	KindHost          = "host"                 // not processed (C7)
	KindUnknown       = "unknown-directive"    // ignored (C2)
	KindNotADirective = "not-a-directive"      // ignored (C2)
	KindMisspelled    = "misspelled-key"       // works nevertheless (C2)
	KindMissingColon  = "missing-colon"        // works nevertheless (C2)
	KindNoGroup       = "rule-before-group"    // ignored (C2)
	KindNoToken       = "no-product-token"     // a user-agent line that matches nobody
	KindNeverMatches  = "pattern-no-match"     // neither / nor * in front
	KindSizeLimit     = "size-limit"           // longer than MaxBytes
	KindLineTooLong   = "line-too-long"        // cut
	KindSitemap       = "sitemap-not-absolute" // ignored (C8)
	KindNotUTF8       = "not-utf-8"
	KindMore          = "more" // counts what MaxIssues left out
)

// issues collects at most MaxIssues.
type issues struct {
	kept []Issue
	more int
}

func (s *issues) add(i Issue) {
	if len(s.kept) == MaxIssues {
		s.more++
		return
	}
	i.Text = printable(i.Text)
	s.kept = append(s.kept, i)
}

func (s *issues) list() []Issue {
	if s.more == 0 {
		return s.kept
	}
	return append(s.kept[:len(s.kept):len(s.kept)], Issue{Kind: KindMore, Detail: "and " + strconv.Itoa(s.more) + " more"})
}

// unknownDirective returns kind and explanation for a key that C2 ignores.
func unknownDirective(key string) (kind, detail string) {
	switch {
	case hasPrefixFold(key, "crawl-delay"), hasPrefixFold(key, "crawldelay"):
		return KindCrawlDelay, "crawl-delay is not processed; the crawl rate follows the health of the server."
	case hasPrefixFold(key, "noindex"), hasPrefixFold(key, "nofollow"):
		return KindNoindex, "noindex and nofollow are not processed in robots.txt; use a robots meta element or the X-Robots-Tag header."
	case len(key) == len("host") && hasPrefixFold(key, "host"):
		return KindHost, "host is not processed; redirect to the preferred host, or name it as canonical."
	}
	return KindUnknown, "The directive is not known and is ignored."
}

// reportSpelling reports a key that works although it is not as it should be.
func (p *parser) reportSpelling(d directive, exact bool, sep separator, text string) {
	if !exact {
		p.issue(p.line, KindMisspelled, text, "The line is read as \""+directiveNames[d]+"\"; other crawlers may not do so. Correct the spelling.")
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
