// Command capacity lets trawl's crawl capacity and the politeness of other
// crawlers meet the same simulated servers, and prints what each achieved: good
// answers a second against the most that any fixed number of connections or fixed
// rate achieves, the share of requests that failed, and how much slower the server
// became for everybody.
//
//	go run ./capacity              the table, as in docs/capacity.md
//	go run ./capacity -write DIR   the plots as well, as SVG
//
// The servers are those of package sim, in virtual time: the same seed gives the
// same figures. The policies of others are their documented rules, in our words.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"trawl/internal/chart"
	"trawl/internal/client"
	"trawl/internal/hostload"
)

func main() {
	dir := flag.String("write", "", "directory for the plots")
	flag.Parse()
	if err := run(os.Stdout, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "capacity:", err)
		os.Exit(1)
	}
}

// contender is a policy by name, made anew for each server.
type contender struct {
	name string
	make func() policy
}

func contenders() []contender {
	return []contender{
		{"trawl, the owner's host", func() policy { return newShipped(hostload.Own(), start()) }},
		{"trawl, a stranger's host", func() policy { return newShipped(hostload.Stranger(), start()) }},
		{"fixed delay of 1 s", func() policy { return &fixed{delay: time.Second} }},
		{"fixed delay of 100 ms", func() policy { return &fixed{delay: 100 * time.Millisecond} }},
		{"delay factor 5, 3 to 30 s", func() policy { return &factor{times: 5, min: 3 * time.Second, max: 30 * time.Second} }},
		{"delay factor 1, no bounds", func() policy { return &factor{times: 1, max: time.Hour} }},
		{"AIMD on concurrency alone", func() policy { return newAIMD() }},
	}
}

func run(w io.Writer, dir string) error {
	prof, err := defaultProfile()
	if err != nil {
		return err
	}
	for i, s := range servers() {
		best := s.best(prof)
		fmt.Fprintf(w, "\nServer: %s. At best %.3g good answers a second.\n\n", s.name, best.good)
		fmt.Fprintf(w, "| policy | good answers a second | of the best | failed | median latency, times the unloaded |\n|---|---|---|---|---|\n")
		c := &chart.Chart{
			Title: "Server: " + s.name, Unit: "good answers a second", Elapsed: true, Width: 960, Height: 360,
			Desc:       "Good answers a second over time, by policy, on a server that " + s.name + ".",
			Thresholds: []chart.Threshold{{Value: best.good, Label: "best"}},
		}
		for t := start(); t.Before(start().Add(span)); t = t.Add(bin) {
			c.Times = append(c.Times, t)
		}
		for _, p := range contenders() {
			o := s.play(p.make(), prof)
			fmt.Fprintf(w, "| %s | %.3g | %.0f %% | %.2f %% | %s |\n", p.name, o.good, 100*o.good/best.good, 100*o.bad, times(o.latency))
			c.Series = append(c.Series, chart.Series{Name: p.name, Values: o.series})
		}
		if dir == "" {
			continue
		}
		if err := draw(c, filepath.Join(dir, fmt.Sprintf("capacity-%d.svg", i+1))); err != nil {
			return err
		}
	}
	return nil
}

func defaultProfile() (client.Profile, error) {
	catalogue, err := client.Builtin()
	if err != nil {
		return client.Profile{}, err
	}
	prof, ok := catalogue.Get(client.DefaultID)
	if !ok {
		return prof, fmt.Errorf("client %s is not in the catalogue", client.DefaultID)
	}
	return prof, nil
}

func times(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

func draw(c *chart.Chart, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = c.SVG(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
