package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

// response builds a result of http://e.com/d/p from "Name: value" lines.
func response(body string, fields ...string) *crawl.Result {
	r := &crawl.Result{URL: "http://e.com/d/p", Status: 200, Body: []byte(body)}
	for _, f := range fields {
		n, v, _ := strings.Cut(f, ": ")
		r.Header = append(r.Header, crawl.Field{Name: n, Value: v})
	}
	return r
}

const htmlType = "Content-Type: text/html; charset=utf-8"

func urls(p *crawl.Page) string {
	var out []string
	for _, l := range p.Links {
		s := string(l.URL)
		if l.Via != crawl.ViaLink {
			s = l.Via.String() + " " + s
		}
		if l.NoFollow {
			s += " nofollow"
		}
		out = append(out, s)
	}
	return strings.Join(out, "|")
}

func TestD1Links(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"resolved and canonical", `<a href="x"><a href="../y?b=1&amp;a=2#f"><a href=//o.org><a href="HTTP://E.com:80/z">`, "http://e.com/d/x|http://e.com/y?b=1&a=2|http://o.org/|http://e.com/z"},
		{"once, nofollow only if all are", `<a rel=nofollow href=/1><a href=/1#x><a rel=ugc href=/2><a rel=sponsored href=/2><a href=/3><a rel=nofollow href=/3>`, "http://e.com/1|http://e.com/2 nofollow|http://e.com/3"},
		{"no link to itself", `<a href="#top"><a href="p"><a href="p#x"><a href=""><a href="?a">`, "http://e.com/d/p?a"},
		{"other schemes", `<a href="mailto:x"><a href="javascript:x()"><a href="tel:1"><a href="data:,x"><a href="http://">`, ""},
		{"base holds for links before it", `<a href=x><base href="/b/"><base href="/c/"><a href=y>`, "http://e.com/b/x|http://e.com/b/y"},
		{"relative base", `<base href="b/"><a href=x>`, "http://e.com/d/b/x"},
		{"fragment goes to the base", `<base href="/b/"><a href="#x">`, "http://e.com/b/"},
		{"base of no use", `<base href="javascript:x"><a href=x>`, "http://e.com/d/x"},
		{
			"ways of discovery", `<link rel=canonical href=/c><link rel=alternate hreflang=de href=/de><link rel=next href=/2><iframe src=/f></iframe><a href=/x>`,
			"canonical http://e.com/c|alternate http://e.com/de|alternate http://e.com/2|http://e.com/f|http://e.com/x",
		},
		{"tab and newline inside", "<a href='/a\n\tb'>", "http://e.com/ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := urls(Read(response(tt.body, htmlType), Options{})); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestD1HeaderLinks(t *testing.T) {
	p := Read(response("%PDF-1.7", "Content-Type: application/pdf",
		`Link: </c,1>; rel="canonical", <de>; rel=alternate; hreflang="de,x"; title="a, <b>; c"`,
		`link: <//e.com/2>;rel="next last", </s>; rel=stylesheet, </no>; rel=next; anchor="#x", bad, <unclosed`), Options{})
	if got, want := urls(p), "canonical http://e.com/c,1|alternate http://e.com/d/de|alternate http://e.com/2"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if p.Canonical != "http://e.com/c,1" {
		t.Errorf("K5: canonical %q", p.Canonical)
	}
}

func TestCase15ManyLinks(t *testing.T) {
	var b strings.Builder
	for i := range DefaultMaxLinks + 1000 {
		fmt.Fprintf(&b, "<a href=/%d>", i)
	}
	p := Read(response(b.String(), htmlType), Options{})
	if len(p.Links) != DefaultMaxLinks || len(p.Bounded) != 1 || !strings.Contains(p.Bounded[0], "100000") {
		t.Errorf("%d links, bounded %q", len(p.Links), p.Bounded)
	}
	if p := Read(response(b.String(), htmlType), Options{MaxLinks: 3}); len(p.Links) != 3 {
		t.Errorf("%d links, want 3", len(p.Links))
	}
	p = Read(response(`<a href="/`+strings.Repeat("x", 1<<20)+`"><a href=/y>`, htmlType), Options{})
	if urls(p) != "http://e.com/y" || len(p.Bounded) != 1 {
		t.Errorf("an href of 1 MB: %d links, bounded %q", len(p.Links), p.Bounded)
	}
	p = Read(response(strings.Repeat("<div>", 10_000)+"<a href=/y>", htmlType), Options{})
	if urls(p) != "http://e.com/y" {
		t.Errorf("10,000 nested elements: %s", urls(p))
	}
}

