package httpfetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
)

// Resolver looks up the addresses of a hostname, in the order in which they
// should be tried. A name that does not exist is a *net.DNSError with
// IsNotFound; any other error means that DNS gave no answer.
type Resolver interface {
	LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error)
}

// Options of a [Fetcher]. The zero value is a fetcher for the public web.
type Options struct {
	Guard          fetch.Guard      // which addresses may be dialled (B11)
	Resolver       Resolver         // nil = the system's, behind a [CachingResolver]
	RootCAs        *x509.CertPool   // nil = the system's
	MaxIdlePerHost int              // idle connections kept per origin; 0 = 4, house choice
	MaxIdle        int              // idle connections kept over all hosts of a region, HTTP/1.1 and HTTP/2 each; 0 = 1024, house choice
	MaxHeaderBytes int64            // of a response header, 1xx responses before it included; 0 = 256 KiB, house choice
	Now            func() time.Time // for Result.Start and the age of DNS answers; nil = time.Now
	Insecure       bool             // accept any certificate: only for owners' own hosts

	// Egress has the ways out by region (B10): Request.Egress names one, and
	// "" is the default region, which needs no proxy. A request for a region
	// that is not here fails with FailProxy. A host's connections go through the
	// proxy of the region that its name hashes to, and through the next one
	// while that one fails. A region without proxies leaves directly.
	Egress map[string][]Proxy
	// EnvironmentProxy makes the region [Environment], in which HTTP_PROXY,
	// HTTPS_PROXY, ALL_PROXY and NO_PROXY of the process decide. Without it they
	// are ignored: an operator's proxy is not the crawler's egress.
	EnvironmentProxy bool

	// Dial replaces the TCP dialler, for tests. Addresses pass the Guard
	// before it is asked. It must give up when ctx is done.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// House choices that no option changes.
const (
	idleTimeoutHTTP1 = 90 * time.Second // close an idle HTTP/1.1 connection
	idleTimeoutHTTP2 = 30 * time.Second // and one of HTTP/2, which costs both sides more
	streamWindow     = 256 << 10        // bytes a server may send ahead on one HTTP/2 stream
	connWindow       = 1 << 20          // and on one HTTP/2 connection
	tlsSessions      = 512              // TLS sessions kept for resumption
)

// Fetcher implements [fetch.Fetcher] over net/http. Make one with [New] and
// share it: connections are reused only within one Fetcher.
type Fetcher struct {
	now    func() time.Time
	routes map[string]*route // by region; never changed
	blank  *http.Request     // copied for each request; never changed

	headerLimit int64 // as in Options
}

// route is the way out of one region, with its connections.
type route struct {
	http1 *http.Transport // HTTP/1.1 only, h2 not offered
	http2 *http.Transport // h2 offered over TLS, HTTP/1.1 if the server declines
	h2c   *http.Transport // HTTP/2 with prior knowledge over plain TCP
	kept  *keeper         // the HTTP/2 connections of both
}

var _ fetch.Fetcher = (*Fetcher)(nil)

// New returns a fetcher that works as opt says.
func New(opt Options) *Fetcher {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Resolver == nil {
		opt.Resolver = NewCachingResolver(systemResolver{}, opt.Now)
	}
	if opt.MaxIdlePerHost <= 0 {
		opt.MaxIdlePerHost = 4
	}
	if opt.MaxIdle <= 0 {
		opt.MaxIdle = 1024
	}
	if opt.MaxHeaderBytes <= 0 {
		opt.MaxHeaderBytes = 256 << 10
	}
	f := &Fetcher{
		now:    opt.Now,
		routes: map[string]*route{},

		headerLimit: opt.MaxHeaderBytes,
		blank:       &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1},
	}
	f.routes[""] = newRoute(opt, nil)
	if opt.EnvironmentProxy {
		f.routes[Environment] = newRoute(opt, environment())
	}
	for region, list := range opt.Egress {
		f.routes[region] = newRoute(opt, always(list))
	}
	return f
}

func newRoute(opt Options, proxy proxyFor) *route {
	kept := &keeper{most: opt.MaxIdle}
	one := newDialer(opt, proxy)
	two := *one
	two.keeper = kept
	r := &route{
		http1: newTransport(opt, one, nil),
		http2: newTransport(opt, &two, []string{"h2", "http/1.1"}),
		h2c:   newTransport(opt, &two, nil),
		kept:  kept,
	}
	r.http1.Protocols = protocols((*http.Protocols).SetHTTP1)
	r.http2.Protocols = protocols((*http.Protocols).SetHTTP1, (*http.Protocols).SetHTTP2)
	r.h2c.Protocols = protocols((*http.Protocols).SetUnencryptedHTTP2)
	r.http2.IdleConnTimeout, r.h2c.IdleConnTimeout = idleTimeoutHTTP2, idleTimeoutHTTP2
	return r
}

func protocols(set ...func(*http.Protocols, bool)) *http.Protocols {
	p := new(http.Protocols)
	for _, s := range set {
		s(p, true)
	}
	return p
}

func newTransport(opt Options, d *dialer, alpn []string) *http.Transport {
	d = d.offering(&tls.Config{
		RootCAs:            opt.RootCAs,
		InsecureSkipVerify: opt.Insecure,
		NextProtos:         alpn,
		ClientSessionCache: tls.NewLRUClientSessionCache(tlsSessions),
	})
	return &http.Transport{
		Proxy:                  nil, // the dialer goes through proxies, to addresses it has checked
		DialContext:            d.dialPlain,
		DialTLSContext:         d.dialTLS,
		DisableCompression:     true, // decoded here, within the byte limit
		MaxIdleConns:           opt.MaxIdle,
		MaxIdleConnsPerHost:    opt.MaxIdlePerHost,
		IdleConnTimeout:        idleTimeoutHTTP1,
		MaxResponseHeaderBytes: opt.MaxHeaderBytes,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream:     streamWindow,
			MaxReceiveBufferPerConnection: connWindow,
			SendPingTimeout:               20 * time.Second, // finds dead connections
			PingTimeout:                   10 * time.Second,
			WriteByteTimeout:              10 * time.Second,
		},
	}
}

// CloseIdle closes connections that no fetch uses.
func (f *Fetcher) CloseIdle() {
	for _, r := range f.routes {
		r.http1.CloseIdleConnections()
		r.http2.CloseIdleConnections()
		r.h2c.CloseIdleConnections()
		r.kept.closeIdle()
	}
}

// timeouts returns t with the default in place of what is not positive.
func timeouts(t crawl.Timeouts) crawl.Timeouts {
	def := crawl.DefaultTimeouts()
	for _, f := range []struct {
		have *time.Duration
		def  time.Duration
	}{{&t.Connect, def.Connect}, {&t.TLS, def.TLS}, {&t.Header, def.Header}, {&t.Idle, def.Idle}, {&t.Total, def.Total}} {
		if *f.have <= 0 {
			*f.have = f.def
		}
	}
	return t
}
