package httpfetch_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

func TestB1Protocol(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	both := newHTTP2(t, hello)
	only1 := httptest.NewTLSServer(hello)
	t.Cleanup(only1.Close)
	plain := fetchtest.Serve(t, fetchtest.Reply(fetchtest.Response("400 Bad Request", "HTTP/1.1")))
	h2c := httptest.NewUnstartedServer(hello)
	h2c.Config.Protocols = new(http.Protocols)
	h2c.Config.Protocols.SetUnencryptedHTTP2(true)
	h2c.Config.Protocols.SetHTTP1(true)
	h2c.Start()
	t.Cleanup(h2c.Close)
	f := local(t, trusting(both))
	for name, c := range map[string]struct {
		url  string
		ask  crawl.Protocol
		want crawl.Protocol
	}{
		"auto is HTTP/1.1":    {both.URL, crawl.ProtocolAuto, crawl.ProtocolHTTP1},
		"HTTP/1.1":            {both.URL, crawl.ProtocolHTTP1, crawl.ProtocolHTTP1},
		"HTTP/2":              {both.URL, crawl.ProtocolHTTP2, crawl.ProtocolHTTP2},
		"HTTP/2 not taken":    {only1.URL, crawl.ProtocolHTTP2, crawl.ProtocolHTTP1},
		"plain HTTP/2":        {h2c.URL, crawl.ProtocolHTTP2, crawl.ProtocolHTTP2},
		"plain and not taken": {string(plain.URL("")), crawl.ProtocolHTTP2, crawl.ProtocolHTTP1},
	} {
		t.Run(name, func(t *testing.T) {
			req := fetchtest.NewRequest(crawl.URL(c.url + "/"))
			req.Protocol = c.ask
			res := fetchtest.Fetch(t, f, req)
			if res.Failure != nil || res.Protocol != c.want || !strings.HasPrefix(string(res.Body), c.want.String()) || res.Misdirected {
				t.Errorf("%v, body %q, %v; want %v", res.Protocol, res.Body, res.Failure, c.want)
			}
			if res.Reason == "" && c.want == crawl.ProtocolHTTP1 || res.Reason != "" && c.want == crawl.ProtocolHTTP2 {
				t.Errorf("reason %q", res.Reason)
			}
		})
	}
	t.Run("FTP", func(t *testing.T) {
		req := fetchtest.NewRequest(crawl.URL(both.URL + "/"))
		req.Protocol = crawl.ProtocolFTP
		wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailOther, crawl.PhaseNone)
	})
}

func TestB1Misdirected(t *testing.T) {
	var asked atomic.Int64
	s := newHTTP2(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.ProtoMajor == 2 {
			w.Header().Set("X-Old", "yes")
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		io.WriteString(w, "over 1.1")
	}))
	f := local(t, trusting(s))
	req := fetchtest.NewRequest(crawl.URL(s.URL + "/"))
	req.Protocol = crawl.ProtocolHTTP2
	res := fetchtest.Fetch(t, f, req)
	if !res.Misdirected || res.Status != 200 || res.Protocol != crawl.ProtocolHTTP1 || string(res.Body) != "over 1.1" || res.Header.Get("X-Old") != "" || asked.Load() != 2 {
		t.Errorf("misdirected %v, status %d over %v, body %q, %d requests, %v", res.Misdirected, res.Status, res.Protocol, res.Body, asked.Load(), res.Failure)
	}
	// Over HTTP/1.1 a 421 is an answer like any other.
	plain := fetchtest.Serve(t, fetchtest.Reply(fetchtest.Response("421 Misdirected", "")))
	if res := fetchtest.Fetch(t, f, fetchtest.NewRequest(plain.URL("/"))); res.Status != 421 || res.Misdirected || plain.Requests.Load() != 1 {
		t.Errorf("status %d, misdirected %v after %d requests", res.Status, res.Misdirected, plain.Requests.Load())
	}
}