func TestCase31Canonical(t *testing.T) {
	const head = "Link: </h>; rel=canonical"
	for _, tt := range []struct {
		name, body string
		fields     []string
		want       crawl.URL
		note       string
	}{
		{"relative", `<link rel=canonical href="../c?a#f">`, nil, "http://e.com/c?a", ""},
		{"relative to the base", `<link rel=canonical href="c"><base href="//o.org/b/">`, nil, "http://o.org/b/c", ""},
		{"itself", `<link rel=canonical href="p">`, nil, "http://e.com/d/p", ""},
		{"to another host", `<link rel=canonical href="https://o.org/x">`, nil, "https://o.org/x", ""},
		{"two that agree", `<link rel=canonical href="/c"><link rel=canonical href="//e.com/c#x">`, nil, "http://e.com/c", ""},
		{"two different", `<link rel=canonical href="/1"><link rel=canonical href="/2">`, nil, "", "names both http://e.com/1 and http://e.com/2"},
		{"header", ``, []string{head}, "http://e.com/h", ""},
		{"header and element agree", `<link rel=canonical href="/h">`, []string{head}, "http://e.com/h", ""},
		{"header against element", `<link rel=canonical href="/c">`, []string{head}, "", "names both"},
		{"in the body", `<body><link rel=canonical href="/c">`, nil, "", "outside the head"},
		{"invalid, then valid", `<link rel=canonical href="javascript:x"><link rel=canonical href=""><link rel=canonical href="/c">`, nil, "http://e.com/c", "is no URL"},
		{"of a language version", `<link rel=canonical hreflang=de href="/c">`, nil, "", "another version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Read(response(tt.body, append(tt.fields, htmlType)...), Options{})
			notes := strings.Join(p.Notes, "\n")
			if p.Canonical != tt.want || !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("canonical %q, want %q; notes %q", p.Canonical, tt.want, notes)
			}
		})
	}
}

