package pebblestore

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/crawl"
)

// clientDict numbers client names from 1, so that a queued URL does not repeat
// them. Names are written with the batch that first uses them, never removed;
// there are as many as clients were ever configured.
type clientDict struct {
	mu      sync.RWMutex
	names   []crawl.ClientID
	numbers map[crawl.ClientID]uint32
	saved   int // the first names are in the directory
}

func newClientDict() *clientDict { return &clientDict{numbers: map[crawl.ClientID]uint32{}} }

func (d *clientDict) Number(c crawl.ClientID) uint32 {
	d.mu.RLock()
	n := d.numbers[c]
	d.mu.RUnlock()
	if n != 0 {
		return n
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := d.numbers[c]; n != 0 {
		return n
	}
	d.names = append(d.names, c)
	d.numbers[c] = uint32(len(d.names))
	return uint32(len(d.names))
}

// count is the highest number given.
func (d *clientDict) count() uint32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return uint32(len(d.names))
}

// find returns the numbers of one client, none if it has none, or of all for "".
func (d *clientDict) find(c crawl.ClientID) []uint32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if n := d.numbers[c]; c != "" && n != 0 {
		return []uint32{n}
	}
	if c != "" {
		return nil
	}
	all := make([]uint32, len(d.names))
	for i := range all {
		all[i] = uint32(i + 1)
	}
	return all
}

func (d *clientDict) Name(n uint64) (crawl.ClientID, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if n == 0 || n > uint64(len(d.names)) {
		return "", false
	}
	return d.names[n-1], true
}

// save adds new names to a batch; saved takes effect when it was applied.
func (d *clientDict) save(b *pebble.Batch) (applied func(), err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n := len(d.names)
	for i := d.saved; i < n; i++ {
		if err := b.Set(clientKey(uint32(i+1)), []byte(d.names[i]), nil); err != nil {
			return nil, err
		}
	}
	return func() {
		d.mu.Lock()
		d.saved = n
		d.mu.Unlock()
	}, nil
}

// load reads the names from the directory.
func (d *clientDict) load(db *pebble.DB) error {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{spaceClient}, UpperBound: []byte{spaceClient + 1}})
	if err != nil {
		return err
	}
	for it.First(); it.Valid(); it.Next() {
		k, v := it.Key(), crawl.ClientID(it.Value())
		if len(k) != 5 || binary.BigEndian.Uint32(k[1:]) != uint32(len(d.names)+1) {
			_ = it.Close()
			return fmt.Errorf("client name %q: %w", v, errKey)
		}
		d.names = append(d.names, v)
		d.numbers[v] = uint32(len(d.names))
	}
	d.saved = len(d.names)
	return it.Close()
}
