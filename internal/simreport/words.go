package simreport

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/report"
)

// Sentence is one thing that a run has shown, with the behaviour rows behind it.
type Sentence struct {
	Topic string   `json:"topic"`
	Text  string   `json:"text"`
	Rows  []string `json:"rows"`
}

// Sentences tell the figures in words.
func (f *Figures) Sentences() []Sentence {
	var out []Sentence
	say := func(topic string, rows []string, format string, args ...any) {
		out = append(out, Sentence{topic, fmt.Sprintf(format, args...), rows})
	}
	for i := range f.Trouble {
		say("Trouble", nil, "%s: %s.", f.Trouble[i].when(), f.Trouble[i].Text)
	}
	f.rate(say)
	f.capacity(say)
	f.index(say)
	f.beyond(say)
	return out
}

type teller func(topic string, rows []string, format string, args ...any)

// rate tells what became of the crawl rate.
func (f *Figures) rate(say teller) {
	b, d := &f.Before, &f.During
	switch {
	case len(f.Trouble) == 0:
		say("Crawl rate", []string{"E1"}, "%s requests an hour, %d in all.", number(d.Requests), f.Fetches)
		return
	case b.To == 0:
		say("Crawl rate", []string{"E1"}, "%s requests an hour while it lasted.", number(d.Requests))
	default:
		say("Crawl rate", []string{"E1"}, "%s requests an hour before, %s while it lasted%s.", number(b.Requests), number(d.Requests), change(b.Requests, d.Requests))
	}
	if f.After != nil {
		say("Crawl rate", nil, "%s requests an hour after it.", number(f.After.Requests))
	}
}

// unchanged is how much of the limit is left when it is said to be unchanged.
const unchanged = 0.85

// capacity tells what became of the crawl capacity limit.
func (f *Figures) capacity(say teller) {
	b, d := &f.Before, &f.During
	start := b.Limit
	if len(f.Trouble) == 0 {
		say("Capacity", []string{"E1", "E3"}, "The crawl capacity limit ended at %s connection-seconds per second, %s at the lowest.", number(d.Limit), number(d.Lowest))
		return
	}
	switch {
	case b.To == 0:
		say("Capacity", []string{"E3"}, "The crawl capacity limit was %s connection-seconds per second at the lowest.", number(d.Lowest))
	case d.Lowest >= unchanged*start:
		var rows []string
		if f.clientErrors() {
			rows = []string{"E6"}
		}
		say("Capacity", rows, "The crawl capacity limit stayed: %s connection-seconds per second before, %s at the lowest.", number(start), number(d.Lowest))
	default:
		say("Capacity", []string{"E3", "E4"}, "The crawl capacity limit fell from %s to %s connection-seconds per second at the lowest.", number(start), number(d.Lowest))
	}
	if at, ok := f.FirstCut.Value(); ok && d.Lowest < unchanged*start {
		say("Capacity", nil, "The first reaction came %s after it began: %s.", short(at), report.Safe(f.Cut))
	}
	if f.After == nil || b.To == 0 {
		return
	}
	if at, ok := f.RateBack.Value(); ok {
		if at > 0 && d.Lowest < unchanged*start {
			say("Capacity", []string{"E4"}, "Nine tenths of the limit were back within %s after the end.", short(at))
		}
		return
	}
	say("Capacity", []string{"E4"}, "Nine tenths of the limit were not back until the end of the run: %s of %s.", number(f.After.Limit), number(start))
}

// clientErrors reports whether 4xx answers came, which have no effect on the rate.
func (f *Figures) clientErrors() bool {
	n := 0
	for _, r := range []crawl.Response{crawl.ResponseNotFound, crawl.ResponseUnauthorized, crawl.ResponseClientError} {
		n += f.During.Responses[r.String()]
	}
	return n > 0
}

