package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp holds every command to a help text with an example.
func TestHelp(t *testing.T) {
	n := 0
	for _, c := range commands(newRoot(streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}})) {
		words := strings.Fields(c.CommandPath())[1:]
		// The shells' commands below completion are cobra's, and say how to use them.
		if len(words) == 2 && words[0] == "completion" {
			continue
		}
		n++
		var out, errs bytes.Buffer
		code := run(context.Background(), append(words, "--help"), streams{out: &out, err: &errs})
		if code != exitOK || errs.Len() > 0 {
			t.Errorf("trawl %s --help: exit code %d, stderr %q", strings.Join(words, " "), code, errs.String())
		}
		if !strings.Contains(out.String(), "\nExamples:\n  ") {
			t.Errorf("trawl %s --help has no example:\n%s", strings.Join(words, " "), out.String())
		}
	}
	if n < 10 {
		t.Errorf("only %d commands were looked at", n)
	}
}

func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, commands(sub)...)
	}
	return all
}

// TestFailing holds the exit code of an error that a command did not classify:
// it is a failure, where what cobra finds wrong is bad usage.
func TestFailing(t *testing.T) {
	c := &cobra.Command{RunE: func(*cobra.Command, []string) error { return errors.New("broken disk") }}
	failing(c)
	var ee *exitError
	if err := c.RunE(c, nil); !errors.As(err, &ee) || ee.code != exitFailed || ee.Error() != "broken disk" {
		t.Errorf("got %#v", err)
	}
	c = &cobra.Command{RunE: func(*cobra.Command, []string) error { return usageError("wrong") }}
	failing(c)
	if err := c.RunE(c, nil); !errors.As(err, &ee) || ee.code != exitUsage {
		t.Errorf("got %#v", err)
	}
}

// TestMessages holds what is written to stderr to visible text, line by line.
func TestMessages(t *testing.T) {
	var errs bytes.Buffer
	streams{err: &errs}.say("trawl: %s", "a\x1b[31m\nb\u202e")
	if got, want := errs.String(), "trawl: a\\u{1b}[31m\nb\\u{202e}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestQuietLog holds that net/http's own log lines do not reach the user.
func TestQuietLog(t *testing.T) {
	before := log.Writer()
	t.Cleanup(func() { log.SetOutput(before) })
	var noise bytes.Buffer
	log.SetOutput(&noise)
	silence()
	log.Print("Unsolicited response received on idle HTTP channel")
	if noise.Len() > 0 {
		t.Errorf("got %q", noise.String())
	}
}

// TestBodyOnTerminal: what a page holds cannot act on the terminal, and comes as
// it is everywhere else.
func TestBodyOnTerminal(t *testing.T) {
	const body = "a\tb\nc\x1b]0;title\a\r"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	defer srv.Close()
	for tty, want := range map[bool]string{true: "a\tb\nc\\u{1b}]0;title\\u{7}\\u{d}", false: body} {
		var out, errs bytes.Buffer
		code := run(context.Background(), []string{"fetch", "--own", "--body", srv.URL}, streams{out: &out, err: &errs, outTTY: tty})
		if code != exitOK || out.String() != want {
			t.Errorf("terminal %v: exit code %d, %q, want %q; %s", tty, code, out.String(), want, errs.String())
		}
	}
}
