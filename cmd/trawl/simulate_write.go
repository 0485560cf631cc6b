package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"trawl/internal/simreport"
)

// readScenarioFile reads a file of at most most bytes; what is beyond is not read.
func readScenarioFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the scenario: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return data, nil
}

// playedJSON is what --json prints of a run.
type playedJSON struct {
	*simreport.Figures
	Words []simreport.Sentence `json:"words"`
}

func writePlayed(s streams, o *simulateFlags, p *played) error {
	o.everything()
	if err := writeCharts(o, simreport.Charts(p.figures, p.result)); err != nil {
		return err
	}
	if o.csv != "" {
		if err := writeTo(s, o.csv, func(w io.Writer) error { return simreport.CSV(w, p.result) }); err != nil {
			return err
		}
	}
	text := func(w io.Writer) error {
		if err := p.figures.Text(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return simreport.Timeline(w, p.file.Run, p.result, columns(s, o))
	}
	asJSON := func(w io.Writer) error { return printJSON(w, playedJSON{p.figures, p.figures.Sentences()}) }
	return finish(s, o, text, asJSON)
}

func writeTwoRuns(s streams, o *simulateFlags, a, b *played) error {
	if a.figures.Name == b.figures.Name {
		a.figures.Name, b.figures.Name = a.figures.Name+" (1)", b.figures.Name+" (2)"
	}
	c := simreport.Compare(a.figures, b.figures)
	o.everything()
	if err := writeCharts(o, simreport.CompareCharts(a.figures, b.figures, a.result, b.result)); err != nil {
		return err
	}
	if o.out != "" {
		for i, p := range []*played{a, b} {
			name := filepath.Join(o.out, fmt.Sprintf("timeline-%d.csv", i+1))
			if err := writeTo(s, name, func(w io.Writer) error { return simreport.CSV(w, p.result) }); err != nil {
				return err
			}
		}
	}
	text := func(w io.Writer) error {
		if err := c.Text(w); err != nil {
			return err
		}
		for _, p := range []*played{a, b} {
			fmt.Fprintf(w, "\n%s\n", p.figures.Name)
			if err := simreport.Timeline(w, p.file.Run, p.result, columns(s, o)); err != nil {
				return err
			}
		}
		return nil
	}
	return finish(s, o, text, func(w io.Writer) error { return printJSON(w, c) })
}

// everything has --out write what the other flags name.
func (o *simulateFlags) everything() {
	if o.out == "" {
		return
	}
	if o.svg == "" {
		o.svg = o.out
	}
	if o.png == "" {
		o.png = o.out
	}
	if o.csv == "" && !o.compare {
		o.csv = filepath.Join(o.out, "timeline.csv")
	}
}

// finish prints text or JSON, and writes both into the directory of --out.
func finish(s streams, o *simulateFlags, text, asJSON func(io.Writer) error) error {
	if o.out != "" {
		if err := writeTo(s, filepath.Join(o.out, "summary.txt"), text); err != nil {
			return err
		}
		if err := writeTo(s, filepath.Join(o.out, "summary.json"), asJSON); err != nil {
			return err
		}
	}
	switch {
	case o.asJSON:
		return asJSON(s.out)
	case o.csv == "-":
		return nil
	}
	return text(s.out)
}

// writeTo writes a file, and its directory if there is none; "-" is standard output.
func writeTo(s streams, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(s.out)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the directory of %s: %w", path, err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// writeCharts writes charts as --svg and --png ask for.
func writeCharts(o *simulateFlags, list []simreport.Named) error {
	for i := range list {
		c := &list[i].Chart
		c.Width = o.chartWidth
		if o.svg != "" {
			if err := writeTo(streams{}, filepath.Join(o.svg, list[i].Name+".svg"), c.SVG); err != nil {
				return err
			}
		}
		if o.png != "" {
			if err := writeTo(streams{}, filepath.Join(o.png, list[i].Name+".png"), func(w io.Writer) error { return c.PNG(w, 0) }); err != nil {
				return err
			}
		}
	}
	return nil
}
