package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/schedule"
)

// hop is one request of a fetch, for people and scripts.
type hop struct {
	URL         crawl.URL       `json:"url"`
	Status      int             `json:"status"`
	Reason      string          `json:"reason,omitempty"`
	Protocol    crawl.Protocol  `json:"protocol"`
	Why         string          `json:"protocol_why"`
	Region      string          `json:"region"` // "" = direct
	Remote      string          `json:"remote,omitempty"`
	Way         *crawl.Way      `json:"way,omitempty"`
	TLS         string          `json:"tls,omitempty"`
	Timings     crawl.Timings   `json:"timings"`
	Request     crawl.Header    `json:"request_header"`
	Interim     []crawl.Interim `json:"interim,omitempty"`
	MoreInterim int             `json:"interim_more,omitempty"`
	Header      crawl.Header    `json:"response_header"`
	HeaderBytes int64           `json:"header_bytes"`
	WireBytes   int64           `json:"wire_bytes"`
	BodyBytes   int64           `json:"decoded_bytes"`
	Coding      string          `json:"content_coding,omitempty"`
	Mislabeled  bool            `json:"mislabeled,omitempty"` // Content-Encoding named what the body was not (B3)
	Limit       int64           `json:"byte_limit"`
	Truncated   bool            `json:"truncated"`
	Failure     *crawl.Failure  `json:"failure,omitempty"`
	Row         string          `json:"behaviour"`
	Rate        string          `json:"rate_effect"`
	Index       string          `json:"index_effect"`
	Partial     bool            `json:"judged_as_whole,omitempty"` // what came of it is judged as if it were all (B3)
	Location    crawl.URL       `json:"location,omitempty"`
	Note        string          `json:"note,omitempty"`
	RetryAfter  time.Duration   `json:"retry_after_ns,omitempty"` // as it is understood (E8)
	MaxAge      time.Duration   `json:"max_age_ns,omitempty"`     // a hint for the next crawl (G3)
	Validators  *validators     `json:"validators,omitempty"`
	Page        *pageFacts      `json:"page,omitempty"`
	Stored      *storedCopy     `json:"stored,omitempty"` // behind a 304 (G5)
	Robots      *verdict        `json:"robots,omitempty"`
}

// validators are what the next conditional request can use (G1, G2).
type validators struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Next         string `json:"next_request"` // what a recrawl would send, in words
}

// pageFacts are what was read in a body.
type pageFacts struct {
	MediaType string        `json:"media_type"`
	Charset   string        `json:"charset,omitempty"`
	Title     string        `json:"title,omitempty"`
	Noindex   bool          `json:"noindex"`
	Nofollow  bool          `json:"nofollow"`
	Canonical crawl.URL     `json:"canonical,omitempty"`
	Refresh   crawl.URL     `json:"refresh,omitempty"`
	RefreshIn time.Duration `json:"refresh_in_ns,omitempty"`
	Links     int           `json:"links"`
	Notes     []string      `json:"notes"`
	Bounded   []string      `json:"bounded"`
}

type fetchReport struct {
	Client crawl.ClientID `json:"client"`
	Hops   []hop          `json:"hops"`
	Error  string         `json:"error,omitempty"`
}

func newHop(job *schedule.Job, f *schedule.Findings) hop {
	res := f.Result
	h := hop{
		URL: res.URL, Status: res.Status, Reason: res.Reason, Protocol: res.Protocol, Why: protocolWhy(job.Request, res), TLS: res.TLSVersion,
		Timings: res.Timings, Way: res.Way, Request: res.SentRequest, Interim: res.Interim, MoreInterim: res.MoreInterim,
		Header: res.Header, HeaderBytes: res.HeaderBytes, WireBytes: res.WireBytes, BodyBytes: int64(len(res.Body)),
		Coding: res.Coding, Mislabeled: res.Mislabeled, Limit: res.Limit, Truncated: res.Truncated, Failure: res.Failure,
		Row: f.Row.ID, Rate: f.Row.Rate.String(), Index: indexEffect(f.Row.Index), Location: f.Target, Note: f.RedirectErr,
		RetryAfter: f.RetryAfter, MaxAge: f.MaxAge,
	}
	// Where nothing could be kept, the row is the failure's own.
	h.Partial = res.Failure != nil && h.Row != "B3" && (res.Failure.Class == crawl.FailIncomplete || res.Failure.Class == crawl.FailDecode)
	if res.Remote.IsValid() {
		h.Remote = res.Remote.String()
	}
	h.Validators = newValidators(res)
	if p := f.Page; p != nil {
		h.Page = &pageFacts{
			MediaType: p.MediaType, Charset: p.Charset, Title: p.Title, Noindex: p.Directives.Noindex, Nofollow: p.Directives.Nofollow,
			Canonical: p.Canonical, Refresh: p.Refresh, RefreshIn: p.RefreshIn, Links: linksOf(p),
			Notes: append([]string{}, p.Notes...), Bounded: append([]string{}, p.Bounded...),
		}
	}
	return h
}

