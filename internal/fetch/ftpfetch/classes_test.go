package ftpfetch_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/ftpfetch"
)

func itoa(n int) string { return strconv.Itoa(n) }

func wantFailure(t *testing.T, res *crawl.Result, class crawl.FailureClass, phase crawl.Phase) {
	t.Helper()
	if f := res.Failure; f == nil || f.Class != class || f.Phase != phase {
		t.Errorf("status %d, %v; want %v in the %v phase", res.Status, f, class, phase)
	}
}

// closedPort returns a port of 127.0.0.1 at which nothing listens.
func closedPort(t testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestB7BeforeTheDialogue(t *testing.T) {
	dns := func(e net.DNSError) func(*ftpfetch.Options) {
		return func(o *ftpfetch.Options) {
			o.Resolver = lookup(func(context.Context, string) ([]netip.Addr, error) { return nil, &e })
		}
	}
	dial := func(err error) func(*ftpfetch.Options) {
		return func(o *ftpfetch.Options) {
			o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
				if err == nil {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
			}
		}
	}
	never := func(o *ftpfetch.Options) {
		o.Resolver = lookup(func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() })
	}
	nothing := func(*ftpfetch.Options) {}
	for name, c := range map[string]struct {
		url   crawl.URL
		opt   func(*ftpfetch.Options)
		class crawl.FailureClass
		phase crawl.Phase
	}{
		"no such name":    {"ftp://nowhere.example/", dns(net.DNSError{Err: "no such host", IsNotFound: true}), crawl.FailDNS, crawl.PhaseDNS},
		"servfail":        {"ftp://broken.example/", dns(net.DNSError{Err: "server misbehaving", IsTemporary: true}), crawl.FailDNSUnresponsive, crawl.PhaseDNS},
		"dns never":       {"ftp://never.example/", never, crawl.FailDNSUnresponsive, crawl.PhaseDNS},
		"refused":         {crawl.URL("ftp://127.0.0.1:" + itoa(closedPort(t)) + "/"), nothing, crawl.FailRefused, crawl.PhaseConnect},
		"connect timeout": {"ftp://127.0.0.1/", dial(nil), crawl.FailConnectTimeout, crawl.PhaseConnect},
		"no route":        {"ftp://127.0.0.1/", dial(syscall.EHOSTUNREACH), crawl.FailUnreachable, crawl.PhaseConnect},
		"reset":           {"ftp://127.0.0.1/", dial(syscall.ECONNRESET), crawl.FailReset, crawl.PhaseConnect},
		"out of files":    {"ftp://127.0.0.1/", dial(syscall.EMFILE), crawl.FailOther, crawl.PhaseConnect},
		"blocked port":    {"ftp://127.0.0.1:25/", nothing, crawl.FailBlockedPort, crawl.PhaseNone},
		"port 65536":      {"ftp://127.0.0.1:65536/", nothing, crawl.FailOther, crawl.PhaseNone},
		"http":            {"http://127.0.0.1/", nothing, crawl.FailOther, crawl.PhaseNone},
		"injection":       {"ftp://127.0.0.1/a%0D%0ADELE%20b", nothing, crawl.FailOther, crawl.PhaseNone},
		"injection, NUL":  {"ftp://127.0.0.1/a%00b", nothing, crawl.FailOther, crawl.PhaseNone},
		"no host":         {"ftp:///", nothing, crawl.FailOther, crawl.PhaseNone},
	} {
		t.Run(name, func(t *testing.T) {
			req := fetchtest.NewRequest(c.url)
			req.Timeouts.Connect = 50 * time.Millisecond
			wantFailure(t, fetchtest.Fetch(t, local(c.opt), req), c.class, c.phase)
		})
	}
}

// outcome is what a hostile server must come to: a status or a failure.
type outcome struct {
	status int
	class  crawl.FailureClass
	phase  crawl.Phase
	body   string // kept
}

func on(pairs ...any) map[string]func(*session, string) {
	m := map[string]func(*session, string){}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(func(*session, string))
	}
	return m
}

