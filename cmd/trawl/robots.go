package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/report"
	"trawl/internal/robots"
	"trawl/internal/schedule"
)

type robotsOptions struct {
	identityOptions
	robotsModes
	clients []string
	json    bool
}

func newRobots(s streams) *cobra.Command {
	o := robotsOptions{}
	cmd := &cobra.Command{
		Use:   "robots URL",
		Short: "Say whether a URL may be crawled, check a robots.txt, or compare two",
		Long: `Robots asks for the robots.txt of the URL's scheme, host and port, through up to
five redirects, and prints for each crawler client whether it may crawl the URL, the
group that applies to it and the line that decided. When robots.txt is not available
it says what a crawler does then (C3, C4). It is asked for as trawl's own client,
whichever the verdict is about.

Three more ways, for owners. Where they take a FILE, - is standard input, and a URL
asks for the robots.txt of its scheme, host and port:

  --lint FILE             what is ignored or surprising in it, by line, with what to do
  --test FILE [URL...]    the verdict for each URL of the command line or of --urls
                          (a path that begins with / will do); --expect takes a file
                          of lines "allow URL" or "disallow URL", with a client's id
                          behind it where only that one is meant
  --diff OLD NEW          what changes: by group, and for the URLs of --urls or those
                          that a crawl knows (--data)

--test and --diff judge for trawl and googlebot-smartphone unless --client says
otherwise ("all" for every client).

Exit codes: 0 the verdicts are known, whatever they are; 1 robots.txt is not
available; 2 bad usage; 130 interrupted.
With --lint, --test and --diff: 0 nothing found, all as expected, no change; 1 an
issue as bad as --fail-on, an expectation not met, a change (of a verdict if URLs are
given, else of the rules); 2 bad usage, or a file or line that cannot be read; 3 it
could not be done, as robots.txt is not available or the data cannot be read.`,
		Example: `  trawl robots https://www.example.org/private/page
  trawl robots --client googlebot-smartphone https://www.example.org/
  trawl robots --json https://www.example.org/ | jq '.verdicts[] | select(.allowed|not)'
  trawl robots --lint robots.txt
  trawl robots --lint --fail-on error https://www.example.org/
  trawl robots --test robots.txt --client googlebot-smartphone,adsbot /cart /search?q=x
  trawl robots --test robots.txt --expect robots.expected      in CI, before it goes live
  trawl robots --diff https://www.example.org/ new.txt --data trawl-data`,
		Args:              o.arguments,
		ValidArgsFunction: o.complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.lint:
				return trouble(runLint(cmd.Context(), o, args[0], s))
			case o.test:
				return trouble(runTest(cmd.Context(), o, args, s))
			case o.diff:
				return trouble(runDiff(cmd.Context(), o, args, s))
			}
			return runRobots(cmd.Context(), o, args[0], s)
		},
	}
	o.identityOptions.flags(cmd)
	o.robotsModes.flags(cmd)
	cmd.Flags().StringSliceVar(&o.clients, "client", nil, "only these clients, separated by commas (default: all; with --test and --diff trawl and googlebot-smartphone)")
	// The error is about a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("client", completeClients)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

type robotsReport struct {
	URL      crawl.URL        `json:"url"`
	Robots   crawl.URL        `json:"robots_txt"`
	Hops     []crawl.URL      `json:"redirects,omitempty"`
	Status   int              `json:"status"`
	Failure  *crawl.Failure   `json:"failure,omitempty"`
	Bytes    int              `json:"bytes"`
	Cut      bool             `json:"truncated"`
	Meaning  string           `json:"meaning"`
	Row      string           `json:"behaviour"`
	Verdicts []verdict        `json:"verdicts"`
	Issues   []robots.Issue   `json:"issues"`
	Sitemaps []robots.Sitemap `json:"sitemaps"`

	facts robots.AnswerFacts
}

