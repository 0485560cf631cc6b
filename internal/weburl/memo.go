package weburl

import (
	"encoding/binary"

	"trawl/internal/crawl"
)

// memo keeps what the references of a page resolved to: of the links of real
// pages, more than half only differ from an earlier one in their fragment. A
// repeated one costs no allocation, and is the same string.
type memo [memoSlots]memoSlot

type memoSlot struct {
	url  crawl.URL // "" = free
	size uint8
	ref  [memoRef]byte
}

// All are house choices, measured on documentation pages.
const (
	memoSlots = 32
	memoRef   = 55 // bytes of the longest reference that is kept
	memoAfter = 16 // references resolved before it pays
)

// remember notes what in resolved to. The memo is made when there are enough
// references for it to pay.
func (b *Base) remember(in []byte, u crawl.URL) {
	if b.memo == nil {
		if b.resolved++; b.resolved < memoAfter || !b.valid() {
			b.resolved %= memoAfter
			return
		}
		b.memo = new(memo)
	}
	b.memo.keep(in, u)
}

// slot mixes the length and both ends of a reference, which is enough to tell
// the links of a page apart.
func (m *memo) slot(in []byte) *memoSlot {
	var a, z uint64
	if len(in) >= 8 {
		a, z = binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[len(in)-8:])
		if mid := len(in) / 2; len(in) >= 24 {
			a ^= binary.LittleEndian.Uint64(in[mid:]) * 0x9e3779b97f4a7c15
		}
	} else {
		for _, c := range in {
			a = a<<8 | uint64(c)
		}
	}
	x := (a ^ z*0xff51afd7ed558ccd ^ uint64(len(in))) * 0xc4ceb9fe1a85ec53
	return &m[x>>58&(memoSlots-1)]
}

func (m *memo) find(in []byte) (crawl.URL, bool) {
	if len(in) > memoRef {
		return "", false
	}
	s := m.slot(in)
	if s.url == "" || int(s.size) != len(in) || string(s.ref[:s.size]) != string(in) {
		return "", false
	}
	return s.url, true
}

func (m *memo) keep(in []byte, u crawl.URL) {
	if len(in) <= memoRef {
		s := m.slot(in)
		s.url, s.size = u, uint8(copy(s.ref[:], in))
	}
}
