package compare

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/zeebo/xxh3"
)

const (
	maxText  = 2 << 20 // bytes of a body whose text is compared
	maxLines = 50_000
	maxLine  = 500 // bytes of a line; a longer one goes on in the next
)

// text is what a body says to a reader, in lines.
type text struct {
	lines []string
	words int
	bag   map[uint64]int // words, how often
	hash  uint64         // simhash of the words
	cut   bool
}

// readText takes the lines of a body. Of HTML these are what stands outside of
// tags, scripts, styles and comments; a block element ends a line.
func readText(body []byte, isHTML bool) *text {
	t := &text{bag: map[uint64]int{}}
	if len(body) > maxText {
		body, t.cut = body[:maxText], true
	}
	plain := body
	if isHTML {
		plain = strip(body)
	}
	var votes [64]int
	for line := range bytes.Lines(plain) {
		words := bytes.Fields(line)
		for _, w := range words {
			h := xxh3.Hash(w)
			t.bag[h]++
			for b := range votes {
				votes[b] += int(h>>b&1)*2 - 1
			}
		}
		t.words += len(words)
		t.add(strings.ToValidUTF8(string(bytes.Join(words, []byte(" "))), "\uFFFD"))
	}
	for b, v := range votes {
		if v > 0 {
			t.hash |= 1 << b
		}
	}
	return t
}

// add keeps a line that is not empty, in pieces.
func (t *text) add(line string) {
	for line != "" {
		if len(t.lines) >= maxLines {
			t.cut = true
			return
		}
		piece := line
		if len(piece) > maxLine {
			at := strings.LastIndexByte(piece[:maxLine], ' ')
			if at <= 0 {
				at = maxLine
			}
			piece = piece[:at]
		}
		t.lines = append(t.lines, strings.ToValidUTF8(piece, ""))
		line = strings.TrimLeft(line[len(piece):], " ")
	}
}

// similarity is the share of words that two texts have in common, each as often
// as it stands in both: 1 = the same words (Sørensen and Dice).
func similarity(a, b *text) float64 {
	if a == nil || b == nil {
		return 0
	}
	if a.words+b.words == 0 {
		return 1
	}
	common := 0
	for w, n := range a.bag {
		common += min(n, b.bag[w])
	}
	return 2 * float64(common) / float64(a.words+b.words)
}

func distance(a, b *text) int {
	if a == nil || b == nil {
		return 64
	}
	return bits.OnesCount64(a.hash ^ b.hash)
}

// inline elements do not end a line of text.
var inline = []string{"a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}

// hidden elements hold no text for a reader.
var hidden = []string{"script", "style", "template", "noscript", "svg"}

// strip removes the markup of HTML. It reads each byte once or twice and never
// fails; entities stay as they are, which is the same on both sides.
func strip(doc []byte) []byte {
	out := make([]byte, 0, len(doc)/2)
	lower := bytes.ToLower(doc) // ASCII letters keep their places; others are searched only
	if len(lower) != len(doc) {
		lower = doc
	}
	for i := 0; i < len(doc); {
		lt := bytes.IndexByte(doc[i:], '<')
		if lt < 0 {
			return append(out, spaces(doc[i:])...)
		}
		out = append(out, spaces(doc[i:i+lt])...)
		i += lt
		if bytes.HasPrefix(doc[i:], []byte("<!--")) {
			i = after(doc, i+4, "-->")
			continue
		}
		name := tagName(lower[i+1:])
		if name == "" {
			out = append(out, '<')
			i++
			continue
		}
		i = after(doc, i+1, ">")
		end, closing := strings.CutPrefix(name, "/")
		switch {
		case !closing && has(hidden, name):
			i = after(lower, i, "</"+name)
			i = after(doc, i, ">")
			out = append(out, '\n')
		case !has(inline, end):
			out = append(out, '\n')
		}
	}
	return out
}

// spaces makes one line of text between two tags: where lines end in the source
// says nothing.
func spaces(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte(" ")) }

// after returns the place behind the next mark, or the end.
func after(doc []byte, from int, mark string) int {
	if from >= len(doc) {
		return len(doc)
	}
	at := bytes.Index(doc[from:], []byte(mark))
	if at < 0 {
		return len(doc)
	}
	return from + at + len(mark)
}

// tagName reads the name behind a "<", with the slash of an end tag; "" = none.
func tagName(b []byte) string {
	n := 0
	if n < len(b) && (b[n] == '/' || b[n] == '!' || b[n] == '?') {
		n++
	}
	start := n
	for n < len(b) && n < 20 && (b[n] >= 'a' && b[n] <= 'z' || b[n] >= '0' && b[n] <= '9') {
		n++
	}
	if n == start && (n == 0 || b[0] == '/') || n > start && b[start] <= '9' {
		return ""
	}
	return string(b[:n])
}

func has(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}
