package httpfetch_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
)

func pack(t testing.TB, body string, codings ...string) string {
	t.Helper()
	for _, c := range codings {
		var out bytes.Buffer
		var w io.WriteCloser
		switch c {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "zlib":
			w = zlib.NewWriter(&out)
		case "flate":
			w, _ = flate.NewWriter(&out, 6)
		case "br":
			w = brotli.NewWriter(&out)
		}
		io.WriteString(w, body)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body = out.String()
	}
	return body
}

const page = "<!DOCTYPE html><html><title>Grüße</title><body><p>one page with some text and some text again</body></html>\n"

func TestB3Case18(t *testing.T) {
	long := strings.Repeat(page, 200)
	json := `{"key": "value", "list": [1, 2, 3], "more": "` + strings.Repeat("abc ", 40) + `"}`
	for name, c := range map[string]struct {
		label, wire, want, coding string
		class                     crawl.FailureClass
		mislabeled                bool
	}{
		"identity":             {"identity", page, page, "", 0, false},
		"gzip":                 {"gzip", pack(t, long, "gzip"), long, "gzip", 0, false},
		"x-gzip":               {"x-gzip", pack(t, page, "gzip"), page, "gzip", 0, false},
		"GZIP":                 {"GZIP", pack(t, page, "gzip"), page, "gzip", 0, false},
		"zlib":                 {"deflate", pack(t, long, "zlib"), long, "deflate", 0, false},
		"raw deflate":          {"deflate", pack(t, long, "flate"), long, "deflate", 0, false},
		"br":                   {"br", pack(t, long, "br"), long, "br", 0, false},
		"gzip, gzip":           {"gzip, gzip", pack(t, page, "gzip", "gzip"), page, "gzip, gzip", 0, false},
		"gzip, br":             {"gzip, br", pack(t, long, "gzip", "br"), long, "gzip, br", 0, false},
		"four":                 {"br,deflate , gzip,,br", pack(t, long, "br", "flate", "gzip", "br"), long, "br, deflate, gzip, br", 0, false},
		"five":                 {"gzip, gzip, gzip, gzip, gzip", "x", "", "", crawl.FailDecode, false},
		"gzip twice once":      {"gzip, gzip", pack(t, page, "gzip"), page, "gzip", 0, true},
		"two members":          {"gzip", pack(t, "one ", "gzip") + pack(t, "", "gzip") + pack(t, "two", "gzip"), "one two", "gzip", 0, false},
		"bytes behind gzip":    {"gzip", pack(t, page, "gzip") + "\x00\x00\x00\n", page, "gzip", 0, false},
		"bytes behind br":      {"br", pack(t, page, "br") + "\r\n", page, "br", 0, false},
		"gzip label on text":   {"gzip", page, page, "", 0, true},
		"gzip label on image":  {"gzip", "\x89PNG\r\n\x1a\n\x00\x00", "\x89PNG\r\n\x1a\n\x00\x00", "", 0, true},
		"deflate on text":      {"deflate", page, page, "", 0, true},
		"deflate on json":      {"deflate", json, json, "", 0, true},
		"br on text":           {"br", page, page, "", 0, true},
		"br on json":           {"br", json, json, "", 0, true},
		"gzip called br":       {"br", pack(t, page, "gzip"), page, "gzip", 0, true},
		"gzip called deflate":  {"deflate", pack(t, page, "gzip"), page, "gzip", 0, true},
		"zlib called gzip":     {"gzip", pack(t, page, "zlib"), page, "deflate", 0, true},
		"no label":             {"", pack(t, page, "gzip"), pack(t, page, "gzip"), "", 0, false},
		".gz with gzip label":  {"gzip", pack(t, page, "gzip", "gzip"), pack(t, page, "gzip"), "gzip", 0, false},
		"empty body":           {"gzip", "", "", "", 0, false},
		"charset as coding":    {"UTF-8", page, page, "", 0, false},
		"zstd":                 {"zstd", "\x28\xb5\x2f\xfd", "", "", crawl.FailDecode, false},
		"binary called br":     {"br", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "", "br", crawl.FailDecode, false},
		"one byte called gzip": {"gzip", "x", "x", "", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := local(t)
			framed := map[string]string{
				"length":  fetchtest.OK(c.wire, "Content-Encoding: "+c.label),
				"chunked": fetchtest.Head("200 OK", "Content-Encoding: "+c.label, "Transfer-Encoding: chunked") + fetchtest.Chunked(c.wire),
			}
			for framing, text := range framed {
				if c.wire == "" && framing == "chunked" {
					text = fetchtest.Head("200 OK", "Content-Encoding: gzip", "Transfer-Encoding: chunked") + "0\r\n\r\n"
				}
				s := fetchtest.Serve(t, fetchtest.Reply(text))
				res := fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL("/")))
				if c.class != 0 {
					wantFailure(t, res, c.class, crawl.PhaseBody)
				} else if res.Failure != nil || res.Truncated {
					t.Errorf("%s: truncated %v, %v", framing, res.Truncated, res.Failure)
				}
				if string(res.Body) != c.want || res.Coding != c.coding || res.Mislabeled != c.mislabeled {
					t.Errorf("%s: body %.40q, coding %q, mislabeled %v; want %.40q, %q, %v", framing, res.Body, res.Coding, res.Mislabeled, c.want, c.coding, c.mislabeled)
				}
			}
		})
	}
	t.Run("empty 304", func(t *testing.T) {
		s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.Head("304 Not Modified", "Content-Encoding: gzip", "Content-Length: 77")))
		res := fetchtest.Fetch(t, local(t), fetchtest.NewRequest(s.URL("/")))
		if res.Status != 304 || res.Failure != nil || len(res.Body) != 0 {
			t.Errorf("%d, %d bytes, %v", res.Status, len(res.Body), res.Failure)
		}
	})
}

