package html

import (
	"encoding/binary"
	"slices"
)

// runs gathers what a document says, as hashes of its runs of text (what stands
// between two tags) and of the addresses of its pictures, sounds and films. Two
// pages of an endless space that only differ in a number, a date or in words of
// their own address have the same runs; two real pages hardly ever have. Case,
// punctuation, whole numbers of up to four digits, and the English names of
// months and weekdays are not part of a run (house choices); longer numbers and
// those with decimals are, so that a table of figures is no blank page.
type runs struct {
	short wordLengths // of the words that are left out
	drop  []string
	list  []uint32 // not yet sorted, nor each once
	cut   bool
	word  []byte
}

func newRuns(drop []string) *runs {
	r := &runs{drop: drop, short: dateShort}
	for _, w := range drop {
		r.short.add(w)
	}
	return r
}

// wordLengths has, by the first two letters of words, their lengths as bits: a
// quick no for nearly every word that is not one of them. Words of more than 15
// bytes share a bit.
type wordLengths [32 * 32]uint16

func (l *wordLengths) add(w string) {
	if len(w) >= 2 {
		l[int(w[0]&31)<<5|int(w[1]&31)] |= 1 << min(len(w), 15)
	}
}

// sorted returns the runs, each once.
func (r *runs) sorted() []uint32 {
	r.compact()
	return r.list
}

func (r *runs) compact() {
	slices.Sort(r.list)
	if r.list = slices.Compact(r.list); len(r.list) > MaxRuns {
		r.list, r.cut = r.list[:MaxRuns], true
	}
}

func (r *runs) add(h uint64) {
	if r.cut {
		return
	}
	if len(r.list) >= 2*MaxRuns {
		r.compact()
	}
	r.list = append(r.list, uint32(h^h>>32))
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// value keeps an address as it stands.
func (r *runs) value(v []byte) {
	if v = trim(v); len(v) > 0 {
		h := uint64(fnvOffset)
		for _, c := range v {
			h = (h ^ uint64(c)) * fnvPrime
		}
		r.add(h)
	}
}

// text keeps one run.
func (r *runs) text(t []byte) {
	h, words := uint64(fnvOffset), 0
	for i := 0; i < len(t); {
		c := t[i]
		switch {
		case class[c]&clAlpha != 0 || c >= 0x80:
			start, high := i, byte(0)
			for i < len(t) && (class[t[i]]&clAlpha != 0 || t[i] >= 0x80) {
				high |= t[i]
				i++
			}
			if !r.leaves(t[start:i]) {
				h = hashWord(h, t[start:], i-start, high < 0x80)
				words++
			}
		case '0' <= c && c <= '9':
			start, plain := i, true
			for i < len(t) && ('0' <= t[i] && t[i] <= '9' || i+1 < len(t) && (t[i] == '.' || t[i] == ',') && '0' <= t[i+1] && t[i+1] <= '9') {
				plain = plain && t[i] != '.' && t[i] != ','
				i++
			}
			if (!plain || i-start > 4) && !r.leaves(t[start:i]) {
				h = hashWord(h, t[start:], i-start, false)
				words++
			}
		default:
			i++
		}
	}
	if words > 0 {
		r.add(h)
	}
}

// hashWord adds the first n bytes of w to h, eight at a time; letters of ASCII in
// lower case.
func hashWord(h uint64, w []byte, n int, letters bool) uint64 {
	fold := uint64(0)
	if letters {
		fold = 0x2020202020202020
	}
	for ; n > 0; w, n = w[min(8, len(w)):], n-8 {
		var v uint64
		if len(w) >= 8 {
			v = binary.LittleEndian.Uint64(w)
		} else {
			for k := len(w) - 1; k >= 0; k-- {
				v = v<<8 | uint64(w[k])
			}
		}
		v |= fold
		if n < 8 {
			v &= 1<<(8*n) - 1
		}
		h = (h ^ v) * fnvPrime
		h ^= h >> 29
	}
	return (h ^ ' ') * fnvPrime
}

// leaves reports whether a word is left out.
func (r *runs) leaves(w []byte) bool {
	if len(w) > 1 && r.short[int(w[0]&31)<<5|int(w[1]&31)]&(1<<min(len(w), 15)) == 0 {
		return false // nearly always
	}
	r.word = r.word[:0]
	for _, c := range w {
		r.word = append(r.word, lower[c])
	}
	_, date := dateWords[string(r.word)]
	return date || slices.Contains(r.drop, string(r.word))
}

// dateWords are the English names of months and weekdays, and their first two
// and three letters; dateShort has their lengths by first byte. Calendars in other
// languages repeat after twelve months.
var dateWords, dateShort = func() (map[string]struct{}, wordLengths) {
	words, short := map[string]struct{}{}, wordLengths{}
	for _, name := range [...]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
	} {
		for _, w := range []string{name, name[:3], name[:2]} {
			words[w] = struct{}{}
			short.add(w)
		}
	}
	return words, short
}()

// isMedia reports whether the element shows what its src names.
func isMedia(k uint64) bool {
	switch k {
	case nImg, nVideo, nAudio, nSource, nEmbed, nIframe, nFrame:
		return true
	}
	return false
}
