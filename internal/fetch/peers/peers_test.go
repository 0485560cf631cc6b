//go:build unix

package peers_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// TestPeers fetches from the servers that most of the web runs on, as they are
// configured there.
func TestPeers(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *peer{"nginx": startNginx, "Apache": startApache} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			t.Run("B3/bytes", p.testBytes)
			t.Run("B4/sizes around the limit", p.testLimit)
			t.Run("B5/transfer stops", p.testTransferStops)
			t.Run("B6/redirects", p.testRedirects)
			t.Run("G1/conditional", p.testConditional)
			t.Run("B1/keep-alive", p.testReuse)
			t.Run("B1/HTTP2 is one connection", p.testMultiplexing)
			t.Run("B1/choice per host", p.testChoice)
		})
	}
}

func (p *peer) fetcher(t *testing.T) *httpfetch.Fetcher {
	f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}, RootCAs: p.ca.Pool})
	t.Cleanup(f.CloseIdle)
	return f
}

// request asks for path on a port of p.
func (p *peer) request(port, path string, protocol crawl.Protocol) *crawl.Request {
	scheme := "https"
	if port == onPlain {
		scheme = "http"
	}
	req := fetchtest.NewRequest(crawl.URL(fmt.Sprintf("%s://127.0.0.1:%d/%s", scheme, p.ports[port], path)))
	req.Protocol, req.Timeouts = protocol, crawl.DefaultTimeouts()
	return req
}

// ways lists what can be spoken with a peer, and where.
func ways() []struct {
	port     string
	ask, got crawl.Protocol
	tls      string
} {
	return []struct {
		port     string
		ask, got crawl.Protocol
		tls      string
	}{
		{onPlain, crawl.ProtocolAuto, crawl.ProtocolHTTP1, ""},
		{onTLS12, crawl.ProtocolAuto, crawl.ProtocolHTTP1, "1.2"}, // HTTP/2 is offered by the server, not by us
		{onTLS12, crawl.ProtocolHTTP2, crawl.ProtocolHTTP2, "1.2"},
		{onTLS13, crawl.ProtocolHTTP1, crawl.ProtocolHTTP1, "1.3"},
		{onTLS13, crawl.ProtocolHTTP2, crawl.ProtocolHTTP2, "1.3"},
		{onTLSOne, crawl.ProtocolHTTP2, crawl.ProtocolHTTP1, ""}, // HTTP/2 is offered by us, not by the server
	}
}

// testBytes compares every file, in each coding and over each protocol, with
// what is on the disk.
func (p *peer) testBytes(t *testing.T) {
	f := p.fetcher(t)
	seen := map[string]bool{}
	for _, w := range ways() {
		for path, body := range p.files {
			if strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".br") || strings.HasSuffix(path, "huge.bin") {
				continue
			}
			for _, accept := range []string{"", "gzip", "br", "gzip, deflate, br"} {
				req := p.request(w.port, path, w.ask)
				req.AcceptEncoding = accept
				res := fetchtest.Fetch(t, f, req)
				if res.Failure != nil || res.Status != 200 || !bytes.Equal(res.Body, body) || res.Truncated || res.Mislabeled {
					t.Errorf("%s of %s, accepting %q: %d, %d bytes of %d, coding %q, %v", path, w.port, accept, res.Status, len(res.Body), len(body), res.Coding, res.Failure)
				}
				if res.Protocol != w.got || w.tls != "" && res.TLSVersion != w.tls {
					t.Errorf("%s of %s: over %v, TLS %q; want %v, %q", path, w.port, res.Protocol, res.TLSVersion, w.got, w.tls)
				}
				if res.Coding != "" && !strings.Contains(accept, res.Coding) {
					t.Errorf("%s of %s: coding %q, though %q is what is accepted", path, w.port, res.Coding, accept)
				}
				seen[strings.Split(path, "/")[0]+" "+res.Coding] = true
			}
		}
	}
	for _, coding := range p.onTheWay {
		if !seen["packed "+coding] {
			t.Errorf("nothing came packed on the way as %s", coding)
		}
	}
	if !seen["ready br"] || !seen["plain "] {
		t.Errorf("not every way of sending was seen: %v", seen)
	}
}

