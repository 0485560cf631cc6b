package robots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"trawl/internal/crawl"
)

// LintContext is what Lint may know beside the file. All of it is optional.
type LintContext struct {
	// URL is where the file is served: what a sitemap line is compared with.
	URL crawl.URL
	// Tokens are the product tokens that crawlers are known to use. If there
	// are any, user-agent lines with other names are reported.
	Tokens []string
	// Truncated: the file goes on behind what is given.
	Truncated bool
}

// Lint says of a robots.txt file what is ignored, what works otherwise than it
// looks, and which rules can never decide (C2, C7, C8). It reads as much of the
// file as [Parse] does, and finds all that [Rules.Issues] has and more; what it
// says of rules that never match or never decide is proved, never guessed. The
// issues are in order of line and column, at most [MaxIssues] and one entry
// that counts the rest.
//
// It takes time in proportion to the file, and to the square of the rules of a
// group up to [MaxShadowPairs] pairs; beyond these an issue says what was left
// unchecked.
func Lint(body []byte, c LintContext) []Issue {
	l := &linter{context: c, rules: parse(body, maxFound)}
	text := decode(body[:min(len(body), MaxBytes)])
	eachLine(text[bomLen(text):], func(line string) { l.lines = append(l.lines, line) })
	for _, i := range l.rules.issues.kept {
		if i.Kind != KindNeverMatches && i.Kind != KindSizeLimit { // said more precisely below
			l.found = append(l.found, i)
		}
	}
	l.checkKeys()
	l.checkFile(body, text)
	l.checkFragments()
	for _, g := range l.rules.groups {
		l.checkPatterns(l.rules.rules[g.from:g.to])
	}
	l.checkGroups()
	l.checkTokens()
	l.checkSitemaps()
	l.checkEffects()
	l.checkShadows()
	return l.list()
}

// linter collects the issues of one file.
type linter struct {
	context LintContext
	rules   *Rules
	lines   []string // of the part that is read, without their ends
	found   []Issue
	more    int
}

// maxFound bounds what is held before sorting; a file that is bad in this many
// places has them in each part.
const maxFound = 20 * MaxIssues

func (l *linter) add(i Issue) {
	if len(l.found) >= maxFound {
		l.more++
		return
	}
	if i.Text == "" && i.Line > 0 && i.Line <= len(l.lines) {
		_, _, i.Text, _ = splitLine(l.lines[i.Line-1])
	}
	i.Text = printable(i.Text)
	l.found = append(l.found, i)
}

// at reports an issue of a rule, at the part of its line that begins at the
// given byte of its value.
func (l *linter) at(r *rule, offset int, kind, format string, args ...any) {
	l.add(Issue{Line: int(r.line), Column: l.column(r, offset), Kind: kind, Text: r.text, Detail: fmt.Sprintf(format, args...)})
}

// column returns where a byte of a rule's value stands in its line, from 1.
func (l *linter) column(r *rule, offset int) int {
	text := strings.Index(l.lines[r.line-1], r.text)
	return text + len(r.text) - len(r.value()) + offset + 1
}

// value returns the pattern of a rule as it is written.
func (r *rule) value() string {
	_, v, _, _ := splitLine(r.text)
	return v
}

// word returns what the rule is called.
func (r *rule) word() string {
	if r.allow {
		return "allow"
	}
	return "disallow"
}

// list returns the issues in order. What makes a line worth the most is first.
func (l *linter) list() []Issue {
	for i := range l.found {
		l.found[i].fill()
		l.locate(&l.found[i])
	}
	slices.SortStableFunc(l.found, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), -cmp.Compare(a.Severity.weight(), b.Severity.weight()))
	})
	l.found = slices.Compact(l.found)
	all := issues{limit: MaxIssues, more: l.more + l.rules.issues.more}
	for _, i := range l.found {
		all.add(i)
	}
	return all.list()
}

// locate gives the issues of the parser, which knows no columns, theirs.
func (l *linter) locate(i *Issue) {
	if i.Line == 0 || i.Line > len(l.lines) {
		return
	}
	line := l.lines[i.Line-1]
	_, value, text, _ := splitLine(line)
	i.Indent = max(strings.Index(line, text), 0)
	if i.Column > 0 {
		return
	}
	switch i.Kind {
	case KindNoToken, KindSitemap:
		i.Column = i.Indent + len(text) - len(value) + 1
	case KindLineTooLong:
		i.Column = maxLine + 1
	case KindSizeLimit, KindNotUTF8:
	default:
		i.Column = i.Indent + 1
	}
}

