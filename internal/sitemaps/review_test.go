package sitemaps

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
)

const self = crawl.URL("https://e.com/maps/sitemap.xml")

func check(t testing.TB, body string, opt Options) *Review {
	t.Helper()
	if opt.Now.IsZero() {
		opt.Now = t0
	}
	r := New(opt)
	if _, err := r.Add("sitemap.xml", self, sitemap.Parse([]byte(body), sitemap.Options{CountAll: true})); err != nil {
		t.Fatal(err)
	}
	return r
}

func entries(loc ...string) string {
	return "<urlset>\n<url><loc>" + strings.Join(loc, "</loc></url>\n<url><loc>") + "</loc></url>\n</urlset>"
}

func dated(n int, date func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>https://e.com/maps/%d</loc><lastmod>%s</lastmod></url>\n", i, date(i))
	}
	return "<urlset>\n" + b.String() + "</urlset>"
}

func TestD2Findings(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string // each a finding without the sentence, or with its beginning
	}{
		"nothing wrong": {dated(12, func(i int) string { return fmt.Sprintf("2026-04-%02d", i+1) }), nil},
		"no lastmod":    {entries("https://e.com/maps/1"), []string{"sitemap.xml: note: no entry has a lastmod"}},
		"of several kinds": {entries("https://e.com/maps/1", "http://e.com/maps/1", "https://e.com/above", "https://o.org/", "mailto:x", "https://E.com/maps/1#f", "/maps/rel"), []string{
			"sitemap.xml:4: error: https://e.com/above is out of scope and not taken: it is not in the sitemap's directory",
			"sitemap.xml:5: note: the sitemap has URLs of e.com and of o.org",
			"sitemap.xml:5: error: https://o.org/ is out of scope and not taken: it is of another host",
			`sitemap.xml:6: error: "mailto:x" is no URL that is crawled`,
			`sitemap.xml:7: warning: "https://E.com/maps/1#f" is crawled as https://e.com/maps/1: write it so`,
			"sitemap.xml:7: warning: https://e.com/maps/1 stands in line 2 already",
			`sitemap.xml:8: warning: "/maps/rel" is no absolute URL`,
			"sitemap.xml: warning: 1 URLs are http and 5 https",
			"sitemap.xml: note: no entry has a lastmod",
		}},
		"case28 dates": {dated(4, func(i int) string { return []string{"2026-04-01", "2024-02-30", "yesterday", "2027-01-01"}[i] }), []string{
			`sitemap.xml:3: warning: "2024-02-30" was ignored: there is no such day`, `sitemap.xml:4: warning: "yesterday" was ignored`,
			"sitemap.xml:5: warning: lastmod 2027-01-01T00:00:00Z is in the future",
		}},
		"case28 all equal":       {dated(10, func(int) string { return "2026-04-01T03:00:00Z" }), []string{"sitemap.xml: warning: all 10 lastmod are 2026-04-01T03:00:00Z: the time of a build"}},
		"case28 time of request": {dated(10, func(int) string { return "2026-05-01T10:20:29Z" }), []string{"sitemap.xml: warning: all 10 lastmod are the time at which"}},
		"some without":           {strings.Replace(dated(2, func(i int) string { return "2026-04-01" }), "<lastmod>2026-04-01</lastmod>", "", 1), []string{"sitemap.xml: note: 1 of 2 entries have no lastmod"}},
		"priorities":             {"<urlset><url><loc>https://e.com/maps/1</loc><lastmod>2026</lastmod><priority>1</priority><changefreq>daily</changefreq></url></urlset>", []string{"sitemap.xml: note: 2 priority and changefreq elements decide nothing"}},
		"empty":                  {"<urlset></urlset>", []string{"sitemap.xml: warning: the sitemap has no entries"}},
		"HTML":                   {"<!doctype html><html>", []string{"sitemap.xml: error: It is an HTML page"}},
		"windows-1252":           {"<?xml version='1.0' encoding='windows-1252'?><urlset><url><loc>https://e.com/maps/1</loc><lastmod>2026</lastmod></url></urlset>", []string{"sitemap.xml: warning: the sitemap is in windows-1252"}},
		"case29 entities":        {"<!DOCTYPE x [<!ENTITY a '&b;&b;'>]>\n<urlset><url><loc>https://e.com/maps/&a;</loc><lastmod>2026</lastmod></url></urlset>", []string{"sitemap.xml:1: warning: The definitions of the document type are not read"}},
		"case29 names itself":    {"<sitemapindex>\n<sitemap><loc>" + string(self) + "</loc><lastmod>2026</lastmod></sitemap></sitemapindex>", []string{"sitemap.xml:2: error: the index names itself"}},
		"language version":       {"<urlset>\n<url><loc>https://e.com/maps/1</loc><lastmod>2026</lastmod><xhtml:link rel='alternate' hreflang='x' href='https://:x/'/></url></urlset>", []string{"sitemap.xml:2: warning: language version"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, tc.body, Options{})
			ok := len(r.Findings) == len(tc.want)
			for i := 0; ok && i < len(tc.want); i++ {
				ok = strings.HasPrefix(r.Findings[i].String(), tc.want[i])
			}
			if !ok {
				for _, f := range r.Findings {
					t.Log(f)
				}
				t.Errorf("want\n%s", strings.Join(tc.want, "\n"))
			}
			var sum int64
			for _, c := range r.Counts() {
				sum += c.Count
			}
			if sum != int64(len(r.Findings)) {
				t.Errorf("%d counted, %d listed", sum, len(r.Findings))
			}
		})
	}
}

