package weburl

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

// referenceParser is an implementation of the WHATWG URL Standard that is not
// ours; this package must give its answers but for the documented differences.
var referenceParser = whatwg.NewParser(whatwg.WithSpecialSchemes(map[string]string{
	"http": "80", "https": "443", "ftp": "21", "ftps": "990", "file": "", "ws": "80", "wss": "443",
}))

// reference resolves ref as the standard does and applies the documented
// differences to the serialisation.
func reference(base, ref string) (string, bool) {
	u, err := referenceParser.ParseRef(base, escapeNonUTF8(ref))
	if err != nil || crawled([]byte(u.Scheme())) == "" {
		return "", false
	}
	return differences(u.Href(true))
}

// differences turns the standard's serialisation into the canonical form.
func differences(href string) (string, bool) {
	href, _, _ = strings.Cut(href, "#")
	scheme, rest, _ := strings.Cut(href, "://")
	slash := strings.IndexByte(rest, '/')
	authority, path := rest[:slash], rest[slash:]
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i:]
	}
	host = strings.TrimSuffix(host, ".")
	if strings.HasPrefix("."+host+".", "..") || strings.Contains(host+".", "..") || len(host) > MaxHost {
		return "", false
	}
	path = normalEscapes(strings.ReplaceAll(path, "^", "%5E"), path)
	u := scheme + "://" + host + port + path
	return u, len(u) <= MaxLength
}

var escape = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// normalEscapes works on a path with its carets escaped, and on the query of
// the one without.
func normalEscapes(path, original string) string {
	path, _, _ = strings.Cut(path, "?")
	if _, q, has := strings.Cut(original, "?"); has {
		path += "?" + q
	}
	dangling := regexp.MustCompile("%[0-9A-Fa-f]?$")
	out := ""
	for {
		at := escape.FindStringIndex(path)
		if at == nil {
			return out + path
		}
		out += path[:at[0]]
		e := path[at[0]:at[1]]
		path = path[at[1]:]
		decoded, _ := url.PathUnescape(e)
		tail := out[max(0, len(out)-2):]
		switch {
		case !regexp.MustCompile("^[A-Za-z0-9._~-]$").MatchString(decoded):
			out += strings.ToUpper(e)
		case regexp.MustCompile("[0-9A-Fa-f]").MatchString(decoded) && dangling.MatchString(tail):
			out += strings.ToUpper(e)
		default:
			out += decoded
		}
	}
}

func escapeNonUTF8(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			b.WriteString("%" + string(upperHex[s[0]>>4]) + string(upperHex[s[0]&15]))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// tolerated reports whether a difference comes from a host on which the
// reference departs from the standard: signs read as part of numbers, brackets
// trimmed more than once, ASCII rules applied beside non-ASCII labels.
func tolerated(base, ref string, got crawl.URL, err error, want string, ok bool) bool {
	odd := regexp.MustCompile(`[\[\]+\-%]|[^ -~]`)
	host := string(crawl.URL(base).Host())
	strange := odd.MatchString(ref) || odd.MatchString(host) || strings.Contains(host, "xn--")
	switch {
	case err != nil && ok:
		return errors.Is(err, &Error{Class: Host}) && strange
	case err == nil && ok:
		return got.PathQuery() == crawl.URL(want).PathQuery() && got.Host() != crawl.URL(want).Host() && strange
	}
	_, err = referenceParser.ParseRef(base, escapeNonUTF8(ref))
	class := whatwgerrors.Type(err)
	return strange && (class == whatwgerrors.DomainToASCII || strings.Contains(string(class), "IPv4"))
}

func checkAgainstReference(t interface {
	Helper()
	Errorf(string, ...any)
}, base, ref string,
) {
	t.Helper()
	if len(ref) > 2000 { // the reference takes quadratic time
		return
	}
	got, err := ResolveReference(crawl.URL(base), ref)
	want, ok := reference(base, ref)
	if ((err == nil) != ok || string(got) != want) && !tolerated(base, ref, got, err, want, ok) {
		t.Errorf("base %q, ref %q: %q, %v; reference: %q, %v", base, ref, got, err, want, ok)
	}
}

func checkInvariants(t interface {
	Helper()
	Errorf(string, ...any)
}, u crawl.URL,
) {
	t.Helper()
	if again, err := Parse(string(u)); err != nil || again != u {
		t.Errorf("not a fixed point: %q becomes %q, %v", u, again, err)
	}
	p := split(u)
	if crawl.Host(p.host) != u.Host() || p.path != u.Path() || p.query != u.Query() {
		t.Errorf("%q: host %q, path %q, query %q; crawl.URL says %q, %q, %q", u, p.host, p.path, p.query, u.Host(), u.Path(), u.Query())
	}
	if crawled([]byte(u.Scheme())) != u.Scheme() || !strings.HasPrefix(string(u), string(u.Origin())+"/") || u.Host() == "" {
		t.Errorf("%q: scheme %q, origin %q, host %q", u, u.Scheme(), u.Origin(), u.Host())
	}
	for i := range len(u) {
		if u[i] <= ' ' || u[i] > '~' || u[i] == '#' {
			t.Errorf("%q holds byte %#x", u, u[i])
			break
		}
	}
	if len(u) > MaxLength {
		t.Errorf("%d bytes", len(u))
	}
}

func TestWebPlatformVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/urltestdata.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Input, Base, Href string
		Failure           bool
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) < 400 {
		t.Fatal(len(vectors), err)
	}
	for _, v := range vectors {
		var base crawl.URL
		if v.Base != "" {
			if base, err = Parse(v.Base); err != nil {
				t.Errorf("base %q: %v", v.Base, err)
				continue
			}
		}
		got, err := ResolveReference(base, v.Input)
		want, ok := "", false
		if !v.Failure {
			want, ok = differences(v.Href)
		}
		if string(got) != want || (err == nil) != ok {
			t.Errorf("base %q, input %q: %q, %v; want %q, %v", v.Base, v.Input, got, err, want, ok)
		}
		if err == nil {
			checkInvariants(t, got)
		}
	}
}

