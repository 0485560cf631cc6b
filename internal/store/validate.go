package store

import (
	"fmt"
	"slices"
	"time"

	"trawl/internal/crawl"
)

// MaxURL bounds the length in bytes of a URL that a store keeps (house choice:
// far above what package weburl lets through).
const MaxURL = 1 << 16

// Validate reports whether every implementation takes a batch, nil if so. The
// error is of class [ErrInvalid] and names the outcome. It is where the
// contract of [Store.Commit] draws the line between data and mistakes:
//
//   - URLs that are kept have a hostname and at most MaxURL bytes;
//   - clients of visits, discoveries and claims, hostnames of records, robots.txt
//     origins and events are not empty;
//   - bands are below crawl.Bands, due times zero or in the years 1 to 9999;
//   - links are sorted, traps at most crawl.MaxTraps, clusters at
//     most crawl.MaxClusters, contents at most crawl.MaxContents,
//     landings at most crawl.MaxLandings, targets of links at most crawl.MaxLinked.
func Validate(batch []*crawl.Outcome) error {
	for i, o := range batch {
		if err := validateOutcome(o); err != nil {
			return fmt.Errorf("outcome %d of %d: %w: %w", i+1, len(batch), ErrInvalid, err)
		}
	}
	return nil
}

// Day returns the day of t as stats count it: days since the Unix epoch, UTC.
func Day(t time.Time) int32 {
	const day = 24 * 60 * 60
	s := t.Unix()
	d := s / day
	if s%day < 0 {
		d--
	}
	return int32(min(max(d, -1<<31), 1<<31-1))
}

func validateOutcome(o *crawl.Outcome) error {
	if o == nil {
		return fmt.Errorf("it is nil")
	}
	if h := o.Host; h != nil {
		if h.Host == "" {
			return fmt.Errorf("host record without hostname")
		}
		if len(h.Traps) > crawl.MaxTraps {
			return fmt.Errorf("host %s has %d traps, at most %d are kept", h.Host, len(h.Traps), crawl.MaxTraps)
		}
		if len(h.Clusters) > crawl.MaxClusters {
			return fmt.Errorf("host %s has %d clusters, at most %d are kept", h.Host, len(h.Clusters), crawl.MaxClusters)
		}
		if len(h.Contents) > crawl.MaxContents {
			return fmt.Errorf("host %s has %d contents, at most %d are counted", h.Host, len(h.Contents), crawl.MaxContents)
		}
		if len(h.Landings) > crawl.MaxLandings {
			return fmt.Errorf("host %s has %d landings, at most %d are kept", h.Host, len(h.Landings), crawl.MaxLandings)
		}
		if err := validateDue(h.Due); err != nil {
			return fmt.Errorf("host %s: %w", h.Host, err)
		}
	}
	for i := range o.Robots {
		if o.Robots[i].Origin.Host() == "" {
			return fmt.Errorf("robots.txt record of origin %.100q has no hostname", o.Robots[i].Origin)
		}
	}
	if err := validatePage(o); err != nil {
		return err
	}
	for i := range o.Discovered {
		d := &o.Discovered[i]
		if err := validateEntry(d.URL, d.Client, d.Band, d.Due); err != nil {
			return fmt.Errorf("discovery: %w", err)
		}
	}
	for i := range o.Claims {
		if err := validateClaim(&o.Claims[i]); err != nil {
			return fmt.Errorf("claim: %w", err)
		}
	}
	for i := range o.Events {
		if o.Events[i].Host == "" {
			return fmt.Errorf("event of %.100q without hostname", o.Events[i].URL)
		}
	}
	return nil
}

func validatePage(o *crawl.Outcome) error {
	if o.URL != "" || o.Visit != nil || o.Index != nil || o.Canonical != nil || o.Links != nil {
		if err := validateURL(o.URL); err != nil {
			return err
		}
	}
	if v := o.Visit; v != nil {
		if err := validateEntry(o.URL, v.Client, v.Band, v.Due); err != nil {
			return fmt.Errorf("visit: %w", err)
		}
	}
	if !slices.IsSorted(o.Links) {
		return fmt.Errorf("links of %.100q are not sorted", o.URL)
	}
	if o.Document != nil {
		if err := validateURL(o.Document.URL); err != nil {
			return fmt.Errorf("document: %w", err)
		}
	}
	return nil
}

func validateURL(u crawl.URL) error {
	if len(u) > MaxURL {
		return fmt.Errorf("URL %.100q… has %d bytes, at most %d are kept", u, len(u), MaxURL)
	}
	if u.Host() == "" {
		return fmt.Errorf("URL %.100q has no hostname", u)
	}
	return nil
}

func validateEntry(u crawl.URL, c crawl.ClientID, b crawl.Band, due time.Time) error {
	if err := validateURL(u); err != nil {
		return err
	}
	if c == "" {
		return fmt.Errorf("URL %.100q without client", u)
	}
	if b >= crawl.Bands {
		return fmt.Errorf("URL %.100q in band %d, the highest is %d", u, b, crawl.Bands-1)
	}
	if err := validateDue(due); err != nil {
		return fmt.Errorf("URL %.100q: %w", u, err)
	}
	return nil
}

func validateClaim(c *crawl.Claim) error {
	if err := validateEntry(c.URL, c.Client, c.Band, c.Sooner); err != nil {
		return err
	}
	if err := validateDue(c.Later); err != nil {
		return fmt.Errorf("URL %.100q: %w", c.URL, err)
	}
	return nil
}

func validateDue(t time.Time) error {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("due time %s is not in the years 1 to 9999", t)
	}
	return nil
}
