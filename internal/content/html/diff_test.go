package html

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"
)

// treeLinks returns the set of references that a standard tree holds: a, area,
// frame and iframe, outside templates, fragments left out.
func treeLinks(t testing.TB, doc []byte) []string {
	root, err := xhtml.ParseWithOptions(bytes.NewReader(doc), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		t.Skip(err) // the reference bounds its nesting
	}
	set := map[string]bool{}
	var walk func(n *xhtml.Node)
	walk = func(n *xhtml.Node) {
		if n.Type == xhtml.ElementNode && n.Namespace == "" && n.Data == "template" && !isShadow(n) {
			return
		}
		if n.Type == xhtml.ElementNode {
			for _, a := range n.Attr {
				v := strings.Trim(a.Val, "\t\n\f\r ")
				switch {
				case a.Namespace != "" || strings.HasPrefix(v, "#"):
				case a.Key == "href" && (n.Data == "a" || n.Data == "area" && n.Namespace == ""):
					set[v] = true
				case a.Key == "src" && (n.Data == "frame" || n.Data == "iframe") && n.Namespace == "" && v != "":
					set["frame:"+v] = true
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return sorted(set)
}

func isShadow(n *xhtml.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "shadowrootmode" {
			return shadowRoot([]byte(a.Val))
		}
	}
	return false
}

func scanLinks(doc []byte) []string {
	set := map[string]bool{}
	for _, r := range Scan(doc, Options{}).Refs {
		switch {
		case bytes.HasPrefix(r.Value, []byte("#")):
		case r.Kind == KindLink:
			set[string(r.Value)] = true
		case r.Kind == KindFrame:
			set["frame:"+string(r.Value)] = true
		}
	}
	return sorted(set)
}

func sorted(set map[string]bool) []string {
	var out []string
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func compare(t *testing.T, name string, doc []byte) {
	t.Helper()
	want, got := treeLinks(t, doc), scanLinks(doc)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %d links, the tree has %d\nscanner only: %.300q\ntree only: %.300q", name, len(got), len(want), minus(got, want), minus(want, got))
	}
}

func minus(a, b []string) (out []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// docDirs hold real documentation, where it is installed.
var docDirs = []string{"/usr/share/doc/python3.11/html", "/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/debian-handbook/html", "/usr/share/doc"}

func realDocs(t testing.TB, maxBytes int) (docs [][]byte, names []string) {
	seen := map[string]bool{}
	for _, dir := range docDirs {
		total := 0
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || seen[path] || !strings.HasSuffix(path, ".html") || total >= maxBytes/len(docDirs) {
				return nil
			}
			seen[path] = true
			b, err := os.ReadFile(path)
			if err == nil && utf8.Valid(b) {
				total += len(b)
				docs, names = append(docs, b), append(names, path)
			}
			return nil
		})
	}
	return docs, names
}

func TestD1RealDocumentsAgainstTree(t *testing.T) {
	docs, names := realDocs(t, 6<<20)
	if len(docs) == 0 {
		t.Skip("no HTML documentation is installed on this machine")
	}
	for i := range docs {
		compare(t, names[i], docs[i])
	}
	t.Logf("%d documents", len(docs))
}

// pieces are what synthetic documents are made of.
var pieces = []string{
	`<a href="/%d">t</a>`, `<A HREF=/%d>t</A>`, `<a/href='/%d'/>`, `<a title="<a href=/no>" href="/p?a=%d&amp;b">`, `<area href=/area%d>`, `<iframe src=/f%d><a href=/no></iframe>`,
	`<!-- <a href=/no%d> -->`, `<!--%d-->`, `<!--> %d -->`, `<script>if (a<%d) x("<a href=/no>")</script>`, `<script><!-- <script> </script> <a href=/no%d> --></script>`,
	`<style>a{}<a href=/no%d></style>`, `<textarea><a href=/no%d></textarea>`, `<p class=x%d>`, `</p>`, `<div>%d`, `</div>`, `text &amp; %d`, `<br/>`, `<noscript><a href=/n%d></noscript>`,
	`<svg><a href=/svg%d></a><title><a href=/t></a></title></svg>`, `<template><a href=/no%d></a></template>`, `<h1 id=%d>`, `</h1>`, `<table><tr><td><a href=/td%d></table>`, `<li><b><i>%d`, `</b></li>`,
	`<xmp><a href=/no%d></xmp>`, `<?php %d ?>`, `</ %d>`, `<math><mi><a href=/m%d></a></mi></math>`, `<a href=/n%d rel='x' href=/no>`, `<a href='/e&copy;%d&notit;&copy=1'>`,
}

func synthetic(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	b.WriteString("<!doctype html><html><head><title>t</title></head><body>")
	for i := range n {
		p := pieces[r.IntN(len(pieces))]
		if strings.Contains(p, "%d") {
			p = fmt.Sprintf(p, i)
		}
		b.WriteString(p)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestD1SyntheticDocumentsAgainstTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		compare(t, fmt.Sprintf("document %d", i), synthetic(r, 60))
		if t.Failed() {
			return
		}
	}
}

// TestHTML5LibDocuments compares with the reference's tree on the documents of
// the html5lib tree-construction tests, where the module's sources are at hand.
func TestHTML5LibDocuments(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Skip("the go tool does not know where golang.org/x/net is")
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "html/testdata/html5lib-tests/tree-construction/*.dat"))
	if len(files) == 0 {
		t.Skip("golang.org/x/net comes without its test data")
	}
	n, differ := 0, 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split("\n"+string(b), "\n#data\n")[1:] {
			data, _, ok := strings.Cut(c, "\n#errors")
			if !ok || strings.Contains(c, "\n#document-fragment\n") {
				continue
			}
			n++
			if want, got := treeLinks(t, []byte(data)), scanLinks([]byte(data)); !slices.Equal(got, want) {
				differ++
				t.Logf("%s: %q: scanner %q, tree %q", filepath.Base(f), data, got, want)
			}
		}
	}
	t.Logf("%d documents, %d differ", n, differ)
	if differ > 0 {
		t.Errorf("%d of %d documents differ", differ, n)
	}
}
