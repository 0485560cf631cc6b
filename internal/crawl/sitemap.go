package crawl

import "time"

// Claim is what a sitemap says of one URL that is known already: when its
// content was last modified (D2). A store applies it with [Claim.Apply] to the
// visit of the client; a URL or client that is not known stays unknown.
//
// The places in the queue are decided before the visit is read: a trusted
// lastmod gives them, one that is not trusted leaves them zero.
type Claim struct {
	URL      URL
	Client   ClientID
	LastMod  time.Time     // as the sitemap has it, UTC
	At       time.Time     // when the sitemap was read
	Sooner   time.Time     // due at the latest then, in Band, if modified after the last crawl; zero = stays where it is
	Band     Band          // goes with Sooner
	Later    time.Time     // due at the earliest then, if not modified since the last crawl; zero = stays
	LaterAge time.Duration // Later is at most so long after the last crawl
}

// Apply returns the visit after the claim, and whether anything changed. A claim
// older than the one that is kept does nothing; only a visit whose last crawl
// gave content is moved. Applying it twice is applying it once.
func (c Claim) Apply(v Visit) (Visit, bool) {
	if c.At.Before(v.LastModAt) || c.At.Equal(v.LastModAt) && c.LastMod.Equal(v.LastMod) {
		return v, false
	}
	v.LastMod, v.LastModAt = c.LastMod, c.At
	if v.Crawls == 0 || v.Failures > 0 || v.Robots || v.Pruned || v.Due.IsZero() {
		return v, true
	}
	after, _ := ModifiedAfter(c.LastMod, v.LastCrawl) // on the day of the crawl it may be
	switch {
	case after && !c.Sooner.IsZero() && c.Sooner.Before(v.Due):
		v.Due, v.Band = c.Sooner, c.Band
	case !after && !c.Later.IsZero():
		due := c.Later
		if latest := v.LastCrawl.Add(c.LaterAge); due.After(latest) {
			due = latest
		}
		if due.After(v.Due) {
			v.Due = due
		}
	}
	return v, true
}

// ModifiedAfter reports whether a lastmod says that content changed after a
// crawl. A lastmod at midnight UTC is taken for a day, and of a crawl on that
// day it is not certain: then it may be.
func ModifiedAfter(lastMod, crawled time.Time) (after, certain bool) {
	const day = 24 * time.Hour
	if lastMod.After(crawled) {
		return true, true
	}
	if lastMod.Equal(lastMod.Truncate(day)) && lastMod.Add(day).After(crawled) {
		return true, false
	}
	return false, true
}

// SitemapRecord is what the sitemaps of a hostname have shown lately (D2).
type SitemapRecord struct {
	Trust      LastModTrust
	OutOfScope int64     // URLs of Sitemap that are outside of its scope and were not taken
	Example    URL       // one of them
	Sitemap    URL       // the last sitemap that named such URLs
	At         time.Time // when it was read
}

// LastModTrust is the evidence for and against the lastmod values of a
// hostname's sitemaps, as weights that decay. Package lastmod alone changes it.
type LastModTrust struct {
	True     float64   // changes that lastmod told of and a crawl found
	False    float64   // changes that lastmod told of and no crawl found; dates that cannot be
	Told     float64   // changes that a crawl found and lastmod had told of
	Untold   float64   // changes that a crawl found and lastmod had not told of; dates that cannot be
	At       time.Time // of the weights
	Checked  uint32    // crawls that proved a lastmod right or wrong
	Dates    int       // lastmod values in the sitemap read last
	BadDates int       // of them, in the future or no date at all
}
