package robots

import (
	"slices"
	"strings"
	"time"

	"trawl/internal/crawl"
)

// Answer is how one attempt to fetch robots.txt ended, after its redirects.
type Answer struct {
	Status    int                // of the last response; 0 = none was read
	Failure   crawl.FailureClass // FailNone if Status, and Body if 2xx, can be relied on
	Body      []byte             // decoded; only the first MaxBytes are kept
	Truncated bool               // Body is not the whole file
	MaxAge    time.Duration      // see [MaxAge]; 0 = none given
	// RedirectsExceeded: the answer was one redirect more than MaxRedirects
	// allows, or a loop: as 404 (C1).
	RedirectsExceeded bool
	// Refused: nothing was learned about the host, because our own policy
	// refused an address, a port or a redirect (B11), a proxy of ours failed
	// (B10), or we stopped. Never taken for "no robots.txt".
	Refused bool
}

// refusal reports whether class says more about us than about the host.
func refusal(class crawl.FailureClass) bool {
	switch class {
	case crawl.FailBlockedAddress, crawl.FailBlockedPort, crawl.FailProxy, crawl.FailCanceled:
		return true
	}
	return false
}

func refusalRow(class crawl.FailureClass) string {
	if class == crawl.FailProxy {
		return "B10"
	}
	return "B11"
}

// verdict of an answer (C3).
type class uint8

const (
	serverError class = iota
	found
	notFound
	refused
	unchanged
)

// classify says what an answer means for rec.
func (a Answer) classify(rec crawl.RobotsRecord) class {
	switch {
	case a.Refused, refusal(a.Failure):
		return refused
	case a.RedirectsExceeded:
		return notFound
	case a.Status == 304 && a.Failure == crawl.FailNone && rec.HasGood && len(rec.Body) > 0:
		// Nobody asked (C1: no validators are sent), but it can only mean the
		// file that was sent before (house choice).
		return unchanged
	case a.Status == 304:
		return serverError // an invalid response; there is nothing it could mean
	case a.Status >= 200 && a.Status < 300:
		if a.Failure == crawl.FailNone {
			return found
		}
	case a.Status >= 300 && a.Status < 400:
		return notFound // without a usable Location: it would have been followed
	case a.Status >= 400 && a.Status < 500 && a.Status != 429:
		return notFound // the status is there, whatever became of the body
	}
	return serverError // 429, 5xx, other numbers, and no response at all
}

// Update returns rec after one more attempt. The zero record with Origin set
// has never been asked. A refused attempt starts no clock of C4 and leaves what
// is known of the host alone; one that we canceled changes nothing.
func Update(t Times, rec crawl.RobotsRecord, a Answer, now time.Time) crawl.RobotsRecord {
	kind := a.classify(rec)
	if kind == refused && a.Failure == crawl.FailCanceled {
		return rec
	}
	rec.FetchedAt = now
	rec.Status, rec.Failure = a.Status, a.Failure
	switch kind {
	case refused:
		rec.Status = 0
		if !refusal(rec.Failure) {
			rec.Failure = crawl.FailBlockedAddress
		}
		rec.Attempts++
		return rec
	case serverError:
		if a.Status == 0 && a.Failure == crawl.FailNone {
			rec.Failure = crawl.FailOther
		}
		if rec.FailingSince.IsZero() {
			rec.FailingSince = now
		}
		rec.Attempts++
		return rec
	case found:
		n := min(len(a.Body), MaxBytes)
		// A copy: the caller's buffer may be much larger than what is kept.
		rec.Body = append(make([]byte, 0, n), a.Body[:n]...)
		rec.Truncated = a.Truncated || len(a.Body) > MaxBytes
	case notFound:
		rec.Body, rec.Truncated = nil, false
	}
	rec.Failure = crawl.FailNone
	rec.HasGood, rec.GoodAt, rec.MaxAge = true, now, min(max(a.MaxAge, 0), t.MaxCache)
	rec.FailingSince, rec.Attempts = time.Time{}, 0
	rec.HomepageOK, rec.HomepageAt = false, time.Time{}
	return rec
}

// Homepage returns rec after the homepage was asked for, as [State.AskHomepage]
// wants. ok says that it answered, with anything but a server error (C4).
func Homepage(rec crawl.RobotsRecord, ok bool, now time.Time) crawl.RobotsRecord {
	rec.HomepageOK, rec.HomepageAt = ok, now
	return rec
}

// StatusFromResult makes an Answer of the last fetch of a chain of redirects.
// Whether the chain was too long only its caller knows.
//
// A body that was cut off, damaged, stalled or reset is a network failure,
// whatever came of it: the lines that are missing may be the ones that forbid
// (C3; the robots.txt documentation counts interrupted connections and chunking
// errors among the server errors).
func StatusFromResult(res *crawl.Result) Answer {
	if res == nil {
		return Answer{Failure: crawl.FailOther}
	}
	a := Answer{Status: res.Status, MaxAge: MaxAge(res.Header), Truncated: res.Truncated}
	n := min(len(res.Body), MaxBytes)
	a.Body = slices.Clip(res.Body[:n])
	a.Truncated = a.Truncated || len(res.Body) > MaxBytes
	if res.Failure == nil || res.Failure.Class == crawl.FailNone {
		return a
	}
	a.Failure = res.Failure.Class
	a.Refused = refusal(a.Failure)
	return a
}

// maxMaxAge bounds what [MaxAge] returns; RFC 9111 section 1.2.2 names 2^31
// seconds as the largest value that must be understood.
const maxMaxAge = 1 << 31

// MaxAge returns the max-age of Cache-Control, the first if there are several
// (RFC 9111 section 4.2.1); 0 if none is given or it is not a number. An age of
// 0 that is given is returned as one second, so that the two differ. No other
// directive is looked at (C5).
func MaxAge(header crawl.Header) time.Duration {
	for _, f := range header {
		if !strings.EqualFold(f.Name, "Cache-Control") {
			continue
		}
		for directive := range strings.SplitSeq(f.Value, ",") {
			name, value, ok := strings.Cut(strings.Trim(directive, " \t"), "=")
			if ok && strings.EqualFold(name, "max-age") {
				return seconds(value)
			}
		}
	}
	return 0
}

// seconds parses delta-seconds, quoted or not.
func seconds(s string) time.Duration {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	if s == "" {
		return 0
	}
	n := int64(0)
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0
		}
		n = min(n*10+int64(s[i]-'0'), maxMaxAge)
	}
	return time.Duration(max(n, 1)) * time.Second
}
