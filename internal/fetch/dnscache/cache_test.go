package dnscache_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"trawl/internal/fetch/dnscache"
)

// TestB12TTL checks to the moment how long answers are kept.
func TestB12TTL(t *testing.T) {
	soa := func(ttl, minimum int) string {
		return fmt.Sprintf("example. %d IN SOA ns.example. me.example. 1 2 3 4 %d", ttl, minimum)
	}
	for name, c := range map[string]struct {
		code    int
		records []string
		keeps   time.Duration
		want    string
	}{
		"ttl":               {0, []string{"a.example. 100 IN A 192.0.2.1"}, 100 * time.Second, "192.0.2.1"},
		"ttl 0":             {0, []string{"a.example. 0 IN A 192.0.2.1"}, 30 * time.Second, "192.0.2.1"},
		"a week":            {0, []string{"a.example. 604800 IN A 192.0.2.1"}, time.Hour, "192.0.2.1"},
		"negative ttl":      {0, []string{"a.example. 2147483648 IN A 192.0.2.1"}, 30 * time.Second, "192.0.2.1"},
		"least on the way":  {0, []string{"a.example. 50 IN CNAME b.example.", "b.example. 40 IN CNAME c.example.", "c.example. 500 IN A 192.0.2.1"}, 40 * time.Second, "192.0.2.1"},
		"least of several":  {0, []string{"a.example. 90 IN A 192.0.2.1", "a.example. 80 IN A 192.0.2.2"}, 80 * time.Second, "192.0.2.1 192.0.2.2"},
		"NXDOMAIN, minimum": {dns.RcodeNameError, []string{soa(900, 100)}, 100 * time.Second, "not found"},
		"NXDOMAIN, ttl":     {dns.RcodeNameError, []string{soa(90, 100)}, 90 * time.Second, "not found"},
		"NXDOMAIN, a day":   {dns.RcodeNameError, []string{soa(86400, 86400)}, 5 * time.Minute, "not found"},
		"NXDOMAIN, no SOA":  {dns.RcodeNameError, nil, 30 * time.Second, "not found"},
		"empty":             {0, []string{soa(900, 100)}, 100 * time.Second, "not found"},
		"SERVFAIL":          {dns.RcodeServerFailure, nil, 0, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
				if c.code == 0 && q.Question[0].Qtype == dns.TypeAAAA && len(c.records) > 0 && c.want != "not found" {
					return reply(q, 0, soa(900, 900)) // no IPv6, for longer than the addresses are good
				}
				return reply(q, c.code, c.records...)
			})
			now := time.Unix(1_700_000_000, 0)
			r := resolver(t, func(o *dnscache.Options) { o.Now = func() time.Time { return now } }, z)
			asks := func(when string, want bool) {
				t.Helper()
				n := z.count()
				if got := lookup(r, "a.example"); got != c.want || (z.count() > n) != want {
					t.Errorf("%s: %s, %d questions; want %s, asked %v", when, got, z.count()-n, c.want, want)
				}
			}
			asks("first", true)
			if c.keeps > 0 {
				now = now.Add(c.keeps - time.Nanosecond)
				asks("just before", false)
				now = now.Add(time.Nanosecond)
			}
			asks("then", true)
		})
	}
}

// TestB12HalfAnAnswer: addresses of one family while the other failed are kept
// for the least time only.
func TestB12HalfAnAnswer(t *testing.T) {
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
		if q.Question[0].Qtype == dns.TypeAAAA {
			return reply(q, dns.RcodeServerFailure)
		}
		return reply(q, 0, "a.example. 3600 IN A 192.0.2.1")
	})
	now := time.Unix(1_700_000_000, 0)
	r := resolver(t, func(o *dnscache.Options) { o.Now = func() time.Time { return now } }, z)
	for range 2 {
		lookup(r, "a.example")
	}
	n := z.count()
	now = now.Add(30 * time.Second)
	if lookup(r, "a.example"); n != 2 || z.count() != 4 {
		t.Errorf("%d questions, then %d; want 2, then 4", n, z.count())
	}
}

// TestB12OneLookupAtATime: twenty callers, one lookup.
func TestB12OneLookupAtATime(t *testing.T) {
	asked, release := make(chan struct{}, 2), make(chan struct{})
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg {
		asked <- struct{}{}
		<-release
		return records("a.example. 60 IN A 192.0.2.1")(q, "")
	})
	r := resolver(t, func(o *dnscache.Options) { o.Timeout = 10 * time.Second }, z)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got := lookup(r, "a.example"); got != "192.0.2.1" {
				t.Error(got)
			}
		})
	}
	<-asked
	<-asked
	close(release)
	wg.Wait()
	if n := z.count(); n != 2 {
		t.Errorf("%d questions; want one for A and one for AAAA", n)
	}
}

func TestB12Bounded(t *testing.T) {
	z := serve(t, func(q *dns.Msg, _ string) *dns.Msg { return reply(q, 0, q.Question[0].Name+" 60 IN A 192.0.2.1") })
	r := resolver(t, func(o *dnscache.Options) { o.MaxNames = 100 }, z)
	before := runtime.NumGoroutine()
	for i := range 300 {
		lookup(r, fmt.Sprintf("h%d.example", i))
		lookup(r, "often.example")
	}
	if n := dnscache.Kept(r); n > 100 {
		t.Errorf("%d names kept; want at most 100", n)
	}
	n := z.count()
	if lookup(r, "often.example"); z.count() != n || n != 602 {
		t.Errorf("%d questions, then %d more; the name in use is asked for once", n, z.count()-n)
	}
	if n := runtime.NumGoroutine(); n > before+5 {
		t.Errorf("%d goroutines, before %d", n, before)
	}
}

// TestB12Chains: whatever graph of CNAMEs the records make, a lookup ends, and
// finds the address where a chain within the bound leads to one.
func TestB12Chains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const names = 20
		to := rapid.SliceOfN(rapid.IntRange(-1, names-1), names, names).Draw(t, "cname") // -1 = an address
		q := new(dns.Msg).SetQuestion("n0.example.", dns.TypeA)
		m := reply(q, 0)
		for i, n := range to {
			line := fmt.Sprintf("n%d.example. 60 IN CNAME n%d.example.", i, n)
			if n < 0 {
				line = fmt.Sprintf("n%d.example. 60 IN A 192.0.2.1", i)
			}
			rr, _ := dns.NewRR(line)
			m.Answer = append(m.Answer, rr)
		}
		steps, at := 0, 0
		for to[at] >= 0 && steps <= names {
			at = to[at]
			steps++
		}
		found, next := dnscache.Read(m, "n0.example.")
		if next != "" || found != (steps <= 12) {
			t.Fatalf("found %v, next %q, after %d steps", found, next, steps)
		}
	})
}
