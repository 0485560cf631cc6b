// Package lastmod decides whether the lastmod values of a hostname's sitemaps
// are believed (D2): it learns from each crawl whether the sitemap had been right.
//
// Two things are learned apart, because they are used apart. Of the changes that
// a lastmod told of, how many were there (are newer dates worth a crawl?); of the
// changes that were there, how many were told of (may a page whose date stands
// still wait?). Each is a Beta distribution over a share, from a uniform prior:
// it is believed when its lower credible bound reaches the threshold, so that
// nothing is believed on a hunch and less than ten right answers suffice. A page
// that was found as it was while its lastmod said so proves nothing, most pages
// never change. A change that may have come after the sitemap was read, and one
// of a page that changes all the time anyway, count in part: by the probability
// that they concern the lastmod, given what is believed so far (a step of
// expectation-maximisation). Dates that cannot be, or lie in the future, count
// as wrong by their share of the sitemap (case 28).
//
// It does not decide when a URL is wanted (demand), nor read sitemaps (content).
//
// Invariants: pure; weights are never negative, decay with HalfLife and add up to
// MaxWeight at most in each pair, so that a host that turns bad, or good, is seen
// to within days; the zero value believes nothing.
//
// Sources: behaviour D2, case 28; Cho and Garcia-Molina for change histories;
// Busa-Fekete et al. 2025 for noisy change signals. All constants are house
// choices.
package lastmod

import (
	"fmt"
	"math"
	"time"

	"trawl/internal/crawl"
)

// The constants (house choices).
const (
	// Threshold is the share that must be right, with a credibility of 95 %.
	Threshold = 0.7
	// HalfLife is the time in which evidence loses half of its weight.
	HalfLife = 90 * 24 * time.Hour
	// MaxWeight bounds the evidence of each pair, in crawls.
	MaxWeight = 50
	// BadSitemap is the weight of a sitemap all of whose dates cannot be.
	BadSitemap = 5
	// Tolerance is how far in the future a lastmod may lie: clocks and time zones.
	Tolerance = 24 * time.Hour

	quantile = 1.645 // of the normal distribution, one-sided 95 %
)

// Crawl is what one crawl of a page found, beside what its sitemap had said.
type Crawl struct {
	LastMod time.Time // what the sitemap said; zero = nothing
	Read    time.Time // when the sitemap was read
	Before  time.Time // the crawl before this one
	Now     time.Time // this crawl
	Changed bool      // the content is not as it was then
	Crawls  uint32    // of the page before this one, at least 1
	Changes uint32    // of them, how often the content had changed
}

// Observe adds what a crawl proves. It reports false, and t as it was, for a
// crawl that proves nothing.
func Observe(t crawl.LastModTrust, c Crawl) (crawl.LastModTrust, bool) {
	if c.LastMod.IsZero() || c.Crawls == 0 || !c.Read.After(c.Before) || !c.Now.After(c.Before) {
		return t, false
	}
	after, certain := crawl.ModifiedAfter(c.LastMod, c.Before)
	if !certain || !after && !c.Changed {
		return t, false
	}
	t = decay(t, c.Now)
	switch {
	case !after: // changed, and the sitemap did not say so: before it was read?
		read := share(c.Read.Sub(c.Before), c.Now.Sub(c.Before))
		told := mean(t.Told, t.Untold)
		t.Untold += read * (1 - told) / max(1-read*told, 1e-9)
	case c.Changed: // told of: or would it have changed anyway?
		chance := min((float64(c.Changes)+0.5)/float64(c.Crawls), 1)
		right := mean(t.True, t.False)
		meant := right / (right + (1-right)*chance)
		t.True += meant
		t.False += 1 - meant
		t.Told += meant
	default:
		t.False++
	}
	t.Checked = uint32(min(uint64(t.Checked)+1, math.MaxUint32))
	t.True, t.False = bound(t.True, t.False)
	t.Told, t.Untold = bound(t.Told, t.Untold)
	return t, true
}

