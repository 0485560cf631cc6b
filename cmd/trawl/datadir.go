package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
	"trawl/internal/store"
	"trawl/internal/store/pebblestore"
	"trawl/internal/warc"
)

// dataDir is a crawl on disk: DIR/store and DIR/warc.
type dataDir struct {
	path    string
	store   store.Store
	remote  bool      // the store is in a database, not in path
	where   string    // the database, for people
	lock    io.Closer // of path, while a crawl with a database runs
	archive *warc.Writer
	worker  string // under which it leases shards
	streams streams
}

func nowUTC() time.Time { return time.Now().UTC() }

// openData opens a data directory; it is made if create.
func openData(path string, create bool, s streams) (*dataDir, error) {
	if path == "" {
		return nil, usageError("--data needs the name of a directory")
	}
	dir := filepath.Join(path, "store")
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		return nil, usageError("%s is not a directory", path)
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && !create {
		return nil, usageError("there is no crawl in %s: start one with 'trawl crawl --data %s URL'", path, path)
	}
	if create && foreign(path) {
		return nil, usageError("%s is not empty and holds no crawl: choose another directory, or an empty one (--data)", path)
	}
	st, err := pebblestore.Open(dir, pebblestore.Options{Now: nowUTC})
	if err != nil {
		return nil, &exitError{exitFailed, openAdvice(path, err)}
	}
	return &dataDir{path: path, store: st, worker: worker, streams: s}, nil
}

// versionFile is in every store of ours, from its first moment on.
const versionFile = "TRAWL-VERSION"

// foreign reports whether a directory holds something, and no crawl: neither an
// archive nor a store that is ours, or was just about to be made.
func foreign(path string) bool {
	names, err := os.ReadDir(path)
	if err != nil || len(names) == 0 {
		return false // what is wrong with it shows when it is opened
	}
	if st, err := os.Stat(filepath.Join(path, "warc")); err == nil && st.IsDir() {
		return false
	}
	inStore, err := os.ReadDir(filepath.Join(path, "store"))
	if err != nil {
		return !errors.Is(err, fs.ErrPermission)
	}
	for _, e := range inStore {
		if strings.HasPrefix(e.Name(), versionFile) {
			return false
		}
	}
	return len(inStore) > 0 || len(names) > 1
}

// told is an error in words for people, with the cause for the program.
type told struct {
	text  string
	cause error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.cause }

// openAdvice says what to do about a store that cannot be opened.
func openAdvice(path string, err error) error {
	var inUse *pebblestore.InUseError
	var version *pebblestore.VersionError
	var file *fs.PathError
	var system syscall.Errno
	switch {
	case errors.As(err, &inUse):
		return &told{fmt.Sprintf("data directory %s is in use by another trawl: stop that one, or use another directory (--data)", path), err}
	case errors.As(err, &version):
		return version
	case errors.Is(err, fs.ErrPermission):
		what := error(fs.ErrPermission)
		if errors.As(err, &file) {
			what = file
		}
		return fmt.Errorf("data directory %s: %w: choose a directory that you may write (--data), or mend its permissions", path, what)
	case errors.Is(err, store.ErrNoSpace), errors.Is(err, store.ErrInvalid):
		return fmt.Errorf("data directory %s: %w", path, advise(err))
	case errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("data directory %s: %w", path, err) // the machine's trouble, not the store's
	}
	return fmt.Errorf("data directory %[1]s: %[2]w\nThe store in %[1]s is damaged: restore it from a backup, or start in another directory with --data. "+
		"The WARC files in %[3]s are still readable", path, err, filepath.Join(path, "warc"))
}

func (d *dataDir) close() {
	if d.lock != nil {
		defer func() { _ = d.lock.Close() }()
	}
	if err := d.store.Close(); err != nil {
		d.streams.say("trawl: closing %s: %v", d.path, err)
	}
}

// openArchive opens DIR/warc and says what it had to mend.
func (d *dataDir) openArchive(env *environment) (*archive, error) {
	w, err := warc.Open(filepath.Join(d.path, "warc"), warc.Options{
		MaxBytes: env.cfg.Crawl.WARCMaxBytes, Software: "trawl/" + softwareVersion(), Contact: env.identity.Contact, RobotsPolicy: "obey",
	})
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("archive: %w", advise(err))}
	}
	for _, r := range w.Recovered() {
		if r.Cut > 0 {
			d.streams.say("archive file %s was cut by a crash: %d bytes of whole records kept, %d of an unfinished one dropped", r.File, r.Kept, r.Cut)
		}
	}
	d.archive = w
	return &archive{w}, nil
}

func (d *dataDir) closeArchive() error {
	if d.archive == nil {
		return nil
	}
	if err := d.archive.Close(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

// archive hands finished fetches to the WARC writer.
type archive struct{ w *warc.Writer }

func (a *archive) Write(job *schedule.Job, f *schedule.Findings) (crawl.ArchiveRef, error) {
	rec := warc.Record{Result: f.Result, Metadata: crawl.Header{
		{Name: "client", Value: string(job.Client)},
		{Name: "kind", Value: job.Kind.String()},
		{Name: "hopsFromSeed", Value: strconv.Itoa(job.Entry.Depth)},
		{Name: "fetchTimeMs", Value: strconv.FormatInt(f.Result.Timings.Total.Milliseconds(), 10)},
	}}
	if via := job.Entry.Referrer; via != "" {
		rec.Metadata = append(rec.Metadata, crawl.Field{Name: "via", Value: string(via)})
	}
	if prior := job.Entry.Visit.Archive; f.Unchanged && prior.File != "" {
		kind := warc.SamePayload
		if f.Result.Status == 304 {
			kind = warc.NotModified
		}
		rec.Revisit = &warc.Revisit{Kind: kind, URL: job.URL, Date: prior.At}
	}
	return a.w.Write(rec)
}

func (a *archive) Sync() error { return a.w.Sync() }