// hostile lists sites that each misbehave in another way, by name.
func hostile(t testing.TB) map[string]struct {
	site *site
	path string
	outcome
} {
	text := func(s string) func(*session, net.Conn) {
		return func(x *session, c net.Conn) { x.write(c, s) }
	}
	stalled := func(x *session, c net.Conn) { x.write(c, "part"); io.Copy(io.Discard, c) }
	reset := func(x *session, c net.Conn) {
		x.write(c, "part")
		time.Sleep(50 * time.Millisecond)
		c.(*net.TCPConn).SetLinger(0)
	}
	drip := func(x *session, c net.Conn) {
		for x.write(c, "x") {
			time.Sleep(20 * time.Millisecond)
		}
	}
	endless := func(block string) func(*session, net.Conn) {
		return func(x *session, c net.Conn) {
			for x.write(c, block) {
			}
		}
	}
	login, head, body := crawl.PhaseRequest, crawl.PhaseHeaders, crawl.PhaseBody
	lines := strings.Repeat("211-more\r\n", 10_000)
	line := "-rw-r--r--   1 ftp  ftp        12 Jan  2  2024 name"
	return map[string]struct {
		site *site
		path string
		outcome
	}{
		"mute":                  {&site{on: on("USER", stalls(""))}, "/f", outcome{0, crawl.FailHeaderTimeout, login, ""}},
		"half a greeting":       {&site{greeting: "220-welcome\r\n220-to"}, "/f", outcome{0, crawl.FailHeaderTimeout, login, ""}},
		"greeting is http":      {&site{greeting: "HTTP/1.1 400 Bad"}, "/f", outcome{0, crawl.FailUnparseable, login, ""}},
		"greeting is ssh":       {&site{greeting: "SSH-2.0-x"}, "/f", outcome{0, crawl.FailUnparseable, login, ""}},
		"full":                  {&site{greeting: "421 too many users"}, "/f", outcome{503, 0, 0, ""}},
		"no anonymous":          {&site{on: on("PASS", says("530 no"))}, "/f", outcome{401, 0, 0, ""}},
		"no anonymous, bye":     {&site{on: on("USER", func(s *session, _ string) { s.say("530 no"); s.raw.Close() })}, "/f", outcome{401, 0, 0, ""}},
		"hangs up":              {&site{on: on("USER", hangsUp)}, "/f", outcome{0, crawl.FailReset, login, ""}},
		"10,000-line reply":     {&site{on: on("USER", says("331-a\r\n"+lines+"331 b"))}, "/f", outcome{0, crawl.FailHeaderTooLarge, login, ""}},
		"1 MB line":             {&site{on: on("USER", says("331 "+strings.Repeat("x", 1<<20)))}, "/f", outcome{0, crawl.FailHeaderTooLarge, login, ""}},
		"endless reply":         {&site{on: on("USER", floods("331-a\r\n", "331-more\r\n"))}, "/f", outcome{0, crawl.FailHeaderTooLarge, login, ""}},
		"100 for ever":          {&site{on: on("USER", floods("", "120 wait\r\n"))}, "/f", outcome{0, crawl.FailHeaderTooLarge, login, ""}},
		"late 421":              {&site{on: on("TYPE", says("421 shutting down"))}, "/f", outcome{503, 0, 0, ""}},
		"EPSV stalls":           {&site{on: on("EPSV", stalls(""))}, "/f", outcome{0, crawl.FailHeaderTimeout, head, ""}},
		"EPSV and PASV garbage": {&site{on: on("EPSV", says("229 ok (|||x|)"), "PASV", says("227 ok (1,2,3)"))}, "/f", outcome{0, crawl.FailUnparseable, head, ""}},
		"data port refused":     {&site{on: on("EPSV", says("229 (|||"+itoa(closedPort(t))+"|)"))}, "/f", outcome{0, crawl.FailRefused, crawl.PhaseConnect, ""}},
		"data port 25":          {&site{on: on("EPSV", says("229 (|||25|)"))}, "/f", outcome{0, crawl.FailBlockedPort, crawl.PhaseConnect, ""}},
		"RETR stalls":           {&site{on: on("RETR", stalls(""))}, "/f", outcome{0, crawl.FailHeaderTimeout, head, ""}},
		"RETR hangs up":         {&site{on: on("RETR", hangsUp)}, "/f", outcome{0, crawl.FailReset, head, ""}},
		"garbage after RETR":    {&site{on: on("RETR", says("\x00\x01\x02"))}, "/f", outcome{0, crawl.FailUnparseable, head, ""}},
		"no permission":         {&site{on: on("RETR", says("550 Permission denied."))}, "/f", outcome{403, 0, 0, ""}},
		"not there":             {&site{}, "/gone", outcome{404, 0, 0, ""}},
		"no such directory":     {&site{}, "/gone/", outcome{404, 0, 0, ""}},
		"busy":                  {&site{on: on("RETR", says("450 busy"))}, "/f", outcome{503, 0, 0, ""}},
		"data stalls":           {&site{on: on("RETR", sends(stalled, ""))}, "/f", outcome{200, crawl.FailBodyTimeout, body, "part"}},
		"data trickles":         {&site{on: on("RETR", sends(drip, ""))}, "/f", outcome{200, crawl.FailBodyTimeout, body, "xx"}},
		"data reset":            {&site{on: on("RETR", sends(reset, "426 reset"))}, "/f", outcome{200, crawl.FailReset, body, "part"}},
		"broken off":            {&site{on: on("RETR", sends(text("part"), "426 broken off"))}, "/f", outcome{200, crawl.FailIncomplete, body, "part"}},
		"shorter than promised": {&site{on: on("RETR", sends(text("part"), "226 done"))}, "/f", outcome{200, crawl.FailIncomplete, body, "part"}},
		"never confirmed":       {&site{on: on("SIZE", says("500 no"), "RETR", sends(text("part"), ""))}, "/f", outcome{200, crawl.FailIncomplete, body, "part"}},
		"whole, not confirmed":  {&site{on: on("RETR", sends(text("0123456789"), ""))}, "/f", outcome{200, 0, 0, "0123456789"}},
		"endless data":          {&site{on: on("RETR", sends(endless(strings.Repeat("x", 16<<10)), ""))}, "/f", outcome{200, 0, 0, "xx"}},
		"endless listing":       {&site{dirs: map[string]string{"/": ""}, on: on("LIST", sends(endless(line+"\r\n"), ""))}, "/", outcome{200, 0, 0, "<!DOCTYPE html>"}},
		"endless line":          {&site{dirs: map[string]string{"/": ""}, on: on("LIST", sends(endless(line), ""))}, "/", outcome{200, 0, 0, "<!DOCTYPE html>"}},
		"listing is html":       {&site{dirs: map[string]string{"/": "<html>\r\n<a href=x>x</a>\r\n"}}, "/", outcome{200, crawl.FailUnparseable, body, ""}},
		"listing broken off":    {&site{dirs: map[string]string{"/": ""}, on: on("LIST", sends(text(line+"\r\n"), "451 disk error"))}, "/", outcome{200, crawl.FailIncomplete, body, "<!DOCTYPE html>"}},
	}
}