func TestA6RequestFields(t *testing.T) {
	sent := make(chan []string, 1)
	s := fetchtest.Serve(t, func(c *fetchtest.Conn) {
		for {
			lines, ok := c.Request()
			if !ok {
				return
			}
			sent <- lines
			c.Send(fetchtest.OK(""))
		}
	})
	f := local(t)
	host := s.Addr.String()
	for name, c := range map[string]struct {
		change func(*crawl.Request)
		want   []string
	}{
		"full": {func(r *crawl.Request) {
			r.UserAgent, r.Accept, r.AcceptEncoding = "UA/1", "text/html", "gzip, deflate, br"
			r.IfNoneMatch, r.IfModifiedSince = `W/"1"`, "Mon, 01 Jan 2024 00:00:00 GMT"
			r.Extra = crawl.Header{{Name: "signature-agent", Value: "x"}, {Name: "From", Value: "a@b.example"}, {Name: "hOST", Value: "evil"}}
		}, []string{
			"Host: " + host, "User-Agent: UA/1", "Accept: text/html", "Accept-Encoding: gzip, deflate, br", "From: a@b.example",
			"If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT", `If-None-Match: W/"1"`, "signature-agent: x",
		}},
		"bare": {func(r *crawl.Request) { r.UserAgent, r.Accept, r.AcceptEncoding = "", "", "" }, []string{"Host: " + host}},
		"br only": {
			func(r *crawl.Request) { r.UserAgent, r.Accept, r.AcceptEncoding = "UA/1", "", "br" },
			[]string{"Host: " + host, "User-Agent: UA/1", "Accept-Encoding: br"},
		},
	} {
		req := fetchtest.NewRequest(s.URL("/"))
		c.change(req)
		res := fetchtest.Fetch(t, f, req)
		got := <-sent
		if got[0] != "GET / HTTP/1.1" || !slices.Equal(got[1:], c.want) {
			t.Errorf("%s: sent %q; want %q", name, got, c.want)
		}
		var said []string
		for _, fld := range res.SentRequest {
			said = append(said, fld.Name+": "+fld.Value)
		}
		if !slices.Equal(said, got[1:]) {
			t.Errorf("%s: SentRequest %q; sent %q", name, said, got[1:])
		}
	}
	req := fetchtest.NewRequest(s.URL("/"))
	req.UserAgent = "UA\r\nX-Injected: yes"
	wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailOther, crawl.PhaseNone)
}

func TestRequestTargetIsSentAsItIs(t *testing.T) {
	sent := make(chan string, 1)
	s := fetchtest.Serve(t, func(c *fetchtest.Conn) {
		for {
			lines, ok := c.Request()
			if !ok {
				return
			}
			sent <- lines[0]
			c.Send(fetchtest.OK(""))
		}
	})
	f := local(t)
	for _, target := range []string{"/", "/?", "/a%2Fb?x=%zz&y=|", "/%zz", "/a|b^c`{}", "/*", "/a;b=c?d", "//x", "//x/y?", "//x?q=%zz", "/a//b", "/http://h/x", "/a?b?c=http://d/"} {
		fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL(target)))
		if got, want := <-sent, "GET "+target+" HTTP/1.1"; got != want {
			t.Errorf("sent %q; want %q", got, want)
		}
	}
	// What no writer of URLs produces has the absolute form, with the same meaning.
	fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL("//%zz")))
	if got, want := <-sent, "GET http://"+s.Addr.String()+"//%zz HTTP/1.1"; got != want {
		t.Errorf("sent %q; want %q", got, want)
	}
}

func TestResponseHeader(t *testing.T) {
	text := "HTTP/1.1 404 Gone Fishing\r\nb: 2\r\nA: 1\r\nB: 3\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
	s := fetchtest.Serve(t, fetchtest.Reply("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"+text+"1\r\nx\r\n0\r\nX-T: ignored\r\n\r\n"))
	res := fetchtest.Fetch(t, local(t), fetchtest.NewRequest(s.URL("/")))
	want := crawl.Header{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}, {Name: "B", Value: "3"}, {Name: "Trailer", Value: "X-T"}, {Name: "Transfer-Encoding", Value: "chunked"}}
	if res.Status != 404 || res.Reason != "Gone Fishing" || !slices.Equal(res.Header, want) || res.HeaderBytes != int64(len(text)) || string(res.Body) != "x" || res.WireBytes != 1 {
		t.Errorf("%d %q %v, %d header bytes (want %d), body %q, wire %d", res.Status, res.Reason, res.Header, res.HeaderBytes, len(text), res.Body, res.WireBytes)
	}
}

