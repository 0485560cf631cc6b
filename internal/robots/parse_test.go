package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func utf16File(s string, little bool) []byte {
	var b []byte
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(s))...) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return b
}

func TestC2Case07Encodings(t *testing.T) {
	const file = "User-agent: *\nDisallow: /x\n"
	for name, body := range map[string][]byte{
		"case7/UTF-8 byte order mark":       []byte("\xEF\xBB\xBF" + file),
		"case7/UTF-16 little endian":        utf16File(file, true),
		"case7/UTF-16 big endian":           utf16File(file, false),
		"case7/UTF-16 cut inside a unit":    append(utf16File(file, true), 'x'),
		"case7/CR only":                     []byte(strings.ReplaceAll(file, "\n", "\r")),
		"case7/NUL in another line":         []byte("Dis\x00allow: /y\n\x00\n" + file),
		"case7/NUL behind the rule":         []byte(strings.Replace(file, "/x", "/x\x00y", 1)),
		"case7/Latin-1 in a comment":        []byte("# caf\xe9\n" + file + "# \xfc"),
		"case7/Latin-1 in another rule":     []byte(file + "Disallow: /caf\xe9\n"),
		"case7/UTF-16 surrogate on its own": append(utf16File(file, true), 0x0A, 0, 0x00, 0xD8),
	} {
		t.Run(name, func(t *testing.T) {
			r := Parse(body)
			if v := r.Check(Agent{}, "/x"); v.Allowed {
				t.Errorf("/x is allowed: %+v", v)
			}
			if v := r.Check(Agent{}, "/y"); !v.Allowed {
				t.Errorf("/y is disallowed: %+v", v)
			}
		})
	}
}

func TestC2Case09Groups(t *testing.T) {
	news := Agent{Tokens: []string{"Googlebot-News", "Googlebot"}}
	for _, c := range []struct {
		name, file string
		agent      Agent
		path       string
		want       Verdict
	}{
		{
			"case9/merged", "user-agent: a\ndisallow: /1\nuser-agent: b\ndisallow: /2\nuser-agent: A\nallow: /1/2\n",
			Agent{Tokens: []string{"a"}},
			"/1/2",
			Verdict{Allowed: true, Line: 6, Rule: "allow: /1/2", Group: "a", GroupLine: 5, Row: "C2"},
		},
		{
			"case9/news with only a Googlebot group", "user-agent: *\ndisallow:\n\nuser-agent: googlebot/2.1 # all\nDisallow /1 # secret\n", news, "/1",
			Verdict{Line: 5, Rule: "Disallow /1", Group: "googlebot", GroupLine: 4, Row: "C2"},
		},
		{
			"case9/news group goes first", "user-agent: Googlebot\ndisallow: /\nuser-agent: Googlebot-News\ndisallow: /x\n", news, "/1",
			Verdict{Allowed: true, Group: "Googlebot-News", GroupLine: 3, Row: "C2"},
		},
		{
			"case9/specific group without rules", "user-agent: Googlebot\nuser-agent: b\ndisallow:\nuser-agent: *\ndisallow: /\n", news, "/1",
			Verdict{Allowed: true, Group: "Googlebot", GroupLine: 1, Row: "C2"},
		},
		{
			"case9/news group without rules, no fall back to Googlebot", "user-agent: Googlebot\ndisallow: /\nuser-agent: Googlebot-News\n", news, "/1",
			Verdict{Allowed: true, Group: "Googlebot-News", GroupLine: 3, Row: "C2"},
		},
		{
			"case9/global", "user-agent: x\ndisallow:\nuser-agent: *\ndisallow: /\n", news, "/1",
			Verdict{Line: 4, Rule: "disallow: /", Group: "*", GroupLine: 3, Row: "C2"},
		},
		{
			"A3/global ignored", "user-agent: *\ndisallow: /\n",
			Agent{Tokens: []string{"AdsBot-Google"}, IgnoreGlobal: true},
			"/1",
			Verdict{Allowed: true, Row: "A3"},
		},
		{
			"A3/named", "user-agent: *\nuser-agent: adsbot-google\ndisallow: /\n",
			Agent{Tokens: []string{"AdsBot-Google"}, IgnoreGlobal: true},
			"/1",
			Verdict{Line: 3, Rule: "disallow: /", Group: "adsbot-google", GroupLine: 2, Row: "C2"},
		},
		{"no group", "disallow: /\n", news, "/1", Verdict{Allowed: true, Row: "C2"}},
		{"robots.txt itself", "user-agent: *\ndisallow: /\n", news, "/robots.txt", Verdict{Allowed: true, Group: "*", GroupLine: 1, Row: "C2"}},
		{
			"a token of other characters matches nothing", "user-agent: Foo\ndisallow: /\nuser-agent: *\ndisallow: /x\n",
			Agent{Tokens: []string{"Foo/1", "*", ""}},
			"/1",
			Verdict{Allowed: true, Group: "*", GroupLine: 3, Row: "C2"},
		},
		{
			"first line of equals decides", "user-agent: a\ndisallow: /x\ndisallow: /x\n",
			Agent{Tokens: []string{"a"}},
			"/x",
			Verdict{Line: 2, Rule: "disallow: /x", Group: "a", GroupLine: 1, Row: "C2"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte(c.file))
			for range 2 { // the second time from the cache
				if v := r.For(c.agent).Check(c.path); v != c.want {
					t.Errorf("got  %+v\nwant %+v", v, c.want)
				}
			}
		})
	}
}