func TestF12Directives(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		fields     []string
		want       string
	}{
		{"none", ``, nil, ""},
		{"meta", `<meta name=robots content="noindex, nofollow">`, nil, "noindex nofollow"},
		{"case30 NONE", `<meta name=robots content=NONE>`, nil, "noindex nofollow"},
		{"all and unknown", `<meta name=robots content="all, index, max-snippet:10, noarchive">`, nil, ""},
		{"case30 most restrictive wins", `<meta name=robots content=noindex><meta name=googlebot content=nofollow><meta name=robots content=all>`, nil, "noindex nofollow"},
		{"case30 other client", `<meta name=otherbot content=none><meta name=googlebot content=nofollow>`, nil, "nofollow"},
		{"case30 comment, script, noscript", `<!--<meta name=robots content=none>--><script>"<meta name=robots content=none>"</script><noscript><meta name=robots content=none></noscript>`, nil, ""},
		{"case30 in the body", `<body><p><meta name=robots content=noindex>`, nil, "noindex"},
		{"no commas", `<meta name=robots content="noindex;nofollow">`, nil, "noindex nofollow"},
		{"header", ``, []string{"X-Robots-Tag: NoIndex"}, "noindex"},
		{"header names us", ``, []string{"X-Robots-Tag: Googlebot: noindex, nofollow"}, "noindex nofollow"},
		{"header names another", ``, []string{"X-Robots-Tag: otherbot: noindex, nofollow"}, ""},
		{"header names several", ``, []string{"X-Robots-Tag: otherbot: noindex, googlebot: nofollow"}, "nofollow"},
		{"header, several fields", ``, []string{"X-Robots-Tag: otherbot: none", "x-robots-tag: nofollow"}, "nofollow"},
		{"header with values", ``, []string{"X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST, max-snippet: 5, noindex"}, "noindex"},
		{"header and meta", `<meta name=robots content=nofollow>`, []string{"X-Robots-Tag: noindex"}, "noindex nofollow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Read(response(tt.body, append(tt.fields, htmlType)...), Options{RobotsNames: []string{"googlebot"}}).Directives
			got := ""
			if d.Noindex {
				got = "noindex"
			}
			if d.Nofollow {
				got = strings.TrimSpace(got + " nofollow")
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if d := Read(response("%PDF-", "Content-Type: application/pdf", "X-Robots-Tag: none"), Options{}).Directives; !d.Noindex || !d.Nofollow {
		t.Errorf("K5: X-Robots-Tag of a PDF: %+v", d)
	}
}

func TestB6Refresh(t *testing.T) {
	for _, tt := range []struct {
		name, body, field string
		want              crawl.URL
		in                time.Duration
	}{
		{"header", ``, "0; url=/h", "http://e.com/h", 0},
		{"meta, with base", `<meta http-equiv=refresh content="5;url=x"><base href=/b/>`, "", "http://e.com/b/x", 5 * time.Second},
		{"header first", `<meta http-equiv=refresh content="5;url=x">`, "1;/h", "http://e.com/h", time.Second},
		{"useless header", `<meta http-equiv=refresh content="5;url=/x">`, "nonsense", "http://e.com/x", 5 * time.Second},
		{"reload", `<meta http-equiv=refresh content="30">`, "", "", 0},
		{"to itself", `<meta http-equiv=refresh content="30;url=p">`, "", "", 0},
		{"to a script", `<meta http-equiv=refresh content="0;url=javascript:x()">`, "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fields := []string{htmlType}
			if tt.field != "" {
				fields = append(fields, "Refresh: "+tt.field)
			}
			p := Read(response(tt.body, fields...), Options{})
			if p.Refresh != tt.want || p.RefreshIn != tt.in {
				t.Errorf("refresh %q in %s", p.Refresh, p.RefreshIn)
			}
		})
	}
}

func TestCase16TextAndLinks(t *testing.T) {
	for _, tt := range []struct{ name, body, contentType, charset, title, links string }{
		{"BOM", "\xef\xbb\xbf<meta charset=koi8-r><title>é</title><a href=/é>", "text/html; charset=shift_jis", "utf-8", "é", "http://e.com/%C3%A9"},
		{"header", "<meta charset=utf-8><title>\xe9</title><a href='/\xe9?\xe9'>", "text/html; charset=ISO-8859-1", "windows-1252", "é", "http://e.com/%C3%A9?%E9"},
		{"meta past byte 1,024", strings.Repeat(" ", 3000) + "<meta charset=Shift_JIS><title>\x93\xfa</title><a href=/\x93\xfa>", "text/html", "shift_jis", "日", "http://e.com/%E6%97%A5"},
		{"meta in a comment", "<!-- <meta charset=shift_jis> --><title>\xe9</title>", "text/html", "windows-1252", "é", ""},
		{"http-equiv with odd quotes", `<meta http-equiv="Content-Type" content="text/html; charset='gb2312"><title>` + "\xd6\xd0</title>", "text/html", "gbk", "中", ""},
		{"XML declaration", "<?xml version='1.0' encoding='koi8-r'?><html><title>\xc1</title></html>", "application/xhtml+xml", "koi8-r", "а", ""},
		{"GB18030", "<title>\xd6\xd0</title>", "text/html; charset=gb18030", "gb18030", "中", ""},
		{"UTF-16 without label", "<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xe9\x00<\x00/\x00t\x00i\x00t\x00l\x00e\x00>\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00/\x00x\x00>\x00", "text/html", "utf-16le", "é", "http://e.com/x"},
		{"ISO-2022-JP", "<meta charset=iso-2022-jp><title>\x1b$BF|\x1b(B</title>", "text/html", "iso-2022-jp", "日", ""},
		{"nothing declared", "<title>é</title>", "text/html", "utf-8", "é", ""},
		{"bytes that are not UTF-8", "<title>a\xffb</title>", "text/html; charset=utf-8", "utf-8", "a\uFFFDb", ""},
		{"binary is not converted", "\xff\xfe\xfd\x00\x01<title>x</title><a href=/x>", "application/x-thing; charset=koi8-r", "", "", ""},
		{"text has a charset and no links", "<a href=/x>\xe9", "text/plain", "windows-1252", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Read(response(tt.body, "Content-Type: "+tt.contentType), Options{})
			if p.Charset != tt.charset || p.Title != tt.title || urls(p) != tt.links {
				t.Errorf("charset %q, title %q, links %q", p.Charset, p.Title, urls(p))
			}
		})
	}
}

