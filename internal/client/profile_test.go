package client

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

func TestA2Variants(t *testing.T) {
	c := builtin(t)
	v := c.Variants("googlebot-desktop")
	if len(v) != 2 || !slices.Equal(v[0].Tokens, v[1].Tokens) {
		t.Fatalf("variants of Googlebot: %v", v)
	}
	count := map[Device]int{}
	for i := range 1000 {
		p, ok := Choose(v, float64(i)/1000)
		if !ok {
			t.Fatal("no variant chosen")
		}
		count[p.Device]++
	}
	if count[Smartphone] != 800 || count[Desktop] != 200 {
		t.Errorf("of 1000 requests %v, want 800 smartphone and 200 desktop", count)
	}
	if v[0].Documented("share") {
		t.Error("the share of the smartphone variant is presented as documented")
	}
	if n := len(c.Variants("feedfetcher")); n != 1 {
		t.Errorf("FeedFetcher, without tokens, has %d variants", n)
	}
	if _, ok := Choose(c.Variants("google-extended"), 0); ok {
		t.Error("a control token was chosen for a request")
	}
	if _, ok := Choose(nil, 0.5); ok {
		t.Error("chosen from nothing")
	}
	if p, ok := Choose(v, math.Nextafter(1, 0)); !ok || p.Device != Desktop {
		t.Errorf("pick just below 1: %v %v", p.ID, ok)
	}
}

func TestA3RobotsPolicy(t *testing.T) {
	c := builtin(t)
	for _, row := range []struct {
		id                string
		tokens            string
		ignoreStar, never bool
		meta              string
	}{
		{"trawl", "trawl", false, false, "trawl"},
		{"googlebot-smartphone", "Googlebot", false, false, "googlebot"},
		{"googlebot-news", "Googlebot-News Googlebot", false, false, "googlebot-news googlebot"},
		{"adsbot", "AdsBot-Google", true, false, "adsbot-google"},
		{"adsense", "Mediapartners-Google", true, false, "mediapartners-google"},
		{"apis-google", "APIs-Google", true, false, "apis-google"},
		{"google-safety", "", true, true, ""},
		{"feedfetcher", "", true, true, ""},
	} {
		p := get(t, c, row.id)
		tokens, star, never := p.RobotsAgent()
		if strings.Join(tokens, " ") != row.tokens || star != row.ignoreStar || never != row.never {
			t.Errorf("A3/%s: tokens %q, ignores * %t, ignores all %t", row.id, tokens, star, never)
		}
		if got := strings.Join(p.MetaNames(), " "); got != row.meta {
			t.Errorf("%s: meta names %q, want %q", row.id, got, row.meta)
		}
	}
	for _, p := range c.All() {
		if p.Category == UserTriggered && p.Robots != RobotsIgnore || p.Category == Common && p.Robots != RobotsObey {
			t.Errorf("A3/%s: a %s client with robots policy %s", p.ID, p.Category, p.Robots)
		}
	}
}

func TestA4InspectionFollowsNoRedirects(t *testing.T) {
	for _, p := range builtin(t).All() {
		want := 10
		if strings.HasPrefix(string(p.ID), "google-inspection-tool") {
			want = 0
		}
		if p.MaxRedirects != want || p.Documented("max_redirects") != (p.ID != DefaultID) {
			t.Errorf("%s follows %d hops, want %d (documented %t)", p.ID, p.MaxRedirects, want, p.Documented("max_redirects"))
		}
	}
}

func TestA5DemandIsPerClient(t *testing.T) {
	// Demand is kept under the client's id: every request carries its own.
	seen := map[crawl.ClientID]bool{}
	for _, p := range builtin(t).All() {
		r := p.Request("https://example.com/", Identity{}, crawl.PurposeDiscovery, nil, 0)
		if p.ControlOnly {
			if r != nil {
				t.Errorf("%s makes requests", p.ID)
			}
			continue
		}
		if r.Client != p.ID || seen[r.Client] {
			t.Errorf("request of %s carries the client %q", p.ID, r.Client)
		}
		seen[r.Client] = true
	}
}

