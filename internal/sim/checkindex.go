package sim

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// urlCheck is a URL as the checker follows it, for the primary client.
type urlCheck struct {
	index   crawl.Index
	failing time.Time // first failed attempt in a row; zero = none
}

func (c *checker) url(u crawl.URL) *urlCheck {
	x := c.index[u]
	if x == nil {
		x = &urlCheck{}
		c.index[u] = x
	}
	return x
}

// streak follows for how long a URL fails with server or network errors.
func (c *checker) streak(job *schedule.Job, res *crawl.Result) {
	if job.Client != c.primary || job.Kind != crawl.KindPage {
		return
	}
	u := c.url(job.URL)
	if res.Failure == nil && res.Status < 500 && res.Status != 429 {
		u.failing = time.Time{}
		return
	}
	if u.failing.IsZero() {
		u.failing = c.d.now
	}
}

// The times after which a failing URL is removed (house, as stated by package react).
const (
	dropServer  = 5 * 24 * time.Hour
	dropNetwork = 2 * 24 * time.Hour
)

// changed checks a change of an index state.
func (c *checker) changed(o *crawl.Outcome) error {
	x := o.Index
	if x == nil {
		return nil
	}
	h := x.URL.Host()
	u := c.url(x.URL)
	if x.From != u.index {
		return c.fail(IndexByTable, h, x.URL, "the change starts from %v, the state was %v", x.From, u.index)
	}
	if x.URL != o.URL || o.Visit == nil || o.Visit.Client != c.primary {
		return c.fail(IndexByTable, h, x.URL, "changed by something else than a visit of the primary client to it")
	}
	if !mayChange(x.To.Row, x.From.State, x.To.State) {
		return c.fail(IndexByTable, h, x.URL, "row %q does not lead from %s to %s", x.To.Row, x.From.State, x.To.State)
	}
	if x.To.State == crawl.IndexRemoved && x.To.Row != "F6" {
		drop := dropServer
		if x.To.Row == "F8" {
			drop = dropNetwork
		}
		if u.failing.IsZero() || c.d.now.Sub(u.failing) < drop {
			return c.fail(IndexByTable, h, x.URL, "removed by row %s, and it fails since %v only", x.To.Row, u.failing)
		}
	}
	if x.Detail == "" || !x.To.Since.Equal(c.d.now) || !x.At.Equal(c.d.now) {
		return c.fail(IndexByTable, h, x.URL, "the change lacks its reason or time: %+v", x)
	}
	u.index = x.To
	return nil
}

// mayChange is the table of index states by itself: which row may lead where.
func mayChange(row string, from, to crawl.IndexState) bool {
	had := from == crawl.IndexPassed || from == crawl.IndexPreserved
	switch row {
	case "F1", "F2":
		return to == crawl.IndexPassed
	case "F3", "F4", "B6", "F12":
		return to == crawl.IndexExcluded
	case "F5":
		return (from == crawl.IndexPreserved || from == crawl.IndexExcluded) && to == crawl.IndexPassed
	case "F10", "F11":
		return to == crawl.IndexExcluded
	case "F6":
		if had || from == crawl.IndexRemoved {
			return to == crawl.IndexRemoved
		}
		return to == crawl.IndexExcluded
	case "F7", "F8", "B3":
		if had {
			return to == crawl.IndexPreserved || to == crawl.IndexRemoved
		}
		return from != crawl.IndexRemoved && to == crawl.IndexExcluded
	case "C7":
		return !had && to == crawl.IndexExcluded
	}
	return false
}
