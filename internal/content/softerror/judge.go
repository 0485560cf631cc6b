package softerror

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/zeebo/xxh3"
)

// Input is what is known of a page from reading it.
type Input struct {
	Doc       []byte // the whole document, in UTF-8
	Title     string
	HeadingAt int  // where in Doc the contents of the first h1 start; 0 = there is none
	Links     int  // references that the page makes
	Refresh   bool // the page sends its readers elsewhere
}

// Verdict is what a page was found to be.
type Verdict struct {
	// Error says why the page is a soft 404, as the rest of a sentence that begins
	// with "its content is"; "" = it is none.
	Error string
	// Lang is the language of the phrase that decided, "" if none did.
	Lang string
	// Unrendered: there is nothing to see, but scripts may bring it (J1, M5).
	Unrendered bool
	// Likeness is the same for pages that differ in times, numbers and identifiers
	// only; 0 = not computed, because the bytes tell as much.
	Likeness uint64
}

// Thresholds and weights, all house choices, held to the tables and the trees of
// documentation of the tests.
const (
	small     = 4 << 10 // bytes of a document that is always looked at
	fewLinks  = 2       // without heading and with no more links, a page is looked at whatever its size
	shortText = 40      // words of a text that is hardly more than a message
	tinyText  = 25      // words of a text that is a message
	longText  = 120     // words beyond which a page has content
	enough    = 4       // evidence that makes a soft 404
)

// Judge looks at a page. It costs next to nothing for a page whose title and first
// heading say nothing of errors, unless it is small.
func Judge(in Input) Verdict {
	if in.Refresh {
		return Verdict{}
	}
	heading := in.heading()
	title, inTitle := says(in.Title)
	head, inHead := says(heading)
	isSmall := len(in.Doc) <= small
	if !inTitle && !inHead && !isSmall && (in.HeadingAt > 0 || in.Links > fewLinks) {
		return Verdict{}
	}
	k := draw(in.Doc)
	if k.long {
		return Verdict{}
	}
	if v, ok := empty(k, heading); ok {
		return v
	}
	c := caseOf{k: k, title: title, heading: head, inTitle: inTitle, inHead: inHead}
	c.text, c.inText = find(normal(k.lead.String()))
	if heading != "" {
		e, ok := find(normal(heading))
		c.named = !ok || e.w < plain
	}
	if v, ok := c.verdict(); ok {
		_, _ = k.likeness.WriteString(words(in.Title))
		v.Likeness = nonZero(k.likeness.Sum64())
		return v
	}
	if isSmall {
		return Verdict{Likeness: stripped(in.Doc)}
	}
	return Verdict{}
}

// heading returns the text of the first h1.
func (in *Input) heading() string {
	if in.HeadingAt <= 0 || in.HeadingAt >= len(in.Doc) {
		return ""
	}
	raw := in.Doc[in.HeadingAt:min(len(in.Doc), in.HeadingAt+1024)]
	var b strings.Builder
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '<')
		if i < 0 {
			b.Write(raw)
			break
		}
		b.Write(raw[:i])
		b.WriteByte(' ')
		if raw = raw[i:]; len(raw) > 3 && raw[1] == '/' && (raw[2] == 'h' || raw[2] == 'H') && raw[3] >= '1' && raw[3] <= '6' {
			break
		}
		if i = bytes.IndexByte(raw, '>'); i < 0 {
			break
		}
		raw = raw[i+1:]
	}
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

// empty judges a page, or a main part, in which there is nothing.
func empty(k *sketch, heading string) (Verdict, bool) {
	what := ""
	switch {
	case k.words == 0 && k.linked == 0 && k.media == 0 && k.links == 0 && heading == "":
		what = "empty: no text, picture, form or link"
	case k.mains > 0 && k.inMain == 0 && k.words == 0:
		what = "navigation only: its main part is empty"
	default:
		return Verdict{}, false
	}
	if k.scripts > 0 {
		return Verdict{Unrendered: true}, true
	}
	return Verdict{Error: what}, true
}

