// Command collycrawl is the peer colly v2 at its best on the synthetic web:
// asynchronous, no delay, every connection kept, no robots.txt, no cookies, no
// archive, and nothing stored but a visited set in memory (see visited; with
// --own-visited, colly's). It follows every link; on the synthetic web none leads out.
//
// It prints what colly saw as one line of JSON. What counts is what the server
// counted.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	seeds := flag.String("seeds", "", "file with one URL a line")
	parallel := flag.Int("parallel", 64, "requests at the same time")
	ownVisited := flag.Bool("own-visited", false, "use colly's visited set, which lets pages through twice")
	flag.Parse()
	list, err := os.ReadFile(*seeds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "collycrawl: --seeds:", err)
		os.Exit(2)
	}
	r, err := crawl(strings.Fields(string(list)), *parallel, *ownVisited)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "collycrawl:", err)
		os.Exit(1)
	}
}

// result is what colly saw.
type result struct {
	Pages      int64   `json:"pages"`
	Links      int64   `json:"links"`
	Errors     int64   `json:"errors"`
	FirstError string  `json:"first_error,omitempty"`
	Seconds    float64 `json:"seconds"`
}

func crawl(seeds []string, parallel int, ownVisited bool) (result, error) {
	var pages, links, errors atomic.Int64
	var first atomic.Pointer[string]
	c := colly.NewCollector(colly.Async(true), colly.UserAgent("collycrawl (benchmark)"))
	if !ownVisited {
		if err := c.SetStorage(&visited{}); err != nil {
			return result{}, fmt.Errorf("setting the visited set: %w", err)
		}
	}
	c.DisableCookies()
	c.SetRequestTimeout(time.Minute)
	c.WithTransport(&http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		MaxIdleConnsPerHost: parallel,
		MaxIdleConns:        4096, // of 5,000 hosts and more, file descriptors would run out
		IdleConnTimeout:     time.Minute,
	})
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallel}); err != nil {
		return result{}, fmt.Errorf("setting the parallelism: %w", err)
	}
	c.OnResponse(func(*colly.Response) { pages.Add(1) })
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		links.Add(1)
		_ = e.Request.Visit(e.Attr("href")) // what was visited already is an error here
	})
	c.OnError(func(r *colly.Response, err error) {
		errors.Add(1)
		text := fmt.Sprintf("%s: %v", r.Request.URL, err)
		first.CompareAndSwap(nil, &text)
	})
	begin := time.Now()
	for _, u := range seeds {
		_ = c.Visit(u) // another seed's page may have led here before
	}
	c.Wait()
	r := result{Pages: pages.Load(), Links: links.Load(), Errors: errors.Load(), Seconds: time.Since(begin).Seconds()}
	if text := first.Load(); text != nil {
		r.FirstError = *text
	}
	return r, nil
}
