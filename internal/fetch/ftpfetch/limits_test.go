package ftpfetch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/ftpfetch"
)

func TestB4ByteLimit(t *testing.T) {
	const limit = 50_000
	for _, known := range []bool{true, false} {
		for _, over := range []int{-1, 0, 1, 2, 900, limit} {
			s := &site{files: map[string]string{"/f": strings.Repeat("b", limit+over)}}
			if !known {
				s.on = on("SIZE", says("500 no"))
			}
			req := patient(serveSite(t, s).ftp("/f"))
			req.Limits.Default = limit
			res := fetchtest.Fetch(t, local(), req)
			if len(res.Body) != limit+min(over, 0) || res.Truncated != (over > 0) || res.Failure != nil || res.Limit != limit {
				t.Errorf("limit%+d: %d bytes, truncated %v, limit %d, %v", over, len(res.Body), res.Truncated, res.Limit, res.Failure)
			}
		}
	}
}

func TestB4LimitByType(t *testing.T) {
	file := strings.Repeat("b", 3000)
	s := serveSite(t, &site{files: map[string]string{"/a.PDF": file, "/a.html": file}})
	for path, want := range map[string]int{"/a.PDF": 3000, "/a.html": 1000} {
		req := patient(s.ftp(path))
		req.Limits = crawl.ByteLimits{Default: 1000, ByType: []crawl.TypeCap{{MediaType: "application/pdf", Bytes: 5000}}}
		if res := fetchtest.Fetch(t, local(), req); len(res.Body) != want {
			t.Errorf("%s: %d bytes of %d; want %d", path, len(res.Body), res.Limit, want)
		}
	}
}

// TestB4ListingLimit: the generated document keeps the limit, as does the
// number of its entries.
func TestB4ListingLimit(t *testing.T) {
	var list strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&list, "-rw-r--r-- 1 ftp ftp 12 Jan  2  2024 file&%04d\r\n", i)
	}
	s := serveSite(t, &site{dirs: map[string]string{"/": list.String()}})
	for _, c := range []struct {
		limit   int64
		entries int
		links   int
	}{{1 << 20, 0, 3000}, {1 << 20, 3000, 3000}, {1 << 20, 2999, 2999}, {160_000, 0, 2961}, {200, 0, 1}, {20, 0, 0}} {
		req := patient(s.ftp("/"))
		req.Limits.Default = c.limit
		res := fetchtest.Fetch(t, local(func(o *ftpfetch.Options) { o.MaxEntries = c.entries }), req)
		links := strings.Count(string(res.Body), "<li>")
		if res.Failure != nil || res.Truncated != (links < 3000) || c.limit == 1<<20 && links != c.links || c.limit == 20 && len(res.Body) != 20 {
			t.Errorf("%+v: %d links in %d bytes, truncated %v, %v", c, links, len(res.Body), res.Truncated, res.Failure)
		}
		if !strings.HasSuffix(string(res.Body), "</html>\n") && c.limit > 20 {
			t.Errorf("%+v: the document does not end: %.80q", c, res.Body)
		}
	}
}

func TestB5TransferStops(t *testing.T) {
	s := serveSite(t, &site{on: on("SIZE", says("550 no"), "RETR", sends(func(x *session, c net.Conn) {
		block := strings.Repeat("x", 16<<10)
		for x.write(c, block) {
		}
	}, ""))})
	req := patient(s.ftp("/radio"))
	req.Limits.Default = 100_000
	res := fetchtest.Fetch(t, local(), req)
	if !res.Truncated || res.Failure != nil || len(res.Body) != 100_000 || res.WireBytes > 100_001 {
		t.Errorf("truncated %v, %d bytes, %d read, %v", res.Truncated, len(res.Body), res.WireBytes, res.Failure)
	}
	settle(t, "control connections", 0, s.Open)
	settle(t, "data connections", 0, func() int { return int(s.dataOpen.Load()) })
	// What the server could write beyond that fitted into socket buffers.
	if n := s.sent.Load(); n > 16<<20 {
		t.Errorf("the server could write %d bytes", n)
	}
}

func TestCanceled(t *testing.T) {
	for name, c := range map[string]struct {
		on   func(*session, string)
		verb string
		body string
	}{
		"dialogue": {stalls(""), "RETR", ""},
		"data":     {sends(func(x *session, c net.Conn) { x.write(c, "part"); io.Copy(io.Discard, c) }, ""), "RETR", "part"},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		s := serveSite(t, &site{files: map[string]string{"/f": "x"}, on: on(c.verb, func(s *session, arg string) {
			time.AfterFunc(30*time.Millisecond, cancel)
			c.on(s, arg)
		})})
		req := patient(s.ftp("/f"))
		start := time.Now()
		res := local().Fetch(ctx, req)
		fetchtest.Check(t, req, res, time.Since(start))
		if res.Failure == nil || res.Failure.Class != crawl.FailCanceled || string(res.Body) != c.body || time.Since(start) > 5*time.Second {
			t.Errorf("%s: after %v: %v, body %q", name, time.Since(start), res.Failure, res.Body)
		}
		settle(t, "connections", 0, s.Open)
	}
}

