package dnscache_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"trawl/internal/fetch/dnscache"
)

// zone is a scripted DNS server, over UDP and TCP on one port.
type zone struct {
	addr string

	mu    sync.Mutex
	asked []string // "A a.example. udp" in order
}

// serve starts a server that answers by answer; a nil message is silence.
func serve(t testing.TB, answer func(q *dns.Msg, network string) *dns.Msg) *zone {
	t.Helper()
	return serveRaw(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if m := answer(q, w.LocalAddr().Network()); m != nil {
			w.WriteMsg(m)
		}
	})
}

func serveRaw(t testing.TB, answer func(w dns.ResponseWriter, q *dns.Msg)) *zone {
	t.Helper()
	z := &zone{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	z.addr = l.Addr().String()
	p, err := net.ListenPacket("udp", z.addr)
	if err != nil {
		t.Fatal(err)
	}
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		z.mu.Lock()
		z.asked = append(z.asked, dns.TypeToString[q.Question[0].Qtype]+" "+q.Question[0].Name+" "+w.LocalAddr().Network())
		z.mu.Unlock()
		answer(w, q)
	})
	for _, s := range []*dns.Server{{Listener: l, Handler: handler}, {PacketConn: p, Handler: handler}} {
		started := make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go s.ActivateAndServe()
		<-started
		t.Cleanup(func() { s.Shutdown() })
	}
	return z
}

func (z *zone) count() int { return len(z.questions()) }

func (z *zone) questions() []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.Clone(z.asked)
}

// reply answers q with records in the form of zone files.
func reply(q *dns.Msg, code int, records ...string) *dns.Msg {
	m := new(dns.Msg).SetRcode(q, code)
	m.RecursionAvailable = true
	for _, text := range records {
		rr, err := dns.NewRR(text)
		if err != nil {
			panic(err)
		}
		if _, soa := rr.(*dns.SOA); soa {
			m.Ns = append(m.Ns, rr)
		} else {
			m.Answer = append(m.Answer, rr)
		}
	}
	return m
}

// records answers each question with the records of its name and type, and the
// chains that begin there, as a server that resolves for others does.
func records(lines ...string) func(q *dns.Msg, network string) *dns.Msg {
	return func(q *dns.Msg, _ string) *dns.Msg {
		name, qtype := q.Question[0].Name, dns.TypeToString[q.Question[0].Qtype]
		var got []string
		exists := false
		for range len(lines) {
			next := ""
			for _, l := range lines {
				f := strings.Fields(l)
				if !strings.EqualFold(f[0], name) {
					continue
				}
				exists = true
				if f[3] == qtype || f[3] == "CNAME" {
					got = append(got, l)
				}
				if f[3] == "CNAME" {
					next = f[4]
				}
			}
			if next == "" {
				break
			}
			name = next
		}
		if !exists {
			return reply(q, dns.RcodeNameError, "example. 100 IN SOA ns.example. me.example. 1 2 3 4 60")
		}
		return reply(q, dns.RcodeSuccess, append(got, "example. 100 IN SOA ns.example. me.example. 1 2 3 4 60")...)
	}
}

// resolver returns a resolver that asks servers only.
func resolver(t testing.TB, change func(*dnscache.Options), servers ...*zone) *dnscache.Resolver {
	none := filepath.Join(t.TempDir(), "none")
	opt := dnscache.Options{
		Config: none, Hosts: none, Timeout: 200 * time.Millisecond, Tries: 1, IPv6: func() bool { return true },
		System: system(func(string) ([]netip.Addr, error) { return nil, errors.New("the system is not asked") }),
	}
	for _, s := range servers {
		opt.Servers = append(opt.Servers, s.addr)
	}
	if change != nil {
		change(&opt)
	}
	return dnscache.New(opt)
}

type system func(host string) ([]netip.Addr, error)

func (s system) LookupNetIP(_ context.Context, host string) ([]netip.Addr, error) { return s(host) }

// lookup returns the addresses as text, or the class of the failure.
func lookup(r *dnscache.Resolver, host string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	addrs, err := r.LookupNetIP(ctx, host)
	var d *net.DNSError
	switch {
	case errors.As(err, &d) && d.IsNotFound:
		return "not found"
	case err != nil:
		return "no answer"
	}
	return strings.Trim(fmt.Sprint(addrs), "[]")
}
