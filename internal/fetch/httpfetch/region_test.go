package httpfetch_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// TestB10Environment: the environment's proxy is a region of its own, and there
// only where it is asked for.
func TestB10Environment(t *testing.T) {
	site := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello")))
	for _, c := range []struct {
		name, scheme string
		p            *proxy
	}{{"HTTP_PROXY", "http", httpProxy(t)}, {"HTTP_PROXY", "socks5h", socksProxy(t)}, {"ALL_PROXY", "socks5", socksProxy(t)}, {"all_proxy", "http", httpProxy(t)}} {
		t.Run(c.name+" "+c.scheme, func(t *testing.T) {
			t.Setenv(c.name, c.scheme+"://me:x@"+c.p.Addr.String())
			t.Setenv("NO_PROXY", "direct.example")
			ask := func(asked bool, region, host string) *crawl.Result {
				f := httpfetch.New(httpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}, EnvironmentProxy: asked, Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) {
					return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
				})})
				defer f.CloseIdle()
				req := fetchtest.NewRequest(site.URLAt(host, "/"))
				req.Egress = region
				return fetchtest.Fetch(t, f, req)
			}
			for _, res := range []*crawl.Result{ask(false, "", "site.example"), ask(true, "", "site.example"), ask(true, httpfetch.Environment, "direct.example")} {
				if res.Failure != nil || res.Way.Proxy != "" {
					t.Errorf("%v by %+v", res.Failure, res.Way)
				}
			}
			wantFailure(t, ask(false, httpfetch.Environment, "site.example"), crawl.FailProxy, crawl.PhaseNone)
			if got := c.p.seen(); got != "" {
				t.Fatalf("the proxy saw %q without being asked for", got)
			}
			res := ask(true, httpfetch.Environment, "site.example")
			if res.Failure != nil || c.p.seen() != site.Addr.String()+" me:x" || res.Way.Proxy != c.p.url(c.scheme) {
				t.Errorf("%v, the proxy saw %q, way %+v", res.Failure, c.p.seen(), res.Way)
			}
		})
	}
}

func (p *proxy) url(scheme string) string {
	return strings.TrimSuffix(scheme, "h") + "://" + p.Addr.String()
}

// TestB10TLSProxy: an https proxy shows a certificate for its own name.
func TestB10TLSProxy(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	site := fetchtest.ServeTLS(t, ca.Config(t, time.Now().Add(time.Hour), "site.example"), fetchtest.Reply(fetchtest.OK("hello")))
	p := &proxy{}
	p.Server = fetchtest.ServeTLS(t, ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1"), p.connect)
	wrong := fetchtest.ServeTLS(t, ca.Config(t, time.Now().Add(time.Hour), "other.example"), p.connect)
	for name, c := range map[string]struct {
		at   *fetchtest.Server
		want crawl.FailureClass
	}{"good": {p.Server, crawl.FailNone}, "for another name": {wrong, crawl.FailProxy}, "no TLS": {httpProxy(t).Server, crawl.FailProxy}} {
		t.Run(name, func(t *testing.T) {
			f := local(t, toLoopback, through(c.at, "https"), func(o *httpfetch.Options) { o.RootCAs = ca.Pool })
			req := fetchtest.NewRequest(site.URLAt("site.example", "/"))
			req.Egress, req.Timeouts = "eu", crawl.DefaultTimeouts()
			req.Timeouts.Connect = 2 * time.Second
			res := fetchtest.Fetch(t, f, req)
			if c.want != crawl.FailNone {
				wantFailure(t, res, c.want, crawl.PhaseConnect)
				return
			}
			if res.Failure != nil || string(res.Body) != "hello" || !strings.Contains(p.seen(), site.Addr.String()+" me:se:cret") {
				t.Errorf("%v, %q, asked %q", res.Failure, res.Body, p.seen())
			}
		})
	}
}

// TestB10NextProxy: a region is up as long as one of its proxies is, and a host
// keeps to one of them.
func TestB10NextProxy(t *testing.T) {
	site := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello")))
	refuses := fetchtest.Serve(t, fetchtest.Reply(fetchtest.Response("407 Who are you", "")))
	good, other := httpProxy(t), httpProxy(t)
	region := func(addrs ...string) *httpfetch.Fetcher {
		return local(t, toLoopback, func(o *httpfetch.Options) {
			o.MaxIdlePerHost = 1
			o.Egress = map[string][]httpfetch.Proxy{"eu": nil}
			for _, a := range addrs {
				o.Egress["eu"] = append(o.Egress["eu"], httpfetch.Proxy{Scheme: "http", Address: a})
			}
		})
	}
	ask := func(f *httpfetch.Fetcher, host string) *crawl.Result {
		req := fetchtest.NewRequest(site.URLAt(host, "/"))
		req.Egress, req.Timeouts = "eu", crawl.DefaultTimeouts()
		return fetchtest.Fetch(t, f, req)
	}
	f := region(closedPort(t), refuses.Addr.String(), good.Addr.String())
	for i := range 9 {
		if res := ask(f, fmt.Sprintf("h%d.example", i)); res.Failure != nil || res.Way.Proxy != "http://"+good.Addr.String() {
			t.Fatalf("%v by %+v", res.Failure, res.Way)
		}
	}
	wantFailure(t, ask(region(closedPort(t), refuses.Addr.String()), "h.example"), crawl.FailProxy, crawl.PhaseConnect)
	if res := ask(region(), "h.example"); res.Failure != nil || res.Way.Proxy != "" {
		t.Errorf("a region without proxies: %v by %+v", res.Failure, res.Way)
	}
	both := map[string]bool{}
	for i := range 20 {
		host, first := fmt.Sprintf("h%d.example", i), ""
		for range 2 {
			res := ask(region(good.Addr.String(), other.Addr.String()), host)
			if res.Failure != nil || first != "" && res.Way.Proxy != first {
				t.Fatalf("%s: %v by %+v, before by %q", host, res.Failure, res.Way, first)
			}
			first = res.Way.Proxy
		}
		both[first] = true
	}
	if len(both) != 2 {
		t.Errorf("20 hosts went through %v only", both)
	}
}

// TestB10ProxySilent: a proxy that does not answer costs its share of the time.
func TestB10ProxySilent(t *testing.T) {
	site := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello")))
	silent, good := fetchtest.Serve(t, fetchtest.Mute()), httpProxy(t)
	f := local(t, toLoopback, func(o *httpfetch.Options) {
		o.Egress = map[string][]httpfetch.Proxy{"eu": {{Scheme: "https", Address: silent.Addr.String()}, {Scheme: "http", Address: good.Addr.String()}}}
	})
	for i := range 4 { // both orders are among them
		req := fetchtest.NewRequest(site.URLAt(fmt.Sprintf("h%d.example", i), "/"))
		req.Egress, req.Timeouts = "eu", crawl.DefaultTimeouts()
		req.Timeouts.Connect = time.Second
		if res := fetchtest.Fetch(t, f, req); res.Failure != nil {
			t.Errorf("host %d: %v", i, res.Failure)
		}
	}
}

// TestB10SecretsAreNotShown: neither by printing a proxy, nor by failing.
func TestB10SecretsAreNotShown(t *testing.T) {
	p := httpfetch.Proxy{Scheme: "http", Address: "192.0.2.1:3128", User: "me", Password: "se:cret"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, p) + fmt.Sprintf(verb, &p) + fmt.Sprintf(verb, []httpfetch.Proxy{p}); strings.Contains(got, "cret") || strings.Contains(got, `"me"`) {
			t.Errorf("%s shows %s", verb, got)
		}
	}
	for _, status := range []string{"407 no", "200 ok"} {
		refuses := fetchtest.Serve(t, fetchtest.Once(fetchtest.Response(status, "")+"more"))
		f := local(t, toLoopback, through(refuses, "http"))
		req := fetchtest.NewRequest("http://site.example/")
		req.Egress, req.Timeouts = "eu", crawl.DefaultTimeouts()
		res := fetchtest.Fetch(t, f, req)
		if res.Failure == nil || strings.Contains(fmt.Sprintf("%+v %+v", res, res.Failure), "cret") {
			t.Errorf("%+v", res.Failure)
		}
	}
}

