package sitemap

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// name is an element's name, both parts aliasing the document.
type name struct{ prefix, local string }

// parser reads the XML formats in one pass, forgiving what is not well-formed.
type parser struct {
	doc   []byte
	pos   int
	out   *Sitemap
	stack [maxDepth]name
	depth int // elements open; those beyond maxDepth have no name
	done  bool

	linePos, line int // lines counted up to linePos

	entry   draft
	capture *field // where text goes; nil = nowhere
	buf     []byte
}

func (p *parser) run() {
	for p.pos < len(p.doc) && !p.done {
		n := bytes.IndexByte(p.doc[p.pos:], '<')
		if n < 0 {
			break
		}
		p.chars(p.doc[p.pos:p.pos+n], true)
		p.pos += n
		p.markup()
	}
	if !p.done && p.depth > 0 && !p.out.Truncated {
		p.out.issue(ClassCutOff, p.lineAt(len(p.doc)), len(p.doc), "The sitemap is cut off: its elements are not closed.")
	}
	if !p.done && p.entry.open && (p.entry.loc.text != "" || !p.out.Truncated) {
		p.finish()
	}
	if p.out.Format == "" && len(p.out.Issues) == 0 {
		p.out.issue(ClassFormat, 0, 0, "It is no sitemap: it has no element that a sitemap has.")
	}
}

// lineAt returns the line of a position; positions must not go back.
func (p *parser) lineAt(pos int) int {
	p.line += bytes.Count(p.doc[p.linePos:pos], []byte{'\n'})
	p.linePos = pos
	return p.line + 1
}

// markup reads what starts with the '<' at pos.
func (p *parser) markup() {
	rest := p.doc[p.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		n := bytes.Index(rest, []byte("]]>"))
		if n < 0 {
			p.pos = len(p.doc)
			return
		}
		p.chars(rest[len("<![CDATA["):n], false)
		p.pos += n + 3
	case bytes.HasPrefix(rest, []byte("<!--")):
		p.skip("-->", 4)
	case bytes.HasPrefix(rest, []byte("<?")):
		p.skip("?>", 2)
	case bytes.HasPrefix(rest, []byte("<!")):
		p.doctype()
	case len(rest) > 1 && rest[1] == '/':
		p.endTag()
	case len(rest) > 1 && (rest[1] >= utf8.RuneSelf || rest[1] == '_' || 'a' <= rest[1]|0x20 && rest[1]|0x20 <= 'z'):
		p.startTag()
	default:
		p.chars(rest[:1], false)
		p.pos++
	}
}

func (p *parser) skip(end string, from int) {
	if n := bytes.Index(p.doc[p.pos+from:], []byte(end)); n >= 0 {
		p.pos += from + n + len(end)
	} else {
		p.pos = len(p.doc)
	}
}

// doctype skips a doctype with its internal subset. Nothing in it is read, so
// no entity of it exists.
func (p *parser) doctype() {
	depth, quote := 0, byte(0)
	for i := p.pos + 2; i < len(p.doc); i++ {
		switch c := p.doc[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && depth > 0:
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '>' && depth <= 0:
			if bytes.IndexByte(p.doc[p.pos:i], '[') >= 0 {
				p.out.issue(ClassDoctype, p.lineAt(p.pos), p.pos, "The definitions of the document type are not read: entities that it defines stay as they are.")
			}
			p.pos = i + 1
			return
		}
	}
	p.pos = len(p.doc)
}

