package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// finish sums up and says what was asked and missed.
func (r *report) finish(o options) {
	a := &r.All
	a.Name = "all"
	for _, f := range r.Trees {
		a.Pages += f.Pages
		a.Bytes += f.Bytes
		a.Scan += f.Scan
		a.Tokenizer += f.Tokenizer
		a.Tree += f.Tree
		a.Links += f.Links
		a.Resolve += f.Resolve
		a.Refused += f.Refused
		a.Different += f.Different
		a.URLs += f.URLs
		a.FalseTraps += f.FalseTraps
		a.Watched += f.Watched
	}
	miss := func(format string, args ...any) { r.Missed = append(r.Missed, fmt.Sprintf(format, args...)) }
	if a.Pages == 0 {
		miss("no HTML page was found")
		return
	}
	if a.Different > 0 {
		miss("%d pages are read differently", a.Different)
	}
	if a.FalseTraps > 0 {
		miss("%d real URLs are taken for a trap", a.FalseTraps)
	}
	for _, c := range []struct {
		name     string
		got, min float64
	}{
		{"tree", ratio(a.Tree, a.Scan), o.minTree},
		{"tokenizer", ratio(a.Tokenizer, a.Scan), o.minTokenizer},
	} {
		if c.got < c.min {
			miss("%.1f times the speed of the reference's %s; %.1f were asked", c.got, c.name, c.min)
		}
	}
	if o.maxLink > 0 && a.perLink() > o.maxLink {
		miss("%.0f ns for the canonical form of a link; at most %.0f were asked", a.perLink(), o.maxLink)
	}
}

func ratio[T ~int64](a, b T) float64 { return float64(a) / float64(max(b, 1)) }

func (r *report) write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tree\tpages\tMB\ttrawl MB/s\ttokenizer MB/s\ttree MB/s\t× tokenizer\t× tree\tlinks\tns/link\tdifferent\tcrawled\twatched\tfalse traps\t")
	for _, f := range append(r.Trees, r.All) {
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%.0f\t%.0f\t%.0f\t%.1f\t%.1f\t%d\t%.0f\t%d\t%d\t%d\t%d\t\n", f.Name, f.Pages, float64(f.Bytes)/1e6,
			f.mbps(f.Scan), f.mbps(f.Tokenizer), f.mbps(f.Tree), ratio(f.Tokenizer, f.Scan), ratio(f.Tree, f.Scan), f.Links, f.perLink(), f.Different, f.URLs, f.Watched, f.FalseTraps)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.All.Refused > 0 {
		fmt.Fprintf(w, "\nThe reference refuses %d pages, which nest too deep for it; they are not compared.\n", r.All.Refused)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(w, "\ndifferent: %q\n", d.Page)
		for _, s := range d.What {
			fmt.Fprintln(w, "  ", s)
		}
	}
	for _, p := range r.Pruned {
		fmt.Fprintf(w, "\nfalse trap: %q as %q\n", p.URL, p.Pattern)
	}
	for _, m := range r.Missed {
		fmt.Fprintln(w, "\nMISSED:", m)
	}
	return nil
}