// caseOf is the evidence in one page.
type caseOf struct {
	k                       *sketch
	title, heading, text    entry
	inTitle, inHead, inText bool
	named                   bool // there is a heading, and it says nothing of errors
}

// verdict weighs the evidence. A title or heading that is as a whole an error
// message counts as its phrase does; the text counts if it is short enough to be
// nothing else. Words that may stand over real pages need a second place.
func (c *caseOf) verdict() (Verdict, bool) {
	k := c.k
	if k.words > longText || k.content > 0 || k.media > 12 || c.asks() {
		return Verdict{}, false
	}
	sum, most := 0, weight(0)
	add := func(ok bool, e *entry) {
		if ok {
			sum += int(e.w)
			most = max(most, e.w)
		}
	}
	add(c.inTitle, &c.title)
	add(c.inHead, &c.heading)
	if c.inText && (c.text.w >= plain || k.words <= tinyText) && (c.inTitle || c.inHead || k.words <= tinyText) {
		add(true, &c.text)
	}
	if k.words <= shortText {
		sum++
	}
	if !c.inTitle && !c.inHead {
		if !c.inText || c.text.w < strong || k.media > 2 || c.named {
			return Verdict{}, false
		}
	}
	if most < plain || sum < enough || most == plain && (sum < enough+1 || k.words > shortText) {
		return Verdict{}, false
	}
	return c.found(), true
}

// asks reports that somebody asks or tells, in the first person.
func (c *caseOf) asks() bool {
	n := 0
	for w := range strings.FieldsSeq(normal(c.k.lead.String())) {
		if _, ok := askingWords[w]; ok {
			n++
		}
	}
	return n > 1
}

// found words the verdict by the evidence that says most.
func (c *caseOf) found() Verdict {
	e, where := c.text, "text"
	if c.inHead && (!c.inText || c.heading.w >= e.w) {
		e, where = c.heading, "first heading"
	}
	if c.inTitle && (!c.inHead && !c.inText || c.title.w >= e.w) {
		e, where = c.title, "title"
	}
	lang := ""
	if e.lang != "" {
		lang = " (" + e.lang + ")"
	}
	return Verdict{
		Error: fmt.Sprintf("an error message: its %s says %q%s, and its main text has %d words", where, e.phrase.text, lang, c.k.words),
		Lang:  e.lang,
	}
}

// words returns the words of text without those that have numbers.
func words(text string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(text) {
		if !strings.ContainsAny(w, "0123456789") {
			b.WriteString(normal(w))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func nonZero(h uint64) uint64 { return max(h, 1) }

// stripped is the fingerprint of a small document without the times and
// identifiers in its text; 0 if it has none.
func stripped(doc []byte) uint64 {
	var h xxh3.Hasher
	t, any := tags{doc: doc}, false
	for {
		text, ok := t.next()
		for w := range bytes.FieldsSeq(text) {
			if fleeting(w) {
				any = true
				continue
			}
			_, _ = h.Write(w)
			_, _ = h.WriteString(" ")
		}
		tag := t.doc[min(len(text)+t.before, len(doc)):t.pos]
		_, _ = h.Write(tag) // with its attributes: what it links to tells pages apart
		if !ok {
			break
		}
	}
	if !any {
		return 0
	}
	return nonZero(h.Sum64())
}

// fleeting reports a time, a date, or an identifier made by a machine: at least
// twelve hexadecimal digits, with some of 0 to 9 among them.
func fleeting(w []byte) bool {
	digits, hexes, colons, other := 0, 0, 0, 0
	for _, c := range bytes.Trim(w, ".,;()[]{}\"'#") {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			hexes++
		case c == ':':
			colons++
		case c == '-' || c == '.' || c == 'T' || c == 'Z' || c == '+':
		default:
			other++
		}
	}
	if other > 0 || digits == 0 {
		return false
	}
	return digits+hexes >= 12 || hexes == 0 && colons > 0 && digits >= 3 || hexes == 0 && digits == 8 && len(w) >= 10
}
