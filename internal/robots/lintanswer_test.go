package robots

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

func TestC3LintAnswer(t *testing.T) {
	const asked = crawl.URL("https://a.example/robots.txt")
	for _, c := range []struct {
		name  string
		facts AnswerFacts
		want  string // "severity kind row", in order
	}{
		{"C3/as it should be", AnswerFacts{Answer: Answer{Status: 200}, ContentType: "Text/Plain; charset=utf-8"}, ""},
		{"C3/web page", AnswerFacts{Answer: Answer{Status: 200}, ContentType: "text/html"}, "warning content-type C3"},
		{"C3/no type", AnswerFacts{Answer: Answer{Status: 200}}, "note content-type C3"},
		{"C3/404", AnswerFacts{Answer: Answer{Status: 404}}, "note status C3"},
		{"C3/403", AnswerFacts{Answer: Answer{Status: 403}}, "warning status C3"},
		{"C3/redirect to nowhere", AnswerFacts{Answer: Answer{Status: 302}}, "warning status C1"},
		{"C4/503", AnswerFacts{Answer: Answer{Status: 503}}, "error unavailable C4"},
		{"C4/429", AnswerFacts{Answer: Answer{Status: 429}}, "error unavailable C4"},
		{"C4/DNS", AnswerFacts{Answer: Answer{Failure: crawl.FailDNS}}, "error unavailable C4"},
		{"C4/cut off", AnswerFacts{Answer: Answer{Status: 200, Failure: crawl.FailIncomplete}}, "error unavailable C4"},
		{"B11/our policy", AnswerFacts{Answer: Answer{Failure: crawl.FailBlockedAddress}}, "error not-asked B11"},
		{"C5/kept for long", AnswerFacts{Answer: Answer{Status: 200, MaxAge: 400 * day}, ContentType: "text/plain"}, "note cache-control C5"},
		{"C5/kept for a day", AnswerFacts{Answer: Answer{Status: 200, MaxAge: 24 * time.Hour}, ContentType: "text/plain"}, ""},
		{"C1/redirected", AnswerFacts{Hops: []crawl.URL{"https://a.example/r"}, Answer: Answer{Status: 200}, ContentType: "text/plain"}, "note redirected C1"},
		{"C1/to another host", AnswerFacts{Hops: []crawl.URL{"http://a.example/r", "https://b.example/r"}, Answer: Answer{Status: 404}}, "note redirected C1|note redirected C1|note status C3"},
		{"C1/too often", AnswerFacts{Answer: Answer{Status: 301, RedirectsExceeded: true}}, "error redirect-limit C1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.facts.Asked = asked
			var got []string
			for _, i := range LintAnswer(DefaultTimes(), c.facts) {
				got = append(got, fmt.Sprintf("%s %s %s", i.Severity, i.Kind, i.Row))
				if i.Line != 0 || !strings.HasSuffix(i.Detail, ".") {
					t.Errorf("%+v", i)
				}
			}
			if got := strings.Join(got, "|"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestC2LintLimits(t *testing.T) {
	head := star + "Disallow: /a\n"
	whole := head + strings.Repeat("#\n", (MaxBytes-len(head))/2)
	if len(whole) < MaxBytes {
		whole = "\n" + whole
	}
	lines := strings.Count(whole, "\n")
	for _, c := range []struct {
		name, file string
		want       []string // parts of what is said, in order
	}{
		{"exactly the limit", whole, nil},
		{"whole lines", whole + "Disallow: /b\n", []string{fmt.Sprintf("%d:0 ", lines), fmt.Sprintf("line %d is the first that is ignored, and 13 bytes", lines+1)}},
		{"inside a line", whole[:MaxBytes-2] + "Disallow: /b\n", []string{fmt.Sprintf("%d:3 ", lines), "after 2 bytes of this line", fmt.Sprintf("line %d is the first", lines+1)}},
		{"long line", head + "# " + strings.Repeat("x", maxLine) + "\n", []string{"3:16664 ", "first 16,663 bytes"}},
	} {
		var got string
		for _, i := range Lint([]byte(c.file), LintContext{}) {
			if i.Kind == KindSizeLimit || i.Kind == KindLineTooLong {
				got += fmt.Sprintf("%d:%d %s %s", i.Line, i.Column, i.Severity, i.Detail)
			}
		}
		if len(c.want) == 0 && got != "" {
			t.Errorf("%s: %s", c.name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q in it", c.name, got, want)
			}
		}
	}
}

// What is said never to stand in a URL does not, once a URL is in the canonical
// form in which it is asked for.
func TestC2NeverInURL(t *testing.T) {
	for c := range 128 {
		for _, format := range []string{"/x%cy", "/x?%cy"} {
			value := fmt.Sprintf(format, c)
			if c == '#' || c == '?' || c == '*' {
				continue
			}
			u, err := weburl.Parse("https://a.example" + value)
			if err != nil {
				t.Fatalf("%q: %v", value, err)
			}
			i, _ := neverInURL(value)
			if stands := u.PathQuery() == value; stands != (i < 0) {
				t.Errorf("%q is %q in a URL, said to stand there: %t", value, u.PathQuery(), i < 0)
			}
		}
		if plain(byte(c)) {
			if u, _ := weburl.Parse(fmt.Sprintf("https://a.example/%%%02x", c)); u.PathQuery() == fmt.Sprintf("/%%%02X", c) {
				t.Errorf("%q stays escaped", rune(c))
			}
		}
	}
}

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name, old, new, want string
	}{
		{"same", star + "Disallow: /a\n", star + "Disallow: /a\n", ""},
		{"order, spelling, comments", star + "Disallow: /a\nAllow: /b\n", "# new\n" + star + "allow: /b\nDisalow: /a # x\nDisallow: /a\n", ""},
		{"split", star + "Disallow: /a\nDisallow: /b\n", star + "Disallow: /b\n" + star + "Disallow: /a\n", ""},
		{"rules that match nothing", star + "Disallow:\n", star + "Disallow: x\nAllow:\n", ""},
		{"added", star + "Disallow: /a\n", star + "Disallow: /a\nDisallow: /b\n", "* 1 1 +3 Disallow: /b"},
		{"changed", "User-agent: A\nDisallow: /a\n", "User-agent: a\nAllow: /a\n", "a 1 1 +2 Allow: /a -2 Disallow: /a"},
		{"new group", star + "Disallow: /a\n", star + "Disallow: /a\nUser-agent: b\nDisallow:\n", "b 0 3"},
		{"group gone", star + "Disallow: /a\nUser-agent: b\nDisallow: /\n", star + "Disallow: /a\n", "b 3 0 -4 Disallow: /"},
		{"sitemaps", "Sitemap: https://a/1\nSitemap: https://a/2\n", "Sitemap: https://a/2\nSitemap: https://a/3\n", "s+https://a/3 s-https://a/1"},
	} {
		d := Diff(Parse([]byte(c.old)), Parse([]byte(c.new)))
		var got []string
		for _, g := range d.Groups {
			got = append(got, fmt.Sprint(g.Token, " ", g.OldLine, " ", g.NewLine))
			for _, r := range g.Added {
				got = append(got, fmt.Sprintf("+%d %s", r.Line, r.Text))
			}
			for _, r := range g.Removed {
				got = append(got, fmt.Sprintf("-%d %s", r.Line, r.Text))
			}
		}
		for _, s := range d.SitemapsAdded {
			got = append(got, "s+"+s.URL)
		}
		for _, s := range d.SitemapsRemoved {
			got = append(got, "s-"+s.URL)
		}
		if got := strings.Join(got, " "); got != c.want || d.Empty() != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
