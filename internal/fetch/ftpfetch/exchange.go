package ftpfetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"trawl/internal/crawl"
)

// exchange is one fetch under way. All of it but conns belongs to the fetching
// goroutine.
type exchange struct {
	opt    Options
	ctx    context.Context // ends at the total deadline
	cancel context.CancelFunc
	stop   func() bool
	ended  chan struct{} // closed when what the end of ctx starts is over
	req    *crawl.Request
	res    *crawl.Result
	target *target

	timeouts    crawl.Timeouts
	began       time.Time
	phase       crawl.Phase
	times       crawl.Timings
	asked, data time.Time // login sent; first byte of data

	control *control
	tls     *tls.Config // of this fetch; nil = in the clear

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

func newExchange(ctx context.Context, opt Options, req *crawl.Request, res *crawl.Result) *exchange {
	x := &exchange{opt: opt, req: req, res: res, timeouts: timeouts(req.Timeouts), began: time.Now(), ended: make(chan struct{})}
	x.ctx, x.cancel = context.WithDeadlineCause(ctx, x.began.Add(x.timeouts.Total), errTotal)
	// Whoever waits for a connection is woken by its end.
	x.stop = context.AfterFunc(x.ctx, func() {
		x.closeAll()
		close(x.ended)
	})
	return x
}

// end closes everything that the fetch opened.
func (x *exchange) end() {
	if !x.stop() {
		<-x.ended
	}
	x.cancel()
	x.closeAll()
}

func (x *exchange) closeAll() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, c := range x.conns {
		c.Close()
	}
}

// own makes c one of the connections that end with the fetch.
func (x *exchange) own(c net.Conn) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		c.Close()
		return net.ErrClosed
	}
	x.conns = append(x.conns, c)
	return nil
}

// within is the moment d from now, or the end of the fetch if that is earlier.
func (x *exchange) within(d time.Duration) time.Time {
	at := time.Now().Add(d)
	if end := x.began.Add(x.timeouts.Total); end.Before(at) {
		return end
	}
	return at
}

func (x *exchange) timings() crawl.Timings {
	t := x.times
	now := time.Now()
	t.Total = max(now.Sub(x.began), 1)
	switch {
	case !x.data.IsZero():
		t.Wait, t.Body = x.data.Sub(x.asked), now.Sub(x.data)
	case !x.asked.IsZero():
		t.Wait = now.Sub(x.asked)
	}
	return t
}

// connect makes the control connection, and encrypts it if that comes first.
func (x *exchange) connect() error {
	addrs, err := x.resolve()
	if err != nil {
		return err
	}
	x.phase = crawl.PhaseConnect
	start := time.Now()
	conn, remote, err := x.dialAny(addrs)
	x.times.Connect = time.Since(start)
	if err != nil {
		return err
	}
	x.res.Remote = remote
	if err := x.own(conn); err != nil {
		return err
	}
	x.control = newControl(conn)
	if x.target.tls == implicit {
		return x.secure()
	}
	return nil
}

func (x *exchange) resolve() ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(x.target.host); err == nil {
		return []netip.Addr{addr}, nil
	}
	x.phase = crawl.PhaseDNS
	start := time.Now()
	ctx, cancel := context.WithDeadline(x.ctx, x.within(x.timeouts.Connect))
	defer cancel()
	addrs, err := x.opt.Resolver.LookupNetIP(ctx, x.target.host)
	x.times.DNS = time.Since(start)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "the name has no addresses", Name: x.target.host, IsNotFound: true}
	}
	return addrs, nil
}

// dialAny dials the addresses that the Guard allows one after another, each
// within its share of the time. When all fail, the first error is returned.
func (x *exchange) dialAny(addrs []netip.Addr) (net.Conn, netip.AddrPort, error) {
	var first error
	allowed := make([]netip.Addr, 0, maxDials)
	for _, a := range addrs {
		if err := x.opt.Guard.Check(a); err != nil {
			first = &fault{crawl.FailBlockedAddress, crawl.PhaseConnect, err.Error()}
		} else if len(allowed) < maxDials {
			allowed = append(allowed, a.Unmap())
		}
	}
	if len(allowed) > 0 {
		first = nil
	}
	end := x.within(x.timeouts.Connect)
	for i, a := range allowed {
		ap := netip.AddrPortFrom(a, x.target.port)
		share := time.Until(end) / time.Duration(len(allowed)-i)
		c, err := x.dial(ap, time.Now().Add(share))
		if err == nil {
			return c, ap, nil
		}
		if first == nil {
			first = err
		}
		if x.ctx.Err() != nil {
			break
		}
	}
	return nil, netip.AddrPort{}, first
}

// dial makes one connection, control or data: the only place that does.
func (x *exchange) dial(ap netip.AddrPort, end time.Time) (net.Conn, error) {
	if err := x.opt.Guard.Check(ap.Addr()); err != nil {
		return nil, &fault{crawl.FailBlockedAddress, crawl.PhaseConnect, err.Error()}
	}
	ctx, cancel := context.WithDeadline(x.ctx, end)
	defer cancel()
	return x.opt.Dial(ctx, "tcp", ap.String())
}

// secure encrypts the control connection.
func (x *exchange) secure() error {
	if x.control.in.Buffered() > 0 {
		// It would be taken for part of what is protected.
		return &fault{crawl.FailUnparseable, x.phase, "the server said something between its consent to TLS and the handshake"}
	}
	x.phase = crawl.PhaseTLS
	x.tls = &tls.Config{
		RootCAs: x.opt.RootCAs, InsecureSkipVerify: x.opt.Insecure, ServerName: x.target.host,
		ClientSessionCache: tls.NewLRUClientSessionCache(1), // for the data connection
	}
	conn, err := x.handshake(x.control.conn)
	if err != nil {
		return err
	}
	x.control.use(conn)
	x.res.Protocol, x.res.TLSVersion = crawl.ProtocolFTPS, tlsVersion(conn.ConnectionState().Version)
	return nil
}

func (x *exchange) handshake(raw net.Conn) (*tls.Conn, error) {
	start := time.Now()
	raw.SetDeadline(x.within(x.timeouts.TLS))
	conn := tls.Client(raw, x.tls)
	err := conn.HandshakeContext(x.ctx)
	x.times.TLS += time.Since(start)
	raw.SetDeadline(time.Time{})
	return conn, err
}

func tlsVersion(v uint16) string { return "1." + strconv.Itoa(int(v&0xff)-1) }
