package weburl

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

const randomID = "8f3a9c0d1e2b4f56a7b8c9d0"

func TestD3Trap(t *testing.T) {
	for _, c := range []struct{ name, u, pattern string }{
		{"case14/relative to itself", "http://h.example/a/a/a/a/", "h.example/(a/)*…"},
		{"case14/deeper", "http://h.example/x/a/a/a/a/a/a/a/page.html", "h.example/x/(a/)*…"},
		{"sequence", "http://h.example/x/a/b/a/b/a/b/c", "h.example/x/(a/b/)*…"},
		{"longer sequence", "http://h.example/a/b/c/a/b/c/a/b/c/a/b/c", "h.example/(a/b/c/)*…"},
		{"segment here and there", "http://h.example/a/b/x/c/x/d/x/e/x", "h.example/a/b/(x/…/)*"},
		{"empty segments", "http://h.example/a/////b", "h.example/a/(/)*…"},
		{"depth", "http://h.example:8080/top/" + strings.Join(numbered(40), "/"), "h.example/top/…/*"},
		{"parameters", "http://h.example/s?" + strings.Join(numbered(25), "&"), "h.example/s?*&*…"},
		{"case14/session id", "http://h.example/a?x=1&sid=" + randomID, "h.example/*?sid=*"},
		{"PHP session", "http://h.example/a?PHPSESSID=q3k1d8f5s7g9h2j4l6z8x0c1v3", "h.example/*?PHPSESSID=*"},
		{"Java session in path", "http://h.example/a/b.do;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9.node1?x=y", "h.example/*;jsessionid=*"},
		{"ASP session", "http://[::1]:81/?ASPSESSIONIDQQAABBCC=KJHGF1DSAPOIUZ2TREWQ", "[::1]/*?ASPSESSIONIDQQAABBCC=*"},
		{"case14/calendar by year", "http://h.example/index.php?month=1&year=2101", "h.example/index.php?year=*"},
		{"calendar by date", "http://h.example/e?date=2150-03-01", "h.example/e?date=*"},
		{"calendar by month", "http://h.example/e?month=12345", ""},
		{"calendar long ago", "http://h.example/calendar.php?year=1850", "h.example/calendar.php?year=*"},
		{"calendar in path", "http://h.example/shop/calendar/2150/03", "h.example/shop/calendar/*"},
		{"calendar in one segment", "http://h.example/events/1850-12/", "h.example/events/*"},

		{"a page", "https://www.example.com/products/shoes?color=red&size=42", ""},
		{"the root", "http://h.example/", ""},
		{"three of a kind", "http://h.example/a/a/a/", ""},
		{"sequence twice", "http://h.example/a/b/a/b/c/d", ""},
		{"depth 40", "http://h.example/" + strings.Join(numbered(40), "/") + "/", ""},
		{"24 parameters", "http://h.example/s?" + strings.Join(numbered(24), "&"), ""},
		{"short sid", "http://h.example/?sid=12345", ""},
		{"a word as sid", "http://h.example/?sid=the-spring-collection-of-shoes", ""},
		{"a long word as sid", "http://h.example/?sid=internationalisation", ""},
		{"long words as sid", "http://h.example/?sid=internationalisation-of-x", ""},
		{"a hash in another parameter", "http://h.example/?commit=" + randomID, ""},
		{"this year", "http://h.example/calendar/2026/11?year=2026&month=11", ""},
		{"an archive", "http://h.example/archive/1865/04?year=1865", ""},
		{"number of an RFC", "http://h.example/rfc/8259/2", ""},
		{"number of an event", "http://h.example/events/4711", ""},
		{"page of an event", "http://h.example/events/4711/tickets", ""},
		{"path parameter", "http://h.example/a;v=1/b;lang=en", ""},
		{"not a URL", "x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pattern, reason, trapped := Trap(crawl.URL(c.u))
			if pattern != c.pattern || trapped != (c.pattern != "") || (reason != "") != trapped {
				t.Errorf("Trap(%q) = %q, %q, %v; want %q", c.u, pattern, reason, trapped, c.pattern)
			}
		})
	}
}

