package html

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

// page is a generated page of about 40 KB with 280 links, like those of the web.
func page() []byte {
	r := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="canonical" href="https://example.com/p"></head><body>`)
	for i := range 280 {
		b.WriteString(`<div class="item" id="i"><h3 class="title">A heading</h3><p>`)
		b.WriteString(strings.Repeat("word and word ", r.IntN(5)))
		b.WriteString(`<a class="link" href="/section/page-` + strings.Repeat("x", i%20) + `?a=1&amp;b=2">text</a></p></div>` + "\n")
	}
	b.WriteString("</body></html>")
	return b.Bytes()
}

func tokenizeAll(doc []byte) (links int) {
	z := xhtml.NewTokenizer(bytes.NewReader(doc))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return links
		case xhtml.StartTagToken:
			name, more := z.TagName()
			if len(name) != 1 || name[0] != 'a' {
				continue
			}
			for more {
				var k []byte
				if k, _, more = z.TagAttr(); string(k) == "href" {
					links++
				}
			}
		}
	}
}

func bench(b *testing.B, docs [][]byte, read func([]byte)) {
	var n int64
	for _, d := range docs {
		n += int64(len(d))
	}
	b.SetBytes(n)
	b.ReportAllocs()
	for b.Loop() {
		for _, d := range docs {
			read(d)
		}
	}
}

func BenchmarkScanPage(b *testing.B) {
	bench(b, [][]byte{page()}, func(d []byte) { Scan(d, Options{}) })
}

func BenchmarkReferenceTokenizerPage(b *testing.B) {
	bench(b, [][]byte{page()}, func(d []byte) { tokenizeAll(d) })
}

func BenchmarkScanDocs(b *testing.B) {
	docs, _ := realDocs(b, 16<<20)
	if len(docs) == 0 {
		b.Skip("no HTML documentation is installed on this machine")
	}
	bench(b, docs, func(d []byte) { Scan(d, Options{}) })
}

func BenchmarkReferenceTokenizerDocs(b *testing.B) {
	docs, _ := realDocs(b, 16<<20)
	if len(docs) == 0 {
		b.Skip("no HTML documentation is installed on this machine")
	}
	bench(b, docs, func(d []byte) { tokenizeAll(d) })
}
