package dnscache_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/dnscache"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// trick is how a server misbehaves, and what a lookup of a.example comes to.
type trick struct {
	answer func(w dns.ResponseWriter, q *dns.Msg)
	want   string
}

// misbehaving lists servers that give no answer, or one that leads nowhere.
func misbehaving() map[string]trick {
	code := func(rcode int) func(dns.ResponseWriter, *dns.Msg) {
		return func(w dns.ResponseWriter, q *dns.Msg) { w.WriteMsg(reply(q, rcode)) }
	}
	saying := func(lines ...string) func(dns.ResponseWriter, *dns.Msg) {
		return func(w dns.ResponseWriter, q *dns.Msg) { w.WriteMsg(reply(q, dns.RcodeSuccess, lines...)) }
	}
	chain := make([]string, 40)
	for i := range chain {
		chain[i] = fmt.Sprintf("c%d.example. 60 IN CNAME c%d.example.", i, i+1)
	}
	return map[string]trick{
		"NXDOMAIN": {code(dns.RcodeNameError), "not found"},
		"empty":    {code(dns.RcodeSuccess), "not found"},
		"SERVFAIL": {code(dns.RcodeServerFailure), "no answer"},
		"REFUSED":  {code(dns.RcodeRefused), "no answer"},
		"NOTIMP":   {code(dns.RcodeNotImplemented), "no answer"},
		"silence":  {func(dns.ResponseWriter, *dns.Msg) {}, "no answer"},
		"garbage":  {func(w dns.ResponseWriter, _ *dns.Msg) { w.Write([]byte("\x00garbage, no message at all")) }, "no answer"},
		"endless garbage": {func(w dns.ResponseWriter, _ *dns.Msg) {
			for range 1000 {
				w.Write([]byte("garbage"))
			}
		}, "no answer"},
		"other name":  {saying("b.example. 60 IN A 192.0.2.66"), "not found"},
		"loop":        {saying("a.example. 60 IN CNAME b.example.", "b.example. 60 IN CNAME a.example."), "not found"},
		"loop of one": {saying("a.example. 60 IN CNAME a.example."), "not found"},
		"loop over answers": {func(w dns.ResponseWriter, q *dns.Msg) {
			other := map[string]string{"a.example.": "b.example.", "b.example.": "a.example."}
			w.WriteMsg(reply(q, dns.RcodeSuccess, q.Question[0].Name+" 60 IN CNAME "+other[q.Question[0].Name]))
		}, "not found"},
		"chain of 40": {saying(append(chain, "a.example. 60 IN CNAME c0.example.", "c40.example. 60 IN A 192.0.2.1")...), "not found"},
		"endless chain": {func(w dns.ResponseWriter, q *dns.Msg) {
			w.WriteMsg(reply(q, dns.RcodeSuccess, fmt.Sprintf("%s 60 IN CNAME %d.x.example.", q.Question[0].Name, time.Now().UnixNano())))
		}, "not found"},
		"referral": {func(w dns.ResponseWriter, q *dns.Msg) {
			m := reply(q, dns.RcodeSuccess)
			rr, _ := dns.NewRR("example. 60 IN NS ns.example.")
			m.Ns = append(m.Ns, rr)
			w.WriteMsg(m)
		}, "no answer"},
	}
}

// lying lists servers that say something wrong, incomplete or only half, too.
func lying() map[string]trick {
	twice := func(first func(q *dns.Msg) *dns.Msg) func(dns.ResponseWriter, *dns.Msg) {
		return func(w dns.ResponseWriter, q *dns.Msg) {
			w.WriteMsg(first(q))
			w.WriteMsg(records("a.example. 60 IN A 192.0.2.1")(q, ""))
		}
	}
	const lie = "a.example. 60 IN A 192.0.2.66"
	return map[string]trick{
		"wrong id, then true": {twice(func(q *dns.Msg) *dns.Msg { m := reply(q, dns.RcodeSuccess, lie); m.Id++; return m }), "192.0.2.1"},
		"question, then true": {twice(func(q *dns.Msg) *dns.Msg { m := reply(q, dns.RcodeSuccess, lie); m.Response = false; return m }), "192.0.2.1"},
		"other question, then true": {twice(func(q *dns.Msg) *dns.Msg {
			m := reply(q, dns.RcodeSuccess, lie)
			m.Question = []dns.Question{{Name: "b.example.", Qtype: q.Question[0].Qtype, Qclass: dns.ClassINET}}
			return m
		}), "192.0.2.1"},
		"truncated": {func(w dns.ResponseWriter, q *dns.Msg) {
			m := reply(q, dns.RcodeSuccess, lie)
			if w.LocalAddr().Network() == "udp" {
				m.Truncated = true
			} else {
				m = records("a.example. 60 IN A 192.0.2.1")(q, "")
			}
			w.WriteMsg(m)
		}, "192.0.2.1"},
		"truncated, no TCP": {func(w dns.ResponseWriter, q *dns.Msg) {
			m := reply(q, dns.RcodeSuccess, lie)
			m.Truncated = true
			if w.LocalAddr().Network() == "udp" {
				w.WriteMsg(m)
			} else {
				w.Close()
			}
		}, "no answer"},
		"no EDNS": {func(w dns.ResponseWriter, q *dns.Msg) {
			if q.IsEdns0() != nil {
				m := reply(q, dns.RcodeFormatError)
				m.Question = nil
				w.WriteMsg(m)
				return
			}
			w.WriteMsg(records("a.example. 60 IN A 192.0.2.1")(q, ""))
		}, "192.0.2.1"},
		"silent about AAAA": {func(w dns.ResponseWriter, q *dns.Msg) {
			if q.Question[0].Qtype == dns.TypeA {
				w.WriteMsg(records("a.example. 60 IN A 192.0.2.1")(q, ""))
			}
		}, "192.0.2.1"},
		"AAAA fails": {func(w dns.ResponseWriter, q *dns.Msg) {
			if q.Question[0].Qtype == dns.TypeA {
				w.WriteMsg(records("a.example. 60 IN A 192.0.2.1")(q, ""))
			} else {
				w.WriteMsg(reply(q, dns.RcodeServerFailure))
			}
		}, "192.0.2.1"},
		"A fails, no AAAA": {func(w dns.ResponseWriter, q *dns.Msg) {
			if q.Question[0].Qtype == dns.TypeA {
				w.WriteMsg(reply(q, dns.RcodeServerFailure))
			} else {
				w.WriteMsg(reply(q, dns.RcodeSuccess))
			}
		}, "no answer"},
	}
}

