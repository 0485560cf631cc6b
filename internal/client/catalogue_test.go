package client

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func builtin(t testing.TB) *Catalogue {
	t.Helper()
	c, err := Builtin()
	if err != nil {
		t.Fatalf("the built-in catalogue does not parse:\n%v", err)
	}
	return c
}

func get(t testing.TB, c *Catalogue, id string) Profile {
	t.Helper()
	for _, p := range c.All() {
		if string(p.ID) == id {
			return p
		}
	}
	t.Fatalf("no client %q", id)
	return Profile{}
}

// listing is every fact of a profile as text.
func listing(p Profile) string {
	var b bytes.Buffer
	line := func(field string, value any) {
		mark := " "
		if !p.Documented(field) {
			mark = "h"
		}
		fmt.Fprintf(&b, "%s %-18s %v\n", mark, field, value)
	}
	fmt.Fprintf(&b, "== %s\n", p.ID)
	line("name", p.Name)
	line("product", p.Product)
	line("operator", p.Operator)
	line("category", p.Category)
	for _, ua := range p.UserAgents {
		line("user_agents", ua)
	}
	fmt.Fprintf(&b, "  sent               %s\n", p.UserAgent(Identity{Version: "1.2.3", Contact: "https://example.org/bot"}))
	line("tokens", strings.Join(p.Tokens, ", "))
	line("byte_limits", p.Limits)
	line("max_redirects", p.MaxRedirects)
	line("accept_encoding", p.AcceptEncoding)
	line("accept", p.Accept)
	line("conditional", p.Conditional)
	line("conditional_share", p.ConditionalShare)
	line("robots", p.Robots)
	line("device", p.Device)
	line("renders", p.Renders)
	line("client_type", p.Type)
	line("share", p.Share)
	line("cycle", p.Cycle)
	line("follows_links", p.FollowsLinks)
	line("content_wait", p.ContentWait)
	line("control_only", p.ControlOnly)
	line("chromium_version", p.Chromium)
	for _, s := range p.Source {
		fmt.Fprintf(&b, "  source             %s\n", s)
	}
	return b.String()
}

func TestCatalogueGolden(t *testing.T) {
	var b strings.Builder
	b.WriteString("The built-in clients; h = house choice.\n")
	for _, p := range builtin(t).All() {
		b.WriteString("\n" + listing(p))
	}
	const file = "testdata/catalogue.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the catalogue differs from %s (go test -update writes it anew); now:\n%s", file, b.String())
	}
}

// documented is the catalogue table of the behaviour document, written a second
// time and independently of the data file.
func TestA1CatalogueTable(t *testing.T) {
	const chromium = "W.X.Y.Z"
	m := func(x string) string {
		return "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + chromium + " Mobile Safari/537.36 (compatible; " + x + ")"
	}
	d := func(x string) string {
		return "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; " + x + ") Chrome/" + chromium + " Safari/537.36"
	}
	const bot = "Googlebot/2.1; +http://www.google.com/bot.html"
	table := []struct {
		id       string
		category Category
		agent    string
		tokens   string
	}{
		{"googlebot-smartphone", Common, m(bot), "Googlebot"},
		{"googlebot-desktop", Common, d(bot), "Googlebot"},
		{"googlebot-image", Common, "Googlebot-Image/1.0", "Googlebot-Image Googlebot"},
		{"googlebot-video", Common, "Googlebot-Video/1.0", "Googlebot-Video Googlebot"},
		{"googlebot-news", Common, m(bot), "Googlebot-News Googlebot"},
		{"storebot", Common, "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Safari/537.36", "Storebot-Google"},
		{"google-inspection-tool-smartphone", Common, m("Google-InspectionTool/1.0"), "Google-InspectionTool Googlebot"},
		{"google-inspection-tool-desktop", Common, "Mozilla/5.0 (compatible; Google-InspectionTool/1.0)", "Google-InspectionTool Googlebot"},
		{"google-other-smartphone", Common, m("GoogleOther"), "GoogleOther"},
		{"google-other-desktop", Common, d("GoogleOther"), "GoogleOther"},
		{"google-other-image", Common, "GoogleOther-Image/1.0", "GoogleOther-Image GoogleOther"},
		{"google-other-video", Common, "GoogleOther-Video/1.0", "GoogleOther-Video GoogleOther"},
		{"google-extended", Common, "", "Google-Extended"},
		{"adsbot", SpecialCase, "AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google"},
		{"adsbot-mobile", SpecialCase, m("AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html"), "AdsBot-Google-Mobile"},
		{"adsense", SpecialCase, "Mediapartners-Google", "Mediapartners-Google"},
		{"apis-google", SpecialCase, "APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)", "APIs-Google"},
		{"google-safety", SpecialCase, "Google-Safety", ""},
		{"feedfetcher", UserTriggered, "FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)", ""},
		{"site-verifier", UserTriggered, "Mozilla/5.0 (compatible; Google-Site-Verification/1.0)", ""},
		{"google-agent", UserTriggered, m("Google-Agent; +https://developers.google.com/crawling/docs/crawlers-fetchers/google-agent"), ""},
	}
	c := builtin(t)
	if got, want := len(c.All()), len(table)+1; got != want {
		t.Errorf("the catalogue has %d clients, the table and trawl's own make %d", got, want)
	}
	for _, row := range table {
		t.Run("A1/"+row.id, func(t *testing.T) {
			p := get(t, c, row.id)
			p.Chromium = chromium
			if got := p.UserAgent(Identity{}); got != row.agent {
				t.Errorf("user agent %q, want %q", got, row.agent)
			}
			if p.Category != row.category {
				t.Errorf("category %q, want %q", p.Category, row.category)
			}
			if got := strings.Join(p.Tokens, " "); got != row.tokens {
				t.Errorf("tokens %q, want %q", got, row.tokens)
			}
			if len(p.Source) == 0 || !p.Impersonates() || p.Operator != "Google" {
				t.Errorf("source %q, operator %q, impersonates %t", p.Source, p.Operator, p.Impersonates())
			}
			if p.ControlOnly != (row.agent == "") {
				t.Errorf("control only %t", p.ControlOnly)
			}
			if !p.Documented("category") || !p.Documented("user_agents") || p.Documented("content_wait") || p.Documented("chromium_version") {
				t.Errorf("documented and house facts mixed up: house %q", p.House)
			}
		})
	}
	if p := get(t, c, "googlebot-news"); !slices.Equal(p.UserAgents[1:], get(t, c, "googlebot-desktop").UserAgents) {
		t.Errorf("Googlebot News has not Googlebot's user agents: %q", p.UserAgents)
	}
}

func TestA1CyclesAndLinks(t *testing.T) {
	c := builtin(t)
	for id, want := range map[string]string{"adsbot": "336h0m0s", "adsbot-mobile": "336h0m0s", "feedfetcher": "1h0m0s", "googlebot-smartphone": "0s"} {
		if got := get(t, c, id).Cycle.String(); got != want {
			t.Errorf("%s has the cycle %s, want %s", id, got, want)
		}
	}
	if get(t, c, "feedfetcher").FollowsLinks || !get(t, c, "googlebot-smartphone").FollowsLinks || !get(t, c, "trawl").FollowsLinks {
		t.Error("FeedFetcher discovers no links; Googlebot and trawl do")
	}
}
