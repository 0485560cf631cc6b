package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"trawl/internal/crawl"
	"trawl/internal/report"
	"trawl/internal/robots"
	"trawl/internal/store"
)

// robotsDiff is one run of `trawl robots --diff`. What it holds grows with the
// rules that change verdicts, not with the URLs.
type robotsDiff struct {
	robotsOptions
	ctx      context.Context
	old, new []robotsJudge
	feed     *urlFeed
	clients  []clientChanges
	judged   int64
	changed  int64
}

// clientChanges are the verdicts that change for one client.
type clientChanges struct {
	Client     crawl.ClientID `json:"client"`
	Allowed    int64          `json:"become_allowed"`
	Disallowed int64          `json:"become_disallowed"`
	Causes     []*cause       `json:"causes"` // most URLs first
	Others     int64          `json:"changes_of_other_causes,omitempty"`
	byLines    map[causeKey]*cause
}

// cause is a pair of deciding lines, with the URLs that it changes.
type cause struct {
	Allowed  bool     `json:"allowed"` // now
	Old      verdict  `json:"old"`
	New      verdict  `json:"new"`
	Count    int64    `json:"count"`
	Examples []string `json:"examples"`
}

type causeKey struct {
	allowed  bool
	old, new int
}

// maxCauses bounds the causes kept for a client; changes of others are counted.
const maxCauses = 10_000

// diffReport is what is printed.
type diffReport struct {
	Old             string           `json:"old"`
	New             string           `json:"new"`
	Groups          []groupChange    `json:"groups"`
	SitemapsAdded   []robots.Sitemap `json:"sitemaps_added"`
	SitemapsRemoved []robots.Sitemap `json:"sitemaps_removed"`
	Judged          bool             `json:"urls_given"`
	URLs            int64            `json:"urls"`
	LeftOut         int64            `json:"left_out"`
	Changed         int64            `json:"changed"` // URLs, for any of the clients
	Clients         []clientChanges  `json:"clients"`
}

type groupChange struct {
	Token   string            `json:"token"`
	OldLine int               `json:"old_line,omitempty"`
	NewLine int               `json:"new_line,omitempty"`
	Removed []robots.RuleLine `json:"removed"`
	Added   []robots.RuleLine `json:"added"`
}

func runDiff(ctx context.Context, o robotsOptions, args []string, s streams) error {
	env, err := o.identityOptions.open(nil)
	if err != nil {
		return err
	}
	list, err := env.clients(o.clients, "trawl", "googlebot-smartphone")
	if err != nil {
		return err
	}
	var src [2]*robotsSource
	for i := range src {
		if src[i], err = o.openRobots(ctx, args[i]); err != nil {
			return err
		}
		if err := src[i].usable(); err != nil {
			return err
		}
	}
	d := &robotsDiff{robotsOptions: o, ctx: ctx, old: newJudges(list, src[0].rules), new: newJudges(list, src[1].rules), feed: &urlFeed{streams: s}}
	if d.feed.origin, err = o.originOf(src[:]...); err != nil {
		return err
	}
	for _, p := range list {
		d.clients = append(d.clients, clientChanges{Client: p.ID, byLines: map[causeKey]*cause{}})
	}
	given, err := d.judgeAll(args[2:], s)
	ended := d.feed.end()
	if err != nil {
		return err
	}
	rep := d.report(src[0], src[1], given)
	if o.json {
		err = printJSON(s.out, rep)
	} else {
		err = rep.text(s.out)
	}
	switch {
	case err != nil:
		return err
	case ended != nil:
		return ended
	case given && d.changed > 0, !given && len(rep.Groups)+len(rep.SitemapsAdded)+len(rep.SitemapsRemoved) > 0:
		return unmet()
	}
	return nil
}

// judgeAll judges the URLs that were given, and reports whether any were.
func (d *robotsDiff) judgeAll(args []string, s streams) (bool, error) {
	switch {
	case d.urls != "":
		return true, d.feed.file(d.urls, false, d.one)
	case len(args) > 0:
		return true, d.feed.args(args, d.one)
	case d.data != "":
		return true, d.known(s)
	}
	return false, nil
}

// known judges what the crawl in the data directory knows, in the order of the
// store. A robots.txt is about one origin, so there must be only one.
func (d *robotsDiff) known(s streams) error {
	data, err := openData(d.data, false, s)
	if err != nil {
		return err
	}
	defer data.close()
	filter := store.URLFilter{}
	if d.feed.origin != "" {
		filter.Host = d.feed.origin.Host()
	}
	var first crawl.Origin
	for rec, err := range data.store.URLs(d.ctx, filter) {
		if err != nil {
			if stopped := interrupted(d.ctx); stopped != nil {
				return stopped
			}
			return fmt.Errorf("reading %s: %w", d.data, err)
		}
		l := listed{url: rec.URL, path: rec.URL.PathQuery()}
		if d.feed.origin == "" {
			if first == "" {
				first = rec.URL.Origin()
			} else if o := rec.URL.Origin(); o != first {
				return usageError("%s holds URLs of several origins, such as %s and %s, and a robots.txt is about one: say which by --origin", d.data, first, o)
			}
		}
		if !d.feed.wants(&l) {
			continue
		}
		if err := d.one(&l); err != nil {
			return err
		}
	}
	return interrupted(d.ctx)
}

