package httpfetch_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// http2Outcome is what a server that speaks broken HTTP/2 must come to.
type http2Outcome struct {
	class  crawl.FailureClass
	status int
	conns  int64 // that the server may see; 0 = 1
}

// either stands for FailUnparseable or FailReset.
const either crawl.FailureClass = 255

// http2Outcomes has the servers of fetchtest.HostileHTTP2 whose outcome does not
// follow from an error code.
func http2Outcomes() map[string]http2Outcome {
	return map[string]http2Outcome{
		// No HTTP/2 after all: asked once more over HTTP/1.1.
		"http/1.1": {0, 400, 2}, "closed": {crawl.FailReset, 0, 2}, "reset": {crawl.FailReset, 0, 2},
		"closed after request": {crawl.FailReset, 0, 2}, "reset after request": {crawl.FailReset, 0, 2},
		// Whether it broke ahead of the request or after it is a matter of time: then once more.
		"bad settings": {either, 0, 2},
		// Bytes that may still become a frame, and silence: nothing to fall back for.
		"garbage": {crawl.FailHeaderTimeout, 0, 1}, "silence": {crawl.FailHeaderTimeout, 0, 1}, "no answer": {crawl.FailHeaderTimeout, 0, 1},
		"no settings": {0, 200, 1}, "no streams": {crawl.FailHeaderTimeout, 0, 2},
		"settings flood": {crawl.FailUnparseable, 0, 1}, "ping flood": {crawl.FailUnparseable, 0, 1}, "rst flood": {crawl.FailReset, 0, 1},
		"empty data flood": {crawl.FailUnparseable, 200, 1}, "zero window": {crawl.FailBodyTimeout, 200, 1}, "over the window": {crawl.FailUnparseable, 200, 1},
		"continuation flood": {crawl.FailUnparseable, 0, 1}, "empty continuation flood": {crawl.FailUnparseable, 0, 1},
		// Ended by net/http as a connection error that does not tell why.
		"huge header list": {crawl.FailUnparseable, 0, 1}, "indexed bomb": {crawl.FailHeaderTooLarge, 0, 1},
		"bad huffman": {crawl.FailUnparseable, 0, 1}, "no status": {crawl.FailUnparseable, 0, 1}, "103 for ever": {crawl.FailHeaderTimeout, 0, 1},
		"trickled body": {crawl.FailBodyTimeout, 200, 1}, "stream of another": {crawl.FailUnparseable, 0, 1}, "push": {crawl.FailUnparseable, 0, 1},
		"body too long": {crawl.FailUnparseable, 200, 1}, "body cut off": {crawl.FailIncomplete, 200, 1},
	}
}

// codeOutcome is what RST_STREAM or GOAWAY with an error code must come to.
func codeOutcome(name string) http2Outcome {
	_, code, _ := strings.Cut(name, "RST_STREAM ")
	switch {
	case strings.HasPrefix(name, "body, GOAWAY"): // streams that the server began go on (RFC 9113 section 6.8)
		return http2Outcome{0, 200, 1}
	case name == "body, RST_STREAM PROTOCOL_ERROR":
		return http2Outcome{crawl.FailUnparseable, 200, 1}
	case strings.HasPrefix(name, "body, "):
		return http2Outcome{crawl.FailReset, 200, 1}
	case strings.HasSuffix(name, "HTTP_1_1_REQUIRED"): // once more, over HTTP/1.1
		return http2Outcome{crawl.FailReset, 0, 2}
	case name == "GOAWAY before, NO_ERROR", code == "PROTOCOL_ERROR": // once more, on a new connection
		return http2Outcome{crawl.FailReset, 0, 2}
	}
	return http2Outcome{crawl.FailReset, 0, 1}
}

// TestB7HTTP2Faults fetches from every server that breaks HTTP/2, several times
// at once: each fetch has its class, asks no oftener than it may, ends in time,
// and leaves no connection that is stuck.
func TestB7HTTP2Faults(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	cfg := ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1")
	cfg.NextProtos = []string{"h2"}
	outcomes := http2Outcomes()
	for name, script := range fetchtest.HostileHTTP2() {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			want, known := outcomes[name]
			if !known {
				want = codeOutcome(name)
			}
			s := fetchtest.ServeTLS(t, cfg, script)
			f := local(t, func(o *httpfetch.Options) { o.RootCAs = ca.Pool })
			req := fetchtest.NewRequest(s.URL("/"))
			req.Protocol, req.Limits.Default = crawl.ProtocolHTTP2, 1<<20
			if want.class != crawl.FailHeaderTimeout && want.class != crawl.FailBodyTimeout {
				req.Timeouts = crawl.DefaultTimeouts()
			}
			res := fetchtest.Fetch(t, f, req)
			if f := res.Failure; want.class == either && f != nil && (f.Class == crawl.FailUnparseable || f.Class == crawl.FailReset) {
				want.class = f.Class
			}
			if want.class == crawl.FailNone && res.Failure != nil || want.class != crawl.FailNone && (res.Failure == nil || res.Failure.Class != want.class) || res.Status != want.status {
				t.Errorf("status %d, %v; want %d, %v", res.Status, res.Failure, want.status, want.class)
			}
			if n := s.Conns.Load(); n > want.conns || s.Requests.Load() > 2 {
				t.Errorf("%d connections, %d requests; want at most %d and 2", n, s.Requests.Load(), want.conns)
			}
			if optOut := strings.HasSuffix(name, "HTTP_1_1_REQUIRED") && want.status == 0; res.Misdirected != optOut {
				t.Errorf("misdirected %v; want %v", res.Misdirected, optOut)
			}
			if n := s.Written.Load(); n > 4<<20 {
				t.Errorf("the server could write %d bytes of frames", n)
			}
			if want.class != crawl.FailNone {
				eventually(t, func() bool { return s.Open() == 0 })
			}
		})
	}
}

