package robots

import (
	"fmt"
	"strings"

	"trawl/internal/crawl"
)

// AnswerFacts is what is known of the fetch of a robots.txt file.
type AnswerFacts struct {
	Asked       crawl.URL   // the /robots.txt of the origin
	Hops        []crawl.URL // where it was redirected to, in order
	Answer      Answer
	ContentType string // of the last response
}

// LintAnswer says what an owner should know of how a robots.txt file is served,
// whatever is in it (C1, C3, C4, C5).
func LintAnswer(t Times, f AnswerFacts) []Issue {
	var found []Issue
	add := func(kind string, severity Severity, row, format string, args ...any) {
		i := Issue{Kind: kind, Severity: severity, Row: row, Detail: fmt.Sprintf(format, args...)}
		i.fill()
		found = append(found, i)
	}
	if len(f.Hops) > 0 {
		last := f.Hops[len(f.Hops)-1]
		add(KindRedirected, "", "", "%s is redirected %s, to %s at last. %d redirects are followed.", f.Asked, times(len(f.Hops)), last, t.MaxRedirects)
		if last.Host() != f.Asked.Host() {
			add(KindRedirected, "", "", "The file of another host, %s, decides about %s.", last.Host(), f.Asked.Host())
		}
	}
	a := f.Answer
	switch kind := a.classify(crawl.RobotsRecord{}); {
	case kind == refused:
		add(KindRefused, "", refusalRow(a.Failure), "robots.txt was not asked for, because of our own policy or proxy (%s).", a.Failure)
		return found
	case a.RedirectsExceeded:
		add(KindRedirectLimit, "", "", "robots.txt redirects more than %d times or in a loop, which counts as not found: nothing is forbidden.", t.MaxRedirects)
		return found
	case kind == serverError:
		what := a.Failure.String()
		if a.Status != 0 && a.Failure == crawl.FailNone {
			what = fmt.Sprintf("status %d", a.Status)
		} else if a.Status != 0 {
			what = fmt.Sprintf("status %d, %s", a.Status, what)
		}
		add(KindUnavailable, "", "", "robots.txt is not available (%s). If that goes on, nothing of the host is crawled for %s; then the last good copy counts, for %s in all.", what, span(t.StopFor), span(t.UseLastGoodFor))
		return found
	case kind == notFound:
		lintNotFound(a.Status, add)
		return found
	}
	switch media := strings.ToLower(strings.TrimSpace(before(f.ContentType, ';'))); {
	case media == "text/plain":
	case media == "":
		add(KindContentType, SeverityNote, "", "No Content-Type is sent. The file is read whatever its type is.")
	default:
		add(KindContentType, "", "", "The file is sent as %s. It is read all the same; other crawlers may expect text/plain.", shown(media))
	}
	if a.MaxAge > t.CacheFor {
		kept := min(a.MaxAge, t.MaxCache)
		add(KindCacheControl, "", "", "Cache-Control lets the file be kept for %s: a change may go unseen for so long.", span(kept))
	}
	return found
}

func lintNotFound(status int, add func(kind string, severity Severity, row, format string, args ...any)) {
	switch {
	case status == 401 || status == 403:
		add(KindStatus, SeverityWarning, "", "robots.txt answers %d, which means no restriction: it forbids nothing.", status)
	case status >= 400:
		add(KindStatus, "", "", "robots.txt answers %d: there is no restriction.", status)
	default:
		add(KindStatus, SeverityWarning, "C1", "robots.txt answers %d without a usable target, which counts as not found: there is no restriction.", status)
	}
}

func before(s string, c byte) string {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[:i]
	}
	return s
}

// times writes how often, for people.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
