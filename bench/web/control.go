package web

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"time"
)

// listed bounds the lists of /missing and /repeated.
const listed = 1000

// serveControl answers on the control connections until the server ends.
func (s *Server) serveControl() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Stats()) })
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		s.counts.reset()
		writeJSON(w, s.Stats())
	})
	mux.HandleFunc("GET /spec", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.web.spec) })
	mux.HandleFunc("GET /seeds", func(w http.ResponseWriter, _ *http.Request) { s.list(w, s.web.spec.Hosts, s.web.spec.Pages, nil) })
	mux.HandleFunc("GET /urls", func(w http.ResponseWriter, _ *http.Request) { s.list(w, s.web.spec.Total(), 1, nil) })
	mux.HandleFunc("GET /missing", func(w http.ResponseWriter, _ *http.Request) {
		s.list(w, listed, 1, func(visits uint32) bool { return visits == 0 })
	})
	mux.HandleFunc("GET /repeated", func(w http.ResponseWriter, _ *http.Request) {
		s.list(w, listed, 1, func(visits uint32) bool { return visits > 1 })
	})
	mux.HandleFunc("POST /quit", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, s.Stats())
		_ = http.NewResponseController(w).Flush() // the answer goes out before the connection is closed
		s.Quit()
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	_ = srv.Serve(&s.control) // ends when the listener does
	srv.Close()
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}

// list writes at most limit URLs, one a line, of every step-th page that want
// (nil = all) accepts by its number of visits.
func (s *Server) list(w http.ResponseWriter, limit, step int, want func(visits uint32) bool) {
	w.Header().Set("Content-Type", "text/plain")
	out := bufio.NewWriter(w)
	defer out.Flush()
	for i := 0; i < s.web.spec.Total() && limit > 0; i += step {
		if want != nil && !want(s.counts.visits[i].Load()) {
			continue
		}
		limit--
		_, _ = out.WriteString(s.web.URL(i/s.web.spec.Pages, i%s.web.spec.Pages))
		_ = out.WriteByte('\n')
	}
}

// handoff is a listener whose connections another one accepted.
type handoff struct {
	conns chan net.Conn
	done  chan struct{}
	addr  net.Addr
}

// offer gives a connection to whoever accepts; after the end it is closed.
func (h *handoff) offer(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.done:
		c.Close()
	}
}

// Accept implements net.Listener.
func (h *handoff) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener; the server ends the handoff itself.
func (h *handoff) Close() error { return nil }

// Addr implements net.Listener.
func (h *handoff) Addr() net.Addr { return h.addr }
