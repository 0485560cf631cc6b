package content

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/crawl"
)

// TestF10InstalledDocumentationHasNoSoftErrors reads the documentation that is
// installed here, every twentieth page of it unless all are asked for; there are
// pages about errors in it. A page that is an error message by its own name may be
// called one.
func TestF10InstalledDocumentationHasNoSoftErrors(t *testing.T) {
	every := 20
	if os.Getenv("TRAWL_ALL_DOCS") != "" {
		every = 1
	}
	n, read := 0, 0
	for _, pkg := range []string{"python3.11-doc", "python3.11", "postgresql-doc-15", "debian-handbook", "rust-doc", "openjdk-17-doc", "cppreference-doc-en-html"} {
		root, err := filepath.EvalSymlinks(filepath.Join("/usr/share/doc", pkg))
		if err != nil {
			continue
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
				return nil
			}
			if n++; n%every != 0 {
				return nil
			}
			body, err := os.ReadFile(path)
			if err != nil || len(body) == 0 {
				return nil
			}
			read++
			p := Read(&crawl.Result{URL: "http://a.example/x", Status: 200, Body: body, Header: crawl.Header{{Name: "Content-Type", Value: "text/html"}}}, Options{})
			name := filepath.Base(path)
			if p.Missing != "" && name != "not_found.html" && name != "404.html" {
				t.Errorf("%s: %s", path, p.Missing)
			}
			return nil
		})
	}
	if read == 0 {
		t.Skip("no documentation is installed here")
	}
	t.Logf("%d pages read", read)
}

func TestF10ReadGivesTheReason(t *testing.T) {
	const doc = "<title>Page not found</title><h1>Page not found</h1><p>Sorry."
	whole := response(doc, htmlType)
	if p := Read(whole, Options{}); p.Missing == "" {
		t.Error("an error message is taken for a page")
	}
	cut := *whole
	cut.Truncated = true
	if p := Read(&cut, Options{}); p.Missing != "" {
		t.Errorf("a page that was cut is judged: %s", p.Missing)
	}
	notFound := *whole
	notFound.Status = 404
	if p := Read(&notFound, Options{}); p.Missing != "" {
		t.Errorf("an honest 404 is judged: %s", p.Missing)
	}
}
