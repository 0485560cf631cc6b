// Command floor is the limit to compare a Go crawler with: a bare loop that
// fetches a known list of URLs with net/http over kept connections and scans
// each page for links with the fastest scanner there is here, trawl's own. It
// decides nothing, remembers nothing, stores nothing.
//
// Each worker takes one host at a time and asks for its pages in a row, so that
// a host costs one connection.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"trawl/internal/content/html"
)

func main() {
	urls := flag.String("urls", "", "file with one URL a line, the URLs of a host in a row")
	parallel := flag.Int("parallel", 32, "requests at the same time")
	flag.Parse()
	hosts, err := readHosts(*urls)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor: --urls:", err)
		os.Exit(2)
	}
	r, err := fetchAll(hosts, max(1, *parallel))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// readHosts reads the list, split where the host changes.
func readHosts(name string) ([][]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var hosts [][]string
	last := ""
	in := bufio.NewScanner(f)
	for in.Scan() {
		u, err := url.Parse(in.Text())
		if err != nil {
			return nil, err
		}
		if u.Host != last || len(hosts) == 0 {
			hosts, last = append(hosts, nil), u.Host
		}
		hosts[len(hosts)-1] = append(hosts[len(hosts)-1], in.Text())
	}
	return hosts, in.Err()
}

// result is what the loop did.
type result struct {
	Pages   int64   `json:"pages"`
	Links   int64   `json:"links"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

// fetchAll fetches and scans every URL. The first failure ends it.
func fetchAll(hosts [][]string, parallel int) (result, error) {
	tr := &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true, IdleConnTimeout: time.Minute}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: time.Minute}
	todo := make(chan []string, len(hosts))
	for _, h := range hosts {
		todo <- h
	}
	close(todo)
	begin := time.Now()
	parts, errs := make([]result, parallel), make([]error, parallel)
	var wg sync.WaitGroup
	for i := range parallel {
		wg.Go(func() { errs[i] = work(client, todo, &parts[i]) })
	}
	wg.Wait()
	var sum result
	for i, p := range parts {
		if errs[i] != nil {
			return sum, errs[i]
		}
		sum.Pages += p.Pages
		sum.Links += p.Links
		sum.Bytes += p.Bytes
	}
	sum.Seconds = time.Since(begin).Seconds()
	return sum, nil
}

// work fetches the hosts that it gets, one page after another, into one buffer.
func work(client *http.Client, todo <-chan []string, r *result) error {
	buf := make([]byte, 64<<10)
	for host := range todo {
		for _, u := range host {
			resp, err := client.Get(u)
			if err != nil {
				return err
			}
			body, err := read(resp, &buf)
			resp.Body.Close()
			if err != nil {
				return fmt.Errorf("%s: %w", u, err)
			}
			r.Pages++
			r.Bytes += int64(len(body))
			r.Links += int64(len(html.Scan(body, html.Options{}).Refs))
		}
	}
	return nil
}

// read reads a body of known length into the buffer, which grows as needed.
func read(resp *http.Response, buf *[]byte) ([]byte, error) {
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	case resp.ContentLength < 0:
		return io.ReadAll(resp.Body)
	case resp.ContentLength > int64(len(*buf)):
		*buf = make([]byte, resp.ContentLength)
	}
	body := (*buf)[:resp.ContentLength]
	if _, err := io.ReadFull(resp.Body, body); err != nil {
		return nil, err
	}
	// One more read meets the end, without which the connection is not kept.
	if n, err := resp.Body.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("the body goes on after its length: %v", err)
	}
	return body, nil
}