// tagEnd returns the position of the '>' of the tag at pos, outside quotes.
func (p *parser) tagEnd() int {
	for i := p.pos + 1; i < len(p.doc); i++ {
		switch c := p.doc[i]; c {
		case '>':
			return i
		case '"', '\'':
			n := bytes.IndexByte(p.doc[i+1:], c)
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
}

func splitName(b []byte) name {
	if n := bytes.IndexByte(b, ':'); n >= 0 {
		return name{prefix: string(b[:n]), local: string(b[n+1:])}
	}
	return name{local: string(b)}
}

func (p *parser) startTag() {
	end := p.tagEnd()
	if end < 0 {
		p.pos = len(p.doc)
		return
	}
	tag := p.doc[p.pos+1 : end]
	at := p.pos
	p.pos = end + 1
	empty := bytes.HasSuffix(tag, []byte("/"))
	if empty {
		tag = tag[:len(tag)-1]
	}
	n := bytes.IndexAny(tag, "\t\n\r /")
	if n < 0 {
		n = len(tag)
	}
	if p.depth >= maxDepth {
		if !empty {
			p.depth++
		}
		return
	}
	el := splitName(tag[:n])
	p.start(el, tag[n:], at)
	if p.done {
		return
	}
	p.stack[p.depth] = el
	p.depth++
	if empty {
		p.close(p.depth - 1)
	}
}

func (p *parser) endTag() {
	end := bytes.IndexByte(p.doc[p.pos:], '>')
	if end < 0 {
		p.pos = len(p.doc)
		return
	}
	tag := bytes.TrimRight(p.doc[p.pos+2:p.pos+end], "\t\n\r ")
	p.pos += end + 1
	if p.depth > maxDepth {
		p.depth--
		return
	}
	el := splitName(tag)
	for i := p.depth - 1; i >= 0; i-- {
		if p.stack[i] == el {
			p.close(i)
			return
		}
	}
}

// close ends the open elements from depth i on.
func (p *parser) close(i int) {
	for p.depth > i && !p.done {
		p.depth--
		p.end()
	}
}

// chars adds text to what is captured, as far as the limit goes.
func (p *parser) chars(b []byte, references bool) {
	if p.capture == nil || len(b) == 0 || len(p.buf) > MaxLoc {
		return
	}
	b = b[:min(len(b), 2*MaxLoc)]
	if references && bytes.IndexByte(b, '&') >= 0 {
		p.buf = appendUnescaped(p.buf, b)
	} else {
		p.buf = append(p.buf, b...)
	}
}

// attribute returns the value of an attribute, by its local name.
func attribute(attrs []byte, local string) (string, bool) {
	for len(attrs) > 0 {
		attrs = bytes.TrimLeft(attrs, "\t\n\r /")
		eq := bytes.IndexByte(attrs, '=')
		if eq < 0 {
			return "", false
		}
		found := splitName(bytes.TrimRight(attrs[:eq], "\t\n\r ")).local == local
		attrs = bytes.TrimLeft(attrs[eq+1:], "\t\n\r ")
		if len(attrs) == 0 || attrs[0] != '"' && attrs[0] != '\'' {
			return "", false
		}
		n := bytes.IndexByte(attrs[1:], attrs[0])
		if n < 0 {
			return "", false
		}
		if found {
			v := attrs[1 : 1+n]
			return strings.Trim(string(appendUnescaped(nil, v[:min(len(v), 2*MaxLoc)])), "\t\n\r "), true
		}
		attrs = attrs[n+2:]
	}
	return "", false
}

// appendUnescaped decodes the five entities of XML and numeric references. Any
// other reference stays as it is.
func appendUnescaped(dst, b []byte) []byte {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '&')
		if n < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:n]...)
		b = b[n:]
		end := bytes.IndexByte(b[:min(len(b), 12)], ';')
		if end < 0 {
			dst, b = append(dst, '&'), b[1:]
			continue
		}
		if r, ok := entity(string(b[1:end])); ok {
			dst = utf8.AppendRune(dst, r)
		} else {
			dst = append(dst, b[:end+1]...)
		}
		b = b[end+1:]
	}
	return dst
}

func entity(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0, false
	}
	base := 10
	if len(digits) > 0 && digits[0]|0x20 == 'x' {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseUint(digits, base, 21)
	if err != nil || v == 0 || !utf8.ValidRune(rune(v)) {
		return 0, false
	}
	return rune(v), true
}
