package web

import (
	"net/netip"
	"strings"
	"testing"
)

func small() Spec {
	return Spec{Hosts: 5, Pages: 30, Size: 4096, Links: 8, Seed: 7, Robots: RobotsMissing}
}

func TestSpecValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Fatalf("the default is refused: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*Spec)
		names  string // what the error must name; "" = valid
	}{
		"no hosts":         {func(s *Spec) { s.Hosts = 0 }, "hosts"},
		"too many hosts":   {func(s *Spec) { s.Hosts = MaxHosts + 1 }, "hosts"},
		"most hosts":       {func(s *Spec) { s.Hosts, s.Pages = MaxHosts, 1 }, ""},
		"no pages":         {func(s *Spec) { s.Pages = 0 }, "pages"},
		"no links":         {func(s *Spec) { s.Links = 0 }, "links"},
		"smallest size":    {func(s *Spec) { s.Size = MinSize(s.Links) }, ""},
		"size below it":    {func(s *Spec) { s.Size = MinSize(s.Links) - 1 }, "size"},
		"too much memory":  {func(s *Spec) { s.Hosts, s.Pages, s.Size = 1000, 1000, 20480 }, "memory"},
		"too many pages":   {func(s *Spec) { s.Hosts, s.Pages, s.Size, s.Links = 30, 1_000_000, 700, 1 }, "memory"},
		"robots unknown":   {func(s *Spec) { s.Robots = "maybe" }, "robots"},
		"robots allow":     {func(s *Spec) { s.Robots = RobotsAllow }, ""},
		"two are reported": {func(s *Spec) { s.Hosts, s.Pages = 0, 0 }, "pages"},
	} {
		t.Run(name, func(t *testing.T) {
			s := small()
			c.change(&s)
			err := s.Validate()
			if c.names == "" && err != nil {
				t.Fatalf("refused: %v", err)
			}
			if c.names != "" && (err == nil || !strings.Contains(err.Error(), c.names)) {
				t.Fatalf("error %v does not name %q", err, c.names)
			}
		})
	}
}

func TestAddressesGoBothWays(t *testing.T) {
	seen := map[netip.Addr]bool{}
	for host := range MaxHosts {
		a := hostAddr(host)
		if b := a.As4(); !a.IsLoopback() || b[1] != 1 || b[3] == 0 || b[3] == 255 || seen[a] {
			t.Fatalf("host %d has address %s", host, a)
		}
		seen[a] = true
		if got, ok := hostOf(a, MaxHosts); !ok || got != host {
			t.Fatalf("%s is host %d, %v; want %d", a, got, ok, host)
		}
	}
	if _, ok := hostOf(hostAddr(5), 5); ok {
		t.Error("a web of 5 hosts has a sixth")
	}
	for _, s := range []string{"127.0.0.1", "127.2.0.1", "127.1.0.0", "127.1.0.251", "10.1.0.1", "::1"} {
		if _, ok := hostOf(netip.MustParseAddr(s), MaxHosts); ok {
			t.Errorf("%s is taken for a host", s)
		}
	}
}

func TestPathsGoBothWays(t *testing.T) {
	const pages = MaxPages
	for _, page := range []int{0, 1, 9, 10, 999, pages - 1} {
		path := appendPath(nil, page)
		if got, ok := pageOf(path, pages); !ok || got != page {
			t.Errorf("%s is page %d, %v; want %d", path, got, ok, page)
		}
	}
	for _, path := range []string{"", "/p", "/p.html", "/p0.html", "/p01.html", "/p1000000.html", "/p99999999999999999999.html", "/p1x.html", "/p-1.html", "/p1.html?a", "/p1.htm", "p1.html", "//"} {
		if page, ok := pageOf([]byte(path), pages); ok {
			t.Errorf("%q is taken for page %d", path, page)
		}
	}
}
