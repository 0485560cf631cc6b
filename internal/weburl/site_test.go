package weburl

import (
	"testing"

	"trawl/internal/crawl"
)

func TestRegistrableDomain(t *testing.T) {
	for host, want := range map[crawl.Host]string{
		"example.com":                 "example.com",
		"www.example.com":             "example.com",
		"a.b.example.co.uk":           "example.co.uk",
		"co.uk":                       "co.uk",
		"user.github.io":              "user.github.io",
		"www.user.github.io":          "user.github.io",
		"github.io":                   "github.io",
		"localhost":                   "localhost",
		"a.b.unlisted-tld":            "b.unlisted-tld",
		"www.ck":                      "www.ck",
		"x.www.ck":                    "www.ck",
		"a.b.ck":                      "a.b.ck",
		"127.0.0.1":                   "127.0.0.1",
		"[::1]":                       "[::1]",
		"www.xn--bcher-kva.example":   "xn--bcher-kva.example",
		"a.xn--85x722f.xn--55qx5d.cn": "xn--85x722f.xn--55qx5d.cn",
		"":                            "",
	} {
		if got := RegistrableDomain(host); got != want {
			t.Errorf("RegistrableDomain(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestSameSite(t *testing.T) {
	for _, c := range []struct {
		a, b crawl.Host
		want bool
	}{
		{"www.example.com", "shop.example.com", true},
		{"example.com", "example.com", true},
		{"example.com", "example.org", false},
		{"a.github.io", "b.github.io", false},
		{"a.co.uk", "b.co.uk", false},
		{"127.0.0.1", "127.0.0.1", true},
		{"1.0.0.1", "2.0.0.1", false},
		{"", "", false},
	} {
		if SameSite(c.a, c.b) != c.want || SameSite(c.b, c.a) != c.want {
			t.Errorf("SameSite(%q, %q) is not %v", c.a, c.b, c.want)
		}
	}
}

// TestHostKeysOfInternationalNames: however a name is written, it is one host
// (UTS #46), with one registrable domain.
func TestHostKeysOfInternationalNames(t *testing.T) {
	for _, c := range []struct {
		spellings    []string
		host, domain string
	}{
		{[]string{"www.b\u00fccher.example", "WWW.B\u00dcCHER.example.", "www.xn--bcher-kva.example", "www.b%C3%BCcher.example", "www.bu\u0308cher.example", "www\u3002b\u00fccher\uff0eexample"}, "www.xn--bcher-kva.example", "xn--bcher-kva.example"},
		{[]string{"fa\u00df.de", "FA\u00df.de"}, "xn--fa-hia.de", "xn--fa-hia.de"}, // non-transitional: not fass.de
		{[]string{"shop.\u516c\u53f8.cn"}, "shop.xn--55qx5d.cn", "shop.xn--55qx5d.cn"},
		{[]string{"a--b.\u00e4.example", "a--b.xn--4ca.example"}, "a--b.xn--4ca.example", "xn--4ca.example"}, // hyphens are not checked
		{[]string{"r3---sn-x.\u00fc.example"}, "r3---sn-x.xn--tda.example", "xn--tda.example"},
	} {
		for _, s := range c.spellings {
			u, err := Parse("https://" + s + "/")
			if err != nil || string(u.Host()) != c.host || RegistrableDomain(u.Host()) != c.domain {
				t.Errorf("%q: %q, %v, of %q; want %q of %q", s, u, err, RegistrableDomain(u.Host()), c.host, c.domain)
			}
		}
	}
}
