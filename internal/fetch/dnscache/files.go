package dnscache

import (
	"bufio"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"
)

const (
	checkEvery = 5 * time.Second // how often the files are looked at
	fileSize   = 4 << 20         // bytes read of a file
)

// servers is whom to ask.
type servers struct {
	addrs   []string
	timeout time.Duration
	tries   int
}

// known is what the machine's files say. It never changes once made.
type known struct {
	hosts   map[string][]netip.Addr
	servers servers
}

// files reads the machine's files again when they have changed.
type files struct {
	config, hosts string

	mu     sync.Mutex
	next   time.Time // of the next look; zero = never looked
	stamps [2]stamp
	last   *known
}

// stamp tells one version of a file from the next.
type stamp struct {
	modified time.Time
	size     int64
}

func (f *files) read(now time.Time) *known {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil && now.Before(f.next) {
		return f.last
	}
	f.next = now.Add(checkEvery)
	stamps := [2]stamp{stampOf(f.config), stampOf(f.hosts)}
	if f.last == nil || stamps != f.stamps {
		f.stamps = stamps
		f.last = &known{hosts: readHosts(f.hosts), servers: readConfig(f.config)}
	}
	return f.last
}

func stampOf(name string) stamp {
	var info fs.FileInfo
	info, err := os.Stat(name)
	if err != nil {
		return stamp{size: -1}
	}
	return stamp{info.ModTime(), info.Size()}
}

func open(name string) io.ReadCloser {
	f, err := os.Open(name)
	if err != nil {
		return io.NopCloser(strings.NewReader(""))
	}
	return f
}

// readConfig reads a resolv.conf. Without one there are no servers.
func readConfig(name string) servers {
	f := open(name)
	defer f.Close()
	s := servers{timeout: maxTimeout, tries: maxTries}
	c, err := dns.ClientConfigFromReader(io.LimitReader(f, fileSize))
	if err != nil {
		return s
	}
	for _, a := range c.Servers {
		if len(s.addrs) < maxServers {
			s.addrs = append(s.addrs, net.JoinHostPort(a, c.Port))
		}
	}
	if t := time.Duration(c.Timeout) * time.Second; t > 0 {
		s.timeout = min(t, maxTimeout)
	}
	if c.Attempts > 0 {
		s.tries = min(c.Attempts, maxTries)
	}
	return s
}

// readHosts reads a hosts file: an address and its names on each line.
func readHosts(name string) map[string][]netip.Addr {
	f := open(name)
	defer f.Close()
	hosts := map[string][]netip.Addr{}
	for lines := bufio.NewScanner(io.LimitReader(f, fileSize)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		addr, err := netip.ParseAddr(words[0])
		if err != nil {
			continue
		}
		for _, w := range words[1:] {
			w = strings.ToLower(strings.TrimSuffix(w, "."))
			if len(hosts[w]) < 2*maxPerType {
				hosts[w] = append(hosts[w], addr)
			}
		}
	}
	return hosts
}
