package simreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"trawl/internal/sim"
)

// Trouble is something that befalls the first host of a scenario.
type Trouble struct {
	From Seconds `json:"from_seconds"`
	To   Seconds `json:"to_seconds"` // 0 = lasts
	Ends bool    `json:"ends"`
	Text string  `json:"text"` // what it is, without when
}

// troubles are the faults of the first host, and what else begins in a scenario.
func troubles(sc sim.Scenario) []Trouble {
	var out []Trouble
	first := &sc.Hosts[0]
	for i := range sc.Faults {
		f := &sc.Faults[i]
		if len(f.Hosts) > 0 && !slices.Contains(f.Hosts, first.Name) {
			continue
		}
		out = append(out, Trouble{From: Seconds(f.From), To: Seconds(f.From + f.For), Ends: f.For > 0, Text: describe(f)})
	}
	if v := &first.Server; v.RateLimit > 0 {
		out = append(out, Trouble{Text: fmt.Sprintf("%d beyond %s an hour", cmp.Or(v.RateStatus, 429), count(int(v.RateLimit*3600+0.5), "request"))})
	}
	for _, c := range sc.Clients {
		if c.From > 0 {
			out = append(out, Trouble{From: Seconds(c.From), Text: fmt.Sprintf("demand of %s", c.ID)})
		}
	}
	if d := first.Assets.Deploys; len(d) > 0 {
		out = append(out, Trouble{
			From: Seconds(slices.Min(d)), To: Seconds(slices.Max(d)), Ends: true,
			Text: fmt.Sprintf("%s that name %s anew", count(len(d), "deploy"), count(first.Assets.Count, "asset")),
		})
	}
	slices.SortStableFunc(out, func(a, b Trouble) int { return int(min(max(int64(a.From)-int64(b.From), -1), 1)) })
	return out
}

// describe says what a fault does to whom.
func describe(f *sim.Fault) string {
	what := ""
	switch {
	case f.Status != 0:
		what = strconv.Itoa(f.Status)
		if f.RetryAfter > 0 {
			what += " with Retry-After " + short(f.RetryAfter)
		}
	case f.Failure != "":
		what = f.Failure
	case f.Slow > 1:
		what = fmt.Sprintf("answers %g times as slow", f.Slow)
	case f.Slow > 0:
		what = fmt.Sprintf("answers %g times as fast", 1/f.Slow)
	case f.ErrorText:
		what = "an error text with 200"
	case f.Soft404:
		what = "\"page not found\" with 200"
	case f.MoveTo != "":
		what = "301 to " + f.MoveTo
	case f.OptOut:
		what = "421 to HTTP/2"
	case f.RobotsFile != nil:
		what = "another robots.txt"
		if s := f.RobotsFile.Status; s != 0 && s != 200 {
			what = fmt.Sprintf("%d for robots.txt", s)
		}
		return what
	}
	return what + " for " + concerned(f)
}

// concerned says what a fault is about.
func concerned(f *sim.Fault) string {
	part := ""
	if f.Share > 0 && f.Share < 1 {
		part = fmt.Sprintf("%g %% of ", 100*f.Share)
	}
	switch {
	case f.Target == sim.TargetRobots:
		return "robots.txt"
	case f.Target == sim.TargetHome:
		return "the homepage"
	case len(f.Paths) > 0:
		return part + "what is below " + strings.Join(f.Paths, ", ")
	case f.Target == sim.TargetPages:
		return part + "all pages"
	}
	return part + "everything"
}

// when says when it is.
func (t *Trouble) when() string {
	from := "From the start"
	if t.From > 0 {
		from = "From " + short(time.Duration(t.From))
	}
	switch {
	case !t.Ends:
		return from + " on"
	case t.To == t.From:
		return "At " + short(time.Duration(t.From))
	}
	return from + ", for " + short(time.Duration(t.To-t.From))
}

// short writes a duration with its two largest units: "6 h", "5 d 2 h".
func short(d time.Duration) string {
	const day = 24 * time.Hour
	units := []struct {
		of   time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	for i, u := range units {
		if d < u.of {
			continue
		}
		s := strconv.FormatInt(int64(d/u.of), 10) + " " + u.name
		if i+1 < len(units) {
			if rest := d % u.of / units[i+1].of; rest > 0 {
				s += " " + strconv.FormatInt(int64(rest), 10) + " " + units[i+1].name
			}
		}
		return s
	}
	return d.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
