package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// links writes the references of a document as short strings.
func links(d *Document) []string {
	var out []string
	for _, r := range d.Refs {
		s := string(r.Value)
		switch r.Kind {
		case KindFrame:
			s = "frame:" + s
		case KindCanonical:
			s = "canonical:" + s
		case KindAlternate:
			s = "alternate:" + s
		case KindPagination:
			s = "page:" + s
		}
		if r.NoFollow {
			s += " nofollow"
		}
		out = append(out, s)
	}
	return out
}

func TestD1Links(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"plain", `<a href="/x">t</a>`, "/x"},
		{"upper case", `<A HREF='/x'>`, "/x"},
		{"unquoted", `<a href=/x/>`, "/x/"},
		{"slash for space", `<a/href=/x>`, "/x"},
		{"slashes and quotes without space", `<a title="t"href="/x"/rel="nofollow">`, "/x nofollow"},
		{"space around equals", "<a href\n = \t'/x' >", "/x"},
		{"first duplicate wins", `<a href=/1 HREF=/2>`, "/1"},
		{"no href", `<a name=x><area>`, ""},
		{"empty href", `<a href>`, ""},
		{"area", `<map><area href=/x></map>`, "/x"},
		{"frames", `<frameset><frame src=/f></frameset><iframe src=/i></iframe>`, "frame:/f|frame:/i"},
		{"white space trimmed", "<a href=' \n/x\t'>", "/x"},
		{"not a link", `<img src=/i><script src=/s></script><form action=/f><link rel=stylesheet href=/c><link rel=icon href=/i>`, ""},
		{"leading equals is a name", `<a =" href=/x>`, "/x"},
		{"greater-than in a value", `<a title="a>b" href=/x><b title='>' ><a href=/y>`, "/x|/y"},
		{"missing value", `<a href=><a href=/y>`, "|/y"},
		{"cut off in a tag", `<a href=/x><a href="/y`, "/x"},
		{"cut off behind a value", `<a href=/x><a href="/y"`, "/x"},
		{"less-than as text", `a < b <a href=/x> <3 <a href=/y>`, "/x|/y"},
		{"end tag attributes", `</a href="><a href=/z>"><a href=/x>`, "/x"},
		{"bogus comments", `<?php echo "<a href=/p>" ?><a href=/x></ <a href=/q>><!x><a href=/y></>`, "/x|/y"},
		{"name longer", `<ab href=/1><a1 href=/2><a href=/x>`, "/x"},
		{"NUL in a name", "<a\x00 href=/1><a \x00href=/2><a href=/x>", "/x"},
		{"NUL in a value", "<a href=/x\x00y>", "/x\uFFFDy"},
		{"rel tokens", `<a rel="noopener NoFollow" href=/1><a rel=ugc href=/2><a rel="x sponsored" href=/3><a rel=nofollows href=/4>`, "/1 nofollow|/2 nofollow|/3 nofollow|/4"},
		{"fragments once", `<a href=#a><a href="#b"><a href=/x>`, "#a|/x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(links(Scan([]byte(tt.doc), Options{})), "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestD1RawTextAndComments(t *testing.T) {
	const no, yes = `<a href=/no>`, `<a href=/yes>`
	for _, tt := range []struct{ name, doc string }{
		{"comment", `<!-- ` + no + ` -->` + yes},
		{"comment closed by bang", `<!-- ` + no + ` --!>` + yes},
		{"comment closed at once", `<!-->` + yes},
		{"comment closed at once with dash", `<!--->` + yes},
		{"comment with dashes", `<!---- ` + no + ` ---->` + yes},
		{"comment in comment", `<!-- <!-- ` + no + ` -->` + yes},
		{"comment never closed", yes + `<!-- ` + no + ` -- > ` + no},
		{"CDATA in HTML is a bogus comment", `<![CDATA[ x>` + yes},
		{"CDATA in SVG", `<svg><![CDATA[ x> ` + no + ` ]]></svg>` + yes},
		{"script", `<script>var x = "` + no + `"</script>` + yes},
		{"script with other end tag", `<script>"</scripts>` + no + `"</SCRIPT >` + yes},
		{"script escaped", `<script><!-- "` + no + `" </script>` + yes},
		{"script double escaped", `<script><!-- <script> </script> ` + no + ` --> </script>` + yes},
		{"script double escaped, ended", `<script><!-- <script> </script> </script>` + yes},
		{"script with closed comment", `<script><!--><script></script>` + yes},
		{"style", `<style>` + no + `</style>` + yes},
		{"textarea and title", `<title>` + no + `</title><textarea>` + no + `</textarea>` + yes},
		{"xmp, noembed, noframes, iframe", `<xmp>` + no + `</xmp><noembed>` + no + `</noembed><noframes>` + no + `</noframes><iframe>` + no + `</iframe>` + yes},
		{"plaintext", yes + `<plaintext>` + no + `</plaintext>` + no},
		{"raw text never closed", yes + `<style>` + no},
		{"template", `<template>` + no + `<template></template>` + no + `</template>` + yes},
		{"shadow root", `<template shadowrootmode=open>` + yes + `<template>` + no + `</template></template>`},
		{"noscript is content", `<noscript>` + yes + `</noscript>`},
		{"title in SVG is no raw text", `<svg><title>` + yes + `</title></svg>`},
		{"style in SVG is no raw text", `<svg><style>` + yes + `</style></svg>`},
		{"SVG left by an HTML element", `<svg><p><style>` + no + `</style>` + yes},
		{"HTML in SVG", `<svg><foreignObject><style>` + no + `</style></foreignObject></svg>` + yes},
		{"self-closed SVG", `<svg/><style>` + no + `</style>` + yes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := links(Scan([]byte(tt.doc), Options{})); !slices.Equal(got, []string{"/yes"}) {
				t.Errorf("%s: got %q", tt.doc, got)
			}
		})
	}
}

