package report

import (
	"context"
	"fmt"
	"io"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/robots"
	"trawl/internal/store"
)

// HostStory is why a hostname is crawled as fast as it is (E1 to E9).
type HostStory struct {
	Host      crawl.Host     `json:"host"`
	Limit     float64        `json:"limit"` // connection-seconds per second
	Cause     string         `json:"cause"`
	Since     time.Time      `json:"since,omitzero"`
	NotBefore time.Time      `json:"not_before,omitzero"`
	Expected  time.Duration  `json:"expected_duration_ns"`
	Latency   time.Duration  `json:"latency_ns"`
	Baseline  time.Duration  `json:"baseline_latency_ns"`
	Due       int            `json:"urls_due"`
	More      bool           `json:"more_due"` // Due was cut
	NextDue   time.Time      `json:"next_due,omitzero"`
	Protocol  crawl.Protocol `json:"protocol"`
	OptOut    bool           `json:"http2_opt_out"`
	Robots    []RobotsStory  `json:"robots"`
	Traps     []crawl.Trap   `json:"traps"`
	Stats     *Breakdown     `json:"crawl_stats"`
}

// RobotsStory is the state of one robots.txt file (C4, C5).
type RobotsStory struct {
	Origin  crawl.Origin `json:"origin"`
	Status  int          `json:"status"`
	Fetched time.Time    `json:"fetched"`
	Next    time.Time    `json:"next"`
	Row     string       `json:"behaviour"`
	Meaning string       `json:"meaning"`
}

// maxDueShown bounds how many due URLs are counted for a story.
const maxDueShown = 10_000

// ExplainHost tells the story of a hostname; false when it is not known.
func ExplainHost(ctx context.Context, st store.Store, host crawl.Host, now time.Time) (*HostStory, bool, error) {
	rec, ok, err := st.Host(ctx, host)
	if err != nil || !ok {
		return nil, ok, err
	}
	s := &HostStory{
		Host: host, Limit: rec.Load.Limit, Cause: rec.Load.Cause, Since: rec.Load.ChangedAt,
		Expected: seconds(rec.Load.Expected), Latency: seconds(rec.Load.Latency), Baseline: seconds(rec.Load.Baseline),
		Protocol: rec.Protocol.Choice, OptOut: rec.Protocol.OptOut, Traps: append([]crawl.Trap{}, rec.Traps...), Robots: []RobotsStory{},
	}
	if rec.Load.NotBefore.After(now) {
		s.NotBefore = rec.Load.NotBefore
	}
	due, err := st.DueURLs(ctx, host, "", now, maxDueShown)
	if err != nil {
		return nil, true, err
	}
	s.Due, s.More = len(due), len(due) == maxDueShown
	if s.NextDue, err = st.NextDue(ctx, host, ""); err != nil {
		return nil, true, err
	}
	files, err := st.Robots(ctx, host)
	if err != nil {
		return nil, true, err
	}
	for _, r := range files {
		s.Robots = append(s.Robots, robotsStory(r, now))
	}
	s.Stats, err = Stats(ctx, st, store.StatFilter{Host: host})
	return s, true, err
}

