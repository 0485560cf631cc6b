package fetchtest

import (
	"context"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
)

// Config is what the suite asks of a fetcher that it has made.
type Config struct {
	Guard  fetch.Guard
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error) // nil = the fetcher's own
}

// Local is the configuration for fetches from servers on this machine.
func Local() Config { return Config{Guard: fetch.Guard{AllowPrivate: true}} }

// Patience is how long the tests' fetches may take in all. A fetch that takes
// twice as long has not kept its deadline.
const Patience = 2 * time.Second

// NewRequest returns a request for u with timeouts for tests.
func NewRequest(u crawl.URL) *crawl.Request {
	return &crawl.Request{
		URL: u, Client: "test", UserAgent: "trawltest/1.0 (+https://trawl.example/)",
		Accept: "*/*", AcceptEncoding: "gzip, deflate, br",
		Timeouts: crawl.Timeouts{
			Connect: time.Second, TLS: time.Second, Header: 300 * time.Millisecond,
			Idle: 300 * time.Millisecond, Total: Patience, MinRate: 1000,
		},
	}
}

// Run tests that fetchers keep the contract of the port. newFetcher is called
// once for each part.
func Run(t *testing.T, newFetcher func(t *testing.T, cfg Config) fetch.Fetcher) {
	local := func(t *testing.T) fetch.Fetcher {
		f := newFetcher(t, Local())
		t.Cleanup(f.CloseIdle)
		return f
	}
	t.Run("Whole", func(t *testing.T) { testWhole(t, local(t)) })
	t.Run("B4ByteLimit", func(t *testing.T) { testByteLimit(t, local(t)) })
	t.Run("B5TransferStops", func(t *testing.T) { testTransferStops(t, local(t)) })
	t.Run("B6RedirectNotFollowed", func(t *testing.T) { testRedirect(t, local(t)) })
	t.Run("B7FailureIsWhole", func(t *testing.T) { testFailureIsWhole(t, local(t)) })
	t.Run("B11Guard", func(t *testing.T) { testGuard(t, newFetcher) })
	t.Run("B11Deadline", func(t *testing.T) { testDeadline(t, local(t)) })
	t.Run("Canceled", func(t *testing.T) { testCanceled(t, local(t)) })
	t.Run("case21Hostile", func(t *testing.T) { testHostile(t, local(t)) })
}

// Fetch fetches and checks what must hold for every result.
func Fetch(t testing.TB, f fetch.Fetcher, req *crawl.Request) *crawl.Result {
	t.Helper()
	start := time.Now()
	res := f.Fetch(context.Background(), req)
	Check(t, req, res, time.Since(start))
	return res
}

// Check checks what must hold for every result of req, which took d.
func Check(t testing.TB, req *crawl.Request, res *crawl.Result, d time.Duration) {
	t.Helper()
	if res == nil {
		t.Fatal("Fetch returned nil")
	}
	if res.URL != req.URL || res.Start.IsZero() {
		t.Errorf("URL %q, start %v; want the request's URL and a time", res.URL, res.Start)
	}
	if d > 2*req.Timeouts.Total {
		t.Errorf("fetch took %v with a total of %v", d, req.Timeouts.Total)
	}
	if room := max(0, res.Limit-res.HeaderBytes); res.Status != 0 && int64(len(res.Body)) > room {
		t.Errorf("body of %d bytes; limit %d less header %d allow %d", len(res.Body), res.Limit, res.HeaderBytes, room)
	}
	if res.Status == 0 && res.Failure == nil {
		t.Error("neither status nor failure")
	}
	if res.Truncated && res.Failure != nil {
		t.Errorf("truncated and failed: %v", res.Failure)
	}
	if f := res.Failure; f != nil {
		if f.Class == crawl.FailNone || f.Host != req.URL.Host() || f.Elapsed <= 0 || f.Detail == "" {
			t.Errorf("failure is not whole: %+v", f)
		}
	}
	if res.Timings.Total <= 0 || res.Timings.Total > d+time.Millisecond {
		t.Errorf("timings say %v, the fetch took %v", res.Timings.Total, d)
	}
}

func testWhole(t *testing.T, f fetch.Fetcher) {
	s := Serve(t, Reply(OK("hello", "Content-Type: text/plain")))
	for i := range 3 {
		res := Fetch(t, f, NewRequest(s.URL("/")))
		if res.Status != 200 || string(res.Body) != "hello" || res.Failure != nil || res.Truncated || res.Remote != s.Addr {
			t.Fatalf("fetch %d: %+v", i, res)
		}
	}
	if n := s.Conns.Load(); n != 1 {
		t.Errorf("%d connections for three fetches in a row; want 1", n)
	}
}

func testRedirect(t *testing.T, f fetch.Fetcher) {
	for _, status := range []string{"301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"} {
		s := Serve(t, Reply(Response(status, "body", "Location: /next")))
		res := Fetch(t, f, NewRequest(s.URL("/")))
		if res.Failure != nil || res.Header.Get("Location") != "/next" || s.Requests.Load() != 1 {
			t.Errorf("%s: %d requests, Location %q, %v", status, s.Requests.Load(), res.Header.Get("Location"), res.Failure)
		}
	}
}

func testCanceled(t *testing.T, f fetch.Fetcher) {
	for name, script := range map[string]Script{"headers": Stall(""), "body": Stall(Head("200 OK") + "part")} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			s := Serve(t, func(c *Conn) {
				time.AfterFunc(30*time.Millisecond, cancel)
				script(c)
			})
			req := NewRequest(s.URL("/"))
			req.Timeouts.Header, req.Timeouts.Idle, req.Timeouts.Total = time.Minute, time.Minute, time.Minute
			start := time.Now()
			res := f.Fetch(ctx, req)
			Check(t, req, res, time.Since(start))
			if res.Failure == nil || res.Failure.Class != crawl.FailCanceled || time.Since(start) > Patience {
				t.Errorf("after %v: %v; want canceled", time.Since(start), res.Failure)
			}
			if name == "body" && string(res.Body) != "part" {
				t.Errorf("body %q; what came before the end is kept", res.Body)
			}
		})
	}
}

// testHostile fetches from every hostile server, several times at once, and
// checks that nothing is left behind.
func testHostile(t *testing.T, f fetch.Fetcher) {
	before := runtime.NumGoroutine()
	t.Run("all", func(t *testing.T) {
		for name, script := range Hostile() {
			t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
				t.Parallel()
				s := Serve(t, script)
				done := make(chan struct{})
				for range 18 {
					go func() {
						req := NewRequest(s.URL("/"))
						req.Limits.Default = 1 << 20
						Fetch(t, f, req)
						done <- struct{}{}
					}()
				}
				for range 18 {
					<-done
				}
				f.CloseIdle()
				settle(t, "open connections", 0, s.Open)
			})
		}
	})
	f.CloseIdle()
	settle(t, "goroutines", before, runtime.NumGoroutine)
}

// settle waits until count is at most want: what ends with a fetch may take a
// moment to be gone.
func settle(t *testing.T, what string, want int, count func() int) {
	t.Helper()
	for end := time.Now().Add(3 * time.Second); count() > want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Errorf("%d %s left; want at most %d\n%s", count(), what, want, buf[:runtime.Stack(buf, true)])
			return
		}
	}
}
