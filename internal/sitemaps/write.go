package sitemaps

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
)

// WriterOptions say how sitemaps are written.
type WriterOptions struct {
	Name     string // of the first file, without directory: "sitemap.xml"
	Base     string // where the files are served, ends in "/"; for the index
	Gzip     bool   // pack the files; ".gz" is added to their names
	MaxURLs  int    // in one file; 0 = the protocol's limit
	MaxBytes int    // of one file, unpacked; 0 = the protocol's limit
	// Write stores one whole file under its name. The index comes last, so that
	// it never names a file that is not there.
	Write func(name string, body []byte) error
}

// Writer writes URLs as sitemaps: one file, or as many as the limits ask for and
// an index with the first name. It holds one file in memory.
type Writer struct {
	opt    WriterOptions
	body   bytes.Buffer
	urls   int
	newest time.Time
	index  bytes.Buffer
	files  int
	Total  int64    // URLs written
	Names  []string // of the files written, the index last
}

const (
	xmlHead    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	urlsetHead = xmlHead + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	urlsetFoot = "</urlset>\n"
	indexHead  = xmlHead + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	indexFoot  = "</sitemapindex>\n"
)

// NewWriter returns a writer without URLs.
func NewWriter(opt WriterOptions) *Writer {
	if opt.MaxURLs <= 0 || opt.MaxURLs > sitemap.MaxEntries {
		opt.MaxURLs = sitemap.MaxEntries
	}
	if opt.MaxBytes <= 0 || opt.MaxBytes > sitemap.MaxBytes {
		opt.MaxBytes = sitemap.MaxBytes
	}
	return &Writer{opt: opt}
}

// Add writes a URL; a zero lastMod writes none.
func (w *Writer) Add(u crawl.URL, lastMod time.Time) error {
	entry := element("url", string(u), lastMod)
	if w.urls > 0 && (w.urls >= w.opt.MaxURLs || w.body.Len()+len(entry)+len(urlsetFoot) > w.opt.MaxBytes) {
		if err := w.part(); err != nil {
			return err
		}
	}
	if w.urls == 0 {
		w.body.WriteString(urlsetHead)
	}
	w.body.WriteString(entry)
	w.urls++
	w.Total++
	if lastMod.After(w.newest) {
		w.newest = lastMod
	}
	return nil
}

// part ends the file as one of several.
func (w *Writer) part() error {
	w.files++
	if w.files > sitemap.MaxEntries {
		return fmt.Errorf("more than %d sitemaps: an index cannot name them; write one host at a time", sitemap.MaxEntries)
	}
	stem, ext := w.opt.Name, ""
	if i := strings.LastIndexByte(stem, '.'); i > 0 {
		stem, ext = stem[:i], stem[i:]
	}
	name := fmt.Sprintf("%s-%d%s", stem, w.files, ext)
	if w.files == 1 {
		w.index.WriteString(indexHead)
	}
	w.index.WriteString(element("sitemap", w.opt.Base+w.called(name), w.newest))
	return w.flush(name, &w.body, urlsetFoot)
}

func (w *Writer) called(name string) string {
	if w.opt.Gzip {
		return name + ".gz"
	}
	return name
}

// flush stores what is in b and empties it.
func (w *Writer) flush(name string, b *bytes.Buffer, foot string) error {
	b.WriteString(foot)
	body := b.Bytes()
	if w.opt.Gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed) // without a time: the same URLs give the same bytes
		if _, err := z.Write(body); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	name = w.called(name)
	if err := w.opt.Write(name, body); err != nil {
		return err
	}
	w.Names = append(w.Names, name)
	b.Reset()
	w.urls, w.newest = 0, time.Time{}
	return nil
}

// Close writes what is left, and the index if there are several files. Without
// URLs nothing is written.
func (w *Writer) Close() error {
	switch {
	case w.Total == 0:
		return nil
	case w.files == 0:
		return w.flush(w.opt.Name, &w.body, urlsetFoot)
	}
	if err := w.part(); err != nil {
		return err
	}
	return w.flush(w.opt.Name, &w.index, indexFoot)
}

func element(name, loc string, lastMod time.Time) string {
	var b strings.Builder
	b.WriteString("<" + name + "><loc>")
	escape(&b, loc)
	b.WriteString("</loc>")
	if !lastMod.IsZero() {
		b.WriteString("<lastmod>" + lastMod.UTC().Format(time.RFC3339) + "</lastmod>")
	}
	b.WriteString("</" + name + ">\n")
	return b.String()
}

func escape(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '\'':
			b.WriteString("&apos;")
		case '"':
			b.WriteString("&quot;")
		default:
			b.WriteByte(c)
		}
	}
}