func TestA6AcceptEncoding(t *testing.T) {
	for _, p := range builtin(t).All() {
		if p.ControlOnly {
			continue
		}
		r := p.Request("https://example.com/a?b", Identity{}, crawl.PurposeDiscovery, nil, 0)
		if r.AcceptEncoding != "gzip, deflate, br" {
			t.Errorf("%s advertises %q", p.ID, r.AcceptEncoding)
		}
		if r.URL != "https://example.com/a?b" || r.Accept == "" || r.UserAgent == "" || r.ContentWait <= 0 || r.Timeouts != crawl.DefaultTimeouts() || r.Limits.Default != p.Limits.Default {
			t.Errorf("%s sends %+v", p.ID, r)
		}
	}
	c, err := builtin(t).With(parse(t, "clients:\n- {id: plain, tokens: [p], user_agents: [p/1], accept_encoding: []}\n- {id: one, tokens: [p], user_agents: [p/1], accept_encoding: [br]}"))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"plain": "", "one": "br"} {
		if r := get(t, c, id).Request("http://a/", Identity{}, crawl.PurposeDiscovery, nil, 0); r.AcceptEncoding != want {
			t.Errorf("%s advertises %q, want %q", id, r.AcceptEncoding, want)
		}
	}
}

func TestB4CatalogueLimits(t *testing.T) {
	const mib = 1048576 // the choice of MB: the larger reading
	for _, row := range []struct {
		id, mediaType string
		want          int64
	}{
		{"googlebot-smartphone", "text/html; charset=utf-8", 2 * mib},
		{"googlebot-smartphone", "Application/PDF", 64 * mib},
		{"googlebot-desktop", "text/html", 2 * mib},
		{"googlebot-desktop", "application/pdf", 64 * mib},
		{"trawl", "text/html", 15 * mib},
		{"trawl", "application/pdf", 15 * mib},
		{"storebot", "text/html", 15 * mib},
		{"adsbot", "", 15 * mib},
		{"feedfetcher", "application/rss+xml", 15 * mib},
	} {
		p := get(t, builtin(t), row.id)
		r := p.Request("http://a/", Identity{}, crawl.PurposeDiscovery, nil, 0)
		if got := r.Limits.For(row.mediaType); got != row.want {
			t.Errorf("B4/%s %s: limit %d, want %d", row.id, row.mediaType, got, row.want)
		}
	}
	// A whole media type counts before a wildcard, whatever their order.
	c, err := builtin(t).With(parse(t, "clients:\n- {id: x, tokens: [x], user_agents: [x/1], byte_limits: {by_type: {image/*: 1MB, image/png: 2 MiB}}}"))
	if err != nil {
		t.Fatal(err)
	}
	if l := get(t, c, "x").Limits; l.For("image/png") != 2*mib || l.For("image/gif") != mib || l.For("text/html") != 15*mib {
		t.Errorf("limits %+v", l)
	}
}

