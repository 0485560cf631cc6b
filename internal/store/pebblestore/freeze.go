package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"trawl/internal/store"
)

// failure is the first write that went wrong; it is never taken back.
type failure struct {
	once sync.Once
	done chan struct{} // closed by the first failure
	err  error         // valid once done is closed
}

func newFailure() *failure { return &failure{done: make(chan struct{})} }

func (f *failure) set(err error) {
	f.once.Do(func() {
		f.err = fmt.Errorf("%w: %w", store.ErrWriteFailed, err)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			f.err = fmt.Errorf("%w (what was committed is intact; free space, then open the store again): %w", store.ErrNoSpace, f.err)
		}
		close(f.done)
	})
}

// get returns the failure, nil if there was none.
func (f *failure) get() error {
	select {
	case <-f.done:
		return f.err
	default:
		return nil
	}
}

// freezeFS passes file operations on until the first write fails. From then on
// nothing changes the directory any more, removals included: it stays what a
// crash at that moment would have left. Reads go on.
//
// The engine regards a failed write as the end of the process. Told of one, it
// retries for ever, or panics under a lock that it does not hold, which nothing
// can recover from. So it is not told: an operation that would change a frozen
// directory does not return before the store is closed, and not even then if a
// batch is in the middle of being applied. Only while the store is being opened
// or closed do failures come back as errors.
type freezeFS struct {
	vfs.FS
	failed  *failure
	opened  atomic.Bool   // failures wait
	release chan struct{} // closed when they need not wait any more

	mu   sync.Mutex
	lock io.Closer // of the directory
}

func newFreezeFS(inner vfs.FS, f *failure) *freezeFS {
	return &freezeFS{FS: inner, failed: f, release: make(chan struct{})}
}

// ready is called before an operation that changes the directory.
func (f *freezeFS) ready() error {
	err := f.failed.get()
	if err != nil {
		f.hold()
	}
	return err
}

func (f *freezeFS) hold() {
	if f.opened.Load() {
		<-f.release
	}
}

// check looks at the error of an operation that changes the directory.
func (f *freezeFS) check(err error) error {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		f.failed.set(err)
		f.hold()
	}
	return err
}

// full looks at the error of an operation that may fail without harm, unless
// the disk is full.
func (f *freezeFS) full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return f.check(err)
	}
	return err
}

func (f *freezeFS) Unwrap() vfs.FS { return f.FS }

func (f *freezeFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	file, err := f.FS.Create(name, c)
	return f.wrap(file, f.check(err))
}

func (f *freezeFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenReadWrite(name, c, o...)
	return f.wrap(file, f.check(err))
}

func (f *freezeFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	file, err := f.FS.ReuseForWrite(from, to, c)
	return f.wrap(file, f.check(err))
}

func (f *freezeFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	return f.wrap(file, err)
}

func (f *freezeFS) wrap(file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &freezeFile{File: file, fs: f}, nil
}

func (f *freezeFS) Link(from, to string) error {
	if err := f.ready(); err != nil {
		return err
	}
	return f.full(f.FS.Link(from, to))
}

func (f *freezeFS) Remove(name string) error {
	if err := f.ready(); err != nil {
		return err
	}
	return f.full(f.FS.Remove(name))
}

func (f *freezeFS) RemoveAll(name string) error {
	if err := f.ready(); err != nil {
		return err
	}
	return f.full(f.FS.RemoveAll(name))
}

func (f *freezeFS) Rename(from, to string) error {
	if err := f.ready(); err != nil {
		return err
	}
	return f.check(f.FS.Rename(from, to))
}

func (f *freezeFS) MkdirAll(dir string, perm os.FileMode) error {
	if err := f.ready(); err != nil {
		return err
	}
	return f.check(f.FS.MkdirAll(dir, perm))
}

// Lock keeps the lock, so that a store that had to be abandoned can free it.
func (f *freezeFS) Lock(name string) (io.Closer, error) {
	c, err := f.FS.Lock(name)
	if err != nil {
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			err = &InUseError{Dir: f.FS.PathDir(name), Cause: err}
		}
		return nil, err
	}
	f.mu.Lock()
	f.lock = c
	f.mu.Unlock()
	return (*unlocker)(f), nil
}

// unlocker ends the lock of a directory once.
type unlocker freezeFS

func (u *unlocker) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lock == nil {
		return nil
	}
	err := u.lock.Close()
	u.lock = nil
	return err
}

// freezeFile is an open file or directory of a freezeFS.
type freezeFile struct {
	vfs.File
	fs *freezeFS
}

func (f *freezeFile) Write(p []byte) (int, error) {
	if err := f.fs.ready(); err != nil {
		return 0, err
	}
	n, err := f.File.Write(p)
	return n, f.fs.check(err)
}

func (f *freezeFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.ready(); err != nil {
		return 0, err
	}
	n, err := f.File.WriteAt(p, off)
	return n, f.fs.check(err)
}

func (f *freezeFile) Sync() error {
	if err := f.fs.ready(); err != nil {
		return err
	}
	return f.fs.check(f.File.Sync())
}

func (f *freezeFile) SyncData() error {
	if err := f.fs.ready(); err != nil {
		return err
	}
	return f.fs.check(f.File.SyncData())
}

func (f *freezeFile) SyncTo(n int64) (bool, error) {
	if err := f.fs.ready(); err != nil {
		return false, err
	}
	full, err := f.File.SyncTo(n)
	return full, f.fs.full(err)
}

// Preallocate does nothing: Pebble would take tens of megabytes for the log of a
// small crawl, and refuse to start on a small disk. Logs grow as they are written.
func (f *freezeFile) Preallocate(_, _ int64) error { return f.fs.ready() }

func (f *freezeFile) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	return info, f.fs.full(err)
}

func (f *freezeFile) Close() error { return f.fs.check(f.File.Close()) }
