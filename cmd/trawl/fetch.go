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
	"trawl/internal/fetch"
	"trawl/internal/report"
	"trawl/internal/schedule"
)

// fetchOptions are the flags of `trawl fetch`.
type fetchOptions struct {
	identityOptions
	clients     []string
	protocols   []string
	regions     []string // of a comparison
	data        string
	output      string
	json        bool
	body        bool
	http2       bool
	noFollow    bool
	noRobots    bool
	compare     bool
	conditional *bool // nil = as the client does
	timeout     time.Duration
}

func newFetch(s streams) *cobra.Command {
	o := fetchOptions{}
	var conditional bool
	cmd := &cobra.Command{
		Use:   "fetch URL",
		Short: "Make one request as a client gets it, or compare what several get",
		Long: `Fetch asks for one URL as a crawler client would, and shows each hop of its
redirects: the protocol and why, the addresses, timings by phase, headers, bytes on
the wire and decoded, whether the byte limit cut it, what was read in it, what the
answer means for crawl rate and index, and what robots.txt says.

It fetches for you, now, like any user-triggered fetcher: robots.txt is asked and
shown, and does not keep it from fetching. Nothing is stored.

With --data it asks as a recrawl would: conditionally, with the validators that the
crawl in that directory keeps for the client; behind a 304 stands the stored copy,
which is shown, and which --body and --output give.

With --compare it asks as several clients and over several protocols, one after
another, shows side by side what differs, and says what that means. The first one is
asked once more at the end, so that a page that changes by itself is told apart.

Exit codes: 0 a response came, whatever its status (--compare: all got the same);
1 none came, or with --body and --output not all of it; 2 bad usage; 3 --compare was
not carried out whole; 4 --compare found differences; 130 interrupted.`,
		Example: `  trawl fetch https://www.example.org/
  trawl fetch --client googlebot-smartphone --own http://127.0.0.1:8080/
  trawl fetch --protocol http2 --json https://www.example.org/ | jq '.hops[0].timings'
  trawl fetch --body https://www.example.org/robots.txt
  trawl fetch --data trawl-data https://www.example.org/page
  trawl fetch --compare --own https://www.example.org/
  trawl fetch --compare --client trawl,googlebot-desktop --protocol http1,http2 --own https://www.example.org/
  trawl fetch --compare --client trawl --region direct,eu --config trawl.yaml https://www.example.org/`,
		Args:              exactURL,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("conditional") {
				o.conditional = &conditional
			}
			return runFetch(cmd.Context(), o, args[0], s)
		},
	}
	o.identityOptions.flags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.clients, "client", nil, "crawler client to fetch as; several with --compare, separated by commas (default trawl; see 'trawl clients')")
	// The error is about a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("client", completeClients)
	f.StringSliceVar(&o.protocols, "protocol", nil, "http1 or http2; with --compare both of them, separated by a comma (default http1; --compare of https: both) (B1)")
	f.BoolVar(&o.http2, "http2", false, "the same as --protocol http2")
	f.BoolVar(&o.compare, "compare", false, "ask as several clients and over several protocols, and show what differs")
	f.StringVar(&o.data, "data", "", "data directory of a crawl: ask conditionally with its validators, and show its stored copy behind a 304 (G1, G5)")
	f.BoolVar(&conditional, "conditional", true, "with --data: send validators although the client does not; =false: none although it does (G4; default as the client does)")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.body, "body", false, "print the decoded body of the last hop and nothing else")
	f.StringVar(&o.output, "output", "", "write the decoded body of the last hop into this file")
	f.BoolVar(&o.noFollow, "no-follow", false, "report a redirect instead of following it")
	f.BoolVar(&o.noRobots, "no-robots", false, "do not ask for robots.txt")
	f.DurationVar(&o.timeout, "timeout", 0, "give up a hop after this long (default from the configuration, or 2m); with --compare the whole comparison (default 5m)")
	cmd.MarkFlagsMutuallyExclusive("json", "body")
	cmd.MarkFlagsMutuallyExclusive("http2", "protocol")
	for _, other := range []string{"body", "output", "data"} {
		cmd.MarkFlagsMutuallyExclusive("compare", other)
	}
	return cmd
}

func runFetch(ctx context.Context, o fetchOptions, raw string, s streams) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	env, err := o.identityOptions.open(o.ownHosts(u))
	if err != nil {
		return err
	}
	if o.compare {
		return runCompare(ctx, o, env, u, s)
	}
	if o.timeout > 0 {
		env.timeouts.Total = o.timeout
	}
	id := string(client.DefaultID)
	if len(o.clients) > 0 {
		id = o.clients[0]
	}
	p, err := env.client(id)
	if err != nil {
		return err
	}
	if err := env.allowed(p, u.Host(), o.impersonate); err != nil {
		return err
	}
	var kept *keptCopies
	if o.data != "" {
		if kept, err = openKept(o.data, s); err != nil {
			return err
		}
		defer kept.close()
	}
	rep, last, err := fetchHops(ctx, env, p, u, &o, kept)
	if err != nil {
		return err
	}
	if err := interrupted(ctx); err != nil {
		return err
	}
	if err := rep.write(&o, s, last); err != nil {
		return err
	}
	return rep.ending(&o, last)
}

// check finds what is wrong with the flags before anything is sent.
func (o *fetchOptions) check() error {
	switch {
	case o.timeout < 0:
		return usageError("--timeout takes no negative value")
	case o.conditional != nil && o.data == "":
		return usageError("--conditional needs --data: validators come from what a crawl has stored")
	case !o.compare && len(o.clients) > 1:
		return usageError("--client takes one client here; several are for --compare")
	case !o.compare && len(o.protocols) > 1:
		return usageError("--protocol takes one protocol here; several are for --compare")
	}
	for _, p := range o.protocols {
		if p != "http1" && p != "http2" {
			return usageError("--protocol takes http1 and http2, not %q", p)
		}
	}
	if o.http2 {
		o.protocols = []string{"http2"}
	}
	if o.compare {
		// The regions of a comparison are ways of asking, not one for all.
		o.regions, o.region = splitList(o.region), ""
	}
	return nil
}

