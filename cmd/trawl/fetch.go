package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/react"
	"trawl/internal/report"
	"trawl/internal/schedule"
)

// fetchOptions are the flags of `trawl fetch`.
type fetchOptions struct {
	identityOptions
	clientID string
	json     bool
	body     bool
	http2    bool
	noFollow bool
	timeout  time.Duration
}

func newFetch(s streams) *cobra.Command {
	o := fetchOptions{}
	cmd := &cobra.Command{
		Use:   "fetch URL",
		Short: "Make one request as a given client gets it",
		Long: `Fetch asks for one URL as a crawler client would, and shows each hop of its
redirects: protocol, timings by phase, headers, bytes on the wire and decoded,
whether the byte limit cut it, and what the answer means for crawl rate and index.

It fetches for you, now, like any user-triggered fetcher: robots.txt is not asked
(see 'trawl robots'), and nothing is stored.

Exit codes: 0 a response came, whatever its status; 1 none came, or with --body not
all of it; 2 bad usage; 130 interrupted.`,
		Example: `  trawl fetch https://www.example.org/
  trawl fetch --client googlebot-smartphone --own http://127.0.0.1:8080/
  trawl fetch --http2 --json https://www.example.org/ | jq '.hops[0].timings'
  trawl fetch --body https://www.example.org/robots.txt`,
		Args:              exactURL,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runFetch(cmd.Context(), o, args[0], s) },
	}
	o.identityOptions.flags(cmd)
	clientFlag(cmd, &o.clientID, "trawl", "crawler client to fetch as (see 'trawl clients')")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.body, "body", false, "print the decoded body of the last hop and nothing else")
	cmd.Flags().BoolVar(&o.http2, "http2", false, "offer HTTP/2 (the default is HTTP/1.1, B1)")
	cmd.Flags().BoolVar(&o.noFollow, "no-follow", false, "report a redirect instead of following it")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "give up a hop after this long (default from the configuration, or 2m)")
	cmd.MarkFlagsMutuallyExclusive("json", "body")
	return cmd
}

// hop is one request of a fetch, for people and scripts.
type hop struct {
	URL         crawl.URL      `json:"url"`
	Status      int            `json:"status"`
	Reason      string         `json:"reason,omitempty"`
	Protocol    crawl.Protocol `json:"protocol"`
	Remote      string         `json:"remote,omitempty"`
	TLS         string         `json:"tls,omitempty"`
	Timings     crawl.Timings  `json:"timings"`
	Request     crawl.Header   `json:"request_header"`
	Header      crawl.Header   `json:"response_header"`
	HeaderBytes int64          `json:"header_bytes"`
	WireBytes   int64          `json:"wire_bytes"`
	BodyBytes   int64          `json:"decoded_bytes"`
	Coding      string         `json:"content_coding,omitempty"`
	Limit       int64          `json:"byte_limit"`
	Truncated   bool           `json:"truncated"`
	Failure     *crawl.Failure `json:"failure,omitempty"`
	Row         string         `json:"behaviour"`
	Rate        string         `json:"rate_effect"`
	Index       string         `json:"index_effect"`
	Partial     bool           `json:"judged_as_whole,omitempty"` // what came of it is judged as if it were all (B3)
	Location    crawl.URL      `json:"location,omitempty"`
	Note        string         `json:"note,omitempty"`
}

type fetchReport struct {
	Client crawl.ClientID `json:"client"`
	Hops   []hop          `json:"hops"`
	Error  string         `json:"error,omitempty"`
}

