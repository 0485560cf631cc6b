package client

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestErrorsGolden reads one bad file and compares every error.
func TestErrorsGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/bad.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("bad.yaml", data)
	var errs Errors
	if !errors.As(err, &errs) {
		t.Fatalf("no Errors but %v", err)
	}
	const file = "testdata/bad.golden"
	if *update {
		if err := os.WriteFile(file, []byte(err.Error()+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, rerr := os.ReadFile(file)
	if rerr != nil {
		t.Fatal(rerr)
	}
	if err.Error()+"\n" != string(want) {
		t.Errorf("the errors differ from %s; now:\n%v", file, err)
	}
	for _, e := range errs {
		if e.Line == 0 || e.Column == 0 || e.Field == "" || e.Detail == "" {
			t.Errorf("incomplete error %+v", e)
		}
	}
}

func TestWith(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"built-in id", "clients:\n- {id: adsbot, tokens: [a], user_agents: [a/1]}", "test.yaml:2:4: client adsbot: id: is a built-in client: to change it write \"extends: adsbot\" too, otherwise choose another id"},
		{"built-in id extending another", "clients:\n- {id: adsbot, extends: trawl}", "is a built-in client"},
		{"unknown base", "clients:\n- {id: a, extends: googelbot-desktop}", "no client \"googelbot-desktop\" is built in or defined above this one; did you mean \"googlebot-desktop\"?"},
		{"base below", "clients:\n- {id: a, extends: b}\n- {id: b, extends: trawl}", "defined above"},
		{"itself", "clients:\n- {id: a, extends: a}", "defined above"},
		{"no user agent", "clients:\n- {id: a, tokens: [a]}", "user_agents: the client has none"},
		{"no token", "clients:\n- {id: a, user_agents: [a/1]}", "tokens: a client that obeys robots.txt needs"},
		{"common ignores robots", "clients:\n- {id: a, user_agents: [a/1], robots: ignore}", "a common crawler obeys robots.txt (A3)"},
		{"control with user agent", "clients:\n- {id: a, extends: google-extended, user_agents: [a/1]}", "makes no requests and has no user agent"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := builtin(t).With(parse(t, row.yaml))
			var fe *FieldError
			if !errors.As(err, &fe) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
	base := builtin(t)
	c, err := base.With(parse(t, `clients:
- id: adsbot
  extends: adsbot
  cycle: 3d
- id: mybot
  user_agents: ["mybot/1.0 (+{contact})"]
  tokens: [mybot]
- id: mybot-fast
  extends: mybot
  follows_links: false
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.All()) != len(base.All())+2 {
		t.Errorf("%d clients, want two more than %d", len(c.All()), len(base.All()))
	}
	if p := get(t, c, "adsbot"); p.Cycle.Hours() != 72 || p.Documented("cycle") || !p.Documented("tokens") || p.Robots != RobotsOwnGroupOnly {
		t.Errorf("changed adsbot: %+v", p)
	}
	if p := get(t, c, "mybot"); p.Documented("max_redirects") || p.MaxRedirects != 10 || p.Limits.Default != 15<<20 || p.Robots != RobotsObey || !p.FollowsLinks || p.Name != "mybot" || p.Impersonates() {
		t.Errorf("mybot: %+v", p)
	}
	if p := get(t, c, "mybot-fast"); p.FollowsLinks || p.Name != "mybot-fast" || p.UserAgents[0] != "mybot/1.0 (+{contact})" {
		t.Errorf("mybot-fast: %+v", p)
	}
	if get(t, base, "adsbot").Cycle.Hours() != 336 {
		t.Error("With changed the catalogue it was called on")
	}
	if got := base.Nearest("googlebot-dektop"); got != "googlebot-desktop" {
		t.Errorf("nearest id %q", got)
	}
	if _, ok := base.Get("mybot"); ok {
		t.Error("mybot is in the built-in catalogue")
	}
}

func TestBuiltinIsStrict(t *testing.T) {
	for _, bad := range []string{"clients:\n- {id: a, sources: [x]}", "templates: [x]", "clients:\n- {id: a, house: [tokns]}", "defaults: {id: d}\nclients:\n- {id: a, tokens: [a], user_agents: [a/1]}"} {
		if c, err := parseCatalogue("c.yaml", []byte(bad)); err == nil {
			t.Errorf("%q parses: %v", bad, c)
		}
	}
}

// FuzzClients: whatever the bytes, an answer comes, and what is accepted sends
// safe header fields.
func FuzzClients(f *testing.F) {
	bad, err := os.ReadFile("testdata/bad.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bad)
	f.Add(catalogueFile)
	f.Add([]byte("clients:\n- {id: a, tokens: [a], user_agents: ['a/1 {chromium}', {template: desktop, agent: x}]}"))
	base := builtin(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Parse("f.yaml", data)
		if err != nil {
			return
		}
		c, err := base.With(list)
		if err != nil {
			return
		}
		for _, p := range c.All() {
			if r := p.Request("http://a/", Identity{}, 0, nil, 0); r != nil && (r.UserAgent == "" || !printable(r.UserAgent+r.Accept+r.AcceptEncoding)) {
				t.Errorf("unsafe request %+v", r)
			}
		}
	})
}
