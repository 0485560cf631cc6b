package warc

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

const inject = "x\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n"

func TestCase34HeaderInjection(t *testing.T) {
	r := page("http://example.org/a\r\nWARC-Type: warcinfo\r\n<b> \u00e9?=?utf-8?q?=0D=0A?=", "body\r\n\r\nWARC/1.1\r\n")
	r.Reason = "OK" + inject
	r.TLSVersion = "1.3" + inject
	r.Header = crawl.Header{
		{Name: "Content-Type", Value: inject},
		{Name: "Bad Name:\r\n", Value: "v"},
		{Name: "", Value: "\x00\x7f\v"},
		{Name: "Latin", Value: "caf\xe9"},
		{Name: "Content-Length", Value: "7" + inject},
		{Name: " folded", Value: "v"},
		{Name: "Trans\u0000fer-Encoding", Value: "chunked"},
	}
	r.SentRequest = crawl.Header{{Name: "Host", Value: "example.org" + inject}, {Name: "A\nB", Value: inject}}
	meta := crawl.Header{
		{Name: "via", Value: "http://h/?=?utf-8?q?=0D=0A?=" + inject}, {Name: "note:\n", Value: "=?bogus?q?x?= \xff"}, {Name: "empty", Value: ""},
	}
	v := &Revisit{Kind: NotModified, URL: "http://example.org/\r\nX: y", Date: start}
	recs := archive(t, Record{Result: r, Metadata: meta}, Record{Result: r, Revisit: v})
	if kinds(recs) != "request response metadata request revisit" {
		t.Fatalf("records: %s", kinds(recs))
	}
	want(t, recs[1], "WARC-Target-URI", "http://example.org/a%0D%0AWARC-Type:%20warcinfo%0D%0A%3Cb%3E%20%C3%A9?%3D?utf-8?q?=0D=0A?=")
	want(t, recs[4], "WARC-Refers-To-Target-URI", "http://example.org/%0D%0AX:%20y")
	if string(recs[1].payload) != string(r.Body) {
		t.Errorf("payload %q", recs[1].payload)
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(recs[1].block)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(resp.Header); got != 8 {
		t.Errorf("%d header fields: %q", got, resp.Header)
	}
	if got := resp.Header.Get("Latin"); got != "caf\xe9" {
		t.Errorf("obs-text changed: %q", got)
	}
	if got := strings.Count(string(recs[2].block), "\r\n"); got != 3 {
		t.Errorf("metadata has %d lines: %q", got, recs[2].block)
	}
}

// Whatever a server sends, every record reads back with the body it had, and
// the file has exactly the records that were written.
func TestAnyResult(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", "\r\n", inject, "=?utf-8?b?AA==?=", "=?x?=", ":", "gzip", "chunked", "12", "-3", "99999999999999999999", "\x00",
		})).Draw(t, "text")
	})
	name := rapid.OneOf(text, rapid.SampledFrom([]string{"Content-Length", "content-encoding", "Transfer-Encoding", "Host", "Trailer", "Connection"}))
	header := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) crawl.Field {
		return crawl.Field{Name: name.Draw(t, "name"), Value: text.Draw(t, "value")}
	}), 0, 6)
	dir := t.TempDir()
	w := mustOpen(t, dir, options())
	rapid.Check(t, func(t *rapid.T) {
		r := &crawl.Result{
			URL: "http://h/" + crawl.URL(text.Draw(t, "path")), Start: start, Status: rapid.IntRange(0, 999).Draw(t, "status"),
			Reason: text.Draw(t, "reason"), Header: header.Draw(t, "header"), SentRequest: header.Draw(t, "request"),
			Protocol: crawl.Protocol(rapid.IntRange(0, 4).Draw(t, "protocol")), TLSVersion: text.Draw(t, "tls"),
			Body: []byte(text.Draw(t, "body")), Truncated: rapid.Bool().Draw(t, "truncated"),
		}
		rec := Record{Result: r, Metadata: header.Draw(t, "metadata")}
		ref, err := w.Write(rec)
		if err != nil {
			t.Fatal(err)
		}
		if !answered(r) {
			return
		}
		st, err := ReadAt(dir, ref)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(st.Body, r.Body) || st.Type == "response" && st.Status != r.Status {
			t.Fatalf("status %d body %q, want %d %q", st.Status, st.Body, r.Status, r.Body)
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range files(t, dir, suffixFinal) {
		recs, err := tryReadFile(dir+"/"+f, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(recs) < 100 || strings.Count(kinds(recs), "warcinfo") != 1 {
			t.Errorf("%d records: %s", len(recs), kinds(recs))
		}
	}
}
