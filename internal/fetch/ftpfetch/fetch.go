package ftpfetch

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
)

// target is what a request asks a server for.
type target struct {
	tls    mode
	host   string // without brackets
	port   uint16
	path   string // decoded, absolute
	dir    bool   // a listing is wanted
	fields string // the URL without ";type=…"
}

// mode is how a control connection is encrypted.
type mode uint8

const (
	optional mode = iota // in the clear, AUTH TLS when the login is refused for that
	never                // in the clear
	explicit             // AUTH TLS or nothing
	implicit             // TLS from the first byte
)

// Fetch implements [fetch.Fetcher] for ftp and ftps URLs.
func (f *Fetcher) Fetch(ctx context.Context, req *crawl.Request) *crawl.Result {
	res := &crawl.Result{URL: req.URL, Start: f.opt.Now().UTC(), Protocol: crawl.ProtocolFTP}
	x := newExchange(ctx, f.opt, req, res)
	defer x.end()
	t, err := parseTarget(req)
	if err == nil {
		x.target = t
		err = x.run()
	}
	var no *refusal
	switch {
	case err == nil:
	case errors.As(err, &no) && res.Status == 0:
		res.Status, res.Reason, res.Header = status(no.reply), clip(no.reply.text), nil
	default:
		x.fail(err)
	}
	if res.Limit == 0 {
		res.Limit = req.Limits.For("")
	}
	res.Timings = x.timings()
	return res
}

// parseTarget takes req apart and refuses what can or must not be sent.
func parseTarget(req *crawl.Request) (*target, error) {
	refuse := func(class crawl.FailureClass, format string, args ...any) (*target, error) {
		return nil, &fault{class, crawl.PhaseNone, fmt.Sprintf(format, args...)}
	}
	t := &target{host: strings.Trim(string(req.URL.Host()), "[]"), port: 21}
	switch scheme := req.URL.Scheme(); {
	case scheme == "ftps" && (req.Protocol == crawl.ProtocolAuto || req.Protocol == crawl.ProtocolFTPS):
		t.tls, t.port = implicit, 990
	case scheme == "ftp" && req.Protocol == crawl.ProtocolAuto:
		t.tls = optional
	case scheme == "ftp" && req.Protocol == crawl.ProtocolFTP:
		t.tls = never
	case scheme == "ftp" && req.Protocol == crawl.ProtocolFTPS:
		t.tls = explicit
	case scheme == "ftp" || scheme == "ftps":
		return refuse(crawl.FailOther, "%s is not spoken to an %s URL", req.Protocol, scheme)
	default:
		return refuse(crawl.FailOther, "this fetcher speaks ftp and ftps, not %q", scheme)
	}
	if t.host == "" {
		return refuse(crawl.FailOther, "the URL is not in canonical form")
	}
	if p := req.URL.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return refuse(crawl.FailOther, "the port in the URL is no number below 65536")
		}
		t.port = uint16(n)
	}
	if blockedPort(t.port) {
		return refuse(crawl.FailBlockedPort, "port %d belongs to another service; no FTP is spoken to it", t.port)
	}
	if req.Egress != "" {
		return refuse(crawl.FailProxy, "no way out for FTP through region %s is configured", req.Egress)
	}
	t.readPath(req.URL)
	if !clean(t.path) {
		return refuse(crawl.FailOther, "the path has a line end or a NUL, which no FTP command can carry")
	}
	return t, nil
}

// blockedPort is what browsers block, but for the ports of FTP itself.
func blockedPort(p uint16) bool { return p != 21 && p != 990 && fetch.BlockedPort(p) }

// readPath decodes the path of u. Octets that are badly encoded stand for
// themselves.
func (t *target) readPath(u crawl.URL) {
	raw := u.PathQuery() // FTP knows no query: a question mark is part of a name
	t.fields = strings.TrimSuffix(string(u), raw)
	if i := len(raw) - len(";type=x"); i > 0 && strings.EqualFold(raw[i:i+len(";type=")], ";type=") {
		switch raw[len(raw)-1] | 0x20 {
		case 'd':
			t.dir = true
			raw = raw[:i]
		case 'a', 'i':
			raw = raw[:i]
		}
	}
	t.fields += raw
	path := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '%' && i+2 < len(raw) {
			if n, err := strconv.ParseUint(raw[i+1:i+3], 16, 8); err == nil {
				path = append(path, byte(n))
				i += 2
				continue
			}
		}
		path = append(path, raw[i])
	}
	t.path = string(path)
	t.dir = t.dir || strings.HasSuffix(raw, "/")
}

// fail records err as failure of the result, or who ended the fetch, if it was
// not the server.
func (x *exchange) fail(err error) {
	if x.ctx.Err() != nil {
		if cause := context.Cause(x.ctx); errors.Is(cause, errTotal) {
			err = errTotal
		} else {
			err = &fault{crawl.FailCanceled, x.phase, "we stopped the fetch: " + clip(cause.Error())}
		}
	}
	var no *refusal
	if errors.As(err, &no) {
		err = &fault{crawl.FailIncomplete, x.phase, fmt.Sprintf("the server broke the transfer off: %d %s", no.reply.code, clip(no.reply.text))}
	}
	f := classify(err, x.phase)
	x.res.Failure = &crawl.Failure{Class: f.class, Phase: f.phase, Host: x.res.URL.Host(), Elapsed: max(time.Since(x.began), 1), Detail: f.detail}
}

// run does the whole dialogue. A *[refusal] is an answer, any other error a
// failure.
func (x *exchange) run() error {
	if err := x.connect(); err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		if !wantsTLS(err) || x.target.tls != optional {
			return err
		}
		if again := x.enterSecured(); again != nil {
			if x.tls == nil {
				return err // the server does not turn to TLS
			}
			return again
		}
	}
	x.phase = crawl.PhaseHeaders
	var err error
	if x.target.dir {
		err = x.list()
	} else {
		err = x.retrieve()
	}
	var no *refusal
	if err == nil || errors.As(err, &no) {
		x.quit()
	}
	return err
}

// wantsTLS reports whether a server refuses the login because it is in the
// clear. Such servers most often hang up at once.
func wantsTLS(err error) bool {
	var no *refusal
	if !errors.As(err, &no) {
		return false
	}
	r := no.reply
	return r.code == 522 || r.code == 534 || r.code/100 == 5 && speaksOf(r.text, "encrypt", "tls", "ssl", "secur")
}

// enterSecured logs in once more, over a new connection that turns to TLS first.
func (x *exchange) enterSecured() error {
	x.quit()
	x.control.conn.Close()
	x.target.tls = explicit
	if err := x.connect(); err != nil {
		return err
	}
	return x.enter()
}