// TestB7HostileLeavesNothing fetches from every hostile site several times at
// once.
func TestB7HostileLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("all", func(t *testing.T) {
		for name, c := range hostile(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c.site.files = map[string]string{"/f": "0123456789"}
				s := serveSite(t, c.site)
				done := make(chan struct{})
				for range 10 {
					go func() {
						req := fetchtest.NewRequest(s.ftp(c.path))
						req.Limits.Default = 1 << 20
						fetchtest.Fetch(t, local(), req)
						done <- struct{}{}
					}()
				}
				for range 10 {
					<-done
				}
				settle(t, "open connections", 0, s.Open)
			})
		}
	})
	settle(t, "goroutines", before, runtime.NumGoroutine)
}

// TestB11DefaultTimeouts checks to the moment when the default timeouts end a
// fetch, in each phase.
func TestB11DefaultTimeouts(t *testing.T) {
	second := time.Second
	for name, c := range map[string]struct {
		url   crawl.URL
		say   map[string]string // reply to a command; none = the server stalls
		data  func(c net.Conn)
		class crawl.FailureClass
		phase crawl.Phase
		after time.Duration
	}{
		"greeting":  {"ftp://h.example/f", nil, nil, crawl.FailHeaderTimeout, crawl.PhaseRequest, 30 * second},
		"tls":       {"ftps://h.example/f", nil, nil, crawl.FailTLS, crawl.PhaseTLS, 10 * second},
		"login":     {"ftp://h.example/f", map[string]string{"": "220 hi\r\n"}, nil, crawl.FailHeaderTimeout, crawl.PhaseRequest, 30 * second},
		"password":  {"ftp://h.example/f", map[string]string{"": "220 hi\r\n", "USER": "331 pw\r\n"}, nil, crawl.FailHeaderTimeout, crawl.PhaseRequest, 30 * second},
		"half line": {"ftp://h.example/f", map[string]string{"": "220 hi\r\n", "USER": "230 in\r\n", "TYPE": "200"}, nil, crawl.FailHeaderTimeout, crawl.PhaseHeaders, 30 * second},
		"stall":     {"ftp://h.example/f", whole, func(c net.Conn) { io.WriteString(c, "x"); io.Copy(io.Discard, c) }, crawl.FailBodyTimeout, crawl.PhaseBody, 20 * second},
		"1 byte a second": {"ftp://h.example/f", whole, func(c net.Conn) {
			for _, err := c.Write([]byte("x")); err == nil; _, err = c.Write([]byte("x")) {
				time.Sleep(time.Second)
			}
		}, crawl.FailBodyTimeout, crawl.PhaseBody, 20 * second},
		"slow and steady": {"ftp://h.example/f", whole, func(c net.Conn) {
			for _, err := c.Write(make([]byte, 100)); err == nil; _, err = c.Write(make([]byte, 100)) {
				time.Sleep(time.Second)
			}
		}, crawl.FailBodyTimeout, crawl.PhaseBody, 120 * second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := ftpfetch.New(piped(c.say, c.data))
				start := time.Now()
				res := fetchtest.Fetch(t, f, patient(c.url))
				wantFailure(t, res, c.class, c.phase)
				if d := time.Since(start); d != c.after {
					t.Errorf("ended after %v (%v); want %v", d, res.Failure, c.after)
				}
				time.Sleep(2 * time.Second) // the server notices
			})
		})
	}
}

var whole = map[string]string{
	"": "220 hi\r\n", "USER": "230 in\r\n", "TYPE": "200 yes\r\n", "SIZE": "500 no\r\n", "MDTM": "500 no\r\n", "EPSV": "229 (|||4000|)\r\n", "RETR": "150 come\r\n",
}

// piped returns options whose connections are pipes: the first is a control
// connection that answers as say says, the second is served by data.
func piped(say map[string]string, data func(c net.Conn)) ftpfetch.Options {
	dials := 0
	return ftpfetch.Options{
		Guard: fetch.Guard{AllowPrivate: true},
		Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("198.51.100.7")}, nil
		}),
		Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			dials++
			serve := data
			if dials == 1 {
				serve = func(c net.Conn) {
					buf := make([]byte, 4096)
					for verb := ""; say[verb] != ""; {
						if _, err := io.WriteString(c, say[verb]); err != nil {
							return
						}
						n, err := c.Read(buf)
						if err != nil {
							return
						}
						verb = string(buf[:min(n, 4)])
					}
					io.Copy(io.Discard, c)
				}
			}
			go func() {
				defer server.Close()
				serve(server)
			}()
			return client, nil
		},
	}
}
