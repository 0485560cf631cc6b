package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/robots"
)

// robotsModes are the flags of what `trawl robots` does beside its verdict for
// one URL.
type robotsModes struct {
	lint   bool
	failOn string

	test              bool
	expect            string
	expectAllowed     bool
	expectDisallowed  bool
	show              string
	diff              bool
	data, urls, where string
	limit             int
}

func (m *robotsModes) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&m.lint, "lint", false, "check a robots.txt file")
	f.StringVar(&m.failOn, "fail-on", "warning", "with --lint: exit with 1 from this severity on (note, warning, error)")
	f.BoolVar(&m.test, "test", false, "judge URLs by a robots.txt file")
	f.StringVar(&m.expect, "expect", "", "with --test: file with lines \"allow URL\" or \"disallow URL\" that must hold")
	f.BoolVar(&m.expectAllowed, "expect-allowed", false, "with --test: every URL must be allowed")
	f.BoolVar(&m.expectDisallowed, "expect-disallowed", false, "with --test: every URL must be disallowed")
	f.StringVar(&m.show, "show", "", "with --test: list the URLs that are allowed, disallowed, different between clients, all or none (default all; with --expect none)")
	f.BoolVar(&m.diff, "diff", false, "compare two robots.txt files")
	f.StringVar(&m.data, "data", "", "with --diff: judge the URLs that the crawl in this data directory knows")
	f.StringVar(&m.urls, "urls", "", "with --test and --diff: file with one URL a line, - for standard input")
	f.StringVar(&m.where, "origin", "", "with --test and --diff: scheme, host and port that the file is for; URLs of others are left out")
	f.IntVar(&m.limit, "limit", 10, "with --test and --diff: lines of each list in the summary; examples of each change")
	cmd.MarkFlagsMutuallyExclusive("lint", "test", "diff")
	cmd.MarkFlagsMutuallyExclusive("expect", "expect-allowed", "expect-disallowed")
	cmd.MarkFlagsMutuallyExclusive("data", "urls")
}

// arguments checks what is given beside the flags, and which flags go together.
func (m *robotsModes) arguments(cmd *cobra.Command, args []string) error {
	only := map[string]bool{"fail-on": m.lint, "expect": m.test, "expect-allowed": m.test, "expect-disallowed": m.test, "show": m.test, "data": m.diff}
	for _, name := range []string{"urls", "origin", "limit"} {
		only[name] = m.test || m.diff
	}
	for name, fits := range only {
		if cmd.Flags().Changed(name) && !fits {
			return usageError("--%s does not go with this use of %s: see --help", name, cmd.CommandPath())
		}
	}
	stdin := 0
	for _, name := range append([]string{m.urls, m.expect}, args...) {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usageError("standard input can be read once: name a file for one of the -")
	}
	switch {
	case m.lint:
		if len(args) != 1 {
			return usageError("--lint needs one file or URL, got %d", len(args))
		}
		if cmd.Flags().Changed("client") {
			return usageError("--client does not go with --lint, which is about the whole file")
		}
		if s := robots.Severity(m.failOn); s != robots.SeverityNote && s != robots.SeverityWarning && s != robots.SeverityError {
			return usageError("--fail-on takes note, warning or error, not %q", m.failOn)
		}
	case m.test:
		return m.testArguments(args)
	case m.diff:
		if len(args) < 2 {
			return usageError("--diff needs the old and the new robots.txt, as files or URLs, got %d", len(args))
		}
		if len(args) > 2 && (m.urls != "" || m.data != "") {
			return usageError("URLs are taken from the command line, --urls or --data: one of them")
		}
	default:
		return exactURL(cmd, args)
	}
	if m.limit < 0 {
		return usageError("--limit takes no negative number")
	}
	return nil
}

func (m *robotsModes) testArguments(args []string) error {
	switch {
	case len(args) == 0:
		return usageError("--test needs a robots.txt, as a file or a URL")
	case m.limit < 0:
		return usageError("--limit takes no negative number")
	case m.expect != "" && (m.urls != "" || len(args) > 1):
		return usageError("the URLs are in the file of --expect: give no others")
	case m.urls != "" && len(args) > 1:
		return usageError("URLs are taken from the command line or --urls: one of them")
	case m.expect == "" && m.urls == "" && len(args) == 1:
		return usageError("--test needs URLs: on the command line, by --urls FILE or by --expect FILE")
	}
	if m.show == "" {
		m.show = "all"
		if m.expect != "" {
			m.show = "none"
		}
	}
	switch m.show {
	case "all", "none", "allowed", "disallowed", "different":
		return nil
	}
	return usageError("--show takes all, none, allowed, disallowed or different, not %q", m.show)
}

