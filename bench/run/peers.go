package main

import (
	"path/filepath"
	"strconv"
	"strings"
)

// peer is a crawler to be measured: one of ours by its arguments, or any other
// by a command line.
type peer struct {
	name  string
	build string                // the binary that must be built
	args  func(places) []string // arguments of the built binary
	shell string                // instead of both: a command line for sh
}

// places are what a run's command line refers to.
type places struct {
	bin      string   // directory of the built binaries
	seeds    string   // file: the first page of each host, one URL a line
	urls     string   // file: every page, hosts in a row
	seedURLs []string // the seeds themselves
	data     string   // directory that is empty before the run and removed after it
	port     int
	parallel int
}

// builtins returns the crawlers that need no plugging in.
func builtins() []peer {
	crawl := func(p places, more ...string) []string {
		args := append([]string{"crawl", "--own", "--data", p.data, "--quiet", "--json"}, more...)
		return append(args, p.seedURLs...)
	}
	return []peer{
		{name: "trawl", build: "trawl", args: func(p places) []string { return crawl(p, "--no-warc") }},
		{name: "trawl-warc", build: "trawl", args: func(p places) []string { return crawl(p) }},
		{name: "colly", build: "collycrawl", args: func(p places) []string {
			return []string{"--seeds", p.seeds, "--parallel", strconv.Itoa(p.parallel)}
		}},
		{name: "floor", build: "floor", args: func(p places) []string { return []string{"--urls", p.urls} }},
	}
}

func builtinNames() []string {
	var names []string
	for _, p := range builtins() {
		names = append(names, p.name)
	}
	return names
}

// command returns the arguments of a run, the program first.
func (p peer) command(at places) []string {
	if p.shell == "" {
		return append([]string{filepath.Join(at.bin, p.build)}, p.args(at)...)
	}
	line := strings.NewReplacer(
		"{seeds}", quote(at.seeds), "{urls}", quote(at.urls), "{data}", quote(at.data), "{port}", strconv.Itoa(at.port),
	).Replace(p.shell)
	return []string{"sh", "-c", line}
}

// describe returns the command as the report shows it: the seeds not spelt out.
func (p peer) describe(parallel int) string {
	if p.shell != "" {
		return p.shell
	}
	at := places{parallel: parallel, seeds: "{seeds}", urls: "{urls}", data: "{data}", seedURLs: []string{"URL..."}}
	return strings.Join(append([]string{p.build}, p.args(at)...), " ")
}

// quote makes a path one word of a shell's.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
