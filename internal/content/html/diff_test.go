package html

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"trawl/internal/content/html/htmltest"
)

// compare checks everything that is read against the reference's tree. It skips
// what the reference refuses.
func compare(t *testing.T, name string, doc []byte) {
	t.Helper()
	want, err := htmltest.Tree(doc)
	if err != nil {
		t.Logf("%s: the reference refuses it: %v", name, err)
		return
	}
	for _, d := range htmltest.Differences(reading(doc).AsSets(), want.AsSets()) {
		t.Errorf("%s: %s", name, d)
	}
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
	files, err := filepath.Glob(filepath.Join(html5libTests(t), "tree-construction", "*.dat"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
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
			want, err := htmltest.Tree([]byte(data))
			if err != nil {
				continue
			}
			if d := htmltest.Differences(reading([]byte(data)).AsSets(), want.AsSets()); len(d) > 0 {
				differ++
				t.Logf("%s: %q: %s", filepath.Base(f), data, strings.Join(d, "; "))
			}
		}
	}
	t.Logf("%d documents, %d differ", n, differ)
	if differ > 0 {
		t.Errorf("%d of %d documents differ", differ, n)
	}
}