func TestStatuses(t *testing.T) {
	body := `<title>t</title><meta name=robots content=noindex><a href=/x>`
	for status, want := range map[int]string{
		0: "Unknown  0 false", 200: "HTML t 1 true", 203: "HTML t 1 true", 301: "Other file type  0 false", 304: "Other file type  0 false", 404: "HTML t 0 false", 503: "HTML t 0 false",
	} {
		r := response(body, htmlType)
		r.Status = status
		p := Read(r, Options{})
		if got := fmt.Sprintf("%s %s %d %v", p.Type, p.Title, len(p.Links), p.Directives.Noindex); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
	a, b := Read(response(body, htmlType), Options{}), Read(response(body+" ", htmlType), Options{})
	if a.Digest == 0 || a.Digest == b.Digest || a.Digest != Read(response(body), Options{}).Digest {
		t.Errorf("digests %x and %x", a.Digest, b.Digest)
	}
}

// TestPageDoesNotAliasBody overwrites the body and looks at the page again.
func TestPageDoesNotAliasBody(t *testing.T) {
	r := response(`<title>t</title><base href="/b/"><link rel=canonical href=c><a href="http://e.com/x"><a href=/y>`, htmlType)
	p := Read(r, Options{})
	before := fmt.Sprintf("%+v", p)
	for i := range r.Body {
		r.Body[i] = '#'
	}
	if after := fmt.Sprintf("%+v", p); after != before {
		t.Errorf("the page changed:\n%s\n%s", before, after)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<base href=/b><a href=x><link rel=canonical href=c>`), "text/html; charset=gbk", "</c>; rel=canonical", "googlebot: none", "0;url=x")
	f.Add([]byte("\x1f\x8b\x08"), "", "<a>;rel=\"next", "a:b:c,none", "1")
	f.Add([]byte("<?xml version='1.0'?><rss>"), "text/xml", "", "", "")
	f.Fuzz(func(t *testing.T, body []byte, contentType, link, robots, refresh string) {
		r := response(string(body), "Content-Type: "+contentType, "Link: "+link, "X-Robots-Tag: "+robots, "Refresh: "+refresh)
		p := Read(r, Options{MaxLinks: 50})
		if p.MediaType != strings.ToLower(p.MediaType) || p.Type == crawl.TypeUnknown || len(p.Links) > 50 || len(p.Notes) > maxNotes {
			t.Errorf("%+v", p)
		}
		seen := map[crawl.URL]bool{r.URL: true}
		for _, l := range p.Links {
			if seen[l.URL] {
				t.Errorf("%s is there twice, or is the page", l.URL)
			}
			seen[l.URL] = true
		}
		if again := Read(r, Options{MaxLinks: 50}); !slices.Equal(again.Links, p.Links) || again.Canonical != p.Canonical {
			t.Error("not deterministic")
		}
		ReadSitemap(r)
	})
}
