//go:build unix

package peers_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"trawl/internal/fetch/fetchtest"
)

// host is one of the many that a soak fetches from.
type host struct {
	Kind    string `json:"kind"`
	URL     string `json:"url"`
	HTTP2   bool   `json:"http2"`
	Hostile bool   `json:"hostile"`
}

// world is what the server process tells the fetching one.
type world struct {
	CA    string `json:"ca"`
	Hosts []host `json:"hosts"`
}

// worldProcess tells the test binary to be the server process: its memory,
// sockets and goroutines are not the fetchers'.
const worldProcess = "TRAWL_PEERTEST_WORLD"

func TestMain(m *testing.M) {
	if shape := os.Getenv(worldProcess); shape != "" {
		serveWorld(shape)
		return
	}
	os.Exit(m.Run())
}

// serveWorld serves hosts until standard input ends. The shape is "N/M": N
// hosts, of which every Mth misbehaves.
func serveWorld(shape string) {
	var n, every int
	if _, err := fmt.Sscanf(shape, "%d/%d", &n, &every); err != nil {
		panic(err)
	}
	var t testing.T // only a failure to listen would use it
	ca := fetchtest.NewAuthority(&t)
	w := world{CA: string(ca.PEM())}
	good, bad := healthy(&t, ca), misbehaving(&t, ca)
	for i := range n {
		// Loopback is a /8: each host is an address of its own.
		addr := fmt.Sprintf("127.%d.%d.%d:0", 10+i/60_000, 1+i/250%240, 1+i%250)
		kind := good[i%len(good)]
		if i%every == 0 {
			kind = bad[i/every%len(bad)]
		}
		w.Hosts = append(w.Hosts, host{kind.name, kind.serve(addr), kind.http2, i%every == 0})
	}
	if err := json.NewEncoder(os.Stdout).Encode(w); err != nil {
		panic(err)
	}
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(&t)
}

// kind is a way to serve.
type kind struct {
	name  string
	http2 bool
	serve func(addr string) (url string)
}

const page = "<!DOCTYPE html><html><title>page</title><body><p>one page with some text and some text again</body></html>\n"

// healthy lists ways in which servers are well.
func healthy(t testing.TB, ca *fetchtest.Authority) []kind {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, strings.Repeat(page, 100))
	w.Close()
	plain := func(text string) func(string) string {
		return func(addr string) string { return string(fetchtest.ServeAt(t, addr, fetchtest.Reply(text)).URL("/")) }
	}
	return []kind{
		{"plain", false, plain(fetchtest.OK(strings.Repeat(page, 100), "Content-Type: text/html"))},
		{"chunked", false, plain(fetchtest.Head("200 OK", "Transfer-Encoding: chunked") + fetchtest.Chunked(page))},
		{"gzip", false, plain(fetchtest.OK(packed.String(), "Content-Encoding: gzip"))},
		{"redirect", false, plain(fetchtest.Response("301 Moved", page, "Location: /other"))},
		{"not found", false, plain(fetchtest.Response("404 Not Found", page))},
		{"not modified", false, plain(fetchtest.Head("304 Not Modified", `ETag: "1"`))},
		{"unavailable", false, plain(fetchtest.Response("503 Busy", "", "Retry-After: 120"))},
		{"closing", false, func(addr string) string {
			return string(fetchtest.ServeAt(t, addr, fetchtest.Once(fetchtest.Head("200 OK", "Connection: close")+page)).URL("/"))
		}},
		{"TLS", false, func(addr string) string {
			return string(fetchtest.ServeTLSAt(t, addr, certificate(t, ca, addr), fetchtest.Reply(fetchtest.OK(page))).URL("/"))
		}},
		{"HTTP/2", true, serveHTTP2(t, ca, fetchtest.HTTP2(func(s *fetchtest.Stream) bool { return s.Answer(200, page) }))},
	}
}

func certificate(t testing.TB, ca *fetchtest.Authority, addr string) *tls.Config {
	name, _, _ := net.SplitHostPort(addr)
	return ca.Config(t, time.Now().Add(24*time.Hour), name)
}

