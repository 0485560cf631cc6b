//go:build unix

package peers_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/content"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
	"trawl/internal/weburl"
)

// TestCases fetches what breaks crawlers in the field, from the socket to the
// page. Goroutines, sockets and memory are counted before and after each case.
func TestCases(t *testing.T) {
	accounted(t, "case11", 8<<20, testCase11)
	accounted(t, "case12", 8<<20, testCase12)
	accounted(t, "case16", 8<<20, testCase16)
	accounted(t, "case17", 8<<20, testCase17)
	accounted(t, "case18", 8<<20, testCase18)
	accounted(t, "case19", 8<<20, testCase19)
	accounted(t, "case20", 16<<20, testCase20)
	accounted(t, "case21", 8<<20, testCase21)
	accounted(t, "case32", 8<<20, testCase32)
}

// accounted runs test and checks that it leaves no goroutine, no socket, and not
// more than memory bytes in use.
func accounted(t *testing.T, name string, memory uint64, test func(*testing.T, fetch.Fetcher)) {
	t.Helper()
	m := newMeter(load{}, bounds{})
	t.Run(name, func(t *testing.T) {
		f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}})
		test(t, f)
		f.CloseIdle()
	})
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if s := m.sample(); s.goroutines <= m.before.goroutines && s.sockets <= m.before.sockets {
			break
		}
		if time.Now().After(end) {
			t.Errorf("%s: left behind: before %v, after %v", name, m.before, m.sample())
			break
		}
	}
	runtime.GC()
	if after := m.sample(); after.heap > m.before.heap+memory {
		t.Errorf("%s: %d bytes in use, before %d", name, after.heap, m.before.heap)
	}
}

// get fetches what one server answers with.
func get(t *testing.T, f fetch.Fetcher, script fetchtest.Script, change ...func(*crawl.Request)) (*crawl.Result, *fetchtest.Server) {
	t.Helper()
	s := fetchtest.Serve(t, script)
	req := fetchtest.NewRequest(s.URL("/dir/page"))
	for _, c := range change {
		c(req)
	}
	return fetchtest.Fetch(t, f, req), s
}

func testCase11(t *testing.T, f fetch.Fetcher) {
	for location, want := range map[string]string{
		"/café?q=ü":       "/caf%C3%A9?q=%C3%BC",
		"/caf\xe9?q=\xfc": "/caf%E9?q=%FC",
		"?a=b":            "/dir/page?a=b",
		"http:/x":         "/x",
		" /a b#frag ":     "/a%20b",
		"":                "", // no target at all: redirect error, by the scheduler
	} {
		res, s := get(t, f, fetchtest.Reply(fetchtest.Response("301 Moved", "", "Location: "+location)))
		if res.Failure != nil || res.Header.Get("Location") != strings.TrimSpace(location) {
			t.Errorf("%q came as %q, %v", location, res.Header.Get("Location"), res.Failure)
		}
		if want == "" {
			continue
		}
		if u, err := weburl.ResolveReference(res.URL, res.Header.Get("Location")); err != nil || u != s.URL(want) {
			t.Errorf("%q leads to %s, %v; want %s", location, u, err, want)
		}
	}
	for location, want := range map[string]string{"///host.example/x": "http://host.example/x", "//host.example": "http://host.example/"} {
		res, _ := get(t, f, fetchtest.Reply(fetchtest.Response("302 Found", "", "Location: "+location)))
		if u, err := weburl.ResolveReference(res.URL, res.Header.Get("Location")); err != nil || string(u) != want {
			t.Errorf("%q leads to %s, %v; want %s", location, u, err, want)
		}
	}
}

