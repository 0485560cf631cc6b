// Command run measures trawl against its peers on the same synthetic web in one
// sitting: every round runs each crawler once, in turn, so that what else the
// machine does meets all of them.
//
// What it decides: which crawlers run with which settings, and what counts. A
// page counts when the server was asked for it, not when a crawler says so; CPU
// time and peak memory are what the kernel charged the crawler's process and
// the children it waited for. What it does not decide: how fast anything ought
// to be.
//
// Exit codes: 0 every run fetched every page; 1 something failed, or a crawler
// left pages out (the table says which); 2 bad usage; 130 interrupted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return exitUsage
	}
	b := &bench{options: o, progress: stderr}
	rep, err := b.measure(ctx)
	if len(rep.Runs) > 0 {
		if werr := write(stdout, rep, o.json); err == nil {
			err = werr
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "bench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	case !rep.complete():
		fmt.Fprintln(stderr, "bench: not every run fetched every page; see the notes in the table")
		return exitFailed
	}
	return exitDone
}

func write(w io.Writer, rep *report, asJSON bool) error {
	if !asJSON {
		return rep.text(w)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(rep)
}
