package report

import (
	"context"
	"fmt"
	"io"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/react"
	"trawl/internal/store"
)

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
	Alternate  bool                `json:"alternate_page_with_canonical"` // the canonical stands for it (I8), as things are now
	Why        string              `json:"canonical_verdict,omitempty"`   // why, or why not
	History    []crawl.IndexChange `json:"history"`
	Outlook    string              `json:"what_would_change_it"`
	Visits     []URLVisit          `json:"visits"`
}

// URLVisit is the crawl state for one client, with why it is wanted when it is.
type URLVisit struct {
	crawl.Visit
	Why string `json:"why_due"`
}

// ExplainURL tells the story of a URL; false when it is not known.
func ExplainURL(ctx context.Context, st store.Store, u crawl.URL) (*URLStory, bool, error) {
	rec, ok, err := st.URL(ctx, u)
	if err != nil || !ok {
		return nil, ok, err
	}
	s := &URLStory{
		URL: u, Discovered: rec.Discovered, Via: rec.Via, Referrer: rec.Referrer, Depth: rec.Depth, Index: rec.Index, Canonical: rec.Canonical,
		Visits: []URLVisit{}, History: []crawl.IndexChange{}, Referrers: List[crawl.URL]{Items: []crawl.URL{}},
	}
	for _, v := range rec.Visits {
		s.Visits = append(s.Visits, URLVisit{v, demand.Why(demand.DefaultParams(), v)})
	}
	lead := crawl.Visit{}
	if len(rec.Visits) > 0 {
		lead = rec.Visits[0] // of the primary client, which leads the index state
	}
	s.Outlook = react.Outlook(react.DefaultParams(), rec.Index, lead)
	if err := s.canonical(ctx, st, rec); err != nil {
		return nil, true, err
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

// canonical judges what the page names as its canonical (case 31).
func (s *URLStory) canonical(ctx context.Context, st store.Store, rec crawl.URLRecord) error {
	if rec.Canonical == "" || rec.Index.State != crawl.IndexPassed {
		return nil
	}
	target, known, err := st.URL(ctx, rec.Canonical)
	if err != nil {
		return err
	}
	var there *crawl.URLRecord
	if known {
		there = &target
	}
	reason, why := react.Canonical(s.URL, rec.Canonical, there)
	s.Alternate, s.Why = reason == crawl.ReasonAlternate, why
	return nil
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
	p.f("  what would change it: %s\n", s.Outlook)
	if s.Canonical != "" {
		p.f("  names as its canonical %s\n", Safe(string(s.Canonical)))
		if s.Alternate {
			p.f("  %s: ", crawl.ReasonAlternate)
		} else if s.Why != "" {
			p.f("  ")
		}
		if s.Why != "" {
			p.f("%s\n", Safe(s.Why))
		}
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

func (s *URLStory) visit(p *printer, v *URLVisit) {
	p.f("\nClient %s\n", v.Client)
	for _, a := range v.Past {
		p.f("  %s\n", answers(a))
	}
	switch {
	case v.Crawls == 0 && v.Robots:
		p.f("  never crawled: disallowed by robots.txt\n")
	case v.Crawls == 0:
		p.f("  never crawled\n")
	default:
		answer := answer(v.Status, v.Failure)
		p.f("  last crawl %s: %s (%s), %s, %s in %s\n", stamp(v.LastCrawl), answer, v.Response, v.Type, Bytes(v.Bytes), short(v.Duration))
		if v.Same > 0 {
			p.f("  the same answer %d times in a row, since %s\n", v.Same+1, stamp(v.SameSince))
		}
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
		p.f("  wanted again at %s, band %d of the hostname's queue: %s\n", stamp(v.Due), v.Band, v.Why)
	}
}

func answer(status int, failure crawl.FailureClass) string {
	if failure != crawl.FailNone {
		return failure.String()
	}
	return fmt.Sprintf("answered %d", status)
}

// answers tells of one or more crawls with the same answer.
func answers(a crawl.Answer) string {
	if a.Count == 1 {
		return stamp(a.Since) + ": " + answer(a.Status, a.Failure)
	}
	return fmt.Sprintf("%s to %s: %s, %d times", stamp(a.Since), stamp(a.Until), answer(a.Status, a.Failure), a.Count)
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
