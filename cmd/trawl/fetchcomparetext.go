package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"trawl/internal/compare"
	"trawl/internal/report"
)

func writeComparison(o *fetchOptions, s streams, rep *compare.Report) error {
	if o.json {
		return printJSON(s.out, rep)
	}
	var b strings.Builder
	compareText(&b, rep)
	_, err := io.WriteString(s.out, b.String())
	return err
}

// compareText shows the answers side by side, then what differs, then what it
// means.
func compareText(b *strings.Builder, rep *compare.Report) {
	fmt.Fprintf(b, "%s\n\n", report.Safe(string(rep.URL)))
	sideBySide(b, rep.Probes)
	if rep.Control != "asked" {
		fmt.Fprintf(b, "\nThe first request was not made again: %s. Differences may be the page's own.\n", report.Safe(rep.Control))
	}
	if len(rep.Unstable) > 0 {
		fmt.Fprintf(b, "\nChanges with every request, and is left out: %s\n", report.Safe(strings.Join(rep.Unstable, ", ")))
	}
	first := rep.Probes[0].Name
	if len(rep.Differences) > 0 {
		fmt.Fprintf(b, "\nDifferences from %s\n", first)
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, d := range rep.Differences {
			fmt.Fprintf(t, "  %s\t%s\t%s\t→ %s\n", d.Probe, report.Safe(d.Aspect), quoted(d.First), quoted(d.Got))
		}
		// It writes into memory.
		_ = t.Flush()
	}
	for _, d := range rep.Texts {
		fmt.Fprintf(b, "\nText of %s: %.0f %% of the words are the same, simhash distance %d of 64\n", d.Probe, 100*d.Similarity, d.Distance)
		for _, line := range d.Excerpt {
			fmt.Fprintf(b, "  %s\n", report.Safe(line))
		}
	}
	for _, d := range rep.Links {
		fmt.Fprintf(b, "\nLinks of %s: %d that %s does not have, %d of its missing\n", d.Probe, d.Added, first, d.Missing)
		for _, u := range d.More {
			fmt.Fprintf(b, "  + %s\n", report.Safe(string(u)))
		}
		for _, u := range d.Fewer {
			fmt.Fprintf(b, "  - %s\n", report.Safe(string(u)))
		}
	}
	if len(rep.Ignored) > 0 {
		fmt.Fprintf(b, "\nIgnored, since they change with every response: %s\n", report.Safe(strings.Join(rep.Ignored, ", ")))
	}
	fmt.Fprintln(b)
	for _, v := range rep.Verdicts {
		fmt.Fprintf(b, "%s: %s\n", v.Row, report.Safe(v.Sentence))
		if v.Advice != "" {
			fmt.Fprintf(b, "    %s\n", report.Safe(v.Advice))
		}
	}
	answered := slices.ContainsFunc(rep.Probes, func(p *compare.Seen) bool { return p.Status > 0 })
	switch {
	case !answered && rep.Same:
		fmt.Fprintln(b, "None of them got a response.")
	case rep.Same && len(rep.Verdicts) == 0:
		fmt.Fprintln(b, "All of them got the same.")
	case len(rep.Verdicts) == 0:
		fmt.Fprintln(b, "The differences are small: no rule says that they matter.")
	}
}

// sideBySide prints a column for each probe, transposed: a line for each, since
// names are long and probes may be many.
func sideBySide(b *strings.Builder, probes []*compare.Seen) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tanswer\tredirects\tprotocol\ttype\twire\tdecoded\tlinks\twords\tlike the first\trobots\ttime")
	for _, p := range probes {
		if p.Skipped != "" {
			fmt.Fprintf(t, "%s\tnot asked: %s\n", p.Name, report.Safe(p.Skipped))
			continue
		}
		answer, like := "none", "-"
		switch {
		case p.Failure != nil && p.Status == 0:
			answer = p.Failure.Class.String()
		case p.Failure != nil:
			answer = fmt.Sprintf("%d, %s", p.Status, p.Failure.Class)
		case p.Status > 0:
			answer = fmt.Sprint(p.Status)
		}
		if p.Status > 0 {
			like = fmt.Sprintf("%.0f %%", 100*p.Similarity)
		}
		cut := ""
		if p.Truncated {
			cut = " (cut)"
		}
		kind := p.MediaType
		if p.Charset != "" {
			kind += " " + p.Charset
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%d\t%d%s\t%d\t%d\t%s\t%s\t%s\n", p.Name, answer, len(p.Chain), orDash(p.Protocol), orDash(report.Safe(kind)),
			p.WireBytes, p.BodyBytes, cut, p.Links, p.Words, like, orDash(robotsRules(p.Noindex, p.Nofollow)), ms(p.Total))
	}
	// It writes into memory.
	_ = t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// maxShown is how much of a value the table of differences shows; --json has it.
const maxShown = 100

func quoted(s string) string {
	if s == "" {
		return "(none)"
	}
	if r := []rune(s); len(r) > maxShown {
		s = string(r[:maxShown]) + "…"
	}
	return report.Safe(s)
}
