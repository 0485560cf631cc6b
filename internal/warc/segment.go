package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// file is what a segment needs of an *os.File; tests make it fail.
type file interface {
	WriteAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// createFunc makes a new file for writing, locked. It fails with fs.ErrExist
// when the name is taken.
type createFunc func(path string) (file, error)

// createFile is the createFunc of the file system.
func createFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	locked, err := tryLock(f)
	if err == nil && (!locked || !isFileAt(f, path)) {
		// Another writer's recovery came between creation and lock, and took
		// the empty file for a leftover.
		err = fs.ErrExist
	} else if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isFileAt reports whether path still names the file f.
func isFileAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// segment is one file being written. The writer's lock guards all but sync,
// which may run beside appends.
type segment struct {
	dir, name string // name is the final one
	file      file
	mark      *os.File     // how much is synced
	size      atomic.Int64 // end of the last whole record
	torn      bool         // bytes of a failed write may lie after size
	used      bool         // holds more than its warcinfo record
	renamed   bool

	syncMu sync.Mutex
	synced int64 // size known to be on disk
	closed bool
}

func (s *segment) openPath() string { return filepath.Join(s.dir, s.name+".open") }

// append writes b after the last whole record and returns its offset.
func (s *segment) append(b []byte) (int64, error) {
	at := s.size.Load()
	if err := s.mend(); err != nil {
		return 0, err
	}
	if _, err := s.file.WriteAt(b, at); err != nil {
		s.torn = true
		// Room is made at once, so that the file is readable while the disk is
		// full; if that fails too, the next append or the end tries again.
		_ = s.mend()
		return 0, err
	}
	s.size.Store(at + int64(len(b)))
	return at, nil
}

// mend truncates away what a failed write may have left.
func (s *segment) mend() error {
	if !s.torn {
		return nil
	}
	if err := s.file.Truncate(s.size.Load()); err != nil {
		return fmt.Errorf("cutting off a half-written record: %w", err)
	}
	s.torn = false
	return nil
}

// sync returns when the first end bytes are on disk. Calls that wait for one
// another share one sync of the file.
func (s *segment) sync(end int64) error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	return s.syncLocked(end)
}

func (s *segment) syncLocked(end int64) error {
	if s.synced >= end {
		return nil
	}
	n := s.size.Load()
	if err := s.file.Sync(); err != nil {
		return failed(s.name, err)
	}
	s.synced = n
	// Without its mark a synced record is as safe, only slower to recover.
	_, _ = s.mark.WriteAt(formatMark(n), 0)
	return nil
}

// finish syncs, renames and closes the file. After an error it may be called
// again and goes on where it failed.
func (s *segment) finish() error {
	if err := s.mend(); err != nil {
		return err
	}
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if s.closed {
		return nil
	}
	if err := s.syncLocked(s.size.Load()); err != nil {
		return err
	}
	if !s.renamed { // while the lock is held, so that no recovery gets between
		if err := removeMark(s.openPath()); err != nil {
			return err
		}
		if err := os.Rename(s.openPath(), filepath.Join(s.dir, s.name)); err != nil {
			return err
		}
		s.renamed = true
	}
	if err := syncDir(s.dir); err != nil {
		return err
	}
	s.closed = true
	_ = s.mark.Close() // removed
	_ = s.file.Close() // all of it is on disk
	return nil
}

// discard undoes the creation of a file that nothing was put into.
func (s *segment) discard() error {
	err := errors.Join(removeMark(s.openPath()), os.Remove(s.openPath())) // both while locked
	if s.mark != nil {
		err = errors.Join(err, s.mark.Close())
	}
	return errors.Join(err, s.file.Close())
}

// abandon closes a file without finishing it: the next Open recovers it.
func (s *segment) abandon() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.mark.Close(), s.file.Close())
}
