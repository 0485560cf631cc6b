//go:build unix

package peers_test

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/miekg/dns"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/dnscache"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/ftpfetch"
	"trawl/internal/fetch/httpfetch"
)

// provocation makes a fetch fail in one way, by what a real socket does.
type provocation struct {
	class crawl.FailureClass
	phase crawl.Phase
	name  string
	// ask returns the fetcher and the URL. It may change the request.
	ask func(t *testing.T, req *crawl.Request) (fetch.Fetcher, string)
}

// provocations is the table of B7: which classes there are, and what provokes
// each.
func provocations() []provocation {
	const none, d, c, s, r, h, b = crawl.PhaseNone, crawl.PhaseDNS, crawl.PhaseConnect, crawl.PhaseTLS, crawl.PhaseRequest, crawl.PhaseHeaders, crawl.PhaseBody
	list := []provocation{
		{crawl.FailNone, none, "trailers", http(fetchtest.Once(fetchtest.Head("200 OK", "Transfer-Encoding: chunked", "Trailer: X-T") + "1\r\nx\r\n0\r\nX-T: 1\r\n\r\n"))},
		{crawl.FailDNS, d, "NXDOMAIN", resolving(coded(dns.RcodeNameError))},
		{crawl.FailDNS, d, "no addresses", resolving(coded(dns.RcodeSuccess))},
		{crawl.FailDNS, d, "CNAME loop", resolving(loop)},
		{crawl.FailDNSUnresponsive, d, "SERVFAIL", resolving(coded(dns.RcodeServerFailure))},
		{crawl.FailDNSUnresponsive, d, "REFUSED", resolving(coded(dns.RcodeRefused))},
		{crawl.FailDNSUnresponsive, d, "silence", resolving(func(dns.ResponseWriter, *dns.Msg) {})},
		{crawl.FailDNSUnresponsive, d, "wrong id", resolving(lie(func(m *dns.Msg) { m.Id++ }))},
		{crawl.FailDNSUnresponsive, d, "wrong question", resolving(lie(func(m *dns.Msg) { m.Question[0].Name = "other.example." }))},
		{crawl.FailDNSUnresponsive, d, "no server", nobodyResolves},
		{crawl.FailRefused, c, "closed port", func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
			return plainHTTP(t), "http://" + closedAt(t, "127.0.0.1:0") + "/"
		}},
		{crawl.FailRefused, c, "closed port, FTP", func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
			return plainFTP(t), "ftp://" + closedAt(t, "127.0.0.1:0") + "/"
		}},
		{crawl.FailConnectTimeout, c, "full backlog", func(t *testing.T, req *crawl.Request) (fetch.Fetcher, string) {
			req.Timeouts.Connect = 100 * time.Millisecond
			return plainHTTP(t), "http://" + backedUp(t, "127.0.0.1:0") + "/"
		}},
		{crawl.FailUnreachable, c, "broadcast", func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
			return plainHTTP(t), "http://255.255.255.255:8080/"
		}},
		{crawl.FailBlockedPort, none, "port 25", func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
			return plainHTTP(t), "http://127.0.0.1:25/"
		}},
		{crawl.FailBlockedAddress, c, "loopback", blockedAddress},
		{crawl.FailProxy, c, "proxy hangs up", throughProxy},
		{crawl.FailCanceled, h, "we stop", http(fetchtest.Mute())}, // by its context, see provoke
		{crawl.FailOther, none, "another scheme", func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
			return plainHTTP(t), "gopher://127.0.0.1/"
		}},

		{crawl.FailReset, h, "half-closed at once", http(halfClosed(""))},
		{crawl.FailIncomplete, b, "half-closed in the body", http(halfClosed(fetchtest.Head("200 OK", "Content-Length: 100") + "x"))},
		{crawl.FailReset, r, "FTP server hangs up", ftp(fetchtest.Hangup())},
		{crawl.FailHeaderTimeout, r, "FTP server is silent", ftp(fetchtest.Mute())},
		{crawl.FailUnparseable, r, "HTTP on the FTP port", ftp(func(c *fetchtest.Conn) { c.Send("HTTP/1.1 400 Bad\r\n\r\n"); c.Await() })},
		{crawl.FailHeaderTooLarge, r, "FTP server talks for ever", ftp(func(c *fetchtest.Conn) { c.Flood("220-hello\r\n") })},
		{crawl.FailDecode, b, "damaged gzip", http(fetchtest.Once(fetchtest.OK("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff", "Content-Encoding: gzip")))},
		{crawl.FailDecode, b, "unknown coding", http(fetchtest.Once(fetchtest.OK("x", "Content-Encoding: zstd")))},
		{crawl.FailIncomplete, b, "gzip cut off", http(fetchtest.Once(fetchtest.OK("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "Content-Encoding: gzip")))},
	}
	for _, name := range []string{"expired", "wrong name", "unknown CA", "old version", "none", "stalled"} {
		list = append(list, provocation{crawl.FailTLS, s, "TLS " + name, overTLS(name)})
	}
	for _, name := range []string{"closed", "reset"} {
		list = append(list, provocation{crawl.FailReset, s, "TLS " + name, overTLS(name)})
	}
	for class, names := range map[crawl.FailureClass][]string{
		crawl.FailReset:          {"hangup", "reset", "close"},
		crawl.FailHeaderTimeout:  {"mute", "half a status line", "half a header", "trickled fields", "103 for ever"},
		crawl.FailUnparseable:    {"garbage", "http/0.9", "ssh", "101 unasked", "two content lengths"},
		crawl.FailHeaderTooLarge: {"1 MB field", "10,000 fields", "endless fields", "100 for ever"},
	} {
		for _, name := range names {
			list = append(list, provocation{class, h, name, http(fetchtest.Hostile()[name])})
		}
	}
	for name, class := range map[string]crawl.FailureClass{
		"body reset": crawl.FailReset, "stalled body": crawl.FailBodyTimeout, "trickled body": crawl.FailBodyTimeout, "bad chunk": crawl.FailUnparseable,
		"endless trailers": crawl.FailUnparseable, "body cut off": crawl.FailIncomplete, "chunk cut off": crawl.FailIncomplete,
	} {
		list = append(list, provocation{class, b, name, http(fetchtest.Hostile()[name])})
	}
	for name, class := range map[string]crawl.FailureClass{
		"RST_STREAM INTERNAL_ERROR": crawl.FailReset, "no answer": crawl.FailHeaderTimeout, "indexed bomb": crawl.FailHeaderTooLarge, "push": crawl.FailUnparseable,
	} {
		list = append(list, provocation{class, h, "HTTP2 " + name, overHTTP2(fetchtest.HostileHTTP2()[name])})
	}
	return list
}

func plainHTTP(t *testing.T) fetch.Fetcher {
	f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}})
	t.Cleanup(f.CloseIdle)
	return f
}

