package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/report"
	"trawl/internal/sitemaps"
	"trawl/internal/store"
)

// text writes the findings as compilers do, then what was read.
func (r *sitemapReport) text(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintln(&b, report.Safe(f.String()))
	}
	if r.Dropped > 0 {
		fmt.Fprintf(&b, "and %d more that are not listed (--limit)\n", r.Dropped)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for i := range r.Files {
		fileLine(t, &r.Files[i])
	}
	_ = t.Flush() // into memory
	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(&b, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintf(&b, "%s, %s on %s", report.Count(int64(len(r.Files)), "sitemap"), report.Count(r.URLs, "distinct URL"), report.Count(int64(r.Hosts), "hostname"))
	if r.Left > 0 {
		fmt.Fprintf(&b, "; %s left out", report.Count(int64(r.Left), "sitemap"))
	}
	b.WriteString("\n")
	r.sources(&b)
	for _, c := range r.Counts {
		fmt.Fprintf(&b, "  %8d  %s: %s\n", c.Count, c.Severity, c.Class)
	}
	switch {
	case r.Errors+r.Warnings == 0:
		b.WriteString("no errors, no warnings\n")
	default:
		fmt.Fprintf(&b, "%s, %s\n", report.Count(r.Errors, "error"), report.Count(r.Warnings, "warning"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sources says what the URLs were compared with.
func (r *sitemapReport) sources(b *strings.Builder) {
	var clients []string
	for _, c := range r.Clients {
		clients = append(clients, string(c))
	}
	if len(r.Robots) == 0 {
		b.WriteString("robots.txt was not looked at (--robots FILE)\n")
	}
	for _, x := range r.Robots {
		fmt.Fprintf(b, "robots.txt of %s, for %s: %s; it names %s\n",
			report.Safe(string(x.Origin)), strings.Join(clients, ", "), report.Safe(strings.TrimSuffix(x.Meaning, ".")), report.Count(int64(x.Names), "sitemap"))
	}
	if c := r.Crawl; c != nil {
		fmt.Fprintf(b, "in the crawl: %d known, %d not known, %d not crawled, %d can be indexed, %d cannot\n", c.Known, c.Unknown, c.Uncrawled, c.Indexable, c.NotIndexable)
	}
	for _, h := range slices.Sorted(maps.Keys(r.Trust)) {
		fmt.Fprintf(b, "%s: %s\n", report.Safe(h), r.Trust[h].Reason)
	}
}

// fileLine is one row for a sitemap.
func fileLine(w io.Writer, f *sitemaps.File) {
	format := f.Format
	if format == "" {
		format = "no sitemap"
	}
	if f.Packed > 0 {
		format += ", gzip"
	}
	var ext []string
	for _, x := range []struct {
		name string
		n    int
	}{
		{"image", f.Extensions.Image}, {"video", f.Extensions.Video}, {"news", f.Extensions.News}, {"media", f.Extensions.Media}, {"hreflang", f.Extensions.Hreflang},
	} {
		if x.n > 0 {
			ext = append(ext, fmt.Sprintf("%d %s", x.n, x.name))
		}
	}
	m := &f.LastMod
	dates := "no lastmod"
	if n := m.Valid + m.Invalid; n > 0 {
		dates = fmt.Sprintf("%d lastmod", n)
		if m.Valid > 0 {
			dates += fmt.Sprintf(" from %s to %s", m.Oldest.Format(time.DateOnly), m.Newest.Format(time.DateOnly))
		}
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%d entries\t%d URLs\t%d double\t%s\t%s\n",
		report.Safe(f.Name), format, report.Bytes(f.Bytes), f.Entries, f.URLs, f.Duplicates, dates, strings.Join(ext, ", "))
}

// sitemapFact is what a crawl knows of a URL.
func sitemapFact(ctx context.Context, st store.Store, u crawl.URL) (sitemaps.Fact, error) {
	rec, ok, err := st.URL(ctx, u)
	if err != nil || !ok || len(rec.Visits) == 0 {
		return sitemaps.Fact{}, err
	}
	v := &rec.Visits[0]
	f := sitemaps.Fact{Known: true, Crawled: v.Crawls > 0}
	state := rec.Index.State
	switch {
	case state == crawl.IndexExcluded || state == crawl.IndexRemoved:
		f.Why = rec.Index.Reason.String()
		if rec.Index.Row != "" {
			f.Why += " (" + rec.Index.Row + ")"
		}
		if v.RedirectTo != "" {
			f.Why += ", to " + string(v.RedirectTo)
		}
	case v.Robots:
		f.Why = crawl.ReasonRobotsBlocked.String()
	case rec.Canonical != "" && rec.Canonical != u:
		f.Why = "it names " + string(rec.Canonical) + " as its canonical"
	default:
		f.Indexable = state == crawl.IndexPassed || state == crawl.IndexPreserved
		if f.Crawled && !f.Indexable {
			f.Why = "its last answer gave nothing to index"
		}
	}
	return f, nil
}

// sitemapProgress shows how far a check has come, when there is more than one
// sitemap to read.
type sitemapProgress struct {
	check *sitemapCheck
	last  time.Time
	shown bool
}

func newSitemapProgress(c *sitemapCheck) *sitemapProgress {
	return &sitemapProgress{check: c, last: time.Now()}
}

func (p *sitemapProgress) at(read, waiting int) {
	c := p.check
	every := 10 * time.Second
	if c.streams.tty {
		every = 200 * time.Millisecond
	}
	if c.opt.quiet || time.Since(p.last) < every {
		return
	}
	p.last, p.shown = time.Now(), true
	e, w := c.review.Problems()
	line := fmt.Sprintf("sitemaps %d read, %d waiting  URLs %d  errors %d  warnings %d", read, waiting, c.review.URLs, e, w)
	if c.streams.tty {
		fmt.Fprintf(c.streams.err, "\r%-79.79s", line)
		return
	}
	fmt.Fprintln(c.streams.err, line)
}

func (p *sitemapProgress) end() {
	if p.shown && p.check.streams.tty {
		fmt.Fprintln(p.check.streams.err)
	}
}
