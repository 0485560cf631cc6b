package fetch

import (
	"fmt"
	"net/netip"
)

// Guard decides which addresses may be dialled (B11). It is asked about the
// address actually dialled, after DNS, so rebinding and redirects do not get
// round it. The zero Guard refuses everything that is not public.
type Guard struct {
	AllowPrivate bool                // all special-purpose addresses allowed: the operator's own network
	Allow        []netip.Prefix      // allowed although special-purpose
	AllowAddrs   map[netip.Addr]bool // the same for single addresses, however many
	Deny         []netip.Prefix      // refused whatever else says
}

// special lists the special-purpose blocks that a public crawler has no
// business in. Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries
// (RFC 6890 and its updates).
var special = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network (RFC 791)"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private (RFC 1918)"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space (RFC 6598)"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback (RFC 1122)"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local, cloud metadata among it (RFC 3927)"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private (RFC 1918)"},
	{netip.MustParsePrefix("192.0.0.0/24"), "IETF protocol assignments (RFC 6890)"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation (RFC 5737)"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay anycast (RFC 7526)"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private (RFC 1918)"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking (RFC 2544)"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation (RFC 5737)"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation (RFC 5737)"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast (RFC 5771)"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved (RFC 1112), broadcast among it"},
	{netip.MustParsePrefix("::/128"), "unspecified (RFC 4291)"},
	{netip.MustParsePrefix("::1/128"), "loopback (RFC 4291)"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "local-use translation (RFC 8215)"},
	{netip.MustParsePrefix("100::/64"), "discard-only (RFC 6666)"},
	{netip.MustParsePrefix("2001::/23"), "IETF protocol assignments, Teredo among it (RFC 2928)"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation (RFC 3849)"},
	{netip.MustParsePrefix("3fff::/20"), "documentation (RFC 9637)"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing (RFC 9602)"},
	{netip.MustParsePrefix("fc00::/7"), "unique local (RFC 4193)"},
	{netip.MustParsePrefix("fe80::/10"), "link-local (RFC 4291)"},
	{netip.MustParsePrefix("fec0::/10"), "site-local, deprecated (RFC 3879)"},
	{netip.MustParsePrefix("ff00::/8"), "multicast (RFC 4291)"},
}

// nat64 and sixToFour embed an IPv4 address that must itself be allowed.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

// Check returns nil when addr may be dialled, or an error that says why not.
// IPv4-mapped, NAT64 and 6to4 addresses are judged by the IPv4 address in them.
func (g Guard) Check(addr netip.Addr) error {
	if !addr.IsValid() {
		return fmt.Errorf("address is not valid")
	}
	addr = addr.Unmap().WithZone("")
	for _, p := range g.Deny {
		if p.Contains(addr) {
			return fmt.Errorf("address %s is in %s, which this run denies", addr, p)
		}
	}
	if v4, ok := embedded(addr); ok {
		return g.Check(v4)
	}
	if g.AllowPrivate || g.AllowAddrs[addr] {
		return nil
	}
	for _, p := range g.Allow {
		if p.Contains(addr) {
			return nil
		}
	}
	for i := range special {
		if special[i].prefix.Contains(addr) {
			return fmt.Errorf("address %s is %s and not allowed in this run", addr, special[i].what)
		}
	}
	return nil
}

func embedded(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	b := addr.As16()
	switch {
	case nat64.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// BlockedPort reports whether port is one that browsers refuse to speak HTTP
// to, so that a crawler cannot be used to talk to other services.
// Source: WHATWG Fetch standard, "bad port".
func BlockedPort(port uint16) bool {
	switch port {
	case 0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
		111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
		540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
		6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080:
		return true
	}
	return false
}
