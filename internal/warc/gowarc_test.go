package warc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nlnwa/gowarc/v3"

	"trawl/internal/crawl"
)

// seen is a record as an independent reader sees it.
type seen struct {
	kind    string
	head    *gowarc.WarcFields
	offset  int64
	size    int64
	block   []byte
	payload []byte // of HTTP messages
	message []byte // header of HTTP messages
}

// readFile reads an archive file with an independent reader that refuses every
// violation of syntax, specification, digests and HTTP message headers.
func readFile(t testing.TB, path string) []seen {
	t.Helper()
	recs, err := tryReadFile(path, true)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	return recs
}

// tryReadFile is readFile; messages says whether HTTP headers must also be what
// net/http accepts, which it does not of every URL that may be requested.
func tryReadFile(path string, messages bool) (recs []seen, err error) {
	policy := gowarc.ErrIgnore
	if messages {
		policy = gowarc.ErrFail
	}
	r, err := gowarc.NewWarcFileReader(path, 0, gowarc.WithStrictValidation(), gowarc.WithBlockErrorPolicy(policy))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return recs, nil
		}
		if err != nil {
			return recs, err
		}
		s := seen{kind: rec.WarcRecord.Type().String(), head: rec.WarcRecord.WarcHeader(), offset: rec.Offset, size: rec.Size}
		b := rec.WarcRecord.Block()
		raw, err := b.RawBytes()
		if err != nil {
			return recs, err
		}
		if s.block, err = io.ReadAll(raw); err != nil {
			return recs, err
		}
		if p, ok := b.(gowarc.PayloadBlock); ok {
			body, err := p.PayloadBytes()
			if err != nil {
				return recs, err
			}
			if s.payload, err = io.ReadAll(body); err != nil {
				return recs, err
			}
		}
		if p, ok := b.(gowarc.ProtocolHeaderBlock); ok {
			s.message = p.ProtocolHeaderBytes()
		}
		recs = append(recs, s)
		rec.Close()
	}
}

func kinds(recs []seen) string {
	var k []string
	for _, r := range recs {
		k = append(k, r.kind)
	}
	return strings.Join(k, " ")
}

// files returns the names in dir that end in suffix.
func files(t testing.TB, dir, suffix string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

var start = time.Date(2026, 3, 4, 5, 6, 7, 890e6, time.UTC)

func options() Options {
	return Options{
		Software: "trawl/test", Operator: "Ann Example", Contact: "ann@example.org", Description: "a test", IsPartOf: "tests",
		RobotsPolicy: "obey", Now: func() time.Time { return start },
	}
}

func mustOpen(t testing.TB, dir string, opt Options) *Writer {
	t.Helper()
	w, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustWrite(t testing.TB, w *Writer, rec Record) crawl.ArchiveRef {
	t.Helper()
	ref, err := w.Write(rec)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// page returns the result of a whole HTTP/1.1 fetch.
func page(url, body string) *crawl.Result {
	return &crawl.Result{
		URL: crawl.URL(url), Start: start, Status: 200, Reason: "OK", Protocol: crawl.ProtocolHTTP1,
		Header:      crawl.Header{{Name: "Content-Type", Value: "text/html"}},
		SentRequest: crawl.Header{{Name: "Host", Value: crawl.URL(url).HostPort()}, {Name: "User-Agent", Value: "trawl/1"}},
		Body:        []byte(body),
	}
}

// archive writes the records into one file, closes it, and returns what an
// independent reader sees after the warcinfo record.
func archive(t *testing.T, recs ...Record) []seen {
	t.Helper()
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	var refs []crawl.ArchiveRef
	for _, rec := range recs {
		refs = append(refs, mustWrite(t, w, rec))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names := files(t, dir, "")
	if len(names) != 1 || !strings.HasSuffix(names[0], suffixFinal) {
		t.Fatalf("files after Close: %q", names)
	}
	got := readFile(t, filepath.Join(dir, names[0]))
	if got[0].kind != "warcinfo" {
		t.Fatalf("first record is %s", got[0].kind)
	}
	for i, ref := range refs { // every reference points at what it should
		st, err := ReadAt(dir, ref)
		if err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		if want := recs[i].Result.Body; st.Type != "revisit" && !bytes.Equal(st.Body, want) {
			t.Errorf("record %d: body of %d bytes, want %d", i, len(st.Body), len(want))
		}
		at := slices.IndexFunc(got, func(s seen) bool { return s.offset == ref.Offset })
		if at < 0 || got[at].size != ref.Length || got[at].kind != st.Type {
			t.Errorf("reference %+v is not the place of a %s record", ref, st.Type)
		}
	}
	return got[1:]
}
