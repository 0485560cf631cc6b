package pebblestore_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/pebblestore"
)

// faulty is a file system that fails writes of files with a suffix from the
// n-th on, once it is armed.
func faulty(fs vfs.FS, cause error, kinds map[errorfs.OpKind]bool, suffix string, n int64) (vfs.FS, *atomic.Bool) {
	armed, count := &atomic.Bool{}, &atomic.Int64{}
	return noReuse{errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		name := filepath.Base(op.Path)
		if !armed.Load() || !kinds[op.Kind] || !strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, suffix) {
			return nil
		}
		if count.Add(1) >= n {
			return cause
		}
		return nil
	}))}, armed
}

// noReuse makes a new file where one should be used again: faults of errorfs do
// not reach files that are.
type noReuse struct{ vfs.FS }

func (f noReuse) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.Remove(from); err != nil {
		return nil, err
	}
	return f.Create(to, c)
}

// TestCase25DiskFull fails writes of the log, of tables and of the manifest at
// various moments. Commits end with an error and are refused from then on, reads
// go on, and after reopening every batch that was committed is there.
func TestCase25DiskFull(t *testing.T) {
	writes := map[errorfs.OpKind]bool{errorfs.OpFileWrite: true, errorfs.OpFileWriteAt: true}
	syncs := map[errorfs.OpKind]bool{errorfs.OpFileSync: true, errorfs.OpFileSyncData: true}
	creates := map[errorfs.OpKind]bool{errorfs.OpCreate: true, errorfs.OpReuseForWrite: true}
	for _, c := range []struct {
		name   string
		kinds  map[errorfs.OpKind]bool
		suffix string
		n      int64
		cause  error
	}{
		{"log write", writes, ".log", 1, syscall.ENOSPC},
		{"log write later", writes, ".log", 300, syscall.ENOSPC},
		{"log sync", syncs, ".log", 20, syscall.EIO},
		{"new log", creates, ".log", 1, syscall.ENOSPC},
		{"quota", writes, ".log", 7, syscall.EDQUOT},
		{"table write", writes, ".sst", 1, syscall.ENOSPC},
		{"table write later", writes, ".sst", 40, syscall.ENOSPC},
		{"new table", creates, ".sst", 2, syscall.ENOSPC},
		{"manifest write", writes, "MANIFEST", 1, syscall.ENOSPC},
		{"manifest sync", syncs, "MANIFEST", 2, syscall.EIO},
	} {
		t.Run(c.name, func(t *testing.T) { testFault(t, c.kinds, c.suffix, c.n, c.cause) })
	}
}

func testFault(t *testing.T, kinds map[errorfs.OpKind]bool, suffix string, n int64, cause error) {
	mem := vfs.NewMem()
	fs, armed := faulty(mem, fmt.Errorf("writing: %w", cause), kinds, suffix, n)
	opt := small(fs, time.Now)
	opt.MemTableBytes = 64 << 10
	s, err := pebblestore.Open("data", opt)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Acquire(t.Context(), "w", allShards(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	told := 0
	for ; told < 2000; told++ {
		if _, err = s.Commit(t.Context(), l, numbered(told)); err != nil {
			break
		}
	}
	check := func(what string, err error) {
		t.Helper()
		full := cause == syscall.ENOSPC || cause == syscall.EDQUOT
		if !errors.Is(err, store.ErrWriteFailed) || errors.Is(err, store.ErrNoSpace) != full || !errors.Is(err, cause) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	check("commit", err)
	_, err = s.Commit(t.Context(), l, numbered(told))
	check("commit after the failure", err)
	_, err = s.Renew(t.Context(), l, time.Hour)
	check("renewing after the failure", err)
	check("setting after the failure", s.SetSetting(t.Context(), "x", "y"))
	for i := range told { // readable
		if known, err := s.Known(t.Context(), []crawl.URL{numbered(i)[0].Discovered[0].URL}); err != nil || !known[0] {
			t.Fatalf("batch %d after the failure: %v %v", i, known, err)
		}
	}
	check("Close", s.Close())
	armed.Store(false)
	again, err := pebblestore.Open("data", small(mem, time.Now))
	if err != nil {
		t.Fatalf("opening after the failure: %v", err)
	}
	if n := next(t, again); n != told && n != told+1 {
		t.Errorf("%d batches were committed, %d are there", told, n)
	}
	if _, err := again.Acquire(t.Context(), "w", allShards(), time.Hour); err != nil {
		t.Errorf("writing after reopening: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOpenDiskFull: there is no room to make a store; nothing hangs or exits.
func TestOpenDiskFull(t *testing.T) {
	all := map[errorfs.OpKind]bool{errorfs.OpCreate: true, errorfs.OpFileWrite: true, errorfs.OpFileSync: true}
	opened := false
	for n := int64(1); !opened; n++ {
		mem := vfs.NewMem()
		fs, armed := faulty(mem, syscall.ENOSPC, all, "", n)
		armed.Store(true)
		s, err := pebblestore.Open("data", small(fs, time.Now))
		switch {
		case err == nil:
			opened = true
			_ = s.Close()
		case !errors.Is(err, store.ErrNoSpace):
			t.Fatalf("failing at write %d: %v", n, err)
		default:
			s, err := pebblestore.Open("data", small(mem, time.Now))
			if err != nil {
				t.Fatalf("opening after a first attempt that failed at write %d: %v", n, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestInUse(t *testing.T) {
	for name, fs := range map[string]vfs.FS{"memory": vfs.NewMem(), "disk": vfs.Default} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := pebblestore.Open(dir, small(fs, time.Now))
			if err != nil {
				t.Fatal(err)
			}
			_, err = pebblestore.Open(dir, small(fs, time.Now))
			inUse, ok := errors.AsType[*pebblestore.InUseError](err)
			if !ok || inUse.Dir != dir {
				t.Fatalf("second opening: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = pebblestore.Open(dir, small(fs, time.Now)); err != nil {
				t.Fatalf("after closing: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	write := func(t *testing.T, fs vfs.FS, name, text string) {
		t.Helper()
		f, err := fs.Create("data/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(f, text)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"newer", "TRAWL-VERSION", "trawl store 2\nunheard of\n", "newer trawl"},
		{"older", "TRAWL-VERSION", "trawl store -1\nshards 1024\n", "older trawl"},
		{"other shards", "TRAWL-VERSION", "trawl store 1\nshards 7\n", "7 shards"},
		{"garbage", "TRAWL-VERSION", "\xff", "not readable"},
		{"not ours", "MANIFEST-000001", "", "not trawl's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			if err := fs.MkdirAll("data", 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, fs, c.file, c.text)
			before := fs.String()
			_, err := pebblestore.Open("data", small(fs, time.Now))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one about %q", err, c.want)
			}
			if v, ok := errors.AsType[*pebblestore.VersionError](err); ok != strings.HasSuffix(c.name, "er") || ok && v.Want != pebblestore.Version {
				t.Errorf("error type: %#v", err)
			}
			if after := fs.String(); after != before {
				t.Errorf("the directory was touched:\n%s\n%s", before, after)
			}
		})
	}
}
