package web

import (
	"runtime"
	"strconv"
	"sync"
)

// Web is the pages of a spec, each with the response that carries it.
type Web struct {
	spec   Spec
	port   int
	hosts  []string // authority of each host
	pages  [][]byte // whole responses, by host and page
	header int      // length of a page's response header
	robots []byte   // whole response
	lost   []byte   // whole response: not found
}

// Build makes every page of the spec, on all processors. The spec must be
// valid, and port from 1 to 65535.
func Build(spec Spec, port int) *Web {
	w := &Web{
		spec: spec, port: port, hosts: make([]string, spec.Hosts), pages: make([][]byte, spec.Total()),
		lost: response("404 Not Found", "text/plain", "not found\n"), robots: response("404 Not Found", "text/plain", "no robots.txt\n"),
	}
	if body := spec.Robots.robotsBody(); body != "" {
		w.robots = response("200 OK", "text/plain", body)
	}
	header := responseHeader("200 OK", "text/html; charset=utf-8", spec.Size)
	w.header = len(header)
	words := vocabulary(spec.Seed)
	workers := min(runtime.GOMAXPROCS(0), spec.Hosts)
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for host := k; host < spec.Hosts; host += workers {
				w.hosts[host] = authority(host, port)
				for page := range spec.Pages {
					b := make([]byte, 0, len(header)+spec.Size)
					w.pages[host*spec.Pages+page] = spec.appendPage(append(b, header...), host, page, port, words)
				}
			}
		})
	}
	wg.Wait()
	return w
}

func responseHeader(status, contentType string, length int) string {
	return "HTTP/1.1 " + status + "\r\nServer: bench\r\nContent-Type: " + contentType + "\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n"
}

func response(status, contentType, body string) []byte {
	return []byte(responseHeader(status, contentType, len(body)) + body)
}

// URL returns the URL of a page in its canonical form.
func (w *Web) URL(host, page int) string {
	return string(appendPath([]byte("http://"+w.hosts[host]), page))
}

// Seeds returns the URL of the first page of each host.
func (w *Web) Seeds() []string {
	out := make([]string, w.spec.Hosts)
	for host := range out {
		out[host] = w.URL(host, 0)
	}
	return out
}

// Body returns the body of a page. It must not be changed.
func (w *Web) Body(host, page int) []byte { return w.pages[host*w.spec.Pages+page][w.header:] }
