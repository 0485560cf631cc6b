// Package react decides what a response means: its effect on the crawl rate of
// its hostname, on the index state of its URL, its label in the crawl stats.
//
// The decisions are a table ([Table]), one row per kind of response with the id
// of its behaviour row and its source; [Lookup] finds the row and [Index]
// applies it to what was known. When a URL is wanted next is decided by package
// demand from the row, how much the rate changes by package hostload.
//
// Invariants: every status and every failure class has exactly one row; a row's
// text is stable, because it is stored as the reason of a change (F13).
//
// Sources: behaviours F1 to F13, E3, E4, E6, I2; the documentation of how HTTP
// status codes and network errors affect crawlers.
package react

import (
	"trawl/internal/crawl"
)

// IndexEffect says what a response does to the index state of its URL.
type IndexEffect uint8

// The index effects.
const (
	EffectNone     IndexEffect = iota // says nothing about the URL
	EffectPass                        // content is passed on
	EffectEmpty                       // nothing to process
	EffectStrong                      // the target is to be processed: strong signal
	EffectWeak                        // the target is to be processed: weak signal
	EffectStands                      // previous content stands
	EffectGone                        // content does not exist
	EffectServer                      // preserved, dropped if it persists
	EffectNetwork                     // preserved for a shorter time
	EffectRedirect                    // redirect error
	EffectBlocked                     // not fetched: robots.txt
)

// Next says what kind of next visit a response asks for; package demand turns
// it into a time.
type Next uint8

// The kinds of next visits.
const (
	NextRefresh   Next = iota // as content changes
	NextRetry                 // soon, then less and less often
	NextSink                  // less and less often (F6)
	NextWait                  // when robots.txt may have changed (C7)
	NextAgain                 // as before: nothing was learned
	NextPruned                // hardly ever: the URL lies in a space without end (D3)
	NextMissing               // nearly as content changes: what is an error message now may be a page again (F10)
	NextDuplicate             // seldom: it repeats what many other URLs of the hostname give (F11)
)

// Row is one row of the table.
type Row struct {
	ID       string // behaviour id
	From, To int    // status codes, inclusive; 0, 0 = failures
	Failures []crawl.FailureClass
	Rate     crawl.RateEffect
	Index    IndexEffect
	Response crawl.Response
	Next     Next
	Reason   crawl.IndexReason
	Source   string // "doc" with the place, or "house" with why
}

const (
	docStatus  = "doc: how HTTP status codes affect crawlers"
	docNetwork = "doc: DNS and network errors"
)