func TestAttributeReferences(t *testing.T) {
	for in, want := range map[string]string{
		"?a=1&amp;b=2": "?a=1&b=2", "?a=1&ampb=2": "?a=1&ampb=2", "?a&amp=2": "?a&amp=2", "?a&amp": "?a&", "?a&amp/": "?a&/",
		"?a&b=2": "?a&b=2", "?x&copy=1": "?x&copy=1", "?x&copy;=1": "?x©=1", "?x&copy": "?x©", "?x&copy+": "?x©+",
		"&noti;": "&noti;", "&notin;": "∉", "&not;": "¬", "&notit;": "&notit;", "&not": "¬", "&semi;": ";", "&nosuch;": "&nosuch;",
		"&#65;&#x42;&#X43": "ABC", "&#65x": "Ax", "&#;": "&#;", "&#x;": "&#x;", "&#xg": "&#xg", "&#": "&#", "&": "&", "&;": "&;", "&&amp;": "&&",
		"&#0;": "\uFFFD", "&#x110000;": "\uFFFD", "&#xD800;": "\uFFFD", "&#99999999999999999999;": "\uFFFD", "&#x80;": "€", "&#151;": "—",
		"&NotEqualTilde;": "≂̸", "a\r\nb\rc": "a\nb\nc", "caf\xe9": "caf\uFFFD", "café": "café", "&eacute;": "é", "&eacutex": "&eacutex",
		"&CounterClockwiseContourIntegral;": "∳", "&CounterClockwiseContourIntegralX;": "&CounterClockwiseContourIntegralX;", "&lt;&gt;&quot;": `<>"`,
	} {
		if got := string(decode([]byte(in), true)); got != want {
			t.Errorf("decode(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"&noti;": "¬i;", "&copy=": "©=", "&copyx": "©x", "A &amp B &#8211; &bogus; &amp;": "A & B – &bogus; &"} {
		if got := string(decode([]byte(in), false)); got != want {
			t.Errorf("in text: decode(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestD1LinkElements(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"canonical", `<link rel=canonical href=/c>`, "canonical:/c"},
		{"case31 after text", `text<link rel=canonical href=/c>`, ""},
		{"case31 in body", `<head></head><body><link rel=canonical href=/c>`, ""},
		{"case31 after an element of the body", `<head><img src=x><link rel=canonical href=/c></head>`, ""},
		{"case31 between head and body", `<head></head> <link rel=canonical href=/c><body>`, "canonical:/c"},
		{"case31 behind everything of a head", `<!doctype html><html><head><meta charset=utf-8><title>t</title><script>x</script><style>y</style><base href=/><noscript><img src=p></noscript><template><p>x</template><link rel=Canonical href=/c>`, "canonical:/c"},
		{"case31 in noscript", `<noscript><link rel=canonical href=/c></noscript>`, ""},
		{"case31 in a comment", `<!--<link rel=canonical href=/c>-->`, ""},
		{"case31 two", `<link rel=canonical href=/1><link rel=canonical href=/2>`, "canonical:/1|canonical:/2"},
		{"canonical of a version", `<link rel=canonical hreflang=de href=/c>`, ""},
		{"hreflang", `<link rel=alternate hreflang=de href=/de>`, "alternate:/de"},
		{"feeds", `<link rel=alternate type="application/rss+xml" href=/r><link rel=alternate type=application/atom+xml href=/a>`, "alternate:/r|alternate:/a"},
		{"device", `<link rel=alternate media="(max-width: 640px)" href=/m>`, "alternate:/m"},
		{"no page", `<link rel=alternate type=application/json+oembed href=/o><link rel="alternate stylesheet" href=/s>`, ""},
		{"pagination", `<link rel=next href=/2><link rel=prev href=/0>`, "page:/2|page:/0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(links(Scan([]byte(tt.doc), Options{})), "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBaseTitleCharset(t *testing.T) {
	d := Scan([]byte("\xef\xbb\xbf<a href=x><base target=t><base href=' /b&amp;c/ '><base href=/d><title> A &amp;\n B&copy </title><title>no</title>"+
		`<!--<meta charset=x>--><meta http-equiv='Content-Type' content='text/html; charset="Shift_JIS'><meta charset=utf-8>`), Options{})
	if string(d.Base) != "/b&c/" || d.Title != "A & B©" || d.Charset != "shift_jis" {
		t.Errorf("base %q, title %q, charset %q", d.Base, d.Title, d.Charset)
	}
	if d := Scan([]byte(`<svg><title>no</title></svg><title>yes</title>`), Options{}); d.Title != "yes" {
		t.Errorf("title %q, want the first HTML one", d.Title)
	}
	late := strings.Repeat(" ", 2000) + `<meta charset=koi8-r>`
	if d := Scan([]byte(late), Options{}); d.Charset != "koi8-r" {
		t.Errorf("case16: charset past byte 1,024: %q", d.Charset)
	}
	if d := Scan([]byte(strings.Repeat(" ", MaxCharsetAt)+late), Options{}); d.Charset != "" {
		t.Errorf("charset past 64 KiB: %q", d.Charset)
	}
}

func TestF12RobotsMeta(t *testing.T) {
	const want = `[{robots NONE}]`
	for name, doc := range map[string]string{
		"case30 comment, script, noscript, template": `<!--<meta name=robots content=noindex>--><script>'<meta name=robots content=noindex>'</script>` +
			`<noscript><meta name=robots content=noindex></noscript><template><meta name=robots content=noindex></template><meta name=Robots content=NONE>`,
		"case30 in the body": `<body><p><meta content=NONE name=" robots "></body>`,
		"other metas":        `<meta name=description content="no such thing"><meta name=robots content=all><meta name=robots content=NONE>`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(Scan([]byte(doc), Options{}).Robots); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestB6Refresh(t *testing.T) {
	for in, want := range map[string]string{
		"0;url=/x": "0s /x", "5; URL='/x y' z": "5s /x y", "0": "0s ", "0,/x": "0s /x", " 3 url = \"/x": "3s /x", "0;u": "0s u", "1.5;url=x": "1s x",
		"": "no", "x": "no", "0x": "no", ".5": "0s ", "url=/x": "no", "-1": "no", "0;urlx": "0s urlx", "99999999999999999999;x": (time.Duration(1<<30) * time.Second).String() + " x",
	} {
		got := "no"
		if r, ok := ParseRefresh(in); ok {
			got = r.Delay.String() + " " + r.URL
		}
		if got != want {
			t.Errorf("ParseRefresh(%q) = %q, want %q", in, got, want)
		}
	}
	d := Scan([]byte(`<noscript><meta http-equiv=refresh content="0;/no"></noscript><meta http-equiv=refresh content=x><meta http-equiv=Refresh content="0; url=/x?a&amp;b">`), Options{})
	if d.Refresh == nil || d.Refresh.URL != "/x?a&b" {
		t.Errorf("meta refresh: %+v", d.Refresh)
	}
}

func TestCase15Bounds(t *testing.T) {
	long := strings.Repeat("x", MaxValue+1)
	d := Scan([]byte(`<a href="`+long+`"><a href="`+strings.Repeat("y", MaxValue)+`"><a href=/z><title>`+strings.Repeat("é ", 2000)), Options{})
	if len(d.Refs) != 2 || string(d.Refs[1].Value) != "/z" {
		t.Errorf("%d references, want the value of 8 KiB and /z", len(d.Refs))
	}
	if len(d.Title) > MaxTitle || len(d.Title) < MaxTitle-3 || len(d.Bounded) != 2 {
		t.Errorf("title of %d bytes, bounded %q", len(d.Title), d.Bounded)
	}
	d = Scan([]byte(strings.Repeat("<a href=x>", MaxRefs+10)), Options{})
	if len(d.Refs) != MaxRefs || len(d.Bounded) != 1 {
		t.Errorf("%d references, bounded %q", len(d.Refs), d.Bounded)
	}
}

// TestCase15LinearTime scans documents made to be slow: each would take minutes
// if any part were quadratic.
func TestCase15LinearTime(t *testing.T) {
	const n = 1 << 20
	for _, unit := range []string{"<", "<!--", "<script>", "<script><!--<script>", "<a href=\"", "<a ", "<svg>", "<svg><desc>", "<template>", "</title", "<title></titl", "--", "<!--->-", "&#", "<a href='&notit;'>", "<![CDATA[", "<div><p>", "<a x", "<meta http-equiv=content-type content=charsetcharset>"} {
		start := time.Now()
		Scan([]byte(strings.Repeat(unit, n/len(unit))), Options{})
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("1 MiB of %q took %s", unit, d)
		}
	}
	start := time.Now()
	Scan([]byte(`<a href="`+strings.Repeat("&", 15<<20)+`">`), Options{})
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("a value of 15 MiB took %s", d)
	}
}

func TestXHTML(t *testing.T) {
	doc := []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><![CDATA[ <a href="/no"> ]]><a href="/x"/></body></html>`)
	if got := links(Scan(doc, Options{XML: true})); !slices.Equal(got, []string{"/x"}) {
		t.Errorf("as XML: %q", got)
	}
	if got := links(Scan(doc, Options{})); len(got) != 0 {
		t.Errorf("as HTML the title swallows the rest, got %q", got)
	}
}
