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
	clientID string
	json     bool
}

func newRobots(s streams) *cobra.Command {
	o := robotsOptions{}
	cmd := &cobra.Command{
		Use:   "robots URL",
		Short: "Say whether each client may crawl a URL, and which line of robots.txt decides",
		Long: `Robots asks for the robots.txt of the URL's scheme, host and port, through up to
five redirects, and prints for each crawler client whether it may crawl the URL, the
group that applies to it and the line that decided. When robots.txt is not available
it says what a crawler does then (C3, C4).

robots.txt is asked for as trawl's own client, whichever the verdict is about.

Exit codes: 0 the verdicts are known, whatever they are; 1 robots.txt is not
available; 2 bad usage; 130 interrupted.`,
		Example: `  trawl robots https://www.example.org/private/page
  trawl robots --client googlebot-smartphone https://www.example.org/
  trawl robots --json https://www.example.org/ | jq '.verdicts[] | select(.allowed|not)'`,
		Args:              exactURL,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runRobots(cmd.Context(), o, args[0], s) },
	}
	o.identityOptions.flags(cmd)
	clientFlag(cmd, &o.clientID, "", "only this client (default: all)")
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
	list := env.catalogue.All()
	if o.clientID != "" {
		p, err := env.client(o.clientID)
		if err != nil {
			return err
		}
		list = []client.Profile{p}
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
		job.Request.Limits = schedule.RobotsLimits()
		res := fetcher.Fetch(ctx, job.Request)
		now := time.Now()
		f := cfg.Digest(job, res, nil, now)
		rep.Status, rep.Failure, rep.Bytes = res.Status, res.Failure, len(res.Body)
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
		v.Allowed, v.Line, v.Rule, v.Group, v.GroupLine = r.Allowed, r.Line, r.Rule, r.Group, r.GroupLine
		switch {
		case r.Group == "":
			v.Why = "no group applies"
		case r.Line == 0:
			v.Why = "no rule of the group matches"
		default:
			v.Why = fmt.Sprintf("line %d: %s", r.Line, r.Rule)
		}
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
		fmt.Fprintf(w, "  %s: %s%s\n", where, report.Safe(i.Detail), text)
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
