package html

import "bytes"

// scanner is the state of one pass. pos is always the first byte not yet read.
type scanner struct {
	doc []byte
	pos int
	out *Document
	xml bool

	headOver  bool // the head element has ended
	noscript  bool // in a noscript element
	titleSeen bool
	selfFrag  bool // a fragment-only reference was already kept
	cut       uint8
	templates templates
	foreign   foreign
	attrs     attrs
	decoded   []byte // block for decoded values
	runs      *runs  // nil unless asked for

	// trace, if not nil, is told of each attribute ('a'), and then of the start
	// or end tag it stands in ('s', 'e'). Tests compare tokens by it.
	trace func(what byte, name, value []byte)
}

// What a limit cut, said once each.
const (
	cutRefs = 1 << iota
	cutValue
	cutTitle
	cutRobots
)

func (s *scanner) bounded(what uint8, sentence string) {
	if s.cut&what == 0 {
		s.cut |= what
		s.out.Bounded = append(s.out.Bounded, sentence)
	}
}

func (s *scanner) run() {
	if bytes.HasPrefix(s.doc, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	doc := s.doc
	for s.pos < len(doc) {
		n := bytes.IndexByte(doc[s.pos:], '<')
		if n < 0 {
			if s.runs != nil {
				s.runs.text(doc[s.pos:])
			}
			return
		}
		if n > 0 && !s.headOver {
			s.text(doc[s.pos : s.pos+n])
		}
		if n > 0 && s.runs != nil {
			s.runs.text(doc[s.pos : s.pos+n])
		}
		i := s.pos + n + 1
		if i >= len(doc) {
			return
		}
		switch c := doc[i]; {
		case class[c]&clAlpha != 0:
			s.startTag(i)
		case c == '/':
			s.slash(i + 1)
		case c == '!':
			s.markup(i + 1)
		case c == '?':
			s.pos = s.after(i, '>')
		default: // the '<' is text
			s.text(doc[i-1 : i])
			s.pos = i
		}
	}
}

// text notes text outside raw text elements: in the head, it ends the head.
func (s *scanner) text(t []byte) {
	if s.headOver || s.noscript || s.templates.depth > 0 {
		return
	}
	for _, c := range t {
		if !isSpace(c) {
			s.headOver = true
			return
		}
	}
}

// after returns the position behind the next c, or the end.
func (s *scanner) after(i int, c byte) int {
	if n := bytes.IndexByte(s.doc[i:], c); n >= 0 {
		return i + n + 1
	}
	return len(s.doc)
}

// slash reads what follows "</".
func (s *scanner) slash(i int) {
	switch {
	case i >= len(s.doc):
		s.pos = i
	case class[s.doc[i]]&clAlpha != 0:
		s.endTag(i)
	default: // "</>" is nothing, "</x" with x no letter is a bogus comment
		s.pos = s.after(i, '>')
	}
}

// markup reads what follows "<!".
func (s *scanner) markup(i int) {
	rest := s.doc[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		s.comment(i + 2)
	case bytes.HasPrefix(rest, []byte("[CDATA[")) && (s.xml || s.foreign.in()):
		if n := bytes.Index(rest, []byte("]]>")); n >= 0 {
			s.pos = i + n + 3
		} else {
			s.pos = len(s.doc)
		}
	default: // doctype, or a bogus comment: both end at the first '>'
		s.pos = s.after(i, '>')
	}
}

// comment reads a comment whose text starts at i.
func (s *scanner) comment(i int) {
	doc := s.doc
	if i < len(doc) && doc[i] == '>' {
		s.pos = i + 1
		return
	}
	if i+1 < len(doc) && doc[i] == '-' && doc[i+1] == '>' {
		s.pos = i + 2
		return
	}
	for {
		n := bytes.Index(doc[i:], []byte("--"))
		if n < 0 {
			s.pos = len(doc)
			return
		}
		i += n + 2
		for i < len(doc) && doc[i] == '-' {
			i++
		}
		if i < len(doc) && doc[i] == '>' {
			s.pos = i + 1
			return
		}
		if i+1 < len(doc) && doc[i] == '!' && doc[i+1] == '>' {
			s.pos = i + 2
			return
		}
	}
}
