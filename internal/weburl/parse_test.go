package weburl

import (
	"errors"
	"strings"
	"testing"

	"trawl/internal/crawl"
)

func TestCase13Canonical(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"upper case", "HTTP://EXAMPLE.com/Path", "http://example.com/Path"},
		{"default port", "http://example.com:80/", "http://example.com/"},
		{"default port of https", "https://example.com:443", "https://example.com/"},
		{"default port of ftp", "ftp://example.com:21/x", "ftp://example.com/x"},
		{"default port of ftps", "ftps://example.com:0990/x", "ftps://example.com/x"},
		{"port of another scheme", "https://example.com:80/", "https://example.com:80/"},
		{"empty port", "http://example.com:/", "http://example.com/"},
		{"fragment", "http://example.com/a#b?c#d", "http://example.com/a"},
		{"credentials", "http://user:p%40ss@w@example.com/", "http://example.com/"},
		{"dot segments", "http://example.com/a/../b/./c/..", "http://example.com/b/"},
		{"escaped dot segments", "http://example.com/a/%2E%2e/b/%2e", "http://example.com/b/"},
		{"above the root", "http://example.com/../../a", "http://example.com/a"},
		{"dots in names", "http://example.com/a../.b/...", "http://example.com/a../.b/..."},
		{"empty segments", "http://example.com//a//../b", "http://example.com//a/b"},
		{"backslash", `http:\\example.com\a\..\b?c\d`, `http://example.com/b?c\d`},
		{"tab and line ends", "\n ht\ttp://exa\nmple.com/a\r\nb\t?c ", "http://example.com/ab?c"},
		{"no slashes", "http:example.com/a", "http://example.com/a"},
		{"empty query is kept", "http://example.com/a?", "http://example.com/a?"},
		{"query without path", "http://example.com?a=b", "http://example.com/?a=b"},
		{"%3d stays", "http://example.com/%3d?a=%3d%26", "http://example.com/%3D?a=%3D%26"},
		{"%2f stays", "http://example.com/a%2fb", "http://example.com/a%2Fb"},
		{"%zz and bare %", "http://example.com/%zz%?%zz%&%4", "http://example.com/%zz%?%zz%&%4"},
		{"unreserved decoded", "http://example.com/%2d%7E%41%5f%2Eb?%7e=%31", "http://example.com/-~A_.b?~=1"},
		{"no new escape", "http://example.com/%%34%31/%4%31/%%zz%41", "http://example.com/%%341/%4%31/%%zzA"},
		{"UTF-8", "http://example.com/é?ü", "http://example.com/%C3%A9?%C3%BC"},
		{"not UTF-8", "http://example.com/caf\xe9?\xfc", "http://example.com/caf%E9?%FC"},
		{"delimiters", "http://example.com/\"<>^`{}|[]'?\"<>^`{}|[]'", "http://example.com/%22%3C%3E%5E%60%7B%7D|[]'?%22%3C%3E^`{}|[]%27"},
		{"IDN", "http://Bücher.example/", "http://xn--bcher-kva.example/"},
		{"IDN, decomposed and escaped", "http://b%75%CC%88cher.example/", "http://xn--bcher-kva.example/"},
		{"IDN with sharp s", "http://faß.example/", "http://xn--fa-hia.example/"},
		{"punycode", "http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example/"},
		{"full-width", "http://ＥＸＡＭＰＬＥ。ｃｏｍ/", "http://example.com/"},
		{"underscore", "http://a_b.example/", "http://a_b.example/"},
		{"trailing dot", "http://example.com.:8080/", "http://example.com:8080/"},
		{"IPv4 in hex", "http://0x7f.1/", "http://127.0.0.1/"},
		{"IPv4 as one number", "http://2130706433", "http://127.0.0.1/"},
		{"IPv4 in octal with dot", "http://0300.0250.0.01./", "http://192.168.0.1/"},
		{"IPv4 canonical", "http://127.0.3.255:8080/", "http://127.0.3.255:8080/"},
		{"no IPv4", "http://1.2.3.4a/", "http://1.2.3.4a/"},
		{"sign is no number", "http://foo.-1/", "http://foo.-1/"},
		{"IPv6", "http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"},
		{"IPv6 mapped", "https://[::ffff:192.168.0.1]:443/", "https://[::ffff:c0a8:1]/"},
		{"IPv6 zero piece", "http://[1:2:3:4:5:6:7::]/", "http://[1:2:3:4:5:6:7:0]/"},
		{"IPv6 all zero", "http://[::]:80", "http://[::]/"},
	} {
		t.Run("case13/"+c.name, func(t *testing.T) {
			got, err := Parse(c.in)
			if err != nil || string(got) != c.want {
				t.Fatalf("Parse(%q) = %q, %v; want %q", c.in, got, err, c.want)
			}
			checkInvariants(t, got)
		})
	}
}

