package dnscache

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// outcome is the answer for one name and one type of addresses.
type outcome struct {
	addrs   []netip.Addr
	ttl     time.Duration
	none    string // why there is none, if the name has no such address
	missing bool   // the name does not exist at all
	err     error  // DNS gave no answer
}

// ask asks for the addresses of both families at once and joins the answers.
func (r *Resolver) ask(ctx context.Context, s servers, host, name string) answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var got [2]outcome
	done := make(chan int, 2)
	for i, qtype := range []uint16{dns.TypeAAAA, dns.TypeA} {
		go func() {
			got[i] = r.askType(ctx, s, name, qtype)
			done <- i
		}()
	}
	if i := <-done; len(got[i].addrs) > 0 {
		// Do not wait long for a server that is silent about one family.
		t := time.AfterFunc(otherFamily, cancel)
		<-done
		t.Stop()
	} else {
		if got[i].missing {
			cancel() // RFC 8020: there is nothing at that name, of any type
		}
		<-done
	}
	return r.join(host, got[0], got[1])
}

// join makes one answer of the two: six has the IPv6 addresses.
func (r *Resolver) join(host string, six, four outcome) answer {
	first, second := six.addrs, four.addrs
	if len(first) > 0 && len(second) > 0 && !r.opt.IPv6() {
		first, second = second, first
	}
	addrs := append(first[:len(first):len(first)], second...)
	bounded := func(ttl, most time.Duration) time.Duration { return min(max(ttl, r.opt.MinTTL), most) }
	switch {
	case len(addrs) > 0 && (six.err != nil || four.err != nil):
		return answer{addrs: addrs, ttl: r.opt.MinTTL}
	case len(addrs) > 0:
		ttl := max(six.ttl, four.ttl)
		for _, o := range []outcome{six, four} {
			// A family without addresses says when to ask again, too, but
			// most zones say nothing useful: only addresses count.
			if len(o.addrs) > 0 {
				ttl = min(ttl, o.ttl)
			}
		}
		return answer{addrs: addrs, ttl: bounded(ttl, r.opt.MaxTTL)}
	case six.missing:
		return answer{err: notFound(host, six.none), ttl: bounded(six.ttl, r.opt.MaxNegative)}
	case four.missing:
		return answer{err: notFound(host, four.none), ttl: bounded(four.ttl, r.opt.MaxNegative)}
	case four.err != nil:
		return answer{err: four.err}
	case six.err != nil:
		return answer{err: six.err}
	}
	return answer{err: notFound(host, four.none), ttl: bounded(min(six.ttl, four.ttl), r.opt.MaxNegative)}
}

// askType asks for the addresses of one type, following CNAMEs from answer to
// answer where a server does not follow them itself.
func (r *Resolver) askType(ctx context.Context, s servers, name string, qtype uint16) outcome {
	seen := map[string]bool{}
	ttl := time.Duration(1<<63 - 1)
	for {
		m, err := r.exchange(ctx, s, name, qtype)
		if err != nil {
			return outcome{err: err}
		}
		o, next := read(m, name, qtype, seen)
		ttl = min(ttl, o.ttl)
		o.ttl = ttl
		if next == "" {
			return o
		}
		name = next
	}
}

// read takes an answer to the question for name apart. next is the name to ask
// for when the chain of CNAMEs leads out of the answer. seen has the names that
// the chain has been at.
func read(m *dns.Msg, name string, qtype uint16, seen map[string]bool) (o outcome, next string) {
	o.ttl = time.Duration(1<<63 - 1)
	at := dns.CanonicalName(name)
	for {
		if seen[at] || len(seen) > maxChain {
			return outcome{none: "its CNAMEs lead nowhere: a loop, or a chain over the limit", missing: true}, ""
		}
		var alias *dns.CNAME
		for _, rr := range m.Answer {
			h := rr.Header()
			if h.Class != dns.ClassINET || dns.CanonicalName(h.Name) != at {
				continue // of another name: not asked for
			}
			if c, ok := rr.(*dns.CNAME); ok && alias == nil {
				alias = c
			}
			if a, ok := address(rr, qtype); ok && len(o.addrs) < maxPerType {
				o.addrs = append(o.addrs, a)
				o.ttl = min(o.ttl, seconds(h.Ttl))
			}
		}
		if len(o.addrs) > 0 {
			return o, ""
		}
		if alias == nil {
			break
		}
		seen[at] = true
		o.ttl = min(o.ttl, seconds(alias.Hdr.Ttl))
		at = dns.CanonicalName(alias.Target)
		next = at
	}
	soa, final := negativeTTL(m)
	switch {
	case m.Rcode == dns.RcodeNameError:
		o.none, o.missing = "no such name", true
	case next != "" && !final:
		return o, next
	default:
		o.none = "the name has no addresses"
	}
	o.ttl = min(o.ttl, soa)
	return o, ""
}

