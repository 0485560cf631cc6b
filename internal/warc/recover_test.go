package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"trawl/internal/crawl"
)

const openName = "trawl-20260304050607-00000.warc.gz.open"

// sample returns the bytes of a small archive file and where its records end.
func sample(t testing.TB) (data []byte, ends []int64, refs []crawl.ArchiveRef) {
	t.Helper()
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	for _, body := range []string{"", "some text", noise(7, 300)} {
		refs = append(refs, mustWrite(t, w, Record{Result: page("http://example.org/", body), Metadata: crawl.Header{{Name: "via", Value: "x"}}}))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, refs[0].File)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range readFile(t, path) {
		ends = append(ends, r.offset+r.size)
	}
	return data, ends, refs
}

// leave puts a file in dir as a crash would leave it.
func leave(t testing.TB, dir string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, openName), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Case 34: a file cut anywhere keeps exactly its whole records. Every cut is
// scanned; those near the end of a record, and some others, are made on disk.
func TestCase34CutAtEveryByte(t *testing.T) {
	data, ends, refs := sample(t)
	dir := t.TempDir()
	for n := range len(data) + 1 {
		want := Recovery{File: refs[0].File}
		near := n%251 == 0
		for _, end := range ends {
			if end <= int64(n) {
				want.Kept = end
				want.Records++
			}
			near = near || end-2 < int64(n) && int64(n) < end+2
		}
		got := Recovery{File: refs[0].File}
		if torn, err := scanWhole(bytes.NewReader(data[:n]), &got); err != nil || !torn || got != want {
			t.Fatalf("cut at %d: %+v, torn %v, %v, want %+v", n, got, torn, err, want)
		}
		if near {
			want.Cut = int64(n) - want.Kept
			checkCut(t, dir, data[:n], want, refs)
		}
	}
}

// checkCut recovers a file in dir, compares, and removes it.
func checkCut(t *testing.T, dir string, data []byte, want Recovery, refs []crawl.ArchiveRef) {
	t.Helper()
	leave(t, dir, data)
	w := mustOpen(t, dir, options())
	if got := w.Recovered(); !slices.Equal(got, []Recovery{want}) {
		t.Fatalf("cut at %d: %+v, want %+v", len(data), got, want)
	}
	if want.Kept == 0 {
		if got := files(t, dir, ""); len(got) != 0 {
			t.Fatalf("cut at %d: %q left", len(data), got)
		}
		return
	}
	final := filepath.Join(dir, want.File)
	if got, err := os.ReadFile(final); err != nil || !bytes.Equal(got, data[:want.Kept]) {
		t.Fatalf("cut at %d: %d bytes, %v", len(data), len(got), err)
	}
	for _, ref := range refs {
		if _, err := ReadAt(dir, ref); (err == nil) != (ref.Offset+ref.Length <= want.Kept) {
			t.Fatalf("cut at %d: %+v: %v", len(data), ref, err)
		}
	}
	if err := os.Remove(final); err != nil {
		t.Fatal(err)
	}
}

// A recovered file is never appended to: the next record goes into a new one.
func TestCase34NeverAppended(t *testing.T) {
	data, ends, refs := sample(t)
	dir := t.TempDir()
	leave(t, dir, data[:ends[2]+5])
	w := mustOpen(t, dir, options())
	ref := mustWrite(t, w, Record{Result: page("http://example.org/", "new")})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if ref.File == refs[0].File {
		t.Errorf("written into %s", ref.File)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, refs[0].File)); !bytes.Equal(got, data[:ends[2]]) {
		t.Errorf("recovered file has %d bytes, want %d", len(got), ends[2])
	}
	if w := mustOpen(t, dir, options()); len(w.Recovered()) != 0 {
		t.Errorf("recovered again: %+v", w.Recovered())
	}
}

