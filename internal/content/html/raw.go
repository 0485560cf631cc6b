package html

import "bytes"

// rawText returns the position of the "</name" that ends the raw text which
// starts at i, or the end of the document.
func (s *scanner) rawText(i int, name string) int {
	doc := s.doc
	for {
		n := bytes.IndexByte(doc[i:], '<')
		if n < 0 {
			return len(doc)
		}
		i += n
		if s.endTagAt(i, name) {
			return i
		}
		i++
	}
}

// endTagAt reports whether the end tag of name starts at i.
func (s *scanner) endTagAt(i int, name string) bool {
	doc := s.doc
	if i+1 >= len(doc) || doc[i+1] != '/' {
		return false
	}
	return s.nameAt(i+2, name)
}

// nameAt reports whether the whole tag name at i is name.
func (s *scanner) nameAt(i int, name string) bool {
	end := i + len(name)
	return end < len(s.doc) && equalFold(s.doc[i:end], name) && class[s.doc[end]]&clNameEnd != 0
}

// script returns the position of the "</script" that ends the script data
// which starts at i, or the end of the document. A script that opens a comment
// and in it another script is "double escaped": its first "</script" ends only
// the inner one.
func (s *scanner) script(i int) int {
	const (
		plain = iota
		escaped
		double
	)
	doc := s.doc
	state := plain
	for i < len(doc) {
		if state == plain {
			n := bytes.IndexByte(doc[i:], '<')
			if n < 0 {
				return len(doc)
			}
			i += n
			if s.endTagAt(i, "script") {
				return i
			}
			if bytes.HasPrefix(doc[i:], []byte("<!--")) {
				state = escaped
				i += 2 // its dashes may be those of "-->"
				continue
			}
			i++
			continue
		}
		switch doc[i] {
		case '-':
			if bytes.HasPrefix(doc[i:], []byte("-->")) {
				state = plain
				i += 3
				continue
			}
		case '<':
			switch {
			case state == escaped && s.endTagAt(i, "script"):
				return i
			case state == escaped && s.nameAt(i+1, "script"):
				state = double
			case state == double && s.endTagAt(i, "script"):
				state = escaped
			}
		}
		i++
	}
	return len(doc)
}