// index tells what became of the URLs.
func (f *Figures) index(say teller) {
	b, d := f.Before.Index, f.During.Index
	end := d
	if f.After != nil {
		end = f.After.Index
	}
	if len(f.Trouble) == 0 {
		say("Index", []string{"F1"}, "%s of %s passed on at the end.", count(end.Passed, "URL"), count(f.Known, "known URL"))
		return
	}
	if f.Before.To > 0 {
		say("Index", []string{"F1"}, "Passed on: %s before, %d at the fewest, %d at the end.", count(b.Passed, "URL"), f.Least, end.Passed)
	} else {
		say("Index", []string{"F1"}, "Passed on at the end: %s.", count(end.Passed, "URL"))
	}
	if f.Peak.Preserved > 0 {
		say("Index", f.rowsTo(crawl.IndexPreserved), "Preserved though they failed: up to %s.", count(f.Peak.Preserved, "URL"))
	}
	if at, ok := f.Removed.Value(); ok {
		say("Index", f.rowsTo(crawl.IndexRemoved), "Removed: the first URL within %s, %d at the most, %d at the end.", short(at), f.Peak.Removed, end.Removed)
	} else if f.Before.To > 0 {
		say("Index", nil, "Removed: none.")
	}
	if f.Peak.Excluded > b.Excluded {
		say("Index", f.rowsTo(crawl.IndexExcluded), "Excluded: %d before, %d at the most, %d at the end.", b.Excluded, f.Peak.Excluded, end.Excluded)
	}
	if f.After == nil || f.Before.To == 0 {
		return
	}
	switch at, ok := f.URLsBack.Value(); {
	case !ok:
		say("Index", nil, "The URLs were not back until the end of the run: %d are missing.", f.Lost)
	case f.Least < int(urlsBack*float64(b.Passed)):
		say("Index", nil, "All but one in fifty of the URLs were back within %s after the end.", short(at))
	}
}

// beyond tells what there is besides.
func (f *Figures) beyond(say teller) {
	if n := f.During.Abandoned; n > 0 {
		say("robots.txt", []string{"C4", "C6"}, "%s were not made, because robots.txt was not available; it was asked for %s times a day.", count(n, "request"), number(f.During.Robots))
	}
	if n := f.Before.HTTP2 + f.During.HTTP2; n > 0 || f.OptOut {
		say("HTTP/2", []string{"B1"}, "%s over HTTP/2 before, %d after the first 421; %d refused.", count(f.Before.HTTP2, "answer"), f.During.HTTP2, f.Before.Refused+f.During.Refused)
	}
	if f.During.Resources > 0 || f.Before.Resources > 0 {
		say("Page resources", []string{"I2", "J3", "J4"}, "Page resource loads: %s an hour before, %s while it lasted.", number(f.Before.Resources), number(f.During.Resources))
	}
	if len(f.During.Clients) > 1 {
		say("Clients", []string{"E5", "I2"}, "Requests by client: %s.", shares(f.During.Clients))
	}
	for _, c := range f.Clusters {
		say("Index", []string{"F10", "F11"}, "%s in one cluster of the same content%s at the end.", count(int(c.Count), "URL"), titled(c.Title))
	}
	for _, t := range f.Traps {
		say("Discovery", []string{"D3"}, "%s not taken: %s (%s).", count(int(t.Count), "URL"), report.Safe(t.Pattern), report.Safe(t.Reason))
	}
	for _, o := range f.Others {
		rows, reached := []string{"H3"}, ""
		if at, ok := o.Reached.Value(); ok && len(f.Trouble) > 0 {
			reached = fmt.Sprintf(", half of them within %s after it began", short(at))
		}
		say("Other hosts", rows, "%s: %s, %d passed on%s.", o.Host, count(o.Requests, "request"), o.Index.Passed, reached)
	}
}

func titled(title string) string {
	if title == "" {
		return ""
	}
	return " (" + strconv.Quote(report.Safe(title)) + ")"
}

func shares(m map[string]int) string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return (m[b]-m[a])*2 + strings.Compare(a, b) })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, m[n])
	}
	return strings.Join(names, ", ")
}

// number writes a figure with three digits.
func number(v float64) string {
	switch {
	case v >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v == 0:
		return "0"
	}
	s := strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(v)))), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// change says by how much a rate changed, if it did.
func change(before, during float64) string {
	if before <= 0 {
		return ""
	}
	switch p := 100 * (during - before) / before; {
	case p <= -2:
		return fmt.Sprintf(" (−%.0f %%)", -p)
	case p >= 2:
		return fmt.Sprintf(" (+%.0f %%)", p)
	}
	return " (no change)"
}

// Text writes the summary for people.
func (f *Figures) Text(w io.Writer) error {
	var b strings.Builder
	title := f.Name
	if f.Title != "" {
		title = f.Title + " (" + f.Name + ")"
	}
	fmt.Fprintf(&b, "%s\n%s, %s simulated, %d requests, seed %d\n", report.Safe(title), report.Safe(string(f.Host)), short(time.Duration(f.Duration)), f.Fetches, f.Seed)
	topic := ""
	for _, s := range f.Sentences() {
		rows := ""
		if len(s.Rows) > 0 {
			rows = " [" + strings.Join(s.Rows, " ") + "]"
		}
		if s.Topic != topic {
			fmt.Fprintf(&b, "\n%s\n", s.Topic)
			topic = s.Topic
		}
		fmt.Fprintf(&b, "  %s%s\n", s.Text, rows)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
