package warc

import (
	"bufio"
	"bytes"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

func want(t *testing.T, s seen, name, value string) {
	t.Helper()
	if got := s.head.Get(name); got != value {
		t.Errorf("%s record: %s is %q, want %q", s.kind, name, got, value)
	}
}

func TestCase34Group(t *testing.T) {
	r := page("https://example.org/a?b=c", "<p>hello")
	r.Remote = netip.MustParseAddrPort("[::ffff:198.51.100.7]:443")
	r.TLSVersion = "1.3"
	recs := archive(t, Record{Result: r, Metadata: crawl.Header{{Name: "via", Value: "https://example.org/"}, {Name: "hopsFromSeed", Value: "L"}}})
	if kinds(recs) != "request response metadata" {
		t.Fatalf("records: %s", kinds(recs))
	}
	req, resp, meta := recs[0], recs[1], recs[2]
	id := resp.head.Get("WARC-Record-ID")
	for _, s := range recs {
		want(t, s, "WARC-Target-URI", "https://example.org/a?b=c")
		want(t, s, "WARC-Date", "2026-03-04T05:06:07Z")
	}
	for _, s := range recs[:2] {
		want(t, s, "WARC-IP-Address", "198.51.100.7")
		if got := s.head.GetAll("WARC-Protocol"); strings.Join(got, ",") != "http/1.1,tls/1.3" {
			t.Errorf("WARC-Protocol: %q", got)
		}
	}
	want(t, req, "WARC-Concurrent-To", id)
	want(t, meta, "WARC-Concurrent-To", id)
	want(t, req, "Content-Type", "application/http;msgtype=request")
	want(t, resp, "Content-Type", "application/http;msgtype=response")
	want(t, resp, "WARC-Payload-Digest", PayloadDigest(r.Body))
	if got := string(req.block); got != "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nUser-Agent: trawl/1\r\n\r\n" {
		t.Errorf("request: %q", got)
	}
	if got := string(resp.block); got != "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>hello" {
		t.Errorf("response: %q", got)
	}
	if got := string(meta.block); got != "via: https://example.org/\r\nhopsFromSeed: L\r\n" {
		t.Errorf("metadata: %q", got)
	}
}

// The digest of a known text, so that writer and reader cannot agree on a
// wrong one (RFC 3174: sha1 of "abc").
func TestCase34PayloadDigest(t *testing.T) {
	if got := PayloadDigest([]byte("abc")); got != "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5" {
		t.Errorf("digest of abc: %s", got)
	}
}

// Case 34: decoded bytes have headers that match them.
func TestCase34DecodedBody(t *testing.T) {
	field := func(s ...string) (h crawl.Header) {
		for i := 0; i < len(s); i += 2 {
			h = append(h, crawl.Field{Name: s[i], Value: s[i+1]})
		}
		return h
	}
	for _, c := range []struct {
		name   string
		status int
		header crawl.Header
		body   string
		want   string // header lines
	}{
		{
			"chunked gzip", 200, field("Content-Encoding", "gzip", "transfer-encoding", "chunked", "A", "b"), "0123456789",
			"X-Crawler-Content-Encoding: gzip|X-Crawler-Transfer-Encoding: chunked|A: b|Content-Length: 10",
		},
		{"length of the coded body", 200, field("content-length", "4", "A", "b"), "0123456789", "content-length: 10|X-Crawler-Content-Length: 4|A: b"},
		{"same length", 200, field("Content-Length", "10"), "0123456789", "Content-Length: 10"},
		{
			"lengths that contradict", 200, field("Content-Length", "4", "Content-Length", "10", "Content-Length", "x"), "0123456789",
			"Content-Length: 10|X-Crawler-Content-Length: 4|X-Crawler-Content-Length: x",
		},
		{"empty body", 200, nil, "", "Content-Length: 0"},
		{"304 names the length of the representation", 304, field("Content-Length", "77", "Content-Length", "78"), "", "Content-Length: 77|X-Crawler-Content-Length: 78"},
		{"204 with nonsense", 204, field("Content-Length", "-1"), "", "X-Crawler-Content-Length: -1"},
		{"304 with a body", 304, field("Content-Length", "77"), "abc", "Content-Length: 3|X-Crawler-Content-Length: 77"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := page("http://example.org/", c.body)
			r.Status, r.Header, r.Reason = c.status, c.header, ""
			resp := archive(t, Record{Result: r})[1]
			if got := string(resp.payload); got != c.body {
				t.Errorf("payload %q", got)
			}
			_, head, _ := strings.Cut(string(resp.message), "\r\n")
			if got := strings.ReplaceAll(strings.TrimSuffix(head, "\r\n\r\n"), "\r\n", "|"); got != c.want {
				t.Errorf("header %q, want %q", got, c.want)
			}
			if _, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(resp.block)), nil); err != nil {
				t.Errorf("net/http cannot read the message: %v", err)
			}
		})
	}
}

