package sitemap

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"
)

func locs(s *Sitemap) []string {
	var out []string
	for _, e := range s.Entries {
		out = append(out, e.Loc)
	}
	return out
}

func pack(b []byte) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	z.Write(b)
	z.Close()
	return buf.Bytes()
}

func utf16(s string) []byte {
	b, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
	if err != nil {
		panic(err)
	}
	return b
}

const two = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://e.com/1</loc><lastmod>2024-05-01</lastmod></url>
<url><loc> http://e.com/2?a&amp;b </loc><priority>1</priority></url>
</urlset>`

func TestD2Formats(t *testing.T) {
	want := []string{"http://e.com/1", "http://e.com/2?a&b"}
	raw := strings.ReplaceAll(two, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "")
	for _, tt := range []struct {
		name, format string
		body         []byte
	}{
		{"XML", FormatURLSet, []byte(two)},
		{"case27 gzip", FormatURLSet, pack([]byte(two))},
		{"case27 gzip twice", FormatURLSet, pack(pack([]byte(two)))},
		{"case27 UTF-16 with BOM", FormatURLSet, utf16(two)},
		{"case27 UTF-16 without BOM", FormatURLSet, utf16(two)[2:]},
		{"case27 UTF-8 BOM and blank lines", FormatURLSet, []byte("\xef\xbb\xbf\n\n \r\n" + two)},
		{"case27 blank lines", FormatURLSet, []byte("\n\n" + two)},
		{"case27 no declaration", FormatURLSet, []byte(raw)},
		{"case27 no namespace", FormatURLSet, []byte(strings.ReplaceAll(two, ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`, ""))},
		{"case27 https namespace", FormatURLSet, []byte(strings.ReplaceAll(two, `"http://www.s`, `"https://www.s`))},
		{"case27 wrong namespace", FormatURLSet, []byte(strings.ReplaceAll(two, `http://www.sitemaps.org/schemas/sitemap/0.9`, "x"))},
		{"case27 prefix", FormatURLSet, []byte(`<s:urlset xmlns:s="x"><s:url><s:loc>http://e.com/1</s:loc></s:url><s:url ><s:loc >http://e.com/2?a&#38;b</s:loc ></s:url></s:urlset>`)},
		{"case27 CDATA", FormatURLSet, []byte(`<urlset><url><loc><![CDATA[http://e.com/1]]></loc></url><url><loc>http://e.com/2<![CDATA[?a&b]]></loc></url></urlset>`)},
		{"case27 extensions are no pages", FormatURLSet, []byte(`<urlset><url><image:loc>http://e.com/i</image:loc><loc>http://e.com/1</loc><image:image><image:loc>http://e.com/i</image:loc></image:image><image:loc>http://e.com/i</image:loc>` +
			`<video:video><video:content_loc>http://e.com/v</video:content_loc></video:video><image><loc>http://e.com/x</loc></image></url><loc>http://e.com/y</loc><url><loc>http://e.com/2?a&amp;b</loc></url></urlset>`)},
		{"comments and instructions", FormatURLSet, []byte(`<!-- <url> --><urlset><?x <url> ?><url><!-- > --><loc>http://e.com/<!-- x -->1</loc></url><!--<url><loc>http://e.com/no</loc></url>--><url><loc>http://e.com/2?a&amp;b</loc></url>`)},
		{"elements not closed", FormatURLSet, []byte(`<urlset><url><loc>http://e.com/1</url><url><loc>http://e.com/2?a&b</loc></wrong></url></urlset>`)},
		{"cut off", FormatURLSet, []byte(`<urlset><url><loc>http://e.com/1</loc></url><url><loc>http://e.com/2?a&amp;b</loc><lastm`)},
		{"text", FormatText, []byte("http://e.com/1\nhttp://e.com/2?a&b")},
		{"case27 text with BOM and blank lines", FormatText, []byte("\xef\xbb\xbf\r\n\r\n http://e.com/1 \r\n\r\nhttp://e.com/2?a&b\r\n\r\n")},
		{"case27 text, CR only", FormatText, []byte("http://e.com/1\rhttp://e.com/2?a&b")},
		{"case27 text in UTF-16, packed", FormatText, pack(utf16("http://e.com/1\nhttp://e.com/2?a&b"))},
		{"RSS", FormatRSS, []byte(`<rss version="2.0"><channel><link>http://e.com/no</link><atom:link href="http://e.com/no"/><image><link>http://e.com/no</link></image>` +
			`<item><title>t</title><link>http://e.com/1</link><media:content url="http://e.com/no"/></item><item><guid>http://e.com/2?a&amp;b</guid></item></channel></rss>`)},
		{"RSS 1.0", FormatRSS, []byte(`<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><link>http://e.com/no</link></channel><item><link>http://e.com/1</link></item><item><link>http://e.com/2?a&amp;b</link></item></rdf:RDF>`)},
		{"Atom", FormatAtom, []byte(`<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://e.com/no"/><entry><link rel="enclosure" href="http://e.com/no"/><link rel='alternate' href='http://e.com/1'/></entry>` +
			`<entry><link href="http://e.com/2?a&amp;b"></link></entry></feed>`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Parse(tt.body, Options{ContentType: "text/html"})
			if s.Format != tt.format || !slices.Equal(locs(s), want) || s.Index || s.Truncated {
				t.Errorf("format %q, entries %q, issues %v", s.Format, locs(s), s.Issues)
			}
		})
	}
}

