package report

import (
	"fmt"
	"io"
	"time"

	"trawl/internal/crawl"
)

// Text writes the summary for people. Everything from strangers is made safe
// for a terminal.
func (s *Summary) Text(w io.Writer) error {
	p := &printer{w: w}
	p.f("%s known, %d crawled, %d waiting, on %s\n", Count(s.Known, "URL"), s.Crawled, s.Pending, Count(s.Hosts, "hostname"))
	s.Stats.text(p)
	p.shares("By index state", s.Index)
	p.facts("Slowest", s.Slowest, func(f PageFact) string { return f.Duration.Round(time.Millisecond).String() })
	p.facts("Largest", s.Largest, func(f PageFact) string { return Bytes(f.Bytes) })
	list(p, "Truncated at the byte limit (B5)", s.Truncated, func(f PageFact) { p.f("  %10s  %s\n", Bytes(f.Bytes), Safe(string(f.URL))) })
	list(p, "Incomplete: what came was kept", s.Incomplete, func(f PageFact) { p.f("  %-16s  %s\n", f.Failure, Safe(string(f.URL))) })
	list(p, "Read in part, for a limit of trawl's (D1)", s.Bounded, func(f PageFact) { p.f("  %10s  %s\n", Bytes(f.Bytes), Safe(string(f.URL))) })
	list(p, "Redirect chains and errors", s.Chains, p.chain)
	list(p, "Broken links", s.Broken, p.broken)
	list(p, "Blocked by robots.txt (C7)", s.Blocked, func(f PageFact) { p.f("  %s\n", Safe(string(f.URL))) })
	list(p, "Traps: URL spaces without end, not followed (D3)", s.Traps, func(t HostTrap) {
		p.f("  %6d × %s\n      %s; example: %s\n", t.Count, Safe(t.Pattern), Safe(t.Reason), Safe(string(t.Example)))
	})
	if s.Pruned > 0 {
		p.f("  %s that showed to lie in such a space among many others\n", Count(s.Pruned, "URL"))
	}
	list(p, "Hostnames with work left", s.Left, func(l LeftHost) {
		until := ""
		if !l.Until.IsZero() {
			until = ", not before " + l.Until.UTC().Format(time.RFC3339)
		}
		where := string(l.Origin)
		if where == "" {
			where = string(l.Host) + " (other ports)"
		}
		p.f("  %s: %s, %s%s\n", Safe(where), Count(l.URLs, "URL"), Safe(l.Reason), until)
	})
	return p.err
}

// Text writes the crawl stats for people.
func (b *Breakdown) Text(w io.Writer) error {
	p := &printer{w: w}
	b.text(p)
	return p.err
}

func (b *Breakdown) text(p *printer) {
	unsent := ""
	if b.NotSent > 0 {
		unsent = fmt.Sprintf(" (%d of them not sent)", b.NotSent)
	}
	p.f("%s%s, %s transferred, average response %s, %s\n",
		Count(b.Requests, "request"), unsent, Bytes(b.Bytes), average(b.Average), Count(int64(b.HostCount), "hostname"))
	p.shares("By response", b.Response)
	p.shares("By file type", b.File)
	p.shares("By purpose", b.Purpose)
	p.shares("By client type", b.Client)
}

// average is kept in whole milliseconds, so that less than one is not nothing.
func average(d time.Duration) string {
	if d < time.Millisecond {
		return "<1ms"
	}
	return d.Round(time.Millisecond).String()
}

// printer keeps the first error, so that callers need not look at each line.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) shares(title string, rows []Share) {
	if len(rows) == 0 {
		return
	}
	p.f("\n%s\n", title)
	for _, r := range rows {
		p.f("  %10d  %5.1f %%  %s\n", r.Requests, r.Percent, r.Label)
	}
}

func (p *printer) facts(title string, rows []PageFact, value func(PageFact) string) {
	if len(rows) == 0 {
		return
	}
	p.f("\n%s\n", title)
	for _, r := range rows {
		p.f("  %10s  %s\n", value(r), Safe(string(r.URL)))
	}
}

func (p *printer) chain(c Chain) {
	for i, u := range c.Hops {
		arrow := "  "
		if i > 0 {
			arrow = "    → "
		}
		p.f("%s%s\n", arrow, Safe(string(u)))
	}
	if c.End != "" {
		p.f("    ✗ %s\n", c.End)
	}
}

func (p *printer) broken(b Broken) {
	p.f("  %s  %s\n", b.Answer, Safe(string(b.URL)))
	for _, r := range b.Referrers.Items {
		p.f("      on %s\n", Safe(string(r)))
	}
	if more := b.Referrers.Total - int64(len(b.Referrers.Items)); more > 0 {
		p.f("      and %s\n", Count(more, "more page"))
	}
}

func list[T any](p *printer, title string, l List[T], row func(T)) {
	if l.Total == 0 {
		return
	}
	p.f("\n%s: %d\n", title, l.Total)
	for _, v := range l.Items {
		row(v)
	}
	if more := l.Total - int64(len(l.Items)); more > 0 {
		p.f("  and %d more (--json with a higher --limit lists them)\n", more)
	}
}

// Bytes formats a number of bytes with binary units, the unit of the byte
// limits (B4).
func Bytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= crawl.MB:
		return fmt.Sprintf("%.1f MiB", float64(n)/crawl.MB)
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// Count formats a number with its noun: "1 page", "2 pages".
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
