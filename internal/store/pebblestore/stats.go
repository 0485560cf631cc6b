package pebblestore

import (
	"encoding/binary"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/store/record"
)

// sums is the value of a cell of the stats: three zigzag varints.
type sums struct{ count, bytes, millis int64 }

func (s sums) encode() []byte {
	b := make([]byte, 0, 16)
	b = binary.AppendVarint(b, s.count)
	b = binary.AppendVarint(b, s.bytes)
	return binary.AppendVarint(b, s.millis)
}

func (s *sums) add(b []byte) error {
	for _, p := range []*int64{&s.count, &s.bytes, &s.millis} {
		v, n := binary.Varint(b)
		if n <= 0 {
			return record.ErrDamaged
		}
		*p += v
		b = b[n:]
	}
	if len(b) > 0 {
		return record.ErrDamaged
	}
	return nil
}

// statsMerger adds up cells, so that a commit adds without reading. Addition
// does not mind the order.
func statsMerger() *pebble.Merger {
	return &pebble.Merger{
		Name: "trawl.sums.1",
		Merge: func(_, value []byte) (pebble.ValueMerger, error) {
			s := &sums{}
			return s, s.add(value)
		},
	}
}

func (s *sums) MergeNewer(value []byte) error { return s.add(value) }
func (s *sums) MergeOlder(value []byte) error { return s.add(value) }
func (s *sums) Finish(bool) ([]byte, io.Closer, error) {
	return s.encode(), nil, nil
}