func TestB10CheckProxy(t *testing.T) {
	for p, ok := range map[httpfetch.Proxy]bool{
		{Scheme: "http", Address: "proxy.example:3128"}:                                   true,
		{Scheme: "https", Address: "[2001:db8::1]:443"}:                                   true,
		{Scheme: "socks5", Address: "127.0.0.1:1080"}:                                     true,
		{Scheme: "ftp", Address: "proxy.example:21"}:                                      false,
		{Scheme: "http", Address: "proxy.example"}:                                        false,
		{Scheme: "http", Address: ":3128"}:                                                false,
		{Scheme: "http", Address: "proxy.example:0"}:                                      false,
		{Scheme: "http", Address: "proxy.example:x"}:                                      false,
		{Scheme: "socks5", Address: "proxy.example:1080", User: strings.Repeat("u", 256)}: false,
	} {
		if err := p.Check(); (err == nil) != ok {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// TestB7Way: a result says what DNS answered and which addresses were tried.
func TestB7Way(t *testing.T) {
	site := fetchtest.Serve(t, fetchtest.Reply(fetchtest.OK("hello")))
	answer := []netip.Addr{netip.MustParseAddr("127.0.0.77"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1")}
	f := local(t, resolving(func(context.Context, string) ([]netip.Addr, error) { return answer, nil }))
	req := fetchtest.NewRequest(site.URLAt("site.example", "/"))
	first, again := fetchtest.Fetch(t, f, req), fetchtest.Fetch(t, f, req)
	if first.Failure != nil || !slices.Equal(first.Way.Answer, answer) || len(first.Way.Tried) < 2 || first.Way.Tried[1] != site.Addr {
		t.Errorf("%v by %+v", first.Failure, first.Way)
	}
	if !again.Timings.Reused || again.Way != nil {
		t.Errorf("a connection that was there: %+v", again.Way)
	}
	refused := httpfetch.New(httpfetch.Options{Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) { return answer, nil })})
	if res := fetchtest.Fetch(t, refused, req); res.Way == nil || len(res.Way.Answer) != 3 || len(res.Way.Tried) != 0 {
		t.Errorf("refused by the guard: %+v", res.Way)
	}
}

// TestCase21Interim: responses before the response are seen, and bounded.
func TestCase21Interim(t *testing.T) {
	hints := "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
	some := fetchtest.Serve(t, fetchtest.Reply(hints+strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 20)+fetchtest.OK("hello")))
	f := local(t)
	res := fetchtest.Fetch(t, f, fetchtest.NewRequest(some.URL("/")))
	if res.Failure != nil || len(res.Interim) != crawl.MaxInterim || res.MoreInterim != 13 || res.Interim[0].Status != 103 || res.Interim[0].Header.Get("Link") == "" {
		t.Errorf("%v, %+v and %d more", res.Failure, res.Interim, res.MoreInterim)
	}
	endless := fetchtest.Serve(t, fetchtest.Endless("", "HTTP/1.1 100 Continue\r\n\r\n"))
	req := fetchtest.NewRequest(endless.URL("/"))
	req.Timeouts = crawl.DefaultTimeouts()
	wantFailure(t, fetchtest.Fetch(t, f, req), crawl.FailHeaderTooLarge, crawl.PhaseHeaders)
}
