package httpfetch_test

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// answering returns a fetcher whose servers answer the first bytes of a request
// with the given bytes and hang up.
func answering(response []byte) *httpfetch.Fetcher {
	return httpfetch.New(httpfetch.Options{
		Guard: fetch.Guard{AllowPrivate: true},
		Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				server.SetDeadline(time.Now().Add(5 * time.Second))
				server.Read(make([]byte, 4096))
				server.Write(response)
			}()
			return client, nil
		},
		Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{someAddr}, nil }),
	})
}

// FuzzResponse lets a server say anything: the fetch ends in time with a result
// that keeps the contract.
func FuzzResponse(f *testing.F) {
	f.Add([]byte(fetchtest.OK("hello", "Content-Type: text/html")), false)
	f.Add([]byte(fetchtest.Head("200 OK", "Transfer-Encoding: chunked")+fetchtest.Chunked("hello")), false)
	f.Add([]byte(fetchtest.OK(pack(f, page, "gzip"), "Content-Encoding: gzip")), false)
	f.Add([]byte(fetchtest.OK(pack(f, page, "br", "gzip"), "Content-Encoding: br, gzip")), false)
	f.Add([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"), false)
	f.Add([]byte("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n"), false)
	f.Add([]byte("HTTP/1.0 200\n\nold"), false)
	f.Add([]byte("HTTP/1.1 000 None\r\n\r\n"), false)
	f.Add([]byte("SSH-2.0-OpenSSH\r\n"), false)
	f.Add([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), true)
	f.Add([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88"), true)
	f.Fuzz(func(t *testing.T, response []byte, http2 bool) {
		fetcher := answering(response)
		defer fetcher.CloseIdle()
		req := fetchtest.NewRequest("http://h.example/")
		req.Limits.Default = 64 << 10
		if http2 {
			req.Protocol = crawl.ProtocolHTTP2
		}
		fetchtest.Fetch(t, fetcher, req)
	})
}

// FuzzDecode gives arbitrary bytes under every label: nothing comes out beyond
// the limit, and what is packed comes out as it was.
func FuzzDecode(f *testing.F) {
	for _, c := range []string{"gzip", "zlib", "flate", "br"} {
		f.Add([]byte(pack(f, page, c)))
		f.Add([]byte(pack(f, page, c, "gzip")))
		f.Add([]byte(half(pack(f, page, c))))
	}
	f.Add([]byte(page))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, labels := range []string{"gzip", "deflate", "br", "gzip, gzip", "br, deflate", "gzip, br, deflate, gzip"} {
			const room = 32 << 10
			body, truncated, err := httpfetch.Decode(bytes.NewReader(data), labels, room)
			if len(body) > room || truncated && err != nil {
				t.Fatalf("%s: %d bytes, truncated %v, %v", labels, len(body), truncated, err)
			}
		}
		for _, c := range []struct{ label, how string }{{"gzip", "gzip"}, {"deflate", "zlib"}, {"deflate", "flate"}, {"br", "br"}} {
			body, truncated, err := httpfetch.Decode(strings.NewReader(pack(t, string(data), c.how)), c.label, 1<<20)
			if err != nil || truncated || !bytes.Equal(body, data) {
				t.Fatalf("%s: %d bytes of %d, truncated %v, %v", c.how, len(body), len(data), truncated, err)
			}
		}
	})
}