// linksOf counts the links of a page without its canonical.
func linksOf(p *crawl.Page) int {
	n := 0
	for i := range p.Links {
		if p.Links[i].Via != crawl.ViaCanonical {
			n++
		}
	}
	return n
}

// protocolWhy says why a protocol was used (B1).
func protocolWhy(req *crawl.Request, res *crawl.Result) string {
	switch {
	case strings.HasPrefix(req.URL.Scheme(), "ftp"):
		return "the URL's scheme"
	case res.Misdirected:
		return "HTTP/2 was asked for and the server refused it for this hostname (421 or HTTP_1_1_REQUIRED)"
	case req.Protocol == crawl.ProtocolHTTP2 && res.Status > 0 && res.Protocol != crawl.ProtocolHTTP2:
		return "HTTP/2 was asked for and the server does not speak it"
	case req.Protocol == crawl.ProtocolHTTP2:
		return "asked for"
	}
	return "the default; a crawl measures both and takes the better one"
}

// newValidators says what a recrawl of a page with these fields would send.
func newValidators(res *crawl.Result) *validators {
	v := &validators{ETag: res.Header.Get("ETag"), LastModified: res.Header.Get("Last-Modified")}
	if v.ETag == "" && v.LastModified == "" {
		return nil
	}
	visit := &crawl.Visit{Status: res.Status, ETag: v.ETag, LastModified: v.LastModified, LastCrawl: res.Start}
	if res.Failure != nil {
		visit.Failure = res.Failure.Class
	}
	none, since := client.Conditional(client.ConditionalAlways, 1, crawl.PurposeRefresh, visit, 0)
	switch {
	case none != "":
		v.Next = "If-None-Match: " + none
	case since != "":
		v.Next = "If-Modified-Since: " + since + ", the time of this crawl"
	default:
		v.Next = "nothing: they are not well-formed, or no content stands here"
	}
	return v
}

// maxRobotsAsked bounds the robots.txt files that one fetch asks for.
const maxRobotsAsked = 3

// askRobots says of each hop that was answered what robots.txt says of it. Every
// file is asked for once, and only where a server answered.
func (r *fetchReport) askRobots(ctx context.Context, env *environment, p client.Profile) {
	type file struct {
		rules *robots.Rules
		state robots.State
	}
	asked := map[crawl.Origin]*file{}
	for i := range r.Hops {
		h := &r.Hops[i]
		if h.Status == 0 || h.URL.PathQuery() == "/robots.txt" || ctx.Err() != nil {
			continue
		}
		o := h.URL.Origin()
		if asked[o] == nil && len(asked) < maxRobotsAsked {
			_, rec, err := askRobots(ctx, env, h.URL)
			if err != nil {
				continue // the built-in client is missing: its own tests say so
			}
			asked[o] = &file{robots.Parse(rec.Body), robots.Ladder(robots.DefaultTimes(), rec, time.Now())}
		}
		if f := asked[o]; f != nil {
			v := judge(p, f.rules, f.state, h.URL)
			h.Robots = &v
		}
	}
}

func indexEffect(e react.IndexEffect) string {
	return [...]string{
		"none", "passed on, may be indexed", "nothing to process", "strong signal to the target", "weak signal to the target",
		"previous content stands", "removed, or not processed", "preserved at first, dropped if it persists", "removed within days if it persists",
		"redirect error", "not fetched",
	}[e]
}

// notModified says what a 304 means here; "" for any other status.
func (h *hop) notModified() string {
	asked := h.Request.Get("If-None-Match") != "" || h.Request.Get("If-Modified-Since") != ""
	switch {
	case h.Status != 304:
		return ""
	case h.Stored != nil && h.Stored.usable && asked:
		return "the stored copy is current (G5)"
	case h.Stored != nil && h.Stored.usable:
		return "the server says so without having been asked; it is taken as the stored copy being current (F5, G5)"
	case h.Stored != nil && asked:
		return "what the crawl knows is current, and no stored copy stands behind it"
	case h.Stored != nil:
		return "the server says so without having been asked, and no stored copy stands behind it; a crawl accepts it and keeps what it has (F5)"
	}
	return "the server says so without having been asked, and nothing is stored here; a crawl accepts it and keeps what it has (F5); --data DIR shows the stored copy of a crawl"
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
	case crawl.FailProxy:
		msg += "; see the section egress of the configuration, or leave with --region direct"
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