// TestB1OptOut answers over HTTP/1.1 what the server refuses over HTTP/2: with
// 421, HTTP_1_1_REQUIRED on the stream or for the connection.
func TestB1OptOut(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	cfg := ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1")
	cfg.NextProtos = []string{"h2", "http/1.1"}
	for name, c := range map[string]struct {
		answer      func(s *fetchtest.Stream) bool
		misdirected bool
	}{
		"421":                      {func(s *fetchtest.Stream) bool { return s.Answer(421, "no") }, true},
		"RST_STREAM":               {func(s *fetchtest.Stream) bool { return s.WriteRSTStream(s.ID, http2.ErrCodeHTTP11Required) == nil }, true},
		"GOAWAY":                   {func(s *fetchtest.Stream) bool { s.WriteGoAway(s.ID, http2.ErrCodeHTTP11Required, nil); return false }, true},
		"GOAWAY before":            {func(s *fetchtest.Stream) bool { s.WriteGoAway(0, http2.ErrCodeHTTP11Required, nil); return s.Await() }, true},
		"broken, but only HTTP/2":  {(*fetchtest.Stream).Reset, false},
		"closed, but only HTTP/2":  {func(*fetchtest.Stream) bool { return false }, false},
		"GOAWAY is not an opt-out": {func(s *fetchtest.Stream) bool { s.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil); return s.Await() }, false},
		"RST is not an opt-out":    {func(s *fetchtest.Stream) bool { return s.WriteRSTStream(s.ID, http2.ErrCodeInternal) == nil }, false},
		"a text is not an opt-out": {func(s *fetchtest.Stream) bool {
			return s.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("HTTP_1_1_REQUIRED")) == nil && s.Await()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			overTwo, overOne := fetchtest.HTTP2(c.answer), fetchtest.Reply(fetchtest.OK("over 1.1"))
			s := fetchtest.ServeTLS(t, cfg, func(conn *fetchtest.Conn) {
				if conn.Negotiated() == "h2" {
					overTwo(conn)
				} else {
					overOne(conn)
				}
			})
			f := local(t, func(o *httpfetch.Options) { o.RootCAs = ca.Pool })
			req := fetchtest.NewRequest(s.URL("/"))
			req.Protocol, req.Timeouts = crawl.ProtocolHTTP2, crawl.DefaultTimeouts()
			res := fetchtest.Fetch(t, f, req)
			again := c.misdirected || strings.HasSuffix(name, "only HTTP/2")
			if res.Misdirected != c.misdirected || (string(res.Body) == "over 1.1" && res.Protocol == crawl.ProtocolHTTP1) != again || s.Requests.Load() > 2 {
				t.Errorf("misdirected %v, %q over %v after %d requests, %v", res.Misdirected, res.Body, res.Protocol, s.Requests.Load(), res.Failure)
			}
		})
	}
}

// TestB1RefusedOnce: a request that was refused once, and so not processed, is
// sent again; the fetch is whole.
func TestB1RefusedOnce(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	cfg := ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1")
	cfg.NextProtos = []string{"h2"}
	for name, refuse := range map[string]func(s *fetchtest.Stream) bool{
		"REFUSED_STREAM": func(s *fetchtest.Stream) bool { return s.WriteRSTStream(s.ID, http2.ErrCodeRefusedStream) == nil },
		"GOAWAY":         func(s *fetchtest.Stream) bool { return s.WriteGoAway(0, http2.ErrCodeNo, nil) == nil && s.Await() },
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			s := fetchtest.ServeTLS(t, cfg, fetchtest.HTTP2(func(s *fetchtest.Stream) bool {
				if asked.Add(1) == 1 {
					return refuse(s)
				}
				return s.Answer(200, "whole")
			}))
			f := local(t, func(o *httpfetch.Options) { o.RootCAs = ca.Pool })
			req := fetchtest.NewRequest(s.URL("/"))
			req.Protocol = crawl.ProtocolHTTP2
			if res := fetchtest.Fetch(t, f, req); res.Failure != nil || string(res.Body) != "whole" || asked.Load() != 2 {
				t.Errorf("%q after %d requests, %v", res.Body, asked.Load(), res.Failure)
			}
		})
	}
}
