package react

import (
	"strings"
	"testing"

	"trawl/internal/crawl"
)

// TestCase31CanonicalVerdict: what becomes of a page by the canonical it names.
func TestCase31CanonicalVerdict(t *testing.T) {
	const page, named = crawl.URL("http://a.example/p"), crawl.URL("http://a.example/c")
	known := func(s crawl.IndexState, r crawl.IndexReason, canonical crawl.URL) *crawl.URLRecord {
		return &crawl.URLRecord{URL: named, Index: crawl.Index{State: s, Reason: r, Row: "F6"}, Canonical: canonical}
	}
	for name, tt := range map[string]struct {
		named  crawl.URL
		target *crawl.URLRecord
		want   crawl.IndexReason
		why    string
	}{
		"none":                   {"", nil, crawl.ReasonNone, "names no canonical"},
		"itself":                 {page, known(crawl.IndexPassed, crawl.ReasonIndexable, page), crawl.ReasonNone, "names itself"},
		"passed on":              {named, known(crawl.IndexPassed, crawl.ReasonIndexable, ""), crawl.ReasonAlternate, "stands for it"},
		"names itself":           {named, known(crawl.IndexPassed, crawl.ReasonIndexable, named), crawl.ReasonAlternate, "stands for it"},
		"failing for the moment": {named, known(crawl.IndexPreserved, crawl.ReasonServerError, ""), crawl.ReasonAlternate, "stands for it"},
		"404":                    {named, known(crawl.IndexExcluded, crawl.ReasonNotFound, ""), crawl.ReasonNone, "Not found (404) (F6)"},
		"removed":                {named, known(crawl.IndexRemoved, crawl.ReasonNotFound, ""), crawl.ReasonNone, "not in the index"},
		"redirect":               {named, known(crawl.IndexExcluded, crawl.ReasonRedirect, ""), crawl.ReasonNone, "Page with redirect"},
		"noindex":                {named, known(crawl.IndexExcluded, crawl.ReasonNoindex, ""), crawl.ReasonNone, "Excluded by noindex"},
		"blocked by robots.txt":  {named, known(crawl.IndexExcluded, crawl.ReasonRobotsBlocked, ""), crawl.ReasonNone, "Blocked by robots.txt"},
		"not crawled":            {named, known(crawl.IndexUnknown, crawl.ReasonNone, ""), crawl.ReasonNone, "not been crawled"},
		"unknown":                {named, nil, crawl.ReasonNone, "not been crawled"},
		"another host":           {"https://o.example/", nil, crawl.ReasonNone, "another host"},
		"each other":             {named, known(crawl.IndexPassed, crawl.ReasonIndexable, page), crawl.ReasonNone, "name each other"},
		"a chain":                {named, known(crawl.IndexPassed, crawl.ReasonIndexable, "http://a.example/d"), crawl.ReasonNone, "http://a.example/d"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := Canonical(page, tt.named, tt.target)
			if got != tt.want || !strings.Contains(why, tt.why) {
				t.Errorf("%v, %q; want %v, %q", got, why, tt.want, tt.why)
			}
		})
	}
}
