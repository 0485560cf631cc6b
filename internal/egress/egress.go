package egress

import (
	"slices"
	"time"

	"trawl/internal/crawl"
)

// Params are the constants of the decision.
type Params struct {
	// BlockedSessions is how many sessions in a row the home region must be
	// blocked before another one is tried; at least 1.
	BlockedSessions int
	// MinRequests is how many refused or unanswered requests, without one page
	// between them, make a session a blocked one; at least 1.
	MinRequests int
	// SessionGap is the least time between the begins of two sessions: a
	// hostname that is forgotten and loaded again sooner goes on with its session.
	SessionGap time.Duration
	// TrialEvery is the least time between trials of regions that have not
	// answered yet, over all of them.
	TrialEvery time.Duration
	// RetryEvery is after which time a region that was blocked is asked again,
	// the home region among them.
	RetryEvery time.Duration
	// ProxyFailures is how many failures in a row of a region's own proxies
	// send the rest of the session home; at least 1.
	ProxyFailures int
}

// DefaultParams returns the house choices.
func DefaultParams() Params {
	const day = 24 * time.Hour
	return Params{BlockedSessions: 2, MinRequests: 5, SessionGap: time.Hour, TrialEvery: day, RetryEvery: 7 * day, ProxyFailures: 3}
}

// Plan is what the operator configured for one hostname.
type Plan struct {
	Home   string   // its region; "" = direct
	Others []string // tried in this order when Home is blocked; empty = never
}

// Begin chooses the region for a new session of a hostname.
func Begin(p Params, plan Plan, rec crawl.EgressRecord, now time.Time) crawl.EgressRecord {
	if len(plan.Others) == 0 {
		rec.Choice = plan.Home
		return rec
	}
	known := rec.Choice == plan.Home || slices.Contains(plan.Others, rec.Choice)
	if known && !rec.Session.IsZero() && now.Sub(rec.Session) < p.SessionGap {
		return rec
	}
	rec.Regions = plan.regions(rec.Regions)
	if r := find(rec.Regions, rec.Choice); r != nil {
		r.judge(p)
	}
	rec.Choice, rec.Session = plan.choose(p, rec, now), now
	find(rec.Regions, rec.Choice).Tried = now
	return rec
}

// region is the record of a region with what is decided about it.
type region struct{ *crawl.EgressRegion }

// regions returns a copy of the records with one for every region of the plan,
// and without those that the plan no longer has.
func (plan Plan) regions(old []crawl.EgressRegion) []crawl.EgressRegion {
	names := append([]string{plan.Home}, plan.Others...)
	out := make([]crawl.EgressRegion, 0, len(names))
	for _, name := range names {
		if len(out) == crawl.MaxEgressRegions || slices.ContainsFunc(out, func(r crawl.EgressRegion) bool { return r.Region == name }) {
			continue
		}
		r := crawl.EgressRegion{Region: name}
		if i := slices.IndexFunc(old, func(r crawl.EgressRegion) bool { return r.Region == name }); i >= 0 {
			r = old[i]
		}
		out = append(out, r)
	}
	return out
}

func find(list []crawl.EgressRegion, name string) *region {
	for i := range list {
		if list[i].Region == name {
			return &region{&list[i]}
		}
	}
	return nil
}

// judge ends a session of the region. Too few requests say nothing: they count
// on in its next session.
func (r *region) judge(p Params) {
	switch {
	case r.Good > 0:
		r.Blocked = 0
	case r.Bad >= max(1, p.MinRequests):
		r.Blocked++
	default:
		return
	}
	r.Good, r.Bad = 0, 0
}

func (r *region) proxyDown(p Params) bool { return r.Proxy >= max(1, p.ProxyFailures) }

func (plan Plan) choose(p Params, rec crawl.EgressRecord, now time.Time) string {
	home := find(rec.Regions, plan.Home)
	if home.Blocked < max(1, p.BlockedSessions) && !home.proxyDown(p) || now.Sub(home.Tried) >= p.RetryEvery {
		return plan.Home
	}
	others := rec.Regions[1:] // home is the first
	var last time.Time
	for i := range others {
		r := region{&others[i]}
		if r.Blocked == 0 && !r.LastOK.IsZero() && !r.proxyDown(p) {
			return r.Region
		}
		if r.Tried.After(last) {
			last = r.Tried
		}
	}
	for i := range others {
		r := region{&others[i]}
		failed := r.Blocked > 0 || r.proxyDown(p)
		undecided := !failed && !r.Tried.IsZero()
		if undecided || now.Sub(last) >= p.TrialEvery && (!failed || now.Sub(r.Tried) >= p.RetryEvery) {
			return r.Region
		}
	}
	return plan.Home
}

// For returns the region for a request to a URL of the given scheme. Only HTTP is
// sent through the proxies of a region that is being tried: FTP leaves from home.
func For(plan Plan, rec crawl.EgressRecord, scheme string) string {
	if scheme == "http" || scheme == "https" {
		return rec.Choice
	}
	return plan.Home
}

// Observe adds a finished request to the record; from is the region that it left
// from, and page says that it was for a page: robots.txt is often answered where
// pages are not.
func Observe(p Params, plan Plan, rec crawl.EgressRecord, from string, res *crawl.Result, page bool, now time.Time) crawl.EgressRecord {
	if len(plan.Others) == 0 {
		return rec
	}
	v := verdictOf(res)
	if v == silent {
		return rec
	}
	rec.Regions = slices.Clone(rec.Regions)
	r := find(rec.Regions, from)
	if r == nil {
		return rec
	}
	if v == proxyFailed {
		if r.Proxy++; r.proxyDown(p) && rec.Choice == from {
			rec.Choice = plan.Home
		}
		return rec
	}
	r.Proxy = 0
	switch {
	case v == blocked:
		r.Bad++
	case page:
		r.Good++
		r.LastOK = now
	}
	return rec
}

// verdict is what one answer says about the region that asked.
type verdict uint8

const (
	silent      verdict = iota // nothing: trouble of the server, of DNS or ours
	answered                   // the hostname serves this region
	blocked                    // it refuses, or does not answer
	proxyFailed                // we did not get as far as the hostname
)

func verdictOf(res *crawl.Result) verdict {
	if res.Status == 0 && res.Failure != nil {
		switch res.Failure.Class {
		case crawl.FailProxy:
			return proxyFailed
		case crawl.FailRefused, crawl.FailConnectTimeout, crawl.FailUnreachable, crawl.FailReset, crawl.FailHeaderTimeout:
			return blocked
		}
		return silent
	}
	switch s := res.Status; {
	case s == 403, s == 451:
		return blocked
	case s >= 200 && s < 400, s == 404, s == 410:
		return answered
	}
	return silent
}