func splitList(s string) []string {
	var out []string
	for _, part := range strings.Split(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// asking is one way of asking for a URL and its redirects.
type asking struct {
	profile  client.Profile
	protocol crawl.Protocol
	region   func(crawl.Host) string
	follow   bool
	kept     *keptCopies // nil = nothing is known from a crawl
	cond     *bool
}

// fetchHops follows redirects hop by hop, as the crawl's scheduler would (B6).
func fetchHops(ctx context.Context, env *environment, p client.Profile, u crawl.URL, o *fetchOptions, kept *keptCopies) (*fetchReport, *crawl.Result, error) {
	fetcher := env.fetcher()
	defer fetcher.CloseIdle()
	ask := asking{profile: p, protocol: crawl.ProtocolAuto, region: env.leave, follow: !o.noFollow, kept: kept, cond: o.conditional}
	if len(o.protocols) > 0 && o.protocols[0] == "http2" {
		ask.protocol = crawl.ProtocolHTTP2
	}
	rep := &fetchReport{Client: p.ID}
	var last *crawl.Result
	why, err := ask.chain(ctx, fetcher, env, u, o.impersonate, func(job *schedule.Job, f *schedule.Findings, copied *storedCopy) {
		h := newHop(job, f)
		h.Stored = copied
		h.Region = job.Request.Egress
		rep.Hops = append(rep.Hops, h)
		last = f.Result
	})
	if err != nil {
		return nil, nil, err
	}
	rep.Error = why
	if !o.noRobots && !o.body {
		rep.askRobots(ctx, env, p)
	}
	return rep, last, nil
}

// chain asks for u and what it redirects to, and calls each for every hop. It
// returns why a redirect was not followed to its end.
func (a *asking) chain(ctx context.Context, fetcher fetch.Fetcher, env *environment, u crawl.URL, impersonate bool,
	each func(*schedule.Job, *schedule.Findings, *storedCopy),
) (string, error) {
	p := a.profile
	cfg := schedule.Config{Clients: []schedule.Client{{Profile: p}}, Scope: schedule.Scope{AllHosts: true, MaxDepth: -1}}
	job := &schedule.Job{Kind: crawl.KindPage, Client: p.ID, URL: u}
	for {
		var visit *crawl.Visit
		var err error
		if a.kept != nil {
			if visit, err = a.kept.visit(ctx, job.URL, p.ID); err != nil {
				return "", err
			}
		}
		job.Request = a.request(env, job.URL, visit)
		res := fetcher.Fetch(ctx, job.Request)
		f := cfg.Digest(job, res, nil, res.Start.Add(res.Timings.Total))
		var copied *storedCopy
		if a.kept != nil {
			copied = a.kept.behind(visit, res)
		}
		each(job, f, copied)
		why := ""
		if f.RedirectErr != "" {
			why = "redirect error (B6): " + f.RedirectErr
		}
		if !f.Follow || !a.follow {
			return why, nil
		}
		if err := env.allowed(p, f.Target.Host(), impersonate); err != nil {
			return "not followed (A7): " + err.Error(), nil
		}
		job = &schedule.Job{Kind: crawl.KindPage, Client: p.ID, URL: f.Target, Chain: append(job.Chain, job.URL)}
	}
}

// request makes the request of a hop. With a visit it is a recrawl, which asks
// conditionally as the client does, or as the user says (G4).
func (a *asking) request(env *environment, u crawl.URL, visit *crawl.Visit) *crawl.Request {
	p, purpose := a.profile, crawl.PurposeDiscovery
	if visit != nil {
		purpose = crawl.PurposeRefresh
	}
	if a.cond != nil && *a.cond {
		p.Conditional = client.ConditionalAlways
	} else if a.cond != nil {
		p.Conditional = client.ConditionalNever
	}
	req := p.Request(u, env.identity, purpose, visit, 0) // a client that asks so sometimes does it now
	req.Timeouts, req.Protocol = env.timeouts, a.protocol
	req.Egress = a.region(u.Host())
	return req
}

// write gives the result in the form that was asked for.
func (r *fetchReport) write(o *fetchOptions, s streams, last *crawl.Result) error {
	body := last.Body
	if h := r.last(); h.Stored != nil && h.Stored.usable {
		body = h.Stored.body
	}
	if o.output != "" {
		if err := os.WriteFile(o.output, body, 0o666); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	switch {
	case o.body && s.outTTY:
		_, err := io.WriteString(s.out, report.SafeText(string(body)))
		return err
	case o.body:
		_, err := s.out.Write(body)
		return err
	case o.json:
		return printJSON(s.out, r)
	}
	return r.text(s.out)
}

// ending turns what came into an exit code.
func (r *fetchReport) ending(o *fetchOptions, last *crawl.Result) error {
	wanted := o.body || o.output != ""
	if last.Failure != nil && (last.Status == 0 || wanted) {
		return &exitError{exitFailed, errors.New(failureAdvice(last))}
	}
	if h := r.last(); wanted && last.Status == 304 && (h.Stored == nil || !h.Stored.usable) {
		why := h.notModified()
		if h.Stored != nil {
			why = h.Stored.Problem
		}
		return &exitError{exitFailed, fmt.Errorf("%s answered 304 and there is no body: %s", last.URL.Host(), why)}
	}
	return nil
}

func (r *fetchReport) last() *hop { return &r.Hops[len(r.Hops)-1] }
