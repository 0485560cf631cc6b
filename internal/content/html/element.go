package html

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// ref keeps a reference.
func (s *scanner) ref(value []byte, kind Kind, noFollow bool) {
	if len(s.out.Refs) >= MaxRefs {
		s.bounded(cutRefs, "Links after the first 200,000 references were not read.")
		return
	}
	s.out.Refs = append(s.out.Refs, Ref{Value: value, Kind: kind, NoFollow: noFollow})
}

// anchor reads an a or area element.
func (s *scanner) anchor() {
	if !s.attrs.has(aHref) {
		return
	}
	v := trim(s.value(aHref))
	if s.attrs.end[aHref]-s.attrs.start[aHref] > MaxValue {
		return
	}
	if len(v) > 0 && v[0] == '#' { // the page itself, or the base: once is enough
		if s.selfFrag {
			return
		}
		s.selfFrag = true
	}
	s.ref(v, KindLink, s.noFollow())
}

func (s *scanner) noFollow() bool {
	if !s.attrs.has(aRel) {
		return false
	}
	rel := s.value(aRel)
	return hasToken(rel, "nofollow") || hasToken(rel, "ugc") || hasToken(rel, "sponsored")
}

func (s *scanner) frame() {
	if v := trim(s.value(aSrc)); len(v) > 0 {
		s.ref(v, KindFrame, false)
	}
}

func (s *scanner) base() {
	if s.out.Base == nil && s.attrs.has(aHref) {
		s.out.Base = append([]byte{}, trim(s.value(aHref))...)
	}
}

// link reads a link element.
func (s *scanner) link() {
	if !s.attrs.has(aRel) || !s.attrs.has(aHref) {
		return
	}
	rel := s.value(aRel)
	href := trim(s.value(aHref))
	switch {
	case hasToken(rel, "canonical"):
		s.canonical(href)
	case len(href) == 0:
	case hasToken(rel, "stylesheet"):
	case hasToken(rel, "alternate"):
		if s.alternate() {
			s.ref(href, KindAlternate, s.noFollow())
		}
	case hasToken(rel, "next"), hasToken(rel, "prev"), hasToken(rel, "previous"):
		s.ref(href, KindPagination, s.noFollow())
	}
}

func (s *scanner) canonical(href []byte) {
	switch {
	case s.noscript:
	case s.headOver:
		s.note("A canonical link outside the head was ignored.")
	case s.attrs.has(aHreflang) || s.attrs.has(aMedia) || s.attrs.has(aType) || s.attrs.has(aLang):
		s.note("A canonical link with hreflang, lang, media or type was ignored: it names another version, not the canonical one.")
	case len(href) == 0:
		s.note("A canonical link with an empty href was ignored.")
	default:
		s.ref(href, KindCanonical, false)
	}
}

// alternate reports whether a rel=alternate names something to crawl: a page in
// another language or for another device, or a feed; not an oEmbed or JSON API.
func (s *scanner) alternate() bool {
	if s.attrs.has(aHreflang) || !s.attrs.has(aType) {
		return true
	}
	t, _, _ := bytes.Cut(s.value(aType), []byte(";"))
	switch t = trim(t); {
	case len(t) == 0, equalFold(t, "text/html"), equalFold(t, "application/xhtml+xml"),
		equalFold(t, "application/rss+xml"), equalFold(t, "application/atom+xml"):
		return true
	}
	return false
}

const maxNotes = 32

func (s *scanner) note(sentence string) {
	if len(s.out.Notes) < maxNotes {
		for _, n := range s.out.Notes {
			if n == sentence {
				return
			}
		}
		s.out.Notes = append(s.out.Notes, sentence)
	}
}

// meta reads a meta element.
func (s *scanner) meta() {
	early := s.pos <= MaxCharsetAt
	switch {
	case s.attrs.has(aCharset):
		if early {
			s.charset(string(s.value(aCharset)))
		}
	case !s.attrs.has(aContent):
	case s.attrs.has(aHTTPEquiv):
		equiv := trim(s.value(aHTTPEquiv))
		switch {
		case equalFold(equiv, "content-type") && early:
			s.charset(charsetIn(s.value(aContent)))
		case equalFold(equiv, "refresh") && s.out.Refresh == nil:
			if r, ok := ParseRefresh(string(s.value(aContent))); ok {
				s.out.Refresh = &r
			}
		}
	}
	if s.attrs.has(aName) && s.attrs.has(aContent) {
		s.robots()
	}
}

func (s *scanner) charset(label string) {
	if label = strings.ToLower(strings.Trim(label, "\t\n\f\r \"'")); label != "" && s.out.Charset == "" {
		s.out.Charset = label
	}
}

// robots keeps a meta element whose content has a word of the robots rules:
// which names are listened to is the caller's business.
func (s *scanner) robots() {
	content := s.value(aContent)
	if !mayHoldRules(content) {
		return
	}
	if len(s.out.Robots) >= MaxRobots {
		s.bounded(cutRobots, "Robots meta elements after the first 64 were not read.")
		return
	}
	s.out.Robots = append(s.out.Robots, RobotsMeta{
		Name:    strings.ToLower(string(trim(s.value(aName)))),
		Content: string(content),
	})
}

// ruleWords start the words of the robots rules that forbid or bound something.
var ruleWords = [...]string{
	"noindex", "nofollow", "none", "noarchive", "nocache", "nosnippet", "noimageindex", "notranslate", "nositelinkssearchbox",
	"max-", "indexifembedded", "unavailable_after",
}

// mayHoldRules keeps descriptions, viewports and the like out of the list.
func mayHoldRules(content []byte) bool {
	for i, c := range content {
		switch lower[c] {
		case 'n', 'm', 'i', 'u':
			for _, w := range ruleWords {
				if rest := content[i:]; len(rest) >= len(w) && equalFold(rest[:len(w)], w) {
					return true
				}
			}
		}
	}
	return false
}

// title reads the contents of a title element and keeps the first.
func (s *scanner) title(inert bool) {
	start := s.pos
	s.pos = s.rawText(start, "title")
	if s.runs != nil && !inert {
		s.runs.text(s.doc[start:s.pos])
	}
	if s.titleSeen || inert {
		return
	}
	s.titleSeen = true
	raw := s.doc[start:s.pos]
	if len(raw) > MaxValue {
		raw = raw[:MaxValue]
		s.bounded(cutTitle, "The title was cut at 1 KiB.")
	}
	t := strings.Join(strings.Fields(string(decode(raw, false))), " ")
	if len(t) > MaxTitle {
		s.bounded(cutTitle, "The title was cut at 1 KiB.")
		t = t[:MaxTitle]
		for len(t) > 0 {
			if r, n := utf8.DecodeLastRuneInString(t); r != utf8.RuneError || n > 1 {
				break
			}
			t = t[:len(t)-1]
		}
	}
	s.out.Title = t
}
