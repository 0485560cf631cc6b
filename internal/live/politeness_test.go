//go:build unix

package live

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/httpfetch"
	"trawl/internal/store/memstore"
)

// served is one line of a server's log.
type served struct {
	at     float64 // seconds
	status int
}

// rates are what a server logged in the last part of a crawl.
type rates struct {
	good, refused float64 // a second
}

func (r rates) share() float64 { return r.refused / max(r.good+r.refused, 1e-9) }

// lately leaves out the first part of a log, in which the crawl finds its rate.
func lately(log []served, from time.Duration) rates {
	var r rates
	if len(log) == 0 {
		return r
	}
	first, last := log[0].at+from.Seconds(), log[len(log)-1].at
	for _, s := range log {
		switch {
		case s.at < first:
		case s.status == 200 || s.status == 304:
			r.good++
		case s.status == 429 || s.status == 503:
			r.refused++
		}
	}
	span := max(last-first, 1)
	return rates{r.good / span, r.refused / span}
}

// crawlFor crawls a site of the owner's, with real sockets, for a time.
func crawlFor(t *testing.T, d time.Duration, home string) {
	t.Helper()
	cfg := config(t, memstore.New(utcNow), nil)
	guard := fetch.Guard{AllowPrivate: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	cfg.Fetcher = httpfetch.New(httpfetch.Options{Guard: guard})
	cfg.Concurrency, cfg.Grace = 64, time.Second
	cfg.Schedule.Demand.Refresh = time.Second // there is always work
	cfg.Schedule.Demand.RetryFirst = time.Second
	seed(t, cfg, crawl.URL(home))
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if res, err := Run(ctx, cfg); err != nil || res.Ending != EndInterrupted {
		t.Fatalf("the crawl ended before its time: %+v, %v", res, err)
	}
}

// startNginx runs nginx on a site of 400 pages with the given limits and returns
// its address and a function that reads its log.
func startNginx(t *testing.T, zones, limits string) (string, func() []served) {
	t.Helper()
	path := ""
	if nginx, err := exec.LookPath("nginx"); err == nil {
		path = nginx
	} else if _, err := os.Stat("/usr/sbin/nginx"); err == nil {
		path = "/usr/sbin/nginx"
	} else if os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
		t.Fatal("nginx is needed (TRAWL_REQUIRE_PEERS=1) and not installed")
	} else {
		t.Skip("nginx is not installed")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "site"), 0o755); err != nil {
		t.Fatal(err)
	}
	var links strings.Builder
	for i := range 400 {
		fmt.Fprintf(&links, "<a href=%d.html>x</a> ", i)
		body := fmt.Sprintf("<title>Page %d</title>%s", i, strings.Repeat(fmt.Sprintf("<p>All about %d. ", i), 1000))
		if err := os.WriteFile(filepath.Join(dir, "site", fmt.Sprintf("%d.html", i)), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "site", "index.html"), []byte(links.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	conf := fmt.Sprintf(`daemon off; master_process off; pid nginx.pid; error_log error.log;
events {}
http {
  log_format line '$msec $status'; access_log access.log line; types { text/html html; }
  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  %s
  server { listen %s; root %s/site; location = /robots.txt { return 404; } location / { %s } }
}`, zones, address, dir, limits)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-p", dir, "-c", "nginx.conf", "-e", "error.log")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for tries := 0; ; tries++ {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			break
		}
		if tries > 200 {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Fatalf("nginx does not answer: %v\n%s", err, log)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "http://" + address, func() []served { return readLog(t, filepath.Join(dir, "access.log")) }
}

func readLog(t *testing.T, file string) []served {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var log []served
	for s := bufio.NewScanner(f); s.Scan(); {
		var l served
		if _, err := fmt.Sscan(s.Text(), &l.at, &l.status); err != nil {
			t.Fatalf("log line %q: %v", s.Text(), err)
		}
		log = append(log, l)
	}
	return log
}

// TestE3Live holds the capacity model against real servers that limit what they
// give: what they logged is what counts. The owner's constants are used, which
// start high and rise fast; a stranger's never come near these limits.
func TestE3Live(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	if raceDetector {
		t.Skip("real time: make polite runs it without the race detector")
	}
	const settle, total = 10 * time.Second, 22 * time.Second
	check := func(t *testing.T, log []served, best, worstShare float64) {
		t.Helper()
		r := lately(log, settle)
		t.Logf("%.2f good answers a second of %.2f possible (%.0f %%), %.2f %% refused", r.good, best, 100*r.good/best, 100*r.share())
		// On an idle machine it is 80 to 99 %; the bound leaves room for a busy one.
		if r.good < 0.5*best || r.share() > worstShare {
			t.Errorf("want at least 50 %% of what is possible and at most %.0f %% refused", 100*worstShare)
		}
	}
	t.Run("nginx limit_req", func(t *testing.T) {
		t.Parallel()
		home, log := startNginx(t, "limit_req_zone $server_addr zone=r:1m rate=20r/s; limit_req_status 429;", "limit_req zone=r burst=10 nodelay;")
		crawlFor(t, total, home+"/")
		check(t, log(), 20, 0.05)
	})
	t.Run("nginx limit_conn", func(t *testing.T) {
		t.Parallel()
		slow := newDegrading(1000, 1000, 250*time.Millisecond)
		defer slow.Close()
		home, log := startNginx(t, "limit_conn_zone $server_addr zone=c:1m; limit_conn_status 503;", "limit_conn c 4; proxy_pass "+slow.URL+";")
		crawlFor(t, total, home+"/")
		check(t, log(), 4/0.25, 0.2) // 503 tells a limiter from a broken URL only when one is asked for again
	})
	t.Run("server that degrades", func(t *testing.T) {
		t.Parallel()
		s := newDegrading(6, 20, 80*time.Millisecond)
		defer s.Close()
		crawlFor(t, total, s.URL+"/")
		check(t, s.log(), 6/0.08, 0.01)
	})
}

// degrading is a server that works on knee requests at a time: beyond that each
// takes longer in proportion, and beyond overload it refuses.
type degrading struct {
	*httptest.Server
	open  atomic.Int64
	lines chan served
}

func newDegrading(knee, overload int64, answer time.Duration) *degrading {
	d := &degrading{lines: make(chan served, 1<<16)}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		n := d.open.Add(1)
		defer d.open.Add(-1)
		status := http.StatusOK
		if n > overload {
			status = http.StatusServiceUnavailable
		} else {
			time.Sleep(time.Duration(float64(answer) * max(1, float64(n)/float64(knee))))
		}
		d.lines <- served{float64(time.Now().UnixMicro()) / 1e6, status}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		if r.URL.Path == "/" {
			for i := range 2000 {
				fmt.Fprintf(w, "<a href=/%d>x</a>", i)
			}
		}
		fmt.Fprintf(w, "<title>%s</title><p>All about %s.", r.URL.Path, r.URL.Path)
	}))
	return d
}

func (d *degrading) log() []served {
	close(d.lines)
	var log []served
	for l := range d.lines {
		log = append(log, l)
	}
	return log
}