func address(rr dns.RR, qtype uint16) (netip.Addr, bool) {
	var ip net.IP
	switch rr := rr.(type) {
	case *dns.A:
		if qtype == dns.TypeA {
			ip = rr.A.To4()
		}
	case *dns.AAAA:
		if qtype == dns.TypeAAAA {
			ip = rr.AAAA.To16()
		}
	}
	return netip.AddrFromSlice(ip)
}

// seconds reads a TTL: one with the highest bit set is 0 (RFC 2181 section 8).
func seconds(ttl uint32) time.Duration {
	if ttl > 1<<31-1 {
		return 0
	}
	return time.Duration(ttl) * time.Second
}

// negativeTTL returns how long "not found" is true, and whether a SOA record
// says so.
func negativeTTL(m *dns.Msg) (time.Duration, bool) {
	for _, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			return min(seconds(soa.Hdr.Ttl), seconds(soa.Minttl)), true
		}
	}
	return 0, false
}

// exchange asks one server after another until one answers.
func (r *Resolver) exchange(ctx context.Context, s servers, name string, qtype uint16) (*dns.Msg, error) {
	var failed error
	first := int(r.first.Load())
	for range s.tries {
		for i := range s.addrs {
			n := (first + i) % len(s.addrs)
			m, err := query(ctx, s.addrs[n], s.timeout, name, qtype)
			if err == nil {
				r.first.Store(int32(n))
				return m, nil
			}
			failed = err
			if ctx.Err() != nil {
				return nil, failed
			}
		}
	}
	return nil, failed
}

// query asks one server once. NXDOMAIN is an answer, every other error code is
// none.
func query(ctx context.Context, server string, timeout time.Duration, name string, qtype uint16) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	q := new(dns.Msg)
	q.SetQuestion(name, qtype)
	q.SetEdns0(udpSize, false)
	m, err := overUDP(ctx, server, q)
	if err == nil && (m.Rcode == dns.RcodeFormatError || m.Rcode == dns.RcodeNotImplemented) {
		// Servers from before EDNS (RFC 6891 section 6.2.2).
		q.Extra, q.Id = nil, dns.Id()
		m, err = overUDP(ctx, server, q)
	}
	if err == nil && m.Truncated {
		m, err = overTCP(ctx, server, q)
	}
	fail := func(why string, timedOut bool) (*dns.Msg, error) {
		return nil, &net.DNSError{Err: why, Name: strings.TrimSuffix(name, "."), Server: server, IsTimeout: timedOut, IsTemporary: true}
	}
	switch {
	case err != nil:
		var n net.Error
		return fail(err.Error(), errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout())
	case m.Rcode != dns.RcodeSuccess && m.Rcode != dns.RcodeNameError:
		return fail(fmt.Sprintf("the DNS server answers %s", dns.RcodeToString[m.Rcode&0xfff]), false)
	case referral(m):
		return fail("the DNS server does not resolve for us: it refers to others", false)
	}
	return m, nil
}

// referral reports whether m only names other servers. That is no answer, and
// must not be taken for "no addresses".
func referral(m *dns.Msg) bool {
	if m.Rcode != dns.RcodeSuccess || len(m.Answer) > 0 || m.Authoritative {
		return false
	}
	for _, rr := range m.Ns {
		if _, ok := rr.(*dns.NS); !ok {
			return false
		}
	}
	return len(m.Ns) > 0
}
