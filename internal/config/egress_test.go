package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestB10EgressOfTheExample(t *testing.T) {
	c, err := Parse("example.yaml", []byte(exampleWithSamples()))
	if err != nil {
		t.Fatal(err)
	}
	e := c.Egress
	if e.Default != "" || len(e.Regions) != 2 || !slices.Equal(e.Fallback, []string{"eu", "us"}) || e.Regions[0].User != "crawler" || e.Regions[0].Password.Text() != "" {
		t.Errorf("%+v", e)
	}
	want := []Proxy{{"http", "proxy1.example.org:3128"}, {"socks5", "proxy2.example.org:1080"}}
	if !slices.Equal(e.Regions[0].Proxies, want) || e.Regions[1].Proxies[0] != (Proxy{"https", "proxy.example.net:443"}) {
		t.Errorf("proxies %+v", e.Regions)
	}
}

func TestB10HomeRegion(t *testing.T) {
	const regions = "\n  regions: [{name: eu, proxies: ['http://p.example:1']}, {name: us, proxies: ['http://[2001:db8::1]:1']}]\n"
	for src, want := range map[string]string{
		"hosts: [{host: a.example, limit: 1}]":                                                           " []",
		"egress:" + regions:                                                                              " []",
		"egress:\n  default: eu" + regions:                                                               "eu []",
		"egress:\n  fallback: [us, eu]" + regions:                                                        " [us eu]",
		"egress:\n  default: eu\n  fallback: [eu, us, direct]" + regions:                                 "eu [us ]",
		"egress:\n  default: environment\n  fallback: [eu]" + regions:                                    "environment [eu]",
		"hosts: [{host: a.example, region: us}]\negress:\n  fallback: [eu]" + regions:                    "us []",
		"hosts: [{host: a.example, region: direct}]\negress:\n  default: eu\n  fallback: [us]" + regions: " []",
	} {
		c, err := Parse("x.yaml", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		home, others := c.Home("a.example")
		if got := fmt.Sprint(home, " ", others); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// TestB10Secrets: passwords come from the environment and from files, a missing
// one is an error with its place, and none of them is printed.
func TestB10Secrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("TRAWL_TEST_PASSWORD", "hid:den1")
	t.Setenv("TRAWL_TEST_EMPTY", "")
	t.Setenv("TRAWL_TEST_LINES", "hidden\nX: y")
	region := func(password string) string {
		return file("c.yaml", "egress:\n  regions:\n    - name: eu\n      proxies: [http://p.example:1]\n      user: me\n      "+password+"\n")
	}
	good := map[string]string{
		"password_env: TRAWL_TEST_PASSWORD":               "hid:den1",
		"password_file: " + file("pw", "hidden 2\r\n"):    "hidden 2",
		"password_file: " + file("pw0", " hidden three "): " hidden three ",
	}
	for password, want := range good {
		c, err := Load(region(password))
		if err != nil {
			t.Errorf("%s: %v", password, err)
			continue
		}
		r := c.Egress.Regions[0]
		if r.Password.Text() != want {
			t.Errorf("%s: %q", password, r.Password.Text())
		}
		all, err := json.Marshal(c.Egress)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			all = append(all, fmt.Sprintf(verb+verb+verb, r, &r, r.Password)...)
		}
		if strings.Contains(string(all), "hid") || strings.Contains(string(all), fmt.Sprintf("%x", "hidden")) {
			t.Errorf("the password is shown: %s", all)
		}
	}
	for password, want := range map[string]string{
		"password_env: TRAWL_TEST_MISSING":                         ":6:21: egress.regions[0].password_env: the environment variable TRAWL_TEST_MISSING is not set",
		"password_env: TRAWL_TEST_EMPTY":                           "TRAWL_TEST_EMPTY is not set",
		"password_env: TRAWL_TEST_LINES":                           "control character",
		"password_file: " + filepath.Join(dir, "none"):             "egress.regions[0].password_file: the password cannot be read",
		"password_file: " + dir:                                    "the password cannot be read",
		"password_file: " + file("empty", "\n"):                    "is empty",
		"password_file: " + file("long", strings.Repeat("h", 256)): "more than 255 bytes",
		"password_file: " + file("key", "hid\nden"):                "control character",
	} {
		_, err := Load(region(password))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hid") {
			t.Errorf("%s: %v, want %q", password, err, want)
		}
	}
}
