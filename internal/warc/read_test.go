package warc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"trawl/internal/crawl"
)

func TestG5ReadBack(t *testing.T) {
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	r := page("http://example.org/x", "<p>stored")
	r.Header = append(r.Header, crawl.Field{Name: "ETag", Value: `"1"`})
	ref := mustWrite(t, w, Record{Result: r})
	check := func(when string) {
		t.Helper()
		st, err := ReadAt(dir, ref)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if st.Type != "response" || st.Status != 200 || st.Reason != "OK" || st.Header.Get("etag") != `"1"` || string(st.Body) != "<p>stored" ||
			st.WARC.Get("WARC-Target-URI") != "http://example.org/x" {
			t.Errorf("%s: %+v", when, st)
		}
	}
	check("while written")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check("finished")
}

func TestReadAtErrors(t *testing.T) {
	data, ends, refs := sample(t)
	dir := t.TempDir()
	path := filepath.Join(dir, refs[0].File)
	ref := refs[2]
	flipped := bytes.Clone(data)
	flipped[ref.Offset+40] ^= 0x10
	at := func(file string, offset, length int64) crawl.ArchiveRef {
		return crawl.ArchiveRef{File: file, Offset: offset, Length: length}
	}
	for _, c := range []struct {
		name string
		data []byte
		ref  crawl.ArchiveRef
		want error
	}{
		{"zero", data, crawl.ArchiveRef{}, ErrReference},
		{"path", data, at("../"+ref.File, ref.Offset, ref.Length), ErrReference},
		{"other file", data, at("passwd", 0, 10), ErrReference},
		{"negative", data, at(ref.File, -1, 10), ErrReference},
		{"no length", data, at(ref.File, 0, 0), ErrReference},
		{"no file", data, at("a"+ref.File, 0, 10), fs.ErrNotExist},
		{"beyond the end", data, at(ref.File, 1<<40, 10), ErrDamaged},
		{"within a record", data, at(ref.File, ref.Offset+1, ref.Length-1), ErrDamaged},
		{"too short", data, at(ref.File, ref.Offset, ref.Length-1), ErrDamaged},
		{"too long", data, at(ref.File, ref.Offset, ref.Length+20), ErrDamaged},
		{"not a response", data, at(ref.File, 0, ends[0]), ErrDamaged},
		{"flipped bit", flipped, ref, ErrDamaged},
		{"another digest", swapDigest(t, data, ref), at(ref.File, 0, -1), ErrDamaged},
		{"promises too much", nil, at(ref.File, 0, -1), ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.data == nil {
				c.data = packed("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nabc\r\n\r\n")
			}
			if c.ref.Length < 0 {
				c.ref.Length = int64(len(c.data))
			}
			if err := os.WriteFile(path, c.data, 0o644); err != nil {
				t.Fatal(err)
			}
			if st, err := ReadAt(dir, c.ref); !errors.Is(err, c.want) {
				t.Errorf("%+v, %v; want %v", st, err, c.want)
			}
		})
	}
}

// packed returns s as one gzip member.
func packed(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

// swapDigest returns the record at ref, sound gzip, with a digest that is not
// that of its block.
func swapDigest(t *testing.T, data []byte, ref crawl.ArchiveRef) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data[ref.Offset : ref.Offset+ref.Length]))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(b.Bytes(), []byte("WARC-Block-Digest: sha1:"), []byte("WARC-Block-Digest: sha1:A"), 1)
	return packed(string(changed))
}

func FuzzReadAt(f *testing.F) {
	data, _, refs := sample(f)
	for _, ref := range refs {
		f.Add(data[ref.Offset : ref.Offset+ref.Length])
	}
	f.Add(packed("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))
	dir := f.TempDir()
	name := "f-20260304050607-00000.warc.gz"
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), in, 0o644); err != nil {
			t.Fatal(err)
		}
		st, err := ReadAt(dir, crawl.ArchiveRef{File: name, Length: int64(max(1, len(in)))})
		if (st == nil) == (err == nil) {
			t.Fatalf("%+v, %v", st, err)
		}
	})
}
