package content

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

func read(body string, fields ...string) *crawl.Page {
	return Read(response(body, append(fields, htmlType)...), Options{RobotsNames: []string{"googlebot-news", "googlebot"}})
}

func meta(content string) string { return `<meta name="robots" content="` + content + `">` }

// TestF12AllRules: each rule, in a meta element and in a header field.
func TestF12AllRules(t *testing.T) {
	at := time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC)
	for rules, want := range map[string]crawl.Directives{
		"all":                                {},
		"index, follow, foo, max-unknown: 3": {},
		"NoSnippet":                          {Nosnippet: true},
		"noarchive":                          {Noarchive: true},
		"nocache":                            {Noarchive: true},
		"noimageindex, notranslate":          {Noimageindex: true, Notranslate: true},
		"nositelinkssearchbox":               {Nositelinks: true},
		"noindex, indexifembedded":           {Noindex: true, Indexifembedded: true},
		"max-snippet:20":                     {MaxSnippet: crawl.Bound{Said: true, Max: 20}},
		"max-snippet: -1 , nofollow":         {MaxSnippet: crawl.Bound{Said: true, Max: -1}, Nofollow: true},
		"max-snippet:0,max-video-preview:7":  {MaxSnippet: crawl.Bound{Said: true}, MaxVideoPreview: crawl.Bound{Said: true, Max: 7}},
		"max-image-preview: LARGE noindex":   {MaxImagePreview: "large", Noindex: true},
		"max-snippet:5, max-snippet:-1":      {MaxSnippet: crawl.Bound{Said: true, Max: 5}},
		"max-snippet:-1, max-snippet:9":      {MaxSnippet: crawl.Bound{Said: true, Max: 9}},
		"max-image-preview:large, max-image-preview:none, max-image-preview:standard": {MaxImagePreview: "none"},
		"max-snippet: many, noindex":             {Noindex: true},
		"max-snippet=3":                          {MaxSnippet: crawl.Bound{Said: true, Max: 3}},
		"unavailable_after: 2026-12-31, noindex": {UnavailableAfter: at, Noindex: true},
		"noindex; unavailable_after: Thursday, 31-Dec-26 23:59:59 GMT; nofollow": {UnavailableAfter: at, Noindex: true, Nofollow: true},
		"unavailable_after: 2027-01-01, unavailable_after: 2026-12-31T23:59:59Z": {UnavailableAfter: at},
		"unavailable_after: when hell freezes, nofollow":                         {Nofollow: true},
	} {
		t.Run(rules, func(t *testing.T) {
			if got := read(meta(rules)).Directives; got != want {
				t.Errorf("meta: %+v, want %+v", got, want)
			}
			if got := read("", "X-Robots-Tag: "+rules).Directives; got != want {
				t.Errorf("header: %+v, want %+v", got, want)
			}
		})
	}
}

// TestF12DateForms: RFC 822, RFC 850, ISO 8601, and what people write.
func TestF12DateForms(t *testing.T) {
	want := time.Date(2026, 6, 25, 15, 0, 0, 0, time.UTC)
	for _, s := range []string{
		"25 Jun 2026 15:00:00 GMT", "Thu, 25 Jun 2026 15:00:00 GMT", "Thu, 25 Jun 26 15:00:00 UT", "25 Jun 2026 07:00:00 PST", "25 Jun 2026 08:00:00 PDT", "25 Jun 2026 10:00:00 EST",
		"25 Jun 2026 17:00:00 +0200", "Thursday, 25-Jun-26 15:00:00 GMT", "Thursday, 25-Jun-2026 15:00:00 GMT", "25-Jun-2026 17:00:00 CEST", "2026-06-25T15:00:00Z", "2026-06-25T17:00:00+02:00",
		"2026-06-25T17:00+0200", "2026-06-25T15:00:00", "2026-06-25 15:00:00", "2026-06-25 15:00", "20260625T150000Z", "Thu Jun 25 15:00:00 2026", "June 25, 2026 15:00:00", " 25  Jun 2026 15:00 ",
		"2026-06-25T15:00:00.000Z",
	} {
		d := read(meta("unavailable_after: " + s + ", nofollow")).Directives
		if !d.UnavailableAfter.Equal(want) || !d.Nofollow {
			t.Errorf("%q: %v, nofollow %v", s, d.UnavailableAfter, d.Nofollow)
		}
		if h := read("", "X-Robots-Tag: googlebot: unavailable_after: "+s+", nofollow").Directives; h != d {
			t.Errorf("header %q: %+v", s, h)
		}
	}
	for _, s := range []string{"", "soon", "2026-02-30", "2026-13-01", "25 Jun", "0001-01-01", "1234", "25 Jun 2026 15:00:00 XYZ", "99999-01-01T00:00:00Z"} {
		p := read(meta("unavailable_after: " + s))
		if !p.Directives.UnavailableAfter.IsZero() || len(p.Notes) != 1 {
			t.Errorf("%q: %v, notes %q", s, p.Directives.UnavailableAfter, p.Notes)
		}
	}
}

