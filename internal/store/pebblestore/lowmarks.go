package pebblestore

import "sync"

// lowMarks remembers, for ranges of keys that are emptied from their head, a
// key before which the range is empty. Deleted keys leave tombstones until they
// are compacted away; a scan that starts at the mark does not wade through
// them. A mark may be too low, never too high. Marks are hints in memory: none
// is needed, and there are never more than max.
//
// Readers call seek and generation before they take an iterator and set after
// it; the writer calls lower after its batch is visible. A set that overlaps a
// lower is dropped: the mark it would set may be too high by then.
type lowMarks struct {
	mu    sync.Mutex
	max   int
	gen   uint64
	marks map[string]lowMark // by prefix of the range
}

type lowMark struct {
	key   string // whole key
	empty bool   // nothing in the range at all
}

func newLowMarks(max int) *lowMarks { return &lowMarks{max: max, marks: map[string]lowMark{}} }

func (l *lowMarks) generation() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gen
}

// seek returns where a scan of the range may start.
func (l *lowMarks) seek(prefix []byte) (from []byte, empty bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.marks[string(prefix)]
	if !ok {
		return prefix, false
	}
	return []byte(m.key), m.empty
}

// set notes the first key found in the range, nil when it was empty.
func (l *lowMarks) set(gen uint64, prefix, first []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if gen != l.gen {
		return
	}
	if _, ok := l.marks[string(prefix)]; !ok && len(l.marks) >= l.max {
		clear(l.marks) // house choice: start over rather than track ages
	}
	l.marks[string(prefix)] = lowMark{string(first), first == nil}
}

// lower notes new keys, each with the length of its range's prefix.
func (l *lowMarks) lower(keys []rangeKey) {
	if len(keys) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gen++
	for _, k := range keys {
		prefix := k.key[:k.prefix]
		m, ok := l.marks[string(prefix)]
		if ok && (m.empty || string(k.key) < m.key) {
			l.marks[string(prefix)] = lowMark{key: string(k.key)}
		}
	}
}

// rangeKey is a key with the length of the prefix that names its range.
type rangeKey struct {
	key    []byte
	prefix int
}