// What is not the torn end of an append may have been synced once: it is put
// aside, not destroyed.
func TestDamageIsPutAside(t *testing.T) {
	data, ends, refs := sample(t)
	flipped := bytes.Clone(data[ends[3]:])
	flipped[12] ^= 0xff
	crc := bytes.Clone(data[ends[3]:])
	crc[ends[4]-ends[3]-8] ^= 1
	for name, tail := range map[string][]byte{
		"flipped bits":      flipped,
		"checksum":          crc,
		"zeros":             make([]byte, 100),
		"not gzip":          []byte("WARC/1.1\r\n"),
		"not WARC":          packed("hello"),
		"no length":         packed("WARC/1.1\r\nA: b\r\n\r\n\r\n\r\n"),
		"negative length":   packed("WARC/1.1\r\nContent-Length: -1\r\n\r\n\r\n\r\n"),
		"too short":         packed("WARC/1.1\r\nContent-Length: 9\r\n\r\nabc\r\n\r\n"),
		"too long":          packed("WARC/1.1\r\nContent-Length: 2\r\n\r\nabc\r\n\r\n"),
		"no end":            packed("WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n"),
		"header goes on":    packed("WARC/1.1\r\nContent-Length: 3\r\n"),
		"header too long":   packed("WARC/1.1\r\n" + string(make([]byte, maxHead)) + "\r\n\r\n"),
		"line has no colon": packed("WARC/1.1\r\nContent-Length\r\n\r\n\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			leave(t, dir, append(bytes.Clone(data[:ends[3]]), tail...))
			w := mustOpen(t, dir, options())
			want := Recovery{File: refs[0].File, Records: 4, Kept: ends[3], Cut: int64(len(tail)), Damaged: refs[0].File + ".damaged"}
			if got := w.Recovered(); !slices.Equal(got, []Recovery{want}) {
				t.Fatalf("%+v, want %+v", got, want)
			}
			if got, err := os.ReadFile(filepath.Join(dir, want.Damaged)); err != nil || !bytes.Equal(got, tail) {
				t.Errorf("put aside %d bytes, %v", len(got), err)
			}
			if got := readFile(t, filepath.Join(dir, want.File)); len(got) != 4 {
				t.Errorf("%d records", len(got))
			}
		})
	}
}

// Nothing that was synced is cut, even when it has been damaged since; a mark
// that does not hold together counts for nothing.
func TestSyncedIsNeverCut(t *testing.T) {
	data, ends, refs := sample(t)
	bad := bytes.Clone(data[:ends[4]+9])
	bad[ends[1]+30] ^= 0xff
	whole := Recovery{File: refs[0].File, Records: 1, Kept: ends[4], Cut: 9, Synced: ends[3]}
	none := Recovery{File: refs[0].File, Records: 2, Kept: ends[1], Cut: int64(len(bad)) - ends[1], Damaged: refs[0].File + ".damaged"}
	good := formatMark(ends[3])
	for _, c := range []struct {
		name string
		mark []byte
		want Recovery
	}{
		{"mark", good, whole},
		{"no mark", nil, none},
		{"empty", []byte{}, none},
		{"torn", good[:20], none},
		{"digit changed", append([]byte("1"), good[1:]...), none},
		{"beyond the end", formatMark(int64(len(bad)) + 1), none},
		{"negative", formatMark(-1), none},
		{"too long", append(bytes.Clone(good), make([]byte, 99)...), none},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			leave(t, dir, bad)
			if c.mark != nil {
				if err := os.WriteFile(filepath.Join(dir, openName+".synced"), c.mark, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w := mustOpen(t, dir, options())
			if got := w.Recovered(); !slices.Equal(got, []Recovery{c.want}) {
				t.Fatalf("%+v, want %+v", got, c.want)
			}
			if got, err := os.ReadFile(filepath.Join(dir, c.want.File)); err != nil || !bytes.Equal(got, bad[:c.want.Kept]) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if got := files(t, dir, ".synced"); len(got) != 0 {
				t.Errorf("left: %q", got)
			}
		})
	}
}

