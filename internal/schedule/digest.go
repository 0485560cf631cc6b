package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/content"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/react"
	"trawl/internal/robots"
	"trawl/internal/weburl"
)

// Findings are what a response says, before the state of its hostname is asked.
type Findings struct {
	Result      *crawl.Result
	Row         react.Row
	Page        *crawl.Page // nil: no content was read
	File        crawl.FileType
	Target      crawl.URL // of a redirect, resolved; "" = none or unusable
	RedirectErr string    // why the redirect cannot be followed (B6)
	Follow      bool      // the target is in scope and is to be crawled
	Discovered  []crawl.Discovery
	Links       []uint32 // hashes of the links in scope, sorted, each once
	Traps       []crawl.Trap
	Answer      robots.Answer // of a robots.txt job
	RetryAfter  time.Duration
	MaxAge      time.Duration
	Archive     crawl.ArchiveRef // set by the driver
	Unchanged   bool             // 304, or the same bytes as last time
	Sitemap     *SitemapFindings // nil: no sitemap was read
}

// Digest reads a response. It is pure and may run in any goroutine; at is the
// time of the response. skip, if not nil, says that a URL is known already to
// the client and need not be handed on.
func (c *Config) Digest(job *Job, res *crawl.Result, skip func(crawl.URL) bool, at time.Time) *Findings {
	f := &Findings{
		Result: res, Row: react.Lookup(res),
		RetryAfter: RetryAfter(res.Header, at), MaxAge: robots.MaxAge(res.Header),
	}
	cl := c.client(job.Client)
	switch f.Row.Index {
	case react.EffectStrong, react.EffectWeak:
		f.File = crawl.TypeOther
		c.redirect(f, job, cl, at)
	case react.EffectPass, react.EffectEmpty:
		if job.Kind == crawl.KindRobots || job.Homepage {
			break
		}
		if job.Kind == crawl.KindSitemap {
			f.Page = content.ReadSitemap(res)
		} else {
			f.Page = content.Read(res, content.Options{RobotsNames: cl.Profile.MetaNames(), MaxLinks: c.MaxLinks, Runs: job.Watch})
		}
		f.File = f.Page.Type
		f.Unchanged = job.Entry.Visit.Digest != 0 && job.Entry.Visit.Digest == f.Page.Digest
		if job.Kind == crawl.KindSitemap {
			c.sitemapLinks(f, job, skip, at)
		} else {
			c.links(f, job, cl, skip, at)
		}
	case react.EffectStands:
		f.File, f.Unchanged = job.Entry.Visit.Type, true
	default:
		if res.Status > 0 {
			f.File = content.Read(res, content.Options{}).Type
		}
	}
	if job.Kind == crawl.KindRobots {
		c.robotsAnswer(f, job)
	}
	return f
}

// redirect resolves the target and checks the chain (B6).
func (c *Config) redirect(f *Findings, job *Job, cl *Client, at time.Time) {
	f.Target, f.RedirectErr = target(job.URL, f.Result.Header)
	limit := cl.Profile.MaxRedirects
	if job.Kind == crawl.KindRobots {
		limit = c.Robots.MaxRedirects
	}
	switch {
	case f.RedirectErr != "":
	case f.Target == job.URL:
		f.RedirectErr = "redirects to itself"
	case slices.Contains(job.Chain, f.Target):
		f.RedirectErr = "redirect loop back to " + string(f.Target)
	case limit > 0 && len(job.Chain)+1 > limit:
		f.RedirectErr = fmt.Sprintf("more than %d redirects in a row", limit)
	}
	if f.RedirectErr != "" {
		if job.Kind != crawl.KindRobots {
			f.Row = react.RedirectError()
		}
		return
	}
	if job.Origin != "" {
		return // robots.txt and homepages are followed by their own rules
	}
	// A client that follows no redirects reports the first hop and stops (A4).
	if limit == 0 || !c.Scope.SameSite(f.Target.Host()) || c.Scope.Check(f.Target, job.Entry.Depth) != InScope {
		return
	}
	f.Follow = true
	band, due := demand.Discovered(crawl.ViaRedirect, job.Kind, at)
	f.Discovered = append(f.Discovered, crawl.Discovery{
		URL: f.Target, Client: job.Client, Kind: job.Kind, Via: crawl.ViaRedirect, Referrer: referrerOf(job), Depth: job.Entry.Depth,
		Chain: append(slices.Clone(job.Chain), job.URL), At: at, Band: band, Due: due,
	})
}

// target resolves the Location of a redirect.
func target(from crawl.URL, h crawl.Header) (crawl.URL, string) {
	values := h.Values("Location")
	if len(values) == 0 || strings.TrimSpace(values[0]) == "" {
		return "", "redirect without a Location"
	}
	u, err := weburl.ResolveReference(from, values[0])
	if err != nil {
		return "", fmt.Sprintf("redirect to an address that cannot be fetched: %v", err)
	}
	return u, ""
}

// linkFilter carries what the links of one page have in common.
type linkFilter struct {
	cfg    *Config
	job    *Job
	same   map[crawl.Host]bool
	follow bool
}

