package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"trawl/internal/crawl"
)

// badDisk makes the files of a writer fail.
type badDisk struct {
	room     atomic.Int64 // bytes that can still be written; then ENOSPC
	noCut    atomic.Bool  // Truncate fails
	noSync   atomic.Bool  // Sync fails
	noCreate atomic.Bool
	syncs    atomic.Int64
}

func (d *badDisk) create(path string) (file, error) {
	if d.noCreate.Load() {
		return nil, syscall.EMFILE
	}
	f, err := createFile(path)
	if err != nil {
		return nil, err
	}
	return &badFile{f, d}, nil
}

type badFile struct {
	file
	disk *badDisk
}

func (f *badFile) WriteAt(p []byte, off int64) (int, error) {
	left := f.disk.room.Add(-int64(len(p)))
	if left >= 0 {
		return f.file.WriteAt(p, off)
	}
	n := max(0, int64(len(p))+left)
	f.disk.room.Store(0)
	if _, err := f.file.WriteAt(p[:n], off); err != nil {
		return 0, err
	}
	return int(n), syscall.ENOSPC
}

func (f *badFile) Truncate(n int64) error {
	if f.disk.noCut.Load() {
		return syscall.EIO
	}
	return f.file.Truncate(n)
}

func (f *badFile) Sync() error {
	f.disk.syncs.Add(1)
	if f.disk.noSync.Load() {
		return syscall.EIO
	}
	return f.file.Sync()
}

const plenty = 1 << 40

// Case 25: a full disk costs the record that does not fit, and nothing else.
func TestCase25DiskFull(t *testing.T) {
	for _, cut := range []bool{true, false} {
		t.Run(fmt.Sprintf("truncation works %v", cut), func(t *testing.T) {
			dir := t.TempDir()
			disk := new(badDisk)
			disk.room.Store(plenty)
			w, err := open(dir, options(), disk.create)
			if err != nil {
				t.Fatal(err)
			}
			first := mustWrite(t, w, Record{Result: page("http://example.org/1", "one")})
			end := size(t, filepath.Join(dir, first.File+".open"))

			disk.room.Store(100)
			disk.noCut.Store(!cut)
			_, err = w.Write(Record{Result: page("http://example.org/2", noise(1, 3000))})
			if !errors.Is(err, ErrNotWritten) || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("full disk: %v", err)
			}
			got := size(t, filepath.Join(dir, first.File+".open"))
			if cut && got != end || !cut && got != end+100 {
				t.Errorf("file has %d bytes after a failed write at %d", got, end)
			}
			if _, err := ReadAt(dir, first); err != nil {
				t.Error(err)
			}
			if !cut { // still nothing may be written over the remains
				disk.room.Store(plenty)
				if _, err := w.Write(Record{Result: page("http://example.org/2", "x")}); !errors.Is(err, ErrNotWritten) {
					t.Errorf("write over the remains of another: %v", err)
				}
				disk.noCut.Store(false)
			}

			disk.room.Store(plenty)
			third := mustWrite(t, w, Record{Result: page("http://example.org/3", "three")})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if third.File != first.File {
				t.Errorf("%s and %s", first.File, third.File)
			}
			recs := readFile(t, filepath.Join(dir, first.File))
			if kinds(recs) != "warcinfo request response request response" {
				t.Errorf("records: %s", kinds(recs))
			}
		})
	}
}

func TestCase25NoRoomForAFile(t *testing.T) {
	dir := t.TempDir()
	disk := new(badDisk)
	w, err := open(dir, options(), disk.create)
	if err != nil {
		t.Fatal(err)
	}
	for _, full := range []bool{false, true} {
		disk.noCreate.Store(full)
		if _, err := w.Write(Record{Result: page("http://example.org/1", "one")}); !errors.Is(err, ErrNotWritten) {
			t.Errorf("no room: %v", err)
		}
		if got := files(t, dir, ""); len(got) != 0 {
			t.Errorf("left behind: %q", got)
		}
	}
	disk.noCreate.Store(false)
	disk.room.Store(plenty)
	mustWrite(t, w, Record{Result: page("http://example.org/1", "one")})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file whose first record did not fit is used for the next one.
func TestFailedFirstRecord(t *testing.T) {
	dir := t.TempDir()
	disk := new(badDisk)
	disk.room.Store(600)
	opt := options()
	opt.MaxBytes = 1
	w, err := open(dir, opt, disk.create)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(Record{Result: page("http://example.org/1", noise(1, 3000))}); !errors.Is(err, ErrNotWritten) {
		t.Fatalf("full disk: %v", err)
	}
	disk.room.Store(plenty)
	ref := mustWrite(t, w, Record{Result: page("http://example.org/1", "one")})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir, ""); len(got) != 1 || got[0] != ref.File {
		t.Errorf("files %q", got)
	}
	if got := kinds(readFile(t, filepath.Join(dir, ref.File))); got != "warcinfo request response" {
		t.Errorf("records: %s", got)
	}
}

