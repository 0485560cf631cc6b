// Package protocol decides whether a hostname is asked over HTTP/1.1 or HTTP/2:
// the one with the better record there. HTTP/1.1 is the default; the choice is
// made anew for each crawl session of a hostname, from what earlier sessions
// measured, and stays for the session but for faults.
//
// It does not send anything, and it has no say over hostnames asked without TLS,
// which get HTTP/1.1.
//
// Invariants: a hostname that opted out (421) is never asked over HTTP/2 again;
// without evidence the answer is HTTP/1.1; no clock, no randomness.
//
// Sources: behaviour B1; RFC 9110 section 15.5.20 (421). The documentation gives
// no values: those in [Params] are house choices.
package protocol

import "trawl/internal/crawl"

// Params are the constants of the decision.
type Params struct {
	// TryAfter is how many fetches over HTTP/1.1 give a record to compare with;
	// before it HTTP/2 is not tried.
	TryAfter int64
	// Trial is how many fetches over HTTP/2 make a record.
	Trial int64
	// Margin is the part of the other's time per fetch below which a protocol
	// counts as better; between, the choice stays as it is.
	Margin float64
	// FailureMargin is by how much a share of failures may be larger.
	FailureMargin float64
	// MaxFaults is how many failures in a row over HTTP/2 end its use for the
	// rest of the session.
	MaxFaults int
}

// DefaultParams returns the house choices.
func DefaultParams() Params {
	return Params{TryAfter: 50, Trial: 50, Margin: 0.9, FailureMargin: 0.02, MaxFaults: 3}
}

// Session is what one crawl session of a hostname knows beside the record.
type Session struct {
	faults int
}

// Begin makes the choice for a new crawl session. The record fades by half, so
// that old measurements give way to new ones.
func Begin(p Params, rec crawl.ProtocolRecord) crawl.ProtocolRecord {
	rec.Choice = choose(p, rec)
	rec.H1, rec.H2 = fade(p.TryAfter, rec.H1), fade(p.Trial, rec.H2)
	return rec
}

// fade halves a record that is longer than what a decision needs.
func fade(enough int64, s crawl.ProtocolStats) crawl.ProtocolStats {
	if s.Fetches <= 2*enough {
		return s
	}
	return crawl.ProtocolStats{Fetches: s.Fetches / 2, Failures: s.Failures / 2, Millis: s.Millis / 2}
}

func choose(p Params, rec crawl.ProtocolRecord) crawl.Protocol {
	switch {
	case rec.OptOut, rec.H1.Fetches < p.TryAfter:
		return crawl.ProtocolHTTP1
	case rec.H2.Fetches < p.Trial:
		return crawl.ProtocolHTTP2
	}
	f1, f2 := share(rec.H1), share(rec.H2)
	c1, c2 := cost(rec.H1), cost(rec.H2)
	switch {
	case f2 > f1+p.FailureMargin:
		return crawl.ProtocolHTTP1
	case f1 > f2+p.FailureMargin, c2 < c1*p.Margin:
		return crawl.ProtocolHTTP2
	case c1 < c2*p.Margin:
		return crawl.ProtocolHTTP1
	case rec.Choice == crawl.ProtocolHTTP2:
		return crawl.ProtocolHTTP2
	}
	return crawl.ProtocolHTTP1
}

func share(s crawl.ProtocolStats) float64 { return float64(s.Failures) / float64(s.Fetches) }

func cost(s crawl.ProtocolStats) float64 { return float64(s.Millis) / float64(s.Fetches) }

// For returns what a request for a URL of the given scheme asks for.
func For(rec crawl.ProtocolRecord, scheme string) crawl.Protocol {
	if scheme == "https" && rec.Choice == crawl.ProtocolHTTP2 {
		return crawl.ProtocolHTTP2
	}
	return crawl.ProtocolAuto
}

// Observe adds a finished fetch to the record; asked is what its request asked
// for. A 421 over HTTP/2 is remembered for good. A server that does not speak
// HTTP/2 where it was asked for counts as a failure of HTTP/2, and so does a
// network failure; several in a row end its use for the session.
func Observe(p Params, rec crawl.ProtocolRecord, s Session, asked crawl.Protocol, res *crawl.Result) (crawl.ProtocolRecord, Session) {
	if res.Failure != nil && res.Failure.Class == crawl.FailCanceled {
		return rec, s
	}
	failed := broken(res.Failure)
	if asked != crawl.ProtocolHTTP2 {
		rec.H1 = add(rec.H1, failed, res)
		return rec, s
	}
	if res.Misdirected {
		rec.OptOut, rec.Choice = true, crawl.ProtocolHTTP1
		return rec, Session{}
	}
	if failed = failed || res.Protocol != crawl.ProtocolHTTP2; failed {
		s.faults++
	} else {
		s.faults = 0
	}
	rec.H2 = add(rec.H2, failed, res)
	if s.faults >= p.MaxFaults {
		rec.Choice, s.faults = crawl.ProtocolHTTP1, 0
	}
	return rec, s
}

// broken reports whether a failure may be the protocol's: what happens before a
// connection stands says nothing about it.
func broken(f *crawl.Failure) bool {
	if f == nil {
		return false
	}
	switch f.Class {
	case crawl.FailReset, crawl.FailHeaderTimeout, crawl.FailBodyTimeout, crawl.FailUnparseable, crawl.FailIncomplete:
		return true
	}
	return false
}

func add(s crawl.ProtocolStats, failed bool, res *crawl.Result) crawl.ProtocolStats {
	s.Fetches++
	if failed {
		s.Failures++
	}
	s.Millis += res.Timings.Total.Milliseconds()
	return s
}