// testCase12: redirects are not followed here, cookies not kept, and no target
// is dialled that must not be.
func testCase12(t *testing.T, f fetch.Fetcher) {
	for _, fields := range [][]string{{"Location: /dir/page"}, {"Location: /dir/page", "Set-Cookie: seen=1"}, {"Location: javascript:alert(1)"}, {"Location: mailto:a@b.example"}} {
		cookies := make(chan bool, 2)
		s := fetchtest.Serve(t, func(c *fetchtest.Conn) {
			for {
				lines, ok := c.Request()
				if !ok {
					return
				}
				cookies <- slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.ToLower(l), "cookie:") })
				c.Send(fetchtest.Response("302 Found", "gone", fields...))
			}
		})
		for range 2 {
			if res := fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL("/dir/page"))); res.Failure != nil || res.Status != 302 || <-cookies {
				t.Errorf("%v: %d, %v, or a cookie was sent", fields, res.Status, res.Failure)
			}
		}
		if n := s.Requests.Load(); n != 2 {
			t.Errorf("%v: %d requests; want 2", fields, n)
		}
	}
	res, _ := get(t, f, fetchtest.Reply(fetchtest.Response("301 Moved", "", "Location: //127.0.0.1:25/")))
	target, err := weburl.ResolveReference(res.URL, res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if res := fetchtest.Fetch(t, f, fetchtest.NewRequest(target)); res.Failure == nil || res.Failure.Class != crawl.FailBlockedPort {
		t.Errorf("port 25: %v", res.Failure)
	}
}

func testCase16(t *testing.T, f fetch.Fetcher) {
	for name, c := range map[string]struct{ contentType, body, charset, title, link string }{
		"BOM against header": {"text/html; charset=shift_jis", "\xef\xbb\xbf<title>é</title><a href=/é>", "utf-8", "é", "/%C3%A9"},
		"header":             {"text/html; charset=ISO-8859-1", "<meta charset=utf-8><title>\xe9</title><a href=/\xe9>", "windows-1252", "é", "/%C3%A9"},
		"late meta":          {"text/html", strings.Repeat(" ", 3000) + "<meta charset=Shift_JIS><title>\x93\xfa</title><a href=/\x93\xfa>", "shift_jis", "日", "/%E6%97%A5"},
		"GB18030":            {"text/html; charset=gb18030", "<title>\xd6\xd0</title><a href=/x>", "gb18030", "中", "/x"},
		"UTF-16 by its BOM":  {"text/html", "\xff\xfe" + utf16("<title>é</title><a href=/x>"), "utf-16le", "é", "/x"},
	} {
		res, s := get(t, f, fetchtest.Once(fetchtest.OK(c.body, "Content-Type: "+c.contentType)))
		p := content.Read(res, content.Options{})
		if p.Charset != c.charset || p.Title != c.title || len(p.Links) != 1 || p.Links[0].URL != s.URL(c.link) {
			t.Errorf("%s: charset %q, title %q, links %v; want %q, %q, %s", name, p.Charset, p.Title, p.Links, c.charset, c.title, s.URL(c.link))
		}
	}
	binary := "\x89PNG\r\n\x1a\n\x00\x00\xff\xfe\xe9"
	if res, _ := get(t, f, fetchtest.Once(fetchtest.OK(binary, "Content-Type: image/png; charset=utf-16"))); string(res.Body) != binary {
		t.Errorf("binary: %q", res.Body)
	}
}

func utf16(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// bomb returns gzip that is 2 GiB decoded: one member again and again.
func bomb(t *testing.T) string {
	var member bytes.Buffer
	w, err := gzip.NewWriterLevel(&member, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(make([]byte, 32<<20))
	w.Close()
	return strings.Repeat(member.String(), 64)
}

func testCase17(t *testing.T, f fetch.Fetcher) {
	text := fetchtest.OK(bomb(t), "Content-Encoding: gzip")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, _ := get(t, f, fetchtest.Once(text), func(r *crawl.Request) { r.Limits.Default = 2 << 20 })
	runtime.ReadMemStats(&after)
	if !res.Truncated || res.Failure != nil || int64(len(res.Body))+res.HeaderBytes != 2<<20 {
		t.Errorf("%d bytes, truncated %v, %v", len(res.Body), res.Truncated, res.Failure)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated for a limit of 2 MiB", n)
	}
}

func testCase18(t *testing.T, f fetch.Fetcher) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, page)
	w.Close()
	for _, label := range []string{"gzip", "x-gzip", "GZIP", "gzip, gzip", "br", "deflate"} { // the last three belie the body
		if res, _ := get(t, f, fetchtest.Once(fetchtest.OK(packed.String(), "Content-Encoding: "+label))); string(res.Body) != page || res.Failure != nil {
			t.Errorf("%s: %q, %v", label, res.Body, res.Failure)
		}
		if res, _ := get(t, f, fetchtest.Once(fetchtest.OK(page, "Content-Encoding: "+label))); string(res.Body) != page || !res.Mislabeled {
			t.Errorf("%s on a plain body: %q, %v", label, res.Body, res.Failure)
		}
	}
}

