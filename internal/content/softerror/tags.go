package softerror

import "bytes"

// tags walks through a document, from tag to tag. It is no tokenizer of the
// standard: a page that is misread gives another sketch, and no worse.
type tags struct {
	doc     []byte
	pos     int
	before  int    // pos before the last step
	name    string // of the tag just read, in lower case, if it is one that matters
	closing bool

	in place // behind the tag just read
	at place // of the text before it
}

// place says in what a text stands.
type place struct {
	link    bool // a link
	nav     int  // navigation, header, footer, aside or a button
	main    int  // the main part
	heading bool // a first heading
}

// next returns the text up to the next tag and moves behind that tag and, of raw
// text, its end; false at the end of the document.
func (t *tags) next() (text []byte, ok bool) {
	t.before, t.at = t.pos, t.in
	i := bytes.IndexByte(t.doc[t.pos:], '<')
	if i < 0 {
		text, t.pos = t.doc[t.pos:], len(t.doc)
		return text, false
	}
	text = t.doc[t.pos : t.pos+i]
	rest := t.doc[t.pos+i:]
	t.name, t.closing = "", false
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		t.skip(i+4, "-->")
	case len(rest) > 1 && (rest[1] == '!' || rest[1] == '?'):
		t.skip(i+2, ">")
	default:
		t.tag(i + 1)
	}
	return text, true
}

// skip moves behind the next mark that starts at pos+n or later.
func (t *tags) skip(n int, mark string) {
	start := min(t.pos+n, len(t.doc))
	if i := bytes.Index(t.doc[start:], []byte(mark)); i >= 0 {
		t.pos = start + i + len(mark)
		return
	}
	t.pos = len(t.doc)
}

// tag reads the tag whose name is at pos+n.
func (t *tags) tag(n int) {
	i := min(t.pos+n, len(t.doc))
	if i < len(t.doc) && t.doc[i] == '/' {
		t.closing = true
		i++
	}
	start := i
	for i < len(t.doc) && i-start < 12 && alnum(t.doc[i]) {
		i++
	}
	if i == start { // the '<' is text
		t.pos, t.closing = i, false
		return
	}
	t.name = nameOf(t.doc[start:i])
	t.pos = tagEnd(t.doc, i)
	t.enter()
}

// tagEnd returns the position behind the '>' of a tag; those in quoted values do
// not count.
func tagEnd(doc []byte, i int) int {
	quote := byte(0)
	for ; i < len(doc); i++ {
		switch c := doc[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && doc[i-1] == '=':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(doc)
}

func alnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// names are the elements that matter.
var names = func() map[string]string {
	m := map[string]string{}
	for _, n := range [...]string{
		"a", "area", "article", "aside", "audio", "blockquote", "button", "canvas", "code", "dl", "embed", "figure", "footer", "form", "frame",
		"h1", "header", "iframe", "img", "input", "kbd", "main", "math", "nav", "noscript", "object", "option", "picture", "pre", "samp", "script", "select", "style",
		"svg", "table", "template", "textarea", "time", "title", "video",
	} {
		m[n] = n
	}
	return m
}()

func nameOf(b []byte) string {
	var low [12]byte
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 0x20
		}
		low[i] = c
	}
	return names[string(low[:len(b)])]
}

// enter notes where the tag leads, and passes over what is not shown.
func (t *tags) enter() {
	d := 1
	if t.closing {
		d = -1
	}
	switch t.name {
	case "a":
		t.in.link = !t.closing
	case "h1":
		t.in.heading = !t.closing
	case "nav", "footer", "aside", "button", "option", "header":
		if t.in.main == 0 || t.name != "header" {
			t.in.nav = max(0, t.in.nav+d)
		}
	case "main", "article":
		t.in.main = max(0, t.in.main+d)
	case "script", "style", "textarea", "iframe", "title", "template", "noscript", "svg", "math":
		if !t.closing {
			t.past(t.name)
		}
	}
}

// past moves to the end tag of an element whose contents are not shown as text.
func (t *tags) past(name string) {
	for {
		i := bytes.Index(t.doc[t.pos:], []byte("</"))
		if i < 0 {
			t.pos = len(t.doc)
			return
		}
		t.pos += i
		end := t.pos + 2 + len(name)
		if end <= len(t.doc) && bytes.EqualFold(t.doc[t.pos+2:end], []byte(name)) {
			return
		}
		t.pos += 2
	}
}
