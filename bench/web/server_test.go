package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// serving runs a server of the spec for the length of the test.
func serving(t testing.TB, spec Spec) *Server {
	t.Helper()
	s, err := Listen(spec, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(context.Background()) }()
	t.Cleanup(func() {
		s.Quit()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return s
}

// browser is a client that leaves no connection behind.
func browser(t testing.TB) *http.Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

func get(t testing.TB, c *http.Client, method, url string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b
}

func TestServerCounts(t *testing.T) {
	s := serving(t, small())
	c := browser(t)
	want := Stats{Total: 150}
	check := func(what string) {
		t.Helper()
		got := s.Stats()
		got.CPUSeconds, got.Seconds, got.Bytes, got.Open, got.PeakOpen = 0, 0, 0, 0, 0
		if got != want {
			t.Fatalf("after %s:\n got %+v\nwant %+v", what, got, want)
		}
	}
	for host := range 2 {
		for page := range 30 {
			status, body := get(t, c, "GET", s.Web().URL(host, page))
			if status != 200 || !bytes.Equal(body, s.Web().Body(host, page)) {
				t.Fatalf("page %d of host %d: status %d, %d bytes", page, host, status, len(body))
			}
		}
	}
	want.Unique, want.Requests, want.Connections = 60, 60, 2
	check("two hosts")
	get(t, c, "GET", s.Web().URL(1, 5))
	get(t, c, "GET", s.Web().URL(1, 5))
	want.Requests, want.Repeats = 62, 2
	check("two repeats")
	if status, _ := get(t, c, "GET", s.Web().URL(1, 0)+"robots.txt"); status != 404 {
		t.Errorf("robots.txt: status %d, want 404", status)
	}
	want.Requests, want.Robots = 63, 1
	check("robots.txt")
	if status, _ := get(t, c, "GET", s.Web().URL(1, 0)+"p30.html"); status != 404 {
		t.Errorf("a page that is not there: status %d", status)
	}
	get(t, c, "HEAD", s.Web().URL(1, 7))
	want.Requests, want.Other = 65, 2
	check("a HEAD and a lost page")
	if status, _ := get(t, c, "POST", s.Web().URL(1, 7)); status != 400 {
		t.Errorf("a POST: status %d, want 400", status)
	}
	want.Requests, want.Bad = 66, 1
	check("a POST")
	s.counts.reset()
	want = Stats{Total: 150}
	check("a reset")
	get(t, c, "GET", s.Web().URL(1, 5))
	want.Unique, want.Requests, want.Connections = 1, 1, 1 // the POST ended host 1's connection
	check("the first page again")
}

func TestServerCountsUnderConcurrency(t *testing.T) {
	s := serving(t, small())
	c := browser(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for host := range 5 {
				for page := range 30 {
					resp, err := c.Get(s.Web().URL(host, page))
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		})
	}
	wg.Wait()
	got := s.Stats()
	if got.Unique != 150 || got.Repeats != 450 || got.Requests != 600 || got.PeakOpen < 1 || got.PeakOpen > got.Connections {
		t.Errorf("counts are wrong: %+v", got)
	}
	page := int64(len(s.Web().pages[0]))
	if got.Bytes != 600*page {
		t.Errorf("%d bytes counted, want %d", got.Bytes, 600*page)
	}
}

func TestRobotsAnswers(t *testing.T) {
	for robots, want := range map[Robots]struct {
		status int
		text   string
	}{RobotsMissing: {404, ""}, RobotsAllow: {200, "Allow: /\n"}, RobotsUsual: {200, "Disallow: /admin/"}} {
		t.Run(string(robots), func(t *testing.T) {
			spec := small()
			spec.Robots = robots
			s := serving(t, spec)
			status, body := get(t, browser(t), "GET", s.Web().URL(0, 0)+"robots.txt")
			if status != want.status || !strings.Contains(string(body), want.text) {
				t.Errorf("status %d, body %q", status, body)
			}
		})
	}
}

// raw sends text to a host and returns everything it answers.
func raw(t *testing.T, s *Server, host int, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", s.web.hosts[host])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(c) // a reset after the answer is fine
	return string(b)
}

func TestOddRequests(t *testing.T) {
	s := serving(t, small())
	host := s.web.hosts[0]
	for name, c := range map[string]struct {
		text    string
		answers int // responses with status 200
		bad     int64
	}{
		"two in one write":    {"GET /p1.html HTTP/1.1\r\nHost: " + host + "\r\n\r\nGET /p2.html HTTP/1.1\r\nHOST:" + host + "\r\nConnection: close\r\n\r\n", 2, 0},
		"HTTP/1.0":            {"GET / HTTP/1.0\r\nhost: " + host + "\r\n\r\n", 1, 0},
		"the wrong host":      {"GET / HTTP/1.1\r\nHost: " + s.web.hosts[1] + "\r\n\r\n", 0, 1},
		"no port":             {"GET / HTTP/1.0\r\nHost: 127.1.0.1\r\n\r\n", 1, 0},
		"another's, no port":  {"GET / HTTP/1.0\r\nHost: 127.1.0.2\r\n\r\n", 0, 1},
		"no host":             {"GET / HTTP/1.1\r\n\r\n", 0, 1},
		"no version":          {"GET /\r\n\r\n", 0, 1},
		"a body":              {"GET / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 3\r\n\r\nabc", 0, 1},
		"a chunked body":      {"GET / HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, 1},
		"a body of no length": {"GET / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n", 1, 0},
		"an endless head":     {"GET / HTTP/1.1\r\nX: " + strings.Repeat("a", maxHead) + "\r\n\r\n", 0, 1},
		"empty lines":         {"\r\n\r\n", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Stats().Bad
			got := raw(t, s, 0, c.text)
			if n := strings.Count(got, "HTTP/1.1 200 OK\r\n"); n != c.answers {
				t.Errorf("%d answers, want %d: %.200q", n, c.answers, got)
			}
			if bad := s.Stats().Bad - before; bad != c.bad {
				t.Errorf("%d counted as bad, want %d", bad, c.bad)
			}
		})
	}
	if n := s.Stats().NoPort; n != 1 {
		t.Errorf("%d answered without a port, want 1", n)
	}
}

func FuzzParseHead(f *testing.F) {
	f.Add([]byte("GET /p1.html HTTP/1.1\r\nHost: 127.1.0.1:8800\r\nConnection: close\r\n"))
	f.Add([]byte("HEAD / HTTP/1.0\r\n"))
	f.Add([]byte("\r\n : \r\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		r, ok := parseHead(head)
		if !ok {
			return
		}
		// What net/http reads from a request it accepts is what we read.
		req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(append(bytes.Clone(head), "\r\n"...))))
		if err != nil || req.URL.Host != "" || bytes.ContainsAny(head, "\t\n\v\f") && !bytes.Contains(head, []byte("\r\n")) {
			return
		}
		if req.RequestURI != string(r.path) {
			t.Errorf("path %q, net/http reads %q", r.path, req.RequestURI)
		}
		if (req.Method == "HEAD") != r.isHead {
			t.Errorf("HEAD is %v, method %q", r.isHead, req.Method)
		}
	})
}

