package schedule

import (
	"time"

	"trawl/internal/crawl"
)

// remember keeps what the URL answered before the crawl that v tells of, so that
// its story has every answer and not only the last one (F13). Crawls in a row
// with the same answer are one entry: a URL that always answers alike costs
// nothing, one that changes all the time has a bounded list.
func remember(v *crawl.Visit, was *crawl.Visit) {
	if was.Crawls == 0 {
		return
	}
	if sameAnswer(v, was) {
		v.Same++
		if v.SameSince.IsZero() {
			v.SameSince = was.LastCrawl
		}
		return
	}
	since := was.SameSince
	if since.IsZero() {
		since = was.LastCrawl
	}
	keep := was.Past[max(0, len(was.Past)-crawl.MaxPast+1):]
	v.Past = append(append(make([]crawl.Answer, 0, len(keep)+1), keep...), crawl.Answer{
		Status: was.Status, Failure: was.Failure, Count: was.Same + 1, Since: since, Until: was.LastCrawl,
	})
	v.Same, v.SameSince = 0, time.Time{}
}

// sameAnswer takes 304 for the content that it confirms: a page that is asked
// for conditionally now and then would otherwise fill its list with it.
func sameAnswer(a, b *crawl.Visit) bool {
	content := func(v *crawl.Visit) int {
		if v.Status == 304 {
			return 200
		}
		return v.Status
	}
	return a.Failure == b.Failure && content(a) == content(b)
}
