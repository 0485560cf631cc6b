package softerror

import (
	"fmt"
	"strings"
	"testing"

	"trawl/internal/content/html"
)

func page(title, heading, body string) string {
	return "<!doctype html><html><head><title>" + title + "</title></head><body><h1>" + heading + "</h1>" + body + "</body></html>"
}

func times(s string, n int) string { return "<p>" + strings.Repeat(s, n) + "</p>" }

// build makes the page of a message.
func (m message) build() string {
	inner := "<p>" + m.text + "</p>"
	if m.heading != "" {
		inner = "<h1>" + m.heading + "</h1>" + inner
	}
	switch m.around {
	case "shop":
		var s strings.Builder
		s.WriteString("<header><img src=/logo.png><nav>")
		for i := range 30 {
			fmt.Fprintf(&s, "<a href=/c%d>Things of kind %d</a> ", i, i)
		}
		s.WriteString("</nav></header><main>" + inner + "</main><section>")
		for i := range 6 {
			fmt.Fprintf(&s, "<div><a href=/p%d><img src=/p%d.jpg> Thing number %d</a> 19,90 EUR</div>", i, i, i)
		}
		s.WriteString("</section><footer><p>© 2026 Acme. All rights reserved.</p></footer><script src=/a.js></script>")
		inner = s.String()
	case "app":
		inner = "<div id=root>" + inner + "</div><script>boot({a: '</b>'})</script>"
	case "text":
		inner = "<div class=box>" + m.text + "</div>"
	}
	return "<!doctype html><html><head><title>" + m.title + "</title></head><body>" + inner + "</body></html>"
}

// judge judges as package content does.
func judge(doc string) Verdict {
	d := html.Scan([]byte(doc), html.Options{})
	return Judge(Input{Doc: []byte(doc), Title: d.Title, HeadingAt: d.HeadingAt, Links: len(d.Refs), Refresh: d.Refresh != nil})
}

func TestF10RecallOfErrorMessages(t *testing.T) {
	found, langs := 0, map[string]bool{}
	for _, m := range messages {
		langs[m.lang] = true
		if v := judge(m.build()); v.Error != "" {
			found++
		} else {
			t.Logf("not recognised: %s, %q, %q, %q", m.lang, m.title, m.heading, m.text)
		}
	}
	t.Logf("%d of %d error messages in %d languages recognised", found, len(messages), len(langs))
	if len(messages) < 60 || len(langs) < 10 || found*100 < 93*len(messages) {
		t.Errorf("%d of %d in %d languages", found, len(messages), len(langs))
	}
}

func TestF10RealPagesAreLeftAlone(t *testing.T) {
	for name, doc := range realPages {
		if v := judge(doc); v.Error != "" {
			t.Errorf("%s: %s", name, v.Error)
		}
	}
}

func TestF10ReasonNamesPhraseAndPlace(t *testing.T) {
	for doc, want := range map[string]string{
		page("404 Not Found", "Sorry", "Nothing."):         `an error message: its title says "404 not found" (en), and its main text has 1 words`,
		page("Muster", "Seite nicht gefunden", "Zurück."):  `an error message: its first heading says "seite nicht gefunden" (de), and its main text has 1 words`,
		"<title>x</title><p>An error occurred. Try again.": `an error message: its text says "an error occurred" (en), and its main text has 5 words`,
		"":                            "empty: no text, picture, form or link",
		"<html><body>&nbsp;\n</body>": "empty: no text, picture, form or link",
		"<nav><a href=/>Home</a></nav><main> </main><footer>©</footer>": "navigation only: its main part is empty",
	} {
		if got := judge(doc); got.Error != want {
			t.Errorf("%q\ngot  %s\nwant %s", doc, got.Error, want)
		}
	}
}

// TestM5AppShellNeedsRendering: what scripts may bring is not called missing.
func TestM5AppShellNeedsRendering(t *testing.T) {
	for name, doc := range map[string]string{
		"shell":          `<title>Page not found</title><div id=root></div><noscript>You need to enable JavaScript.</noscript><script src=/app.js></script>`,
		"empty main":     `<nav><a href=/>Home</a></nav><main></main><script src=/app.js></script>`,
		"inline scripts": `<title>Shop</title><div id=app></div><script>` + strings.Repeat(`x = "some state";`, 1000) + `</script>`,
	} {
		if v := judge(doc); v.Error != "" || !v.Unrendered {
			t.Errorf("%s: %+v", name, v)
		}
	}
	for name, doc := range map[string]string{
		"text":  `<p>Hello</p><script src=/app.js></script>`,
		"empty": ``,
	} {
		if judge(doc).Unrendered {
			t.Errorf("%s needs no rendering", name)
		}
	}
}

func TestF11LikenessIgnoresWhatIsFleeting(t *testing.T) {
	same := [][2]string{
		{page("Error", "Something went wrong", "Request 17 at 12:30:05"), page("Error", "Something went wrong", "Request 99812 at 02:01:59")},
		{page("Busy", "Busy", "Ticket 8f14e45fceea167a5a36dedd4bea2543"), page("Busy", "Busy", "Ticket 0a14e45fceea167a5a36dedd4bea2500")},
		{"<p>Made at 2026-05-01T10:00:00Z.</p>", "<p>Made at 2026-05-02T11:30:09Z.</p>"},
	}
	for _, x := range same {
		if a, b := judge(x[0]).Likeness, judge(x[1]).Likeness; a != b || a == 0 {
			t.Errorf("%q and %q: %x and %x", x[0], x[1], a, b)
		}
	}
	other := [][2]string{
		{page("Error", "Something went wrong", "Try later"), page("Error", "Something went wrong", "Call us")},
		{"<a href=/1>x</a> 12:30", "<a href=/2>x</a> 12:30"},
	}
	for _, x := range other {
		if a, b := judge(x[0]).Likeness, judge(x[1]).Likeness; a == b {
			t.Errorf("%q and %q are alike", x[0], x[1])
		}
	}
	for _, doc := range []string{"<p>Page 12, version 3, 1999 EUR, call 555 1234.</p>", "<p>deadbeefdead</p>", page("Long", "Long", times("word ", 5000)+"12:30:00")} {
		if x := judge(doc).Likeness; x != 0 {
			t.Errorf("%.60q: likeness %x", doc, x)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, m := range messages[:8] {
		f.Add(m.build(), m.title, 60)
	}
	f.Add("<a '<script></scr<!-- <h1>x</h", "| - ?", 1)
	f.Add("<main><nav></main><svg><title>", "页面", -1)
	f.Fuzz(func(t *testing.T, doc, title string, at int) {
		in := Input{Doc: []byte(doc), Title: title, HeadingAt: at}
		v := Judge(in)
		if v != Judge(in) {
			t.Error("the verdict changes")
		}
		if v.Unrendered && v.Error != "" {
			t.Errorf("both: %+v", v)
		}
		if len(v.Error) > 300 {
			t.Errorf("a long reason: %q", v.Error)
		}
	})
}
