package html

// name returns the end of the tag name at i and its packed form.
func (s *scanner) name(i int) (end int, k uint64) {
	doc := s.doc
	start := i
	for i < len(doc) && class[doc[i]]&clNameEnd == 0 {
		k = k<<8 | uint64(lower[doc[i]])
		i++
	}
	if i-start > 8 {
		k = 0
	}
	return i, k
}

// startTag reads a start tag whose name is at i, and its contents if they are
// raw text.
func (s *scanner) startTag(i int) {
	end, k := s.name(i)
	point, foreign := false, false
	if s.foreign.depth > 0 && s.foreign.in() {
		point, foreign = s.startForeign(s.doc[i:end], k)
	}
	selfClosing, ok := s.tagRest(end, s.trace != nil || wanted(k) || s.runs != nil && isMedia(k))
	if !ok {
		return
	}
	if s.trace != nil {
		s.trace('s', s.doc[i:end], nil)
	}
	if k == nSvg || k == nMath {
		s.leaveHead()
		if !selfClosing {
			s.foreign.push(foreignOf(k))
		}
		return
	}
	if foreign {
		if point && !selfClosing {
			s.foreign.push(nodePoint)
		}
		if k == nA && !s.templates.inside() {
			s.anchor()
		}
		return
	}
	s.htmlTag(i, end, k, s.xml && selfClosing)
}

func foreignOf(k uint64) foreignNode {
	if k == nMath {
		return nodeMath
	}
	return nodeSVG
}

// wanted reports whether the attributes of the element matter.
func wanted(k uint64) bool {
	switch k {
	case nA, nArea, nBase, nFrame, nIframe, nLink, nMeta, nTemplate:
		return true
	}
	return false
}

// leaveHead notes an element that does not belong in the head.
func (s *scanner) leaveHead() {
	if !s.headOver && !s.noscript && s.templates.depth == 0 {
		s.headOver = true
	}
}

// htmlTag acts on the start tag of an HTML element. empty is set if its end tag
// is not to be expected.
func (s *scanner) htmlTag(i, end int, k uint64, empty bool) {
	inert := s.templates.inside()
	switch k {
	case nHTML, nHead, nBasefont, nBgsound:
		return // the head goes on
	case nBase:
		if !inert && !s.noscript {
			s.base()
		}
		return
	case nLink:
		if !inert {
			s.link()
		}
		return
	case nMeta:
		if !inert && !s.noscript {
			s.meta()
		}
		return
	case nNoscript:
		s.noscript = !empty
		return
	case nTemplate:
		if !empty {
			s.templates.push(!shadowRoot(s.raw(aShadow)))
		}
		return
	case nTitle:
		if !empty {
			s.title(inert)
		}
		return
	case nScript:
		if !empty {
			s.pos = s.script(s.pos)
		}
		return
	case nStyle, nNoframes:
		if !empty {
			s.skipRaw(k)
		}
		return
	case nBody:
		s.noscript = false // a noscript of the head that was never closed
	}
	s.bodyTag(i, end, k, inert, empty)
}

// bodyTag acts on the start tag of an element that does not belong in the head.
func (s *scanner) bodyTag(i, end int, k uint64, inert, empty bool) {
	s.leaveHead()
	if s.runs != nil && isMedia(k) {
		s.runs.value(s.raw(aSrc))
	}
	switch k {
	case nA, nArea:
		if !inert {
			s.anchor()
		}
	case nFrame, nIframe:
		if !inert {
			s.frame()
		}
		if k == nIframe && !empty {
			s.skipRaw(k)
		}
	case nH1:
		if !inert && s.out.HeadingAt == 0 {
			s.out.HeadingAt = s.pos
		}
	case nTextarea, nXmp, nNoembed:
		if !empty {
			s.skipRaw(k)
		}
	case 0:
		if equalFold(s.doc[i:end], "plaintext") {
			s.pos = len(s.doc)
		}
	}
}

func shadowRoot(mode []byte) bool { return equalFold(mode, "open") || equalFold(mode, "closed") }

// skipRaw goes to the end tag of a raw text element.
func (s *scanner) skipRaw(k uint64) {
	name := ""
	switch k {
	case nIframe:
		name = "iframe"
	case nNoembed:
		name = "noembed"
	case nNoframes:
		name = "noframes"
	case nStyle:
		name = "style"
	case nTextarea:
		name = "textarea"
	case nXmp:
		name = "xmp"
	}
	s.pos = s.rawText(s.pos, name)
}

// endTag reads an end tag whose name is at i.
func (s *scanner) endTag(i int) {
	end, k := s.name(i)
	if _, ok := s.tagRest(end, false); !ok {
		return
	}
	if s.trace != nil {
		s.trace('e', s.doc[i:end], nil)
	}
	if s.foreign.depth > 0 {
		s.endForeign(s.doc[i:end], k)
	}
	switch k {
	case nNoscript:
		s.noscript = false
	case nTemplate:
		if !s.foreign.in() {
			s.templates.pop()
		}
	case nHead:
		s.noscript = false
	case nBody, nHTML, nBr:
		s.leaveHead()
	}
}