// After a failed sync nothing can be promised any more, whatever later syncs say.
func TestFailedSyncIsFinal(t *testing.T) {
	for _, how := range []string{"Sync", "rotation", "Close"} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			disk := new(badDisk)
			disk.room.Store(plenty)
			opt := options()
			if how == "rotation" {
				opt.MaxBytes = 1
			}
			w, err := open(dir, opt, disk.create)
			if err != nil {
				t.Fatal(err)
			}
			rec := Record{Result: page("http://example.org/1", "one")}
			ref := mustWrite(t, w, rec)
			disk.noSync.Store(true)
			switch how {
			case "Sync":
				err = w.Sync()
			case "rotation":
				_, err = w.Write(rec)
			case "Close":
				err = w.Close()
			}
			if !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
				t.Fatalf("%s: %v", how, err)
			}
			disk.noSync.Store(false)
			if err := w.Sync(); !errors.Is(err, ErrFailed) {
				t.Errorf("later Sync: %v", err)
			}
			if _, err := w.Write(rec); !errors.Is(err, ErrFailed) && how != "Close" {
				t.Errorf("later Write: %v", err)
			}
			if err := w.Close(); !errors.Is(err, ErrFailed) {
				t.Errorf("Close: %v", err)
			}
			w = mustOpen(t, dir, options())
			if got := w.Recovered(); len(got) != 1 || got[0].File != ref.File {
				t.Errorf("recovered %+v", got)
			}
		})
	}
}

func TestSyncOnlyWhatIsNew(t *testing.T) {
	disk := new(badDisk)
	disk.room.Store(plenty)
	w, err := open(t.TempDir(), options(), disk.create)
	if err != nil {
		t.Fatal(err)
	}
	sync := func(want int64) {
		t.Helper()
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		if got := disk.syncs.Load(); got != want {
			t.Errorf("%d syncs, want %d", got, want)
		}
	}
	sync(0)
	mustWrite(t, w, Record{Result: page("http://example.org/", "x")})
	sync(1)
	sync(1)
	mustWrite(t, w, Record{Result: page("http://example.org/", "x")})
	sync(2)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sync(2)
}

func TestClosed(t *testing.T) {
	w := mustOpen(t, t.TempDir(), options())
	mustWrite(t, w, Record{Result: page("http://example.org/", "x")})
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(Record{Result: page("http://example.org/", "x")}); !errors.Is(err, ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
}

func TestInvalid(t *testing.T) {
	w := mustOpen(t, t.TempDir(), options())
	long := crawl.URL("http://example.org/" + strings.Repeat("a", maxURL))
	status := page("http://example.org/", "")
	status.Status = 1000
	for name, rec := range map[string]Record{
		"no result": {}, "no URL": {Result: &crawl.Result{Status: 200}}, "status": {Result: status}, "long": {Result: page(string(long), "")},
		"revisit": {Result: page("http://h/", ""), Revisit: &Revisit{}}, "long revisit": {Result: page("http://h/", ""), Revisit: &Revisit{Kind: NotModified, URL: long}},
	} {
		if _, err := w.Write(rec); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, opt := range []Options{{Prefix: "a/b"}, {Prefix: ".a"}, {Prefix: strings.Repeat("a", 65)}, {MaxBytes: -1}, {Level: 10}, {Level: -1}} {
		if _, err := Open(t.TempDir(), opt); err == nil {
			t.Errorf("options %+v accepted", opt)
		}
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return -1
	} else if err != nil {
		t.Fatal(err)
	}
	return fi.Size()
}

// noise is text that does not compress well.
func noise(seed uint64, n int) string {
	rnd := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})
	b := make([]byte, n)
	rnd.Read(b)
	return string(b)
}
