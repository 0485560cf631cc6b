package demand

import (
	"fmt"

	"trawl/internal/crawl"
)

// Why says in one sentence why a visit is due when it is and ranks where it
// does (F13, H1): the words for what [Discovered] and [Next] decided.
func Why(p Params, v crawl.Visit) string {
	switch {
	case v.Due.IsZero():
		return "not wanted"
	case v.Pruned:
		return "in a space without end: hardly ever (D3)"
	case v.Robots:
		return "disallowed: looked at again when robots.txt may have changed (C7)"
	}
	switch v.Band {
	case BandHop:
		return "target of a redirect: asked for while the chain is fresh (B6)"
	case BandSubmitted:
		if v.Crawls == 0 {
			return "given, submitted or a sitemap: before what was only found (D4)"
		}
	case BandDiscovery:
		if v.Crawls == 0 {
			return "found and never crawled: before what is crawled again"
		}
	case BandRetry:
		return fmt.Sprintf("failed %s: asked for again after %s, doubling up to %s (F7, F8)", timesInARow(v.Failures), p.RetryFirst, p.RetryMax)
	case BandSink:
		if v.Failures > 0 {
			return fmt.Sprintf("answered 4xx %s: less and less often, up to every %s (F6, H4)", timesInARow(v.Failures), p.MaxInterval)
		}
		return "of little worth: seldom (H4)"
	}
	return "crawled before: again after as long as its content is taken to last (H2, G3)"
}

func timesInARow(n uint32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", n)
}
