package ftpfetch

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"strings"
	"syscall"
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

// Options of a [Fetcher]. The zero value is a fetcher for the public net.
type Options struct {
	Guard      fetch.Guard      // which addresses may be dialled (B11)
	Resolver   Resolver         // nil = the system's, without a cache
	RootCAs    *x509.CertPool   // nil = the system's
	Insecure   bool             // accept any certificate: only for owners' own hosts
	Password   string           // of the user "anonymous", by custom a mail address; "" = "anonymous@", house choice
	MaxEntries int              // of a directory listing; 0 = 50,000, house choice
	Now        func() time.Time // for Result.Start; nil = time.Now

	// Dial replaces the TCP dialler, for tests. Addresses pass the Guard
	// before it is asked. It must give up when ctx is done.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// House choices that no option changes.
const (
	lineSize      = 4 << 10   // bytes of one line of a reply
	replyLines    = 1000      // lines of one reply
	replySize     = 256 << 10 // bytes of all replies of one fetch
	preliminaries = 4         // 1yz replies read past before the one that counts
	maxDials      = 6         // addresses tried for the control connection
	quitTime      = 100 * time.Millisecond
)

// Fetcher implements [fetch.Fetcher] over FTP. Make one with [New].
type Fetcher struct {
	opt Options
}

var _ fetch.Fetcher = (*Fetcher)(nil)

// New returns a fetcher that works as opt says.
func New(opt Options) *Fetcher {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Resolver == nil {
		opt.Resolver = systemResolver{}
	}
	if opt.Password == "" || !clean(opt.Password) {
		opt.Password = "anonymous@"
	}
	if opt.MaxEntries <= 0 {
		opt.MaxEntries = 50_000
	}
	if opt.Dial == nil {
		guard := opt.Guard
		nd := &net.Dialer{
			KeepAlive: -1,
			// The last word on the address, asked when the socket exists.
			Control: func(_, address string, _ syscall.RawConn) error {
				ap, err := netip.ParseAddrPort(address)
				if err == nil {
					err = guard.Check(ap.Addr())
				}
				if err != nil {
					return &fault{class: crawl.FailBlockedAddress, phase: crawl.PhaseConnect, detail: err.Error()}
				}
				return nil
			},
		}
		opt.Dial = nd.DialContext
	}
	return &Fetcher{opt: opt}
}

// CloseIdle does nothing: no connection outlives its fetch.
func (f *Fetcher) CloseIdle() {}

// systemResolver asks the servers of the operating system's configuration.
type systemResolver struct{}

func (systemResolver) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	// A name with a dot is absolute: no search list, which would ask for and
	// possibly crawl other names.
	if strings.Contains(host, ".") && !strings.HasSuffix(host, ".") {
		host += "."
	}
	return (&net.Resolver{PreferGo: true}).LookupNetIP(ctx, "ip", host)
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