// TestB12Misbehaving asks every misbehaving server, and fetches through it: the
// class of the failure follows.
func TestB12Misbehaving(t *testing.T) {
	tricks := misbehaving()
	maps.Copy(tricks, lying())
	for name, c := range tricks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resolver(t, nil, serveRaw(t, c.answer))
			if got := lookup(r, "a.example"); got != c.want {
				t.Fatalf("%s; want %s", got, c.want)
			}
			class := map[string]crawl.FailureClass{"not found": crawl.FailDNS, "no answer": crawl.FailDNSUnresponsive}[c.want]
			if class == 0 {
				return
			}
			f := httpfetch.New(httpfetch.Options{Resolver: r, Guard: fetch.Guard{AllowPrivate: true}})
			defer f.CloseIdle()
			res := fetchtest.Fetch(t, f, fetchtest.NewRequest("http://a.example/"))
			if res.Failure == nil || res.Failure.Class != class || res.Failure.Phase != crawl.PhaseDNS {
				t.Errorf("B7: %v; want %v in the dns phase", res.Failure, class)
			}
		})
	}
}

func TestB12Answers(t *testing.T) {
	z := serve(t, records(
		"both.example. 60 IN A 192.0.2.1", "both.example. 60 IN AAAA 2001:db8::1", "six.example. 60 IN AAAA 2001:db8::6",
		"www.example. 60 IN CNAME Both.Example.", "mx.example. 60 IN MX 10 both.example.", "dangling.example. 60 IN CNAME gone.example.",
	))
	r := resolver(t, nil, z)
	for host, want := range map[string]string{
		"both.example": "2001:db8::1 192.0.2.1", "BOTH.example.": "2001:db8::1 192.0.2.1", "six.example": "2001:db8::6", "www.example": "2001:db8::1 192.0.2.1",
		"mx.example": "not found", "gone.example": "not found", "dangling.example": "not found",
	} {
		if got := lookup(r, host); got != want {
			t.Errorf("%s: %s; want %s", host, got, want)
		}
	}
	r = resolver(t, func(o *dnscache.Options) { o.IPv6 = func() bool { return false } }, z)
	if got := lookup(r, "both.example"); got != "192.0.2.1 2001:db8::1" {
		t.Errorf("without IPv6: %s", got)
	}
}

// TestB12CNAMEOverAnswers: a server that does not follow chains is asked again.
func TestB12CNAMEOverAnswers(t *testing.T) {
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
		switch q.Question[0].Name {
		case "a.example.":
			return reply(q, dns.RcodeSuccess, "a.example. 60 IN CNAME b.example.")
		case "b.example.":
			if q.Question[0].Qtype == dns.TypeA {
				return reply(q, dns.RcodeSuccess, "b.example. 60 IN A 192.0.2.1")
			}
		}
		return reply(q, dns.RcodeSuccess)
	})
	if got := lookup(resolver(t, nil, z), "a.example"); got != "192.0.2.1" {
		t.Error(got)
	}
}

// TestB12Parallel: a server that answers only when both questions are there.
func TestB12Parallel(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
		both.Done()
		both.Wait()
		return records("a.example. 60 IN A 192.0.2.1", "a.example. 60 IN AAAA 2001:db8::1")(q, "")
	})
	r := resolver(t, func(o *dnscache.Options) { o.Timeout = 5 * time.Second }, z)
	if got := lookup(r, "a.example"); got != "2001:db8::1 192.0.2.1" {
		t.Error(got)
	}
}

