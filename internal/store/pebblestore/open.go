package pebblestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Options of a store; zero fields take the default.
type Options struct {
	Now           func() time.Time // clock of the leases; nil = time.Now
	FS            vfs.FS           // nil = the operating system's
	CacheBytes    int64            // block cache; default 128 MiB
	MemTableBytes int              // one memtable, a few are in use; default 32 MiB
	SeenEntries   int              // table of recently seen (URL, client), 8 bytes each; default 1 Mi
	HintEntries   int              // hostnames whose queue heads are remembered; default 64 Ki
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 128 << 20
	}
	if o.MemTableBytes <= 0 {
		o.MemTableBytes = 32 << 20
	}
	if o.SeenEntries <= 0 {
		o.SeenEntries = 1 << 20
	}
	if o.HintEntries <= 0 {
		o.HintEntries = 1 << 16
	}
	return o
}

// Store implements [store.Store] on a directory.
type Store struct {
	dir    string
	now    func() time.Time
	db     *pebble.DB
	fs     *freezeFS
	failed *failure
	dict   *clientDict
	seen   *seenTable
	queues *lowMarks // heads of queues, by host and band
	dues   *lowMarks // heads of the due index, by shard

	// use is held shared by every operation, exclusively by Close. It is never
	// held while a caller's code runs.
	use    sync.RWMutex
	closed bool

	applying atomic.Int32  // batches that the engine is applying: at most one, unless it is stuck
	writing  chan struct{} // one slot: the critical section of everything that writes

	leaseMu sync.Mutex
	leases  [crawl.Shards]store.Lease // changed by the writer only

	lastSeq map[crawl.Shard]uint64 // of the feeds used so far; the writer's
}

var _ store.Store = (*Store)(nil)

// Open opens the store in dir and makes it if there is none. Errors:
// [InUseError], [VersionError], store.ErrNoSpace.
func Open(dir string, opt Options) (*Store, error) {
	s, err := open(dir, opt.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	return s, nil
}

func open(dir string, opt Options) (_ *Store, err error) {
	s := &Store{
		dir: dir, now: opt.Now, failed: newFailure(), dict: newClientDict(), writing: make(chan struct{}, 1),
		seen: newSeenTable(opt.SeenEntries), queues: newLowMarks(opt.HintEntries), dues: newLowMarks(crawl.Shards),
		lastSeq: map[crawl.Shard]uint64{},
	}
	s.fs = newFreezeFS(opt.FS, s.failed)
	// Before anything else: a directory of another version stays as it is.
	if err := checkVersion(s.fs, dir); err != nil {
		return nil, errors.Join(err, s.failed.get())
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine gave up: %v", p)
		}
		if err != nil {
			_ = (*unlocker)(s.fs).Close()
			err = errors.Join(err, s.failed.get())
		}
	}()
	cache := pebble.NewCache(opt.CacheBytes)
	defer cache.Unref()
	if s.db, err = pebble.Open(dir, s.engineOptions(opt, cache)); err != nil {
		return nil, err
	}
	if err := errors.Join(s.failed.get(), s.loadLeases(), s.dict.load(s.db)); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.fs.opened.Store(true)
	return s, nil
}

func (s *Store) engineOptions(opt Options, cache *pebble.Cache) *pebble.Options {
	o := &pebble.Options{
		FS:                          s.fs,
		Cache:                       cache,
		FormatMajorVersion:          pebble.FormatTableFormatV6, // part of Version
		Merger:                      statsMerger(),
		MemTableSize:                uint64(opt.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       24,
		LBaseMaxBytes:               64 << 20,
		MaxOpenFiles:                1024,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
		Logger:                      engineLog{s.failed},
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { s.failed.set(err) },
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				s.failed.set(fmt.Errorf("%s is damaged: %w", i.Path, i.Details))
			},
		},
	}
	for i := range o.Levels {
		l := &o.Levels[i]
		l.FilterPolicy = bloom.FilterPolicy(10)
		l.BlockSize = 16 << 10
		l.IndexBlockSize = 64 << 10
		// Upper levels are rewritten soon; nine tenths of the bytes are below.
		l.Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
		if i >= 5 {
			l.Compression = func() *sstable.CompressionProfile { return sstable.ZstdCompression }
		}
	}
	return o
}

// engineLog takes the engine's messages. Fatalf would end the process; here it
// ends the writing, and freezeFS sees to it that living on does no harm.
type engineLog struct{ failed *failure }

func (engineLog) Infof(string, ...any)  {}
func (engineLog) Errorf(string, ...any) {}
func (l engineLog) Fatalf(format string, args ...any) {
	for _, a := range args {
		if err, ok := a.(error); ok {
			l.failed.set(err)
			return
		}
	}
	l.failed.set(fmt.Errorf(format, args...))
}

// begin starts an operation; the caller ends it with s.use.RUnlock unless an
// error came back.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.use.RLock()
	if s.closed {
		s.use.RUnlock()
		return store.ErrClosed
	}
	return nil
}

// closeGrace is how long Close waits for an engine that met a failed write.
const closeGrace = 2 * time.Second

// Close ends the store; a second Close does nothing. It waits for operations
// in flight. Of a store that could not write, it gives back the reason.
func (s *Store) Close() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.closeEngine()
	err = errors.Join(err, (*unlocker)(s.fs).Close())
	if err != nil {
		return fmt.Errorf("closing the store in %s: %w", s.dir, err)
	}
	return nil
}

// closeEngine ends the engine, or leaves it behind if it is stuck in a failed
// write: the directory is frozen then.
func (s *Store) closeEngine() error {
	if s.applying.Load() > 0 {
		return s.failed.get()
	}
	close(s.fs.release)
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("the engine gave up: %v", p)
			}
		}()
		done <- s.db.Close()
	}()
	select {
	case err := <-done:
		return cmp.Or(s.failed.get(), err)
	case <-s.failed.done:
	}
	t := time.NewTimer(closeGrace)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
	return s.failed.get()
}

// seenTable remembers (URL, client) pairs that are surely known. A pair is
// never forgotten by the store, so an entry never becomes wrong; the hash has a
// secret seed, so that nobody can make two URLs collide.
type seenTable struct {
	seed  maphash.Seed
	slots []uint64 // guarded by the writing slot
}

type seenPair struct {
	url    crawl.URL
	client crawl.ClientID
}

func newSeenTable(n int) *seenTable {
	return &seenTable{seed: maphash.MakeSeed(), slots: make([]uint64, n)}
}

func (t *seenTable) hash(u crawl.URL, c crawl.ClientID) uint64 {
	return maphash.Comparable(t.seed, seenPair{u, c}) | 1 // 0 = free slot
}

func (t *seenTable) has(h uint64) bool { return t.slots[(h>>1)%uint64(len(t.slots))] == h }
func (t *seenTable) add(h uint64)      { t.slots[(h>>1)%uint64(len(t.slots))] = h }