// TestB7Hostile fetches from every hostile site and checks what comes of it.
func TestB7Hostile(t *testing.T) {
	for name, c := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.site.files = map[string]string{"/f": "0123456789"}
			s := serveSite(t, c.site)
			req := patient(s.ftp(c.path))
			req.Limits.Default = 1 << 20
			if c.class == crawl.FailHeaderTimeout || c.class == crawl.FailBodyTimeout || name == "never confirmed" || name == "whole, not confirmed" {
				req = fetchtest.NewRequest(s.ftp(c.path))
			}
			res := fetchtest.Fetch(t, local(), req)
			if c.class != 0 {
				wantFailure(t, res, c.class, c.phase)
			} else if res.Failure != nil {
				t.Errorf("%v; want status %d", res.Failure, c.status)
			}
			if res.Status != c.status || !strings.HasPrefix(string(res.Body), c.body) {
				t.Errorf("status %d, body %.40q; want %d, %q", res.Status, res.Body, c.status, c.body)
			}
			if want := strings.HasPrefix(name, "endless") && c.class == 0; res.Truncated != want {
				t.Errorf("truncated %v", res.Truncated)
			}
			settle(t, "open connections", 0, s.Open)
		})
	}
}

// settle waits until count is at most want.
func settle(t *testing.T, what string, want int, count func() int) {
	t.Helper()
	for end := time.Now().Add(3 * time.Second); count() > want; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("%d %s left; want at most %d", count(), what, want)
			return
		}
	}
}
