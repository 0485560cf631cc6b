package httpfetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/failure"
)

// Fetch implements [fetch.Fetcher] for http and https URLs.
//
// ProtocolAuto and ProtocolHTTP1 mean HTTP/1.1 with h2 not offered.
// ProtocolHTTP2 offers h2 over TLS and uses prior knowledge on plain TCP; a
// server that does not take it is spoken to in HTTP/1.1, and Result.Protocol
// says so (B1).
func (f *Fetcher) Fetch(ctx context.Context, req *crawl.Request) *crawl.Result {
	x := newExchange(ctx, req)
	x.headerLimit = f.headerLimit
	defer x.end()
	res := &crawl.Result{URL: req.URL, Start: f.now().UTC()}
	if class, why := check(req); class != crawl.FailNone {
		x.fail(res, class, crawl.PhaseNone, why)
		res.Timings = x.timings()
		return res
	}
	route := f.routes[req.Egress]
	if route == nil {
		x.fail(res, crawl.FailProxy, crawl.PhaseNone, "no way out through region "+req.Egress+" is configured")
		res.Timings = x.timings()
		return res
	}
	out, sent := f.newRequest(x, req)
	res.SentRequest = sent
	route.exchange(x, req, out, res)
	if req.Protocol == crawl.ProtocolHTTP2 {
		route.kept.end(x, res.Failure != nil)
	}
	res.Remote = x.remote
	res.Timings = x.timings()
	res.Way = x.way.Load()
	res.Interim, res.MoreInterim = x.interim.list()
	return res
}

// check refuses what can or must not be sent.
func check(req *crawl.Request) (crawl.FailureClass, string) {
	scheme := req.URL.Scheme()
	if scheme != "http" && scheme != "https" {
		return crawl.FailOther, fmt.Sprintf("this fetcher speaks http and https, not %q", scheme)
	}
	switch req.Protocol {
	case crawl.ProtocolAuto, crawl.ProtocolHTTP1, crawl.ProtocolHTTP2:
	default:
		return crawl.FailOther, "this fetcher does not speak " + req.Protocol.String()
	}
	if req.URL.Host() == "" || !printable(string(req.URL)) {
		return crawl.FailOther, "the URL is not in canonical form"
	}
	if p := req.URL.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return crawl.FailOther, "the port in the URL is no number below 65536"
		}
		if fetch.BlockedPort(uint16(n)) {
			return crawl.FailBlockedPort, "port " + p + " belongs to another service; no HTTP is spoken to it"
		}
	}
	return crawl.FailNone, ""
}

// printable reports whether s has only the bytes that a request line may
// carry, so that no URL can inject a second one.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// roundTrip sends out over the protocol asked for.
func (r *route) roundTrip(x *exchange, req *crawl.Request, out *http.Request, res *crawl.Result) (*http.Response, error) {
	if req.Protocol != crawl.ProtocolHTTP2 {
		return r.http1.RoundTrip(out)
	}
	transport := r.http2
	if req.URL.Scheme() == "http" {
		transport = r.h2c
	}
	resp, err := transport.RoundTrip(out)
	if err != nil && x.Err() == nil && r.kept.lost(x) {
		x.streams.Store(0)
		resp, err = transport.RoundTrip(out)
	}
	switch {
	case x.Err() != nil:
		return resp, err
	case err == nil && resp.ProtoMajor == 2 && resp.StatusCode == http.StatusMisdirectedRequest:
		resp.Body.Close()
		res.Misdirected = true
	case err != nil && wantsHTTP1(err):
		res.Misdirected = true
	case err == nil || !x.neverHTTP2(err):
		return resp, err
	}
	return r.http1.RoundTrip(out)
}

// exchange sends out and reads what comes back.
func (r *route) exchange(x *exchange, req *crawl.Request, out *http.Request, res *crawl.Result) {
	resp, err := r.roundTrip(x, req, out, res)
	if err != nil {
		x.failBy(res, err, x.current())
		return
	}
	x.useful()
	readHeader(res, resp)
	if res.Status < 100 {
		resp.Body.Close()
		res.Status = 0
		x.fail(res, crawl.FailUnparseable, crawl.PhaseHeaders, "the status code in the response is none")
		return
	}
	if res.Status == http.StatusSwitchingProtocols {
		// Nobody asked for it, and what follows is not HTTP. Its body would be
		// the bare connection, which no deadline of ours reaches.
		resp.Body.Close()
		x.fail(res, crawl.FailUnparseable, crawl.PhaseHeaders, "the server switches to another protocol unasked (101)")
		return
	}
	x.startBody(contentWait(req, res.Status))
	x.readBody(req, res, resp)
}

// contentWait returns how long the body of a 201 or 202 may take (B8), or 0
// for every other status.
func contentWait(req *crawl.Request, status int) time.Duration {
	if status != http.StatusCreated && status != http.StatusAccepted {
		return 0
	}
	if req.ContentWait > 0 {
		return req.ContentWait
	}
	return timeouts(req.Timeouts).Idle
}

// wantsHTTP1 reports whether err says that the server takes this request over
// HTTP/1.1 only: HTTP_1_1_REQUIRED, on the stream or for the whole connection
// (RFC 9113 section 7). It counts like a 421: a server that says so has opted
// out for the hostname.
func wantsHTTP1(err error) bool {
	return streamCode(err, h2HTTP11Required) || saysGoAway(err) && strings.Contains(err.Error(), "HTTP_1_1_REQUIRED")
}

// neverHTTP2 reports whether err is how a server reacts that does not speak
// HTTP/2 after all, be it to prior knowledge or to what it chose by ALPN: the
// new connection breaks before anything was understood. Such a request is sent
// once more over HTTP/1.1 (house choice). A stream that was reset, a GOAWAY and
// silence are answers of HTTP/2.
func (x *exchange) neverHTTP2(err error) bool {
	var dial *dialError
	var stream streamError
	if x.reused || errors.As(err, &dial) || errors.As(err, &stream) || saysGoAway(err) || saysTooLarge(err) {
		return false
	}
	return failure.Gone(err) || saysClosed(err) || strings.Contains(err.Error(), "http2: ")
}

// failBy records err as failure of res, or who ended the fetch, if we did.
func (x *exchange) failBy(res *crawl.Result, err error, phase crawl.Phase) {
	if x.Err() != nil {
		var ours *abort
		if cause := context.Cause(x); errors.As(cause, &ours) {
			err = ours
		} else {
			err = &abort{crawl.FailCanceled, "we stopped the fetch: " + clip(cause.Error())}
		}
	}
	class, phase, detail := classify(err, phase)
	if class != crawl.FailNone {
		x.fail(res, class, phase, detail)
	}
}

func (x *exchange) fail(res *crawl.Result, class crawl.FailureClass, phase crawl.Phase, detail string) {
	res.Failure = &crawl.Failure{Class: class, Phase: phase, Host: res.URL.Host(), Elapsed: x.elapsed(), Detail: detail}
}