// one compares the verdicts for one URL.
func (d *robotsDiff) one(l *listed) error {
	if d.judged%1024 == 0 {
		if err := interrupted(d.ctx); err != nil {
			return err
		}
	}
	d.judged++
	changed := false
	for i := range d.old {
		before, after := d.old[i].check(l.path), d.new[i].check(l.path)
		if before.Allowed == after.Allowed {
			continue
		}
		changed = true
		d.clients[i].add(d, i, l, before, after)
	}
	if changed {
		d.changed++
	}
	return nil
}

func (c *clientChanges) add(d *robotsDiff, judge int, l *listed, before, after robots.Verdict) {
	if after.Allowed {
		c.Allowed++
	} else {
		c.Disallowed++
	}
	key := causeKey{after.Allowed, before.Line, after.Line}
	k := c.byLines[key]
	if k == nil {
		if len(c.byLines) == maxCauses {
			c.Others++
			return
		}
		k = &cause{Allowed: after.Allowed, Old: d.old[judge].verdict(before), New: d.new[judge].verdict(after), Examples: []string{}}
		c.byLines[key] = k
	}
	k.Count++
	if len(k.Examples) < d.limit {
		k.Examples = append(k.Examples, l.String())
	}
}

func (d *robotsDiff) report(old, new *robotsSource, given bool) *diffReport {
	diff := robots.Diff(old.rules, new.rules)
	rep := &diffReport{
		Old: old.name, New: new.name, Groups: []groupChange{}, Judged: given, URLs: d.judged, LeftOut: d.feed.foreign, Changed: d.changed,
		SitemapsAdded: append([]robots.Sitemap{}, diff.SitemapsAdded...), SitemapsRemoved: append([]robots.Sitemap{}, diff.SitemapsRemoved...),
		Clients: d.clients,
	}
	for _, g := range diff.Groups {
		rep.Groups = append(rep.Groups, groupChange{g.Token, g.OldLine, g.NewLine, append([]robots.RuleLine{}, g.Removed...), append([]robots.RuleLine{}, g.Added...)})
	}
	for i := range rep.Clients {
		c := &rep.Clients[i]
		c.Causes = []*cause{}
		for _, k := range c.byLines {
			c.Causes = append(c.Causes, k)
		}
		slices.SortFunc(c.Causes, func(a, b *cause) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.New.Line, b.New.Line), cmp.Compare(a.Old.Line, b.Old.Line))
		})
	}
	return rep
}

func (r *diffReport) text(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "--- %s\n+++ %s\n", report.Safe(r.Old), report.Safe(r.New))
	for _, g := range r.Groups {
		g.text(out)
	}
	for _, s := range r.SitemapsRemoved {
		fmt.Fprintf(out, "- line %d: Sitemap: %s\n", s.Line, report.Safe(s.URL))
	}
	for _, s := range r.SitemapsAdded {
		fmt.Fprintf(out, "+ line %d: Sitemap: %s\n", s.Line, report.Safe(s.URL))
	}
	if len(r.Groups)+len(r.SitemapsAdded)+len(r.SitemapsRemoved) == 0 {
		fmt.Fprintln(out, "the rules are the same")
	}
	if r.Judged {
		fmt.Fprintf(out, "\n%s judged, %d with another verdict\n", report.Count(r.URLs, "URL"), r.Changed)
		for i := range r.Clients {
			r.Clients[i].text(out)
		}
	}
	return out.Flush()
}

func (g *groupChange) text(w io.Writer) {
	what := fmt.Sprintf("old line %d, new line %d", g.OldLine, g.NewLine)
	switch {
	case g.OldLine == 0:
		what = fmt.Sprintf("a new group, line %d", g.NewLine)
	case g.NewLine == 0:
		what = fmt.Sprintf("the group of line %d is gone", g.OldLine)
	}
	fmt.Fprintf(w, "user-agent %s: %s\n", report.Safe(g.Token), what)
	for _, r := range g.Removed {
		fmt.Fprintf(w, "  - line %d: %s\n", r.Line, report.Safe(r.Text))
	}
	for _, r := range g.Added {
		fmt.Fprintf(w, "  + line %d: %s\n", r.Line, report.Safe(r.Text))
	}
}

func (c *clientChanges) text(w io.Writer) {
	fmt.Fprintf(w, "  %s: %d become allowed, %d become disallowed\n", c.Client, c.Allowed, c.Disallowed)
	for _, k := range c.Causes {
		fmt.Fprintf(w, "    %s %s: old %s; new %s\n", report.Count(k.Count, "URL"), word(k.Allowed), report.Safe(k.Old.Why), report.Safe(k.New.Why))
		for _, e := range k.Examples {
			fmt.Fprintf(w, "      %s\n", report.Safe(e))
		}
		if more := k.Count - int64(len(k.Examples)); more > 0 && len(k.Examples) > 0 {
			fmt.Fprintf(w, "      and %d more\n", more)
		}
	}
	if c.Others > 0 {
		fmt.Fprintf(w, "    %d more, of other lines\n", c.Others)
	}
}
