package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Version is the format of the directory. It changes when an older program
// could misread what a newer one writes.
const Version = 1

const versionFile = "TRAWL-VERSION"

// VersionError says that a directory has another format; it was not touched.
type VersionError struct {
	Dir        string
	Have, Want int
}

func (e *VersionError) Error() string {
	if e.Have > e.Want {
		return fmt.Sprintf("%s was written by a newer trawl (store format %d, this one knows %d): use that trawl, or another directory", e.Dir, e.Have, e.Want)
	}
	return fmt.Sprintf("%s was written by an older trawl (store format %d, this one needs %d): use that trawl, or another directory", e.Dir, e.Have, e.Want)
}

// InUseError says that another process has the directory open.
type InUseError struct {
	Dir   string
	Cause error
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use by another trawl: stop that one, or give this one a directory of its own (%v)", e.Dir, e.Cause)
}

// Unwrap returns what the operating system said.
func (e *InUseError) Unwrap() error { return e.Cause }

// checkVersion reads the version of dir and writes it to a directory that is new.
func checkVersion(fsys vfs.FS, dir string) error {
	path := fsys.PathJoin(dir, versionFile)
	f, err := fsys.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createVersion(fsys, dir, path)
	}
	if err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(f, 256))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	var version, shards int
	if _, err := fmt.Sscanf(string(b), "trawl store %d\nshards %d\n", &version, &shards); err != nil && version == 0 {
		return fmt.Errorf("%s is not readable: %q instead of a version; restore it or use another directory", path, b)
	}
	if version != Version {
		return &VersionError{Dir: dir, Have: version, Want: Version}
	}
	if shards != crawl.Shards {
		return fmt.Errorf("%s was made with %d shards, this trawl has %d: use another directory: %w", dir, shards, crawl.Shards, store.ErrInvalid)
	}
	return nil
}

func createVersion(fsys vfs.FS, dir, path string) error {
	if err := fsys.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if n == "CURRENT" || strings.HasPrefix(n, "MANIFEST-") || strings.HasPrefix(n, "marker.") {
			return fmt.Errorf("%s holds a database that is not trawl's (%s without %s): use another directory", dir, n, versionFile)
		}
	}
	f, err := fsys.Create(path+".tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "trawl store %d\nshards %d\n", Version, crawl.Shards)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := fsys.Rename(path+".tmp", path); err != nil {
		return err
	}
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