// TestB11Rebinding checks that the address dialled is the one judged, however
// often a name changes its addresses.
func TestB11Rebinding(t *testing.T) {
	s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("secret")))
	public := netip.MustParseAddr("127.0.0.9") // stands for a public address: allowed, and nothing listens there
	var asked atomic.Int64
	f := local(t, func(o *httpfetch.Options) {
		o.Guard = fetch.Guard{Allow: []netip.Prefix{netip.PrefixFrom(public, 32)}}
		o.Resolver = lookup(func(context.Context, string) ([]netip.Addr, error) {
			if asked.Add(1) == 1 {
				return []netip.Addr{public}, nil
			}
			return []netip.Addr{s.Addr.Addr()}, nil
		})
	})
	wantFailure(t, fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URLAt("rebind.example", "/"))), crawl.FailRefused, crawl.PhaseConnect)
	wantFailure(t, fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URLAt("rebind.example", "/"))), crawl.FailBlockedAddress, crawl.PhaseConnect)
	if s.Conns.Load() != 0 {
		t.Error("a connection was made to a blocked address")
	}
}

// TestDialFallback checks that a dead first address does not hide a live one.
func TestDialFallback(t *testing.T) {
	s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("x")))
	dead := []netip.Addr{netip.MustParseAddr("127.0.0.8"), netip.MustParseAddr("::1"), netip.MustParseAddr("10.0.0.1"), s.Addr.Addr()}
	f := local(t, func(o *httpfetch.Options) {
		o.Guard = fetch.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
		o.Resolver = lookup(func(context.Context, string) ([]netip.Addr, error) { return dead, nil })
	})
	res := fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URLAt("many.example", "/")))
	if res.Failure != nil || res.Remote != s.Addr {
		t.Errorf("remote %v, %v", res.Remote, res.Failure)
	}
}

func TestIPv6Literal(t *testing.T) {
	if l, err := fetchtestListen6(); err != nil {
		t.Skip("no IPv6 here:", err)
	} else {
		l.Close()
	}
	s := fetchtest.ServeAt(t, "[::1]:0", fetchtest.Reply(fetchtest.OK("six")))
	res := fetchtest.Fetch(t, local(t), fetchtest.NewRequest(s.URL("/")))
	if res.Failure != nil || string(res.Body) != "six" || res.SentRequest.Get("Host") != s.Addr.String() {
		t.Errorf("body %q, Host %q, %v", res.Body, res.SentRequest.Get("Host"), res.Failure)
	}
}

// TestReusedConnectionClosed checks that a connection which the server closed
// between two requests is no failure.
func TestReusedConnectionClosed(t *testing.T) {
	s := fetchtest.Serve(t, func(c *fetchtest.Conn) {
		c.Request()
		c.Send(fetchtest.OK("x"))
		c.Request() // the next request meets a closed connection
	})
	f := local(t)
	for i := range 5 {
		if res := fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL("/"))); res.Failure != nil {
			t.Fatalf("fetch %d: %v", i, res.Failure)
		}
	}
}

func TestIdleConnectionsAreBounded(t *testing.T) {
	f := local(t, func(o *httpfetch.Options) { o.MaxIdle, o.MaxIdlePerHost = 3, 2 })
	var servers []*fetchtest.Server
	var wg sync.WaitGroup
	for range 5 {
		s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("x")))
		servers = append(servers, s)
		for range 4 {
			wg.Go(func() { fetchtest.Fetch(t, f, fetchtest.NewRequest(s.URL("/"))) })
		}
	}
	wg.Wait()
	open := func() (n int) {
		for _, s := range servers {
			n += s.Open()
		}
		return n
	}
	eventually(t, func() bool { return open() <= 3 })
	f.CloseIdle()
	eventually(t, func() bool { return open() == 0 })
}