func runFetch(ctx context.Context, o fetchOptions, raw string, s streams) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	if o.timeout < 0 {
		return usageError("--timeout takes no negative value")
	}
	env, err := o.identityOptions.open(o.ownHosts(u))
	if err != nil {
		return err
	}
	if o.timeout > 0 {
		env.timeouts.Total = o.timeout
	}
	p, err := env.client(o.clientID)
	if err != nil {
		return err
	}
	if err := env.allowed(p, u.Host(), o.impersonate); err != nil {
		return err
	}
	rep, last := fetchHops(ctx, env, p, u, o)
	if err := interrupted(ctx); err != nil {
		return err
	}
	switch {
	case o.body && s.outTTY:
		_, err = io.WriteString(s.out, report.SafeText(string(last.Body)))
	case o.body:
		_, err = s.out.Write(last.Body)
	case o.json:
		err = printJSON(s.out, rep)
	default:
		err = rep.text(s.out)
	}
	if err != nil {
		return err
	}
	if last.Failure != nil && (last.Status == 0 || o.body) {
		return &exitError{exitFailed, errors.New(failureAdvice(last))}
	}
	return nil
}

// fetchHops follows redirects hop by hop, as the crawl's scheduler would (B6).
func fetchHops(ctx context.Context, env *environment, p client.Profile, u crawl.URL, o fetchOptions) (*fetchReport, *crawl.Result) {
	fetcher := env.fetcher()
	defer fetcher.CloseIdle()
	cfg := schedule.Config{Clients: []schedule.Client{{Profile: p}}, Scope: schedule.Scope{AllHosts: true, MaxDepth: -1}}
	rep := &fetchReport{Client: p.ID}
	job := &schedule.Job{Kind: crawl.KindPage, Client: p.ID, URL: u}
	for {
		res, f := fetchOne(ctx, fetcher, &cfg, p, env, job, o)
		rep.Hops = append(rep.Hops, newHop(res, f))
		if f.RedirectErr != "" {
			rep.Error = "redirect error (B6): " + f.RedirectErr
		}
		if !f.Follow || o.noFollow {
			return rep, res
		}
		if err := env.allowed(p, f.Target.Host(), o.impersonate); err != nil {
			rep.Error = "not followed (A7): " + err.Error()
			return rep, res
		}
		job = &schedule.Job{Kind: crawl.KindPage, Client: p.ID, URL: f.Target, Chain: append(job.Chain, job.URL)}
	}
}

func fetchOne(ctx context.Context, fetcher fetch.Fetcher, cfg *schedule.Config, p client.Profile, env *environment, job *schedule.Job, o fetchOptions) (*crawl.Result, *schedule.Findings) {
	job.Request = p.Request(job.URL, env.identity, crawl.PurposeDiscovery, nil, 0)
	job.Request.Timeouts = env.timeouts
	if o.http2 {
		job.Request.Protocol = crawl.ProtocolHTTP2
	}
	res := fetcher.Fetch(ctx, job.Request)
	return res, cfg.Digest(job, res, nil, res.Start.Add(res.Timings.Total))
}

func newHop(res *crawl.Result, f *schedule.Findings) hop {
	h := hop{
		URL: res.URL, Status: res.Status, Reason: res.Reason, Protocol: res.Protocol, TLS: res.TLSVersion, Timings: res.Timings,
		Request: res.SentRequest, Header: res.Header, HeaderBytes: res.HeaderBytes, WireBytes: res.WireBytes, BodyBytes: int64(len(res.Body)),
		Coding: res.Coding, Limit: res.Limit, Truncated: res.Truncated, Failure: res.Failure,
		Row: f.Row.ID, Rate: f.Row.Rate.String(), Index: indexEffect(f.Row.Index), Location: f.Target, Note: f.RedirectErr,
	}
	// Where nothing could be kept, the row is the failure's own.
	h.Partial = res.Failure != nil && h.Row != "B3" && (res.Failure.Class == crawl.FailIncomplete || res.Failure.Class == crawl.FailDecode)
	if res.Remote.IsValid() {
		h.Remote = res.Remote.String()
	}
	return h
}

func indexEffect(e react.IndexEffect) string {
	return [...]string{
		"none", "passed on, may be indexed", "nothing to process", "strong signal to the target", "weak signal to the target",
		"previous content stands", "removed, or not processed", "preserved at first, dropped if it persists", "removed within days if it persists",
		"redirect error", "not fetched",
	}[e]
}