// TestB12SilentAboutOneFamily: addresses do not wait for a server's timeout.
func TestB12SilentAboutOneFamily(t *testing.T) {
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
		if q.Question[0].Qtype == dns.TypeAAAA {
			return nil
		}
		return reply(q, dns.RcodeSuccess, "a.example. 60 IN A 192.0.2.1")
	})
	start := time.Now()
	r := resolver(t, func(o *dnscache.Options) { o.Timeout = 5 * time.Second }, z)
	if got := lookup(r, "a.example"); got != "192.0.2.1" || time.Since(start) > 3*time.Second {
		t.Errorf("%s after %v", got, time.Since(start))
	}
}

func TestB12NextServer(t *testing.T) {
	bad := serve(t, func(q *dns.Msg, _ string) *dns.Msg { return reply(q, dns.RcodeServerFailure) })
	good := serve(t, records("a.example. 60 IN A 192.0.2.1", "b.example. 60 IN A 192.0.2.2"))
	r := resolver(t, nil, bad, good)
	if got := lookup(r, "a.example"); got != "192.0.2.1" {
		t.Error(got)
	}
	n := bad.count()
	if got := lookup(r, "b.example"); got != "192.0.2.2" || bad.count() != n {
		t.Errorf("%s; the server that failed was asked %d times more", got, bad.count()-n)
	}
	if got := lookup(resolver(t, func(o *dnscache.Options) { o.Servers = []string{"127.0.0.1:9"} }), "a.example"); got != "no answer" {
		t.Errorf("nothing listens: %s", got)
	}
}

func TestB12WithoutDNS(t *testing.T) {
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
		return reply(q, dns.RcodeSuccess, q.Question[0].Name+" 60 IN A 192.0.2.66")
	})
	hosts := filepath.Join(t.TempDir(), "hosts")
	write := func(text string) {
		if err := os.WriteFile(hosts, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("192.0.2.7 own.example own # comment\nnonsense\n2001:db8::7\tOwn.example\n")
	now := time.Unix(1_700_000_000, 0)
	r := resolver(t, func(o *dnscache.Options) {
		o.Hosts = hosts
		o.Now = func() time.Time { return now }
		o.System = system(func(host string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.5")}, nil
		})
	}, z)
	for host, want := range map[string]string{
		"192.0.2.9": "192.0.2.9", "2001:db8::9": "2001:db8::9", "localhost": "127.0.0.1 ::1", "x.localhost": "127.0.0.1 ::1", "own.example": "192.0.2.7 2001:db8::7", "own": "192.0.2.7",
		"intranet": "192.0.2.5", "a.onion": "not found", "a..example": "not found", "": "not found", ".": "not found", strings.Repeat("a", 64) + ".example": "not found",
		strings.Repeat("a.", 127) + "example": "not found", "a b.example": "not found", "a\x00.example": "not found", `a\.example`: "not found",
	} {
		if got := lookup(r, host); got != want {
			t.Errorf("%q: %s; want %s", host, got, want)
		}
	}
	if n := z.count(); n != 0 {
		t.Errorf("%d questions were asked: %q", n, z.questions())
	}
	write("192.0.2.8 changed.example\n")
	now = now.Add(6 * time.Second)
	if got := lookup(r, "changed.example"); got != "192.0.2.8" {
		t.Errorf("after the file changed: %s", got)
	}
	if got := lookup(resolver(t, func(o *dnscache.Options) {
		o.System = system(func(host string) ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("192.0.2.5")}, nil })
	}), "a.example"); got != "192.0.2.5" {
		t.Errorf("without resolv.conf: %s; want the system's answer", got)
	}
}

func TestB12Config(t *testing.T) {
	z := serve(t, records("a.example. 60 IN A 192.0.2.1"))
	// A port cannot stand in resolv.conf, so only what is read is tested here.
	conf := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(conf, []byte("nameserver 127.0.0.1\nsearch corp.example\noptions timeout:1 attempts:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := resolver(t, func(o *dnscache.Options) { o.Config = conf }, z)
	if got := lookup(r, "b.example"); got != "not found" || strings.Contains(fmt.Sprint(z.questions()), "corp.example") {
		t.Errorf("%s, asked %q; the search list is not for names with a dot", got, z.questions())
	}
}

func TestB12Canceled(t *testing.T) {
	var asked atomic.Int64
	z := serve(t, func(*dns.Msg, string) *dns.Msg { asked.Add(1); return nil })
	r := resolver(t, func(o *dnscache.Options) { o.Timeout = time.Minute }, z)
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	start := time.Now()
	_, err := r.LookupNetIP(ctx, "a.example")
	if err == nil || err.Error() != "enough" || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v; want the cause at once", err, time.Since(start))
	}
}
