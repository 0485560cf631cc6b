package robots

import (
	"fmt"
	"time"

	"trawl/internal/crawl"
)

// Times are all constants of the availability ladder (C4, C5). Every duration
// must be positive.
type Times struct {
	// StopFor is how long after the first server error the crawl stops.
	// Documented: 12 hours.
	StopFor time.Duration
	// UseLastGoodFor is how long after the first server error the last good
	// copy counts. Documented: 30 days; counted from the first error is a house
	// reading.
	UseLastGoodFor time.Duration
	// CacheFor is how long an answer is good without Cache-Control. Documented:
	// 24 hours.
	CacheFor time.Duration
	// MinCache and MaxCache bound what max-age may ask for. House choices: a
	// file is not asked for more often than every 5 minutes, nor less often
	// than every 30 days.
	MinCache, MaxCache time.Duration
	// RetryFirst is the pause after the first server error; it doubles up to
	// RetryMax. House choices: 1 minute, 1 hour.
	RetryFirst, RetryMax time.Duration
	// RetrySlow is the pause once UseLastGoodFor is over ("now and then"), for
	// robots.txt and for the homepage. House choice: a day.
	RetrySlow time.Duration
	// MaxRedirects is how many redirect hops are followed from /robots.txt (C1).
	// Documented: 5; the answer to the sixth counts as 404.
	MaxRedirects int
}

// DefaultTimes returns the documented values, and house choices where nothing
// is documented.
func DefaultTimes() Times {
	const day = 24 * time.Hour
	return Times{
		StopFor: 12 * time.Hour, UseLastGoodFor: 30 * day,
		CacheFor: day, MinCache: 5 * time.Minute, MaxCache: 30 * day,
		RetryFirst: time.Minute, RetryMax: time.Hour, RetrySlow: day,
		MaxRedirects: 5,
	}
}

// Access says what robots.txt, or its absence, lets be crawled at an origin.
type Access uint8

// The states of access.
const (
	AccessUnknown Access = iota // robots.txt must be fetched before anything else
	AccessRules                 // the stored body decides
	AccessAll                   // no restriction
	AccessNone                  // the crawl of this origin is stopped (C6)
)

var accessNames = [...]string{"unknown", "rules", "all", "none"}

func (a Access) String() string {
	if int(a) < len(accessNames) {
		return accessNames[a]
	}
	return fmt.Sprintf("unknown(%d)", uint8(a))
}

// State is what the ladder says at one moment.
type State struct {
	Access Access
	Row    string // behaviour id
	Reason string // one sentence for people
	// FetchAt is when robots.txt is to be asked for next, whatever Access is.
	// It may be in the past: then at once.
	FetchAt time.Time
	// AskHomepage asks for a fetch of the homepage, to be reported to
	// [Homepage]; it may be made although Access is AccessNone (C4).
	AskHomepage bool
}

// Ladder returns what rec means at now. States follow from times alone, so they
// change without an event: ask again for each decision.
//
// The clock of C4 starts with the first attempt that failed after the last
// usable answer. A copy that is still fresh counts although an early refresh of
// it fails (C5); once it is stale and the host fails, C4 decides.
func Ladder(t Times, rec crawl.RobotsRecord, now time.Time) State {
	fresh := rec.HasGood && !now.Before(rec.GoodAt) && now.Sub(rec.GoodAt) < t.lifetime(rec)
	failing := !rec.FailingSince.IsZero()
	refused := refusal(rec.Failure) && rec.Status == 0
	switch {
	case fresh && !failing && !refused:
		s := stored(rec)
		s.FetchAt = rec.GoodAt.Add(t.lifetime(rec))
		return s
	case fresh:
		s := stored(rec)
		s.Row = "C5"
		s.Reason = "The last try to refresh robots.txt failed; the copy in the cache is still fresh and is used."
		s.FetchAt = t.retryAt(rec, now)
		return s
	case refused:
		return State{
			Access: AccessNone, Row: refusalRow(rec.Failure), FetchAt: t.retryAt(rec, now),
			Reason: "robots.txt could not be asked for because of our own policy or proxy (" + rec.Failure.String() + "); nothing is crawled until it can be.",
		}
	case failing:
		return t.serverError(rec, now)
	case rec.HasGood:
		return State{Access: AccessUnknown, Row: "C5", FetchAt: now, Reason: "The copy of robots.txt is too old; it is fetched again before anything else."}
	}
	return State{Access: AccessUnknown, Row: "C1", FetchAt: now, Reason: "robots.txt has not been fetched yet; it is fetched before anything else."}
}

