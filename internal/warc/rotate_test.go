package warc

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trawl/internal/crawl"
)

// A name that is taken, finished or open, is never used again.
func TestTakenNames(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, dir, options())
	a := mustWrite(t, first, Record{Result: page("http://example.org/", "a")})
	second := mustOpen(t, dir, options())
	b := mustWrite(t, second, Record{Result: page("http://example.org/", "b")})
	for _, w := range []*Writer{first, second} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	third := mustOpen(t, dir, options())
	c := mustWrite(t, third, Record{Result: page("http://example.org/", "c")})
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	for body, ref := range map[string]crawl.ArchiveRef{"a": a, "b": b, "c": c} {
		if st, err := ReadAt(dir, ref); err != nil || string(st.Body) != body {
			t.Errorf("%s: %+v: %v", body, ref, err)
		}
	}
	if got := files(t, dir, ""); len(got) != 3 {
		t.Errorf("files %q", got)
	}
}

// Files are full at MaxBytes, groups are never parted, and names are new even
// when two writers share a directory and a second.
func TestRotationAndConcurrency(t *testing.T) {
	dir := t.TempDir()
	opt := options()
	opt.MaxBytes = 20_000
	var writers [2]*Writer
	for i := range writers {
		writers[i] = mustOpen(t, dir, opt)
	}
	type stored struct {
		ref  crawl.ArchiveRef
		body string
	}
	var mu sync.Mutex // guards all
	var all []stored
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			w := writers[g%2]
			for i := range 40 {
				body := noise(uint64(g*1000+i), 50*i)
				ref, err := w.Write(Record{Result: page("http://example.org/", body), Metadata: crawl.Header{{Name: "client", Value: "x"}}})
				if err == nil && i%10 == 0 {
					err = w.Sync()
				}
				if err == nil && i%7 == 0 { // while it is being written
					_, err = ReadAt(dir, ref)
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, stored{ref, body})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range all {
		st, err := ReadAt(dir, s.ref)
		if err != nil || string(st.Body) != s.body {
			t.Fatalf("%+v: %v", s.ref, err)
		}
	}
	names := files(t, dir, "")
	if len(names) < 10 {
		t.Fatalf("only %d files", len(names))
	}
	groups := 0
	for _, name := range names {
		recs := readFile(t, filepath.Join(dir, name))
		one := strings.Count(kinds(recs), "response")
		if kinds(recs) != "warcinfo"+strings.Repeat(" request response metadata", one) {
			t.Errorf("%s: %s", name, kinds(recs))
		}
		if n := size(t, filepath.Join(dir, name)); n > opt.MaxBytes {
			t.Errorf("%s has %d bytes", name, n)
		}
		groups += one
	}
	if groups != len(all) {
		t.Errorf("%d groups in the files, %d written", groups, len(all))
	}
}
