package sitemap

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

func TestD2Extensions(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want Extensions
		locs string
	}{
		"image, video, news, hreflang": {`<urlset><url><loc>http://e.com/1</loc><priority>1</priority><changefreq>daily</changefreq>` +
			`<image:image><image:loc>http://e.com/i1</image:loc></image:image><image:image><image:loc>http://e.com/i2</image:loc></image:image>` +
			`<video:video><video:content_loc>http://e.com/v</video:content_loc></video:video><news:news><news:title>t</news:title></news:news>` +
			`<xhtml:link rel="alternate" hreflang="de" href="http://e.com/de"/></url></urlset>`, Extensions{2, 1, 1, 0, 1, 2}, "[http://e.com/1]"},
		"mRSS":           {`<rss><channel><item><link>http://e.com/1</link><media:content url="http://e.com/v"/></item></channel></rss>`, Extensions{Media: 1}, "[http://e.com/1]"},
		"own vocabulary": {`<urlset><url><loc>http://e.com/1</loc><image><loc>http://e.com/i</loc></image></url></urlset>`, Extensions{}, "[http://e.com/1]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Parse([]byte(tt.body), Options{})
			if s.Extensions != tt.want || fmt.Sprint(locs(s)) != tt.locs {
				t.Errorf("%+v, entries %q", s.Extensions, locs(s))
			}
		})
	}
}

func TestD2Figures(t *testing.T) {
	s := Parse(pack([]byte(two)), Options{})
	if s.Packed != 1 || s.Bytes != int64(len(two)) || s.Encoding != "utf-8" {
		t.Errorf("packed %d, %d bytes, %s", s.Packed, s.Bytes, s.Encoding)
	}
	if s := Parse(pack(pack(utf16(two))), Options{}); s.Packed != 2 || s.Encoding != "utf-16le" {
		t.Errorf("packed %d, %s", s.Packed, s.Encoding)
	}
	if e := Parse([]byte(two), Options{}).Entries; !e[0].Dated || e[1].Dated || !strings.HasPrefix(two[e[1].Offset:], "<url>") {
		t.Errorf("%+v", e)
	}
	s = Parse([]byte(strings.Repeat("http://e.com/\n", MaxEntries+5)), Options{CountAll: true})
	if len(s.Entries) != MaxEntries || s.Beyond != 5 || !s.Truncated || s.Issues[0].Class != ClassTooMany {
		t.Errorf("%d entries, %d beyond", len(s.Entries), s.Beyond)
	}
}

// TestCase29TwoGigabytes: the packed two megabytes are read to the limit, and with
// Measure counted to the end.
func TestCase29TwoGigabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 2 GB")
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	block := bytes.Repeat([]byte("<url><loc>http://e.com/1</loc></url>\n\n\n\n"), 1<<14)
	for n := 0; n < hugeSitemap; n += len(block) {
		_, _ = z.Write(block)
	}
	_ = z.Close()
	for measure, least := range map[int64]int64{0: MaxBytes, 4 << 30: hugeSitemap} {
		s := Parse(b.Bytes(), Options{Measure: measure})
		if s.Bytes < least || !s.Truncated || len(s.Entries) > MaxEntries {
			t.Errorf("measure %d: %d bytes", measure, s.Bytes)
		}
	}
}