func TestD2PositionOfFindings(t *testing.T) {
	for name, bom := range map[string]string{"plain": "", "with byte order mark": "\xef\xbb\xbf"} {
		t.Run(name, func(t *testing.T) {
			body := bom + "<urlset>\n <url><loc>https://o.org/</loc></url></urlset>"
			f := check(t, body, Options{}).Findings[0]
			if f.Line != 2 || !strings.HasPrefix(body[f.Offset:], "<url>") {
				t.Errorf("%+v", f)
			}
		})
	}
	body := "\xef\xbb\xbf\r\nhttps://e.com/maps/1\r\nhttps://o.org/\r\n"
	f := check(t, body, Options{}).Findings
	if last := f[len(f)-1]; last.Line != 3 || !strings.HasPrefix(body[last.Offset:], "https://o.org/") {
		t.Errorf("text: %+v", f)
	}
}

func TestD2RobotsAndFacts(t *testing.T) {
	opt := Options{
		Named: func(u crawl.URL) []crawl.Host { return map[crawl.URL][]crawl.Host{self: {"o.org"}}[u] },
		Robots: func(u crawl.URL) []Blocked {
			if u == "https://o.org/no" {
				return []Blocked{{"trawl", 2, "line 2: Disallow: /no"}, {"other", 2, ""}}
			}
			return nil
		},
		Known: func(u crawl.URL) (Fact, error) {
			f, ok := map[crawl.URL]Fact{
				"https://o.org/ok": {true, true, true, ""}, "https://o.org/gone": {true, true, false, "Not found (404)"}, "https://o.org/wait": {Known: true},
			}[u]
			f.Known = ok
			return f, nil
		},
	}
	r := check(t, entries("https://o.org/ok", "https://o.org/gone", "https://o.org/wait", "https://o.org/no"), opt)
	want := "not-indexable|not-crawled|blocked-by-robots|not-known|lastmod-missing"
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Class)
	}
	if strings.Join(got, "|") != want || r.Facts != (Facts{3, 1, 1, 1, 1}) {
		t.Errorf("%v %+v", r.Findings, r.Facts)
	}
	if !strings.Contains(r.Findings[2].Text, "for trawl, other by robots.txt, line 2") {
		t.Error(r.Findings[2])
	}
	opt.Known = func(crawl.URL) (Fact, error) { return Fact{}, io.ErrUnexpectedEOF }
	if _, err := New(opt).Add("x", self, sitemap.Parse([]byte(entries("https://o.org/ok")), sitemap.Options{})); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error of the store: %v", err)
	}
}

// TestD2NamedIndex: what robots.txt says of an index holds for its sitemaps.
func TestD2NamedIndex(t *testing.T) {
	r := New(Options{Now: t0, Named: func(u crawl.URL) []crawl.Host { return map[crawl.URL][]crawl.Host{self: {"e.com"}}[u] }})
	kids, _ := r.Add("i", self, sitemap.Parse([]byte("<sitemapindex><sitemap><loc>https://e.com/s/1.xml</loc></sitemap><sitemap><loc>https://e.com/s/1.xml</loc></sitemap></sitemapindex>"), sitemap.Options{}))
	if fmt.Sprint(kids) != "[https://e.com/s/1.xml]" {
		t.Fatalf("children %v", kids)
	}
	_, _ = r.Add("1.xml", kids[0], sitemap.Parse([]byte(entries("https://e.com/any", "https://p.org/")), sitemap.Options{}))
	if r.URLs != 1 || r.Files[1].Errors != 1 {
		t.Errorf("%+v %v", r.Files, r.Findings)
	}
}

func TestD2Case29Bounds(t *testing.T) {
	var b strings.Builder
	for i := range 50_001 {
		fmt.Fprintf(&b, "https://o.org/%d\n", i)
	}
	r := check(t, b.String(), Options{Listed: 5})
	f := r.Files[0]
	if f.Entries != 50_001 || !f.Truncated || len(r.Findings) > 20 || r.Dropped < 49_000 || f.Errors < 50_000 {
		t.Errorf("%+v, %d findings, %d dropped", f, len(r.Findings), r.Dropped)
	}
	// Packed: read to the limit, counted to the end.
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	_, _ = z.Write([]byte("<urlset><url><loc>https://e.com/maps/1</loc></url>"))
	block := bytes.Repeat([]byte{' '}, 1<<20)
	const megabytes = 70
	for range megabytes {
		_, _ = z.Write(block)
	}
	_ = z.Close()
	r = New(Options{Now: t0})
	_, _ = r.Add("s.xml.gz", self+".gz", sitemap.Parse(packed.Bytes(), sitemap.Options{Measure: 4 << 30}))
	if got := r.Files[0]; got.Bytes < megabytes<<20 || got.URLs != 1 || got.Errors == 0 {
		t.Errorf("%+v %v", got, r.Findings)
	}
}

func FuzzReview(f *testing.F) {
	f.Add([]byte(entries("https://e.com/maps/1", "https://o.org/", "x")))
	f.Add([]byte("https://e.com/\nhttps://e.com/maps/\n"))
	f.Add([]byte("<sitemapindex><sitemap><loc>https://e.com/maps/2.xml</loc></sitemap></sitemapindex>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := New(Options{Now: t0})
		kids, err := r.Add("s", self, sitemap.Parse(body, sitemap.Options{CountAll: true}))
		file := r.Files[0]
		if err != nil || file.URLs+file.Duplicates > file.Entries || len(kids) > file.URLs {
			t.Errorf("%v: %+v, %d children", err, file, len(kids))
		}
		for _, x := range r.Findings {
			if x.Class == "" || x.Text == "" || x.Severity == "" || x.Offset < 0 {
				t.Errorf("finding %+v", x)
			}
		}
	})
}
