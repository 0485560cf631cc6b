package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// text writes the report for people.
func (r *report) text(w io.Writer) error {
	var b bytes.Buffer
	s, m := r.Spec, r.Machine
	fmt.Fprintf(&b, "web: %d hosts x %d pages of %d bytes with %d links, robots.txt %s, seed %d\n", s.Hosts, s.Pages, s.Size, s.Links, s.Robots, s.Seed)
	fmt.Fprintf(&b, "machine: %d CPUs, %s, %s/%s, %s; crawler and server share it\n", m.CPUs, orUnknown(m.Model), m.OS, m.Arch, m.Go)
	for _, name := range r.names() {
		fmt.Fprintf(&b, "%s: %s\n", name, r.Commands[name])
	}
	b.WriteByte('\n')
	r.runTable(&b)
	b.WriteString("\nmedians of complete runs\n")
	r.medianTable(&b)
	if len(r.Ratios) > 0 {
		b.WriteString("\npages per CPU-second, compared round by round\n")
		r.ratioTable(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func orUnknown(s string) string {
	if s == "" {
		return "model unknown"
	}
	return s
}

// table writes rows in columns that end with tabs; what follows the last tab is
// free.
func table(w *bytes.Buffer, header string, rows []string) {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range append([]string{header}, rows...) {
		fmt.Fprintln(t, row)
	}
	_ = t.Flush() // to memory
	for line := range strings.Lines(b.String()) {
		w.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

func (r *report) runTable(w *bytes.Buffer) {
	var rows []string
	for i := range r.Runs {
		m := &r.Runs[i]
		rows = append(rows, fmt.Sprintf("%d\t%s\t%.0f\t%.0f\t%.2f+%.2f\t%.2f\t%s\t%d\t%d\t%d\t%d\t%.2f\t%.1f\t  %s",
			m.Round, m.Peer, m.PagesPerCPU, m.PagesPerSec, m.User, m.Sys, m.Wall, mib(float64(m.PeakMemory)),
			m.Server.Unique, m.Server.Repeats, m.Server.Robots, m.Server.Connections, m.Server.CPUSeconds, m.Load, m.notes()))
	}
	table(w, "round\tcrawler\tpages/CPU-s\tpages/s\tCPU s\twall s\tpeak MiB\tunique\trepeats\trobots\tconns\tserver CPU s\tload\t  notes", rows)
}

func (r *report) medianTable(w *bytes.Buffer) {
	var rows []string
	for _, m := range r.Medians {
		if m.Runs == 0 {
			rows = append(rows, fmt.Sprintf("%s\t0\t-\t-\t-\t", m.Peer))
			continue
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%.0f\t%.0f\t%s\t", m.Peer, m.Runs, m.PagesPerCPU, m.PagesPerSec, mib(m.PeakMemory)))
	}
	table(w, "crawler\truns\tpages/CPU-s\tpages/s\tpeak MiB\t", rows)
}

func (r *report) ratioTable(w *bytes.Buffer) {
	header := []string{"ratio"}
	for round := 1; round <= r.Rounds; round++ {
		header = append(header, fmt.Sprintf("round %d", round))
	}
	var rows []string
	for _, q := range r.Ratios {
		cells := make([]string, r.Rounds)
		for i := range cells {
			cells[i] = "-"
		}
		for _, v := range q.Rounds {
			cells[v.Round-1] = factor(v.Value)
		}
		last := "-"
		if len(q.Rounds) > 0 {
			last = factor(q.Median)
		}
		rows = append(rows, q.Of+" / "+q.To+"\t"+strings.Join(cells, "\t")+"\t"+last+"\t")
	}
	table(w, strings.Join(append(header, "median"), "\t")+"\t", rows)
}

func factor(v float64) string { return fmt.Sprintf("%.2f", v) }

func mib(bytes float64) string { return fmt.Sprintf("%.0f", bytes/(1<<20)) }