// failureAdvice says what to do about a fetch that got no whole response.
func failureAdvice(res *crawl.Result) string {
	what := "no response"
	if res.Status > 0 {
		what = "incomplete"
	}
	msg := fmt.Sprintf("%s from %s: %s", what, res.URL.Host(), strings.TrimSuffix(res.Failure.Detail, "."))
	switch res.Failure.Class {
	case crawl.FailBlockedPort:
		msg += classAdvice(res.Failure.Class)
	case crawl.FailBlockedAddress:
		msg += "; if the host is yours add --own, or --allow-private for a whole private network"
	}
	return msg
}

// failureText leaves out what a failure does not have.
func failureText(f *crawl.Failure) string {
	if f.Phase == crawl.PhaseNone {
		return fmt.Sprintf("%s: %s", f.Class, f.Detail)
	}
	return fmt.Sprintf("%s (%s phase, after %s): %s", f.Class, f.Phase, f.Elapsed.Round(time.Millisecond), f.Detail)
}

func (r *fetchReport) text(w io.Writer) error {
	for i := range r.Hops {
		if i > 0 {
			fmt.Fprintln(w)
		}
		r.Hops[i].text(w)
	}
	end := ""
	if r.Error != "" {
		end = "\n" + report.Safe(r.Error) + "\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

func (h *hop) text(w io.Writer) {
	fmt.Fprintf(w, "%s\n", report.Safe(string(h.URL)))
	if h.Status > 0 {
		fmt.Fprintf(w, "  %d %s over %s%s from %s\n", h.Status, report.Safe(h.Reason), h.Protocol, tlsText(h.TLS), h.Remote)
	}
	if h.Failure != nil {
		fmt.Fprintf(w, "  failure: %s\n", report.Safe(failureText(h.Failure)))
	}
	if h.Note != "" {
		fmt.Fprintf(w, "  redirect error: %s\n", report.Safe(h.Note))
	}
	if len(h.Request) > 0 {
		h.figures(w)
	}
	judged := ""
	if h.Partial {
		judged = fmt.Sprintf("; %s: what came is judged as if it were whole (B3)", h.Failure.Class)
	}
	fmt.Fprintf(w, "  meaning (%s): crawl rate: %s; index: %s%s\n", h.Row, h.Rate, h.Index, judged)
	if len(h.Request) > 0 {
		fmt.Fprintln(w, "  request")
		fields(w, h.Request)
	}
	if len(h.Header) > 0 {
		fmt.Fprintln(w, "  response")
		fields(w, h.Header)
	}
}

// figures are the timings and bytes of a request that was sent.
func (h *hop) figures(w io.Writer) {
	t := h.Timings
	conn := fmt.Sprintf("dns %s, connect %s, tls %s", ms(t.DNS), ms(t.Connect), ms(t.TLS))
	if t.Reused {
		conn = "connection reused"
	}
	fmt.Fprintf(w, "  timings: %s, wait %s, body %s, total %s\n", conn, ms(t.Wait), ms(t.Body), ms(t.Total))
	cut := "whole"
	switch {
	case h.Truncated:
		cut = "cut at the byte limit (B5)"
	case h.Failure != nil:
		cut = "incomplete"
	}
	if h.Status == 0 {
		return
	}
	fmt.Fprintf(w, "  bytes: header %d, wire %d, decoded %d (%s), limit %d, %s\n", h.HeaderBytes, h.WireBytes, h.BodyBytes, coding(h.Coding), h.Limit, cut)
}

func fields(w io.Writer, h crawl.Header) {
	for _, f := range h {
		fmt.Fprintf(w, "    %s: %s\n", report.Safe(f.Name), report.Safe(f.Value))
	}
}

func tlsText(v string) string {
	if v == "" {
		return ""
	}
	return " (TLS " + v + ")"
}

func coding(c string) string {
	if c == "" {
		return "identity"
	}
	return c
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
