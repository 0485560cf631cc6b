package warc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"trawl/internal/crawl"
)

// Writer appends records to the archive files of a directory. It is safe for
// use by many goroutines: hashing and compression run in the caller's, only
// the append is serial.
type Writer struct {
	dir       string
	opt       Options
	create    createFunc
	recovered []Recovery
	encoders  sync.Pool
	randMu    sync.Mutex
	failed    atomic.Pointer[error] // set once, by the first failed sync

	mu     sync.Mutex // guards the rest; taken before a segment's syncMu
	seg    *segment   // nil between files
	serial int
	closed bool
}

// Open makes dir if need be, recovers what a crash left in it, and returns a
// writer. Files are made when there is something to write.
func Open(dir string, opt Options) (*Writer, error) { return open(dir, opt, createFile) }

func open(dir string, opt Options, create createFunc) (*Writer, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the archive directory: %w", err)
	}
	w := &Writer{dir: dir, opt: opt, create: create}
	if w.recovered, err = recoverDir(dir, opt.Prefix); err != nil {
		return nil, err
	}
	return w, nil
}

// Recovered returns what Open found and mended, in the order of file names.
func (w *Writer) Recovered() []Recovery { return w.recovered }

// Write archives one fetch and returns where its response, revisit or resource
// record is. A fetch without a response gives the zero reference and no error.
// The reference may be committed once Sync has returned nil.
//
// Errors: [ErrInvalid], [ErrNotWritten], [ErrFailed], [ErrClosed].
func (w *Writer) Write(rec Record) (crawl.ArchiveRef, error) {
	if err := rec.check(); err != nil {
		return crawl.ArchiveRef{}, err
	}
	if !answered(rec.Result) {
		return crawl.ArchiveRef{}, nil
	}
	date := rec.Result.Start
	if !datable(date) {
		date = w.opt.Now()
	}
	ids, err := w.recordIDs()
	if err != nil {
		return crawl.ArchiveRef{}, err
	}
	e, err := w.encoder()
	if err != nil {
		return crawl.ArchiveRef{}, err
	}
	defer w.release(e)
	place, err := e.group(rec, date, ids)
	if err != nil {
		return crawl.ArchiveRef{}, fmt.Errorf("%w: compressing: %w", ErrNotWritten, err)
	}
	name, at, err := w.append(e.out.Bytes())
	if err != nil {
		return crawl.ArchiveRef{}, err
	}
	return crawl.ArchiveRef{File: name, Offset: at + place.offset, Length: place.length}, nil
}

// append writes one group and returns its file and offset.
func (w *Writer) append(group []byte) (string, int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return "", 0, ErrClosed
	}
	if err := w.failure(); err != nil {
		return "", 0, err
	}
	if w.seg != nil && w.seg.used && w.seg.size.Load()+int64(len(group)) > w.opt.MaxBytes {
		if err := w.finish(); err != nil {
			return "", 0, err
		}
	}
	if w.seg == nil {
		seg, err := w.newSegment()
		if err != nil {
			return "", 0, notWritten("a new archive file", err)
		}
		w.seg = seg
	}
	at, err := w.seg.append(group)
	if err != nil {
		return "", 0, notWritten(w.seg.name, err)
	}
	w.seg.used = true
	return w.seg.name, at, nil
}

// finish ends the current file. The caller holds mu.
func (w *Writer) finish() error {
	if err := w.seg.finish(); err != nil {
		if errors.Is(err, ErrFailed) {
			return w.fail(err)
		}
		return notWritten(w.seg.name, err)
	}
	w.seg = nil
	return nil
}

