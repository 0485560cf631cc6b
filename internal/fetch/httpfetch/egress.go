package httpfetch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/net/http/httpproxy"

	"trawl/internal/crawl"
)

// Environment is the name of the region that [Options].EnvironmentProxy makes.
const Environment = "environment"

// Proxy is a way out of a region (B10).
//
// Names are resolved here, not at the proxy, and the proxy is told addresses:
// otherwise nobody could say which addresses were asked for (B11). What a proxy
// then dials is its own doing, and an address that is allowed here, such as a
// private one, is one of its network, not of ours. A host that
// gives each region addresses of its own gives us those of this machine. TLS is
// spoken with the host through the tunnel, by its name. http URLs go through a tunnel,
// too, so a proxy must allow CONNECT to their ports. The proxy's own address is
// the operator's word: the Guard is not asked about it.
//
// Who failed (house choice where a proxy can mean either): what a SOCKS5 proxy
// says of the server (codes 3 to 6) and 502 and 504 of an HTTP proxy are
// failures of the host, and so is silence once the proxy knows the target;
// everything else is FailProxy.
type Proxy struct {
	Scheme   string // "http" (CONNECT, RFC 9110 section 9.3.6), "https" (the same over TLS) or "socks5" (RFC 1928)
	Address  string // host:port
	User     string // "" = no authentication (RFC 7617 or RFC 1929)
	Password string
}

// String names the proxy without user and password, whatever the verb.
func (p Proxy) String() string { return p.Scheme + "://" + p.Address }

// GoString is String: %#v must not show the password either.
func (p Proxy) GoString() string { return p.String() }

// Check says what is wrong with p before anything is dialled.
func (p Proxy) Check() error {
	switch p.Scheme {
	case "http", "https", "socks5":
	default:
		return fmt.Errorf("the scheme of a proxy is http, https or socks5, not %.40q", p.Scheme)
	}
	host, port, err := net.SplitHostPort(p.Address)
	if n, nerr := strconv.ParseUint(port, 10, 16); err != nil || nerr != nil || n == 0 || host == "" {
		return fmt.Errorf("the address of a proxy is host:port, not %.100q", p.Address)
	}
	if p.Scheme == "socks5" && (len(p.User) > 255 || len(p.Password) > 255) {
		return errors.New("user and password of a SOCKS5 proxy have at most 255 bytes")
	}
	return nil
}

// proxyFor returns the proxies for a connection to host in the order in which
// they are tried, or none for a direct one.
type proxyFor func(scheme, host, port string) ([]Proxy, error)

// always begins with the proxy that the hostname hashes to, so that a host sees
// one address of ours for as long as it works.
func always(list []Proxy) proxyFor {
	return func(_, host, _ string) ([]Proxy, error) {
		if len(list) == 0 {
			return nil, nil
		}
		at := int(crawl.LinkHash(crawl.URL(host)) % uint32(len(list)))
		turned := slices.Concat(list[at:], list[:at])
		for _, p := range turned {
			if err := p.Check(); err != nil {
				return nil, err
			}
		}
		return turned, nil
	}
}

// environment reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in capitals
// or not, once.
func environment() proxyFor {
	cfg := httpproxy.FromEnvironment()
	all := os.Getenv("ALL_PROXY")
	if all == "" {
		all = os.Getenv("all_proxy")
	}
	cfg.HTTPProxy, cfg.HTTPSProxy = cmp.Or(cfg.HTTPProxy, all), cmp.Or(cfg.HTTPSProxy, all)
	choose := cfg.ProxyFunc()
	return func(scheme, host, port string) ([]Proxy, error) {
		u, err := choose(&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)})
		if u == nil || err != nil {
			return nil, err
		}
		p := Proxy{Scheme: u.Scheme, Address: u.Host, User: u.User.Username()}
		p.Password, _ = u.User.Password()
		if p.Scheme == "socks5h" {
			p.Scheme = "socks5" // names are resolved here all the same
		}
		if u.Port() == "" {
			p.Address = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443", "socks5": "1080"}[p.Scheme])
		}
		return []Proxy{p}, p.Check()
	}
}

// replySize bounds what a proxy may say ahead of the tunnel. House choice.
const replySize = 64 << 10

// proxyFailed is the failure of a proxy itself: says nothing about the host.
func proxyFailed(p *Proxy, why string) error {
	return &abort{crawl.FailProxy, "the proxy " + p.Address + " failed: " + clip(why)}
}

// targetFailed is what a proxy says about the host behind it.
type targetFailed struct{ *abort }

func (t *targetFailed) Unwrap() error { return t.abort }

// tunnel connects to the first of targets that a proxy reaches, each over a new
// connection to it. The next proxy is tried only when one fails itself.
func (d *dialer) tunnel(ctx context.Context, list []Proxy, targets []netip.AddrPort) (net.Conn, netip.AddrPort, error) {
	var first error
	for i := range list {
		c, target, err := d.tunnelBy(ctx, &list[i], len(list)-i, targets)
		if err == nil {
			return c, target, nil
		}
		if first == nil {
			first = err
		}
		var ours *abort
		if ctx.Err() != nil || !errors.As(err, &ours) || ours.class != crawl.FailProxy {
			return nil, netip.AddrPort{}, err
		}
	}
	return nil, netip.AddrPort{}, first
}

func (d *dialer) tunnelBy(ctx context.Context, p *Proxy, left int, targets []netip.AddrPort) (net.Conn, netip.AddrPort, error) {
	var first error
	noteProxy(ctx, p)
	for _, target := range targets {
		note(ctx, target)
		c, err := d.through(ctx, p, left, target)
		if err == nil {
			return c, target, nil
		}
		if first == nil {
			first = err
		}
		var its *targetFailed
		if !errors.As(err, &its) || ctx.Err() != nil {
			break
		}
	}
	return nil, netip.AddrPort{}, first
}

