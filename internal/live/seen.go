package live

import (
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"trawl/internal/crawl"
)

// seen is a lossy set of (client, URL) pairs that were handed to the store in
// this run. It spares the store the commonest question of all; forgetting an
// entry costs one look-up, and two different pairs are taken for the same with
// a probability of 2^-64 each.
type seen struct {
	slots []atomic.Uint64
}

const (
	seenSlots = 1 << 21 // 16 MiB (house choice)
	seenWays  = 4
)

func newSeen() *seen { return &seen{slots: make([]atomic.Uint64, seenSlots)} }

// skip reports whether the pair was seen, and remembers it.
func (s *seen) skip(c crawl.ClientID, u crawl.URL) bool {
	h := xxh3.HashStringSeed(string(u), xxh3.HashString(string(c)))
	if h == 0 {
		h = 1
	}
	set := int(h % (seenSlots / seenWays) * seenWays)
	for i := range seenWays {
		if s.slots[set+i].Load() == h {
			return true
		}
	}
	for i := range seenWays {
		if s.slots[set+i].Load() == 0 && s.slots[set+i].CompareAndSwap(0, h) {
			return false
		}
	}
	s.slots[set+int(h>>40)%seenWays].Store(h)
	return false
}
