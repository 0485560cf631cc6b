package softerror

import (
	"strings"
	"unicode"
)

// entry is a phrase as it is compared: words separated by one space, or, in
// writing without spaces, letters alone.
type entry struct {
	phrase
	norm  string
	words int
}

// The table, by first word; and the phrases of writing without spaces.
var byFirst, unspaced = func() (map[string][]entry, []entry) {
	first, bare := map[string][]entry{}, []entry(nil)
	for _, p := range phrases {
		n := normal(p.text)
		if dense(n) {
			bare = append(bare, entry{p, strings.ReplaceAll(n, " ", ""), 1})
			continue
		}
		w, _, _ := strings.Cut(n, " ")
		first[w] = append(first[w], entry{p, n, strings.Count(n, " ") + 1})
	}
	return first, bare
}()

var fillerWords, askingWords = wordSet(fillers), wordSet(firstPerson)

func wordSet(list string) map[string]struct{} {
	set := map[string]struct{}{}
	for w := range strings.FieldsSeq(normal(list)) {
		set[w] = struct{}{}
	}
	return set
}

// normal returns text in lower case, its words separated by one space and
// nothing else: apostrophes go, other punctuation separates.
func normal(text string) string {
	b := make([]byte, 0, len(text))
	gap := false
	for _, r := range text {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
		case r >= 'A' && r <= 'Z':
			r += 0x20
		case r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == 0xad:
			continue
		case r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
			r = unicode.ToLower(r)
		default:
			gap = len(b) > 0
			continue
		}
		if gap {
			b, gap = append(b, ' '), false
		}
		b = append(b, string(r)...)
	}
	return string(b)
}

// dense reports whether text is in a writing that sets no spaces, or, as Korean,
// sets them as its writers please.
func dense(text string) bool {
	for _, r := range text {
		if isDense(r) {
			return true
		}
	}
	return false
}

func isDense(r rune) bool {
	return r >= 0x0e00 && (r <= 0x0eff || r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3)
}

// find returns the phrase in normal text that says most, the longest of several.
func find(n string) (best entry, ok bool) {
	better := func(e entry) {
		if !ok || e.w > best.w || e.w == best.w && len(e.norm) > len(best.norm) {
			best, ok = e, true
		}
	}
	for rest := n; rest != ""; {
		w, tail, _ := strings.Cut(rest, " ")
		for _, e := range byFirst[w] {
			if p := e.norm; strings.HasPrefix(rest, p) && (len(rest) == len(p) || rest[len(p)] == ' ') {
				better(e)
			}
		}
		rest = tail
	}
	if dense(n) {
		bare := strings.ReplaceAll(n, " ", "")
		for _, e := range unspaced {
			if strings.Contains(bare, e.norm) {
				better(e)
			}
		}
	}
	return best, ok
}

// separators stand between the parts of a title.
const separators = "|–—·»«•:<>/-!.,。！、，；;…"

// says returns the phrase that is a whole part of a title or heading: beside it
// stand only words that say nothing. A question is none.
func says(text string) (entry, bool) {
	var best entry
	found := false
	for _, part := range append(parts(text), text) {
		if strings.ContainsAny(part, "?？؟") {
			continue
		}
		n := normal(part)
		e, ok := find(n)
		if ok && covers(n, &e) && (!found || e.w > best.w) {
			best, found = e, true
		}
	}
	return best, found
}

// parts splits a title at its separators; a hyphen in a word is none.
func parts(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		if !strings.ContainsRune(separators, r) {
			continue
		}
		if r == '-' && !(i > 0 && text[i-1] == ' ') {
			continue
		}
		if p := text[start:i]; strings.TrimSpace(p) != "" {
			out = append(out, p)
		}
		start = i + len(string(r))
		if len(out) > 16 {
			break
		}
	}
	if start > 0 && start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// covers reports whether a part of a title says hardly more than the phrase.
func covers(n string, e *entry) bool {
	if dense(e.norm) {
		letters, own := 0, 0
		for _, r := range n {
			if r != ' ' && !(r >= '0' && r <= '9') {
				letters++
			}
		}
		for range e.norm {
			own++
		}
		return own*2 >= letters
	}
	i := strings.Index(" "+n+" ", " "+e.norm+" ")
	if i < 0 {
		return false
	}
	rest := n[:max(0, i-1)] + " " + n[min(len(n), i+len(e.norm)):]
	words, idle := 0, 0
	for w := range strings.FieldsSeq(rest) {
		words++
		if _, ok := fillerWords[w]; ok {
			idle++
		}
	}
	// One word more may stand beside a phrase of three.
	return (words-idle)*3 <= e.words
}
