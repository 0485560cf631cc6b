package fetchtest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trawl/internal/crawl"
)

// Script speaks for a server on one connection, which is closed when it
// returns.
type Script func(c *Conn)

// Server is a listener on loopback whose connections a script serves. It is
// closed, with all its connections, when the test ends.
type Server struct {
	Addr netip.AddrPort

	Conns    atomic.Int64 // connections accepted
	Requests atomic.Int64 // request headers read
	Written  atomic.Int64 // bytes the scripts could write

	scheme   string
	listener net.Listener
	wg       sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]struct{}
	closed   bool
}

// Serve listens on a free port of 127.0.0.1.
func Serve(t testing.TB, script Script) *Server { return ServeAt(t, "127.0.0.1:0", script) }

// ServeAt listens on addr, for example "127.0.0.2:0" or "[::1]:0".
func ServeAt(t testing.TB, addr string, script Script) *Server {
	t.Helper()
	return serve(t, addr, "http", nil, script)
}

// ServeTLS listens on a free port of 127.0.0.1 and speaks TLS by cfg.
func ServeTLS(t testing.TB, cfg *tls.Config, script Script) *Server {
	t.Helper()
	return ServeTLSAt(t, "127.0.0.1:0", cfg, script)
}

// ServeTLSAt listens on addr and speaks TLS by cfg.
func ServeTLSAt(t testing.TB, addr string, cfg *tls.Config, script Script) *Server {
	t.Helper()
	return serve(t, addr, "https", cfg, script)
}

func serve(t testing.TB, addr, scheme string, cfg *tls.Config, script Script) *Server {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatalf("listen on %s: %v", addr, err)
	}
	s := &Server{Addr: netip.MustParseAddrPort(l.Addr().String()), scheme: scheme, listener: l, open: map[net.Conn]struct{}{}}
	s.wg.Go(func() { s.accept(cfg, script) })
	t.Cleanup(s.Close)
	return s
}

// URL returns the URL of path on the server.
func (s *Server) URL(path string) crawl.URL {
	return crawl.URL(s.scheme + "://" + s.Addr.String() + path)
}

// URLAt returns the URL of path on the server under another hostname.
func (s *Server) URLAt(host, path string) crawl.URL {
	_, port, _ := net.SplitHostPort(s.Addr.String())
	return crawl.URL(s.scheme + "://" + host + ":" + port + path)
}

// Close stops the server and waits for its scripts.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.listener.Close()
	s.wg.Wait()
}

// Open returns how many connections are open.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

func (s *Server) accept(cfg *tls.Config, script Script) {
	for {
		raw, err := s.listener.Accept()
		if err != nil {
			return
		}
		if !s.track(raw) {
			raw.Close()
			return
		}
		n := s.Conns.Add(1)
		s.wg.Go(func() {
			defer s.forget(raw)
			c := &Conn{Conn: raw, N: n, server: s, raw: raw}
			if cfg != nil {
				c.Conn = tls.Server(raw, cfg)
				defer c.Conn.Close()
			}
			c.in = bufio.NewReader(c.Conn)
			script(c)
		})
	}
}

func (s *Server) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.open[c] = struct{}{}
	}
	return !s.closed
}

func (s *Server) forget(c net.Conn) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// Conn is the server's end of a connection.
type Conn struct {
	net.Conn
	N int64 // 1 for the first connection of the server

	server *Server
	raw    net.Conn
	in     *bufio.Reader
}

// Request reads one request header and returns its lines, the request line
// first; ok is false when the client is gone.
func (c *Conn) Request() (lines []string, ok bool) {
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return nil, false
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" && len(lines) > 0 {
			c.server.Requests.Add(1)
			return lines, true
		}
		lines = append(lines, line)
	}
}

// Negotiated returns the protocol that the client and we agreed on in the TLS
// handshake, which it waits for; "" without TLS.
func (c *Conn) Negotiated() string {
	tc, ok := c.Conn.(*tls.Conn)
	if !ok || tc.Handshake() != nil {
		return ""
	}
	return tc.ConnectionState().NegotiatedProtocol
}

// Send writes text and reports whether the client still takes it.
func (c *Conn) Send(text string) bool {
	n, err := io.WriteString(c.Conn, text)
	c.server.Written.Add(int64(n))
	return err == nil
}

// Flood writes block again and again until the client is gone.
func (c *Conn) Flood(block string) {
	for c.Send(block) {
	}
}

// Drip writes block at every tick until the client is gone.
func (c *Conn) Drip(block string, every time.Duration) {
	for c.Send(block) && !c.gone(every) {
	}
}

// Await waits until the client is gone.
func (c *Conn) Await() { io.Copy(io.Discard, c.in) }

// gone waits for d, or less if the client is gone.
func (c *Conn) gone(d time.Duration) bool {
	c.SetReadDeadline(time.Now().Add(d))
	_, err := io.Copy(io.Discard, c.in)
	if err == nil {
		return true
	}
	timeout, ok := err.(net.Error)
	return !ok || !timeout.Timeout()
}

// Reset closes the connection with a TCP reset.
func (c *Conn) Reset() {
	if tcp, ok := c.raw.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.raw.Close()
}
