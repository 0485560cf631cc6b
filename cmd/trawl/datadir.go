package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
	"trawl/internal/store/pebblestore"
	"trawl/internal/warc"
)

// dataDir is a crawl on disk: DIR/store and DIR/warc.
type dataDir struct {
	path    string
	store   *pebblestore.Store
	archive *warc.Writer
	streams streams
}

func nowUTC() time.Time { return time.Now().UTC() }

// openData opens a data directory; it is made if create.
func openData(path string, create bool, s streams) (*dataDir, error) {
	dir := filepath.Join(path, "store")
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		return nil, usageError("%s is not a directory", path)
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && !create {
		return nil, usageError("there is no crawl in %s: start one with 'trawl crawl --data %s URL'", path, path)
	}
	st, err := pebblestore.Open(dir, pebblestore.Options{Now: nowUTC})
	var inUse *pebblestore.InUseError
	var version *pebblestore.VersionError
	switch {
	case errors.As(err, &inUse):
		return nil, &exitError{exitFailed, fmt.Errorf("data directory %s is in use by another trawl: stop that one, or use another directory (--data)", path)}
	case errors.As(err, &version):
		return nil, &exitError{exitFailed, version}
	case err != nil:
		return nil, &exitError{exitFailed, fmt.Errorf("data directory %s: %w", path, advise(err))}
	}
	return &dataDir{path: path, store: st, streams: s}, nil
}

func (d *dataDir) close() {
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