// Dates notes a sitemap that was read: how many lastmod values it had, and how
// many of them are no date or lie in the future.
func Dates(t crawl.LastModTrust, dates, bad int, now time.Time) crawl.LastModTrust {
	if dates <= 0 {
		return t
	}
	bad = min(max(bad, 0), dates)
	t = decay(t, now)
	t.Dates, t.BadDates = dates, bad
	wrong := BadSitemap * float64(bad) / float64(dates)
	t.True, t.False = bound(t.True, t.False+wrong)
	t.Told, t.Untold = bound(t.Told, t.Untold+wrong)
	return t
}

// Plausible reports whether a lastmod, read at the given time, can be true.
func Plausible(lastMod, read time.Time) bool { return !lastMod.After(read.Add(Tolerance)) }

// Verdict is what is believed of a hostname's lastmod values.
type Verdict struct {
	Newer     bool    `json:"newer_believed"`     // a lastmod after the last crawl makes a URL due
	Unchanged bool    `json:"unchanged_believed"` // a lastmod before it lets a URL wait
	True      float64 `json:"told_changes_found"` // share, expected
	TrueLow   float64 `json:"told_changes_found_low"`
	Told      float64 `json:"changes_told"` // share, expected
	ToldLow   float64 `json:"changes_told_low"`
	Checked   uint32  `json:"crawls_checked"`
	Dates     int     `json:"dates"`     // in the sitemap read last
	BadDates  int     `json:"bad_dates"` // of them, in the future or no date
	Reason    string  `json:"reason"`    // one sentence for people
}

// Judge says what t lets believe at now.
func Judge(t crawl.LastModTrust, now time.Time) Verdict {
	t = decay(t, now)
	v := Verdict{
		True: mean(t.True, t.False), TrueLow: low(t.True, t.False), Told: mean(t.Told, t.Untold), ToldLow: low(t.Told, t.Untold),
		Checked: t.Checked, Dates: t.Dates, BadDates: t.BadDates,
	}
	v.Newer, v.Unchanged = v.TrueLow >= Threshold, v.ToldLow >= Threshold
	v.Reason = v.reason()
	return v
}

func (v *Verdict) reason() string {
	shares := fmt.Sprintf("of the changes it told of %.0f %% were there (surely %.0f %%), of those found it had told of %.0f %% (surely %.0f %%); %.0f %% are needed",
		100*v.True, 100*v.TrueLow, 100*v.Told, 100*v.ToldLow, 100*Threshold)
	switch {
	case v.BadDates > 0 && !v.Newer:
		return fmt.Sprintf("lastmod is ignored: %d of %d dates are in the future or no dates; %s", v.BadDates, v.Dates, shares)
	case v.Checked == 0 && v.Dates > 0:
		return "lastmod is ignored so far: no crawl could prove it yet"
	case v.Checked == 0:
		return "the sitemaps have no lastmod"
	case v.Newer && v.Unchanged:
		return "lastmod is believed: a newer one brings a crawl, one that stands still lets a page wait; " + shares
	case v.Newer:
		return "lastmod is believed when it is newer, and not when it stands still; " + shares
	case v.Unchanged:
		return "lastmod is believed when it stands still, and not when it is newer; " + shares
	}
	return "lastmod is ignored; " + shares
}

func decay(t crawl.LastModTrust, now time.Time) crawl.LastModTrust {
	if t.At.IsZero() || now.After(t.At) {
		if !t.At.IsZero() {
			f := math.Exp2(-float64(now.Sub(t.At)) / float64(HalfLife))
			t.True, t.False, t.Told, t.Untold = f*t.True, f*t.False, f*t.Told, f*t.Untold
		}
		t.At = now
	}
	return t
}

// bound scales a pair down to MaxWeight.
func bound(a, b float64) (float64, float64) {
	if n := a + b; n > MaxWeight {
		return a * MaxWeight / n, b * MaxWeight / n
	}
	return a, b
}

func mean(right, wrong float64) float64 { return (right + 1) / (right + wrong + 2) }

// low is the lower bound of a Beta distribution, by its normal approximation.
func low(right, wrong float64) float64 {
	m, n := mean(right, wrong), right+wrong+2
	return max(0, m-quantile*math.Sqrt(m*(1-m)/(n+1)))
}

func share(part, whole time.Duration) float64 {
	return min(max(float64(part)/float64(whole), 0), 1)
}
