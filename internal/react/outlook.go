package react

import (
	"fmt"
	"time"

	"trawl/internal/crawl"
)

// Outlook says in one sentence what would change an index state: the other half
// of "why is this URL not indexed" (F13). v is the visit of the client that
// leads the index state.
func Outlook(p Params, x crawl.Index, v crawl.Visit) string {
	switch x.State {
	case crawl.IndexUnknown:
		return "its first crawl decides"
	case crawl.IndexPassed:
		return "it stays so while it answers 200 or 304; 4xx removes it at once (F6), 429 and 5xx after " + days(p.DropServerAfter) +
			" (F7), timeouts and DNS failures after " + days(p.DropNetworkAfter) + " (F8)"
	case crawl.IndexPreserved:
		drop, row := p.DropServerAfter, "F7"
		if x.Row == "F8" {
			drop, row = p.DropNetworkAfter, "F8"
		}
		return fmt.Sprintf("one 200 or 304 makes it as before; if it still fails at %s it is removed (%s)",
			v.FailingSince.Add(drop).UTC().Format(time.RFC3339), row)
	case crawl.IndexExcluded, crawl.IndexRemoved:
	}
	if s, ok := outlooks[x.Reason]; ok {
		return s
	}
	return "a crawl that is answered with 200 and content"
}

// outlooks is what would bring a URL back, by the reason for which it is out.
var outlooks = map[crawl.IndexReason]string{
	crawl.ReasonServerError:    "one 200 brings it back (F7)",
	crawl.ReasonUnreachable:    "one 200 brings it back (F8)",
	crawl.ReasonNotFound:       "one 200 brings it back; it is asked for less and less often (F6)",
	crawl.ReasonUnauthorized:   "one 200 without login brings it back; it is asked for less and less often (F6)",
	crawl.ReasonForbidden:      "one 200 brings it back, so that whatever refuses the crawler has to let it pass; it is asked for less and less often (F6)",
	crawl.ReasonOther4xx:       "one 200 brings it back; it is asked for less and less often (F6)",
	crawl.ReasonNoindex:        "a crawl that finds no noindex in its meta robots and X-Robots-Tag (F12)",
	crawl.ReasonRobotsBlocked:  "a robots.txt that allows it (C7)",
	crawl.ReasonRedirect:       "its target stands for it; a 200 of its own would bring it back (F4)",
	crawl.ReasonRedirectError:  "a redirect that leads to a page within the client's number of hops, or a 200 (B6)",
	crawl.ReasonSoft404:        "main content in place of the error message, a redirect to a page that has something of it, or an honest 404 (F10)",
	crawl.ReasonDuplicate:      "content of its own (F11)",
	crawl.ReasonOtherCanonical: "content of its own, or a canonical that agrees with its links and redirects",
	crawl.ReasonAlternate:      "nothing has to: the canonical that it names stands for it",
	crawl.ReasonNoContent:      "an answer with content (F3)",
}

func days(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.String()
}
