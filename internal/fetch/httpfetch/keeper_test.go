package httpfetch_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"testing"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// openConns counts the connections of servers.
type openConns struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// manyHTTP2 starts servers over HTTP/2 whose connections are counted.
func manyHTTP2(t *testing.T, n int, h http.Handler) ([]*httptest.Server, *openConns) {
	conns := &openConns{open: map[net.Conn]bool{}}
	servers := make([]*httptest.Server, n)
	for i := range servers {
		s := httptest.NewUnstartedServer(h)
		s.EnableHTTP2 = true
		s.Config.ConnState = conns.note
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that were given up
		s.StartTLS()
		t.Cleanup(s.Close)
		servers[i] = s
	}
	return servers, conns
}

func (o *openConns) note(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if state == http.StateClosed {
		delete(o.open, c)
	} else {
		o.open[c] = true
	}
}

func (o *openConns) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

// TestIdleHTTP2ConnectionsAreBounded fetches from more hosts than connections
// may be idle. Closing some never costs a fetch.
func TestIdleHTTP2ConnectionsAreBounded(t *testing.T) {
	const most = 3
	servers, conns := manyHTTP2(t, 12, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	f := local(t, trusting(servers[0]), func(o *httpfetch.Options) { o.MaxIdle = most })
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 30 {
				req := fetchtest.NewRequest(crawl.URL(servers[(worker*7+i)%len(servers)].URL + "/"))
				req.Protocol, req.Timeouts = crawl.ProtocolHTTP2, crawl.DefaultTimeouts()
				if res := fetchtest.Fetch(t, f, req); res.Failure != nil || string(res.Body) != "HTTP/2.0" {
					t.Errorf("%q, %v", res.Body, res.Failure)
				}
			}
		})
	}
	wg.Wait()
	eventually(t, func() bool { return conns.count() <= most })
	if conns.count() == 0 {
		t.Error("nothing is kept")
	}
	f.CloseIdle()
	eventually(t, func() bool { return conns.count() == 0 })
}

// TestHTTP2ConnectionIsShared: one connection carries parallel fetches of one
// host, and is kept while one of them has not ended, though others have.
func TestHTTP2ConnectionIsShared(t *testing.T) {
	var running atomic.Int64
	all := make(chan struct{})
	const parallel = 10
	servers, conns := manyHTTP2(t, 1, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			return
		}
		if running.Add(1) == parallel {
			close(all)
		}
		<-all
	}))
	f := local(t, trusting(servers[0]), func(o *httpfetch.Options) { o.MaxIdle = 1 })
	fetch := func(path string) {
		req := fetchtest.NewRequest(crawl.URL(servers[0].URL + path))
		req.Protocol, req.Timeouts = crawl.ProtocolHTTP2, crawl.DefaultTimeouts()
		if res := fetchtest.Fetch(t, f, req); res.Failure != nil || res.Protocol != crawl.ProtocolHTTP2 {
			t.Errorf("%s: %v, %v", path, res.Protocol, res.Failure)
		}
	}
	fetch("/first")
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() { fetch("/") })
	}
	wg.Wait()
	if n := conns.count(); n != 1 {
		t.Errorf("%d connections; want 1", n)
	}
}

// TestEvictedConnectionCostsNoFetch closes the connection at the moment at which
// the fetch has been given it already.
func TestEvictedConnectionCostsNoFetch(t *testing.T) {
	servers, _ := manyHTTP2(t, 1, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	f := local(t, trusting(servers[0]))
	for i := range 20 {
		given := 0
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
			if given++; given == 1 {
				httpfetch.Evict(got)
			}
		}})
		req := fetchtest.NewRequest(crawl.URL(servers[0].URL + "/"))
		req.Protocol, req.Timeouts = crawl.ProtocolHTTP2, crawl.DefaultTimeouts()
		if res := f.Fetch(ctx, req); res.Failure != nil || res.Protocol != crawl.ProtocolHTTP2 || given < 2 {
			t.Fatalf("fetch %d over %v, given %d connections: %v", i, res.Protocol, given, res.Failure)
		}
	}
}
