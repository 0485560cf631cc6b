package main

import (
	"bytes"
	"fmt"
	"net/url"
	"runtime"
	"syscall"
	"time"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"

	"trawl/internal/content/charset"
	"trawl/internal/content/html"
	"trawl/internal/content/html/htmltest"
	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

// report is everything that was measured.
type report struct {
	Trees       []figures    `json:"trees"`
	All         figures      `json:"all"`
	Differences []difference `json:"differences"` // the first of them
	Pruned      []pruned     `json:"pruned"`
	Missed      []string     `json:"missed"` // what was asked and is not so
}

// figures are the sums over one tree.
type figures struct {
	Name       string        `json:"name"`
	Pages      int           `json:"pages"`
	Bytes      int64         `json:"bytes"`
	Scan       time.Duration `json:"scan_ns"`
	Tokenizer  time.Duration `json:"tokenizer_ns"`
	Tree       time.Duration `json:"tree_ns"`
	Links      int64         `json:"links"`
	Resolve    time.Duration `json:"resolve_ns"`
	Refused    int           `json:"refused_by_reference"` // its bound of nesting
	Different  int           `json:"different"`
	URLs       int           `json:"urls"`        // pages that a crawl of the tree finds
	FalseTraps int           `json:"false_traps"` // of them, those that it would have pruned
	Watched    int           `json:"watched"`     // of them, those whose text was looked at
}

type difference struct {
	Page string   `json:"page"`
	What []string `json:"what"`
}

type pruned struct {
	URL     crawl.URL `json:"url"`
	Pattern string    `json:"pattern"`
}

func (f figures) mbps(d time.Duration) float64 { return float64(f.Bytes) / 1e6 / d.Seconds() }

func (f figures) perLink() float64 {
	return float64(f.Resolve.Nanoseconds()) / float64(max(f.Links, 1))
}

// page is one page of a batch.
type page struct {
	path string
	url  crawl.URL
	doc  []byte
	read *html.Document
}

// batch is how many bytes are read into memory and then timed together: the
// garbage of one way must not be collected on the time of another.
const batch = 16 << 20

// read measures and compares the pages of one tree.
func (r *report) read(t tree, o options) error {
	f := figures{Name: t.Name}
	var pages []page
	size := 0
	flush := func() {
		f.times(pages)
		f.resolve(pages)
		for i := range pages {
			r.compare(&f, &pages[i], o.differences)
		}
		pages, size = pages[:0], 0
	}
	err := t.pages(o.sample, func(path string, doc []byte) error {
		if !utf8.Valid(doc) {
			e, _ := charset.Detect(doc, "text/html", html.Scan(doc, html.Options{}).Charset)
			doc = e.Decode(doc)
		}
		u, err := weburl.Parse(origin + (&url.URL{Path: path}).EscapedPath())
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		pages = append(pages, page{path: t.Name + "/" + path, url: u, doc: doc})
		if size += len(doc); size >= batch {
			flush()
		}
		return nil
	})
	flush()
	if err == nil {
		err = r.crawl(t, &f, f.Pages, o.differences)
	}
	r.Trees = append(r.Trees, f)
	return err
}

// times reads the pages each way.
func (f *figures) times(pages []page) {
	f.Pages += len(pages)
	for i := range pages {
		f.Bytes += int64(len(pages[i].doc))
	}
	f.Scan += timed(func() {
		for i := range pages {
			html.Scan(pages[i].doc, html.Options{})
		}
	})
	for i := range pages {
		pages[i].read = html.Scan(pages[i].doc, html.Options{})
	}
	f.Tokenizer += timed(func() {
		for i := range pages {
			hrefs(pages[i].doc)
		}
	})
	f.Tree += timed(func() {
		for i := range pages {
			if _, err := xhtml.Parse(bytes.NewReader(pages[i].doc)); err != nil {
				f.Refused++
			}
		}
	})
}

// timed returns the CPU time of do, its garbage collection included; what else
// the machine does is not in it. It starts from a clean heap.
func timed(do func()) time.Duration {
	runtime.GC()
	start := cpu()
	do()
	return cpu() - start
}

// cpu returns the CPU time this process has used, in user mode and in the kernel.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// hrefs is the cheapest way to read links by the reference's tokenizer: only
// the attributes of links are looked at.
func hrefs(doc []byte) (n int) {
	z := xhtml.NewTokenizer(bytes.NewReader(doc))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return n
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) != "a" && string(name) != "area" {
				continue
			}
			for more {
				var k []byte
				if k, _, more = z.TagAttr(); string(k) == "href" {
					n++
				}
			}
		}
	}
}

func (r *report) compare(f *figures, p *page, limit int) {
	want, err := htmltest.Tree(p.doc)
	if err != nil {
		return
	}
	if what := htmltest.Differences(reading(p.read).AsSets(), want.AsSets()); len(what) > 0 {
		f.Different++
		if len(r.Differences) < limit {
			r.Differences = append(r.Differences, difference{p.path, what})
		}
	}
}

// reading is the form in which trawl's answer is compared.
func reading(d *html.Document) (r htmltest.Reading) {
	for _, ref := range d.Refs {
		v := string(ref.Value)
		switch ref.Kind {
		case html.KindLink:
			if v == "" || v[0] != '#' {
				r.Links = append(r.Links, v)
			}
		case html.KindFrame:
			r.Frames = append(r.Frames, v)
		case html.KindCanonical:
			r.Canonical = append(r.Canonical, v)
		case html.KindAlternate:
			r.Alternate = append(r.Alternate, v)
		case html.KindPagination:
			r.Pagination = append(r.Pagination, v)
		}
	}
	for _, m := range d.Robots {
		r.Robots = append(r.Robots, m.Name+": "+m.Content)
	}
	r.Base, r.HasBase, r.Title = string(d.Base), d.Base != nil, d.Title
	return r
}

// resolve times the canonical form of the pages' references, as the crawler
// makes it: right behind reading the page. What reading alone takes is subtracted.
func (f *figures) resolve(pages []page) {
	n := 0
	for i := range pages {
		n += len(pages[i].read.Refs)
	}
	links := make([]crawl.URL, 0, n)
	f.Links += int64(n)
	both := timed(func() {
		for i := range pages {
			d := html.Scan(pages[i].doc, html.Options{})
			base := weburl.NewBase(pages[i].url)
			if d.Base != nil {
				if u, err := base.Resolve(d.Base); err == nil {
					base = weburl.NewBase(u)
				}
			}
			for _, ref := range d.Refs {
				if u, err := base.Resolve(ref.Value); err == nil {
					links = append(links, u)
				}
			}
		}
	})
	f.Resolve += both - timed(func() {
		for i := range pages {
			html.Scan(pages[i].doc, html.Options{})
		}
	})
}
