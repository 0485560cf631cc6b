package httpfetch_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// proxy is a proxy on this machine that notes what it is asked for.
type proxy struct {
	*fetchtest.Server
	to string // where tunnels end, instead of the target; "" = the target

	mu    sync.Mutex
	asked []string // "target user:password"
}

func (p *proxy) seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.asked, "\n")
}

// tunnel notes target and joins c with it.
func (p *proxy) tunnel(c *fetchtest.Conn, target, auth, ok string) {
	p.mu.Lock()
	p.asked = append(p.asked, strings.TrimSpace(target+" "+auth))
	p.mu.Unlock()
	if p.to != "" {
		target = p.to
	}
	far, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer far.Close()
	c.Send(ok)
	go func() {
		io.Copy(far, c.Conn)
		far.Close()
	}()
	io.Copy(c.Conn, far)
}

// connect is the script of an HTTP proxy.
func (p *proxy) connect(c *fetchtest.Conn) {
	lines, ok := c.Request()
	if !ok {
		return
	}
	target, auth := strings.Fields(lines[0])[1], ""
	for _, l := range lines {
		if b, ok := strings.CutPrefix(l, "Proxy-Authorization: Basic "); ok {
			plain, _ := base64.StdEncoding.DecodeString(b)
			auth = string(plain)
		}
	}
	p.tunnel(c, target, auth, "HTTP/1.1 200 Connected\r\nContent-Length: 7\r\n\r\n") // the length means nothing here
}

func httpProxy(t testing.TB) *proxy {
	p := &proxy{}
	p.Server = fetchtest.Serve(t, p.connect)
	return p
}

// socksRequest reads a SOCKS5 dialogue up to the request.
func socksRequest(c *fetchtest.Conn) (target, auth string, ok bool) {
	read := func(n int) string {
		b := make([]byte, n)
		_, err := io.ReadFull(c, b)
		ok = err == nil
		return string(b)
	}
	hello := read(3)
	c.Send("\x05" + hello[2:])
	if hello[2] == 2 {
		user := read(int(read(2)[1]))
		auth = user + ":" + read(int(read(1)[0]))
		c.Send("\x01\x00")
	}
	size := 4
	if read(4)[3] == 4 {
		size = 16
	}
	addr, _ := netip.AddrFromSlice([]byte(read(size)))
	port := read(2)
	return netip.AddrPortFrom(addr, uint16(port[0])<<8|uint16(port[1])).String(), auth, ok
}

func socksProxy(t testing.TB) *proxy {
	p := &proxy{}
	p.Server = fetchtest.Serve(t, func(c *fetchtest.Conn) {
		if target, auth, ok := socksRequest(c); ok {
			p.tunnel(c, target, auth, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
		}
	})
	return p
}

func through(p *fetchtest.Server, scheme string) func(*httpfetch.Options) {
	return func(o *httpfetch.Options) {
		o.Egress = map[string][]httpfetch.Proxy{"eu": {{Scheme: scheme, Address: p.Addr.String(), User: "me", Password: "se:cret"}}}
	}
}

func toLoopback(o *httpfetch.Options) {
	o.Resolver = lookup(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
}

// TestB10Egress fetches out of a region and out of the default one.
func TestB10Egress(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	cfg := ca.Config(t, time.Now().Add(time.Hour), "site.example")
	for name, p := range map[string]*proxy{"http": httpProxy(t), "socks5": socksProxy(t)} {
		f := local(t, toLoopback, through(p.Server, name), func(o *httpfetch.Options) { o.RootCAs = ca.Pool })
		want := ""
		for _, s := range []*fetchtest.Server{
			fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello"))), fetchtest.ServeTLS(t, cfg, fetchtest.Reply(fetchtest.OK("hello"))),
		} {
			for _, region := range []string{"eu", "eu", ""} {
				req := fetchtest.NewRequest(s.URLAt("site.example", "/"))
				req.Timeouts = crawl.DefaultTimeouts()
				req.Egress = region
				res := fetchtest.Fetch(t, f, req)
				if res.Failure != nil || string(res.Body) != "hello" || res.Remote != s.Addr {
					t.Fatalf("%s, region %q: %+v", name, region, res)
				}
			}
			want += s.Addr.String() + " me:se:cret\n"
			if n := s.Conns.Load(); n != 2 {
				t.Errorf("%s: %d connections; want one for each region", name, n)
			}
		}
		if got := p.seen() + "\n"; got != want {
			t.Errorf("%s: asked for\n%swant addresses, once each:\n%s", name, got, want)
		}
	}
}

// TestB10Guard: the target passes the Guard, the proxy need not.
func TestB10Guard(t *testing.T) {
	site := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello")))
	for name, p := range map[string]*proxy{"http": httpProxy(t), "socks5": socksProxy(t)} {
		p.to = site.Addr.String()
		addrs := []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("::ffff:10.0.0.1")}
		opt := httpfetch.Options{Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) { return addrs, nil })}
		through(p.Server, name)(&opt)
		f := httpfetch.New(opt)
		t.Cleanup(f.CloseIdle)
		req := fetchtest.NewRequest("http://site.example/")
		req.Egress = "eu"
		wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailBlockedAddress, crawl.PhaseConnect)
		if n := p.Conns.Load(); n != 0 {
			t.Errorf("%s: %d connections for a target that is refused", name, n)
		}
		addrs = append(addrs, netip.MustParseAddr("2606:4700::1"))
		if res := fetchtest.Fetch(t, f, req); res.Failure != nil || p.seen() != "[2606:4700::1]:80 me:se:cret" {
			t.Errorf("%s: %v, asked %q", name, res.Failure, p.seen())
		}
	}
}