func TestA7DefaultIdentity(t *testing.T) {
	p := get(t, builtin(t), "trawl")
	if p.ID != DefaultID || p.Impersonates() {
		t.Error("the default client impersonates")
	}
	for _, row := range []struct{ version, contact, want string }{
		{"1.2.3", "https://example.org/bot", "Mozilla/5.0 (compatible; trawl/1.2.3; +https://example.org/bot)"},
		{"1.2.3", "mailto:crawl@example.org", "Mozilla/5.0 (compatible; trawl/1.2.3; +crawl@example.org)"},
		{"1.2.3", "", "Mozilla/5.0 (compatible; trawl/1.2.3)"},
		{"", "a@b.example", "Mozilla/5.0 (compatible; trawl; +a@b.example)"},
		{"", "", "trawl"},
		{"1.0\r\nX: y", "https://a/\r\nHost: evil", "trawl"},
		{"1", "https://a/{version}", "Mozilla/5.0 (compatible; trawl/1)"},
	} {
		if got := p.UserAgent(Identity{row.version, row.contact}); got != row.want {
			t.Errorf("A7/%q %q: user agent %q, want %q", row.version, row.contact, got, row.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ua := p.UserAgent(Identity{rapid.String().Draw(t, "version"), rapid.String().Draw(t, "contact")})
		if !printable(ua) || !strings.Contains(ua, "trawl") {
			t.Fatalf("user agent %q", ua)
		}
	})
}

func TestA7Allowed(t *testing.T) {
	c := builtin(t)
	owned, err := ParseOwned([]string{"mine.example", "*.shop.example", "192.0.2.0/24", "2001:db8::7", "Bücher.example"})
	if err != nil {
		t.Fatal(err)
	}
	google, own := get(t, c, "googlebot-smartphone"), get(t, c, "trawl")
	for _, row := range []struct {
		host crawl.Host
		want bool
	}{
		{"mine.example", true},
		{"www.mine.example", false},
		{"notmine.example", false},
		{"shop.example", false},
		{"a.shop.example", true},
		{"a.b.shop.example", true},
		{"evilshop.example", false},
		{"192.0.2.77", true},
		{"192.0.3.1", false},
		{"[2001:db8::7]", true},
		{"[2001:db8::8]", false},
		{"[::ffff:192.0.2.9]", true},
		{"xn--bcher-kva.example", true},
		{"MINE.example.", true},
		{"localhost", true},
		{"a.localhost", true},
		{"127.0.0.1", true},
		{"127.9.9.9", true},
		{"[::1]", true},
		{"localhost.example", false},
		{"notlocalhost", false},
		{"", false},
	} {
		err := Allowed(google, row.host, owned, false)
		if (err == nil) != row.want {
			t.Errorf("A7/%s: allowed %t, want %t", row.host, err == nil, row.want)
		}
		if err != nil {
			var na *NotAllowedError
			if !errors.Is(err, ErrImpersonation) || !errors.As(err, &na) || na.Host != row.host || !strings.Contains(err.Error(), "own") || !strings.Contains(err.Error(), "flag") {
				t.Errorf("A7/%s: error %v", row.host, err)
			}
		}
		if Allowed(google, row.host, owned, true) != nil || Allowed(own, row.host, owned, false) != nil {
			t.Errorf("A7/%s: refused with the flag, or under trawl's own name", row.host)
		}
	}
	if err := Allowed(get(t, c, "google-extended"), "mine.example", owned, true); !errors.Is(err, ErrControlOnly) {
		t.Errorf("a control token is allowed to crawl: %v", err)
	}
}

// TestOwnedBlocks: nobody owns half of the internet.
func TestOwnedBlocks(t *testing.T) {
	for entry, want := range map[string]bool{
		"8.0.0.0/8": true, "8.0.0.0/7": false, "0.0.0.0/0": false, "2001::/16": true, "2000::/15": false, "::/0": false,
	} {
		owned, err := ParseOwned([]string{entry})
		if (err == nil) != want || owned.Contains("8.8.8.8") != (entry == "8.0.0.0/8") {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

func TestA7UserClientsCannotHide(t *testing.T) {
	c, err := builtin(t).With(parse(t, `clients:
- {id: copy, tokens: [x], user_agents: ["Mozilla/5.0 (compatible; GoogleBot/2.1)"]}
- {id: child, extends: googlebot-smartphone}
- {id: hidden, extends: googlebot-smartphone, operator: ""}
- {id: honest, extends: googlebot-smartphone, user_agents: ["mybot/1 (+{contact})"]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"copy": true, "child": true, "hidden": true, "honest": false} {
		p := get(t, c, id)
		if got := Allowed(p, "example.com", OwnedHosts{}, false) != nil; got != want {
			t.Errorf("A7/%s: refused %t, want %t", id, got, want)
		}
	}
	if p := get(t, c, "honest"); p.Documented("user_agents") || !p.NeedsContact() || p.UserAgent(Identity{Version: "2"}) != "trawl/2" {
		t.Errorf("%+v", p)
	}
}

func TestParseOwnedErrors(t *testing.T) {
	for entry, want := range map[string]string{"https://a.example/x": "a.example", "a.example:80": "a.example", "127.0.0.1/8": "127.0.0.0/8", "a..b": "", "": "", "*": "", "*.": "", "a b": ""} {
		_, err := ParseOwned([]string{"ok.example", entry})
		var oe *OwnedError
		if !errors.As(err, &oe) || oe.Index != 1 || oe.Suggestion != want {
			t.Errorf("%q: %v (suggestion wanted %q)", entry, err, want)
		}
	}
}

func parse(t testing.TB, s string) []Profile {
	t.Helper()
	p, err := Parse("test.yaml", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
