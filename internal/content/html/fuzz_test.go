package html

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"
)

// tokenLinks returns the href of every a and area start tag that the reference
// tokenizer sees, in document order, fragments left out.
func tokenLinks(doc []byte) (out []string) {
	z := xhtml.NewTokenizer(bytes.NewReader(doc))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return out
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			name, more := z.TagName()
			link := string(name) == "a" || string(name) == "area"
			found := false
			for more {
				var k, v []byte
				k, v, more = z.TagAttr()
				if link && !found && string(k) == "href" {
					found = true
					if v := strings.Trim(string(v), "\t\n\f\r "); !strings.HasPrefix(v, "#") && len(v) < 100 {
						out = append(out, v)
					}
				}
			}
		}
	}
}

// FuzzScan compares with the reference tokenizer, document order included. What
// needs a tree (SVG, MathML, templates) is compared elsewhere.
func FuzzScan(f *testing.F) {
	for _, s := range pieces {
		f.Add([]byte(s + `<a href=/end>`))
	}
	for _, s := range []string{"<a href=&#x80;>", "<a href='&notin;&not'>", "<!--a--!><a href=x>", "<script><!--<script></script><a href=x>", "</script a='>'><a href=1>", "<a href=\"a\r\nb\"\x00>"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got := Scan(doc, Options{})
		checkBounds(t, doc, got)
		l := bytes.ToLower(doc)
		for _, word := range []string{"svg", "math", "template", "noscript", "\x00", "\ufeff"} {
			if bytes.Contains(l, []byte(word)) {
				return
			}
		}
		if !utf8.Valid(doc) || len(doc) > 4096 {
			return
		}
		var links []string
		for _, r := range got.Refs {
			if r.Kind == KindLink && !bytes.HasPrefix(r.Value, []byte("#")) && len(r.Value) < 100 {
				links = append(links, string(r.Value))
			}
		}
		if want := tokenLinks(doc); !slices.Equal(links, want) {
			t.Errorf("%q: scanner %q, reference %q", doc, links, want)
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
	if Scan(doc, Options{XML: true}) == nil {
		t.Error("no document")
	}
}
