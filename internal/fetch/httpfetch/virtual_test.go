package httpfetch_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// piped returns options whose connections are pipes served by serve, so that
// the real timeouts can be tested in virtual time.
func piped(serve func(c net.Conn)) httpfetch.Options {
	return httpfetch.Options{
		Guard: fetch.Guard{AllowPrivate: true},
		Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				serve(server)
			}()
			return client, nil
		},
		Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{someAddr}, nil }),
	}
}

// drip reads a request, and writes text and then block at every tick.
func drip(text, block string, every time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := c.Read(make([]byte, 4096)); err != nil {
			return
		}
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		for block != "" {
			time.Sleep(every)
			if _, err := io.WriteString(c, block); err != nil {
				return
			}
		}
		io.Copy(io.Discard, c)
	}
}

// TestB11DefaultTimeouts checks to the moment when the default timeouts end a
// fetch.
func TestB11DefaultTimeouts(t *testing.T) {
	head := fetchtest.Head("200 OK")
	never := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, c := range map[string]struct {
		url   crawl.URL
		opt   httpfetch.Options
		class crawl.FailureClass
		phase crawl.Phase
		after time.Duration
	}{
		"dns": {"http://h.example/", func() httpfetch.Options {
			o := piped(nil)
			o.Resolver = lookup(func(ctx context.Context, _ string) ([]netip.Addr, error) { return nil, never(ctx) })
			return o
		}(), crawl.FailDNSUnresponsive, crawl.PhaseDNS, 10 * time.Second},
		"connect": {"http://h.example/", func() httpfetch.Options {
			o := piped(nil)
			o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return nil, never(ctx) }
			return o
		}(), crawl.FailConnectTimeout, crawl.PhaseConnect, 10 * time.Second},
		"tls":              {"https://h.example/", piped(func(c net.Conn) { io.Copy(io.Discard, c) }), crawl.FailTLS, crawl.PhaseTLS, 10 * time.Second},
		"header":           {"http://h.example/", piped(drip("", "", 0)), crawl.FailHeaderTimeout, crawl.PhaseHeaders, 30 * time.Second},
		"trickled header":  {"http://h.example/", piped(drip("HTTP/1.1 200 OK\r\n", "A: b\r\n", time.Second)), crawl.FailHeaderTimeout, crawl.PhaseHeaders, 30 * time.Second},
		"1xx for ever":     {"http://h.example/", piped(drip("", "HTTP/1.1 100 Continue\r\n\r\n", time.Second)), crawl.FailHeaderTimeout, crawl.PhaseHeaders, 30 * time.Second},
		"idle":             {"http://h.example/", piped(drip(head+"x", "", 0)), crawl.FailBodyTimeout, crawl.PhaseBody, 20 * time.Second},
		"1 byte a second":  {"http://h.example/", piped(drip(head, "x", time.Second)), crawl.FailBodyTimeout, crawl.PhaseBody, 20 * time.Second},
		"burst, then slow": {"http://h.example/", piped(drip(head+string(make([]byte, 64*40)), "x", time.Second)), crawl.FailBodyTimeout, crawl.PhaseBody, 40 * time.Second},
		"slow and steady":  {"http://h.example/", piped(drip(head, string(make([]byte, 100)), time.Second)), crawl.FailBodyTimeout, crawl.PhaseBody, 120 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := httpfetch.New(c.opt)
				start := time.Now()
				req := fetchtest.NewRequest(c.url)
				req.Timeouts = crawl.DefaultTimeouts()
				res := fetchtest.Fetch(t, f, req)
				wantFailure(t, res, c.class, c.phase)
				if d := time.Since(start); d != c.after || res.Failure == nil || res.Failure.Elapsed != c.after {
					t.Errorf("ended after %v (%v); want %v", d, res.Failure, c.after)
				}
				f.CloseIdle()
				time.Sleep(2 * time.Second) // the server notices
			})
		})
	}
}

// TestTimings checks that each phase gets its own time.
func TestTimings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt := piped(func(c net.Conn) {
			for {
				if _, err := c.Read(make([]byte, 4096)); err != nil {
					return
				}
				time.Sleep(3 * time.Second)
				io.WriteString(c, fetchtest.Head("200 OK", "Content-Length: 2")+"x")
				time.Sleep(4 * time.Second)
				io.WriteString(c, "y")
			}
		})
		dial := opt.Dial
		opt.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			time.Sleep(2 * time.Second)
			return dial(ctx, network, address)
		}
		opt.Resolver = lookup(func(context.Context, string) ([]netip.Addr, error) {
			time.Sleep(time.Second)
			return []netip.Addr{someAddr}, nil
		})
		f := httpfetch.New(opt)
		req := fetchtest.NewRequest("http://h.example/")
		req.Timeouts = crawl.DefaultTimeouts()
		s := time.Second
		for i, want := range []crawl.Timings{
			{DNS: s, Connect: 2 * s, Wait: 3 * s, Body: 4 * s, Total: 10 * s},
			{Wait: 3 * s, Body: 4 * s, Total: 7 * s, Reused: true},
		} {
			if res := fetchtest.Fetch(t, f, req); res.Timings != want || res.Failure != nil {
				t.Errorf("fetch %d: %+v, %v; want %+v", i, res.Timings, res.Failure, want)
			}
		}
		f.CloseIdle()
	})
}