// reachProxy connects to the proxy itself. Where left-1 more can be tried it
// gets its share of the time only.
func (d *dialer) reachProxy(ctx context.Context, p *Proxy, left int) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(left))
		defer cancel()
	}
	c, err := d.dialProxy(ctx, "tcp", p.Address)
	if err != nil || p.Scheme != "https" {
		return c, err
	}
	cfg := d.proxyTLS.Clone()
	cfg.ServerName, _, _ = net.SplitHostPort(p.Address)
	tc := tls.Client(c, cfg)
	if err := tc.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return tc, nil
}

// through makes one tunnel. How far it got when the time is over tells who is
// slow: until the proxy was told the target, it is the proxy.
func (d *dialer) through(ctx context.Context, p *Proxy, left int, target netip.AddrPort) (net.Conn, error) {
	c, err := d.reachProxy(ctx, p, left)
	if err != nil {
		return nil, proxyFailed(p, err.Error())
	}
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	t := tunnelling{Conn: c, proxy: p, target: target}
	if p.Scheme == "socks5" {
		err = t.socks()
	} else {
		err = t.connect()
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return c, nil
	}
	c.Close()
	var ours *abort
	switch {
	case errors.As(err, &ours):
		return nil, err
	case ctx.Err() != nil && t.told:
		return nil, context.Cause(ctx)
	}
	return nil, proxyFailed(p, err.Error())
}

// tunnelling is a connection to a proxy on its way to a target.
type tunnelling struct {
	net.Conn
	proxy  *Proxy
	target netip.AddrPort
	told   bool // the proxy knows the target: from now on the host may be the slow one
}

// connect asks an HTTP proxy for the tunnel.
func (t *tunnelling) connect() error {
	to := t.target.String()
	ask := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n"
	if t.proxy.User != "" {
		ask += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(t.proxy.User+":"+t.proxy.Password)) + "\r\n"
	}
	if _, err := io.WriteString(t, ask+"\r\n"); err != nil {
		return err
	}
	t.told = true
	in := bufio.NewReaderSize(io.LimitReader(t, replySize), 4<<10)
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return err
	}
	// A body is not read: the connection is a tunnel now, or closed.
	switch {
	case resp.StatusCode/100 == 2 && in.Buffered() > 0:
		return errors.New("it speaks into the tunnel")
	case resp.StatusCode/100 == 2:
		return nil
	case resp.StatusCode == http.StatusBadGateway:
		return t.failed(crawl.FailUnreachable, "it cannot reach the server: "+resp.Status)
	case resp.StatusCode == http.StatusGatewayTimeout:
		return t.failed(crawl.FailConnectTimeout, "the server does not answer it: "+resp.Status)
	}
	return errors.New(resp.Status)
}

func (t *tunnelling) failed(class crawl.FailureClass, why string) error {
	return &targetFailed{&abort{class, "the proxy " + t.proxy.Address + " says that " + clip(why)}}
}

// socks asks a SOCKS5 proxy for the tunnel.
func (t *tunnelling) socks() error {
	method := byte(0)
	if t.proxy.User != "" {
		method = 2
	}
	if _, err := t.Write([]byte{5, 1, method}); err != nil {
		return err
	}
	var b [4]byte
	if _, err := io.ReadFull(t, b[:2]); err != nil {
		return err
	}
	if b[0] != 5 || b[1] != method {
		return fmt.Errorf("it answers %d, %d to our way of authentication %d", b[0], b[1], method)
	}
	if method == 2 {
		ask := slices.Concat([]byte{1, byte(len(t.proxy.User))}, []byte(t.proxy.User), []byte{byte(len(t.proxy.Password))}, []byte(t.proxy.Password))
		if _, err := t.Write(ask); err != nil {
			return err
		}
		if _, err := io.ReadFull(t, b[:2]); err != nil {
			return err
		}
		if b[1] != 0 {
			return errors.New("it does not take user and password")
		}
	}
	addr := t.target.Addr().Unmap()
	kind := byte(1)
	if addr.Is6() {
		kind = 4
	}
	port := t.target.Port()
	if _, err := t.Write(slices.Concat([]byte{5, 1, 0, kind}, addr.AsSlice(), []byte{byte(port >> 8), byte(port)})); err != nil {
		return err
	}
	t.told = true
	if _, err := io.ReadFull(t, b[:]); err != nil {
		return err
	}
	if err := t.socksReply(b[0], b[1]); err != nil {
		return err
	}
	// The address it is bound to, of no use here.
	rest := map[byte]int{1: 4 + 2, 4: 16 + 2}[b[3]]
	if b[3] == 3 {
		if _, err := io.ReadFull(t, b[:1]); err != nil {
			return err
		}
		rest = int(b[0]) + 2
	}
	if rest == 0 {
		return errors.New("its answer has an address of type " + strconv.Itoa(int(b[3])))
	}
	_, err := io.ReadFull(t, make([]byte, rest))
	return err
}

// socksReply reads the code of a reply (RFC 1928 section 6).
func (t *tunnelling) socksReply(version, code byte) error {
	switch {
	case version != 5:
		return errors.New("it does not speak SOCKS5")
	case code == 0:
		return nil
	case code == 3 || code == 4:
		return t.failed(crawl.FailUnreachable, "there is no route to the server")
	case code == 5:
		return t.failed(crawl.FailRefused, "the server refuses the connection")
	case code == 6:
		return t.failed(crawl.FailConnectTimeout, "the server does not answer")
	}
	return fmt.Errorf("it answers with code %d", code)
}