func TestB10Failures(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n\r\n"
	socks := func(reply string) fetchtest.Script {
		return func(c *fetchtest.Conn) {
			if _, _, ok := socksRequest(c); ok && c.Send(reply) {
				c.Await()
			}
		}
	}
	says := func(text string) fetchtest.Script {
		return func(c *fetchtest.Conn) { c.Send(text); c.Await() }
	}
	code := func(n byte) fetchtest.Script {
		return socks("\x05" + string([]byte{n}) + "\x00\x01\x00\x00\x00\x00\x00\x00")
	}
	const proxyFails = crawl.FailProxy
	for name, c := range map[string]struct {
		scheme string
		script fetchtest.Script
		class  crawl.FailureClass
	}{
		"hangs up":             {"http", fetchtest.Hangup(), proxyFails},
		"reset":                {"http", fetchtest.ResetAfter(""), proxyFails},
		"garbage":              {"http", fetchtest.Once("\x00\x01\x02 garbage\r\n\r\n"), proxyFails},
		"endless header":       {"http", fetchtest.Endless("HTTP/1.1 200 OK\r\n", "X-More: yes\r\n"), proxyFails},
		"407":                  {"http", fetchtest.Once(fetchtest.Response("407 Authenticate", "who are you?")), proxyFails},
		"403":                  {"http", fetchtest.Once(fetchtest.Response("403 Forbidden", "")), proxyFails},
		"502":                  {"http", fetchtest.Once(fetchtest.Response("502 Bad Gateway", "")), crawl.FailUnreachable},
		"503":                  {"http", fetchtest.Stall(fetchtest.Head("503 Busy", "Content-Length: 100")), proxyFails},
		"504":                  {"http", fetchtest.Once(fetchtest.Response("504 Timeout", "")), crawl.FailConnectTimeout},
		"speaks into it":       {"http", fetchtest.Stall(ok + fetchtest.OK("forged")), proxyFails},
		"silent on the target": {"http", fetchtest.Mute(), crawl.FailConnectTimeout},
		"socks, hangs up":      {"socks5", fetchtest.Hangup(), proxyFails},
		"socks, silent":        {"socks5", fetchtest.Mute(), proxyFails},
		"socks, http":          {"socks5", says("HTTP/1.1 400 Bad\r\n\r\n"), proxyFails},
		"socks, version 4":     {"socks5", says("\x04\x02"), proxyFails},
		"socks, no way":        {"socks5", says("\x05\xff"), proxyFails},
		"socks, wrong user":    {"socks5", says("\x05\x02\x01\x01"), proxyFails},
		"socks, silent later":  {"socks5", socks(""), crawl.FailConnectTimeout},
		"socks, odd address":   {"socks5", socks("\x05\x00\x00\x09\x00\x00"), proxyFails},
		"socks, code 1":        {"socks5", code(1), proxyFails},
		"socks, code 2":        {"socks5", code(2), proxyFails},
		"socks, code 3":        {"socks5", code(3), crawl.FailUnreachable},
		"socks, code 4":        {"socks5", code(4), crawl.FailUnreachable},
		"socks, code 5":        {"socks5", code(5), crawl.FailRefused},
		"socks, code 6":        {"socks5", code(6), crawl.FailConnectTimeout},
		"socks, code 99":       {"socks5", code(99), proxyFails},
		"ftp as scheme":        {"ftp", fetchtest.Hangup(), proxyFails},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fetchtest.Serve(t, c.script)
			f := local(t, toLoopback, through(p, c.scheme))
			req := fetchtest.NewRequest("http://site.example/")
			req.Egress, req.Timeouts.Connect = "eu", 200*time.Millisecond
			if c.class == proxyFails && !strings.Contains(name, "silent") {
				req.Timeouts = crawl.DefaultTimeouts()
			}
			wantFailure(t, fetchtest.Fetch(t, f, req), c.class, crawl.PhaseConnect)
			eventually(t, func() bool { return p.Open() == 0 })
		})
	}
	t.Run("no proxy there", func(t *testing.T) {
		f := local(t, toLoopback, func(o *httpfetch.Options) {
			o.Egress = map[string][]httpfetch.Proxy{"eu": {{Scheme: "http", Address: closedPort(t)}}}
		})
		req := fetchtest.NewRequest("http://site.example/")
		req.Egress = "eu"
		wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailProxy, crawl.PhaseConnect)
		req.Egress = "mars"
		wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailProxy, crawl.PhaseNone)
	})
}

// TestB10NextAddress: an address that the proxy cannot reach is not the end.
func TestB10NextAddress(t *testing.T) {
	site := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello")))
	p := fetchtest.Serve(t, func(c *fetchtest.Conn) {
		lines, _ := c.Request()
		if strings.Contains(fmt.Sprint(lines), "[2606:4700::1]") {
			c.Send(fetchtest.Response("502 Bad Gateway", ""))
			return
		}
		(&proxy{to: site.Addr.String()}).tunnel(c, "", "", "HTTP/1.0 200 OK\r\n\r\n")
	})
	f := local(t, through(p, "http"), resolving(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("2606:4700::1"), netip.MustParseAddr("8.8.8.8")}, nil
	}))
	req := fetchtest.NewRequest("http://site.example/")
	req.Egress = "eu"
	if res := fetchtest.Fetch(t, f, req); res.Failure != nil || res.Remote.String() != "8.8.8.8:80" {
		t.Errorf("%v by %v", res.Failure, res.Remote)
	}
}