// table is in order of precedence: the first row that matches decides.
var table = []Row{
	{ID: "F2", From: 201, To: 202, Rate: crawl.RateHealthy, Index: EffectPass, Response: crawl.ResponseOK, Reason: crawl.ReasonIndexable, Source: docStatus},
	{ID: "F3", From: 204, To: 205, Rate: crawl.RateHealthy, Index: EffectEmpty, Response: crawl.ResponseOK, Reason: crawl.ReasonNoContent, Source: docStatus + "; house: 205 as 204"},
	{ID: "F1", From: 200, To: 299, Rate: crawl.RateHealthy, Index: EffectPass, Response: crawl.ResponseOK, Reason: crawl.ReasonIndexable, Source: docStatus + "; house: other 2xx as 200"},
	{ID: "F4", From: 301, To: 301, Rate: crawl.RateHealthy, Index: EffectStrong, Response: crawl.ResponseMovedPermanently, Reason: crawl.ReasonRedirect, Source: docStatus},
	{ID: "F4", From: 308, To: 308, Rate: crawl.RateHealthy, Index: EffectStrong, Response: crawl.ResponseMovedPermanently, Reason: crawl.ReasonRedirect, Source: docStatus},
	{ID: "F4", From: 302, To: 303, Rate: crawl.RateHealthy, Index: EffectWeak, Response: crawl.ResponseMovedTemporarily, Reason: crawl.ReasonRedirect, Source: docStatus},
	{ID: "F4", From: 307, To: 307, Rate: crawl.RateHealthy, Index: EffectWeak, Response: crawl.ResponseMovedTemporarily, Reason: crawl.ReasonRedirect, Source: docStatus},
	{ID: "F5", From: 304, To: 304, Rate: crawl.RateHealthy, Index: EffectStands, Response: crawl.ResponseNotModified, Source: docStatus},
	{ID: "F4", From: 300, To: 399, Rate: crawl.RateHealthy, Index: EffectRedirect, Response: crawl.ResponseOther, Reason: crawl.ReasonRedirectError, Source: "house: other 3xx name no target a crawler may take"},
	{ID: "F7", From: 429, To: 429, Rate: crawl.RateOverload, Index: EffectServer, Response: crawl.ResponseClientError, Next: NextRetry, Reason: crawl.ReasonServerError, Source: docStatus},
	{ID: "F6", From: 401, To: 401, Index: EffectGone, Response: crawl.ResponseUnauthorized, Next: NextSink, Reason: crawl.ReasonUnauthorized, Source: docStatus},
	{ID: "F6", From: 407, To: 407, Index: EffectGone, Response: crawl.ResponseUnauthorized, Next: NextSink, Reason: crawl.ReasonUnauthorized, Source: docStatus},
	{ID: "F6", From: 403, To: 403, Index: EffectGone, Response: crawl.ResponseClientError, Next: NextSink, Reason: crawl.ReasonForbidden, Source: docStatus},
	{ID: "F6", From: 404, To: 404, Index: EffectGone, Response: crawl.ResponseNotFound, Next: NextSink, Reason: crawl.ReasonNotFound, Source: docStatus},
	{ID: "F6", From: 410, To: 410, Index: EffectGone, Response: crawl.ResponseNotFound, Next: NextSink, Reason: crawl.ReasonNotFound, Source: docStatus + "; house: 410 under the label of 404, which it equals"},
	{ID: "F6", From: 400, To: 499, Index: EffectGone, Response: crawl.ResponseClientError, Next: NextSink, Reason: crawl.ReasonOther4xx, Source: docStatus},
	{ID: "F7", From: 503, To: 503, Rate: crawl.RateOverload, Index: EffectServer, Response: crawl.ResponseServerError, Next: NextRetry, Reason: crawl.ReasonServerError, Source: docStatus},
	{ID: "F7", From: 500, To: 599, Rate: crawl.RateError, Index: EffectServer, Response: crawl.ResponseServerError, Next: NextRetry, Reason: crawl.ReasonServerError, Source: docStatus},
	{ID: "F7", From: 100, To: 999, Index: EffectServer, Response: crawl.ResponseOther, Next: NextRetry, Reason: crawl.ReasonServerError, Source: "house: a status that means nothing to a crawler"},

	{ID: "F8", Failures: []crawl.FailureClass{crawl.FailDNS}, Rate: crawl.RateNetwork, Index: EffectNetwork, Response: crawl.ResponseDNSError, Next: NextRetry, Reason: crawl.ReasonUnreachable, Source: docNetwork},
	{ID: "F8", Failures: []crawl.FailureClass{crawl.FailDNSUnresponsive}, Rate: crawl.RateNetwork, Index: EffectNetwork, Response: crawl.ResponseDNSUnresponsive, Next: NextRetry, Reason: crawl.ReasonUnreachable, Source: docNetwork},
	{ID: "F8", Failures: []crawl.FailureClass{crawl.FailConnectTimeout, crawl.FailHeaderTimeout, crawl.FailBodyTimeout}, Rate: crawl.RateNetwork, Index: EffectNetwork, Response: crawl.ResponseTimeout, Next: NextRetry, Reason: crawl.ReasonUnreachable, Source: docNetwork},
	{ID: "F8", Failures: []crawl.FailureClass{crawl.FailReset, crawl.FailRefused, crawl.FailUnreachable, crawl.FailTLS}, Rate: crawl.RateNetwork, Index: EffectNetwork, Response: crawl.ResponseUnreachable, Next: NextRetry, Reason: crawl.ReasonUnreachable, Source: docNetwork + "; house: TLS failures among them"},
	{ID: "F7", Failures: []crawl.FailureClass{crawl.FailUnparseable, crawl.FailHeaderTooLarge}, Rate: crawl.RateError, Index: EffectServer, Response: crawl.ResponseFetchError, Next: NextRetry, Reason: crawl.ReasonServerError, Source: "house: an answer that is no HTTP is a server error"},
	{ID: "B3", Failures: []crawl.FailureClass{crawl.FailDecode, crawl.FailIncomplete}, Rate: crawl.RateHealthy, Index: EffectServer, Response: crawl.ResponseFetchError, Next: NextRetry, Reason: crawl.ReasonServerError, Source: "house: the server answered, the content cannot be read"},
	{ID: "B11", Failures: []crawl.FailureClass{crawl.FailBlockedPort, crawl.FailBlockedAddress}, Index: EffectNone, Response: crawl.ResponseOther, Next: NextSink, Source: "house: our refusal says nothing about the host"},
	{ID: "B10", Failures: []crawl.FailureClass{crawl.FailProxy}, Index: EffectNone, Response: crawl.ResponseOther, Next: NextAgain, Source: "house: our proxy's fault says nothing about the host"},
	{ID: "B7", Failures: []crawl.FailureClass{crawl.FailCanceled}, Index: EffectNone, Response: crawl.ResponseOther, Next: NextAgain, Source: "house: we stopped"},
	{ID: "B7", Failures: []crawl.FailureClass{crawl.FailOther}, Rate: crawl.RateNetwork, Index: EffectNetwork, Response: crawl.ResponseOther, Next: NextRetry, Reason: crawl.ReasonUnreachable, Source: "house: a failure of no known class is treated as one of the network"},
}

