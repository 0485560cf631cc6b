package react

import (
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

func TestF13Outlook(t *testing.T) {
	p := DefaultParams()
	since := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		x    crawl.Index
		want string
	}{
		{"never crawled", crawl.Index{}, "first crawl"},
		{"passed", crawl.Index{State: crawl.IndexPassed, Reason: crawl.ReasonIndexable}, "5xx after 5 days (F7), timeouts and DNS failures after 2 days (F8)"},
		{"F7 preserved", crawl.Index{State: crawl.IndexPreserved, Row: "F7"}, "still fails at 2026-03-06T10:00:00Z it is removed (F7)"},
		{"F8 preserved", crawl.Index{State: crawl.IndexPreserved, Row: "F8"}, "still fails at 2026-03-03T10:00:00Z it is removed (F8)"},
		{"F6 removed", crawl.Index{State: crawl.IndexRemoved, Reason: crawl.ReasonForbidden}, "let it pass"},
		{"C7 blocked", crawl.Index{State: crawl.IndexExcluded, Reason: crawl.ReasonRobotsBlocked}, "(C7)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Outlook(p, c.x, crawl.Visit{FailingSince: since}); !strings.Contains(got, c.want) {
				t.Errorf("%q does not say %q", got, c.want)
			}
		})
	}
}

// Every reason for which a row of the table puts a URL out has its own sentence.
func TestF13EveryReasonHasAnOutlook(t *testing.T) {
	rows := append(Table(), RedirectError(), RobotsBlocked())
	for _, r := range rows {
		if r.Reason == crawl.ReasonNone || r.Reason == crawl.ReasonIndexable {
			continue
		}
		if outlooks[r.Reason] == "" {
			t.Errorf("%s: no word on what would change %q", r.ID, r.Reason)
		}
	}
}
