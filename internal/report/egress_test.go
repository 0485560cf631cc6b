package report

import (
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

func TestB10EgressText(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		rec  crawl.EgressRecord
		want []string
	}{
		"B10/nothing to say": {crawl.EgressRecord{}, nil},
		"B10/fixed":          {crawl.EgressRecord{Choice: "eu"}, []string{"  region: eu"}},
		"B10/blocked": {crawl.EgressRecord{Choice: "eu", Regions: []crawl.EgressRegion{
			{Tried: at, Blocked: 2}, {Region: "eu", Tried: at, LastOK: at}, {Region: "us"}, {Region: "asia", Tried: at, Proxy: 3}, {Region: "x", Tried: at, Bad: 1},
		}}, []string{
			"  region: eu", "direct, last asked 2026-01-02", "blocked, 2 sessions in a row", "eu, last asked", "it answered a page last at 2026",
			"its proxies failed, 3 times in a row", "1 request refused or not answered so far",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			egressText(&printer{w: &b}, c.rec)
			if c.want == nil && b.Len() > 0 || strings.Contains(b.String(), "us,") {
				t.Errorf("%q", b.String())
			}
			for _, want := range c.want {
				if !strings.Contains(b.String(), want) {
					t.Errorf("no %q in\n%s", want, b.String())
				}
			}
		})
	}
}