var errorCases = []struct {
	in   string
	want ErrorClass
}{
	{"", Empty},
	{" \t\n", Empty},
	{"#top", Empty},
	{"//example.com/", Syntax},
	{"/a", Syntax},
	{"example.com", Syntax},
	{"1http://example.com", Syntax},
	{"mailto:a@example.com", Scheme},
	{"javascript:void(0)", Scheme},
	{"file:///etc/passwd", Scheme},
	{"data:text/html,x", Scheme},
	{"ws://example.com/", Scheme},
	{"localhost:8080/x", Scheme},
	{"httpss://example.com/", Scheme},
	{"http://", Host},
	{"http:///", Host},
	{"http://?x", Host},
	{"http://:80/", Host},
	{"http://user@/", Host},
	{"http://a..b/", Host},
	{"http://.a/", Host},
	{"http://a../", Host},
	{"http://./", Host},
	{"http://a b/", Host},
	{"http://a%00b/", Host},
	{"http://a%2fb/", Host},
	{"http://a<b/", Host},
	{"http://a%zz/", Host},
	{"http://caf\xe9.example/", Host},
	{"http://caf%e9.example/", Host},
	{"http://xn--a/", Host},
	{"http://\u00ad/", Host},
	{"http://\u2135x.example/", Host}, // its Punycode is refused when read again
	{"http://1.2.3.4.5/", Host},
	{"http://1.2.3.4.0/", Host},
	{"http://1.2.3.4.0.0.0/", Host},
	{"http://1.2.3.256/", Host},
	{"http://256.2.3.4/", Host},
	{"http://0x100000000/", Host},
	{"http://4294967296/", Host},
	{"http://99999999999999999999999999/", Host},
	{"http://foo.0x/", Host},
	{"http://1.2.08/", Host},
	{"http://[::1%25eth0]/", Host},
	{"http://[fe80::1%eth0]/", Host},
	{"http://[::1/", Host},
	{"http://[::1]x/", Host},
	{"http://[[::1]]/", Host},
	{"http://[1.2.3.4]/", Host},
	{"http://[]/", Host},
	{"http://" + strings.Repeat("a", 254) + "/", Host},
	{"http://" + strings.Repeat("%61", 2000) + "/", Host},
	{"http://example.com:65536/", Port},
	{"http://example.com:8x/", Port},
	{"http://example.com:-1/", Port},
	{"http://example.com:80:80/", Port},
	{"http://example.com/" + strings.Repeat("a", MaxLength), TooLong},
	{"http://example.com/" + strings.Repeat("é", MaxLength/6), TooLong},
	{"http://example.com/" + strings.Repeat("a/../", MaxInput/5), TooLong},
}

func TestErrors(t *testing.T) {
	for _, c := range errorCases {
		u, err := Parse(c.in)
		var e *Error
		if u != "" || !errors.As(err, &e) || e.Class != c.want || !errors.Is(err, &Error{Class: c.want}) {
			t.Errorf("Parse(%.60q) = %.60q, %v; want class %v", c.in, u, err, c.want)
			continue
		}
		if len(e.Raw) > MaxErrorRaw || e.Detail == "" || !strings.Contains(e.Error(), e.Detail) || len(e.Error()) > 2000 {
			t.Errorf("%.60q: raw of %d bytes, %q", c.in, len(e.Raw), e.Detail)
		}
	}
}