// TestF12PerClient: rules for one client, in fields and elements.
func TestF12PerClient(t *testing.T) {
	for field, want := range map[string]crawl.Directives{
		"googlebot: noindex, max-snippet: 5":                                              {Noindex: true, MaxSnippet: crawl.Bound{Said: true, Max: 5}},
		"otherbot: noindex, max-snippet: 5, unavailable_after: 1 Jan 2027, none":          {},
		"noarchive, otherbot: noindex, nosnippet, GoogleBot : nofollow":                   {Noarchive: true, Nofollow: true},
		"googlebot-news: noindex":                                                         {Noindex: true},
		"googlebot: unavailable_after: Fri, 01 Jan 2027 00:00:00 GMT, otherbot: none":     {UnavailableAfter: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
		"otherbot: unavailable_after: Fri, 01 Jan 2027 00:00:00 GMT, googlebot: nofollow": {Nofollow: true},
		"bad name: noindex": {},
	} {
		if got := read("", "X-Robots-Tag: "+field).Directives; got != want {
			t.Errorf("%s: %+v, want %+v", field, got, want)
		}
	}
	body := `<meta name=GOOGLEBOT content=nosnippet><meta name=bingbot content=none><meta name=robots content=noarchive>`
	if got, want := read(body).Directives, (crawl.Directives{Nosnippet: true, Noarchive: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestF12MostRestrictiveWins: the order of sources does not matter, and more
// rules never allow more.
func TestF12MostRestrictiveWins(t *testing.T) {
	rules := []string{
		"noindex", "nofollow", "none", "all", "nosnippet", "max-snippet:4", "max-snippet:-1", "max-snippet:0", "max-image-preview:none", "max-image-preview:large",
		"unavailable_after: 2027-01-01", "unavailable_after: Sat, 02 Jan 2027 00:00:00 GMT", "max-video-preview:3", "indexifembedded", "unavailable_after: never",
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(rules), 1, 6).Draw(t, "rules")
		forth := read("", "X-Robots-Tag: "+strings.Join(list, ", ")).Directives
		body := ""
		for i := len(list) - 1; i >= 0; i-- {
			body += meta(list[i])
		}
		back := read(body).Directives
		if forth != back {
			t.Fatalf("%+v forth, %+v back", forth, back)
		}
	})
}

func FuzzRobotsRules(f *testing.F) {
	for _, s := range []string{"noindex, nofollow", "googlebot: none, otherbot: nosnippet", "unavailable_after: Fri, 01 Jan 2027 00:00:00 GMT, noindex", "max-snippet:-1", "a:b:c:,;=", "unavailable_after:,,,,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, notes := directives(nil, crawl.Header{{Name: "X-Robots-Tag", Value: s}}, []string{"googlebot"})
		more, _ := directives(nil, crawl.Header{{Name: "X-Robots-Tag", Value: s}, {Name: "X-Robots-Tag", Value: "none"}}, []string{"googlebot"})
		if len(notes) > 8 || !more.Noindex || !more.Nofollow || d.MaxSnippet.Max < -1 || d.UnavailableAfter != more.UnavailableAfter {
			t.Errorf("%q: %+v, with none %+v, notes %q", s, d, more, notes)
		}
	})
}
