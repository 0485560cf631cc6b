package crawl

import (
	"encoding"
	"fmt"
	"strings"
	"testing"
)

func TestURLParts(t *testing.T) {
	for _, c := range []struct {
		url                                            URL
		scheme, hostPort, host, port, origin, pq, path string
	}{
		{"http://a.example/", "http", "a.example", "a.example", "", "http://a.example", "/", "/"},
		{"https://a.example:8443/x/y?q=1&r=/z", "https", "a.example:8443", "a.example", "8443", "https://a.example:8443", "/x/y?q=1&r=/z", "/x/y"},
		{"http://[::1]:80/a", "http", "[::1]:80", "[::1]", "80", "http://[::1]:80", "/a", "/a"},
		{"http://[2001:db8::1]/a?", "http", "[2001:db8::1]", "[2001:db8::1]", "", "http://[2001:db8::1]", "/a?", "/a"},
		{"ftp://u:p@h.example/f", "ftp", "h.example", "h.example", "", "ftp://h.example", "/f", "/f"},
		{"http://a.example?q", "http", "a.example", "a.example", "", "http://a.example", "/?q", "/"},
		{"http://a.example/@x:1/", "http", "a.example", "a.example", "", "http://a.example", "/@x:1/", "/@x:1/"},
	} {
		u := c.url
		got := []string{u.Scheme(), u.HostPort(), string(u.Host()), u.Port(), string(u.Origin()), u.PathQuery(), u.Path()}
		want := []string{c.scheme, c.hostPort, c.host, c.port, c.origin, c.pq, c.path}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", u, got, want)
		}
	}
	if h := Origin("https://a.example:8443").Host(); h != "a.example" {
		t.Errorf("host of an origin: %q", h)
	}
	// Whatever the string, no part may panic.
	for _, u := range []URL{"", ":", "://", "x", "http://", "http://[", "http://[::1", "a://@", "http://h:/"} {
		_, _, _, _, _ = u.Scheme(), u.HostPort(), u.Host(), u.Origin(), u.PathQuery()
	}
}

// The shard of a hostname is part of the stored format.
func TestL1ShardsAreStable(t *testing.T) {
	for h, want := range map[Host]Shard{"": 961, "example.com": 677, "www.example.com": 211, "127.0.0.1": 719, "[::1]": 704} {
		if got := ShardOf(h); got != want {
			t.Errorf("shard of %q is %d, was %d", h, got, want)
		}
	}
	n := map[Shard]int{}
	for i := range 200_000 {
		n[ShardOf(Host(fmt.Sprintf("host-%d.example", i)))]++
	}
	for s, c := range n {
		if s >= Shards || c < 100 || c > 320 {
			t.Errorf("shard %d has %d of 200,000 hostnames", s, c)
		}
	}
	if len(n) != Shards {
		t.Errorf("%d of %d shards are used", len(n), Shards)
	}
}

func TestB4LimitByMediaType(t *testing.T) {
	l := ByteLimits{Default: 2 * MB, ByType: []TypeCap{{"application/pdf", 64 * MB}, {"image/*", 20 * MB}}}
	for contentType, want := range map[string]int64{
		"text/html": 2 * MB, "application/pdf": 64 * MB, "Application/PDF; x=y": 64 * MB, " image/png ": 20 * MB, "": 2 * MB, "imagex/png": 2 * MB,
	} {
		if got := l.For(contentType); got != want {
			t.Errorf("%q: %d, want %d", contentType, got, want)
		}
	}
	if got := (ByteLimits{}).For("text/html"); got != DefaultByteLimit || DefaultByteLimit != 15*1_048_576 {
		t.Errorf("default limit %d", got)
	}
}

type enum interface {
	encoding.TextMarshaler
	fmt.Stringer
}

// The text forms are stored and printed: each reads back as itself, none twice.
func TestEnumsKeepTheirTexts(t *testing.T) {
	check := func(n int, make func(int) enum, read func([]byte) (enum, error)) {
		t.Helper()
		seen := map[string]bool{}
		for i := range n {
			v := make(i)
			text, err := v.MarshalText()
			if err != nil || seen[string(text)] || strings.HasPrefix(string(text), "unknown(") {
				t.Errorf("%T %d: %q, %v", v, i, text, err)
			}
			seen[string(text)] = true
			if back, err := read(text); err != nil || back != v {
				t.Errorf("%T %q reads back as %v, %v", v, text, back, err)
			}
		}
		if beyond := make(n).String(); !strings.HasPrefix(beyond, "unknown(") {
			t.Errorf("%T has more values than tested: %s", make(0), beyond)
		}
		if _, err := read([]byte("no such text")); err == nil {
			t.Errorf("%T reads anything", make(0))
		}
	}
	check(int(ResponseOther)+1, func(i int) enum { return Response(i) }, func(b []byte) (enum, error) { var v Response; err := v.UnmarshalText(b); return v, err })
	check(int(TypeOther)+1, func(i int) enum { return FileType(i) }, func(b []byte) (enum, error) { var v FileType; err := v.UnmarshalText(b); return v, err })
	check(int(FailOther)+1, func(i int) enum { return FailureClass(i) }, func(b []byte) (enum, error) { var v FailureClass; err := v.UnmarshalText(b); return v, err })
	check(int(ReasonNoContent)+1, func(i int) enum { return IndexReason(i) }, func(b []byte) (enum, error) { var v IndexReason; err := v.UnmarshalText(b); return v, err })
	check(int(IndexRemoved)+1, func(i int) enum { return IndexState(i) }, func(b []byte) (enum, error) { var v IndexState; err := v.UnmarshalText(b); return v, err })
	check(int(PhaseBody)+1, func(i int) enum { return Phase(i) }, func(b []byte) (enum, error) { var v Phase; err := v.UnmarshalText(b); return v, err })
	check(int(ProtocolFTPS)+1, func(i int) enum { return Protocol(i) }, func(b []byte) (enum, error) { var v Protocol; err := v.UnmarshalText(b); return v, err })
	check(int(ViaAlternate)+1, func(i int) enum { return Via(i) }, func(b []byte) (enum, error) { var v Via; err := v.UnmarshalText(b); return v, err })
	check(int(KindRender)+1, func(i int) enum { return Kind(i) }, func(b []byte) (enum, error) { var v Kind; err := v.UnmarshalText(b); return v, err })
	check(int(PurposeRefresh)+1, func(i int) enum { return Purpose(i) }, func(b []byte) (enum, error) { var v Purpose; err := v.UnmarshalText(b); return v, err })
	check(int(ClientStoreBot)+1, func(i int) enum { return ClientType(i) }, func(b []byte) (enum, error) { var v ClientType; err := v.UnmarshalText(b); return v, err })
	check(int(RateNetwork)+1, func(i int) enum { return RateEffect(i) }, func(b []byte) (enum, error) { var v RateEffect; err := v.UnmarshalText(b); return v, err })
}

func TestHeaderLookups(t *testing.T) {
	h := Header{{"ETag", "1"}, {"etag", "2"}, {"X", ""}}
	if h.Get("ETAG") != "1" || len(h.Values("eTag")) != 2 || h.Get("Y") != "" || h.Values("Y") != nil {
		t.Error("look-ups must ignore case and keep order")
	}
}
