package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"trawl/internal/crawl"
)

// corpus returns documentation pages of about 40 KB: those of Debian's package
// python3.11-doc where it is installed, made-up ones otherwise.
func corpus(b *testing.B) (pages [][]byte) {
	b.Helper()
	const n = 40 << 10
	for _, name := range []string{"os.html", "typing.html", "datetime.html"} {
		data, _ := os.ReadFile(filepath.Join("/usr/share/doc/python3.11/html/library", name))
		for ; len(data) > n; data = data[n:] {
			pages = append(pages, data[:n:n])
		}
	}
	if len(pages) == 0 {
		var page []byte
		for i := 0; len(page) < n; i++ {
			page = fmt.Appendf(page, "<p>Paragraph %d says <a href=\"/page/%d\">%x</a> and nothing else.</p>\n", i, i*7919, i*i*7919)
		}
		pages = append(pages, page)
	}
	return pages
}

// BenchmarkWrite archives whole fetches, request and metadata included. The
// aim is 200 MB of bodies a second and core at level 3.
func BenchmarkWrite(b *testing.B) {
	pages := corpus(b)
	meta := crawl.Header{{Name: "via", Value: "http://example.org/"}, {Name: "fetchTimeMs", Value: "123"}}
	for _, level := range []int{1, 3, 6} {
		b.Run(fmt.Sprintf("level=%d", level), func(b *testing.B) {
			w, err := Open(b.TempDir(), Options{Level: level})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(pages[0])))
			b.ReportAllocs()
			var in, out int64
			for i := 0; b.Loop(); i++ {
				r := page("http://example.org/some/page", "")
				r.Body = pages[i%len(pages)]
				ref, err := w.Write(Record{Result: r, Metadata: meta})
				if err != nil {
					b.Fatal(err)
				}
				in, out = in+int64(len(r.Body)), out+ref.Length
			}
			b.ReportMetric(float64(in)/float64(out), "ratio")
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkScan is the work of recovery: MB are those of the file.
func BenchmarkScan(b *testing.B) {
	pages := corpus(b)
	dir := b.TempDir()
	w, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var last crawl.ArchiveRef
	for i := range 500 {
		r := page("http://example.org/some/page", "")
		r.Body = pages[i%len(pages)]
		if last, err = w.Write(Record{Result: r}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, last.File))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.SetBytes(last.Offset + last.Length)
	for b.Loop() {
		if _, err := f.Seek(0, 0); err != nil {
			b.Fatal(err)
		}
		var r Recovery
		if torn, err := scanWhole(f, &r); err != nil || !torn || r.Records != 1001 {
			b.Fatalf("%+v, %v, %v", r, torn, err)
		}
	}
}