// testLimit fetches files whose size is about the limit, as they are and
// packed: the limit is of decoded bytes, header included.
func (p *peer) testLimit(t *testing.T) {
	f := p.fetcher(t)
	for _, w := range ways() {
		for _, path := range []string{asIs + "long.html", packed + "long.html", ready + "long.html", asIs + "noise.bin"} {
			req := p.request(w.port, path, w.ask)
			whole := fetchtest.Fetch(t, f, req)
			size := int64(len(p.files[path]))
			for _, over := range []int64{-2, -1, 0, 1, 2, 1000} {
				req.Limits.Default = whole.HeaderBytes + size - over
				res := fetchtest.Fetch(t, f, req)
				// Apache's first response on a connection has a field more.
				over := res.HeaderBytes + size - req.Limits.Default
				want := p.files[path][:size-max(0, over)]
				if res.Failure != nil || res.Truncated != (over > 0) || !bytes.Equal(res.Body, want) {
					t.Errorf("%s of %s, limit%+d: %d bytes (want %d), truncated %v, %v", path, w.port, over, len(res.Body), len(want), res.Truncated, res.Failure)
				}
			}
		}
	}
}

// testTransferStops reads in the server's own log how much it sent of a file
// far over the limit.
func (p *peer) testTransferStops(t *testing.T) {
	f := p.fetcher(t)
	for i, w := range ways() {
		mark := fmt.Sprintf("stops=%d", i)
		req := p.request(w.port, asIs+"huge.bin?"+mark, w.ask)
		req.Limits.Default = 100_000
		res := fetchtest.Fetch(t, f, req)
		if !res.Truncated || res.Failure != nil || res.WireBytes > 100_001 {
			t.Errorf("%s: truncated %v, %d bytes read, %v", w.port, res.Truncated, res.WireBytes, res.Failure)
		}
		f.CloseIdle() // some servers log a stream when its connection ends
		e := p.logged(t, mark, 1)[0]
		// Over HTTP/1.1 the socket buffers of both ends fill beyond it, over
		// HTTP/2 no more than the window.
		most := int64(hugeSize / 4)
		if w.got == crawl.ProtocolHTTP2 {
			most = 2 << 20
		}
		if e.bytes > most {
			t.Errorf("%s over %v: the server sent %d bytes of %d; want at most %d", w.port, w.got, e.bytes, hugeSize, most)
		}
	}
}

func (p *peer) testRedirects(t *testing.T) {
	f := p.fetcher(t)
	for _, w := range ways() {
		for _, status := range []int{301, 302, 303, 307, 308} {
			req := p.request(w.port, fmt.Sprint(status), w.ask)
			res := fetchtest.Fetch(t, f, req)
			target := string(p.request(w.port, asIs+"small.html", w.ask).URL)
			if res.Failure != nil || res.Status != status || res.Header.Get("Location") != target {
				t.Errorf("%d of %s: %d to %q, %v; want %q", status, w.port, res.Status, res.Header.Get("Location"), res.Failure, target)
			}
		}
	}
}

