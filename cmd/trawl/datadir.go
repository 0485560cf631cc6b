package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	store   *pebblestore.Store
	archive *warc.Writer
}

func nowUTC() time.Time { return time.Now().UTC() }

// openData opens a data directory; it is made if create.
func openData(path string, create bool) (*dataDir, error) {
	dir := filepath.Join(path, "store")
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && !create {
		return nil, usageError("there is no crawl in %s: start one with 'trawl crawl --data %s URL'", path, path)
	}
	st, err := pebblestore.Open(dir, pebblestore.Options{Now: nowUTC})
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("data directory %s: %w", path, err)}
	}
	return &dataDir{path: path, store: st}, nil
}

func (d *dataDir) close() {
	if err := d.store.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "trawl: closing %s: %v\n", d.path, err)
	}
}

// openArchive opens DIR/warc and says what it had to mend.
func (d *dataDir) openArchive(env *environment, s streams) (*archive, error) {
	w, err := warc.Open(filepath.Join(d.path, "warc"), warc.Options{
		MaxBytes: env.cfg.Crawl.WARCMaxBytes, Software: "trawl/" + softwareVersion(), Contact: env.identity.Contact, RobotsPolicy: "obey",
	})
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	for _, r := range w.Recovered() {
		if r.Cut > 0 {
			fmt.Fprintf(s.err, "archive file %s was cut by a crash: %d bytes of whole records kept, %d of an unfinished one dropped\n", r.File, r.Kept, r.Cut)
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

// seedProblems says which seeds gave nothing, and why; good counts the others.
func (d *dataDir) seedProblems(ctx context.Context, p *plan, env *environment) (good int, problems []string, err error) {
	for _, u := range p.seeds() {
		rec, known, err := d.store.URL(ctx, u)
		if err != nil {
			return 0, nil, fmt.Errorf("reading the store: %w", err)
		}
		if !known || len(rec.Visits) == 0 {
			continue
		}
		problem, err := d.seedProblem(ctx, u, &rec, p)
		if err != nil {
			return 0, nil, err
		}
		if problem == "" {
			good++
			continue
		}
		problems = append(problems, problem)
	}
	return good, problems, nil
}

func (d *dataDir) seedProblem(ctx context.Context, u crawl.URL, rec *crawl.URLRecord, p *plan) (string, error) {
	v := &rec.Visits[0]
	switch {
	case v.RedirectTo != "" && v.Response != crawl.ResponseRedirectError:
		_, followed, err := d.store.URL(ctx, v.RedirectTo)
		if err != nil || followed {
			return "", err
		}
		return fmt.Sprintf("%s redirects to %s, which is outside of this crawl: start with that URL, or add --all-hosts", u, v.RedirectTo), nil
	case v.Response == crawl.ResponseRedirectError:
		return fmt.Sprintf("%s: redirect error (see 'trawl fetch')", u), nil
	case v.Robots:
		return fmt.Sprintf("%s is disallowed by robots.txt for this client ('trawl robots %s' shows the line)", u, u), nil
	case v.Crawls == 0:
		return d.notReached(ctx, u)
	case v.Failure != crawl.FailNone && v.Status == 0:
		return fmt.Sprintf("%s: %s%s", u, v.Failure, classAdvice(v.Failure)), nil
	case v.Status >= 400:
		return fmt.Sprintf("%s answered %d", u, v.Status), nil
	}
	return "", nil
}

// notReached says why a seed was never asked for: its robots.txt, as a rule.
func (d *dataDir) notReached(ctx context.Context, u crawl.URL) (string, error) {
	list, err := d.store.Robots(ctx, u.Host())
	if err != nil {
		return "", fmt.Errorf("reading the store: %w", err)
	}
	for _, r := range list {
		switch {
		case r.Origin != u.Origin():
		case r.Failure != crawl.FailNone:
			return fmt.Sprintf("%s was not crawled: robots.txt could not be fetched: %s%s", u, r.Failure, classAdvice(r.Failure)), nil
		case r.Status >= 500 || r.Status == 429:
			return fmt.Sprintf("%s was not crawled: robots.txt answered %d, which stops the crawl of the host for now (C4)", u, r.Status), nil
		}
	}
	return "", nil // not its turn yet
}

func classAdvice(c crawl.FailureClass) string {
	switch c {
	case crawl.FailDNS:
		return "; the hostname does not resolve: check its spelling"
	case crawl.FailBlockedAddress:
		return "; its address is private or reserved: add --own if the host is yours, or --allow-private"
	case crawl.FailTLS:
		return "; 'trawl fetch' shows the certificate problem, ca_file in the configuration adds an authority"
	}
	return ""
}

// advise adds what to do to errors that people meet.
func advise(err error) error {
	if errors.Is(err, store.ErrNoSpace) {
		return fmt.Errorf("%w: the disk is full, free some space", err)
	}
	return err
}
