// Command links measures how fast trawl reads links, against the reference
// implementation of the HTML standard in Go, golang.org/x/net/html, and whether
// it reads the same, on real documentation pages in one run.
//
// What it decides: which pages are read (every HTML file of the trees), what is
// timed (the CPU time of reading bytes already in memory, garbage collection
// included), and what is compared (links, frames, canonical, alternates,
// pagination, base, title, meta robots). It also times the canonical form of every link, and asks whether the
// recognition of endless URL spaces would prune any of the pages. What it does
// not decide: which reading is right, where they differ; it lists them.
//
// Exit codes: 0 the same everywhere and as fast as asked; 1 not so, or it
// failed; 2 bad usage.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	trees        []tree
	sample       int // every n-th page
	differences  int // listed
	minTree      float64
	minTokenizer float64
	maxLink      float64
	json         bool
}

const usage = `usage: go run ./links [flags] [DIRECTORY…]

Without a directory it reads the documentation of Debian packages that are
installed (python3.11-doc, postgresql-doc-15, debian-handbook, openjdk-17-doc,
rust-doc, cppreference-doc-en-html).

  go run ./links                        everything
  go run ./links --sample 20            every 20th page
  go run ./links --json ~/site-mirror   a tree of your own, as JSON

Flags:
`

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("links", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, usage); f.PrintDefaults() }
	f.IntVar(&o.sample, "sample", 1, "read every `N`-th page")
	f.IntVar(&o.differences, "differences", 20, "list at most `N` pages that are read differently")
	f.Float64Var(&o.minTree, "min-tree", 10, "fail below this many times the speed of the reference's tree; 0 = do not ask")
	f.Float64Var(&o.minTokenizer, "min-tokenizer", 4, "the same for its tokenizer")
	f.Float64Var(&o.maxLink, "max-link", 150, "fail above this many nanoseconds for the canonical form of a link; 0 = do not ask")
	f.BoolVar(&o.json, "json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.sample < 1 || o.differences < 0 {
		return o, errors.New("--sample must be at least 1 and --differences at least 0")
	}
	if f.NArg() == 0 {
		o.trees = installed()
		if len(o.trees) == 0 {
			return o, errors.New("no documentation is installed here: apt-get install python3.11-doc, or name a directory")
		}
	}
	for _, dir := range f.Args() {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return o, fmt.Errorf("%s is no directory that can be read", dir)
		}
		o.trees = append(o.trees, tree{Name: dir, dir: dir})
	}
	return o, nil
}

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(stderr, "links:", err)
		return exitUsage
	}
	var rep report
	for _, t := range o.trees {
		fmt.Fprintf(stderr, "links: reading %s\n", t.Name)
		if err := rep.read(t, o); err != nil {
			fmt.Fprintln(stderr, "links:", err)
			return exitFailed
		}
	}
	rep.finish(o)
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(rep)
	} else {
		err = rep.write(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "links:", err)
		return exitFailed
	}
	if len(rep.Missed) > 0 {
		return exitFailed
	}
	return exitDone
}
