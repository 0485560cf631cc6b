package httpfetch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
)

// benchServer runs the server in a process of its own, so that cpu-ns/op is
// the client's alone. It is this test binary, told so by the environment.
const benchServer = "TRAWL_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(benchServer) != "" {
		serveBench()
		return
	}
	os.Exit(m.Run())
}

const benchBody = 20 << 10

func serveBench() {
	var t testing.T // never fails: only the address is needed
	body := strings.Repeat(page, benchBody/len(page)+1)[:benchBody]
	s := fetchtest.Serve(&t, func(c *fetchtest.Conn) {
		plain := fetchtest.OK(body, "Content-Type: text/html; charset=utf-8", "Date: Mon, 01 Jan 2024 00:00:00 GMT", "Server: bench", `ETag: "abc"`)
		packed := fetchtest.OK(pack(&t, body, "gzip"), "Content-Type: text/html", "Content-Encoding: gzip")
		for {
			lines, ok := c.Request()
			if !ok {
				return
			}
			if strings.HasPrefix(lines[0], "GET /gzip") {
				c.Send(packed)
			} else {
				c.Send(plain)
			}
		}
	})
	fmt.Println(s.URL(""))
	io.Copy(io.Discard, os.Stdin) // until the benchmark is over
}

func startBench(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), benchServer+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// BenchmarkBare is the floor: net/http's Transport, keep-alive, the body read
// into a slice of the right size. BenchmarkFetch must stay within 1.3 of it in
// cpu-ns/op.
func BenchmarkBare(b *testing.B) {
	url := startBench(b) + "/"
	tr := &http.Transport{DisableCompression: true}
	defer tr.CloseIdleConnections()
	bare := func() {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("User-Agent", "trawltest/1.0 (+https://trawl.example/)")
		req.Header.Set("Accept", "*/*")
		req.Header.Set("Accept-Encoding", "gzip, deflate, br")
		resp, err := tr.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		body := make([]byte, resp.ContentLength)
		if _, err := io.ReadFull(resp.Body, body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
	measure(b, bare)
}

func BenchmarkFetch(b *testing.B)     { benchFetch(b, "/") }
func BenchmarkFetchGzip(b *testing.B) { benchFetch(b, "/gzip") }

func benchFetch(b *testing.B, path string) {
	url := crawl.URL(startBench(b) + path)
	f := local(b)
	req := fetchtest.NewRequest(url)
	req.Timeouts = crawl.DefaultTimeouts()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	measure(b, func() {
		if res := f.Fetch(ctx, req); res.Failure != nil || len(res.Body) != benchBody {
			b.Fatal(len(res.Body), res.Failure)
		}
	})
}

func measure(b *testing.B, one func()) {
	one()
	b.ReportAllocs()
	before := cpuTime()
	for b.Loop() {
		one()
	}
	b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
}
