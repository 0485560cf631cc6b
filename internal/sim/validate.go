package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
	"trawl/internal/schedule"
	"trawl/internal/weburl"
)

// FieldError is one thing that is wrong with a scenario.
type FieldError struct {
	Field  string // path of the field in a scenario file: "hosts[0].pages[1].count"
	Detail string // what is wrong with it
	Near   string // the nearest valid name; "" = none
}

func (e *FieldError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("%s: %s; did you mean %q?", e.Field, e.Detail, e.Near)
	}
	return e.Field + ": " + e.Detail
}

// checks gathers what is wrong with a scenario, each with the field's name.
type checks struct{ errs []error }

func (c *checks) failf(field, format string, args ...any) { c.nearf(field, "", format, args...) }

// nearf is failf with the nearest valid name.
func (c *checks) nearf(field, near, format string, args ...any) {
	c.errs = append(c.errs, &FieldError{Field: field, Detail: fmt.Sprintf(format, args...), Near: near})
}

// oneOf reports a value that is none of the names.
func (c *checks) oneOf(field, v string, names ...string) {
	if !slices.Contains(names, v) {
		c.nearf(field, strictyaml.Nearest(v, names), "%q is none of %s", v, strings.Join(names, ", "))
	}
}

// known reports a name that is no host of the scenario.
func (c *checks) known(field, name string, hosts map[string]bool, shared bool) {
	if one, ok := hosts[name]; !ok || !one && !shared {
		names := slices.Sorted(maps.Keys(hosts))
		near := strictyaml.Nearest(name, names)
		if near == name {
			near = ""
		}
		c.nearf(field, near, "%q is no host of the scenario", name)
	}
}

// bounded reports a value outside of [least, most].
func bounded[T int | int64 | float64 | time.Duration](c *checks, field string, v, least, most T) {
	// Written so that a value that is not a number is reported too.
	if !(v >= least && v <= most) {
		c.failf(field, "%v is not from %v to %v", v, least, most)
	}
}

// Validate reports everything that is wrong with the scenario, as [*FieldError]s
// joined; nil if it can be run.
func (sc Scenario) Validate() error {
	all, err := client.Builtin()
	if err != nil {
		return fmt.Errorf("reading the catalogue of clients: %w", err)
	}
	return sc.validate(all)
}

func (sc Scenario) validate(all *client.Catalogue) error {
	c := &checks{}
	if sc.Duration <= 0 {
		c.failf("duration", "it must be given, and positive")
	}
	bounded(c, "duration", sc.Duration, 0, MaxDuration)
	if y := sc.Start.Year(); !sc.Start.IsZero() && (y < 1970 || y > 9000) {
		c.failf("start", "the year %d is not from 1970 to 9000", y)
	}
	bounded(c, "interval", sc.Interval, 0, MaxDuration)
	if sc.Interval > 0 && sc.Duration/sc.Interval >= MaxPoints {
		c.failf("interval", "the timeline would have more than %d points: make it longer", MaxPoints)
	}
	bounded(c, "refresh", sc.Refresh, 0, MaxDuration)
	bounded(c, "concurrency", sc.Concurrency, 0, 100_000)
	if sc.Window != 0 {
		bounded(c, "window", sc.Window, 4, 100_000)
	}
	bounded(c, "host_room", sc.HostRoom, 0, schedule.MaxHosts)
	bounded(c, "load_delay", sc.LoadDelay, 0, time.Minute)
	bounded(c, "commit_delay", sc.CommitDelay, 0, time.Minute)
	bounded(c, "max_fetches", sc.MaxFetches, 0, 1<<50)
	sc.checkClients(c, all)
	names := sc.checkHosts(c)
	bounded(c, "faults", len(sc.Faults), 0, MaxFaults)
	for i := range sc.Faults {
		sc.Faults[i].check(c, fmt.Sprintf("faults[%d].", i), names, sc.Duration)
	}
	return errors.Join(c.errs...)
}

