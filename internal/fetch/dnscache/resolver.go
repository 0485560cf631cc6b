package dnscache

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// System resolves what this package leaves to the operating system.
type System interface {
	LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error)
}

// Options of a [Resolver]. The zero value resolves as the machine is
// configured to.
type Options struct {
	Config string // file with the servers; "" = /etc/resolv.conf
	Hosts  string // file with names known without DNS; "" = /etc/hosts

	Servers []string      // "address:port", instead of Config's
	Timeout time.Duration // for one answer of one server; 0 = Config's, at most 2 s
	Tries   int           // how often each server is asked; 0 = Config's, at most 2

	MinTTL      time.Duration // least time an answer is kept; 0 = 30 s
	MaxTTL      time.Duration // longest time addresses are kept; 0 = 1 h
	MaxNegative time.Duration // longest time "not found" is kept; 0 = 5 min
	MaxNames    int           // answers kept; 0 = 65,536

	System System           // nil = Go's resolver
	IPv6   func() bool      // whether IPv6 addresses come first; nil = whether this machine has a way to them
	Now    func() time.Time // clock of the cache; nil = time.Now
}

// House choices that no option changes.
const (
	maxTimeout  = 2 * time.Second
	maxTries    = 2
	maxServers  = 3                      // as the C library has it
	maxChain    = 12                     // CNAMEs followed for one name
	maxPerType  = 8                      // addresses kept of one name and family
	maxStrays   = 64                     // datagrams that are not our answer, read past
	udpSize     = 1232                   // of an answer; larger ones come over TCP
	udpBuffer   = 4096                   // what is read of an answer that is larger all the same
	otherFamily = 300 * time.Millisecond // how long addresses wait for those of the other family
	systemTTL   = 5 * time.Minute        // answers of the system's resolver, which tells none
	systemNoTTL = 30 * time.Second       // the same for "not found"
)

// Resolver is a caching resolver, safe for use by many goroutines.
type Resolver struct {
	opt   Options
	cache *cache
	files *files
	first atomic.Int32 // the server that answered last
}

// New returns a resolver that works as opt says.
func New(opt Options) *Resolver {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&opt.MinTTL, 30*time.Second)
	def(&opt.MaxTTL, time.Hour)
	def(&opt.MaxNegative, 5*time.Minute)
	if opt.MaxNames <= 0 {
		opt.MaxNames = 1 << 16
	}
	if opt.Config == "" {
		opt.Config = "/etc/resolv.conf"
	}
	if opt.Hosts == "" {
		opt.Hosts = "/etc/hosts"
	}
	if opt.System == nil {
		opt.System = goResolver{}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.IPv6 == nil {
		opt.IPv6 = routesIPv6
	}
	return &Resolver{opt: opt, cache: newCache(opt.MaxNames, opt.Now), files: &files{config: opt.Config, hosts: opt.Hosts}}
}

// LookupNetIP returns the addresses of host in the order in which they should
// be tried. The errors are those of the package comment; when ctx is done, its
// cause. Answers are shared: callers must not change them.
func (r *Resolver) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if !domainName(name) {
		return nil, notFound(host, "this is no domain name")
	}
	if strings.HasSuffix(name, ".onion") {
		return nil, notFound(host, "names below .onion are not in DNS")
	}
	known := r.files.read(r.opt.Now())
	if addrs := known.hosts[name]; len(addrs) > 0 {
		return addrs, nil
	}
	servers := r.servers(known)
	return r.cache.lookup(ctx, name, func(ctx context.Context) answer {
		if len(servers.addrs) == 0 || !strings.Contains(name, ".") {
			return r.askSystem(ctx, host)
		}
		return r.ask(ctx, servers, host, dns.Fqdn(name))
	})
}

// domainName reports whether name can stand in a question.
func domainName(name string) bool {
	if name == "" || len(name) > 253 || strings.ContainsAny(name, "\\ /@\"") {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] >= 0x7f {
			return false
		}
	}
	return true
}

func notFound(host, why string) error {
	return &net.DNSError{Err: why, Name: host, IsNotFound: true}
}

// servers returns whom to ask, and how patiently.
func (r *Resolver) servers(known *known) servers {
	s := known.servers
	if len(r.opt.Servers) > 0 {
		s.addrs = r.opt.Servers
	}
	if r.opt.Timeout > 0 {
		s.timeout = r.opt.Timeout
	}
	if r.opt.Tries > 0 {
		s.tries = r.opt.Tries
	}
	return s
}

func (r *Resolver) askSystem(ctx context.Context, host string) answer {
	addrs, err := r.opt.System.LookupNetIP(ctx, host)
	if len(addrs) > 2*maxPerType {
		addrs = addrs[:2*maxPerType]
	}
	a := answer{addrs: addrs, err: err}
	switch {
	case err == nil && len(addrs) > 0:
		a.ttl = systemTTL
	case err == nil:
		a.err, a.ttl = notFound(host, "the name has no addresses"), systemNoTTL
	case isNotFound(err):
		a.ttl = systemNoTTL
	}
	return a
}

// goResolver is Go's own resolver, which stops when ctx does; the C library's
// would go on in a thread.
type goResolver struct{}

func (goResolver) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	if strings.Contains(host, ".") && !strings.HasSuffix(host, ".") {
		host += "."
	}
	return (&net.Resolver{PreferGo: true}).LookupNetIP(ctx, "ip", host)
}