func TestLengthLimits(t *testing.T) {
	u := "http://example.com/"
	longest := u + strings.Repeat("a", MaxLength-len(u))
	for name, in := range map[string]string{
		"exactly MaxLength":   longest,
		"a long fragment":     u + "#" + strings.Repeat("x", 1<<20),
		"long white space":    strings.Repeat(" ", 1<<20) + u + strings.Repeat("\n", 1<<20),
		"shrinks by escapes":  u + strings.Repeat("%61", MaxLength-len(u)),
		"shrinks by dots":     u + strings.Repeat("a/../", 2000),
		"tabs are not length": u + strings.Repeat("\t", MaxLength),
	} {
		got, err := Parse(in)
		if err != nil || string(got) != u && string(got) != longest {
			t.Errorf("%s: %.40q of %d bytes, %v", name, got, len(got), err)
		}
		if viaBase, err := NewBase("https://h.example/").Resolve([]byte(in)); err != nil || viaBase != got {
			t.Errorf("%s: Resolve gives %.40q, %v", name, viaBase, err)
		}
	}
	if _, err := Parse(longest + "a"); !errors.Is(err, &Error{Class: TooLong}) {
		t.Errorf("MaxLength+1: %v", err)
	}
}

func TestCase11Location(t *testing.T) {
	const base = crawl.URL("http://host.example/dir/page?x=1")
	for _, c := range []struct{ ref, want string }{
		{"/café?q=ü", "http://host.example/caf%C3%A9?q=%C3%BC"},
		{"/caf\xe9?q=\xfc", "http://host.example/caf%E9?q=%FC"},
		{"///host/x", "http://host/x"},
		{"//host", "http://host/"},
		{"http:/x", "http://host.example/x"},
		{"http:x", "http://host.example/dir/x"},
		{"http:///x/y", "http://x/y"},
		{"https:/x", "https://x/"},
		{"?a=b", "http://host.example/dir/page?a=b"},
		{"", "http://host.example/dir/page?x=1"},
		{"#frag", "http://host.example/dir/page?x=1"},
		{" /a b ", "http://host.example/a%20b"},
		{"/a#frag", "http://host.example/a"},
		{`\\host\x`, "http://host/x"},
		{"http://host.example", "http://host.example/"},
		{"http://host.example.other/x", "http://host.example.other/x"},
		{"http://host.example:81/x", "http://host.example:81/x"},
		{"http://host.example@other/x", "http://other/x"},
		{"http://host.example/../x", "http://host.example/x"},
		{"page2", "http://host.example/dir/page2"},
		{"../up", "http://host.example/up"},
		{"./a:b", "http://host.example/dir/a:b"},
	} {
		t.Run("case11/"+c.ref, func(t *testing.T) {
			got, err := ResolveReference(base, c.ref)
			if err != nil || string(got) != c.want {
				t.Fatalf("ResolveReference(%q) = %q, %v; want %q", c.ref, got, err, c.want)
			}
			checkInvariants(t, got)
		})
	}
}

func TestCase12RedirectTargets(t *testing.T) {
	for _, ref := range []string{"javascript:alert(1)", "mailto:a@b.example", "JavaScript:x", "tel:+1", "file:///x"} {
		if u, err := ResolveReference("http://h.example/", ref); !errors.Is(err, &Error{Class: Scheme}) {
			t.Errorf("case12/%q: %q, %v", ref, u, err)
		}
	}
	// A forbidden port is the fetcher's business: the URL as such is fine.
	if u, err := ResolveReference("http://h.example/", "//h.example:25/"); err != nil || u != "http://h.example:25/" {
		t.Errorf("case12/port: %q, %v", u, err)
	}
}
