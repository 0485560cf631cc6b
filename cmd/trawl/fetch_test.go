package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/config"
	"trawl/internal/fetch/httpfetch"
)

// command runs one command line.
func command(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, streams{out: &o, err: &e})
	return code, o.String(), e.String()
}

// tlsSite serves HTTP/1.1 and HTTP/2 and returns a configuration that trusts it.
func tlsSite(t *testing.T, h http.HandlerFunc) (url, configFile string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	configFile = filepath.Join(dir, "trawl.yaml")
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(configFile, []byte("ca_file: "+ca+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return srv.URL, configFile
}

// TestB1CompareProtocols compares over both protocols against real servers.
func TestB1CompareProtocols(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		code    int
		want    []string
		not     string
	}{
		"B1/the same over both": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("<title>x</title>words"))
		}, exitOK, []string{"trawl over HTTP/1.1  200", "trawl over HTTP/2    200", "All of them got the same."}, "B1:"},
		"B1/421 opts out": {func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor == 2 {
				w.WriteHeader(http.StatusMisdirectedRequest)
				return
			}
			_, _ = w.Write([]byte("<title>x</title>words"))
		}, exitOK, []string{"B1: trawl over HTTP/2: the server refuses HTTP/2 for this hostname"}, "All of them"},
		"B1/one of them fails": {func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor == 2 {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			_, _ = w.Write([]byte("<title>x</title>words"))
		}, exitDifferent, []string{"M3: trawl over HTTP/2 gets a 500", "B1: trawl over HTTP/2 gets a 500 with 0 words where trawl over HTTP/1.1 gets a 200 with 2 words: the protocols are configured apart"}, "All of them"},
	} {
		t.Run(name, func(t *testing.T) {
			url, cfg := tlsSite(t, c.handler)
			code, out, errs := command(t, "fetch", "--compare", "--own", "--config", cfg, "--client", "trawl", url)
			if code != c.code || errs != "" || strings.Contains(out, c.not) {
				t.Errorf("exit code %d, want %d, %s\n%s", code, c.code, errs, out)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// TestB1ProtocolWhy: a fetch says which protocol was used and why.
func TestB1ProtocolWhy(t *testing.T) {
	url, cfg := tlsSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && r.URL.Path == "/out" {
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Retry-After", "120")
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Refresh", "0; url=/next")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("<title>A</title><meta name=robots content=noindex><link rel=canonical href=/c><a href=/1>1</a>"))
	})
	fetch := func(args ...string) string {
		t.Helper()
		code, out, errs := command(t, append([]string{"fetch", "--own", "--config", cfg}, args...)...)
		if code != exitOK || errs != "" {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
		return out
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{url}, []string{"200 OK over HTTP/1.1 (TLS 1.3)", "  protocol: the default"}},
		{[]string{"--http2", url}, []string{"over HTTP/2 (TLS 1.3)", "  protocol: asked for"}},
		{[]string{"--protocol", "http2", url + "/out"}, []string{"over HTTP/1.1", "  protocol: HTTP/2 was asked for and the server refused it"}},
		{[]string{"--protocol", "http1", url}, []string{
			"  interim response 103\n    Link: </a.css>; rel=preload", "  Retry-After: of no effect with this status (E8)", "  max-age: 1m0s, a hint",
			`  a recrawl may send If-None-Match: "x" (G1, G2)`, "  page: text/html, utf-8, 1 link\n    title: A\n    robots: noindex\n    canonical: ", "    refresh: to https://127.0.0.1:",
			"as a permanent redirect (B6)", "  dialled: 127.0.0.1:", "  robots.txt: ",
		}},
	} {
		out := fetch(c.args...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, out)
			}
		}
	}
}

// TestA7ComparePolite: a host of strangers that says that it is too much is not
// asked again.
func TestA7ComparePolite(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer srv.Close()
	o := fetchOptions{clients: []string{"trawl", "googlebot-desktop"}, compare: true}
	o.allowPrivate, o.impersonate = true, true
	env, err := o.identityOptions.open(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := parseURL(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{env: env, o: &o, url: u, announce: func(string) {}, pause: 1, fetcher: env.fetcher()}
	defer c.fetcher.CloseIdle()
	if err := c.plan(streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}); err != nil {
		t.Fatal(err)
	}
	rep := c.run(context.Background())
	if asked != 1 || !strings.Contains(rep.Probes[1].Skipped, "answered 429 before") || !strings.Contains(rep.Control, "answered 429") {
		t.Errorf("asked %d times: %+v, control %q", asked, rep.Probes[1], rep.Control)
	}
	if code := compareEnding(rep).(*exitError).code; code != exitIncomplete {
		t.Errorf("exit code %d", code)
	}
}

// TestB10RegionNames: what the configuration calls the environment is what the
// fetcher calls so.
func TestB10RegionNames(t *testing.T) {
	if config.RegionEnvironment != httpfetch.Environment {
		t.Errorf("%q and %q", config.RegionEnvironment, httpfetch.Environment)
	}
	e := &config.Egress{Regions: []config.Region{{Name: "eu"}}}
	for name, want := range map[string]string{"direct": "", "environment": "environment", "eu": "eu"} {
		if got, err := chosenRegion(e, name); err != nil || got == nil || *got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := chosenRegion(e, ""); got != nil || err != nil {
		t.Errorf("none: %v, %v", got, err)
	}
	env := &environment{cfg: &config.Config{Egress: config.Egress{Default: "eu", Fallback: []string{"us"}}}}
	if p := env.egress("a.example"); p.Home != "eu" || len(p.Others) != 1 || p.Others[0] != "us" {
		t.Errorf("plan %+v", p)
	}
	direct := ""
	env.region = &direct
	if p := env.egress("a.example"); p.Home != "" || len(p.Others) != 0 {
		t.Errorf("--region direct: plan %+v", p)
	}
	if _, err := chosenRegion(e, "us"); err == nil {
		t.Error("a region that is not there")
	}
}