func TestD2IndexAndAlternates(t *testing.T) {
	s := Parse([]byte(`<sitemapindex><sitemap><loc>http://e.com/a.xml</loc><lastmod>2024</lastmod></sitemap></sitemapindex>`), Options{})
	if !s.Index || s.Format != FormatIndex || !slices.Equal(locs(s), []string{"http://e.com/a.xml"}) || s.Entries[0].LastMod.Year() != 2024 {
		t.Errorf("%+v", s)
	}
	s = Parse([]byte("<urlset>\n<url><loc>http://e.com/a</loc>\n<xhtml:link rel='alternate' hreflang='de' href='http://e.com/de'/><xhtml:link rel='x' href='http://e.com/no'/></url></urlset>"), Options{})
	if len(s.Alternates) != 1 || s.Alternates[0].Loc != "http://e.com/de" || s.Alternates[0].Line != 3 || s.Entries[0].Line != 2 {
		t.Errorf("%+v", s)
	}
}

func TestD2LastMod(t *testing.T) {
	for in, want := range map[string]string{
		"2024": "2024-01-01T00:00:00Z", "2024-02": "2024-02-01T00:00:00Z", "2024-02-29": "2024-02-29T00:00:00Z",
		"2024-05-01T10:20Z": "2024-05-01T10:20:00Z", "2024-05-01T10:20+02:00": "2024-05-01T08:20:00Z", "2024-05-01T10:20:30-05:30": "2024-05-01T15:50:30Z",
		"2024-05-01T10:20:30.45+01:00": "2024-05-01T09:20:30.45Z", "2024-05-01T10:20:30": "2024-05-01T10:20:30Z", "2024-05-01 10:20:30 +0000": "2024-05-01T10:20:30Z",
		"2024-05-01T10:20:30.1234567891Z": "2024-05-01T10:20:30.123456789Z", "2024-05-01t10:20:30z": "2024-05-01T10:20:30Z", "2024-01-01T00:30+01:00": "2023-12-31T23:30:00Z",
		// case 28: kept, for a caller with a clock
		"2999-01-01": "2999-01-01T00:00:00Z",
		// case 28: ignored
		"2024-02-30": "", "2023-02-29": "", "2024-13-01": "", "2024-00-10": "", "2024-05-01T24:00Z": "", "2024-05-01T10:60Z": "", "yesterday": "", "": "",
		"01/02/2024": "", "20240501": "", "2024-5-1": "", "0001-01-01": "", "1970-01-01": "", "2024-05-01T": "", "2024-05-01T10": "", "2024-05-01T10:20:30.Z": "",
		"2024-05-01T10:20+99:00": "", "2024-05-01x": "", "Mon, 06 May 2024 10:00:00 GMT": "",
	} {
		got := ""
		if at, err := ParseLastMod(in); err == nil {
			got = at.Format(time.RFC3339Nano)
		} else if !at.IsZero() {
			t.Errorf("%q: an error and a time", in)
		}
		if got != want {
			t.Errorf("ParseLastMod(%q) = %q, want %q", in, got, want)
		}
	}
	s := Parse([]byte("<urlset>\n<url><loc>http://e.com/1</loc>\n<lastmod>yesterday</lastmod></url></urlset>"), Options{})
	if len(s.Issues) != 1 || s.Issues[0].Line != 3 || !s.Entries[0].LastMod.IsZero() {
		t.Errorf("case28: %+v", s)
	}
	s = Parse([]byte(`<rss><channel><item><link>http://e.com/1</link><pubDate>Mon, 06 May 2024 10:00:00 EST</pubDate></item><item><link>http://e.com/2</link><dc:date>2024-05-06T10:00Z</dc:date></item></channel></rss>`), Options{})
	if got := fmt.Sprint(s.Entries[0].LastMod.Hour(), s.Entries[1].LastMod.Hour(), len(s.Issues)); got != "15 10 0" {
		t.Errorf("dates of feeds: %s", got)
	}
}

