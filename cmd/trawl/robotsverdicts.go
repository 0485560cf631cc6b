package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/report"
	"trawl/internal/robots"
)

// robotsTest is one run of `trawl robots --test`. It writes each verdict as it
// comes: what it holds does not grow with the number of URLs.
type robotsTest struct {
	robotsOptions
	ctx    context.Context
	source *robotsSource
	judges []robotsJudge
	feed   *urlFeed
	out    *bufio.Writer
	got    []robots.Verdict // of the URL at hand, by judge

	tallies []clientTally // by judge
	checked int64         // expectations
	failed  int64
	rows    int64
}

// clientTally counts the verdicts for one client.
type clientTally struct {
	Client     crawl.ClientID `json:"client"`
	Allowed    int64          `json:"allowed"`
	Disallowed int64          `json:"disallowed"`
	Rules      []ruleTally    `json:"rules"` // that decided, most often first
	left       int
	byLine     map[int]*ruleTally
}

type ruleTally struct {
	Line  int    `json:"line"`
	Rule  string `json:"rule"`
	Count int64  `json:"count"`
}

type testRow struct {
	URL      string    `json:"url"`
	Line     int       `json:"line"` // of the list, or its place on the command line
	Verdicts []verdict `json:"verdicts"`
	Failed   []string  `json:"failed,omitempty"` // expectations
}

type testSummary struct {
	URLs         int64         `json:"urls"`
	LeftOut      int64         `json:"left_out"`
	Bad          int64         `json:"bad_lines"`
	Expectations int64         `json:"expectations"`
	Failed       int64         `json:"failed"`
	Clients      []clientTally `json:"clients"`
}

func runTest(ctx context.Context, o robotsOptions, args []string, s streams) error {
	env, err := o.identityOptions.open(nil)
	if err != nil {
		return err
	}
	list, err := env.clients(o.clients, "trawl", "googlebot-smartphone")
	if err != nil {
		return err
	}
	src, err := o.openRobots(ctx, args[0])
	if err != nil {
		return err
	}
	if err := src.usable(); err != nil {
		return err
	}
	origin, err := o.originOf(src)
	if err != nil {
		return err
	}
	t := &robotsTest{
		robotsOptions: o, ctx: ctx, source: src, judges: newJudges(list, src.rules), feed: &urlFeed{origin: origin, streams: s},
		out: bufio.NewWriterSize(s.out, 64<<10), got: make([]robots.Verdict, len(list)),
	}
	t.begin(list)
	switch {
	case o.expect != "":
		err = t.feed.file(o.expect, true, t.one)
	case o.urls != "":
		err = t.feed.file(o.urls, false, t.one)
	default:
		err = t.feed.args(args[1:], t.one)
	}
	if err == nil {
		err = t.end()
	}
	if err == nil || t.rows > 0 { // a list that cannot be opened leaves no half of a document
		if flushed := t.out.Flush(); err == nil {
			err = flushed
		}
	}
	if ended := t.feed.end(); err == nil {
		err = ended
	}
	if err == nil && t.failed > 0 {
		return unmet()
	}
	return err
}

func (t *robotsTest) begin(list []client.Profile) {
	var ids []string
	for _, p := range list {
		t.tallies = append(t.tallies, clientTally{Client: p.ID, byLine: map[int]*ruleTally{}})
		ids = append(ids, string(p.ID))
	}
	switch {
	case t.json:
		name, _ := json.Marshal(t.source.name)
		fmt.Fprintf(t.out, "{\n  \"robots_txt\": %s,\n  \"urls\": [", report.SafeJSON(string(name)))
	case t.show != "none" && len(list) > 1:
		for _, id := range ids {
			fmt.Fprintf(t.out, "%-*s  ", columnWidth(id), id)
		}
		fmt.Fprintln(t.out, "URL")
	}
}

func columnWidth(id string) int { return max(len(id), len("disallowed:12345")) }

// one judges one URL.
func (t *robotsTest) one(l *listed) error {
	if t.rows%1024 == 0 {
		if err := interrupted(t.ctx); err != nil {
			return err
		}
	}
	t.rows++
	allowed, first := 0, true
	var failed []string
	for i := range t.judges {
		v := t.judges[i].check(l.path)
		t.got[i] = v
		t.tallies[i].add(v)
		if v.Allowed {
			allowed++
		}
		want, asked := t.wants(l, t.judges[i].id)
		if !asked {
			continue
		}
		first = false
		t.checked++
		if v.Allowed != want {
			t.failed++
			failed = append(failed, fmt.Sprintf("expected %s for %s, but it is %s: %s",
				word(want), t.judges[i].id, word(v.Allowed), t.judges[i].verdict(v).Why))
		}
	}
	if len(l.words) == 3 && first {
		if _, err := t.clientOf(l.words[2]); err != nil {
			t.feed.badLine(l.line, err.Error())
		}
	}
	t.print(l, allowed, failed)
	return nil
}

// clientOf says what is wrong with a client that an expectation is for.
func (t *robotsTest) clientOf(id string) (crawl.ClientID, error) {
	for _, j := range t.judges {
		if string(j.id) == id {
			return j.id, nil
		}
	}
	return "", fmt.Errorf("client %q is not among those that are asked for: name it by --client", id)
}

