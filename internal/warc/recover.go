package warc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Recovery is what was done about one file that a crash left open.
type Recovery struct {
	File    string // final name; the file does not exist when Kept is 0
	Kept    int64  // bytes
	Cut     int64  // bytes after the last whole record
	Synced  int64  // bytes of Kept that are known to have been synced, and were not looked at
	Records int    // whole records after them
	// Damaged names the file the cut bytes were put aside in, because they were
	// more than the torn end of a record: something else has damaged the file,
	// and records may be lost. "" in the normal case.
	Damaged string
}

// recoverDir recovers every file in dir that a writer with this prefix has left
// open. Files that a living writer holds are none.
func recoverDir(dir, prefix string) ([]Recovery, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the archive directory: %w", err)
	}
	var done []Recovery
	for _, entry := range entries {
		final, ok := ownOpenName(entry.Name(), prefix)
		if !ok || !entry.Type().IsRegular() {
			continue
		}
		r, ok, err := recoverFile(dir, final)
		if err != nil {
			return done, fmt.Errorf("recovering %s after a crash: %w; nothing was cut that was not put aside", entry.Name(), err)
		}
		if ok {
			done = append(done, r)
		}
	}
	if len(done) > 0 {
		if err := syncDir(dir); err != nil {
			return done, fmt.Errorf("syncing the archive directory: %w", err)
		}
	}
	return done, nil
}

// recoverFile cuts one file after its last whole record and gives it its final
// name. It may itself be interrupted anywhere and done again. It reports false
// for a file that is in use or gone.
func recoverFile(dir, final string) (Recovery, bool, error) {
	r := Recovery{File: final}
	path := filepath.Join(dir, final+".open")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	} else if err != nil {
		return r, false, err
	}
	defer f.Close()
	if locked, err := tryLock(f); err != nil || !locked || !isFileAt(f, path) {
		return r, false, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return r, false, err
	}
	r.Synced = readMark(path, size)
	torn, err := scanWhole(io.NewSectionReader(f, r.Synced, size-r.Synced), &r)
	if err != nil {
		return r, false, err
	}
	if _, err := os.Lstat(filepath.Join(dir, final)); err == nil && r.Kept > 0 {
		return r, false, fmt.Errorf("%s exists too, and one of them is not ours: move one away", final)
	}
	if r.Cut = size - r.Kept; r.Cut > 0 {
		if !torn {
			r.Damaged = final + suffixDamaged
			if err := putAside(f, r.Kept, size, filepath.Join(dir, r.Damaged)); err != nil {
				return r, false, err
			}
		}
		if err := f.Truncate(r.Kept); err != nil {
			return r, false, err
		}
	}
	if r.Kept > 0 {
		if err := f.Sync(); err != nil {
			return r, false, err
		}
	}
	if err := removeMark(path); err != nil {
		return r, false, err
	}
	if r.Kept == 0 {
		return r, true, os.Remove(path)
	}
	return r, true, os.Rename(path, filepath.Join(dir, final))
}

// scanWhole counts the whole records at the start of in, which is the file
// after r.Synced. What follows them is torn when it is the beginning of a
// record, or nothing. An error means that in could not be read, and says
// nothing about the records.
func scanWhole(in io.Reader, r *Recovery) (torn bool, err error) {
	s := newScanner(in)
	r.Kept = r.Synced
	for {
		end, err := s.skip()
		switch {
		case s.src.err != nil:
			return false, s.src.err
		case err == io.EOF || errors.Is(err, errTorn):
			return true, nil
		case err != nil:
			return false, nil
		}
		r.Records++
		r.Kept = r.Synced + end
	}
}

// putAside copies a part of f into a file of its own, durably.
func putAside(f *os.File, from, to int64, path string) (err error) {
	aside, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, aside.Close()) }()
	if _, err := io.Copy(aside, io.NewSectionReader(f, from, to-from)); err != nil {
		return err
	}
	if err := aside.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