func plainFTP(t *testing.T) fetch.Fetcher {
	f := ftpfetch.New(ftpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}})
	t.Cleanup(f.CloseIdle)
	return f
}

func http(script fetchtest.Script) func(*testing.T, *crawl.Request) (fetch.Fetcher, string) {
	return func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
		return plainHTTP(t), string(fetchtest.Serve(t, script).URL("/"))
	}
}

func ftp(script fetchtest.Script) func(*testing.T, *crawl.Request) (fetch.Fetcher, string) {
	return func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
		return plainFTP(t), "ftp://" + fetchtest.Serve(t, script).Addr.String() + "/file"
	}
}

func overTLS(name string) func(*testing.T, *crawl.Request) (fetch.Fetcher, string) {
	return func(t *testing.T, req *crawl.Request) (fetch.Fetcher, string) {
		ca := fetchtest.NewAuthority(t)
		req.Timeouts.TLS = 300 * time.Millisecond
		f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}, RootCAs: ca.Pool})
		t.Cleanup(f.CloseIdle)
		return f, badTLS(t, ca)[name]("127.0.0.1:0")
	}
}

func overHTTP2(script fetchtest.Script) func(*testing.T, *crawl.Request) (fetch.Fetcher, string) {
	return func(t *testing.T, req *crawl.Request) (fetch.Fetcher, string) {
		ca := fetchtest.NewAuthority(t)
		req.Protocol = crawl.ProtocolHTTP2
		f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}, RootCAs: ca.Pool})
		t.Cleanup(f.CloseIdle)
		return f, serveHTTP2(t, ca, script)("127.0.0.1:0")
	}
}