func TestB3Case19(t *testing.T) {
	long := strings.Repeat(page, 500)
	chunked := func(coding string) string {
		return fetchtest.Head("200 OK", "Content-Encoding: "+coding, "Transfer-Encoding: chunked")
	}
	damaged := []byte(pack(t, long+noise(20_000), "gzip"))
	copy(damaged[len(damaged)/2:], strings.Repeat("\xff", 500))
	badCRC := []byte(pack(t, long, "gzip"))
	badCRC[len(badCRC)-6] ^= 0xff
	for name, c := range map[string]struct {
		text  string
		class crawl.FailureClass
		keeps int // at least this many bytes of long
	}{
		"gzip cut off":    {fetchtest.OK(half(pack(t, long, "gzip")), "Content-Encoding: gzip"), crawl.FailIncomplete, 100},
		"br cut off":      {fetchtest.OK(half(pack(t, long, "br")), "Content-Encoding: br"), crawl.FailIncomplete, 0},
		"zlib cut off":    {fetchtest.OK(half(pack(t, long, "zlib")), "Content-Encoding: deflate"), crawl.FailIncomplete, 100},
		"bad CRC":         {fetchtest.OK(string(badCRC), "Content-Encoding: gzip"), crawl.FailDecode, len(long)},
		"chunked cut off": {chunked("gzip") + "1000\r\n" + half(pack(t, long, "gzip")), crawl.FailIncomplete, 100},
		"last chunk lost": {chunked("gzip") + "ffff\r\n" + pack(t, long, "gzip"), crawl.FailIncomplete, len(long)},
		"length too large": {
			fetchtest.Head("200 OK", "Content-Encoding: gzip", "Content-Length: 99999") + pack(t, long, "gzip"), crawl.FailIncomplete, len(long),
		},
		"length too small": {
			fetchtest.Head("200 OK", "Content-Encoding: gzip", "Content-Length: 90") + pack(t, long, "gzip"), crawl.FailIncomplete, 1,
		},
		"plain length too large": {fetchtest.Head("200 OK", "Content-Length: 999999") + long, crawl.FailIncomplete, len(long)},
		"empty members":          {fetchtest.OK(pack(t, long, "gzip")+strings.Repeat(pack(t, "", "gzip"), 1000), "Content-Encoding: gzip"), crawl.FailDecode, len(long)},
		"damaged":                {fetchtest.OK(string(damaged), "Content-Encoding: gzip"), crawl.FailDecode, 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := fetchtest.Serve(t, fetchtest.Once(c.text))
			res := fetchtest.Fetch(t, local(t), fetchtest.NewRequest(s.URL("/")))
			wantFailure(t, res, c.class, crawl.PhaseBody)
			if len(res.Body) < c.keeps || res.Truncated {
				t.Errorf("%d bytes kept, truncated %v; want at least %d", len(res.Body), res.Truncated, c.keeps)
			}
			if name != "damaged" && !strings.HasPrefix(long, string(res.Body)) {
				t.Error("what was kept is not the beginning of the body")
			}
		})
	}
}

// noise returns n bytes that do not compress to little.
func noise(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return string(b)
}

func half(s string) string { return s[:len(s)/2] }

// zeros is an endless reader of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestB11Case17Bomb(t *testing.T) {
	const decoded = 32 << 20
	bomb := func(mk func(io.Writer) io.WriteCloser) string {
		var out bytes.Buffer
		w := mk(&out)
		io.CopyN(w, zeros{}, decoded)
		w.Close()
		return out.String()
	}
	gz := bomb(func(w io.Writer) io.WriteCloser { g, _ := gzip.NewWriterLevel(w, 1); return g })
	for name, c := range map[string]struct{ label, wire string }{
		"gzip":        {"gzip", gz},
		"deflate":     {"deflate", bomb(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 1); return f })},
		"br":          {"br", bomb(func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) })},
		"nested gzip": {"gzip, gzip", pack(t, gz, "gzip")},
		// The inner coding decodes to nothing, the outer to very much of it.
		"empty inside": {"deflate, gzip", pack(t, strings.Repeat("\x00\x00\x00\xff\xff", 1<<20), "gzip")},
	} {
		t.Run(name, func(t *testing.T) {
			const limit = 1 << 20
			s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK(c.wire, "Content-Encoding: "+c.label)))
			req := fetchtest.NewRequest(s.URL("/"))
			req.Limits.Default = limit
			f := local(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res := fetchtest.Fetch(t, f, req)
			runtime.ReadMemStats(&after)
			if !res.Truncated || res.Failure != nil {
				t.Errorf("truncated %v, %v", res.Truncated, res.Failure)
			}
			// Everything allocated in the course of it, garbage included: the
			// decoders' windows (br: up to 16 MiB) and buffers that double.
			if n := after.TotalAlloc - before.TotalAlloc; n > 24<<20 {
				t.Errorf("%d bytes allocated for a limit of %d", n, limit)
			}
		})
	}
}
