package httpfetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
)

// House choices. The delay is the one that RFC 8305 section 5 recommends.
const (
	fallbackDelay = 250 * time.Millisecond
	maxDials      = 6 // addresses tried for one connection
)

// dialer makes connections: name to addresses, Guard, TCP, TLS, each within
// its own timeout and the fetch's.
type dialer struct {
	guard    fetch.Guard
	resolver Resolver
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	tls      *tls.Config
	keeper   *keeper // of HTTP/2 connections, by ALPN or prior knowledge; nil = HTTP/1.1 only

	proxy     proxyFor // nil = none
	dialProxy func(ctx context.Context, network, address string) (net.Conn, error)
	proxyTLS  *tls.Config // of https proxies
}

func newDialer(opt Options, proxy proxyFor) *dialer {
	d := &dialer{guard: opt.Guard, resolver: opt.Resolver, dial: opt.Dial, proxy: proxy, dialProxy: opt.Dial, proxyTLS: &tls.Config{RootCAs: opt.RootCAs, NextProtos: []string{"http/1.1"}}}
	if d.dial == nil {
		d.dialProxy = (&net.Dialer{KeepAlive: -1}).DialContext
		nd := &net.Dialer{
			KeepAlive: -1, // idle connections are closed before probes would tell anything
			// The last word on the address, asked when the socket exists.
			Control: func(_, address string, _ syscall.RawConn) error {
				ap, err := netip.ParseAddrPort(address)
				if err != nil {
					return &blockedError{err}
				}
				return d.check(ap.Addr())
			},
		}
		d.dial = nd.DialContext
	}
	return d
}

// offering returns a copy of d that makes TLS connections by cfg.
func (d *dialer) offering(cfg *tls.Config) *dialer {
	c := *d
	c.tls = cfg
	return &c
}

func (d *dialer) check(addr netip.Addr) error {
	if err := d.guard.Check(addr); err != nil {
		return &blockedError{err}
	}
	return nil
}

// dialPlain is called by net/http with a context that is detached from the
// fetch but for its values; the exchange found there is the one that counts,
// so that a dial does not outlive its fetch.
func (d *dialer) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	x := exchangeOf(ctx)
	if x == nil {
		return nil, errors.New("connection dialled outside a fetch")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	c, err := d.connect(x, "http", host, port)
	if err != nil {
		return nil, err
	}
	if d.keeper != nil {
		d.keep(x, c)
	}
	return c, nil
}

func (d *dialer) dialTLS(ctx context.Context, _, address string) (net.Conn, error) {
	x := exchangeOf(ctx)
	if x == nil {
		return nil, errors.New("connection dialled outside a fetch")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	c, err := d.connect(x, "https", host, port)
	if err != nil {
		return nil, err
	}
	x.dialing(crawl.PhaseTLS)
	cfg := d.tls.Clone()
	cfg.ServerName = host
	tc := tls.Client(c, cfg)
	limited, cancel := phaseContext(x, x.timeouts.TLS, crawl.FailTLS, "the TLS handshake was not finished within ")
	defer cancel()
	start := time.Now()
	err = tc.HandshakeContext(limited)
	c.tls = time.Since(start)
	x.tls.Store(int64(c.tls))
	if err != nil {
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		c.Close()
		return nil, &dialError{crawl.PhaseTLS, err}
	}
	if tc.ConnectionState().NegotiatedProtocol == "h2" {
		d.keep(x, c)
	}
	return tc, nil
}

// keep hands a connection over HTTP/2 to the keeper, held by the fetch that it
// was made for.
func (d *dialer) keep(x *exchange, c *conn) {
	c.keeper = d.keeper
	d.keeper.hold(x, c)
}

// phaseContext limits x to d for one phase of a dial.
func phaseContext(x *exchange, d time.Duration, class crawl.FailureClass, detail string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(x, d, &abort{class, detail + d.String()})
}

func (d *dialer) connect(x *exchange, scheme, host, port string) (*conn, error) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, &dialError{crawl.PhaseConnect, fmt.Errorf("port %q: %w", port, err)}
	}
	if d.keeper != nil && x.streams.Load() >= maxStreams {
		return nil, errRefused
	}
	c := new(conn)
	start := time.Now()
	addrs, err := d.resolve(x, host)
	c.dns = time.Since(start)
	if _, literal := netip.ParseAddr(host); literal == nil {
		c.dns = 0
	}
	x.dns.Store(int64(c.dns))
	if err != nil {
		return nil, &dialError{crawl.PhaseDNS, err}
	}
	way := &crawl.Way{Answer: answered(host, addrs)}
	x.way.Store(&crawl.Way{Answer: way.Answer}) // the other one is being written until the dial is over
	x.dialing(crawl.PhaseConnect)
	targets, err := d.targets(addrs, uint16(number))
	if err != nil {
		return nil, &dialError{crawl.PhaseConnect, err}
	}
	limited, cancel := phaseContext(x, x.timeouts.Connect, crawl.FailConnectTimeout, "the server did not answer the connection attempt within ")
	defer cancel()
	start = time.Now()
	c.Conn, c.remote, err = d.reach(noting(limited, way), scheme, host, port, targets)
	c.way = way
	x.way.Store(way)
	c.connect = time.Since(start)
	x.connect.Store(int64(c.connect))
	if err != nil {
		var ours *abort
		if limited.Err() != nil && !errors.As(err, &ours) {
			err = context.Cause(limited)
		}
		return nil, &dialError{crawl.PhaseConnect, err}
	}
	return c, nil
}

