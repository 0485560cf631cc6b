package html

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"trawl/internal/content/html/htmltest"
)

// FuzzScan compares with the reference tokenizer: links in document order, base,
// meta robots, canonical and other link elements, title. What needs a tree (SVG,
// MathML, templates, noscript) is compared elsewhere.
func FuzzScan(f *testing.F) {
	for _, s := range pieces {
		f.Add([]byte(s + `<a href=/end>`))
	}
	for _, s := range []string{
		"<a href=&#x80;>", "<a href='&notin;&not'>", "<!--a--!><a href=x>", "<script><!--<script></script><a href=x>", "</script a='>'><a href=1>", "<a href=\"a\r\nb\"\x00>",
		"<base href=/a><base href=/b><title>t &amp; <b></title><title>u</title>", "<meta name=robots content=noindex><meta content='MAX-snippet:1' NAME=Googlebot>",
		"<link rel='alternate nofollow' hreflang=de href=/de><link rel=next href=/2><link REL=canonical href=/c>", "<plaintext><a href=x>", "<title><!-- </title><a href=x>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		checkBounds(t, doc, Scan(doc, Options{}))
		l := bytes.ToLower(doc)
		for _, word := range []string{"svg", "math", "template", "noscript", "\x00", "\ufeff"} {
			if bytes.Contains(l, []byte(word)) {
				return
			}
		}
		if !utf8.Valid(doc) || len(doc) > 1000 { // beyond, the bounds of values and the title make differences
			return
		}
		got, want := reading(doc), htmltest.Tokens(doc)
		got.Canonical, want.Canonical = nil, nil // where the head ends is the tree's business
		if d := htmltest.Differences(got, want); len(d) > 0 {
			t.Errorf("%q: %s", doc, strings.Join(d, "; "))
		}
	})
}

func checkBounds(t *testing.T, doc []byte, d *Document) {
	if len(d.Refs) > MaxRefs || len(d.Title) > MaxTitle || len(d.Robots) > MaxRobots || len(d.Notes) > maxNotes || len(d.Bounded) > 8 {
		t.Errorf("bounds: %d references, title of %d bytes, %d robots, %d notes", len(d.Refs), len(d.Title), len(d.Robots), len(d.Notes))
	}
	if !utf8.ValidString(d.Title) {
		t.Errorf("title %q is not UTF-8", d.Title)
	}
	for _, r := range d.Refs {
		if !utf8.Valid(r.Value) || len(r.Value) > 3*MaxValue || bytes.IndexByte(r.Value, 0) >= 0 {
			t.Errorf("reference %q", r.Value)
		}
	}
	if Scan(doc, Options{XML: true, Runs: true}) == nil {
		t.Error("no document")
	}
}
