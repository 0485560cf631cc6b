package robots

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of what is read (C2).
const (
	// MaxBytes is how much of a file is read: 500 KiB. What follows is ignored,
	// and a line that the limit cuts counts as far as it was read.
	MaxBytes = 500 * 1024

	// maxLine is how many bytes of a line count. Google's parser has a buffer
	// of 2083 * 8 bytes, the last of which is always a terminator.
	maxLine = 2083*8 - 1
)

// Rules is one parsed robots.txt file.
type Rules struct {
	agents   []agentLine
	groups   []group
	rules    []rule
	sitemaps []Sitemap
	issues   issues

	mu       sync.Mutex
	compiled map[string]*ruleset // by token in lower case; a cache, see For
}

// agentLine is one user-agent line. A group has one or more of them.
type agentLine struct {
	token string // as written, version and what follows cut; "*" for all
	line  int32
	group int32
}

// group is a run of rules that follows a run of user-agent lines.
type group struct {
	from, to int32 // rules[from:to]
}

// rule is one allow or disallow line inside a group.
type rule struct {
	pattern string // escaped; may be empty
	text    string // the line as written, without comment
	line    int32
	allow   bool
}

// Sitemap is one sitemap line (C8).
type Sitemap struct {
	URL  string // absolute, as written: not yet canonical
	Line int
}

// Sitemaps returns the sitemap lines with an absolute URL, in file order,
// whatever group they stand in (C8). The others are [Rules.Issues].
func (r *Rules) Sitemaps() []Sitemap { return r.sitemaps }

// Issues returns what an owner should know about the file (C7), in the order
// in which it was found, at most [MaxIssues] and one entry that counts the rest.
func (r *Rules) Issues() []Issue { return r.issues.list() }

// Parse reads the first [MaxBytes] of body. It never fails: lines that mean
// nothing are skipped, whatever the bytes are (C2, C3), and reported by
// [Rules.Issues].
func Parse(body []byte) *Rules { return parse(body, MaxIssues) }

// parse keeps up to limit issues.
func parse(body []byte, limit int) *Rules {
	p := parser{rules: &Rules{issues: issues{limit: limit}}, group: -1, closed: true}
	cut := len(body) > MaxBytes
	if cut {
		body = body[:MaxBytes]
	}
	text := decode(body)
	p.checkEncoding(text, cut)
	// Room for the rules of an ordinary file; a hostile one cannot make it much
	// larger than itself.
	p.rules.rules = make([]rule, 0, min(strings.Count(text, "\n")+1, len(text)/16))
	p.lines(text[bomLen(text):])
	p.rules.rules = slices.Clip(p.rules.rules)
	if cut {
		p.issue(p.line, KindSizeLimit, "", "Only the first 500 KiB of the file are read; rules after that are ignored.")
	}
	return p.rules
}

// decode returns body as text. A UTF-16 file is recognised by its byte order
// mark alone and decoded (house choice: Google's parser sees only garbage in
// it). All other bytes are kept as they are.
func decode(body []byte) string {
	if len(body) < 2 || !(body[0] == 0xFF && body[1] == 0xFE || body[0] == 0xFE && body[1] == 0xFF) {
		return string(body)
	}
	hi, lo := 0, 1
	if body[0] == 0xFF {
		hi, lo = 1, 0
	}
	units := make([]uint16, 0, len(body)/2)
	for i := 2; i+1 < len(body); i += 2 {
		units = append(units, uint16(body[i+hi])<<8|uint16(body[i+lo]))
	}
	return string(utf16.Decode(units))
}

// bomLen returns how many bytes of a UTF-8 byte order mark text begins with;
// as in Google's parser an incomplete one is skipped too.
func bomLen(text string) int {
	const bom = "\xEF\xBB\xBF"
	n := 0
	for n < len(bom) && n < len(text) && text[n] == bom[n] {
		n++
	}
	return n
}

// parser is the state between two lines.
type parser struct {
	rules  *Rules
	line   int  // number of the current line, from 1
	group  int  // index of the current group; -1 before the first
	closed bool // the current group has rules: the next user-agent line begins another
}

func (p *parser) issue(line int, kind, text, detail string) {
	p.rules.issues.add(Issue{Line: line, Kind: kind, Text: text, Detail: detail})
}

