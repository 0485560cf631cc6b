package weburl

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"trawl/internal/crawl"
)

func TestBaseWithoutURL(t *testing.T) {
	for _, u := range []crawl.URL{"", "nonsense", "http://no-path.example"} {
		b := NewBase(u)
		if got, err := b.Resolve([]byte("http://example.com")); err != nil || got != "http://example.com/" {
			t.Errorf("NewBase(%q): absolute reference: %q, %v", u, got, err)
		}
		if got, err := b.Resolve([]byte("a")); err == nil || b.URL() != "" {
			t.Errorf("NewBase(%q): relative reference: %q; URL %q", u, got, b.URL())
		}
	}
}

func TestResolveLeavesItsInputAlone(t *testing.T) {
	ref := []byte(" /a\t/%7e/\n..#x")
	before := string(ref)
	b := NewBase("http://h.example/x/y")
	first, err := b.Resolve(ref)
	if err != nil || first != "http://h.example/a/" || string(ref) != before {
		t.Fatalf("%q, %v; input now %q", first, err, ref)
	}
	// The buffer is used again: what was returned must not change with it.
	if _, err := b.Resolve([]byte("/zzzzzzzzzzzzzzzzz")); err != nil || first != "http://h.example/a/" {
		t.Fatalf("first result became %q, %v", first, err)
	}
}

func TestBaseKeepsNoLargeBuffer(t *testing.T) {
	b := NewBase("http://h.example/")
	if _, err := b.Resolve(make([]byte, MaxInput)); err != nil {
		t.Log(err)
	}
	long := make([]byte, MaxInput)
	for i := range long {
		long[i] = '"'
	}
	if _, err := b.Resolve(long); err == nil || cap(b.buf) > maxKept {
		t.Errorf("%v; buffer of %d bytes kept", err, cap(b.buf))
	}
}

func TestResolveAllocations(t *testing.T) {
	b := NewBase("https://docs.example/3/library/os.html")
	for _, c := range []struct {
		ref string
		max float64
	}{
		{"#os.path", 0},
		{"", 0},
		{"os.path.html#module-os.path", 1},
		{"../reference/index.html", 1},
		{"/a%7eb/é?q=%3d", 1},
		{"https://docs.example/x", 1},
		{"http://OTHER.example:8080/x?y", 1},
		{"//127.0.0.1/", 1},
	} {
		ref := []byte(c.ref)
		if _, err := b.Resolve(ref); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { b.Resolve(ref) }); n > c.max {
			t.Errorf("%q: %v allocations, want at most %v", c.ref, n, c.max)
		}
	}
}

// synthetic has the mix of references of a documentation page.
var synthetic = []string{
	"#id1", "#module-contents", "index.html", "../genindex.html", "../py-modindex.html", "os.path.html#module-os.path", "https://www.example.org/",
	"../library/stdtypes.html#str.join", "../library/exceptions.html#OSError", "functions.html#open", "../reference/datamodel.html#object.__fspath__",
	"https://github.example/project/tree/3.11/Lib/os.py", "/bugs.html", "../_sources/library/os.rst.txt", "http://other.example/a/b?c=d&e=f#g",
	"?page=2", "mailto:docs@example.org", "../whatsnew/3.11.html",
}

func BenchmarkResolveSynthetic(b *testing.B) {
	benchmarkResolve(b, synthetic)
}

// docTrees are real pages to try on, where they are installed.
var docTrees = []string{"/usr/share/doc/python3.11/html", "/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/debian-handbook/html"}

// docPages calls page for each HTML file of tree, at most limit.
func docPages(t testing.TB, tree string, limit int, page func(path string, hrefs []string)) {
	if _, err := os.Stat(tree); err != nil {
		t.Skipf("the documentation tree %s is not installed", tree)
	}
	root := os.DirFS(tree)
	paths, err := htmlFiles(root)
	if err != nil || len(paths) == 0 {
		t.Fatal(len(paths), err)
	}
	for i, p := range paths {
		if i >= limit {
			break
		}
		data, err := fs.ReadFile(root, p)
		if err != nil {
			t.Fatal(err)
		}
		var hrefs []string
		for _, after := range strings.Split(string(data), ` href="`)[1:] {
			h, _, _ := strings.Cut(after, `"`)
			hrefs = append(hrefs, h)
		}
		page(p, hrefs)
	}
}

func htmlFiles(root fs.FS) (paths []string, err error) {
	err = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".html") {
			paths = append(paths, p)
		}
		return err
	})
	return paths, err
}

func BenchmarkResolveDocs(b *testing.B) {
	for _, tree := range docTrees {
		b.Run(tree[len("/usr/share/doc/"):], func(b *testing.B) {
			var refs []string
			docPages(b, tree, 100, func(_ string, hrefs []string) { refs = append(refs, hrefs...) })
			benchmarkResolve(b, refs)
		})
	}
}

// BenchmarkResolvePages resolves the references of real pages as the crawler
// does: a base for each page. Its figure is ns/link.
func BenchmarkResolvePages(b *testing.B) {
	type refs struct {
		page crawl.URL
		refs [][]byte
	}
	var pages []refs
	links := 0
	for _, tree := range docTrees {
		docPages(b, tree, 200, func(path string, hrefs []string) {
			p := refs{page: mustParseOrEmpty("http://docs.example/" + path)}
			for _, h := range hrefs {
				p.refs = append(p.refs, []byte(h))
			}
			pages = append(pages, p)
			links += len(hrefs)
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range pages {
			base := NewBase(p.page)
			for _, r := range p.refs {
				base.Resolve(r)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(links), "ns/link")
}

func benchmarkResolve(b *testing.B, refs []string) {
	base := NewBase("https://docs.example/3/library/os.html")
	in := make([][]byte, len(refs))
	for i, r := range refs {
		in[i] = []byte(r)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		base.Resolve(in[i])
		if i++; i == len(in) {
			i = 0
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("https://www.example.com/products/shoes?color=red&size=42#reviews"); err != nil {
			b.Fatal(err)
		}
	}
}
