package softerror

import (
	"bytes"
	"html"
	"strings"

	"github.com/zeebo/xxh3"
)

// Bounds of what is looked at (house choices).
const (
	maxLead   = 1500 // bytes of the main text that are searched for phrases
	maxWords  = 160  // words of main text after which a page is long, and not looked at further
	maxLinked = 4000 // words in links, the same
	maxText   = 4096 // bytes of one run of text that are looked at
)

// sketch is what a page shows, roughly.
type sketch struct {
	lead     strings.Builder // beginning of the main text
	words    int             // of the main text
	links    int             // elements that lead somewhere
	linked   int             // words in links and in boilerplate
	media    int             // pictures, films, frames, drawings, fields of forms
	scripts  int
	content  int // elements that error messages do not have
	mains    int // elements that are called the main part
	inMain   int // words and media in them
	long     bool
	likeness xxh3.Hasher // of the words of text without numbers
}

// draw reads a document. It stops when the page is seen to be long.
func draw(doc []byte) *sketch {
	k := &sketch{}
	t := tags{doc: doc}
	for !k.long {
		text, ok := t.next()
		if len(bytes.TrimSpace(text)) > 0 {
			k.text(t.at, text[:min(len(text), maxText)])
		}
		if !ok {
			break
		}
		k.element(&t)
	}
	return k
}

// text counts a run of text.
func (k *sketch) text(at place, raw []byte) {
	s := html.UnescapeString(string(raw))
	n := 0
	for w := range strings.FieldsSeq(s) {
		n += wordsOf(w)
		k.alike(w)
	}
	if at.main > 0 {
		k.inMain += n
	}
	if at.link || at.nav > 0 {
		k.linked += n
		k.long = k.linked > maxLinked
		return
	}
	if at.heading {
		return
	}
	k.words += n
	k.long = k.words > maxWords
	if room := maxLead - k.lead.Len(); room > 0 && n > 0 {
		k.lead.WriteString(s[:min(room, len(s))])
		k.lead.WriteByte(' ')
	}
}

// wordsOf counts a word between spaces; in writing without spaces two letters
// are one.
func wordsOf(w string) int {
	letters := 0
	for _, r := range w {
		if isDense(r) {
			letters++
		}
	}
	return max(1, letters/2)
}

// alike adds a word to the likeness, unless it has a number in it.
func (k *sketch) alike(w string) {
	if strings.ContainsAny(w, "0123456789") {
		return
	}
	if w = normal(w); w != "" {
		_, _ = k.likeness.WriteString(w)
		_, _ = k.likeness.WriteString(" ")
	}
}

// element notes the tag at which t stands.
func (k *sketch) element(t *tags) {
	if t.closing {
		return
	}
	switch t.name {
	case "a", "area":
		k.links++
	case "img", "video", "audio", "canvas", "iframe", "frame", "object", "embed", "svg", "input", "textarea", "select", "picture", "math", "form":
		k.media++
		if t.in.main > 0 {
			k.inMain++
		}
	case "script":
		k.scripts++
	case "pre", "code", "time", "table", "dl", "blockquote", "samp", "kbd", "figure":
		k.content++
	case "main":
		k.mains++
	}
}
