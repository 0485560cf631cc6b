package sim

import (
	"fmt"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// Invariant names a promise that a run is held to.
type Invariant string

// The invariants.
const (
	CapacityKept     Invariant = "capacity (E1): fetches under way within the limit, and admitted"
	TimeKept         Invariant = "capacity (E1): connection time over any span within the limit"
	BackoffKept      Invariant = "back-off (E8): no request before its end, Retry-After included"
	RobotsObeyed     Invariant = "robots.txt (C3, C4, C6): nothing fetched that it forbids"
	RobotsNotAbused  Invariant = "robots.txt (C3, C4, C6): nothing held back that it allows"
	IssuedOnce       Invariant = "no URL under way twice for a client"
	NotStarved       Invariant = "no due URL waits while its hostname has capacity"
	NeverSilent      Invariant = "floor (E4): a hostname with due URLs is asked now and then"
	Recovers         Invariant = "recovery (E4): a healthy hostname gets its rate back"
	IndexByTable     Invariant = "index states (F13): only as the table allows, with its row"
	MemoryBounded    Invariant = "memory: URLs and hostnames in memory within their bounds"
	ChargedRight     Invariant = "a request is charged to the hostname that it contacts (E5)"
	ProgressMade     Invariant = "time goes on"
	historyKept                = 40
	historyShortened           = 12
)

// Violation is a broken invariant.
type Violation struct {
	Invariant Invariant
	At        time.Time
	Host      crawl.Host
	URL       crawl.URL
	Detail    string
	History   []string // the last steps, oldest first
	Scenario  Scenario // in which it happens
}

func (v *Violation) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nbroken at %s", v.Invariant, v.At.Format(time.RFC3339Nano))
	if v.Host != "" {
		fmt.Fprintf(&b, ", host %s", v.Host)
	}
	if v.URL != "" {
		fmt.Fprintf(&b, ", %s", v.URL)
	}
	fmt.Fprintf(&b, ": %s\nscenario %q, seed %d", v.Detail, v.Scenario.Name, v.Scenario.Seed)
	if len(v.History) > 0 {
		b.WriteString("\nhistory:\n  " + strings.Join(v.History, "\n  "))
	}
	return b.String()
}

// trace is one step of the history.
type trace struct {
	at   time.Time
	what string
	host crawl.Host
	url  crawl.URL
	who  crawl.ClientID
	note string
	n    int
}

func (t *trace) String() string {
	s := t.at.Format("01-02 15:04:05.000") + " " + t.what
	if t.url != "" {
		s += " " + string(t.url)
	} else if t.host != "" {
		s += " " + string(t.host)
	}
	if t.who != "" {
		s += " for " + string(t.who)
	}
	if t.note != "" {
		s += ": " + t.note
	}
	if t.n != 0 {
		s += fmt.Sprintf(" %d", t.n)
	}
	return s
}

// history is a ring of the last steps.
type history struct {
	ring [historyKept]trace
	n    int
}

func (h *history) add(t trace) {
	h.ring[h.n%historyKept] = t
	h.n++
}

// lines returns the last steps, those of the host in question first of all:
// of other hosts only what there is room for.
func (h *history) lines(host crawl.Host) []string {
	var out []string
	for i := max(0, h.n-historyKept); i < h.n; i++ {
		t := &h.ring[i%historyKept]
		if host == "" || t.host == host || h.n-i <= historyShortened {
			out = append(out, t.String())
		}
	}
	return out
}

func stepTrace(now time.Time, s *schedule.Step) trace {
	switch s.Kind {
	case schedule.StepFetch:
		return trace{at: now, what: "fetch", host: s.Job.Host, url: s.Job.URL, who: s.Job.Client}
	case schedule.StepCommit:
		t := trace{at: now, what: "commit without a request", url: s.Outcome.URL, host: s.Outcome.URL.Host()}
		if v := s.Outcome.Visit; v != nil {
			t.who, t.note = v.Client, v.Response.String()
		}
		return t
	case schedule.StepLoadHost:
		return trace{at: now, what: "load host", host: s.Host}
	case schedule.StepLoadURLs:
		return trace{at: now, what: "load URLs of", host: s.Host, who: s.Client, note: "up to", n: s.Limit}
	}
	t := trace{at: now, what: "wait"}
	if !s.Until.IsZero() {
		t.note = "until " + s.Until.Format("01-02 15:04:05.000")
	}
	return t
}