// lines reads text line by line.
func (p *parser) lines(text string) {
	eachLine(text, func(line string) {
		p.line++
		p.readLine(line)
	})
}

// eachLine splits text at LF, CR and CRLF. Each kind of end is searched for once
// and remembered, so that a file with CR only does not cost a whole scan a line.
func eachLine(text string, f func(line string)) {
	find := func(from int, c byte) int {
		if i := strings.IndexByte(text[from:], c); i >= 0 {
			return from + i
		}
		return len(text)
	}
	lf, cr := find(0, '\n'), find(0, '\r')
	for pos := 0; pos < len(text); {
		end := min(lf, cr)
		f(text[pos:end])
		pos = end + 1
		if end == cr && pos == lf {
			pos++
		}
		if lf < pos && pos < len(text) {
			lf = find(pos, '\n')
		}
		if cr < pos && pos < len(text) {
			cr = find(pos, '\r')
		}
	}
}

func (p *parser) readLine(line string) {
	if len(line) > maxLine {
		line = line[:maxLine]
		p.issue(p.line, KindLineTooLong, line, "Only the first 16,663 bytes of a line are read.")
	}
	key, value, text, sep := splitLine(line)
	switch {
	case text == "":
		return
	case sep == sepNone:
		p.issue(p.line, KindNotADirective, text, "The line is not of the form \"name: value\" and is ignored.")
		return
	}
	d, exact := classify(key)
	if d != directiveUnknown {
		p.reportSpelling(d, exact, sep, text)
	}
	switch d {
	case directiveUserAgent:
		p.userAgent(value, text)
	case directiveAllow, directiveDisallow:
		p.rule(d == directiveAllow, value, text)
	case directiveSitemap:
		p.sitemap(value, text)
	default:
		kind, detail := unknownDirective(key)
		p.issue(p.line, kind, text, detail)
	}
}

func (p *parser) userAgent(value, text string) {
	if p.closed {
		n := int32(len(p.rules.rules))
		p.rules.groups = append(p.rules.groups, group{n, n})
		p.group = len(p.rules.groups) - 1
		p.closed = false
	}
	token := productToken(value)
	if token == "" {
		p.issue(p.line, KindNoToken, text, "The line names no product token (letters, - and _) and matches no crawler.")
		return
	}
	p.rules.agents = append(p.rules.agents, agentLine{token, int32(p.line), int32(p.group)})
}

func (p *parser) rule(allow bool, value, text string) {
	if p.group < 0 {
		p.issue(p.line, KindNoGroup, text, "The rule stands before the first user-agent line and is ignored.")
		return
	}
	p.closed = true
	if value != "" && value[0] != '/' && value[0] != '*' {
		p.issue(p.line, KindNeverMatches, text, "A path begins with a slash, so this pattern matches nothing.")
	}
	r := p.rules
	r.rules = append(r.rules, rule{pattern: escape(value), text: text, line: int32(p.line), allow: allow})
	r.groups[p.group].to = int32(len(r.rules))
}

func (p *parser) sitemap(value, text string) {
	if !absolute(value) {
		p.issue(p.line, KindSitemap, text, "A sitemap line needs an absolute URL, with scheme and host; this one is ignored.")
		return
	}
	p.rules.sitemaps = append(p.rules.sitemaps, Sitemap{URL: value, Line: p.line})
}

// absolute reports whether s has a scheme that a sitemap may have, and a host.
func absolute(s string) bool {
	for _, scheme := range [...]string{"http://", "https://", "ftp://", "ftps://"} {
		if hasPrefixFold(s, scheme) {
			return len(s) > len(scheme) && s[len(scheme)] != '/'
		}
	}
	return false
}

// checkEncoding reports the first bytes that are not UTF-8. They do no harm to
// the other lines, but rules that hold them match by those very bytes.
func (p *parser) checkEncoding(text string, cut bool) {
	if utf8.ValidString(text) {
		return
	}
	line := 1
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			line++
		}
		if c != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size != 1 {
			continue // a replacement character that is really there
		}
		if cut && len(text)-i < utf8.UTFMax {
			return // the limit cut a character
		}
		p.issue(line, KindNotUTF8, "", "The file is not UTF-8 from this line on. Rules with other than ASCII characters may not match as meant.")
		return
	}
}
