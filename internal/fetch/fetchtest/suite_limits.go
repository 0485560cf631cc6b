package fetchtest

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
)

func testByteLimit(t *testing.T, f fetch.Fetcher) {
	const limit = 5000
	for name, framing := range map[string]func(string) string{
		"length":  func(b string) string { return OK(b) },
		"chunked": func(b string) string { return Head("200 OK", "Transfer-Encoding: chunked") + Chunked(b) },
		"close":   func(b string) string { return Head("200 OK") + b },
	} {
		for _, over := range []int64{-1, 0, 1, 2, 900} {
			head := int64(strings.Index(framing(strings.Repeat("b", limit)), "\r\n\r\n") + 4)
			body := strings.Repeat("b", int(limit-head+over))
			s := Serve(t, Once(framing(body)))
			req := NewRequest(s.URL("/"))
			req.Limits.Default = limit
			res := Fetch(t, f, req)
			want := min(int64(len(body)), limit-head)
			if int64(len(res.Body)) != want || res.Truncated != (over > 0) || res.Failure != nil || res.Limit != limit {
				t.Errorf("%s, limit%+d: %d bytes (want %d), truncated %v, limit %d, header %d, %v",
					name, over, len(res.Body), want, res.Truncated, res.Limit, res.HeaderBytes, res.Failure)
			}
		}
	}
}

func testTransferStops(t *testing.T, f fetch.Fetcher) {
	const limit = 100_000
	s := Serve(t, Endless(Head("200 OK"), strings.Repeat("x", 16<<10)))
	req := NewRequest(s.URL("/"))
	req.Limits.Default = limit
	res := Fetch(t, f, req)
	if !res.Truncated || res.Failure != nil || int64(len(res.Body)) != limit-res.HeaderBytes {
		t.Errorf("truncated %v, %d bytes, %v", res.Truncated, len(res.Body), res.Failure)
	}
	if res.WireBytes > limit+1 {
		t.Errorf("%d bytes read from the connection; want at most %d", res.WireBytes, limit+1)
	}
	settle(t, "open connections", 0, s.Open)
	// What the server could write beyond that fitted into socket buffers.
	if n := s.Written.Load(); n > 16<<20 {
		t.Errorf("the server could write %d bytes", n)
	}
}

func testFailureIsWhole(t *testing.T, f fetch.Fetcher) {
	for name, want := range map[string]struct {
		script Script
		class  crawl.FailureClass
		phase  crawl.Phase
	}{
		"no header":  {Stall(""), crawl.FailHeaderTimeout, crawl.PhaseHeaders},
		"closed":     {Once(""), crawl.FailReset, crawl.PhaseHeaders},
		"garbage":    {Once("SSH-2.0-x\r\n"), crawl.FailUnparseable, crawl.PhaseHeaders},
		"stalled":    {Stall(Head("200 OK") + "kept"), crawl.FailBodyTimeout, crawl.PhaseBody},
		"incomplete": {Once(Head("200 OK", "Content-Length: 9") + "kept"), crawl.FailIncomplete, crawl.PhaseBody},
	} {
		t.Run(name, func(t *testing.T) {
			res := Fetch(t, f, NewRequest(Serve(t, want.script).URL("/")))
			if res.Failure == nil || res.Failure.Class != want.class || res.Failure.Phase != want.phase {
				t.Fatalf("%v; want %v in %v", res.Failure, want.class, want.phase)
			}
			if want.phase == crawl.PhaseBody && (string(res.Body) != "kept" || res.Status != 200) {
				t.Errorf("status %d, body %q; what came is kept", res.Status, res.Body)
			}
		})
	}
}

func testGuard(t *testing.T, newFetcher func(t *testing.T, cfg Config) fetch.Fetcher) {
	s := Serve(t, Reply(OK("secret")))
	names := map[string][]netip.Addr{
		"loopback.example": {s.Addr.Addr()},
		"mapped.example":   {netip.MustParseAddr("::ffff:127.0.0.1")},
		"zero.example":     {netip.MustParseAddr("0.0.0.0")},
		"metadata.example": {netip.MustParseAddr("169.254.169.254")},
	}
	strict := newFetcher(t, Config{Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		if a, ok := names[host]; ok {
			return a, nil
		}
		return nil, errors.New("unexpected name")
	}})
	t.Cleanup(strict.CloseIdle)
	for _, host := range []string{"loopback.example", "mapped.example", "zero.example", "metadata.example", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		res := Fetch(t, strict, NewRequest(s.URLAt(host, "/")))
		if res.Failure == nil || res.Failure.Class != crawl.FailBlockedAddress {
			t.Errorf("%s: status %d, %v; want the address blocked", host, res.Status, res.Failure)
		}
	}
	if n := s.Conns.Load(); n != 0 {
		t.Errorf("%d connections reached the server", n)
	}
	if res := Fetch(t, newFetcher(t, Local()), NewRequest(s.URL("/"))); res.Failure != nil {
		t.Errorf("allowed address: %v", res.Failure)
	}
}

func testDeadline(t *testing.T, f fetch.Fetcher) {
	for name, script := range map[string]Script{
		"headers": Trickle("HTTP/1.1 200 OK\r\n", "X-More: yes\r\n", 10*time.Millisecond),
		"body":    Trickle(Head("200 OK"), "x", 10*time.Millisecond),
	} {
		req := NewRequest(Serve(t, script).URL("/"))
		req.Timeouts.Header, req.Timeouts.Idle, req.Timeouts.Total, req.Timeouts.MinRate = time.Minute, time.Minute, 200*time.Millisecond, 0
		start := time.Now()
		res := Fetch(t, f, req)
		if d := time.Since(start); res.Failure == nil || d < 200*time.Millisecond || d > Patience {
			t.Errorf("%s: after %v: %v; want a failure at the total deadline", name, d, res.Failure)
		}
	}
}