func serveHTTP2(t testing.TB, ca *fetchtest.Authority, script fetchtest.Script) func(string) string {
	return func(addr string) string {
		cfg := certificate(t, ca, addr)
		cfg.NextProtos = []string{"h2"}
		return string(fetchtest.ServeTLSAt(t, addr, cfg, script).URL("/"))
	}
}

// misbehaving lists every way to misbehave: in DNS, ahead of the connection, in
// TLS, in HTTP/1.1, in HTTP/2.
func misbehaving(t testing.TB, ca *fetchtest.Authority) []kind {
	list := []kind{
		{"no such name", false, func(string) string { return "http://nxdomain.example/" }},
		{"silent DNS", false, func(string) string { return "http://silent.example/" }},
		{"refused", false, func(addr string) string { return "http://" + closedAt(t, addr) + "/" }},
		{"backed up", false, func(addr string) string { return "http://" + backedUp(t, addr) + "/" }},
	}
	scripts := fetchtest.Hostile()
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		list = append(list, kind{name, false, func(addr string) string { return string(fetchtest.ServeAt(t, addr, scripts[name]).URL("/")) }})
	}
	overTLS := badTLS(t, ca)
	for _, name := range slices.Sorted(maps.Keys(overTLS)) {
		list = append(list, kind{"TLS " + name, false, overTLS[name]})
	}
	two := fetchtest.HostileHTTP2()
	for _, name := range slices.Sorted(maps.Keys(two)) {
		list = append(list, kind{"h2 " + name, true, serveHTTP2(t, ca, two[name])})
	}
	return list
}

// badTLS lists servers whose handshake fails.
func badTLS(t testing.TB, ca *fetchtest.Authority) map[string]func(addr string) string {
	ok := fetchtest.Reply(fetchtest.OK(page))
	with := func(change func(addr string) *tls.Config) func(string) string {
		return func(addr string) string { return string(fetchtest.ServeTLSAt(t, addr, change(addr), ok).URL("/")) }
	}
	raw := func(script fetchtest.Script) func(string) string {
		return func(addr string) string { return "https://" + fetchtest.ServeAt(t, addr, script).Addr.String() + "/" }
	}
	return map[string]func(string) string{
		"expired": with(func(addr string) *tls.Config {
			name, _, _ := net.SplitHostPort(addr)
			return ca.Config(t, time.Now().Add(-time.Hour), name)
		}),
		"wrong name": with(func(string) *tls.Config { return ca.Config(t, time.Now().Add(time.Hour), "other.example") }),
		"unknown CA": with(func(addr string) *tls.Config { return certificate(t, fetchtest.NewAuthority(t), addr) }),
		"old version": with(func(addr string) *tls.Config {
			c := certificate(t, ca, addr)
			c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			return c
		}),
		"none":    raw(func(c *fetchtest.Conn) { c.Send("HTTP/1.1 400 Bad\r\n\r\n"); c.Await() }),
		"stalled": raw(fetchtest.Mute()),
		"closed":  raw(fetchtest.Hangup()),
		"reset":   raw(func(c *fetchtest.Conn) { c.Read(make([]byte, 1)); c.Reset() }),
	}
}

// closedAt returns an address on which nothing listens.
func closedAt(t testing.TB, addr string) string {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// backedUp returns the address of a listener whose backlog is full, so that
// connection attempts stay unanswered. It stays for the life of the process.
func backedUp(t testing.TB, addr string) string {
	ip, _, _ := net.SplitHostPort(addr)
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte(net.ParseIP(ip).To4())}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at := net.JoinHostPort(ip, strconv.Itoa(name.(*syscall.SockaddrInet4).Port))
	for range 4 {
		// What is connected must stay so: a finalizer would make room.
		if c, err := net.DialTimeout("tcp", at, 20*time.Millisecond); err == nil {
			t.Cleanup(func() { c.Close() })
		}
	}
	return at
}