func (sc Scenario) checkClients(c *checks, all *client.Catalogue) {
	bounded(c, "clients", len(sc.Clients), 0, 16)
	seen := map[crawl.ClientID]bool{}
	for i, cl := range sc.Clients {
		field := fmt.Sprintf("clients[%d].", i)
		p, ok := all.Get(cl.ID)
		switch {
		case !ok:
			c.nearf(field+"id", string(all.Nearest(cl.ID)), "%q is no client of the catalogue", cl.ID)
		case p.ControlOnly:
			c.failf(field+"id", "%q makes no requests", cl.ID)
		case seen[cl.ID]:
			c.failf(field+"id", "%q is there twice", cl.ID)
		}
		seen[cl.ID] = true
		bounded(c, field+"weight", cl.Weight, 0, 1e6)
		bounded(c, field+"from", cl.From, 0, sc.Duration)
		bounded(c, field+"landing", cl.Landing, 0, 1)
		if i == 0 && cl.From > 0 {
			c.failf(field+"from", "the primary client begins at the start: put it behind another")
		}
	}
}

// checkHosts returns the names of all hosts; true for those that exist, false
// for one that numbered hosts share.
func (sc Scenario) checkHosts(c *checks) map[string]bool {
	names := map[string]bool{}
	if len(sc.Hosts) == 0 {
		c.failf("hosts", "there must be one at least")
	}
	hosts, pages, seeds := 0, 0, 0
	for i, h := range sc.Hosts {
		field := fmt.Sprintf("hosts[%d].", i)
		bounded(c, field+"count", h.Count, 0, MaxHosts)
		if hosts += max(1, h.Count); hosts > MaxHosts {
			c.failf(field+"count", "there are more than %d hosts", MaxHosts)
			return names
		}
		if u, err := weburl.Parse("https://" + h.Name + "/"); err != nil || u != home(h.Name) || strings.ContainsAny(h.Name, ":[@") {
			c.failf(field+"name", "%q is no hostname in canonical form", h.Name)
			continue
		}
		for j := range max(1, h.Count) {
			if n := h.name(j); names[n] {
				c.failf(field+"name", "%q is there twice", n)
			}
			names[h.name(j)] = true
		}
		if !names[h.Name] {
			names[h.Name] = false
		}
		bounded(c, field+"limit", h.Limit, 0, 1e6)
		pages += max(1, h.Count) * h.checkPages(c, field)
		h.Server.check(c, field+"server.")
		for j, t := range h.Traps {
			c.oneOf(fmt.Sprintf("%straps[%d]", field, j), string(t), "calendar", "deeper", "facets", "session")
		}
		bounded(c, field+"capacity", h.Capacity, 0, 1e6)
		if !h.Empty && !h.Hidden {
			seeds++
		}
	}
	if pages > MaxPages {
		c.failf("hosts", "there are %d pages, at most %d can be simulated", pages, MaxPages)
	}
	if seeds == 0 && len(sc.Hosts) > 0 {
		c.failf("hosts", "all of them are empty or hidden: there is nothing to start from")
	}
	for i, h := range sc.Hosts {
		h.Robots.check(c, fmt.Sprintf("hosts[%d].robots.", i), names)
		h.Assets.check(c, fmt.Sprintf("hosts[%d].assets.", i), names, sc.Duration)
	}
	return names
}

func (h Host) checkPages(c *checks, field string) int {
	n := 0
	seen := map[string]bool{}
	for i, p := range h.Pages {
		at := fmt.Sprintf("%spages[%d].", field, i)
		switch {
		case p.Name == "" || strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz") != "" || len(p.Name) > 40:
			c.failf(at+"name", "%q is not made of 1 to 40 lower-case letters", p.Name)
		case seen[p.Name]:
			c.failf(at+"name", "%q is there twice", p.Name)
		case reserved(p.Name):
			c.failf(at+"name", "%q is the path of a trap or of assets", p.Name)
		}
		seen[p.Name] = true
		if p.Count <= 0 {
			c.failf(at+"count", "it must be given, and positive")
		}
		bounded(c, at+"count", p.Count, 0, MaxPages)
		bounded(c, at+"links", p.Links, 0, 1000)
		bounded(c, at+"bytes", p.Bytes, 0, 1<<40)
		bounded(c, at+"change_every", p.ChangeEvery, 0, MaxDuration)
		if p.ChangeEvery > 0 && p.ChangeEvery < time.Second {
			c.failf(at+"change_every", "%v is less than a second", p.ChangeEvery)
		}
		bounded(c, at+"max_age", p.MaxAge, 0, MaxDuration)
		checkStatus(c, at+"status", p.Status)
		if p.Known && (h.Empty || h.Hidden) {
			c.failf(at+"known", "the host is empty or hidden, so nothing of it is known")
		}
		n += min(p.Count, MaxPages)
	}
	return n + 1
}

