package react

import (
	"fmt"

	"trawl/internal/crawl"
)

// Canonical judges the canonical URL that a page names, by what is known of
// that URL now (case 31). target is nil if it is not known here. It returns the
// reason of the page-indexing report (I8) that the page itself then has, with a
// sentence for people: [crawl.ReasonAlternate] if the named URL stands for the
// page, [crawl.ReasonNone] if the page stands for itself.
//
// A canonical is a hint, not an order (documented); when it is followed is a
// house choice: the named URL must have content that was passed on, and must not
// name another canonical itself. So a canonical that leads to a 404, to a
// redirect, to a page with noindex, or around in a circle takes nothing out of
// the index. The verdict is of the moment, and nothing of it is stored: the
// named URL may answer otherwise tomorrow.
func Canonical(page crawl.URL, named crawl.URL, target *crawl.URLRecord) (crawl.IndexReason, string) {
	alone := func(format string, args ...any) (crawl.IndexReason, string) {
		return crawl.ReasonNone, fmt.Sprintf(format, args...) + "; the page stands for itself"
	}
	switch {
	case named == "":
		return alone("it names no canonical")
	case named == page:
		return alone("it names itself as its canonical")
	case target == nil && named.Host() != page.Host():
		return alone("its canonical is on another host, of which nothing is known here")
	case target == nil || target.Index.State == crawl.IndexUnknown:
		return alone("its canonical has not been crawled yet")
	case target.Index.State == crawl.IndexExcluded || target.Index.State == crawl.IndexRemoved:
		return alone("its canonical is not in the index: %s (%s)", target.Index.Reason, target.Index.Row)
	case target.Canonical == page:
		return alone("it and its canonical name each other")
	case target.Canonical != "" && target.Canonical != named:
		return alone("its canonical names another one itself, %s", target.Canonical)
	}
	return crawl.ReasonAlternate, "its canonical stands for it"
}