// The mark that Sync leaves is the one that recovery reads.
func TestSyncLeavesMark(t *testing.T) {
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	ref := mustWrite(t, w, Record{Result: page("http://example.org/", "x")})
	path := filepath.Join(dir, ref.File+".open")
	if got := readMark(path, 1<<40); got != 0 {
		t.Errorf("mark %d before any Sync", got)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, w, Record{Result: page("http://example.org/", "y")})
	if got := readMark(path, 1<<40); got != ref.Offset+ref.Length {
		t.Errorf("mark %d, want %d", got, ref.Offset+ref.Length)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir, ""); !slices.Equal(got, []string{ref.File}) {
		t.Errorf("files %q", got)
	}
}

func TestRecoveryLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	ref := mustWrite(t, w, Record{Result: page("http://example.org/", "mine")})
	others := []string{
		"other-20260304050607-00000.warc.gz.open", "trawl-b-20260304050607-00000.warc.gz.open", "trawl-2026-00000.warc.gz.open",
		"trawl-20260304050607-0000x.warc.gz.open", "trawl-20260304050607-00001.warc.gz",
	}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("junk"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "trawl-20260304050607-00009.warc.gz.open"), 0o755); err != nil {
		t.Fatal(err)
	}
	second := mustOpen(t, dir, options())
	if got := second.Recovered(); len(got) != 0 {
		t.Errorf("recovered %+v, which a living writer or another program holds", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAt(dir, ref); err != nil {
		t.Error(err)
	}
	for _, name := range others {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "junk" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestRecoveryDoesNotOverwrite(t *testing.T) {
	data, _, refs := sample(t)
	dir := t.TempDir()
	leave(t, dir, data)
	if err := os.WriteFile(filepath.Join(dir, refs[0].File), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, options()); err == nil {
		t.Fatal("no error for two files of one name")
	}
	// An empty one is the rest of a name that was found taken.
	leave(t, dir, nil)
	if _, err := Open(dir, options()); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, refs[0].File)); string(got) != "mine" {
		t.Errorf("overwritten: %q", got)
	}
}

// A disk that cannot be read is no reason to cut.
func TestUnreadableIsNotDamage(t *testing.T) {
	data, ends, _ := sample(t)
	bad := errors.New("input/output error")
	for n := range int(ends[3]) {
		var r Recovery
		in := io.MultiReader(bytes.NewReader(data[:n]), failingReader{bad})
		if _, err := scanWhole(in, &r); !errors.Is(err, bad) {
			t.Fatalf("read error after %d bytes: %v", n, err)
		}
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// FuzzRecovery scans arbitrary bytes; what is done with the verdict on disk has
// its own tests.
func FuzzRecovery(f *testing.F) {
	data, ends, _ := sample(f)
	f.Add(data)
	f.Add(data[:ends[1]+20])
	f.Add(append(bytes.Clone(data[:ends[2]]), "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\xff\xff"...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, in []byte) {
		var r Recovery
		torn, err := scanWhole(bytes.NewReader(in), &r)
		if err != nil || r.Kept < 0 || r.Kept > int64(len(in)) || (r.Kept == 0) != (r.Records == 0) {
			t.Fatalf("%+v of %d bytes, %v", r, len(in), err)
		}
		if r.Kept == int64(len(in)) && !torn {
			t.Fatalf("%+v: damage after the last byte", r)
		}
		if r.Kept == 0 {
			return
		}
		// What is kept is whole gzip to another reader, and whole when scanned again.
		z, err := gzip.NewReader(bytes.NewReader(in[:r.Kept]))
		if err == nil {
			_, err = io.Copy(io.Discard, z)
		}
		var again Recovery
		if torn, e := scanWhole(bytes.NewReader(in[:r.Kept]), &again); err != nil || e != nil || !torn || again != r {
			t.Fatalf("%+v, again %+v, torn %v, %v, %v", r, again, torn, err, e)
		}
	})
}
