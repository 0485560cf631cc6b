package sitemaps

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

var t0 = time.Date(2026, 5, 1, 10, 20, 30, 0, time.UTC)

// written is what a writer stored.
type written map[string][]byte

func (f written) write(name string, body []byte) error {
	if _, twice := f[name]; twice {
		return errors.New("written twice: " + name)
	}
	f[name] = bytes.Clone(body)
	return nil
}

// review checks written files as a crawler would come to them.
func (f written) review(t testing.TB, base crawl.URL, first string) *Review {
	t.Helper()
	r := New(Options{Now: t0.Add(time.Hour)})
	queue := []crawl.URL{base + crawl.URL(first)}
	for len(queue) > 0 {
		name := strings.TrimPrefix(string(queue[0]), string(base))
		body, ok := f[name]
		if !ok {
			t.Fatalf("the index names %s, which is not there", queue[0])
		}
		kids, err := r.Add(name, queue[0], sitemap.Parse(body, sitemap.Options{CountAll: true}))
		if err != nil {
			t.Fatal(err)
		}
		queue = append(queue[1:], kids...)
	}
	return r
}

func TestD2Writer(t *testing.T) {
	for name, tc := range map[string]struct {
		opt   WriterOptions
		urls  int
		names string
	}{
		"nothing":      {WriterOptions{}, 0, "[]"},
		"one file":     {WriterOptions{}, 3, "[sitemap.xml]"},
		"exactly full": {WriterOptions{MaxURLs: 3}, 3, "[sitemap.xml]"},
		"one more":     {WriterOptions{MaxURLs: 3}, 4, "[sitemap-1.xml sitemap-2.xml sitemap.xml]"},
		"by bytes":     {WriterOptions{MaxBytes: 400}, 8, "[sitemap-1.xml sitemap-2.xml sitemap-3.xml sitemap.xml]"},
		"packed":       {WriterOptions{Gzip: true, MaxURLs: 2}, 3, "[sitemap-1.xml.gz sitemap-2.xml.gz sitemap.xml.gz]"},
		"50,001":       {WriterOptions{}, 50_001, "[sitemap-1.xml sitemap-2.xml sitemap.xml]"},
	} {
		t.Run(name, func(t *testing.T) {
			f := written{}
			tc.opt.Name, tc.opt.Base, tc.opt.Write = "sitemap.xml", "https://e.com/", f.write
			w := NewWriter(tc.opt)
			for i := range tc.urls {
				if err := w.Add(crawl.URL(fmt.Sprintf("https://e.com/p'%d?a&b", i)), t0.Add(time.Duration(-i)*time.Second)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(w.Names); got != tc.names || w.Total != int64(tc.urls) {
				t.Errorf("%d URLs in %s, want %s", w.Total, got, tc.names)
			}
			if tc.urls == 0 {
				return
			}
			r := f.review(t, "https://e.com/", w.Names[len(w.Names)-1])
			if len(r.Findings) > 0 || r.URLs != int64(tc.urls) {
				t.Errorf("%d URLs, %.500v", r.URLs, r.Findings)
			}
			for name, body := range f {
				if s := sitemap.Parse(body, sitemap.Options{}); tc.opt.MaxBytes > 0 && s.Bytes > int64(tc.opt.MaxBytes) && !s.Index {
					t.Errorf("%s has %d bytes", name, s.Bytes)
				}
			}
		})
	}
}

func TestD2WriterFails(t *testing.T) {
	full := errors.New("disk full")
	w := NewWriter(WriterOptions{Name: "s.xml", MaxURLs: 1, Write: func(string, []byte) error { return full }})
	if err := w.Add("https://e.com/1", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Add("https://e.com/2", time.Time{}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

// TestD2RoundTrip: whatever URLs are written are read again, the same bytes each time.
func TestD2RoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var urls []crawl.URL
		known := map[crawl.URL]bool{}
		for range rapid.IntRange(1, 30).Draw(rt, "urls") {
			u, err := weburl.Parse("https://e.com/" + rapid.String().Draw(rt, "path"))
			if err == nil && !known[u] {
				known[u] = true
				urls = append(urls, u)
			}
		}
		opt := WriterOptions{Name: "s.xml", Base: "https://e.com/", MaxURLs: rapid.IntRange(1, 9).Draw(rt, "most"), Gzip: rapid.Bool().Draw(rt, "gzip")}
		var files [2]written
		var first string
		for i := range files {
			files[i] = written{}
			opt.Write = files[i].write
			w := NewWriter(opt)
			for _, u := range urls {
				if err := w.Add(u, time.Time{}); err != nil {
					rt.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				rt.Fatal(err)
			}
			first = w.Names[len(w.Names)-1]
		}
		for name, body := range files[0] {
			if !bytes.Equal(body, files[1][name]) {
				rt.Fatalf("%s differs", name)
			}
		}
		r := files[0].review(t, "https://e.com/", first)
		if e, w := r.Problems(); e+w > 0 || r.URLs != int64(len(urls)) {
			rt.Fatalf("%d URLs of %d, %v", r.URLs, len(urls), r.Findings)
		}
	})
}