// newSegment makes the next file, with its warcinfo record. The caller holds mu.
func (w *Writer) newSegment() (*segment, error) {
	now := w.opt.Now()
	for range 1000 {
		seg := &segment{dir: w.dir, name: fileName(w.opt.Prefix, now, w.serial)}
		w.serial++
		var err error
		if seg.file, err = w.create(seg.openPath()); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		// Only now: another writer may have had the open name until it gave
		// its file the final one.
		if _, err := os.Lstat(filepath.Join(w.dir, seg.name)); err == nil {
			if err := seg.discard(); err != nil {
				return nil, err
			}
			continue
		}
		if seg.mark, err = os.Create(seg.openPath() + suffixMark); err == nil {
			err = w.warcinfo(seg)
		}
		if err == nil {
			err = syncDir(w.dir)
		}
		if err != nil {
			return nil, errors.Join(err, seg.discard())
		}
		return seg, nil
	}
	return nil, fmt.Errorf("no free file name for prefix %q at %s", w.opt.Prefix, now.UTC().Format(stampLayout))
}

// warcinfo writes the record that heads every file.
func (w *Writer) warcinfo(seg *segment) error {
	ids, err := w.recordIDs()
	if err != nil {
		return err
	}
	e, err := w.encoder()
	if err != nil {
		return err
	}
	defer w.release(e)
	e.begin("warcinfo", ids[0], w.opt.Now())
	e.field("WARC-Filename", seg.name)
	operator := strings.Trim(w.opt.Operator+", "+w.opt.Contact, ", ")
	var info crawl.Header
	for _, f := range [...]crawl.Field{
		{Name: "software", Value: w.opt.Software},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{Name: "operator", Value: operator},
		{Name: "description", Value: w.opt.Description},
		{Name: "isPartOf", Value: w.opt.IsPartOf},
		{Name: "robots", Value: w.opt.RobotsPolicy},
	} {
		if f.Value != "" {
			info = append(info, f)
		}
	}
	if err := e.end(typeFields, e.fields(info), nil); err != nil {
		return err
	}
	_, err = seg.append(e.out.Bytes())
	return err
}

// Sync returns when everything written before the call is on disk. Calls at
// the same time share the work. Errors: [ErrFailed].
func (w *Writer) Sync() error {
	w.mu.Lock()
	seg := w.seg
	var end int64
	if seg != nil {
		end = seg.size.Load()
	}
	w.mu.Unlock()
	if err := w.failure(); err != nil {
		return err
	}
	if seg == nil { // finished files were synced when they were finished
		return nil
	}
	if err := seg.sync(end); err != nil {
		return w.fail(err)
	}
	return nil
}

// Close syncs and ends the current file. After an error other than
// [ErrFailed] it may be called again. A file that cannot be ended stays
// readable by its references, and the next Open recovers it.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.seg == nil {
		return w.failure()
	}
	if err := w.failure(); err != nil {
		return errors.Join(err, w.seg.abandon())
	}
	return w.finish()
}

func (w *Writer) failure() error {
	if p := w.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// fail makes err the error of every later call, unless there is one already.
func (w *Writer) fail(err error) error {
	w.failed.CompareAndSwap(nil, &err)
	return w.failure()
}

func (w *Writer) encoder() (*encoder, error) {
	if e, ok := w.encoders.Get().(*encoder); ok {
		return e, nil
	}
	return newEncoder(w.opt.Level)
}

func (w *Writer) release(e *encoder) {
	if e.idle() {
		e.out.Reset()
		w.encoders.Put(e)
	}
}

// recordIDs returns the ids of a group: UUIDs of version 4 (RFC 9562 section
// 5.4) as URNs.
func (w *Writer) recordIDs() (ids [3]string, err error) {
	var b [48]byte
	w.randMu.Lock()
	_, err = io.ReadFull(w.opt.Rand, b[:])
	w.randMu.Unlock()
	if err != nil {
		return ids, fmt.Errorf("%w: no random bytes for record ids: %w", ErrNotWritten, err)
	}
	for i := range ids {
		u := b[i*16 : i*16+16]
		u[6] = u[6]&0x0f | 0x40
		u[8] = u[8]&0x3f | 0x80
		x := hex.EncodeToString(u)
		ids[i] = "<urn:uuid:" + x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:] + ">"
	}
	return ids, nil
}