func TestCase29Bounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("<urlset>")
	for i := range MaxEntries + 1 {
		fmt.Fprintf(&b, "<url><loc>http://e.com/%d</loc></url>", i)
	}
	s := Parse([]byte(b.String()), Options{})
	if len(s.Entries) != MaxEntries || !s.Truncated || !strings.Contains(s.Issues[0].Text, "50,000") {
		t.Errorf("50,001 URLs: %d entries, truncated %v, %v", len(s.Entries), s.Truncated, s.Issues)
	}

	bomb := `<!DOCTYPE x [<!ENTITY a "http://e.com/"><!ENTITY b "&a;&a;&a;"><!ELEMENT y ">]">]><urlset><url><loc>http://e.com/&b;</loc></url></urlset>`
	s = Parse([]byte(bomb), Options{})
	if !slices.Equal(locs(s), []string{"http://e.com/&b;"}) {
		t.Errorf("entity bomb: %q", locs(s))
	}

	large := append([]byte(two[:len(two)-len("</urlset>")]), bytes.Repeat([]byte{' '}, MaxBytes)...)
	s = Parse(pack(large), Options{})
	if len(s.Entries) != 2 || !s.Truncated || !strings.Contains(s.Issues[0].Text, "50 MB") {
		t.Errorf("50 MB and a few bytes decoded: %d entries, truncated %v", len(s.Entries), s.Truncated)
	}

	s = Parse([]byte(strings.Repeat("nonsense\n", 1000)), Options{})
	if len(s.Issues) != MaxIssues || s.IssuesDropped != 1000-MaxIssues+1 || s.Format != "" {
		t.Errorf("%d issues, %d dropped", len(s.Issues), s.IssuesDropped)
	}
	s = Parse([]byte("<urlset><url><loc>http://e.com/"+strings.Repeat("x", MaxLoc)+"</loc></url><url><loc>http://e.com/1</loc></url></urlset>"), Options{})
	if len(s.Entries) != 1 || len(s.Issues) != 1 {
		t.Errorf("long URL: %d entries, %v", len(s.Entries), s.Issues)
	}
}

func TestCase29DeepAndSlow(t *testing.T) {
	deep := "<urlset>" + strings.Repeat("<a>", 1<<18) + strings.Repeat("</a>", 1<<18) + "<url><loc>http://e.com/1</loc></url></urlset>"
	start := time.Now()
	if s := Parse([]byte(deep), Options{}); len(s.Entries) != 1 {
		t.Errorf("behind 262,144 nested elements: %d entries, want 1", len(s.Entries))
	}
	for _, unit := range []string{"<", "<!--", "<![CDATA[", "<a b='", "<!DOCTYPE [", "<?", "</", "<url><loc>", "<a><b></a>", "&#", "<urlset><url><loc>&", "\n", "<url>\n"} {
		Parse([]byte("<urlset><url><loc>"+strings.Repeat(unit, (1<<19)/len(unit))), Options{})
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %s", d)
	}
}

func TestNotASitemap(t *testing.T) {
	for name, tt := range map[string]struct {
		body []byte
		want string
	}{
		"HTML":           {[]byte("<!DOCTYPE html><html><body><a href=http://e.com/>"), "HTML page"},
		"other XML":      {[]byte("<?xml version='1.0'?><kml><url><loc>http://e.com/</loc></url></kml>"), `"kml"`},
		"empty":          {nil, "empty"},
		"damaged gzip":   {[]byte("\x1f\x8b\x00"), "damaged"},
		"cut off gzip":   {pack([]byte(two))[:40], "cut off"},
		"only a comment": {[]byte("<!-- x -->"), "no sitemap"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Parse(tt.body, Options{})
			if len(s.Issues) == 0 || !strings.Contains(s.Issues[0].String(), tt.want) {
				t.Errorf("issues %v, want one with %q", s.Issues, tt.want)
			}
			if len(s.Entries) > 1 {
				t.Errorf("entries %q", locs(s))
			}
		})
	}
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(two))
	f.Add(pack([]byte(two)))
	f.Add(utf16(two))
	f.Add([]byte("http://e.com/1\nhttp://e.com/2"))
	f.Add([]byte(`<rss><channel><item><link>x</link><pubDate>Mon, 06 May 2024 10:00:00 EST</pubDate></item>`))
	f.Add([]byte(`<feed><entry><link rel="alternate" href="x"/><updated>2024-02-30</updated></entry></feed>`))
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>&a;&#x41;&#0;</loc></url>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Parse(b, Options{})
		if len(s.Entries) > MaxEntries || len(s.Issues) > MaxIssues || len(s.Entries) > 0 && s.Format == "" {
			t.Errorf("%d entries, %d issues, format %q", len(s.Entries), len(s.Issues), s.Format)
		}
		line := 0
		for _, e := range s.Entries {
			if e.Loc == "" || len(e.Loc) > MaxLoc || e.Line < line {
				t.Errorf("entry %+v after line %d", e, line)
			}
			line = e.Line
			if !e.LastMod.IsZero() && e.LastMod.Year() < earliest-1 {
				t.Errorf("lastmod %s", e.LastMod)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	body := []byte("<urlset>" + strings.Repeat("<url><loc>https://example.com/path/of/a/page?x=1&amp;y=2</loc><lastmod>2024-05-01T10:20:30+00:00</lastmod></url>\n", 10_000) + "</urlset>")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(body, Options{})
	}
}