// reach connects to one of targets, through a proxy where there is one.
func (d *dialer) reach(ctx context.Context, scheme, host, port string, targets []netip.AddrPort) (net.Conn, netip.AddrPort, error) {
	if d.proxy != nil {
		list, err := d.proxy(scheme, host, port)
		if err != nil {
			return nil, netip.AddrPort{}, &abort{crawl.FailProxy, "no proxy can be used: " + clip(err.Error())}
		}
		if len(list) > 0 {
			return d.tunnel(ctx, list, targets)
		}
	}
	return d.race(ctx, targets)
}

func (d *dialer) resolve(x *exchange, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	x.dialing(crawl.PhaseDNS)
	limited, cancel := phaseContext(x, x.timeouts.Connect, crawl.FailDNSUnresponsive, "no DNS server gave an answer within ")
	defer cancel()
	addrs, err := d.resolver.LookupNetIP(limited, host)
	switch {
	case err != nil && limited.Err() != nil:
		return nil, context.Cause(limited)
	case err != nil:
		return nil, err
	case len(addrs) == 0:
		return nil, &net.DNSError{Err: "the name has no addresses", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

// targets returns the addresses that may be dialled, IPv6 and IPv4 in turns
// beginning with the family of the first (RFC 8305 section 4). It fails only
// when the Guard refuses them all.
func (d *dialer) targets(addrs []netip.Addr, port uint16) ([]netip.AddrPort, error) {
	var refused error
	var first, second []netip.AddrPort
	family := addrs[0].Unmap().Is4()
	for _, a := range addrs {
		if err := d.check(a); err != nil {
			refused = err
			continue
		}
		ap := netip.AddrPortFrom(a.Unmap(), port)
		if ap.Addr().Is4() == family {
			first = append(first, ap)
		} else {
			second = append(second, ap)
		}
	}
	list := make([]netip.AddrPort, 0, maxDials)
	for i := 0; len(list) < maxDials && (i < len(first) || i < len(second)); i++ {
		if i < len(first) {
			list = append(list, first[i])
		}
		if i < len(second) && len(list) < maxDials {
			list = append(list, second[i])
		}
	}
	if len(list) == 0 {
		return nil, refused
	}
	return list, nil
}

type dialled struct {
	conn net.Conn
	addr netip.AddrPort
	err  error
}

// race dials the addresses in order, each when the one before has failed or
// has not answered within fallbackDelay, and returns the first connection.
// When all fail, the error of the first that failed is returned.
func (d *dialer) race(ctx context.Context, addrs []netip.AddrPort) (net.Conn, netip.AddrPort, error) {
	if len(addrs) == 1 {
		note(ctx, addrs[0])
		c, err := d.dial(ctx, "tcp", addrs[0].String())
		return c, addrs[0], err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialled)
	delay := time.NewTimer(0)
	defer delay.Stop()
	var failed error
	for started, running := 0, 0; ; {
		select {
		case <-delay.C:
			if started < len(addrs) {
				note(ctx, addrs[started])
				go d.attempt(ctx, addrs[started], results)
				started, running = started+1, running+1
				delay.Reset(fallbackDelay)
			}
		case r := <-results:
			if r.err == nil {
				return r.conn, r.addr, nil
			}
			if failed == nil {
				failed = r.err
			}
			running--
			if started < len(addrs) {
				delay.Reset(0)
			} else if running == 0 {
				return nil, r.addr, failed
			}
		case <-ctx.Done():
			return nil, netip.AddrPort{}, context.Cause(ctx)
		}
	}
}

func (d *dialer) attempt(ctx context.Context, addr netip.AddrPort, results chan<- dialled) {
	c, err := d.dial(ctx, "tcp", addr.String())
	select {
	case results <- dialled{c, addr, err}:
	case <-ctx.Done():
		if c != nil {
			c.Close()
		}
	}
}