// checkKeys says of unknown keys which known one they may be a slip of. What was
// meant for a rule and is none is worse than a line that means nothing.
func (l *linter) checkKeys() {
	for n := range l.found {
		i := &l.found[n]
		if i.Kind != KindUnknown {
			continue
		}
		key, _, _, _ := splitLine(i.Text)
		if near := nearest(key, directiveNames[1:]); near != "" {
			i.Severity = SeverityError
			i.Advice = fmt.Sprintf("Correct the key: write %s if that is meant.", near)
		}
	}
}

// checkFile looks at the bytes as a whole. Of a file that is no robots.txt only
// that is said, with what [Parse] said of its lines.
func (l *linter) checkFile(body []byte, text string) {
	if len(body) > MaxBytes || l.context.Truncated {
		l.sizeLimit(body)
	}
	head := strings.ToLower(strings.TrimLeft(text[bomLen(text):min(len(text), 1024)], " \t\r\n\v\f"))
	for _, tag := range [...]string{"<!doctype", "<html", "<head", "<body", "<?xml", "<script", "<!--"} {
		if strings.HasPrefix(head, tag) {
			l.add(Issue{Line: 1, Kind: KindHTML, Detail: "This is a web page, not a robots.txt file. Its lines are read as rules all the same, and hardly any is one."})
			break
		}
	}
	switch {
	case len(body) > 1 && (body[0] == 0xFF && body[1] == 0xFE || body[0] == 0xFE && body[1] == 0xFF):
		l.add(Issue{Line: 1, Kind: KindUTF16, Detail: "The file is UTF-16. It is decoded here; Google's parser finds no rule in it."})
	case bomLen(text) > 0:
		l.add(Issue{Line: 1, Kind: KindByteOrderMark, Detail: "The file begins with a byte order mark, which is skipped; other crawlers may take it for part of the first line."})
	}
	nul, count := 0, 0
	for i, line := range l.lines {
		if strings.IndexByte(line, 0) >= 0 {
			if count++; nul == 0 {
				nul = i + 1
			}
		}
	}
	if nul > 0 {
		l.add(Issue{
			Line: nul, Column: strings.IndexByte(l.lines[nul-1], 0) + 1, Kind: KindNUL,
			Detail: fmt.Sprintf("A NUL byte ends the line for the parser; the file has them in %d of its lines.", count),
		})
	}
	if len(l.rules.agents) == 0 && len(l.rules.rules) == 0 && len(l.rules.issues.kept) == 0 {
		l.add(Issue{Kind: KindEmpty, Detail: "The file has no rules: everything is allowed."})
	}
}

// sizeLimit says which line is the first that is not read.
func (l *linter) sizeLimit(body []byte) {
	n, where, unread := 0, "with", ""
	if len(l.lines) > 0 {
		n = len(l.lines[len(l.lines)-1])
	}
	i := Issue{Line: max(len(l.lines), 1), Kind: KindSizeLimit}
	read := body[:min(len(body), MaxBytes)]
	next := body[len(read):]
	if len(read) == 0 || !lineEnd(read[len(read)-1]) && (len(next) == 0 || !lineEnd(next[0])) {
		where = fmt.Sprintf("after %d bytes of", n)
		i.Column = n + 1
	}
	if len(next) > 0 {
		unread = fmt.Sprintf(", and %d bytes are not read", len(next))
	}
	i.Detail = fmt.Sprintf("Only the first 500 KiB of the file are read, which end %s this line: line %d is the first that is ignored%s.", where, i.Line+1, unread)
	l.add(i)
}

func lineEnd(c byte) bool { return c == '\n' || c == '\r' }

// checkFragments finds values that a # cuts off which does not look like the
// beginning of a comment.
func (l *linter) checkFragments() {
	for n, line := range l.lines {
		i := strings.IndexByte(line, '#')
		if i < 1 || blank(line[i-1]) {
			continue
		}
		key, value, _, sep := splitLine(line)
		if d, _ := classify(key); sep == sepNone || d == directiveUnknown || value == "" {
			continue
		}
		l.add(Issue{
			Line: n + 1, Column: i + 1, Kind: KindFragment,
			Detail: fmt.Sprintf("The # begins a comment, so the value is only %q. A fragment is never part of what is matched.", shown(value)),
		})
	}
}

// shown bounds a piece of the file that is quoted in a sentence.
func shown(s string) string {
	const most = 60
	if len(s) <= most {
		return printable(s)
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return printable(s[:n]) + "…"
}