func numbered(n int) []string {
	var s []string
	for i := range n {
		s = append(s, "n"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	return s
}

// TestD3PatternIsStable: as a trap grows, its URLs stay in one group.
func TestD3PatternIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix := strings.Join(rapid.SliceOfNDistinct(rapid.StringMatching("[p-t]{1,9}"), 0, 4, rapid.ID[string]).Draw(t, "prefix"), "/")
		unit := strings.Join(rapid.SliceOfNDistinct(rapid.StringMatching("[a-e]{1,80}"), 1, 4, rapid.ID[string]).Draw(t, "unit"), "/")
		if prefix != "" {
			prefix += "/"
		}
		first := ""
		for n := 4; n < 30; n++ {
			pattern, _, trapped := Trap(crawl.URL("http://h.example/" + prefix + strings.Repeat(unit+"/", n)))
			if !trapped || first != "" && pattern != first {
				t.Fatalf("%d times: %q, first %q", n, pattern, first)
			}
			if len(pattern) > MaxTrapPattern || !strings.HasPrefix(pattern, "h.example/") {
				t.Fatalf("pattern of %d bytes: %q", len(pattern), pattern)
			}
			first = pattern
		}
	})
}

// TestD3RealPages: no page of real documentation is a trap.
func TestD3RealPages(t *testing.T) {
	for _, tree := range docTrees {
		t.Run(tree, func(t *testing.T) {
			seen := make(map[crawl.URL]bool)
			var space Space
			docPages(t, tree, 1<<30, func(path string, hrefs []string) {
				page, err := Parse("http://docs.example/" + path)
				if err != nil {
					t.Fatal(err)
				}
				base := NewBase(page)
				for _, h := range append(hrefs, "") {
					u, err := base.Resolve([]byte(strings.ReplaceAll(h, "&amp;", "&")))
					if err != nil || seen[u] {
						continue
					}
					seen[u] = true
					if pattern, reason, trapped := Trap(u); trapped {
						t.Errorf("%s, linked from %s: %s: %s", u, page, pattern, reason)
					}
					if u.Host() != "docs.example" {
						continue
					}
					if pattern, reason, trapped := space.Observe(u); trapped {
						t.Errorf("Space: %s, linked from %s: %s: %s", u, page, pattern, reason)
					}
				}
			})
			if len(seen) < 100 {
				t.Errorf("only %d URLs", len(seen))
			}
		})
	}
}

func TestTrapAllocatesNothingForPages(t *testing.T) {
	for _, u := range notTraps {
		if n := testing.AllocsPerRun(100, func() { Trap(u) }); n > 0 {
			t.Errorf("%q: %v allocations", u, n)
		}
	}
}

var notTraps = []crawl.URL{
	"https://docs.example/3/library/os.path.html",
	"https://www.example.com/products/shoes?color=red&size=42&year=2024&month=3",
	"https://www.example.com/a/b/c/d/e/f/g/h/i;v=1",
	"https://cal.example.com/calendar/2026/11/30",
}

func BenchmarkTrap(b *testing.B) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Trap(notTraps[i&3])
		i++
	}
}

func TestD3WithoutSession(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{"http://h.example/a?sid=" + randomID, "http://h.example/a", true},
		{"http://h.example/a?x=1&sid=" + randomID + "&y=2", "http://h.example/a?x=1&y=2", true},
		{"http://h.example/a;jsessionid=" + randomID + "/b;v=2?x", "http://h.example/a/b;v=2?x", true},
		{"http://h.example/a;jsessionid=" + randomID + "?", "http://h.example/a?", true},
		{"http://h.example/a/..;jsessionid=" + randomID, "http://h.example/", true},
		{"http://h.example:81/;sid=" + randomID + "?sid=" + randomID, "http://h.example:81/", true},
		{"http://h.example/a?sid=1", "http://h.example/a?sid=1", false},
		{"http://h.example/a?", "http://h.example/a?", false},
	} {
		got, ok := WithoutSession(crawl.URL(c.in))
		if string(got) != c.want || ok != c.ok {
			t.Errorf("WithoutSession(%q) = %q, %v; want %q, %v", c.in, got, ok, c.want, c.ok)
		}
		if _, _, trapped := Trap(got); trapped {
			t.Errorf("%q is still a trap", got)
		}
	}
}
