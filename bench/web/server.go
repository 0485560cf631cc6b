package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Server serves a web and counts.
type Server struct {
	web     *Web
	ln      net.Listener
	counts  counters
	control handoff
	quit    chan struct{}
	stop    sync.Once
	mu      sync.Mutex
	conns   map[net.Conn]struct{} // nil after the end
	wg      sync.WaitGroup
}

// Listen binds the port (0 = any free one) and builds the spec's pages. The
// returned server answers once Run is called.
func Listen(spec Spec, port int) (*Server, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if port < 0 || port > 65535 {
		return nil, fmt.Errorf("port is %d: give a number from 1 to 65535, or 0 for any free one", port)
	}
	ln, err := net.Listen("tcp4", fmt.Sprintf(":%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening on port %d: %w; give another port, or 0 for any free one", port, err)
	}
	port = ln.Addr().(*net.TCPAddr).Port
	s := &Server{
		web: Build(spec, port), ln: ln, quit: make(chan struct{}), conns: map[net.Conn]struct{}{},
		control: handoff{conns: make(chan net.Conn), done: make(chan struct{}), addr: ln.Addr()},
	}
	s.counts.visits = make([]atomic.Uint32, spec.Total())
	s.counts.reset()
	return s, nil
}

// Web returns what is served.
func (s *Server) Web() *Web { return s.web }

// Port returns the port that all hosts listen on.
func (s *Server) Port() int { return s.web.port }

// Control returns the URL under which the control pages are, without a slash
// at the end.
func (s *Server) Control() string { return fmt.Sprintf("http://127.0.0.1:%d", s.web.port) }

// Stats returns the counts since the last reset.
func (s *Server) Stats() Stats { return s.counts.stats() }

// Quit ends Run. It may be called at any time, more than once.
func (s *Server) Quit() { s.stop.Do(func() { close(s.quit) }) }

// Run serves until ctx is done or Quit is called; then it closes every
// connection and returns nil. It is called once.
func (s *Server) Run(ctx context.Context) error {
	s.wg.Go(s.serveControl)
	failed := make(chan error, 1)
	s.wg.Go(func() { failed <- s.accept() })
	var err error
	select {
	case <-ctx.Done():
	case <-s.quit:
	case err = <-failed:
	}
	s.Quit()
	s.ln.Close()
	close(s.control.done)
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.conns = nil
	s.mu.Unlock()
	s.wg.Wait()
	return err
}

// accept hands each connection to its host until the listener is closed.
func (s *Server) accept() error {
	for {
		c, err := s.ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
			time.Sleep(10 * time.Millisecond) // no file descriptor free: connections wait in the kernel's queue
			continue
		case err != nil:
			return fmt.Errorf("accepting connections: %w", err)
		}
		local := c.LocalAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		host, ok := hostOf(local, s.web.spec.Hosts)
		switch {
		case ok && s.hold(c):
			s.wg.Go(func() { s.serve(c, host) })
		case local == netip.AddrFrom4([4]byte{127, 0, 0, 1}):
			s.control.offer(c)
		default:
			c.Close()
		}
	}
}

// hold remembers a connection, so that the end closes it.
func (s *Server) hold(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[c] = struct{}{}
	s.counts.opened()
	return true
}

func (s *Server) release(c net.Conn) {
	c.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.counts.closed()
}
