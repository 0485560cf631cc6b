package fetch_test

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/fetch"
)

func TestB11GuardSpecialAddresses(t *testing.T) {
	for _, s := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8",
		"192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
		"2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
	} {
		a := netip.MustParseAddr(s)
		if (fetch.Guard{}).Check(a) == nil {
			t.Errorf("%s allowed by the zero Guard", s)
		}
		if err := (fetch.Guard{AllowPrivate: true}).Check(a); err != nil {
			t.Errorf("%s refused where private addresses are allowed: %v", s, err)
		}
	}
	for _, s := range []string{
		"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "198.20.0.1", "223.255.255.255",
		"2606:4700::1", "2a00:1450::1", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8",
	} {
		if err := (fetch.Guard{}).Check(netip.MustParseAddr(s)); err != nil {
			t.Errorf("%s refused: %v", s, err)
		}
	}
	if (fetch.Guard{AllowPrivate: true}).Check(netip.Addr{}) == nil {
		t.Error("the zero address allowed")
	}
}

func TestB11GuardLists(t *testing.T) {
	g := fetch.Guard{
		Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")},
		Deny:  []netip.Prefix{netip.MustParsePrefix("10.1.2.0/24"), netip.MustParsePrefix("8.8.8.0/24")},

		AllowAddrs: map[netip.Addr]bool{netip.MustParseAddr("127.0.0.9"): true, netip.MustParseAddr("10.1.2.9"): true},
	}
	for s, want := range map[string]bool{
		"10.1.1.1": true, "10.2.1.1": false, "127.0.0.9": true, "::ffff:127.0.0.9": true, "127.0.0.8": false, "10.1.2.9": false, "10.1.2.1": false, "8.8.8.8": false, "8.8.9.9": true, "fd00::1": true, "fc00::1": false,
		"::ffff:10.1.1.1": true, "::ffff:8.8.8.8": false, "64:ff9b::a01:101": true, "64:ff9b::808:808": false, "2002:808:808::1": false,
	} {
		if got := g.Check(netip.MustParseAddr(s)) == nil; got != want {
			t.Errorf("%s allowed: %v; want %v", s, got, want)
		}
	}
	g.AllowPrivate = true
	if g.Check(netip.MustParseAddr("10.1.2.1")) == nil {
		t.Error("AllowPrivate overrides Deny")
	}
}

// TestB11GuardEmbedded checks that an IPv6 address that carries an IPv4 address
// is judged as that address is.
func TestB11GuardEmbedded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address"))
		v4 := netip.AddrFrom4(b)
		want := fetch.Guard{}.Check(v4) == nil
		mapped := netip.AddrFrom16(v4.As16())
		nat64 := netip.MustParseAddr("64:ff9b::").As16()
		copy(nat64[12:], b[:])
		sixToFour := netip.MustParseAddr("2002::1").As16()
		copy(sixToFour[2:], b[:])
		for _, a := range []netip.Addr{mapped, netip.AddrFrom16(nat64), netip.AddrFrom16(sixToFour)} {
			if got := (fetch.Guard{}).Check(a) == nil; got != want {
				t.Fatalf("%s allowed: %v, but %s: %v", a, got, v4, want)
			}
		}
	})
}

func TestB7BlockedPort(t *testing.T) {
	for _, p := range []uint16{0, 1, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 6000, 6667, 10080} {
		if !fetch.BlockedPort(p) {
			t.Errorf("port %d is not blocked", p)
		}
	}
	for _, p := range []uint16{80, 443, 8080, 8443, 8000, 3000, 65535} {
		if fetch.BlockedPort(p) {
			t.Errorf("port %d is blocked", p)
		}
	}
}
