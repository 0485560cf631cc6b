package httpfetch_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// local returns a fetcher that may dial this machine.
func local(t testing.TB, change ...func(*httpfetch.Options)) *httpfetch.Fetcher {
	opt := httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}}
	for _, c := range change {
		c(&opt)
	}
	f := httpfetch.New(opt)
	t.Cleanup(f.CloseIdle)
	return f
}

func resolving(l lookup) func(*httpfetch.Options) {
	return func(o *httpfetch.Options) { o.Resolver = l }
}

func dnsError(e net.DNSError) lookup {
	return func(context.Context, string) ([]netip.Addr, error) { return nil, &e }
}

func wantFailure(t *testing.T, res *crawl.Result, class crawl.FailureClass, phase crawl.Phase) {
	t.Helper()
	if f := res.Failure; f == nil || f.Class != class || f.Phase != phase {
		t.Errorf("status %d, %v; want %v in the %v phase", res.Status, f, class, phase)
	}
}

// blackhole is a dialler that never gets an answer.
func blackhole(o *httpfetch.Options) {
	o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
}

func failingDial(err error) func(*httpfetch.Options) {
	return func(o *httpfetch.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
	}
}

// closedPort returns an address at which nothing listens.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return l.Addr().String()
}

func TestB7BeforeTheRequest(t *testing.T) {
	for name, c := range map[string]struct {
		url   crawl.URL
		opt   func(*httpfetch.Options)
		class crawl.FailureClass
		phase crawl.Phase
	}{
		"no such name":    {"http://nowhere.example/", resolving(dnsError(net.DNSError{Err: "no such host", IsNotFound: true})), crawl.FailDNS, crawl.PhaseDNS},
		"no addresses":    {"http://empty.example/", resolving(func(context.Context, string) ([]netip.Addr, error) { return nil, nil }), crawl.FailDNS, crawl.PhaseDNS},
		"dns timeout":     {"http://slow.example/", resolving(dnsError(net.DNSError{Err: "i/o timeout", IsTimeout: true})), crawl.FailDNSUnresponsive, crawl.PhaseDNS},
		"servfail":        {"http://broken.example/", resolving(dnsError(net.DNSError{Err: "server misbehaving", IsTemporary: true})), crawl.FailDNSUnresponsive, crawl.PhaseDNS},
		"dns never":       {"http://never.example/", resolving(func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() }), crawl.FailDNSUnresponsive, crawl.PhaseDNS},
		"refused":         {crawl.URL("http://" + closedPort(t) + "/"), nil, crawl.FailRefused, crawl.PhaseConnect},
		"connect timeout": {"http://127.0.0.1:8080/", blackhole, crawl.FailConnectTimeout, crawl.PhaseConnect},
		"kernel timeout":  {"http://127.0.0.1:8080/", failingDial(syscall.ETIMEDOUT), crawl.FailConnectTimeout, crawl.PhaseConnect},
		"no route":        {"http://127.0.0.1:8080/", failingDial(syscall.EHOSTUNREACH), crawl.FailUnreachable, crawl.PhaseConnect},
		"reset":           {"http://127.0.0.1:8080/", failingDial(syscall.ECONNRESET), crawl.FailReset, crawl.PhaseConnect},
		"out of files":    {"http://127.0.0.1:8080/", failingDial(syscall.EMFILE), crawl.FailOther, crawl.PhaseConnect},
		"blocked port":    {"http://127.0.0.1:25/", nil, crawl.FailBlockedPort, crawl.PhaseNone},
		"port 65536":      {"http://127.0.0.1:65536/", nil, crawl.FailOther, crawl.PhaseNone},
		"ftp":             {"ftp://127.0.0.1/", nil, crawl.FailOther, crawl.PhaseNone},
		"space in URL":    {"http://127.0.0.1:8080/a b", nil, crawl.FailOther, crawl.PhaseNone},
		"newline in URL":  {"http://127.0.0.1:8080/a\r\nX: y", nil, crawl.FailOther, crawl.PhaseNone},
		"no host":         {"http:///", nil, crawl.FailOther, crawl.PhaseNone},
	} {
		t.Run(name, func(t *testing.T) {
			f := local(t)
			if c.opt != nil {
				f = local(t, c.opt)
			}
			req := fetchtest.NewRequest(c.url)
			req.Timeouts.Connect = 50 * time.Millisecond
			wantFailure(t, fetchtest.Fetch(t, f, req), c.class, c.phase)
		})
	}
}

func TestB7BackedUpListener(t *testing.T) {
	// A listener whose backlog is full leaves connection attempts unanswered.
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(name.(*syscall.SockaddrInet4).Port)).String()
	for range 4 {
		if c, err := net.DialTimeout("tcp", addr, 20*time.Millisecond); err == nil {
			defer c.Close()
		}
	}
	req := fetchtest.NewRequest(crawl.URL("http://" + addr + "/"))
	req.Timeouts.Connect = 50 * time.Millisecond
	wantFailure(t, fetchtest.Fetch(t, local(t), req), crawl.FailConnectTimeout, crawl.PhaseConnect)
}