// halfClosed answers with text and closes its own direction of the connection
// only.
func halfClosed(text string) fetchtest.Script {
	return func(c *fetchtest.Conn) {
		if _, ok := c.Request(); ok && c.Send(text) {
			c.Conn.(*net.TCPConn).CloseWrite()
			c.Await()
		}
	}
}

// blockedAddress fetches from a server that is there, at an address that may not
// be dialled.
func blockedAddress(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
	s := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("secret")))
	t.Cleanup(func() {
		if n := s.Conns.Load(); n > 0 {
			t.Errorf("%d connections reached the server", n)
		}
	})
	f := httpfetch.New(httpfetch.Options{})
	t.Cleanup(f.CloseIdle)
	return f, string(s.URL("/"))
}

// answer is what a DNS server does with a question.
type answer func(w dns.ResponseWriter, q *dns.Msg)

func coded(rcode int) answer {
	return func(w dns.ResponseWriter, q *dns.Msg) { w.WriteMsg(new(dns.Msg).SetRcode(q, rcode)) }
}

func record(text string) dns.RR {
	rr, err := dns.NewRR(text)
	if err != nil {
		panic(err)
	}
	return rr
}

func loop(w dns.ResponseWriter, q *dns.Msg) {
	m := new(dns.Msg).SetReply(q)
	m.Answer = []dns.RR{record("a.example. 60 IN CNAME b.example."), record("b.example. 60 IN CNAME a.example.")}
	w.WriteMsg(m)
}

// lie answers with an address that must not be believed.
func lie(how func(*dns.Msg)) answer {
	return func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		m.Answer = []dns.RR{record("a.example. 60 IN A 127.0.0.1"), record("a.example. 60 IN AAAA ::1")}
		how(m)
		w.WriteMsg(m)
	}
}

// resolving fetches from a name that a DNS server of ours answers for.
func resolving(a answer) func(*testing.T, *crawl.Request) (fetch.Fetcher, string) {
	return func(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
		p, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan struct{})
		s := &dns.Server{PacketConn: p, Handler: dns.HandlerFunc(a), NotifyStartedFunc: func() { close(started) }}
		go s.ActivateAndServe()
		<-started
		t.Cleanup(func() { s.Shutdown() })
		return asking(t, p.LocalAddr().String()), "http://a.example/"
	}
}

func nobodyResolves(t *testing.T, _ *crawl.Request) (fetch.Fetcher, string) {
	return asking(t, closedAt(t, "127.0.0.1:0")), "http://a.example/"
}

func asking(t *testing.T, server string) fetch.Fetcher {
	none := filepath.Join(t.TempDir(), "none")
	r := dnscache.New(dnscache.Options{Config: none, Hosts: none, Servers: []string{server}, Timeout: 150 * time.Millisecond, Tries: 1})
	f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}, Resolver: r})
	t.Cleanup(f.CloseIdle)
	return f
}

// throughProxy fetches by way of a proxy that is of no use.
func throughProxy(t *testing.T, req *crawl.Request) (fetch.Fetcher, string) {
	proxy := fetchtest.Serve(t, fetchtest.Hangup())
	req.Egress = "far"
	f := httpfetch.New(httpfetch.Options{
		Guard:  fetch.Guard{AllowPrivate: true},
		Egress: map[string][]httpfetch.Proxy{"far": {{Scheme: "http", Address: proxy.Addr.String()}}},
	})
	t.Cleanup(f.CloseIdle)
	return f, "http://127.0.0.1:8080/"
}