// stored returns the state that the last usable answer gives (C3).
func stored(rec crawl.RobotsRecord) State {
	if len(rec.Body) > 0 {
		return State{Access: AccessRules, Row: "C3", Reason: "robots.txt was fetched; its rules apply."}
	}
	s := State{Access: AccessAll, Row: "C3", Reason: "robots.txt is empty; there is no restriction."}
	switch {
	case !rec.FetchedAt.Equal(rec.GoodAt):
		s.Reason = "The last usable answer for robots.txt had no rules; there is no restriction."
	case rec.Status < 200 || rec.Status >= 300 && rec.Status < 400:
		s.Row = "C1"
		s.Reason = "robots.txt redirects too often or to nowhere, which counts as not found; there is no restriction."
	case rec.Status >= 400:
		s.Reason = fmt.Sprintf("robots.txt answered %d; there is no restriction.", rec.Status)
	}
	return s
}

// serverError is C4: what an origin that fails may be crawled for.
func (t Times) serverError(rec crawl.RobotsRecord, now time.Time) State {
	s := State{Row: "C4", FetchAt: t.retryAt(rec, now)}
	what := rec.Failure.String()
	if rec.Status != 0 {
		what = fmt.Sprintf("status %d", rec.Status)
	}
	failed := now.Sub(rec.FailingSince)
	switch {
	case failed < t.StopFor:
		s.Access = AccessNone
		s.Reason = fmt.Sprintf("robots.txt is not available (%s); nothing is crawled for the first %s.", what, span(t.StopFor))
	case failed < t.UseLastGoodFor && rec.HasGood:
		s.Access = stored(rec).Access
		s.Reason = fmt.Sprintf("robots.txt has not been available for %s (%s); the last good copy is used.", span(failed), what)
	case failed < t.UseLastGoodFor:
		s.Access = AccessAll
		s.Reason = fmt.Sprintf("robots.txt has not been available for %s (%s) and there is no copy; there is no restriction.", span(failed), what)
	default:
		// An answer of the homepage counts if it came while robots.txt failed.
		known := !rec.HomepageAt.IsZero() && !rec.HomepageAt.Before(rec.FailingSince)
		asked := minTime(rec.HomepageAt, now)
		s.AskHomepage = !known || !now.Before(asked.Add(t.RetrySlow))
		if known && rec.HomepageOK {
			s.Access = AccessAll
			s.Reason = fmt.Sprintf("robots.txt has not been available for %s (%s) but the homepage is; there is no restriction.", span(failed), what)
			break
		}
		s.Access = AccessNone
		s.Reason = fmt.Sprintf("robots.txt has not been available for %s (%s), and the homepage is not known to be; nothing is crawled.", span(failed), what)
	}
	return s
}

// lifetime returns how long the last usable answer is fresh (C5). The age that
// Cache-Control gives may lengthen that of a file, but only shorten that of an
// answer without rules (house choice: servers cache error pages for long, and a
// new robots.txt should not go unseen for a month).
func (t Times) lifetime(rec crawl.RobotsRecord) time.Duration {
	if rec.MaxAge <= 0 {
		return t.CacheFor
	}
	most := t.MaxCache
	if len(rec.Body) == 0 {
		most = t.CacheFor
	}
	return min(max(rec.MaxAge, t.MinCache), most)
}

// retryAt returns when to ask again after attempts without a usable answer.
func (t Times) retryAt(rec crawl.RobotsRecord, now time.Time) time.Time {
	pause := min(t.RetryFirst, t.RetryMax)
	for i := 1; i < rec.Attempts && pause < t.RetryMax; i++ {
		pause = min(2*pause, t.RetryMax)
		if pause <= 0 {
			break
		}
	}
	if !rec.FailingSince.IsZero() && now.Sub(rec.FailingSince) >= t.UseLastGoodFor {
		pause = t.RetrySlow
	}
	// A record from a clock that ran ahead must not silence us.
	return minTime(rec.FetchedAt, now).Add(max(pause, time.Second))
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// span writes a duration for people: in days from two days on, else in hours.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 2*day {
		return fmt.Sprintf("%d days", d/day)
	}
	if d < time.Hour {
		return d.Round(time.Minute).String()
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}