func TestB7TLS(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	tomorrow := time.Now().Add(24 * time.Hour)
	old := ca.Config(t, tomorrow, "127.0.0.1")
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	for name, c := range map[string]struct {
		server *fetchtest.Server
		class  crawl.FailureClass
	}{
		"expired":     {fetchtest.ServeTLS(t, ca.Config(t, time.Now().Add(-time.Hour), "127.0.0.1"), fetchtest.Reply(fetchtest.OK("x"))), crawl.FailTLS},
		"wrong name":  {fetchtest.ServeTLS(t, ca.Config(t, tomorrow, "other.example"), fetchtest.Reply(fetchtest.OK("x"))), crawl.FailTLS},
		"unknown CA":  {fetchtest.ServeTLS(t, fetchtest.NewAuthority(t).Config(t, tomorrow, "127.0.0.1"), fetchtest.Reply(fetchtest.OK("x"))), crawl.FailTLS},
		"old version": {fetchtest.ServeTLS(t, old, fetchtest.Reply(fetchtest.OK("x"))), crawl.FailTLS},
		"no TLS":      {fetchtest.Serve(t, func(c *fetchtest.Conn) { c.Send("HTTP/1.1 400 Bad\r\n\r\n"); c.Await() }), crawl.FailTLS},
		"stall":       {fetchtest.Serve(t, fetchtest.Mute()), crawl.FailTLS},
		"hangup":      {fetchtest.Serve(t, fetchtest.Hangup()), crawl.FailReset},
		"reset":       {fetchtest.Serve(t, func(c *fetchtest.Conn) { c.Read(make([]byte, 1)); c.Reset() }), crawl.FailReset},
	} {
		t.Run(name, func(t *testing.T) {
			f := local(t, func(o *httpfetch.Options) { o.RootCAs = ca.Pool })
			req := fetchtest.NewRequest(crawl.URL("https://" + c.server.Addr.String() + "/"))
			req.Timeouts.TLS = 200 * time.Millisecond
			wantFailure(t, fetchtest.Fetch(t, f, req), c.class, crawl.PhaseTLS)
		})
	}
	t.Run("good", func(t *testing.T) {
		s := fetchtest.ServeTLS(t, ca.Config(t, tomorrow, "127.0.0.1"), fetchtest.Reply(fetchtest.OK("x")))
		res := fetchtest.Fetch(t, local(t, func(o *httpfetch.Options) { o.RootCAs = ca.Pool }), fetchtest.NewRequest(s.URL("/")))
		if res.Failure != nil || res.TLSVersion != "1.3" || res.Timings.TLS <= 0 || res.Remote != s.Addr {
			t.Errorf("TLS %q, timings %+v, %v", res.TLSVersion, res.Timings, res.Failure)
		}
	})
	t.Run("insecure", func(t *testing.T) {
		s := fetchtest.ServeTLS(t, ca.Config(t, time.Now().Add(-time.Hour), "other.example"), fetchtest.Reply(fetchtest.OK("x")))
		res := fetchtest.Fetch(t, local(t, func(o *httpfetch.Options) { o.Insecure = true }), fetchtest.NewRequest(s.URL("/")))
		if res.Failure != nil {
			t.Error(res.Failure)
		}
	})
}

// TestB7Case21Response fetches from every hostile server and checks the class.
func TestB7Case21Response(t *testing.T) {
	type outcome struct {
		class crawl.FailureClass
		phase crawl.Phase
	}
	header, body := crawl.PhaseHeaders, crawl.PhaseBody
	want := map[string]outcome{
		"hangup": {crawl.FailReset, header}, "mute": {crawl.FailHeaderTimeout, header}, "reset": {crawl.FailReset, header}, "close": {crawl.FailReset, header},
		"garbage": {crawl.FailUnparseable, header}, "http/0.9": {crawl.FailUnparseable, header}, "ssh": {crawl.FailUnparseable, header},
		"half a status line": {crawl.FailHeaderTimeout, header}, "half a header": {crawl.FailHeaderTimeout, header},
		"1 MB field": {crawl.FailHeaderTooLarge, header}, "10,000 fields": {crawl.FailHeaderTooLarge, header}, "endless fields": {crawl.FailHeaderTooLarge, header},
		"trickled fields": {crawl.FailHeaderTimeout, header}, "100 for ever": {crawl.FailHeaderTooLarge, header}, "103 for ever": {crawl.FailHeaderTimeout, header},
		"101 unasked": {crawl.FailUnparseable, header}, "trickled body": {crawl.FailBodyTimeout, body}, "stalled body": {crawl.FailBodyTimeout, body},
		"body cut off": {crawl.FailIncomplete, body}, "body reset": {crawl.FailReset, body}, "chunk cut off": {crawl.FailIncomplete, body},
		"bad chunk": {crawl.FailUnparseable, body}, "endless chunk ext": {crawl.FailUnparseable, body}, "endless trailers": {crawl.FailUnparseable, body},
		"two content lengths": {crawl.FailUnparseable, header}, "negative length": {crawl.FailUnparseable, header},
		"empty gzip members": {crawl.FailDecode, body}, "endless body": {}, "endless chunks": {}, // the last two are cut at the limit
	}
	for name, script := range fetchtest.Hostile() {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			o, known := want[name]
			if !known {
				t.Fatal("no expectation for this server")
			}
			req := fetchtest.NewRequest(fetchtest.Serve(t, script).URL("/"))
			req.Limits.Default = 1 << 20
			if o.class != crawl.FailHeaderTimeout && o.class != crawl.FailBodyTimeout {
				// On a busy machine no other class may turn into a timeout.
				req.Timeouts = crawl.DefaultTimeouts()
			}
			res := fetchtest.Fetch(t, local(t), req)
			if o.class == crawl.FailNone {
				if !res.Truncated {
					t.Errorf("not truncated: %v", res.Failure)
				}
				return
			}
			if f := res.Failure; f == nil || f.Class != o.class || f.Phase != o.phase && f.Phase != crawl.PhaseRequest {
				t.Errorf("status %d, %v; want %v in the %v phase", res.Status, f, o.class, o.phase)
			}
		})
	}
}