// pieces are what references are made of, so that random ones meet every rule.
var pieces = []string{
	"a", "b", "index.html", "..", ".", "/", "/", "/", "//", "\\", "?", "?a=b&c=d", "#top", "%2e", "%2E%2e", "%41", "%7e", "%2f", "%zz", "%", "%%", "4", "31",
	"é", "\xe9", "\xff\xfe", " ", "\t", "\n", "\"", "'", "<", "^", "`", "{", "|", ":", "@", ";", "=", "http:", "https:", "HTTP://", "http://h.example/", "http://h.example", "http://h.example:80",
	"ftp:", "ftps://", "mailto:x", "javascript:", "host.example", "EXAMPLE.com", "example.com.", ":80", ":443", ":8080", ":0x", "127.1", "0x7f.1", "0300",
	"[::1]", "[1::]", "user:pw@", "xn--bcher-kva.example", "bücher.example", "a..b", "~", "-", "_", "+", "\x00", "\x7f", "%00", "。",
}

var bases = []string{
	"http://h.example/", "https://h.example/a/b/c.html?x=y", "ftp://h.example:2121/d//e/", "http://[::1]:8080/x", "ftps://127.0.0.1/%41/?", "http://h.example/?q",
}

func TestDifferential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom(append([]string{""}, bases...)).Draw(t, "base")
		ref := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 10).Draw(t, "pieces"), "")
		checkAgainstReference(t, string(mustParseOrEmpty(base)), ref)
	})
}

func mustParseOrEmpty(s string) crawl.URL {
	u, _ := Parse(s)
	return u
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://example.com/", "HTTP://u:p@B\u00fccher.example:80/../%7e?%zz#f", "http://0x7f.1/", "http://[::ffff:1.2.3.4]/", "http://a/%%34%31", "ftps://x:990", "http://xn--a/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		if err != nil {
			if u != "" {
				t.Errorf("%q with error %v", u, err)
			}
			return
		}
		checkInvariants(t, u)
		checkAgainstReference(t, "", s)
		Trap(u)
		if w, ok := WithoutSession(u); ok {
			checkInvariants(t, w)
		}
		RegistrableDomain(u.Host())
	})
}

func FuzzResolve(f *testing.F) {
	for i, p := range pieces {
		f.Add(bases[i%len(bases)], p+"/"+pieces[(i*7+3)%len(pieces)])
	}
	f.Add("http:!Ŷ", "0")
	f.Add("ftp:+0", "0")
	f.Fuzz(func(t *testing.T, base, ref string) {
		b, err := Parse(base)
		if err != nil {
			return
		}
		u, err := NewBase(b).Resolve([]byte(ref))
		if v, err2 := ResolveReference(b, ref); u != v || (err == nil) != (err2 == nil) {
			t.Errorf("Resolve %q, %v; ResolveReference %q, %v", u, err, v, err2)
		}
		if err != nil {
			return
		}
		checkInvariants(t, u)
		if v, err := NewBase(b).Resolve([]byte(u)); err != nil || v != u {
			t.Errorf("%q resolves to %q, %v", u, v, err)
		}
		checkAgainstReference(t, string(b), ref)
	})
}