// testConditional asks again as a crawler client does, with what the server
// itself gave: whatever it did to its entity tags, nothing is sent twice.
func (p *peer) testConditional(t *testing.T) {
	f := p.fetcher(t)
	altered := false
	for _, w := range ways() {
		for _, path := range []string{asIs + "small.html", packed + "long.html", ready + "long.html"} {
			for _, accept := range []string{"", "gzip", "gzip, deflate, br"} {
				req := p.request(w.port, path, w.ask)
				req.AcceptEncoding = accept
				first := fetchtest.Fetch(t, f, req)
				tag := first.Header.Get("ETag")
				altered = altered || p.alters(tag)
				modified := first.Header.Get("Last-Modified")
				since, _ := client.ParseHTTPDate(modified)
				visits := []*crawl.Visit{
					{Status: 200, LastCrawl: time.Now(), ETag: tag, LastModified: modified},
					{Status: 200, LastCrawl: since, LastModified: modified},
				}
				if !p.exact {
					// The time of the last crawl (G2). nginx, where nobody has told
					// it otherwise, sends the file again.
					visits = append(visits, &crawl.Visit{Status: 200, LastCrawl: time.Now(), LastModified: modified})
				}
				for _, known := range visits {
					req.IfNoneMatch, req.IfModifiedSince = client.Conditional(client.ConditionalAlways, 1, crawl.PurposeRefresh, known, 0)
					res := fetchtest.Fetch(t, f, req)
					if res.Status != 304 || len(res.Body) != 0 || res.WireBytes != 0 || res.Failure != nil || req.IfNoneMatch+req.IfModifiedSince == "" {
						t.Errorf("%s of %s, accepting %q, If-None-Match %s, If-Modified-Since %s: %d, %d bytes, %v", path, w.port, accept, req.IfNoneMatch, req.IfModifiedSince, res.Status, len(res.Body), res.Failure)
					}
				}
				req.IfNoneMatch, req.IfModifiedSince = `"another"`, ""
				if res := fetchtest.Fetch(t, f, req); res.Status != 200 || !bytes.Equal(res.Body, p.files[path]) {
					t.Errorf("%s of %s, another tag: %d, %d bytes", path, w.port, res.Status, len(res.Body))
				}
			}
		}
	}
	if !altered {
		t.Error("the server left its entity tags as they are: the test shows nothing")
	}
}

// alters reports whether tag is one that the server made for what it packs.
func (p *peer) alters(tag string) bool {
	return p.weak && strings.HasPrefix(tag, "W/") || p.suffix && (strings.HasSuffix(tag, `-gzip"`) || strings.HasSuffix(tag, `-br"`))
}

// testReuse counts the connections of fetches in a row, whole and cut.
func (p *peer) testReuse(t *testing.T) {
	for i, w := range ways() {
		mark := fmt.Sprintf("reuse=%d", i)
		f := p.fetcher(t)
		for n, path := range []string{"plain/small.html", "packed/long.html", "nowhere", "301", "ready/long.html", "plain/empty.txt"} {
			res := fetchtest.Fetch(t, f, p.request(w.port, path+"?"+mark, w.ask))
			if res.Failure != nil || res.Timings.Reused != (n > 0) {
				t.Errorf("%s of %s: reused %v, %v", path, w.port, res.Timings.Reused, res.Failure)
			}
		}
		if ports := connections(p.logged(t, mark, 6)); len(ports) != 1 {
			t.Errorf("%s over %v: %d connections by the server's log; want 1", w.port, w.got, len(ports))
		}
	}
}

func connections(entries []entry) []int {
	var ports []int
	for _, e := range entries {
		ports = append(ports, e.port)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// testMultiplexing makes parallel fetches: over HTTP/2 on the connection that
// there is, over HTTP/1.1 on one each, though the server would speak HTTP/2.
func (p *peer) testMultiplexing(t *testing.T) {
	const parallel = 8
	for _, ask := range []crawl.Protocol{crawl.ProtocolHTTP2, crawl.ProtocolAuto} {
		mark := "parallel=" + ask.String()
		mark = strings.ReplaceAll(mark, "/", "")
		f := p.fetcher(t)
		fetchtest.Fetch(t, f, p.request(onTLS13, "plain/one.txt?"+mark, ask))
		var wg sync.WaitGroup
		for range parallel {
			wg.Go(func() {
				if res := fetchtest.Fetch(t, f, p.request(onTLS13, "packed/long.html?"+mark, ask)); res.Failure != nil {
					t.Error(res.Failure)
				}
			})
		}
		wg.Wait()
		entries := p.logged(t, mark, parallel+1)
		n := len(connections(entries))
		want := map[crawl.Protocol]string{crawl.ProtocolHTTP2: "HTTP/2.0", crawl.ProtocolAuto: "HTTP/1.1"}[ask]
		for _, e := range entries {
			if e.protocol != want {
				t.Errorf("asked for %v: the server's log says %s", ask, e.protocol)
			}
		}
		if ask == crawl.ProtocolHTTP2 && n != 1 || n > parallel+1 {
			t.Errorf("asked for %v: %d connections for %d fetches", ask, n, parallel+1)
		}
	}
}