// complete proposes files for the modes that take them.
func (m *robotsModes) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if m.lint || m.test || m.diff {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// unmet is the quiet end of a check that found something.
func unmet() error { return &exitError{code: exitFailed} }

// trouble keeps the exit code 1 for what a check found: what failed otherwise
// ends with 3.
func trouble(err error) error {
	var ee *exitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &ee):
		return &exitError{exitIncomplete, err}
	case ee.code == exitFailed && ee.err != nil:
		return &exitError{exitIncomplete, ee.err}
	}
	return err
}

// clients returns the profiles of the given ids; standard if there are none.
func (env *environment) clients(ids []string, standard ...string) ([]client.Profile, error) {
	if len(ids) == 0 {
		ids = standard
	}
	var list []client.Profile
	seen := map[crawl.ClientID]bool{}
	for _, id := range ids {
		add := env.catalogue.All()
		if id != "all" {
			p, err := env.client(id)
			if err != nil {
				return nil, err
			}
			add = []client.Profile{p}
		}
		for _, p := range add {
			if !seen[p.ID] {
				seen[p.ID] = true
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// robotsSource is one robots.txt, from a file or from its host.
type robotsSource struct {
	name   string       // as messages name it
	origin crawl.Origin // where it was asked for; "" for a file
	body   []byte
	cut    bool // the host has more than body
	rules  *robots.Rules
	report *robotsReport // of the fetch; nil for a file
	state  robots.State
}

// maxRobotsFile bounds what is read of a file that is said to be a robots.txt.
const maxRobotsFile = 64 << 20

// openRobots reads a robots.txt from a file, from standard input or from the
// host of a URL.
func (o *robotsOptions) openRobots(ctx context.Context, what string) (*robotsSource, error) {
	if strings.Contains(what, "://") {
		return o.fetchRobots(ctx, what)
	}
	src := &robotsSource{name: what}
	in := io.Reader(os.Stdin)
	if what == "-" {
		src.name = "standard input"
	} else {
		f, err := os.Open(what)
		if err != nil {
			return nil, usageError("%v: give a robots.txt file, or a URL with https:// in front", err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxRobotsFile+1))
	switch {
	case err != nil:
		return nil, usageError("%s cannot be read: %v", src.name, err)
	case len(body) > maxRobotsFile:
		return nil, usageError("%s is longer than 64 MiB: this is no robots.txt file", src.name)
	}
	src.body, src.rules = body, robots.Parse(body)
	return src, nil
}

func (o *robotsOptions) fetchRobots(ctx context.Context, raw string) (*robotsSource, error) {
	u, err := parseURL(raw)
	if err != nil {
		return nil, err
	}
	env, err := o.identityOptions.open(o.ownHosts(u))
	if err != nil {
		return nil, err
	}
	rep, rec, err := askRobots(ctx, env, u)
	if err != nil {
		return nil, err
	}
	if err := interrupted(ctx); err != nil {
		return nil, err
	}
	return &robotsSource{
		name: string(rep.Robots), origin: u.Origin(), body: rec.Body, cut: rec.Truncated, rules: robots.Parse(rec.Body),
		report: rep, state: robots.Ladder(robots.DefaultTimes(), rec, time.Now()),
	}, nil
}

// usable says why a robots.txt cannot be judged by, or nothing.
func (src *robotsSource) usable() error {
	if src.report == nil || src.state.Access == robots.AccessRules || src.state.Access == robots.AccessAll {
		return nil
	}
	return &exitError{exitIncomplete, fmt.Errorf("%s%s", strings.TrimSuffix(src.state.Reason, "."), failureHint(src.report.Failure))}
}

// judge is one client before one robots.txt.
type robotsJudge struct {
	id      crawl.ClientID
	ignores bool // all of robots.txt (A3)
	matcher *robots.Matcher
}

func newJudges(list []client.Profile, rules *robots.Rules) []robotsJudge {
	judges := make([]robotsJudge, len(list))
	for i, p := range list {
		tokens, ignoreGlobal, ignoreAll := p.RobotsAgent()
		judges[i] = robotsJudge{p.ID, ignoreAll, rules.For(robots.Agent{Tokens: tokens, IgnoreGlobal: ignoreGlobal})}
	}
	return judges
}

func (j *robotsJudge) check(pathQuery string) robots.Verdict {
	if j.ignores {
		return robots.Verdict{Allowed: true, Row: "A3"}
	}
	return j.matcher.Check(pathQuery)
}

// verdict is check with its reason.
func (j *robotsJudge) verdict(v robots.Verdict) verdict {
	out := newVerdict(j.id, v)
	if j.ignores {
		out.Why = "this client ignores robots.txt (A3)"
	}
	return out
}