func TestC2RuleTextIsBoundedAndClean(t *testing.T) {
	r := Parse([]byte("user-agent: *\ndisallow: /\xe9\x01" + strings.Repeat("é", 300) + "\ndisallow: /" + strings.Repeat("é", 300)))
	v := r.Check(Agent{}, "/%E9\x01"+strings.Repeat("é", 300))
	if v.Allowed || !strings.HasPrefix(v.Rule, "disallow: /??é") || len(v.Rule) > MaxText {
		t.Errorf("verdict %+v", v)
	}
	v = r.Check(Agent{}, "/"+strings.Repeat("é", 300))
	if want := "disallow: /" + strings.Repeat("é", (MaxText-11)/2); v.Rule != want {
		t.Errorf("rule %q, want %q", v.Rule, want)
	}
}

func TestC2SizeLimit(t *testing.T) {
	head := "user-agent: *\n"
	rule := "disallow: /in\n"
	fill := strings.Repeat("#", MaxBytes-len(head)-len(rule)-1) + "\n"
	r := Parse([]byte(head + fill + rule + "disallow: /out\n"))
	if r.Check(Agent{}, "/in").Allowed || !r.Check(Agent{}, "/out").Allowed {
		t.Error("the limit is not at 512,000 bytes")
	}
	if i := r.Issues(); len(i) != 2 || i[0].Kind != KindLineTooLong || i[1].Kind != KindSizeLimit {
		t.Errorf("issues %+v", i)
	}
	if i := Parse([]byte(head + fill + rule)).Issues(); len(i) != 1 {
		t.Errorf("a file of exactly the limit: issues %+v", i)
	}
}

func TestC8Sitemaps(t *testing.T) {
	r := Parse([]byte("Sitemap: https://a.example/1.xml # first\nuser-agent: x\nSITEMAP:HTTP://b.example/2?a=b&c\ndisallow: /\n" +
		"site-map: ftp://c.example/3\nsitemap: /4.xml\nsitemap: //d/5\nsitemap: https:///6\nsitemap:\nSitemap https://e.example/the-colon-of-https-is-the-separator\n"))
	want := []Sitemap{{"https://a.example/1.xml", 1}, {"HTTP://b.example/2?a=b&c", 3}, {"ftp://c.example/3", 5}}
	if got := r.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	var lines []int
	for _, i := range r.Issues() {
		if i.Kind == KindSitemap {
			lines = append(lines, i.Line)
		}
	}
	if !slices.Equal(lines, []int{6, 7, 8, 9, 10}) {
		t.Errorf("not absolute in lines %v", lines)
	}
}

func TestC7Issues(t *testing.T) {
	r := Parse([]byte("Disallow: /early\nuser-agent: *\ncrawl-delay: 10\nNoindex: /x\nHost: example.com\nclean-param: a\n" +
		"dissalow: /y\nallow /z\nthis is no directive\ndisallow: z\nuseragent: \xfc\n# fine\n\ndisallow: /fine\n"))
	want := []struct {
		line int
		kind string
	}{
		{11, KindNotUTF8},
		{1, KindNoGroup},
		{3, KindCrawlDelay},
		{4, KindNoindex},
		{5, KindHost},
		{6, KindForeign},
		{7, KindMisspelled},
		{8, KindMissingColon},
		{9, KindNotADirective},
		{10, KindNeverMatches},
		{11, KindMisspelled},
		{11, KindNoToken},
	}
	got := r.Issues()
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, w := range want {
		if got[i].Line != w.line || got[i].Kind != w.kind || got[i].Detail == "" {
			t.Errorf("issue %d is %+v, want line %d, kind %s", i, got[i], w.line, w.kind)
		}
	}
	if got[2].Text != "crawl-delay: 10" || got[11].Text != "useragent: ?" {
		t.Errorf("texts %q, %q", got[2].Text, got[11].Text)
	}
	if v := r.Check(Agent{}, "/x"); !v.Allowed {
		t.Errorf("noindex has an effect: %+v", v)
	}
}

func TestC7IssuesAreBounded(t *testing.T) {
	r := Parse([]byte(strings.Repeat("bogus: "+strings.Repeat("x", 400)+"\n", 1100)))
	got := r.Issues()
	if len(got) != MaxIssues+1 || got[MaxIssues].Kind != KindMore || got[MaxIssues].Detail != "and 100 more" {
		t.Fatalf("%d issues, last %+v", len(got), got[len(got)-1])
	}
	if len(got[0].Text) != MaxText {
		t.Errorf("text of %d bytes", len(got[0].Text))
	}
}

func TestC2NotUTF8AtTheCut(t *testing.T) {
	body := []byte(strings.Repeat("#", MaxBytes-1) + "é\n")
	for _, i := range Parse(body).Issues() {
		if i.Kind == KindNotUTF8 {
			t.Errorf("a character cut by the limit is reported: %+v", i)
		}
	}
}

// Many groups and many user-agent lines must not multiply.
func TestC2ManyGroups(t *testing.T) {
	var b strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&b, "user-agent: a\nuser-agent: *\nallow:/%d\n", i)
	}
	r := Parse([]byte(b.String()))
	if n := len(r.rules); n > 14000 {
		t.Fatalf("%d rules", n)
	}
	b.Reset()
	for range 20000 {
		b.WriteString("user-agent:a\n")
	}
	for i := range 20000 {
		fmt.Fprintf(&b, "allow:/%d\n", i)
	}
	r = Parse([]byte(b.String()))
	if v := r.Check(Agent{Tokens: []string{"a"}}, "/77"); v.Line != 20078 || v.GroupLine != 1 {
		t.Errorf("verdict %+v", v)
	}
	if n := len(r.ruleset("a").rules); n != 20000 {
		t.Errorf("compiled to %d rules", n)
	}
}