func TestCase34Truncated(t *testing.T) {
	fail := func(c crawl.FailureClass) *crawl.Failure { return &crawl.Failure{Class: c} }
	for _, c := range []struct {
		name      string
		truncated bool
		failure   *crawl.Failure
		want      string
	}{
		{"whole", false, nil, ""},
		{"B5 byte limit", true, nil, "length"},
		{"byte limit and failure", true, fail(crawl.FailReset), "length"},
		{"body timeout", false, fail(crawl.FailBodyTimeout), "time"},
		{"reset", false, fail(crawl.FailReset), "disconnect"},
		{"incomplete", false, fail(crawl.FailIncomplete), "disconnect"},
		{"damaged coding", false, fail(crawl.FailDecode), "unspecified"},
		{"canceled", false, fail(crawl.FailCanceled), "unspecified"},
		{"no failure class", false, fail(crawl.FailNone), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := page("http://example.org/", "part")
			r.Truncated, r.Failure = c.truncated, c.failure
			want(t, archive(t, Record{Result: r})[1], "WARC-Truncated", c.want)
		})
	}
}

func TestCase34Revisit(t *testing.T) {
	before := Revisit{URL: "http://example.org/old", Date: start.Add(-time.Hour)}
	t.Run("F5/not modified", func(t *testing.T) {
		r := page("http://example.org/", "")
		r.Status, r.Reason = 304, "Not Modified"
		v := before
		v.Kind, v.PayloadDigest = NotModified, PayloadDigest([]byte("x"))
		s := archive(t, Record{Result: r, Revisit: &v})[1]
		want(t, s, "WARC-Type", "revisit")
		want(t, s, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified")
		want(t, s, "WARC-Refers-To-Target-URI", "http://example.org/old")
		want(t, s, "WARC-Refers-To-Date", "2026-03-04T04:06:07Z")
		want(t, s, "WARC-Payload-Digest", "")
		want(t, s, "WARC-Truncated", "")
		if got := string(s.block); got != "HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n" {
			t.Errorf("block %q", got)
		}
	})
	same := before
	same.Kind = SamePayload
	for _, c := range []struct {
		name, body, digest, kind, want string
	}{
		{"same payload", "body", PayloadDigest([]byte("body")), "revisit", PayloadDigest([]byte("body"))},
		{"digest taken from the body", "body", "", "revisit", PayloadDigest([]byte("body"))},
		{"body dropped by the caller", "", PayloadDigest([]byte("body")), "revisit", PayloadDigest([]byte("body"))},
		{"another payload is kept", "news", PayloadDigest([]byte("body")), "response", PayloadDigest([]byte("news"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := same
			v.PayloadDigest = c.digest
			s := archive(t, Record{Result: page("http://example.org/", c.body), Revisit: &v})[1]
			want(t, s, "WARC-Type", c.kind)
			want(t, s, "WARC-Payload-Digest", c.want)
			if c.kind == "response" {
				want(t, s, "WARC-Profile", "")
				return
			}
			want(t, s, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
			want(t, s, "WARC-Truncated", "length")
			if bytes.Contains(s.block, []byte("body")) {
				t.Errorf("the body is stored again: %q", s.block)
			}
		})
	}
}

func TestCase34Protocols(t *testing.T) {
	t.Run("HTTP/2", func(t *testing.T) {
		r := page("https://example.org/x", "two")
		r.Protocol, r.TLSVersion, r.Reason = crawl.ProtocolHTTP2, "1.3", ""
		r.Header = crawl.Header{{Name: ":status", Value: "200"}, {Name: "content-type", Value: "text/plain"}}
		r.SentRequest = crawl.Header{{Name: ":authority", Value: "example.org"}, {Name: "user-agent", Value: "trawl"}}
		recs := archive(t, Record{Result: r})
		for _, s := range recs {
			if got := s.head.GetAll("WARC-Protocol"); strings.Join(got, ",") != "h2,tls/1.3" {
				t.Errorf("WARC-Protocol: %q", got)
			}
		}
		if got := string(recs[0].block); got != "GET /x HTTP/1.1\r\nHost: example.org\r\nuser-agent: trawl\r\n\r\n" {
			t.Errorf("request %q", got)
		}
		if got := string(recs[1].block); got != "HTTP/1.1 200 \r\ncontent-type: text/plain\r\nContent-Length: 3\r\n\r\ntwo" {
			t.Errorf("response %q", got)
		}
	})
	t.Run("HTTP/2 without TLS", func(t *testing.T) {
		r := page("http://example.org/x", "two")
		r.Protocol = crawl.ProtocolHTTP2
		want(t, archive(t, Record{Result: r})[1], "WARC-Protocol", "h2c")
	})
	t.Run("FTP is a resource", func(t *testing.T) {
		r := &crawl.Result{URL: "ftp://example.org/f.txt", Start: start, Status: 200, Protocol: crawl.ProtocolFTP, Body: []byte("file")}
		s := archive(t, Record{Result: r})
		if kinds(s) != "resource" || string(s[0].block) != "file" {
			t.Fatalf("%s %q", kinds(s), s[0].block)
		}
		want(t, s[0], "Content-Type", "application/octet-stream")
		want(t, s[0], "WARC-Payload-Digest", s[0].head.Get("WARC-Block-Digest"))
		v := &Revisit{Kind: SamePayload, URL: r.URL, Date: start}
		if s := archive(t, Record{Result: r, Revisit: v}); kinds(s) != "revisit" || len(s[0].block) != 0 {
			t.Errorf("%s %q", kinds(s), s[0].block)
		}
	})
}

func TestNoResponseIsNotArchived(t *testing.T) {
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	for _, r := range []*crawl.Result{
		{URL: "http://example.org/", Failure: &crawl.Failure{Class: crawl.FailDNS}},
		{URL: "ftp://example.org/", Failure: &crawl.Failure{Class: crawl.FailRefused}},
		{URL: "ftp://example.org/gone", Status: 404, Protocol: crawl.ProtocolFTP},
		{URL: "ftp://example.org/dir", Status: 301, Protocol: crawl.ProtocolFTP},
	} {
		if ref := mustWrite(t, w, Record{Result: r, Metadata: crawl.Header{{Name: "via", Value: "x"}}}); ref != (crawl.ArchiveRef{}) {
			t.Errorf("%s: reference %+v", r.URL, ref)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir, ""); len(got) != 0 {
		t.Errorf("files made for nothing: %q", got)
	}
}

func TestWarcinfo(t *testing.T) {
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	ref := mustWrite(t, w, Record{Result: page("http://example.org/", "x")})
	if ref.File != "trawl-20260304050607-00000.warc.gz" {
		t.Errorf("file name %s", ref.File)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	info := readFile(t, filepath.Join(dir, ref.File))[0]
	want(t, info, "WARC-Filename", ref.File)
	want(t, info, "Content-Type", "application/warc-fields")
	const lines = "software: trawl/test\r\nformat: WARC File Format 1.1\r\n" +
		"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n" +
		"operator: Ann Example, ann@example.org\r\ndescription: a test\r\nisPartOf: tests\r\nrobots: obey\r\n"
	if got := string(info.block); got != lines {
		t.Errorf("warcinfo %q", got)
	}
}
