package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/report"
)

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "trawl",
		Short: "Crawl sites politely, and see a site as a search crawler's platform sees it",
		Long: `trawl crawls sites as Google's public documentation says Google's crawlers do:
robots.txt with its availability ladder, one adaptive crawl capacity per hostname,
a documented reaction to every kind of response. Codes such as A7 or B11 are rows of
docs/behaviours.md, which says what they stand for.

Exit codes: 0 done; 1 failed; 2 bad usage or configuration; 3 done, but something
was left out (see the summary); 4 'trawl fetch --compare' found differences;
130 interrupted (run it again to go on).`,
		Example: `  trawl crawl https://www.example.org/       crawl a site into ./trawl-data
  trawl crawl                                go on with the crawl in ./trawl-data
  trawl fetch https://www.example.org/       one request, as a client gets it
  trawl robots https://www.example.org/page  may it be crawled, and which line decides`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{exitUsage, err} })
	root.AddCommand(newCrawl(s), newFetch(s), newRobots(s), newExplain(s), newSitemap(s), newLimit(s), newPause(s), newResume(s), newClients(s), newStats(s), newStore(s), newConfig(s), newSimulate(s), newVersion(s))
	for _, c := range root.Commands() {
		failing(c)
	}
	// cobra's own commands, which come without examples.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"help"}); err == nil {
		c.Example = "  trawl help crawl"
		c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error { return help(root, args) }
	}
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Example = "  source <(trawl completion bash)\n  trawl completion bash > /etc/bash_completion.d/trawl"
		c.Args, c.RunE = cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("there is no completion for %q: the shells are %s", args[0], subcommands(cmd))
			}
			return cmd.Help()
		}
	}
	return root
}

// help prints the help of a command; cobra's own ends well when there is none.
func help(root *cobra.Command, args []string) error {
	c, rest, err := root.Find(args)
	switch {
	case err != nil:
		c, rest = root, args
	case len(rest) == 0:
		c.InitDefaultHelpFlag()
		return c.Help()
	case !c.HasSubCommands():
		return usageError("%s has no commands of its own, and %q is none", c.CommandPath(), rest[0])
	}
	return usageError("%s has no command %q: its commands are %s", c.CommandPath(), rest[0], subcommands(c))
}

func subcommands(c *cobra.Command) string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return strings.Join(names, ", ")
}

// failing makes what a command returns a failure unless it says otherwise:
// without that it would be taken for bad usage, as what cobra itself finds is.
func failing(c *cobra.Command) {
	for _, sub := range c.Commands() {
		failing(sub)
	}
	run := c.RunE
	if run == nil {
		return
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var ee *exitError
		if err == nil || errors.As(err, &ee) {
			return err
		}
		return &exitError{exitFailed, err}
	}
}

func newVersion(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  trawl version\n  trawl version --json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := map[string]string{"version": softwareVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
			if asJSON {
				return printJSON(s.out, v)
			}
			_, err := fmt.Fprintf(s.out, "trawl %s (%s, %s/%s)\n", v["version"], v["go"], v["os"], v["arch"])
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, report.SafeJSON(b.String()))
	return err
}