func robotsStory(r crawl.RobotsRecord, now time.Time) RobotsStory {
	state := robots.Ladder(robots.DefaultTimes(), r, now)
	return RobotsStory{Origin: r.Origin, Status: r.Status, Fetched: r.FetchedAt, Next: state.FetchAt, Row: state.Row, Meaning: state.Reason}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// URLStory is what is known of one URL, and why (F13).
type URLStory struct {
	URL        crawl.URL           `json:"url"`
	Discovered time.Time           `json:"discovered"`
	Via        crawl.Via           `json:"via"`
	Referrer   crawl.URL           `json:"referrer,omitempty"`
	Referrers  List[crawl.URL]     `json:"referrers"` // pages that link to it
	Depth      int                 `json:"depth"`
	Index      crawl.Index         `json:"index"`
	Canonical  crawl.URL           `json:"canonical,omitempty"`
	History    []crawl.IndexChange `json:"history"`
	Visits     []crawl.Visit       `json:"visits"`
}

// ExplainURL tells the story of a URL; false when it is not known.
func ExplainURL(ctx context.Context, st store.Store, u crawl.URL) (*URLStory, bool, error) {
	rec, ok, err := st.URL(ctx, u)
	if err != nil || !ok {
		return nil, ok, err
	}
	s := &URLStory{
		URL: u, Discovered: rec.Discovered, Via: rec.Via, Referrer: rec.Referrer, Depth: rec.Depth, Index: rec.Index, Canonical: rec.Canonical,
		Visits: rec.Visits, History: []crawl.IndexChange{}, Referrers: List[crawl.URL]{Items: []crawl.URL{}},
	}
	history, err := st.History(ctx, u)
	if err != nil {
		return nil, true, err
	}
	s.History = append(s.History, history...)
	want := crawl.LinkHash(u)
	for page, err := range st.Links(ctx, store.URLFilter{}) {
		if err != nil {
			return nil, true, err
		}
		for _, h := range page.Links {
			if h == want && page.URL != u {
				s.Referrers.add(maxReferrers, page.URL)
			}
		}
	}
	return s, true, nil
}

// Text writes the story for people.
func (s *HostStory) Text(w io.Writer) error {
	p := &printer{w: w}
	p.f("%s\n", Safe(string(s.Host)))
	p.f("  crawl capacity limit %.3g connection-seconds per second\n", s.Limit)
	p.f("  because: %s, since %s\n", Safe(s.Cause), stamp(s.Since))
	if !s.NotBefore.IsZero() {
		p.f("  no request before %s\n", stamp(s.NotBefore))
	}
	p.f("  a fetch holds a connection for about %s; first byte after %s, normally %s\n", short(s.Expected), short(s.Latency), short(s.Baseline))
	more := ""
	if s.More {
		more = " or more"
	}
	p.f("  waiting: %d URLs%s due now", s.Due, more)
	if s.Due == 0 && !s.NextDue.IsZero() {
		p.f(", the next at %s", stamp(s.NextDue))
	}
	p.f("\n  protocol: %s", s.Protocol)
	if s.OptOut {
		p.f(" (the host opted out of HTTP/2 with 421)")
	}
	p.f("\n")
	for _, r := range s.Robots {
		p.f("  robots.txt of %s: answered %d at %s; %s (%s); asked for again at %s\n",
			Safe(string(r.Origin)), r.Status, stamp(r.Fetched), Safe(r.Meaning), r.Row, stamp(r.Next))
	}
	for _, t := range s.Traps {
		p.f("  trap: %d × %s: %s\n", t.Count, Safe(t.Pattern), Safe(t.Reason))
	}
	p.f("\n")
	s.Stats.text(p)
	return p.err
}

// Text writes the story for people.
func (s *URLStory) Text(w io.Writer) error {
	p := &printer{w: w}
	p.f("%s\n", Safe(string(s.URL)))
	p.f("  discovered %s by %s", stamp(s.Discovered), s.Via)
	if s.Referrer != "" {
		p.f(" on %s", Safe(string(s.Referrer)))
	}
	p.f(", %d links from a given URL\n", s.Depth)
	p.f("  index: %s, %s", s.Index.State, s.Index.Reason)
	if s.Index.Row != "" {
		p.f(" (%s), since %s", s.Index.Row, stamp(s.Index.Since))
	}
	p.f("\n")
	if s.Canonical != "" {
		p.f("  names as its canonical %s\n", Safe(string(s.Canonical)))
	}
	for i := range s.Visits {
		s.visit(p, &s.Visits[i])
	}
	if len(s.History) > 0 {
		p.f("\nHistory\n")
	}
	for _, c := range s.History {
		p.f("  %s  %s → %s (%s): %s\n", stamp(c.At), c.From.State, c.To.State, c.To.Row, Safe(c.Detail))
	}
	list(p, "Pages that link to it", s.Referrers, func(u crawl.URL) { p.f("  %s\n", Safe(string(u))) })
	return p.err
}

func (s *URLStory) visit(p *printer, v *crawl.Visit) {
	p.f("\nClient %s\n", v.Client)
	switch {
	case v.Crawls == 0 && v.Robots:
		p.f("  never crawled: disallowed by robots.txt\n")
	case v.Crawls == 0:
		p.f("  never crawled\n")
	default:
		answer := fmt.Sprintf("answered %d", v.Status)
		if v.Failure != crawl.FailNone {
			answer = v.Failure.String()
		}
		p.f("  last crawl %s: %s (%s), %s, %s in %s\n", stamp(v.LastCrawl), answer, v.Response, v.Type, Bytes(v.Bytes), short(v.Duration))
		p.f("  crawled %d times, content changed %d times\n", v.Crawls, v.Changes)
	}
	if v.Failures > 0 {
		p.f("  failing %d times in a row since %s\n", v.Failures, stamp(v.FailingSince))
	}
	if v.Truncated {
		p.f("  cut at the byte limit (B5)\n")
	}
	if v.RedirectTo != "" {
		p.f("  redirects to %s\n", Safe(string(v.RedirectTo)))
	}
	for _, u := range v.Chain {
		p.f("  reached through %s\n", Safe(string(u)))
	}
	if v.Archive.File != "" {
		p.f("  archived in %s at byte %d\n", v.Archive.File, v.Archive.Offset)
	}
	if !v.Due.IsZero() {
		p.f("  wanted again at %s, band %d of the hostname's queue\n", stamp(v.Due), v.Band)
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.DateTime + "Z")
}

func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}
