package charset

import (
	"strings"
	"testing"
	"unicode/utf8"

	xcharset "golang.org/x/net/html/charset"
)

func TestCase16Detect(t *testing.T) {
	const utf8Text, latin = "<p>é", "<p>\xe9"
	for _, tt := range []struct {
		name, body, contentType, label string
		want                           string
		from                           Source
	}{
		{"BOM against header", "\xef\xbb\xbf" + utf8Text, "text/html; charset=shift_jis", "", "utf-8", FromBOM},
		{"UTF-16 BOM against header", "\xff\xfe<\x00", "text/html; charset=utf-8", "", "utf-16le", FromBOM},
		{"big-endian BOM", "\xfe\xff\x00<", "", "utf-8", "utf-16be", FromBOM},
		{"header against meta", latin, "text/html; charset=iso-8859-2", "utf-8", "iso-8859-2", FromHeader},
		{"odd quotes", latin, `text/html; Charset = 'KOI8-R`, "", "koi8-r", FromHeader},
		{"comma", latin, "text/html; charset=koi8-r, text/html", "", "koi8-r", FromHeader},
		{"unknown header label", latin, "text/html; charset=nonsense", "gbk", "gbk", FromDocument},
		{"ISO-8859-1 is windows-1252", latin, "text/html; charset=ISO-8859-1", "", "windows-1252", FromHeader},
		{"declared", latin, "text/html", "Shift_JIS", "shift_jis", FromDocument},
		{"declared UTF-16 is UTF-8", utf8Text, "", "utf-16", "utf-8", FromDocument},
		{"UTF-16 without label", "<\x00h\x00t\x00m\x00l\x00>\x00", "", "utf-8", "utf-16le", FromBytes},
		{"big-endian without label", "\x00<\x00h\x00t\x00m\x00l\x00>", "", "", "utf-16be", FromBytes},
		{"NULs are not UTF-16", "<html>\x00\x00\x00\x00", "", "", "utf-8", FromBytes},
		{"valid UTF-8", utf8Text, "", "", "utf-8", FromBytes},
		{"UTF-8 cut off in a character", "<p>éé\xc3", "", "", "utf-8", FromBytes},
		{"nothing", latin, "", "", "windows-1252", FromDefault},
		{"replacement label", latin, "text/html; charset=iso-2022-kr", "", "windows-1252", FromDefault},
		{"empty", "", "", "", "utf-8", FromBytes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, from := Detect([]byte(tt.body), tt.contentType, tt.label)
			if e.Name != tt.want || from != tt.from {
				t.Errorf("got %s from %d, want %s from %d", e.Name, from, tt.want, tt.from)
			}
		})
	}
}

func TestCase16Decode(t *testing.T) {
	for _, tt := range []struct{ label, body, want string }{
		{"iso-8859-1", "\x93caf\xe9\x94", "“café”"},
		{"shift_jis", "\x93\xfa\x96{", "日本"},
		{"gb18030", "\xd6\xd0\xce\xc4", "中文"},
		{"euc-kr", "\xc7\xd1", "한"},
		{"iso-2022-jp", "\x1b$BF|\x1b(B", "日"},
		{"utf-8", "a\xff", "a\xff"},
		{"koi8-r", "ascii", "ascii"},
	} {
		e, ok := Lookup(tt.label)
		if got := string(e.Decode([]byte(tt.body))); !ok || got != tt.want {
			t.Errorf("%s: %q, want %q", tt.label, got, tt.want)
		}
	}
	e, _ := Detect([]byte("\xfe\xff\x00a\x20\xac"), "", "")
	if got := string(e.Decode([]byte("\xfe\xff\x00a\x20\xac"))); got != "a€" {
		t.Errorf("UTF-16: %q", got)
	}
}

func TestD1QueryInDocumentEncoding(t *testing.T) {
	for _, tt := range []struct{ label, ref, want string }{
		{"windows-1252", "/é?q=é&b=€#é", "/é?q=%E9&b=%80#é"},
		{"windows-1252", "/é#?é", "/é#?é"},
		{"windows-1252", "?q=日x", "?q=%26%2326085%3Bx"},
		{"shift_jis", "?q=日本", "?q=%93%FA%96{"},
		{"utf-8", "?q=é", "?q=é"},
		{"utf-16le", "?q=é", "?q=é"},
		{"koi8-r", "/a?b", "/a?b"},
	} {
		e, _ := Lookup(tt.label)
		if got := string(e.Query([]byte(tt.ref))); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.label, tt.ref, got, tt.want)
		}
	}
}

func TestXMLDeclared(t *testing.T) {
	for in, want := range map[string]string{
		`<?xml version="1.0" encoding="Shift_JIS"?><a>`: "Shift_JIS", "\n<?xml encoding = 'koi8-r' ?>": "koi8-r", `<?xml version="1.0"?>`: "", `<a encoding="x"?>`: "",
		`<?xml encoding="x"`: "", `<?xml encoding?>`: "", `<?xml version="1.0" encoding=utf-8?>`: "utf-8",
	} {
		if got := XMLDeclared([]byte(in)); got != want {
			t.Errorf("XMLDeclared(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestLabelsAgainstReference compares with x/net where both follow the standard.
func TestLabelsAgainstReference(t *testing.T) {
	for _, l := range strings.Fields("utf8 UTF-8 latin1 ascii us-ascii iso-8859-15 cp1251 windows-31j sjis x-sjis gb2312 gbk gb18030 big5 big5-hkscs euc-jp ks_c_5601-1987 tis-620 koi8-u macintosh nonsense") {
		_, want := xcharset.Lookup(l)
		if e, _ := Lookup(l); e.Name != want {
			t.Errorf("%s: %q, want %q", l, e.Name, want)
		}
	}
}

func FuzzCharset(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfé"), "text/html; charset=koi8-r", "utf-8")
	f.Add([]byte("<\x00h\x00"), "", "")
	f.Add([]byte("\x1b$BF|"), "text/html; charset=iso-2022-jp", "")
	f.Add([]byte("?q=\xe9"), "a;charset='gb18030", "x")
	f.Fuzz(func(t *testing.T, body []byte, contentType, label string) {
		e, from := Detect(body, contentType, label)
		if e.Name == "" || from == 0 {
			t.Fatalf("no encoding for %q", body)
		}
		out := e.Decode(body)
		if len(out) > 3*len(body)+3 {
			t.Errorf("%s: %d bytes become %d", e.Name, len(body), len(out))
		}
		if !e.IsUTF8() && !utf8.Valid(out) {
			t.Errorf("%s: %q is not UTF-8", e.Name, out)
		}
		if q := e.Query(out); len(q) > 32*len(out) {
			t.Errorf("query of %d bytes becomes %d", len(out), len(q))
		}
		XMLDeclared(body)
	})
}
