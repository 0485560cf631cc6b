package httpfetch_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

func TestB4Case20ByteLimit(t *testing.T) {
	const limit = 20_000
	f := local(t)
	for _, coding := range []string{"", "gzip", "br", "gzip, gzip"} {
		for _, over := range []int{-1, 0, 1, 5000} {
			// The header's length does not depend on the body's.
			fields := []string{"Transfer-Encoding: chunked"}
			if coding != "" {
				fields = append(fields, "Content-Encoding: "+coding)
			}
			head := fetchtest.Head("200 OK", fields...)
			body := strings.Repeat("b", limit-len(head)+over)
			wire := body
			if coding != "" {
				wire = pack(t, body, strings.Split(coding, ", ")...)
			}
			s := fetchtest.Serve(t, fetchtest.Reply(head+fetchtest.Chunked(wire)))
			req := fetchtest.NewRequest(s.URL("/"))
			req.Limits.Default = limit
			res := fetchtest.Fetch(t, f, req)
			if res.HeaderBytes != int64(len(head)) {
				t.Fatalf("%q: header of %d bytes counted as %d", coding, len(head), res.HeaderBytes)
			}
			if len(res.Body) != len(body)-max(over, 0) || res.Truncated != (over > 0) || res.Failure != nil {
				t.Errorf("%q, limit%+d: %d bytes, truncated %v, %v", coding, over, len(res.Body), res.Truncated, res.Failure)
			}
		}
	}
}

// TestB4LimitByType has the documented limits of a search client scaled down by
// 1,024: 2 MB for most files, 64 MB for PDF.
func TestB4LimitByType(t *testing.T) {
	limits := crawl.ByteLimits{Default: 2 << 10, ByType: []crawl.TypeCap{{MediaType: "application/pdf", Bytes: 64 << 10}}}
	f := local(t)
	for contentType, limit := range map[string]int64{"text/html; charset=utf-8": 2 << 10, "Application/PDF": 64 << 10, "": 2 << 10} {
		s := fetchtest.Serve(t, fetchtest.Endless(fetchtest.Head("200 OK", "Content-Type: "+contentType), strings.Repeat("x", 4096)))
		req := fetchtest.NewRequest(s.URL("/"))
		req.Limits = limits
		res := fetchtest.Fetch(t, f, req)
		if res.Limit != limit || int64(len(res.Body))+res.HeaderBytes != limit || !res.Truncated {
			t.Errorf("%s: limit %d, header %d, body %d, truncated %v; want %d in all", contentType, res.Limit, res.HeaderBytes, len(res.Body), res.Truncated, limit)
		}
	}
}

// TestB4HeaderIsCountedWhole has the fields that net/http takes out of a header.
func TestB4HeaderIsCountedWhole(t *testing.T) {
	for _, fields := range [][]string{
		{"Connection: close", "Content-Length: 1"}, {"Connection: keep-alive", "Content-Length: 1"}, {"Connection: close", "Transfer-Encoding: chunked"}, {"Content-Length: 1", "Trailer: X-T"},
	} {
		head, body := fetchtest.Head("200 OK", fields...), "x"
		if strings.Contains(head, "chunked") {
			body = fetchtest.Chunked(body)
		}
		res := fetchtest.Fetch(t, local(t), fetchtest.NewRequest(fetchtest.Serve(t, fetchtest.Once(head+body)).URL("/")))
		if res.HeaderBytes != int64(len(head)) || res.Failure != nil {
			t.Errorf("%q: %d bytes counted of %d, %v, %v", fields, res.HeaderBytes, len(head), res.Header, res.Failure)
		}
	}
}

func TestB4HeaderAloneOverLimit(t *testing.T) {
	s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("body", "X-Long: "+strings.Repeat("y", 500))))
	req := fetchtest.NewRequest(s.URL("/"))
	req.Limits.Default = 100
	if res := fetchtest.Fetch(t, local(t), req); !res.Truncated || len(res.Body) != 0 || res.Failure != nil {
		t.Errorf("truncated %v, %d bytes, %v", res.Truncated, len(res.Body), res.Failure)
	}
}

// TestB5StreamReset checks that over HTTP/2 the stream is reset at the limit
// while the connection goes on.
func TestB5StreamReset(t *testing.T) {
	var written atomic.Int64
	stopped := make(chan struct{})
	s := newHTTP2(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/small" {
			return
		}
		defer close(stopped)
		block := make([]byte, 16<<10)
		for {
			n, err := w.Write(block)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	f := local(t, trusting(s))
	req := fetchtest.NewRequest(crawl.URL(s.URL + "/"))
	req.Protocol, req.Limits.Default = crawl.ProtocolHTTP2, 100_000
	res := fetchtest.Fetch(t, f, req)
	if !res.Truncated || res.Protocol != crawl.ProtocolHTTP2 || res.Failure != nil {
		t.Fatalf("truncated %v over %v: %v", res.Truncated, res.Protocol, res.Failure)
	}
	select {
	case <-stopped:
	case <-time.After(5 * time.Second):
		t.Fatal("the server still writes")
	}
	// The limit, the window that was open beyond it, and the server's buffer.
	if n := written.Load(); n > 100_000+2*(256<<10) {
		t.Errorf("the server could write %d bytes", n)
	}
	req.URL = crawl.URL(s.URL + "/small")
	if res := fetchtest.Fetch(t, f, req); res.Failure != nil || !res.Timings.Reused {
		t.Errorf("after the reset: reused %v, %v", res.Timings.Reused, res.Failure)
	}
}

func newHTTP2(t *testing.T, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func trusting(s *httptest.Server) func(*httpfetch.Options) {
	return func(o *httpfetch.Options) {
		o.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	}
}

func TestB8ContentWait(t *testing.T) {
	f := local(t)
	for _, status := range []string{"201 Created", "202 Accepted"} {
		for name, c := range map[string]struct {
			script fetchtest.Script
			want   string
		}{
			"nothing":  {fetchtest.Stall(fetchtest.Head(status)), ""},
			"part":     {fetchtest.Stall(fetchtest.Head(status, "Content-Length: 50") + "part"), "part"},
			"late":     {fetchtest.Trickle(fetchtest.Head(status, "Content-Length: 5"), "x", 10*time.Millisecond), "xxxxx"},
			"at once":  {fetchtest.Reply(fetchtest.Response(status, "whole")), "whole"},
			"no limit": {fetchtest.Stall(fetchtest.Head(status) + "x"), "x"},
		} {
			t.Run(status+"/"+name, func(t *testing.T) {
				t.Parallel()
				req := fetchtest.NewRequest(fetchtest.Serve(t, c.script).URL("/"))
				req.ContentWait = 150 * time.Millisecond
				if name == "no limit" {
					req.ContentWait = 0 // then the idle timeout ends the wait
				}
				start := time.Now()
				res := fetchtest.Fetch(t, f, req)
				if res.Failure != nil || res.Truncated || string(res.Body) != c.want || time.Since(start) > time.Second {
					t.Errorf("after %v: body %q, truncated %v, %v; want %q", time.Since(start), res.Body, res.Truncated, res.Failure, c.want)
				}
			})
		}
	}
	t.Run("200 is no 202", func(t *testing.T) {
		req := fetchtest.NewRequest(fetchtest.Serve(t, fetchtest.Stall(fetchtest.Head("200 OK"))).URL("/"))
		req.ContentWait = 50 * time.Millisecond
		wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailBodyTimeout, crawl.PhaseBody)
	})
}
