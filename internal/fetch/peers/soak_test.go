//go:build unix

package peers_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

// load is the size of a soak.
type load struct {
	fetches     int
	hosts       int
	every       int // each how manieth host misbehaves
	concurrency int
	interval    time.Duration // between samples
	total       time.Duration // deadline of each fetch
}

// slack is how much longer than its deadline a fetch may take. House choice.
const slack = 0.1

// TestSoak fetches from many hosts, a third of which misbehave. Its size is
// that of a test, and that of TRAWL_SOAK for make soak.
func TestSoak(t *testing.T) {
	l := load{fetches: 3000, hosts: 500, every: 3, concurrency: 100, interval: time.Second, total: 2 * time.Second}
	if raceEnabled {
		l.fetches = 1500
	}
	if text := os.Getenv("TRAWL_SOAK"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("TRAWL_SOAK=%q: want a number of fetches", text)
		}
		l.fetches, l.concurrency, l.interval = n, 500, 10*time.Second
	}
	l.run(t)
}

// TestB11Case21NothingLeft fetches from hosts that all misbehave: neither a
// goroutine nor a socket is left.
func TestB11Case21NothingLeft(t *testing.T) {
	l := load{fetches: 10_000, hosts: 300, every: 1, concurrency: 250, interval: 2 * time.Second, total: 2 * time.Second}
	if raceEnabled {
		l.fetches, l.concurrency = 2000, 100
	}
	l.run(t)
}

// run starts the world in a process of its own and fetches from it.
func (l load) run(t *testing.T) {
	w := startWorld(t, l)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(w.CA)) {
		t.Fatal("no certificate")
	}
	const idle = 64
	f := httpfetch.New(httpfetch.Options{
		Guard: fetch.Guard{AllowPrivate: true}, RootCAs: pool, Resolver: names{}, MaxIdle: idle, MaxIdlePerHost: 2,
	})
	m := newMeter(l, bounds{
		// A fetch has its own goroutine, net/http up to three for each of its
		// connections, and up to two connections (HTTP/1.1 after HTTP/2).
		goroutines: 8*l.concurrency + 3*2*idle + 50,
		sockets:    3*l.concurrency + 2*idle + 20,
		heap:       1 << 30, rss: 3 << 29,
	})
	work := make(chan host, l.concurrency)
	var wg sync.WaitGroup
	for range l.concurrency {
		wg.Go(func() {
			for h := range work {
				m.fetch(f, h)
			}
		})
	}
	stop := m.sampling()
	rng := rand.New(rand.NewPCG(1, uint64(l.fetches)))
	for range l.fetches {
		work <- w.Hosts[rng.IntN(len(w.Hosts))]
	}
	close(work)
	wg.Wait()
	stop()
	f.CloseIdle()
	m.settle()
	m.report(t)
}

// fetch makes one fetch and notes what came of it and how long it took.
func (m *meter) fetch(f fetch.Fetcher, h host) {
	req := fetchtest.NewRequest(crawl.URL(h.URL))
	req.Limits.Default = 1 << 20
	req.Timeouts = crawl.Timeouts{Connect: time.Second, TLS: time.Second, Header: time.Second, Idle: time.Second, Total: m.load.total, MinRate: 1000}
	if m.begunFetches.Add(1)%8 == 0 { // no phase ends these ahead of their deadline
		req.Timeouts = crawl.Timeouts{Connect: m.load.total, TLS: m.load.total, Header: m.load.total, Idle: m.load.total, Total: m.load.total}
	}
	if h.HTTP2 {
		req.Protocol = crawl.ProtocolHTTP2
	}
	start := time.Now()
	res := f.Fetch(context.Background(), req)
	m.note(h, res, time.Since(start))
}

// names resolves the hosts that DNS is the trouble of.
type names struct{}

func (names) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	if host == "silent.example" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// startWorld starts the server process, which ends with the test.
func startWorld(t *testing.T, l load) world {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d/%d", worldProcess, l.hosts, l.every))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		ended := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		defer ended.Stop()
		cmd.Wait()
	})
	var w world
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&w); err != nil {
		t.Fatalf("the server process: %v", err)
	}
	if len(w.Hosts) != l.hosts {
		t.Fatalf("%d hosts; want %d", len(w.Hosts), l.hosts)
	}
	return w
}

// note counts a finished fetch.
func (m *meter) note(h host, res *crawl.Result, took time.Duration) {
	m.done.Add(1)
	what := outcome(res)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes[what]++
	if h.Hostile {
		m.hostile++
	} else if res.Failure != nil {
		m.harmed++
		m.harm = fmt.Sprintf("%s: %v", h.Kind, res.Failure)
	}
	if took > m.longest {
		m.longest, m.longestOf = took, h.Kind
	}
	if took > m.load.total {
		m.over = append(m.over, took)
	}
}

// outcome names what came of a fetch.
func outcome(res *crawl.Result) string {
	switch {
	case res.Failure != nil:
		return res.Failure.Class.String()
	case res.Truncated:
		return "cut at the limit"
	}
	return "status " + strconv.Itoa(res.Status)
}

// meter counts and measures a soak.
type meter struct {
	load   load
	bounds bounds
	begun  time.Time
	before sample
	done   atomic.Int64

	begunFetches atomic.Int64

	mu        sync.Mutex
	outcomes  map[string]int
	hostile   int // fetches from hosts that misbehave
	harmed    int // fetches from healthy hosts that failed
	harm      string
	over      []time.Duration // of fetches that took longer than their deadline
	lag       time.Duration   // most by which this process itself was kept waiting, see watchLag
	longest   time.Duration
	longestOf string
	samples   []sample
	after     sample
}