// wants returns what is expected of a URL for a client, if anything is.
func (t *robotsTest) wants(l *listed, id crawl.ClientID) (allowed, asked bool) {
	switch {
	case t.expectAllowed, t.expectDisallowed:
		return t.expectAllowed, true
	case len(l.words) == 3 && l.words[2] != string(id), len(l.words) == 0:
		return false, false
	}
	return l.words[0] == "allow", true
}

func word(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

func (c *clientTally) add(v robots.Verdict) {
	if v.Allowed {
		c.Allowed++
	} else {
		c.Disallowed++
	}
	if v.Line == 0 {
		return
	}
	r := c.byLine[v.Line]
	if r == nil {
		r = &ruleTally{Line: v.Line, Rule: v.Rule}
		c.byLine[v.Line] = r
	}
	r.Count++
}

// shows reports whether --show lists a URL.
func (t *robotsTest) shows(allowed int) bool {
	switch t.show {
	case "all":
		return true
	case "allowed":
		return allowed > 0
	case "disallowed":
		return allowed < len(t.judges)
	case "different":
		return allowed > 0 && allowed < len(t.judges)
	}
	return false
}

func (t *robotsTest) print(l *listed, allowed int, failed []string) {
	shown := t.shows(allowed)
	switch {
	case t.json && (shown || len(failed) > 0):
		t.printJSON(l, failed)
		return
	case t.json:
		return
	}
	for _, f := range failed {
		name := ""
		if t.feed.name != "" {
			name = fmt.Sprintf("%s:%d: ", t.feed.name, l.line)
		}
		fmt.Fprintf(t.out, "%sFAIL %s: %s\n", report.Safe(name), report.Safe(l.String()), report.Safe(f))
	}
	if !shown {
		return
	}
	if len(t.judges) == 1 {
		v := t.judges[0].verdict(t.got[0])
		group := ""
		if v.Group != "" {
			group = fmt.Sprintf(" (group %q, line %d)", report.Safe(v.Group), v.GroupLine)
		}
		fmt.Fprintf(t.out, "%-10s  %s  %s%s\n", word(v.Allowed), report.Safe(l.String()), report.Safe(v.Why), group)
		return
	}
	for i, v := range t.got {
		cell := word(v.Allowed)
		if v.Line > 0 {
			cell = fmt.Sprintf("%s:%d", cell, v.Line)
		}
		fmt.Fprintf(t.out, "%-*s  ", columnWidth(string(t.judges[i].id)), cell)
	}
	fmt.Fprintln(t.out, report.Safe(l.String()))
}

func (t *robotsTest) printJSON(l *listed, failed []string) {
	row := testRow{URL: l.String(), Line: l.line, Failed: failed}
	for i := range t.judges {
		row.Verdicts = append(row.Verdicts, t.judges[i].verdict(t.got[i]))
	}
	if t.feed.rows++; t.feed.rows > 1 {
		_ = t.out.WriteByte(',')
	}
	fmt.Fprintf(t.out, "\n    %s", compactJSON(row))
}

// compactJSON writes a value on one line.
func compactJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "null" // of our own types, all of which can be encoded
	}
	text := strings.TrimSuffix(b.String(), "\n")
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return report.SafeJSON(text)
		}
	}
	return text // there is nothing that could need it
}

func (t *robotsTest) end() error {
	sum := testSummary{URLs: t.rows, LeftOut: t.feed.foreign, Bad: t.feed.bad, Expectations: t.checked, Failed: t.failed}
	for i := range t.tallies {
		c := &t.tallies[i]
		c.Rules = []ruleTally{}
		for _, r := range c.byLine {
			c.Rules = append(c.Rules, *r)
		}
		slices.SortFunc(c.Rules, func(a, b ruleTally) int {
			if a.Count != b.Count {
				return int(min(1, max(-1, b.Count-a.Count)))
			}
			return a.Line - b.Line
		})
		if n := len(c.Rules); n > t.limit {
			c.Rules, c.left = c.Rules[:t.limit], n-t.limit
		}
		sum.Clients = append(sum.Clients, *c)
	}
	if t.json {
		_, err := fmt.Fprintf(t.out, "\n  ],\n  \"summary\": %s\n}\n", compactJSON(sum))
		return err
	}
	return sum.text(t.out)
}

func (s *testSummary) text(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", report.Count(s.URLs, "URL"))
	for _, c := range s.Clients {
		fmt.Fprintf(w, "  %s: %d allowed, %d disallowed\n", c.Client, c.Allowed, c.Disallowed)
		for _, r := range c.Rules {
			fmt.Fprintf(w, "    %10d  line %d: %s\n", r.Count, r.Line, report.Safe(r.Rule))
		}
		if c.left > 0 {
			fmt.Fprintf(w, "                and %s (--limit)\n", report.Count(int64(c.left), "more line"))
		}
	}
	var err error
	if s.Expectations > 0 {
		_, err = fmt.Fprintf(w, "%s, %d not met\n", report.Count(s.Expectations, "expectation"), s.Failed)
	}
	return err
}
