package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"trawl/internal/client"
	"trawl/internal/client/strictyaml"
	"trawl/internal/report"
	"trawl/internal/scenario"
	"trawl/internal/sim"
	"trawl/internal/simreport"
	"trawl/scenarios"
)

// simulateFlags are the flags of trawl simulate.
type simulateFlags struct {
	list, asJSON, compare, check, quiet bool
	show, fromStore, data               string
	out, svg, png, csv                  string
	seed                                uint64
	width, chartWidth                   int
}

func newSimulate(s streams) *cobra.Command {
	var o simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO.yaml|NAME",
		Short: "Play what would happen if: outages, firewalls, moves, in virtual time",
		Long: `Simulate plays a scenario with the code that crawls, in virtual time, against a
synthetic web: weeks pass in seconds. It tells what became of the crawl rate, the
crawl capacity limit and the index states, with the behaviour rows behind each.

A scenario is a YAML file, or the name of one in the library (--list). With
--from-store the host of the scenario is replaced by one of your own crawl: as many
pages, as fast, as large, changing as often.

The same scenario and seed give the same figures, always.

Exit codes: 0 played; 1 failed; 2 bad usage, or a scenario that cannot be played;
130 interrupted.`,
		Example: `  trawl simulate --list
  trawl simulate outage-503-6h
  trawl simulate outage-503-14d --svg charts
  trawl simulate --compare outage-503-14d wall-403
  trawl simulate outage-503-6h --from-store www.example.org --data site
  trawl simulate --show wall-403 > mine.yaml && trawl simulate mine.yaml
  trawl simulate site-move-301 --json`,
		Args: func(cmd *cobra.Command, args []string) error { return simulateArgs(cmd, &o, args) },
		RunE: func(cmd *cobra.Command, args []string) error { return runSimulate(cmd, s, &o, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarios.Names(), cobra.ShellCompDirectiveDefault
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the library")
	f.StringVar(&o.show, "show", "", "print the YAML of a scenario of the library")
	f.BoolVar(&o.compare, "compare", false, "put two scenarios side by side")
	f.StringVar(&o.fromStore, "from-store", "", "take this hostname of a crawl as the scenario's host")
	f.StringVar(&o.data, "data", "trawl-data", "data directory, for --from-store")
	f.Uint64Var(&o.seed, "seed", 0, "seed of everything that is left to chance; default: the scenario's")
	f.StringVar(&o.out, "out", "", "write everything into this directory: summary, JSON, CSV, charts")
	f.StringVar(&o.svg, "svg", "", "write charts as SVG into this directory")
	f.StringVar(&o.png, "png", "", "write charts as PNG into this directory")
	f.StringVar(&o.csv, "csv", "", "write the timeline to this file, - for standard output")
	f.IntVar(&o.chartWidth, "chart-width", 960, "width of the charts in pixels, 240 to 4000")
	f.IntVar(&o.width, "width", 0, "columns of the timeline; default: the terminal's, or 80")
	f.BoolVar(&o.check, "check", false, "hold every step to the invariants; slower")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	cmd.MarkFlagsMutuallyExclusive("list", "show", "compare")
	return cmd
}

func simulateArgs(cmd *cobra.Command, o *simulateFlags, args []string) error {
	want := 1
	switch {
	case o.list || o.show != "":
		want = 0
	case o.compare:
		want = 2
	}
	if len(args) != want {
		what := "needs one scenario: the name of one in the library (--list) or a YAML file"
		switch want {
		case 0:
			what = "takes no scenario with --list or --show"
		case 2:
			what = "--compare needs two scenarios"
		}
		return usageError("%s %s", cmd.CommandPath(), what)
	}
	if o.chartWidth < 240 || o.chartWidth > 4000 {
		return usageError("--chart-width %d is not from 240 to 4000", o.chartWidth)
	}
	if o.csv != "" && o.compare {
		return usageError("--csv writes one timeline: play the scenarios one by one, or use --out")
	}
	if o.csv == "-" && o.asJSON {
		return usageError("--csv - and --json would both write to standard output")
	}
	return nil
}

func runSimulate(cmd *cobra.Command, s streams, o *simulateFlags, args []string) error {
	switch {
	case o.list:
		return listScenarios(s, o)
	case o.show != "":
		src, ok := scenarios.Source(o.show)
		if !ok {
			return noScenario(o.show)
		}
		_, err := fmt.Fprint(s.out, src)
		return err
	}
	plays := make([]*played, len(args))
	for i, name := range args {
		p, err := play(cmd, s, o, name)
		if err != nil {
			return err
		}
		plays[i] = p
	}
	if o.compare {
		return writeTwoRuns(s, o, plays[0], plays[1])
	}
	return writePlayed(s, o, plays[0])
}

// listScenarios prints the library, one line each.
func listScenarios(s streams, o *simulateFlags) error {
	type entry struct {
		Name  string   `json:"name"`
		Title string   `json:"title"`
		Rows  []string `json:"rows"`
	}
	var list []entry
	wide := 0
	for _, name := range scenarios.Names() {
		f, err := scenarios.Load(name)
		if err != nil {
			return err
		}
		list = append(list, entry{name, f.Title, f.Rows})
		wide = max(wide, len(name))
	}
	if o.asJSON {
		return printJSON(s.out, list)
	}
	for _, e := range list {
		if _, err := fmt.Fprintf(s.out, "%-*s  %s [%s]\n", wide, e.Name, e.Title, strings.Join(e.Rows, " ")); err != nil {
			return err
		}
	}
	return nil
}

func noScenario(name string) error {
	near := ""
	if n := scenarios.Nearest(name); n != "" {
		near = fmt.Sprintf("; did you mean %q?", n)
	}
	return usageError("there is no scenario %q in the library, and no such file%s; 'trawl simulate --list' lists the library", name, near)
}

// played is a scenario that was played.
type played struct {
	file    *scenario.File
	result  *sim.Result
	figures *simreport.Figures
}

// play reads and plays one scenario.
func play(cmd *cobra.Command, s streams, o *simulateFlags, name string) (*played, error) {
	f, err := readScenario(name)
	if err != nil {
		return nil, err
	}
	if o.fromStore != "" {
		if f, err = onStore(cmd.Context(), s, o, f); err != nil {
			return nil, err
		}
	}
	if cmd.Flags().Changed("seed") {
		f.Run.Seed = o.seed
	}
	p := &simProgress{w: s.err, tty: s.tty, quiet: o.quiet, name: f.Run.Name}
	r, err := sim.RunWith(cmd.Context(), f.Run, sim.Options{Check: o.check, Progress: p.show})
	p.end()
	if quiet := interrupted(cmd.Context()); quiet != nil {
		return nil, quiet
	}
	if err != nil {
		return nil, err
	}
	figures, err := simreport.Measure(cmd.Context(), f.Run, r)
	if err != nil {
		return nil, err
	}
	figures.Title, figures.Rows = f.Title, f.Rows
	return &played{f, r, figures}, nil
}

// readScenario reads a scenario of the library or of a file. What looks like a
// path is one.
func readScenario(name string) (*scenario.File, error) {
	path := strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
	if _, ok := scenarios.Source(name); ok && !path {
		return scenarios.Load(name)
	}
	data, err := readScenarioFile(name, strictyaml.MaxBytes+1)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !path:
		return nil, noScenario(name)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError("there is no file %s", name)
	case err != nil:
		return nil, err
	}
	f, err := scenario.Parse(name, data)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if f.Run.Name == "" {
		f.Run.Name = name
	}
	return f, nil
}

// onStore puts a hostname of a crawl into a scenario.
func onStore(ctx context.Context, s streams, o *simulateFlags, f *scenario.File) (*scenario.File, error) {
	host, bad := client.ParseHost(o.fromStore)
	if bad != nil {
		return nil, usageError("--from-store %s: %s", o.fromStore, bad.Detail)
	}
	d, err := openData(o.data, false, s)
	if err != nil {
		return nil, err
	}
	k, err := scenario.FromStore(ctx, d.store, host)
	d.close()
	if err != nil {
		return nil, err
	}
	if !o.quiet {
		s.say("%s: %s from the crawl, limit %.3g", host, report.Count(int64(k.Pages), "page"), k.Host.Capacity)
		for _, n := range k.Notes {
			s.say("  %s", n)
		}
	}
	g, err := f.On(k)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return g, nil
}

// columns is how wide the terminal is.
func columns(s streams, o *simulateFlags) int {
	if o.width > 0 {
		return o.width
	}
	if s.outTTY {
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}