type verdict struct {
	Client    crawl.ClientID `json:"client"`
	Allowed   bool           `json:"allowed"`
	Line      int            `json:"line,omitempty"`
	Rule      string         `json:"rule,omitempty"`
	Group     string         `json:"group,omitempty"`
	GroupLine int            `json:"group_line,omitempty"`
	Why       string         `json:"why"`
}

func runRobots(ctx context.Context, o robotsOptions, raw string, s streams) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	env, err := o.identityOptions.open(o.ownHosts(u))
	if err != nil {
		return err
	}
	list, err := env.clients(o.clients, "all")
	if err != nil {
		return err
	}
	rep, rec, err := askRobots(ctx, env, u)
	if err != nil {
		return err
	}
	if err := interrupted(ctx); err != nil {
		return err
	}
	st := robots.Ladder(robots.DefaultTimes(), rec, time.Now())
	rep.Meaning, rep.Row, rep.Cut = st.Reason, st.Row, rec.Truncated
	rules := robots.Parse(rec.Body)
	rep.Issues = append([]robots.Issue{}, rules.Issues()...)
	rep.Sitemaps = append([]robots.Sitemap{}, rules.Sitemaps()...)
	for _, p := range list {
		rep.Verdicts = append(rep.Verdicts, judge(p, rules, st, u))
	}
	if o.json {
		err = printJSON(s.out, rep)
	} else {
		err = rep.text(s.out)
	}
	if err == nil && st.Access != robots.AccessRules && st.Access != robots.AccessAll {
		return &exitError{exitFailed, errors.New(strings.TrimSuffix(st.Reason, ".") + failureHint(rep.Failure))}
	}
	return err
}

// askRobots fetches robots.txt as trawl's own client, hop by hop (C1).
func askRobots(ctx context.Context, env *environment, u crawl.URL) (*robotsReport, crawl.RobotsRecord, error) {
	p, err := env.client("trawl")
	if err != nil {
		return nil, crawl.RobotsRecord{}, err
	}
	fetcher := env.fetcher()
	defer fetcher.CloseIdle()
	origin := u.Origin()
	cfg := schedule.Config{Clients: []schedule.Client{{Profile: p}}, Robots: robots.DefaultTimes()}
	job := &schedule.Job{Kind: crawl.KindRobots, Client: p.ID, Origin: origin, URL: origin.URL("/robots.txt")}
	rep := &robotsReport{URL: u, Robots: job.URL}
	for {
		job.Request = p.Request(job.URL, env.identity, crawl.PurposeDiscovery, nil, 0)
		job.Request.Timeouts = env.timeouts
		job.Request.Limits, job.Request.Egress = schedule.RobotsLimits(), env.leave(job.URL.Host())
		res := fetcher.Fetch(ctx, job.Request)
		now := time.Now()
		f := cfg.Digest(job, res, nil, now)
		rep.Status, rep.Failure, rep.Bytes = res.Status, res.Failure, len(res.Body)
		rep.facts = robots.AnswerFacts{Asked: rep.Robots, Hops: rep.Hops, Answer: f.Answer, ContentType: res.Header.Get("Content-Type")}
		if f.Target == "" || f.RedirectErr != "" {
			return rep, robots.Update(cfg.Robots, crawl.RobotsRecord{Origin: origin}, f.Answer, now), nil
		}
		rep.Hops = append(rep.Hops, f.Target)
		job = &schedule.Job{Kind: crawl.KindRobots, Client: p.ID, Origin: origin, URL: f.Target, Chain: append(job.Chain, job.URL)}
	}
}

func judge(p client.Profile, rules *robots.Rules, st robots.State, u crawl.URL) verdict {
	v := verdict{Client: p.ID}
	tokens, ignoreGlobal, ignoreAll := p.RobotsAgent()
	switch {
	case ignoreAll:
		v.Allowed, v.Why = true, "this client ignores robots.txt (A3)"
	case st.Access == robots.AccessAll:
		v.Allowed, v.Why = true, st.Reason
	case st.Access != robots.AccessRules:
		v.Why = st.Reason
	default:
		r := rules.Check(robots.Agent{Tokens: tokens, IgnoreGlobal: ignoreGlobal}, u.PathQuery())
		v = newVerdict(p.ID, r)
	}
	return v
}