func testCase19(t *testing.T, f fetch.Fetcher) {
	for name, c := range map[string]struct {
		text  string
		class crawl.FailureClass
	}{
		"length too large": {fetchtest.Head("200 OK", "Content-Length: 99999") + page, crawl.FailIncomplete},
		"chunked cut off":  {fetchtest.Head("200 OK", "Transfer-Encoding: chunked") + "fff\r\n" + page, crawl.FailIncomplete},
		"length too small": {fetchtest.Head("200 OK", "Content-Length: 5") + page, crawl.FailNone}, // what is beyond is not of this response
	} {
		res, _ := get(t, f, fetchtest.Once(c.text))
		if class := failureOf(res); class != c.class || !strings.HasPrefix(page, string(res.Body)) || len(res.Body) < 5 {
			t.Errorf("%s: %q, %v; want %v", name, res.Body, res.Failure, c.class)
		}
	}
}

func failureOf(res *crawl.Result) crawl.FailureClass {
	if res.Failure == nil {
		return crawl.FailNone
	}
	return res.Failure.Class
}

// testCase20 is at the limits that clients have: exactly, and one byte over.
func testCase20(t *testing.T, f fetch.Fetcher) {
	head := fetchtest.Head("200 OK")
	for _, limit := range []int{2 << 20, 15 << 20} {
		for over := range 2 {
			body := strings.Repeat("x", limit-len(head)+over)
			res, _ := get(t, f, fetchtest.Once(head+body), func(r *crawl.Request) {
				r.Limits.Default, r.Timeouts = int64(limit), crawl.DefaultTimeouts()
			})
			if res.Truncated != (over > 0) || len(res.Body) != limit-len(head) || res.Failure != nil {
				t.Errorf("limit %d, %d over: %d bytes, truncated %v, %v", limit, over, len(res.Body), res.Truncated, res.Failure)
			}
		}
	}
}

// testCase21 fetches from every hostile server at once: the workers are free
// again within the deadline.
func testCase21(t *testing.T, f fetch.Fetcher) {
	scripts := fetchtest.Hostile()
	done := make(chan error, len(scripts))
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		s := fetchtest.Serve(t, scripts[name])
		go func() {
			req := fetchtest.NewRequest(s.URL("/"))
			req.Limits.Default = 1 << 20
			start := time.Now()
			f.Fetch(context.Background(), req)
			if time.Since(start) > 2*req.Timeouts.Total {
				done <- errors.New(name + " held its worker")
				return
			}
			done <- nil
		}()
	}
	for range scripts {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func testCase32(t *testing.T, f fetch.Fetcher) {
	for name, text := range map[string]string{
		"unasked":              fetchtest.Head("304 Not Modified", `ETag: "1"`),
		"with a length":        fetchtest.Head("304 Not Modified", "Content-Length: 1000", "Content-Encoding: gzip"),
		"with a body":          fetchtest.Head("304 Not Modified", "Content-Length: 4") + "body",
		"chunked":              fetchtest.Head("304 Not Modified", "Transfer-Encoding: chunked") + fetchtest.Chunked("body"),
		"odd validators":       fetchtest.Head("304 Not Modified", "ETag: abc", "Last-Modified: tomorrow, local time"),
		"many validators":      fetchtest.Head("304 Not Modified", `ETag: W/"1"`, `ETag: "2"`),
		"called a full answer": fetchtest.Head("304 OK", "Content-Type: text/html"),
	} {
		res, s := get(t, f, fetchtest.Reply(text))
		if res.Status != 304 || len(res.Body) != 0 || res.Failure != nil {
			t.Errorf("%s: %d, %q, %v", name, res.Status, res.Body, res.Failure)
		}
		// What came behind it is not the answer to the next request.
		if res := fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL("/next"))); res.Status != 304 || res.Failure != nil {
			t.Errorf("%s, the next fetch: %d, %v", name, res.Status, res.Failure)
		}
		if p := content.Read(res, content.Options{}); len(p.Links) != 0 {
			t.Errorf("%s: links %v", name, p.Links)
		}
	}
}
