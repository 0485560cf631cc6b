package html

import "bytes"

// attr names an attribute that matters.
type attr uint8

const (
	aHref attr = iota
	aSrc
	aRel
	aName
	aContent
	aHTTPEquiv
	aCharset
	aHreflang
	aMedia
	aType
	aLang
	aShadow
	numAttrs
)

// attrs holds the attributes of the tag being read that matter: the first of
// each name, as offsets into the document.
type attrs struct {
	got        uint16
	start, end [numAttrs]int
}

func (a *attrs) has(x attr) bool { return a.got&(1<<x) != 0 }

// raw returns the value as it stands in the document.
func (s *scanner) raw(x attr) []byte {
	if !s.attrs.has(x) {
		return nil
	}
	return s.doc[s.attrs.start[x]:s.attrs.end[x]]
}

// value returns the value decoded, and nil if it is missing or too long.
func (s *scanner) value(x attr) []byte {
	v := s.raw(x)
	if len(v) > MaxValue {
		s.bounded(cutValue, "An attribute value of more than 8 KiB was ignored.")
		return nil
	}
	n := plain(v)
	if n == len(v) {
		return v
	}
	// Decoded values share blocks: a page has hundreds, each a few bytes long.
	const block = 4 << 10
	if cap(s.decoded)-len(s.decoded) < len(v)+8 {
		s.decoded = make([]byte, 0, max(block, len(v)+8))
	}
	start := len(s.decoded)
	s.decoded = appendDecoded(s.decoded, v, n, true)
	return s.decoded[start:len(s.decoded):len(s.decoded)]
}

func (s *scanner) record(nameStart, nameEnd, valStart, valEnd int) {
	name := s.doc[nameStart:nameEnd]
	if s.trace != nil {
		s.trace('a', name, s.doc[valStart:valEnd])
	}
	var x attr
	switch key(name) {
	case kHref:
		x = aHref
	case kSrc:
		x = aSrc
	case kRel:
		x = aRel
	case kName:
		x = aName
	case kContent:
		x = aContent
	case kCharset:
		x = aCharset
	case kHreflang:
		x = aHreflang
	case kMedia:
		x = aMedia
	case kType:
		x = aType
	case kLang:
		x = aLang
	default:
		switch {
		case equalFold(name, "http-equiv"):
			x = aHTTPEquiv
		case equalFold(name, "shadowrootmode"):
			x = aShadow
		default:
			return
		}
	}
	if !s.attrs.has(x) { // of duplicates the first counts
		s.attrs.got |= 1 << x
		s.attrs.start[x], s.attrs.end[x] = valStart, valEnd
	}
}

// tagRest reads a tag from behind its name to behind its '>', keeping the
// attributes that matter if want is set. ok is false if the document ends in
// the tag: then there is no tag.
func (s *scanner) tagRest(i int, want bool) (selfClosing, ok bool) {
	doc := s.doc
	if want {
		s.attrs.got = 0
	}
	for {
		slash := false
		for i < len(doc) && (isSpace(doc[i]) || doc[i] == '/') {
			slash = doc[i] == '/'
			i++
		}
		if i >= len(doc) {
			break
		}
		if doc[i] == '>' {
			s.pos = i + 1
			return slash, true
		}
		nameStart := i
		i++ // the first byte belongs to the name, even if it is '='
		for i < len(doc) && class[doc[i]]&clAttrEnd == 0 {
			i++
		}
		nameEnd := i
		for i < len(doc) && isSpace(doc[i]) {
			i++
		}
		if i >= len(doc) {
			break
		}
		valStart, valEnd := i, i
		if doc[i] == '=' {
			var next int
			if valStart, valEnd, next, ok = s.attrValue(i + 1); !ok {
				break
			}
			i = next
		}
		if want {
			s.record(nameStart, nameEnd, valStart, valEnd)
		}
	}
	s.pos = len(doc)
	return false, false
}

// attrValue reads the value behind a '=' at i.
func (s *scanner) attrValue(i int) (start, end, next int, ok bool) {
	doc := s.doc
	for i < len(doc) && isSpace(doc[i]) {
		i++
	}
	if i >= len(doc) {
		return 0, 0, 0, false
	}
	switch c := doc[i]; c {
	case '"', '\'':
		i++
		n := bytes.IndexByte(doc[i:], c)
		if n < 0 {
			return 0, 0, 0, false
		}
		return i, i + n, i + n + 1, true
	case '>':
		return i, i, i, true
	}
	start = i
	for i < len(doc) && !isSpace(doc[i]) && doc[i] != '>' {
		i++
	}
	return start, i, i, i < len(doc)
}
