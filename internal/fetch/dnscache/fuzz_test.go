package dnscache

import (
	"testing"
	"time"

	"github.com/miekg/dns"
)

// FuzzAnswer: whatever a server sends, reading it ends within the bounds, and
// gives either addresses, a next name, or a reason.
func FuzzAnswer(f *testing.F) {
	for _, lines := range [][]string{
		{"a.example. 60 IN A 192.0.2.1"}, {"a.example. 60 IN CNAME b.example.", "b.example. 60 IN CNAME a.example."}, {"A.EXAMPLE. 60 CH A 192.0.2.1", "a.example. 0 IN AAAA ::1"}, nil,
	} {
		m := new(dns.Msg).SetQuestion("a.example.", dns.TypeA)
		m.Response = true
		for _, l := range lines {
			rr, err := dns.NewRR(l)
			if err != nil {
				f.Fatal(err)
			}
			m.Answer = append(m.Answer, rr)
		}
		packed, err := m.Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed, false)
		f.Add(packed, true)
	}
	f.Fuzz(func(t *testing.T, packed []byte, six bool) {
		m := new(dns.Msg)
		if m.Unpack(packed) != nil {
			return
		}
		qtype := dns.TypeA
		if six {
			qtype = dns.TypeAAAA
		}
		referral(m)
		seen := map[string]bool{}
		o, next := read(m, "a.example.", qtype, seen)
		if len(o.addrs) > maxPerType || len(seen) > maxChain+1 || o.ttl < 0 {
			t.Fatalf("%d addresses after %d names, ttl %v", len(o.addrs), len(seen), o.ttl)
		}
		if (len(o.addrs) > 0) == (o.none != "" || next != "") {
			t.Fatalf("%+v, next %q", o, next)
		}
		for _, a := range o.addrs {
			if a.Is6() != six {
				t.Fatalf("%v for the wrong type", a)
			}
		}
		a := New(Options{}).join("a.example", o, o)
		if next == "" && (a.ttl < 30*time.Second || a.ttl > time.Hour) {
			t.Fatalf("kept for %v", a.ttl)
		}
	})
}
