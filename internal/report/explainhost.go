package report

import (
	"context"
	"fmt"
	"io"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/live"
	"trawl/internal/owner"
	"trawl/internal/robots"
	"trawl/internal/store"
)

// HostStory is why a hostname is crawled as fast as it is (E1 to E9).
type HostStory struct {
	Host      crawl.Host         `json:"host"`
	Limit     float64            `json:"limit"` // connection-seconds per second
	Cause     string             `json:"cause"`
	Since     time.Time          `json:"since,omitzero"`
	Changes   []crawl.RateChange `json:"changes"` // of the limit, oldest first
	Wishes    owner.Wishes       `json:"owner"`   // what its owner asked for (E7)
	NotBefore time.Time          `json:"not_before,omitzero"`
	Pace      float64            `json:"pace,omitempty"` // requests per second at most, learned from refusals; 0 = none
	Expected  time.Duration      `json:"expected_duration_ns"`
	Latency   time.Duration      `json:"latency_ns"`
	Baseline  time.Duration      `json:"baseline_latency_ns"`
	Due       int                `json:"urls_due"`
	More      bool               `json:"more_due"` // Due was cut
	NextDue   time.Time          `json:"next_due,omitzero"`
	Backlog   time.Duration      `json:"backlog_ns"`        // that the due URLs take at the present limit
	Exceeded  bool               `json:"hostload_exceeded"` // demand waits for capacity (E9)
	Protocol  crawl.Protocol     `json:"protocol"`
	OptOut    bool               `json:"http2_opt_out"`
	Egress    crawl.EgressRecord `json:"egress,omitzero"` // regions it was asked from (B10)
	Robots    []RobotsStory      `json:"robots"`
	Traps     []crawl.Trap       `json:"traps"`
	Sitemaps  SitemapStory       `json:"sitemaps"`
	Stats     *Breakdown         `json:"crawl_stats"`
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

// exceededAfter is how much work has to be due for a hostname to be called
// "hostload exceeded" (E9; house choice): what is done within a quarter of an
// hour does not wait in earnest.
const exceededAfter = 15 * time.Minute

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
		Pace: rec.Load.Pace, Protocol: rec.Protocol.Choice, OptOut: rec.Protocol.OptOut, Egress: rec.Egress,
		Changes: append([]crawl.RateChange{}, rec.Load.Changes...), Traps: append([]crawl.Trap{}, rec.Traps...), Robots: []RobotsStory{},
	}
	s.Sitemaps = sitemapStory(rec.Sitemaps, now)
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
	s.Backlog = seconds(float64(s.Due) * rec.Load.Expected / max(rec.Load.Limit, 0.001))
	s.Exceeded = s.Backlog > exceededAfter
	book, _, err := live.Wishes(ctx, st)
	if err != nil {
		return nil, true, err
	}
	s.Wishes = owner.Wishes{Limit: book[host].Limit.Active(now), Pause: book[host].Pause.Active(now)}
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

// Text writes the story for people.
func (s *HostStory) Text(w io.Writer) error {
	p := &printer{w: w}
	p.f("%s\n", Safe(string(s.Host)))
	p.f("  crawl capacity limit %.3g connection-seconds per second\n", s.Limit)
	p.f("  because: %s, since %s\n", Safe(s.Cause), stamp(s.Since))
	if s.Pace > 0 {
		p.f("  at most %.3g requests per second: beyond that it refused some with 429 or 503 (E3)\n", s.Pace)
	}
	s.owner(p)
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
	if s.Due > 0 {
		p.f(", about %s of work at this limit", short(s.Backlog.Round(time.Second)))
	}
	if s.Exceeded {
		p.f(": hostload exceeded (E9)")
	}
	p.f("\n  protocol: %s", s.Protocol)
	if s.OptOut {
		p.f(" (the host opted out of HTTP/2 with 421)")
	}
	p.f("\n")
	egressText(p, s.Egress)
	for _, r := range s.Robots {
		p.f("  robots.txt of %s: answered %d at %s; %s (%s); asked for again at %s\n",
			Safe(string(r.Origin)), r.Status, stamp(r.Fetched), Safe(r.Meaning), r.Row, stamp(r.Next))
	}
	s.Sitemaps.text(p)
	for _, t := range s.Traps {
		p.f("  trap: %d × %s: %s\n", t.Count, Safe(t.Pattern), Safe(t.Reason))
	}
	s.changes(p)
	p.f("\n")
	s.Stats.text(p)
	return p.err
}

// owner tells what the hostname's owner asked for.
func (s *HostStory) owner(p *printer) {
	for _, w := range []owner.Wish{s.Wishes.Pause, s.Wishes.Limit} {
		if w.Empty() {
			continue
		}
		what := "paused by its owner"
		if !w.Paused {
			what = fmt.Sprintf("its owner wants at most %.3g connection-seconds per second", w.Limit)
		}
		if !w.Until.IsZero() {
			what += " until " + stamp(w.Until)
		}
		p.f("  %s (E7)", what)
		if w.Note != "" {
			p.f(": %s", Safe(w.Note))
		}
		p.f("\n")
	}
}

// changes tells how the limit came to be what it is.
func (s *HostStory) changes(p *printer) {
	if len(s.Changes) > 0 {
		p.f("\nThe limit, lately\n")
	}
	for _, c := range s.Changes {
		when := stamp(c.At)
		if c.Count > 1 {
			when = stamp(c.Since) + " to " + when
		}
		p.f("  %s: ", when)
		switch {
		case c.From == c.To:
			p.f("%.3g", c.To)
		default:
			p.f("%.3g → %.3g", c.From, c.To)
		}
		p.f(", %s", Safe(c.Detail))
		if c.Count > 1 {
			p.f(", %d times", c.Count)
		}
		if !c.Until.IsZero() {
			p.f(", no request before %s", stamp(c.Until))
		}
		p.f("\n")
	}
}