func (a Assets) check(c *checks, field string, names map[string]bool, duration time.Duration) {
	bounded(c, field+"count", a.Count, 0, MaxAssets)
	bounded(c, field+"per_page", a.PerPage, 0, 1000)
	bounded(c, field+"bytes", a.Bytes, 0, 1<<40)
	bounded(c, field+"deploys", len(a.Deploys), 0, MaxDeploys)
	for i, d := range a.Deploys {
		bounded(c, fmt.Sprintf("%sdeploys[%d]", field, i), d, 0, duration)
	}
	if a.Host != "" {
		c.known(field+"host", a.Host, names, false)
	}
}

func (s Server) check(c *checks, field string) {
	bounded(c, field+"latency", s.Latency, 0, time.Hour)
	bounded(c, field+"jitter", s.Jitter, 0, 1)
	bounded(c, field+"bandwidth", s.Bandwidth, 0, 1<<50)
	bounded(c, field+"knee", s.Knee, 0, 1<<30)
	bounded(c, field+"overload", s.Overload, 0, 1<<30)
	bounded(c, field+"collapse", s.Collapse, 0, 1<<30)
	bounded(c, field+"rate_limit", s.RateLimit, 0, 1e9)
	bounded(c, field+"rate_burst", s.RateBurst, 0, 1<<30)
	checkStatus(c, field+"rate_status", s.RateStatus)
	bounded(c, field+"retry_after", s.RetryAfter, 0, MaxDuration)
	if s.HTTP2 != 0 {
		bounded(c, field+"http2", s.HTTP2, 0.01, 100)
	}
}

func (r RobotsFile) check(c *checks, field string, names map[string]bool) {
	checkStatus(c, field+"status", r.Status)
	for _, list := range []struct {
		name  string
		paths []string
	}{{"disallow", r.Disallow}, {"only", r.Only}} {
		for i, p := range list.paths {
			checkPath(c, fmt.Sprintf("%s%s[%d]", field, list.name, i), p)
		}
	}
	if len(r.Only) > 0 && r.Group == "" {
		c.failf(field+"only", "the group must be named")
	}
	if strings.Trim(r.Group, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" {
		c.failf(field+"group", "%q is no product token: letters, - and _", r.Group)
	}
	bounded(c, field+"max_age", r.MaxAge, 0, MaxDuration)
	if r.MoveTo != "" {
		c.known(field+"move_to", r.MoveTo, names, false)
	}
}

func checkStatus(c *checks, field string, status int) {
	if status != 0 {
		bounded(c, field, status, 200, 599)
	}
}

func checkPath(c *checks, field, p string) {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "*$# \r\n") {
		c.failf(field, "%q is no path prefix: it starts with / and holds no *, $, # or space", p)
	}
}

func (f *Fault) check(c *checks, field string, names map[string]bool, duration time.Duration) {
	for i, n := range f.Hosts {
		c.known(fmt.Sprintf("%shosts[%d]", field, i), n, names, true)
	}
	bounded(c, field+"from", f.From, 0, duration)
	bounded(c, field+"for", f.For, 0, MaxDuration)
	bounded(c, field+"share", f.Share, 0, 1)
	bounded(c, field+"retry_after", f.RetryAfter, 0, MaxDuration)
	for i, p := range f.Paths {
		checkPath(c, fmt.Sprintf("%spaths[%d]", field, i), p)
	}
	if f.Target != TargetAll {
		c.oneOf(field+"target", string(f.Target), "pages", "robots", "home")
	}
	checkStatus(c, field+"status", f.Status)
	if f.Failure != "" {
		if _, ok := failureOf(f.Failure); !ok {
			c.nearf(field+"failure", strictyaml.Nearest(f.Failure, failureNames()), "%q is no failure of a server or network", f.Failure)
		}
	}
	if f.Slow != 0 {
		bounded(c, field+"slow", f.Slow, 0.01, 1000)
	}
	if f.MoveTo != "" {
		c.known(field+"move_to", f.MoveTo, names, false)
	}
	n := 0
	for _, set := range []bool{f.Status != 0, f.Failure != "", f.Slow != 0, f.ErrorText, f.Soft404, f.MoveTo != "", f.OptOut, f.RobotsFile != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		c.failf(strings.TrimSuffix(field, "."), "exactly one of status, failure, slow, error_text, soft_404, move_to, opt_out and robots_file must be given, not %d", n)
	}
	if f.RobotsFile != nil {
		f.RobotsFile.check(c, field+"robots_file.", names)
	}
}
