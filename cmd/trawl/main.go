// Command trawl crawls sites politely and restartably, and shows a site as a
// search crawler's platform sees it. `trawl help` lists its commands.
//
// This package turns flags into options and results into text: it opens the
// adapters, hands them to the driver and prints what came out. It decides
// nothing about crawling.
//
// Exit codes: 0 done; 1 failed; 2 bad usage or configuration; 3 done, but
// something was left out; 4 a comparison found differences; 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"trawl/internal/report"
)

// version is set by the linker.
var version = ""

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// exitError carries an exit code through cobra; quiet ones were reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// streams are where a command reads and writes.
type streams struct {
	out    io.Writer
	err    io.Writer
	tty    bool // err is a terminal
	outTTY bool // out is one
}

func main() { os.Exit(realMain()) }

func realMain() int {
	silence()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "\nstopping: finishing what is under way (again to stop at once; nothing committed is lost)")
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	return run(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr, tty: isTerminal(os.Stderr), outTTY: isTerminal(os.Stdout)})
}

// silence turns the standard logger off: net/http writes there what servers do
// wrong, in their words, and results carry it as data.
func silence() { log.SetOutput(io.Discard) }

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitUsage // what cobra finds wrong is usage
	var ee *exitError
	if errors.As(err, &ee) {
		code = ee.code
		if ee.err == nil {
			return code
		}
	}
	s.say("trawl: %s", suggestion(err.Error()))
	if code == exitUsage {
		fmt.Fprintln(s.err, "Run 'trawl help' or the command with --help for usage.")
	}
	return code
}

// suggestion writes what cobra proposes for a mistyped command as everything else
// here is proposed; cobra puts it on lines of its own, behind tabs.
func suggestion(msg string) string {
	what, near, ok := strings.Cut(msg, "\n\nDid you mean this?\n")
	if !ok {
		return msg
	}
	return fmt.Sprintf("%s; did you mean %q?", what, strings.Join(strings.Fields(near), `" or "`))
}

// say writes a message to err. What it quotes may come from strangers.
func (s streams) say(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		fmt.Fprintln(s.err, report.Safe(strings.TrimSuffix(line, "\n")))
	}
}

// interrupted returns the quiet error of a command that ^C ended, or nil.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &exitError{code: exitInterrupted}
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// softwareVersion is what the user agent and `trawl version` say.
func softwareVersion() string {
	if version != "" {
		return version
	}
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" && bi.Main.Version != "(devel)" {
		return bi.Main.Version
	}
	return "dev"
}
