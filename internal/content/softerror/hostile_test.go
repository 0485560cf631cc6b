package softerror

import (
	"strings"
	"testing"
	"time"
)

// TestHostileDocumentsTakeLinearTime: four times the bytes take about four times
// as long, whatever they are.
func TestHostileDocumentsTakeLinearTime(t *testing.T) {
	const title = "Page not found"
	for _, piece := range []string{"<", "</", "<a ", "<script>", "<script></", "<!--", "<svg><title>", "<a href=\"", "<h1>", "&amp;", "<nav>x ", "<p>page not found</p>", "页面", "<a>x</a> "} {
		took := func(n int) time.Duration {
			doc := []byte(strings.Repeat(piece, n/len(piece)))
			best := time.Hour
			for range 3 {
				start := time.Now()
				Judge(Input{Doc: doc, Title: title, HeadingAt: 4})
				best = min(best, time.Since(start))
			}
			return best
		}
		short, long := took(256<<10), took(1<<20)
		if long > 20*short+50*time.Millisecond {
			t.Errorf("%q: %s for 256 KiB, %s for 1 MiB", piece, short, long)
		}
	}
}