// Rows that no response leads to.
var (
	redirectError = Row{ID: "B6", Rate: crawl.RateHealthy, Index: EffectRedirect, Response: crawl.ResponseRedirectError, Reason: crawl.ReasonRedirectError, Source: "doc: redirects; loops, bad targets and over-long chains"}
	robotsBlocked = Row{ID: "C7", Index: EffectBlocked, Response: crawl.ResponseRobotsBlocked, Next: NextWait, Reason: crawl.ReasonRobotsBlocked, Source: "doc: robots.txt"}
	trapped       = Row{ID: "D3", Next: NextPruned, Source: "doc: infinite spaces are pruned; house: how they are recognised"}
	robotsMissing = Row{ID: "C6", Response: crawl.ResponseRobotsUnavailable, Next: NextAgain, Source: "doc: crawl stats, robots.txt not available"}
)

// Table returns a copy of the rows, in order of precedence.
func Table() []Row { return append([]Row(nil), table...) }

// Lookup returns the row for a result. A failure decides over a status, but for
// a body that was cut or damaged after a part of it had been read: what came is
// judged by the status (case 19).
func Lookup(res *crawl.Result) Row {
	if f := res.Failure; f != nil {
		partial := (f.Class == crawl.FailIncomplete || f.Class == crawl.FailDecode) && res.Status > 0 && (len(res.Body) > 0 || res.Status >= 300)
		if !partial {
			return failureRow(f.Class)
		}
	}
	for i := range table {
		if r := &table[i]; r.From <= res.Status && res.Status <= r.To {
			return *r
		}
	}
	return failureRow(crawl.FailUnparseable)
}

func failureRow(c crawl.FailureClass) Row {
	for i := range table {
		for _, f := range table[i].Failures {
			if f == c {
				return table[i]
			}
		}
	}
	return failureRow(crawl.FailOther)
}

// RedirectError returns the row for a redirect that cannot be followed (B6).
func RedirectError() Row { return redirectError }

// RobotsBlocked returns the row for a URL that robots.txt disallows (C7).
func RobotsBlocked() Row { return robotsBlocked }

// Trapped returns the row for a URL that is not fetched because it lies in a
// space without end (D3).
func Trapped() Row { return trapped }

// RobotsUnavailable returns the row for a request not made because robots.txt
// is not available (C6).
func RobotsUnavailable() Row { return robotsMissing }