func TestControl(t *testing.T) {
	s := serving(t, small())
	c := browser(t)
	lines := func(path string) []string {
		status, body := get(t, c, "GET", s.Control()+path)
		if status != 200 {
			t.Fatalf("%s: status %d", path, status)
		}
		return strings.Fields(string(body))
	}
	if got := lines("/seeds"); fmt.Sprint(got) != fmt.Sprint(s.Web().Seeds()) {
		t.Errorf("seeds %v", got)
	}
	urls := lines("/urls")
	if len(urls) != 150 || urls[31] != s.Web().URL(1, 1) {
		t.Fatalf("%d URLs, number 31 is %s", len(urls), urls[31])
	}
	for _, u := range append(urls[1:], urls[40]) {
		get(t, c, "GET", u)
	}
	if got := lines("/missing"); len(got) != 1 || got[0] != urls[0] {
		t.Errorf("missing: %v, want %s", got, urls[0])
	}
	if got := lines("/repeated"); len(got) != 1 || got[0] != urls[40] {
		t.Errorf("repeated: %v, want %s", got, urls[40])
	}
	var stats Stats
	_, body := get(t, c, "GET", s.Control()+"/stats")
	if err := json.Unmarshal(body, &stats); err != nil || stats.Unique != 149 || stats.Repeats != 1 || stats.Connections != 5 {
		t.Errorf("stats %s, %v: control connections must not count", body, err)
	}
	if status, _ := get(t, c, "GET", s.Control()+"/reset"); status != 405 {
		t.Errorf("GET /reset: status %d, want 405", status)
	}
	get(t, c, "POST", s.Control()+"/reset")
	if got := s.Stats(); got.Unique != 0 || got.Repeats != 0 || got.Requests != 0 {
		t.Errorf("after a reset: %+v", got)
	}
}

func TestQuitEndsRun(t *testing.T) {
	s, err := Listen(small(), 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(context.Background()) }()
	idle, err := net.Dial("tcp", s.web.hosts[0])
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if status, _ := get(t, browser(t), "POST", s.Control()+"/quit"); status != 200 {
		t.Errorf("quit: status %d", status)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the server goes on after quit")
	}
	if c, err := net.Dial("tcp", s.web.hosts[0]); err == nil {
		c.Close()
		t.Error("the port still answers")
	}
	_ = idle.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := idle.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("an idle connection was left open: %v", err)
	}
}

func TestPortInUseIsSaid(t *testing.T) {
	s := serving(t, small())
	if _, err := Listen(small(), s.Port()); err == nil || !strings.Contains(err.Error(), "another port") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkServe(b *testing.B) {
	spec := Default()
	spec.Hosts = 2
	s := serving(b, spec)
	c, err := net.Dial("tcp", s.web.hosts[0])
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	req := []byte("GET /p1.html HTTP/1.1\r\nHost: " + s.web.hosts[0] + "\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n")
	answer := make([]byte, len(s.web.pages[1]))
	s.counts.reset()
	for b.Loop() {
		if _, err := c.Write(req); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(c, answer); err != nil {
			b.Fatal(err)
		}
	}
}