// newVerdict says why, too.
func newVerdict(id crawl.ClientID, r robots.Verdict) verdict {
	v := verdict{Client: id, Allowed: r.Allowed, Line: r.Line, Rule: r.Rule, Group: r.Group, GroupLine: r.GroupLine}
	switch {
	case r.Group == "":
		v.Why = "no group applies"
	case r.Line == 0:
		v.Why = "no rule of the group matches"
	default:
		v.Why = fmt.Sprintf("line %d: %s", r.Line, r.Rule)
	}
	return v
}

func (r *robotsReport) text(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", report.Safe(string(r.Robots)))
	for _, h := range r.Hops {
		fmt.Fprintf(w, "  → %s\n", report.Safe(string(h)))
	}
	if r.Failure != nil {
		fmt.Fprintf(w, "  failure: %s\n", report.Safe(failureText(r.Failure)))
	} else {
		fmt.Fprintf(w, "  answered %d, %d bytes\n", r.Status, r.Bytes)
	}
	if r.Cut {
		fmt.Fprintf(w, "  cut at the size limit (C2): only the first %s are read, rules after that are ignored\n", report.Bytes(robots.MaxBytes))
	}
	fmt.Fprintf(w, "  meaning (%s): %s\n\n%s\n", r.Row, report.Safe(r.Meaning), report.Safe(string(r.URL)))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range r.Verdicts {
		word := "disallowed"
		if v.Allowed {
			word = "allowed"
		}
		why := report.Safe(v.Why)
		if v.Why == r.Meaning {
			why = "see above (" + r.Row + ")"
		}
		if v.Group != "" {
			why = fmt.Sprintf("%s\tgroup %q, line %d", why, report.Safe(v.Group), v.GroupLine)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", v.Client, word, why)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	r.notes(w)
	for _, sm := range r.Sitemaps {
		fmt.Fprintf(w, "  sitemap, line %d: %s\n", sm.Line, report.Safe(sm.URL))
	}
	_, err := io.WriteString(w, "")
	return err
}

// maxNotes is how many notes on a robots.txt are printed: a file that is no
// robots.txt at all has one for each line.
const maxNotes = 10

func (r *robotsReport) notes(w io.Writer) {
	for n, i := range r.Issues {
		if n == maxNotes || i.Kind == robots.KindMore {
			fmt.Fprintf(w, "  %s\n", moreNotes(r.Issues[n:]))
			return
		}
		where, text := "note", ""
		if i.Line > 0 {
			where = fmt.Sprintf("note, line %d", i.Line)
		}
		if i.Text != "" {
			text = fmt.Sprintf(" (%s)", report.Safe(i.Text))
		}
		fmt.Fprintf(w, "  %s: %s%s\n", where, report.Safe(strings.TrimSpace(i.Detail+" "+i.Advice)), text)
	}
}

// moreNotes counts the issues that are not printed. The last of a long list may
// itself count those that were not kept.
func moreNotes(rest []robots.Issue) string {
	n, lists := len(rest), "lists them"
	if last := rest[n-1]; last.Kind == robots.KindMore {
		var dropped int
		if _, err := fmt.Sscanf(last.Detail, "and %d more", &dropped); err == nil {
			n += dropped - 1
		}
		lists = fmt.Sprintf("lists the first %d", robots.MaxIssues)
	}
	return fmt.Sprintf("and %d more (--json %s)", n, lists)
}

// failureHint says what to do about a robots.txt that could not be asked for.
func failureHint(f *crawl.Failure) string {
	if f == nil {
		return ""
	}
	return classAdvice(f.Class)
}
