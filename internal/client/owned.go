package client

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"trawl/internal/crawl"
)

// The classes of [NotAllowedError].
var (
	ErrImpersonation = errors.New("client carries another operator's name")
	ErrControlOnly   = errors.New("client makes no requests")
)

// NotAllowedError says why a client may not be used on a hostname.
type NotAllowedError struct {
	Client crawl.ClientID
	Host   crawl.Host
	Class  error // ErrImpersonation or ErrControlOnly
	Detail string
}

func (e *NotAllowedError) Error() string {
	return fmt.Sprintf("client %s on %s: %s", e.Client, e.Host, e.Detail)
}

// Unwrap makes errors.Is(err, ErrImpersonation) work.
func (e *NotAllowedError) Unwrap() error { return e.Class }

// Allowed returns nil when p may be used on host, or a *NotAllowedError (A7).
// flag says that the operator explicitly asked to use such a client on hosts
// that are not listed as their own.
func Allowed(p Profile, host crawl.Host, owned OwnedHosts, flag bool) error {
	if p.ControlOnly {
		return &NotAllowedError{p.ID, host, ErrControlOnly, "it is only a token in robots.txt and makes no requests: choose another client"}
	}
	if flag || !p.Impersonates() || owned.Contains(host) {
		return nil
	}
	who := p.Operator
	if who == "" {
		who = "Google"
	}
	return &NotAllowedError{p.ID, host, ErrImpersonation, fmt.Sprintf("its user agent says it is a crawler of %s, which would mislead the operator of that host. "+
		"If the host is yours, list it under \"own\" in the configuration; otherwise use trawl's own client. "+
		"To do it all the same, say so with the explicit flag", who)}
}

// OwnedHosts are the hosts that the operator states to be their own (A7, E7).
// The zero value holds this machine only: "localhost", names below it (RFC
// 6761) and loopback addresses, which cannot mislead anybody else (house
// choice).
type OwnedHosts struct {
	exact    map[crawl.Host]bool
	suffixes []string // ".example.com"
	prefixes []netip.Prefix
}

// ParseOwned reads entries: "example.com" (that host alone), "*.example.com"
// (every host below, not example.com itself), "192.0.2.0/24" and "2001:db8::1"
// (hosts that are written as such an address; at most a /8 of IPv4 or a /16 of
// IPv6). The error joins one *OwnedError
// for each bad entry.
func ParseOwned(entries []string) (OwnedHosts, error) {
	o := OwnedHosts{exact: map[crawl.Host]bool{}}
	var errs []error
	for i, e := range entries {
		if err := o.add(e); err != nil {
			err.Index = i
			errs = append(errs, err)
		}
	}
	return o, errors.Join(errs...)
}

// OwnedError says what is wrong with one entry of a list of hosts.
type OwnedError struct {
	Index      int
	Detail     string
	Suggestion string
}

func (e *OwnedError) Error() string { return fmt.Sprintf("entry %d: %s", e.Index, e.Detail) }

func (o *OwnedHosts) add(entry string) *OwnedError {
	if p, err := netip.ParsePrefix(entry); err == nil {
		if p != p.Masked() {
			return &OwnedError{Detail: "the address has bits beyond the prefix length", Suggestion: p.Masked().String()}
		}
		if least := minPrefix(p.Addr()); p.Bits() < least {
			return &OwnedError{Detail: fmt.Sprintf("a /%d is more of the internet than anybody owns: write the blocks that are yours, none larger than a /%d", p.Bits(), least)}
		}
		o.prefixes = append(o.prefixes, p)
		return nil
	}
	if a, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
		a = a.WithZone("").Unmap()
		o.prefixes = append(o.prefixes, netip.PrefixFrom(a, a.BitLen()))
		return nil
	}
	below, wild := strings.CutPrefix(entry, "*.")
	host, err := ParseHost(below)
	if err != nil {
		return err
	}
	if wild {
		o.suffixes = append(o.suffixes, "."+string(host))
	} else {
		o.exact[host] = true
	}
	return nil
}

// minPrefix is the shortest prefix that is taken for somebody's own: a registry
// gives nobody a larger block (house choice).
func minPrefix(a netip.Addr) int {
	if a.Is4() {
		return 8
	}
	return 16
}

// ParseHost reads one hostname or IP address without scheme, port and path, and
// returns its canonical form.
func ParseHost(s string) (crawl.Host, *OwnedError) {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		if a.Is6() {
			return crawl.Host("[" + a.WithZone("").String() + "]"), nil
		}
		return crawl.Host(a.String()), nil
	}
	bare := s
	if _, rest, ok := strings.Cut(bare, "://"); ok {
		bare = rest
	}
	if i := strings.IndexAny(bare, "/?#:"); i >= 0 {
		bare = bare[:i]
	}
	if bare != s {
		near := ""
		if h, err := ParseHost(bare); err == nil {
			near = string(h)
		}
		return "", &OwnedError{Detail: "a hostname is written without scheme, port and path", Suggestion: near}
	}
	host, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.ToLower(s), "."))
	if err != nil || host == "" || len(host) > 253 || slices.Contains(strings.Split(host, "."), "") {
		return "", &OwnedError{Detail: "is not a hostname, for example www.example.com, *.example.com, 192.0.2.0/24"}
	}
	return crawl.Host(host), nil
}

// Contains reports whether host is one of the operator's own.
func (o OwnedHosts) Contains(host crawl.Host) bool {
	name := strings.TrimSuffix(strings.ToLower(string(host)), ".")
	if a, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		a = a.WithZone("").Unmap()
		if a.IsLoopback() {
			return true
		}
		return slices.ContainsFunc(o.prefixes, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || o.exact[crawl.Host(name)] {
		return true
	}
	return slices.ContainsFunc(o.suffixes, func(s string) bool { return len(name) > len(s) && strings.HasSuffix(name, s) })
}
