//go:build unix

package peers_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"trawl/internal/fetch/fetchtest"
)

// site is what the real servers serve, and where.
type site struct {
	dir   string // beside root: configuration, log, certificate
	root  string
	files map[string][]byte // by path below root
	ca    *fetchtest.Authority
	ports map[string]int
}

// Paths below root say how a file is to be sent: as it is, packed on the way,
// or packed already beside it.
const (
	asIs   = "plain/"
	packed = "packed/"
	ready  = "ready/"
)

// hugeSize is of a file that no limit of the tests lets through.
const hugeSize = 64 << 20

// newSite makes the files, and a certificate for 127.0.0.1.
func newSite(t *testing.T, ports ...string) *site {
	t.Helper()
	// Not t.TempDir: a server that gives up its privileges must get in.
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &site{dir: dir, root: filepath.Join(dir, "root"), files: map[string][]byte{}, ca: fetchtest.NewAuthority(t), ports: map[string]int{}}
	noise := make([]byte, 300_000)
	rand.NewChaCha8([32]byte{7}).Read(noise)
	long := []byte(strings.Repeat(page, 5000))
	for _, place := range []string{asIs, packed, ready} {
		s.write(t, place+"small.html", []byte(page))
		s.write(t, place+"long.html", long)
		s.write(t, place+"noise.bin", noise)
		s.write(t, place+"one.txt", []byte("x"))
	}
	for _, name := range []string{"small.html", "long.html", "noise.bin"} {
		body := s.files[ready+name]
		var gz, br bytes.Buffer
		g, b := gzip.NewWriter(&gz), brotli.NewWriter(&br)
		g.Write(body)
		b.Write(body)
		g.Close()
		b.Close()
		s.write(t, ready+name+".gz", gz.Bytes())
		s.write(t, ready+name+".br", br.Bytes())
	}
	s.write(t, asIs+"empty.txt", nil)
	s.write(t, asIs+"huge.bin", nil)
	if err := os.Truncate(filepath.Join(s.root, asIs, "huge.bin"), hugeSize); err != nil {
		t.Fatal(err)
	}
	fetchtest.WritePEM(t, s.path("server.pem"), s.ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1", "a.example", "b.example", "c.example"))
	for _, name := range ports {
		s.ports[name] = freePort(t)
	}
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(t *testing.T, name string, body []byte) {
	t.Helper()
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	p := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, body, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(p, at, at); err != nil {
		t.Fatal(err)
	}
	s.files[name] = body
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// program returns the path of a server's program, or ends the test when it is
// missing: as a failure where TRAWL_REQUIRE_PEERS is 1. Each file of extra must
// exist too.
func program(t *testing.T, name, packages string, extra ...string) string {
	t.Helper()
	at, err := exec.LookPath(name)
	if err != nil {
		at = "/usr/sbin/" + name
	}
	for _, f := range append([]string{at}, extra...) {
		if _, err := os.Stat(f); err == nil && os.Getuid() == 0 {
			continue
		}
		if os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
			t.Fatalf("%s and root are needed: apt-get install --no-install-recommends %s", f, packages)
		}
		t.Skipf("needs %s, run as root: apt-get install --no-install-recommends %s", f, packages)
	}
	return at
}

// start runs a server until the test ends, and waits until it listens on every
// port of s.
func (s *site) start(t *testing.T, name string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt) // both end their children then
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
	})
	end := time.Now().Add(10 * time.Second)
	for _, port := range s.ports {
		for {
			c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err == nil {
				c.Close()
				break
			}
			select {
			case <-ended:
				t.Fatalf("%s ended: %s", name, said.String())
			case <-time.After(10 * time.Millisecond):
			}
			if time.Now().After(end) {
				t.Fatalf("%s does not listen: %v", name, err)
			}
		}
	}
}

// entry is one line of a server's access log.
type entry struct {
	port     int // of the client: names the connection
	protocol string
	status   int
	bytes    int64 // sent, with the header
	coding   string
	uri      string
}

// logged waits for n requests whose URI contains mark in the access log.
func (s *site) logged(t *testing.T, mark string, n int) []entry {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var found []entry
		text, err := os.ReadFile(s.path("access.log"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var e entry
			if _, err := fmt.Sscan(line, &e.port, &e.protocol, &e.status, &e.bytes, &e.coding, &e.uri); err == nil && strings.Contains(e.uri, mark) {
				found = append(found, e)
			}
		}
		if len(found) >= n {
			return found
		}
		if time.Now().After(end) {
			t.Fatalf("%d requests with %q in the log; want %d\n%s", len(found), mark, n, text)
		}
	}
}