// links selects the URLs that the page makes known (D1, D3).
func (c *Config) links(f *Findings, job *Job, cl *Client, skip func(crawl.URL) bool, at time.Time) {
	if !cl.Profile.FollowsLinks {
		return
	}
	lf := linkFilter{cfg: c, job: job, same: map[crawl.Host]bool{job.URL.Host(): true}, follow: !f.Page.Directives.Nofollow}
	f.Links = make([]uint32, 0, len(f.Page.Links))
	depth := job.Entry.Depth + 1
	for i := range f.Page.Links {
		l := &f.Page.Links[i]
		if !lf.wants(l, depth) {
			continue
		}
		u, ok := lf.untrap(f, l.URL, at)
		if !ok {
			continue
		}
		f.Links = append(f.Links, crawl.LinkHash(u))
		if skip != nil && skip(u) {
			continue
		}
		band, due := demand.Discovered(l.Via, l.Kind, at)
		f.Discovered = append(f.Discovered, crawl.Discovery{
			URL: u, Client: job.Client, Kind: l.Kind, Via: l.Via, Referrer: job.URL, Depth: depth, At: at, Band: band, Due: due,
		})
	}
	slices.Sort(f.Links)
	f.Links = slices.Compact(f.Links)
	if f.Page.Canonical != "" && f.Page.Canonical != job.URL {
		c.canonical(f, job, &lf, skip, at)
	}
}

// canonical makes the page's canonical known, if it is in scope (D1).
func (c *Config) canonical(f *Findings, job *Job, lf *linkFilter, skip func(crawl.URL) bool, at time.Time) {
	u := f.Page.Canonical
	if !lf.sameSite(u.Host()) || c.Scope.Check(u, job.Entry.Depth) != InScope || skip != nil && skip(u) {
		return
	}
	band, due := demand.Discovered(crawl.ViaCanonical, crawl.KindPage, at)
	f.Discovered = append(f.Discovered, crawl.Discovery{
		URL: u, Client: job.Client, Via: crawl.ViaCanonical, Referrer: job.URL, Depth: job.Entry.Depth, At: at, Band: band, Due: due,
	})
}

// wants decides whether a link is followed at all.
func (lf *linkFilter) wants(l *crawl.Link, depth int) bool {
	return lf.follow && !l.NoFollow && lf.sameSite(l.URL.Host()) && lf.cfg.Scope.Check(l.URL, depth) == InScope
}

func (lf *linkFilter) sameSite(h crawl.Host) bool {
	ok, known := lf.same[h]
	if !known {
		ok = lf.cfg.Scope.SameSite(h)
		lf.same[h] = ok
	}
	return ok
}

// untrap returns the URL to be followed for a link: itself, or the page behind
// a session id; false when it lies in a trap. (Spaces that only show in many
// URLs together are recognised when their turn comes.)
func (lf *linkFilter) untrap(f *Findings, u crawl.URL, at time.Time) (crawl.URL, bool) {
	pattern, reason, trapped := weburl.Trap(u)
	if !trapped {
		return u, true
	}
	lf.trap(f, pattern, reason, u, at)
	clean, had := weburl.WithoutSession(u)
	if !had {
		return "", false
	}
	_, _, trapped = weburl.Trap(clean)
	return clean, !trapped
}

func (lf *linkFilter) trap(f *Findings, pattern, reason string, u crawl.URL, at time.Time) {
	f.Traps = addTrap(f.Traps, crawl.Trap{Pattern: pattern, Reason: reason, Example: u, Count: 1, Since: at})
}

// addTrap adds t to a list of at most MaxTraps patterns. The last place is for
// all patterns beyond: what is not listed is still counted.
func addTrap(list []crawl.Trap, t crawl.Trap) []crawl.Trap {
	if i := findTrap(list, t.Pattern); i >= 0 {
		list[i].Count += t.Count
		return list
	}
	if len(list) < crawl.MaxTraps-1 {
		return append(list, t)
	}
	t.Pattern, t.Reason = "other patterns", "more patterns were found than are listed"
	if i := findTrap(list, t.Pattern); i >= 0 {
		list[i].Count += t.Count
		return list
	}
	return append(list, t)
}

func findTrap(list []crawl.Trap, pattern string) int {
	return slices.IndexFunc(list, func(t crawl.Trap) bool { return t.Pattern == pattern })
}

// robotsAnswer turns the end of a robots.txt chain into an answer; a redirect
// that can be followed is none yet.
func (c *Config) robotsAnswer(f *Findings, job *Job) {
	if f.Target != "" && f.RedirectErr == "" {
		return
	}
	f.Answer = robots.StatusFromResult(f.Result)
	f.Answer.MaxAge = f.MaxAge
	f.Answer.RedirectsExceeded = f.RedirectErr != ""
}

// RetryAfter returns what a Retry-After field asks for at the given time, 0 if
// there is none, it is malformed or in the past (E8, RFC 9110 section 10.2.3).
func RetryAfter(h crawl.Header, at time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	seconds, digits := int64(0), true
	for i := 0; i < len(v); i++ {
		if v[i] < '0' || v[i] > '9' {
			digits = false
			break
		}
		if seconds = seconds*10 + int64(v[i]-'0'); seconds > maxRetryAfter {
			seconds = maxRetryAfter
		}
	}
	if digits {
		return time.Duration(seconds) * time.Second
	}
	if t, ok := client.ParseHTTPDate(v); ok {
		return min(max(0, t.Sub(at)), maxRetryAfter*time.Second)
	}
	return 0
}

// maxRetryAfter bounds the arithmetic, in seconds; the cap that decides is
// hostload's.
const maxRetryAfter = 10 * 365 * 86_400
