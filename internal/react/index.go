package react

import (
	"fmt"
	"time"

	"trawl/internal/crawl"
)

// Params are the times of the index-state machine. The documentation says
// "days"; the values are house choices.
type Params struct {
	// DropServerAfter is how long a URL that answers 429 or 5xx is preserved (F7).
	DropServerAfter time.Duration
	// DropNetworkAfter is the same for timeouts, resets and DNS failures: sooner (F8).
	DropNetworkAfter time.Duration
}

// DefaultParams returns the house choices: five days for server errors, two
// for network failures.
func DefaultParams() Params {
	return Params{DropServerAfter: 5 * 24 * time.Hour, DropNetworkAfter: 2 * 24 * time.Hour}
}

// Facts are what the index decision needs beside the row.
type Facts struct {
	Status       int
	Failure      *crawl.Failure
	Page         *crawl.Page // nil when no content was read
	Target       crawl.URL   // of a redirect
	RedirectErr  string      // why a redirect cannot be followed
	FailingSince time.Time   // first failed attempt in a row, this one included
	Unavailable  time.Time   // when the page, as last read, asked to be left out from; zero = never
	Crowd        int         // URLs of the hostname that redirect to Target, which has nothing of any of them (F10); 0 = too few
	Duplicate    crawl.URL   // which gave the same content before, as many others do (F11); "" = not so
}

// Index applies row to the index state that was known, and returns the new one
// with a sentence for people. A state that does not change keeps its time (F13).
func Index(p Params, row Row, was crawl.Index, f Facts, now time.Time) (crawl.Index, string) {
	to := crawl.Index{State: was.State, Reason: was.Reason, Row: was.Row, Since: was.Since}
	detail := ""
	had := was.State == crawl.IndexPassed || was.State == crawl.IndexPreserved
	set := func(s crawl.IndexState, r crawl.IndexReason, id string) {
		to.State, to.Reason, to.Row = s, r, id
	}
	switch row.Index {
	case EffectPass:
		set(crawl.IndexPassed, row.Reason, row.ID)
		detail = fmt.Sprintf("answered %d, content passed on", f.Status)
		if f.Page != nil && f.Page.Directives.Noindex {
			set(crawl.IndexExcluded, crawl.ReasonNoindex, "F12")
			detail = fmt.Sprintf("answered %d with noindex", f.Status)
		} else if f.Duplicate != "" {
			set(crawl.IndexExcluded, crawl.ReasonDuplicate, "F11")
			detail = fmt.Sprintf("answered %d with the same content as many URLs of the hostname, %s first of all", f.Status, f.Duplicate)
			if f.Page != nil && f.Page.Missing != "" {
				detail += "; it is " + f.Page.Missing
			}
		} else if f.Page != nil && f.Page.Missing != "" {
			set(crawl.IndexExcluded, crawl.ReasonSoft404, "F10")
			detail = fmt.Sprintf("answered %d, but its content is %s", f.Status, f.Page.Missing)
		}
	case EffectEmpty:
		set(crawl.IndexExcluded, row.Reason, row.ID)
		detail = fmt.Sprintf("answered %d without content", f.Status)
	case EffectStrong, EffectWeak:
		set(crawl.IndexExcluded, row.Reason, row.ID)
		detail = fmt.Sprintf("answered %d, redirects to %s", f.Status, f.Target)
		if f.Crowd > 0 {
			set(crawl.IndexExcluded, crawl.ReasonSoft404, "F10")
			detail += fmt.Sprintf(", as %d URLs of the hostname do of which it has nothing: it does not stand for them", f.Crowd)
		}
	case EffectRedirect:
		set(crawl.IndexExcluded, row.Reason, row.ID)
		detail = fmt.Sprintf("answered %d: %s", f.Status, f.RedirectErr)
	case EffectGone:
		set(gone(had, was), row.Reason, row.ID)
		detail = fmt.Sprintf("answered %d: the content does not exist for the crawler", f.Status)
	case EffectServer:
		to, detail = failing(p.DropServerAfter, row, was, f, had, now)
	case EffectNetwork:
		to, detail = failing(p.DropNetworkAfter, row, was, f, had, now)
	case EffectBlocked:
		if !had {
			set(crawl.IndexExcluded, row.Reason, row.ID)
			detail = "disallowed by robots.txt, not fetched"
		}
	case EffectStands:
		alone := was.State == crawl.IndexExcluded && was.Reason == crawl.ReasonDuplicate && f.Duplicate == ""
		if was.State == crawl.IndexPreserved || alone {
			set(crawl.IndexPassed, crawl.ReasonIndexable, row.ID)
			detail = "answered 304, previous content stands"
		}
	case EffectNone:
	}
	if f.unavailable(row.Index, now) {
		set(crawl.IndexExcluded, crawl.ReasonNoindex, "F12")
		detail = "the page asked to be unavailable after " + f.Unavailable.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	if to.State == was.State && to.Reason == was.Reason {
		return was, ""
	}
	to.Since = now
	return to, detail
}

// unavailable reports whether the time is over that the page gave itself, and
// nothing else is known that ends it. What the server answers since then, if it
// is not new content, does not matter.
func (f *Facts) unavailable(effect IndexEffect, now time.Time) bool {
	switch effect {
	case EffectPass, EffectStands, EffectServer, EffectNetwork, EffectBlocked:
		return !f.Unavailable.IsZero() && !now.Before(f.Unavailable)
	case EffectNone, EffectEmpty, EffectStrong, EffectWeak, EffectGone, EffectRedirect:
	}
	return false
}

// gone: what was passed on is removed; what never was is not processed (F6).
func gone(had bool, was crawl.Index) crawl.IndexState {
	if had || was.State == crawl.IndexRemoved {
		return crawl.IndexRemoved
	}
	return crawl.IndexExcluded
}

// failing preserves what was passed on until the failure has lasted for drop.
func failing(drop time.Duration, row Row, was crawl.Index, f Facts, had bool, now time.Time) (crawl.Index, string) {
	to := was
	what := fmt.Sprintf("answered %d", f.Status)
	if f.Failure != nil {
		what = f.Failure.Class.String()
	}
	switch {
	case was.State == crawl.IndexRemoved:
	case !had:
		to.State, to.Reason, to.Row = crawl.IndexExcluded, row.Reason, row.ID
		what += ", nothing was known before"
	case now.Sub(f.FailingSince) >= drop:
		to.State, to.Reason, to.Row = crawl.IndexRemoved, row.Reason, row.ID
		what += fmt.Sprintf(" for %s: removed", now.Sub(f.FailingSince).Round(time.Hour))
	default:
		to.State, to.Reason, to.Row = crawl.IndexPreserved, row.Reason, row.ID
		what += ", preserved for the time being"
	}
	return to, what
}
