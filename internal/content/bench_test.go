package content

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkRead reads a page of about 40 KB with 280 links.
func BenchmarkRead(b *testing.B) {
	var s strings.Builder
	s.WriteString(`<!doctype html><html><head><meta charset="utf-8"><title>A page</title><link rel="canonical" href="http://e.com/d/p"></head><body>`)
	for i := range 280 {
		fmt.Fprintf(&s, `<div class="item" id="i%d"><h3 class="title">A heading</h3><p>words and words and words <a class="link" href="/section/page-%d?a=1&amp;b=2">text</a></p></div>`+"\n", i, i)
	}
	r := response(s.String(), htmlType)
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	for b.Loop() {
		Read(r, Options{})
	}
}
