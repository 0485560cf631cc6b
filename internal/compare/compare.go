package compare

import (
	"fmt"
	"slices"
	"strings"

	"trawl/internal/crawl"
)

// Report is the comparison of several answers for one URL with the first of them.
type Report struct {
	URL         crawl.URL    `json:"url"`
	Probes      []*Seen      `json:"probes"` // as they were asked; the others are compared with the first
	Same        bool         `json:"same"`
	Differences []Difference `json:"differences"`
	Texts       []TextDiff   `json:"text_differences"`
	Links       []LinkDiff   `json:"link_differences"`
	Unstable    []string     `json:"unstable"`        // aspects in which the first answer and its control differ
	Ignored     []string     `json:"ignored_headers"` // that differed, and change with every response
	Verdicts    []Verdict    `json:"verdicts"`
	Control     string       `json:"control"` // "asked", or why the first request was not made again
}

// Difference is one aspect in which a probe differs from the first one.
type Difference struct {
	Probe  string `json:"probe"`
	Aspect string `json:"aspect"` // "status", "canonical", "header Vary"
	First  string `json:"first"`  // what the first one got; "" = nothing
	Got    string `json:"got"`
}

// TextDiff is how the text of a probe differs from that of the first one.
type TextDiff struct {
	Probe      string   `json:"probe"`
	Similarity float64  `json:"similarity"`
	Distance   int      `json:"simhash_distance"`
	Excerpt    []string `json:"excerpt"` // of a unified difference
}

// LinkDiff is how the links of a probe differ from those of the first one.
type LinkDiff struct {
	Probe   string      `json:"probe"`
	Added   int         `json:"added"`
	Missing int         `json:"missing"`
	More    []crawl.URL `json:"more"` // the first maxLinksShown of them
	Fewer   []crawl.URL `json:"fewer"`
}

const maxLinksShown = 10

// Compare compares the probes with the first one. control is the first request
// made again after all others, nil if it was not: without, says why.
func Compare(u crawl.URL, probes []*Probe, control *Probe, without string) *Report {
	r := &Report{
		URL: u, Control: "asked", Differences: []Difference{}, Texts: []TextDiff{}, Links: []LinkDiff{},
		Unstable: []string{}, Ignored: []string{}, Verdicts: []Verdict{},
	}
	if control == nil {
		r.Control = without
	}
	if len(probes) == 0 {
		r.Same = true
		return r
	}
	for _, p := range probes {
		r.Probes = append(r.Probes, see(p, false))
	}
	base := r.Probes[0]
	base.Similarity, base.Distance = 1, 0
	noise := map[string]bool{}
	var steady *Seen
	if control != nil && control.Skipped == "" {
		steady = see(control, false)
		for _, d := range r.against(base, steady) {
			noise[d.Aspect] = true
			r.Unstable = append(r.Unstable, d.Aspect)
		}
	}
	var verdicts gathered
	for i, s := range r.Probes[1:] {
		if s.Skipped != "" {
			continue
		}
		p := r.pair(base, s, probes[0], probes[i+1])
		p.noise, p.floor = noise, 1
		if steady != nil && steady.text != nil {
			p.floor = similarity(base.text, steady.text)
		}
		r.compare(p)
		verdicts.add(p)
	}
	verdicts.alone(base)
	r.Verdicts = verdicts.list(r)
	slices.Sort(r.Ignored)
	r.Ignored = slices.Compact(r.Ignored)
	r.Same = len(r.Differences)+len(r.Texts)+len(r.Links) == 0
	return r
}

// pair is two answers that are compared. Where one client does not follow
// redirects and met one, both are taken at the first hop (A4).
type pair struct {
	base, seen  *Seen // as compared
	shown       *Seen // as reported
	differences []Difference
	noise       map[string]bool // aspects that change by themselves
	floor       float64         // similarity of the first answer to its control
	firstHop    bool
}

func (r *Report) pair(base, s *Seen, bp, sp *Probe) *pair {
	p := &pair{base: base, seen: s, shown: s}
	if bp.Follows != sp.Follows && (len(base.Chain) > 0 || len(s.Chain) > 0) {
		p.base, p.seen, p.firstHop = see(bp, true), see(sp, true), true
	}
	return p
}

// compare fills the report with what a pair differs in.
func (r *Report) compare(p *pair) {
	all := r.against(p.base, p.seen)
	for _, d := range all {
		if !p.noise[d.Aspect] {
			p.differences = append(p.differences, d)
		}
	}
	s := p.shown
	s.Similarity, s.Distance = similarity(p.base.text, p.seen.text), distance(p.base.text, p.seen.text)
	if p.base.Digest == p.seen.Digest {
		s.Similarity, s.Distance = 1, 0
	}
	if alike(p.base, p.seen) && p.base.text != nil && p.seen.text != nil && p.base.Digest != p.seen.Digest && s.Similarity < p.floor {
		if ex := excerpt(p.base.text.lines, p.seen.text.lines); len(ex) > 0 {
			r.Texts = append(r.Texts, TextDiff{s.Name, s.Similarity, s.Distance, ex})
		}
	}
	if d := linkDiff(p); d != nil && !p.noise["links"] {
		r.Links = append(r.Links, *d)
	}
	r.Differences = append(r.Differences, p.differences...)
}

// against lists the aspects in which b differs from a. Differences of links and
// text are aspects for the control only; they are reported by themselves.
func (r *Report) against(a, b *Seen) []Difference {
	var out []Difference
	put := func(aspect, x, y string) {
		if x != y {
			out = append(out, Difference{b.Name, aspect, x, y})
		}
	}
	put("status", status(a), status(b))
	put("failure", failure(a), failure(b))
	put("redirects", chain(a), chain(b))
	put("redirect error", a.RedirectErr, b.RedirectErr)
	if a.Failure == nil && b.Failure == nil {
		put("final URL", string(a.URL), string(b.URL))
	}
	if a.Asked == b.Asked && a.Status > 0 && b.Status > 0 {
		put("protocol", a.Protocol, b.Protocol)
	}
	if alike(a, b) {
		put("type", a.MediaType, b.MediaType)
		put("charset", a.Charset, b.Charset)
		put("title", a.Title, b.Title)
		put("robots", robots(a), robots(b))
		put("canonical", string(a.Canonical), string(b.Canonical))
		put("refresh", string(a.Refresh), string(b.Refresh))
		put("truncated", cut(a), cut(b))
		if a.text == nil || b.text == nil {
			put("body", a.Digest, b.Digest)
		}
	}
	if a.Status > 0 && b.Status > 0 {
		out = append(out, r.headers(a, b)...)
	}
	for i := range out {
		out[i].Probe = b.Name
	}
	if b.probe.Client == a.probe.Client && b.probe.Protocol == a.probe.Protocol && b.probe.Region == a.probe.Region && !slices.Equal(a.links, b.links) {
		out = append(out, Difference{b.Name, "links", fmt.Sprint(a.Links), fmt.Sprint(b.Links)})
	}
	return out
}

// alike reports whether the content of two answers can be compared: that an error
// page is another one than the page itself goes without saying.
func alike(a, b *Seen) bool {
	return a.Status > 0 && (a.Status == b.Status || a.Status/100 == 2 && b.Status/100 == 2)
}

func status(s *Seen) string {
	if s.Status == 0 {
		return ""
	}
	return fmt.Sprint(s.Status)
}

func failure(s *Seen) string {
	if s.Failure == nil {
		return ""
	}
	return s.Failure.Class.String()
}

func chain(s *Seen) string {
	hops := make([]string, len(s.Chain))
	for i, h := range s.Chain {
		hops[i] = h.String()
	}
	return strings.Join(hops, ", ")
}

func robots(s *Seen) string {
	var rules []string
	if s.Noindex {
		rules = append(rules, "noindex")
	}
	if s.Nofollow {
		rules = append(rules, "nofollow")
	}
	return strings.Join(rules, ", ")
}

func cut(s *Seen) string {
	if s.Truncated {
		return fmt.Sprintf("cut at %d bytes", s.Limit)
	}
	return ""
}

// linkDiff compares two sets of links; nil = the same.
func linkDiff(p *pair) *LinkDiff {
	d := &LinkDiff{Probe: p.shown.Name, More: []crawl.URL{}, Fewer: []crawl.URL{}}
	d.Added, d.More = beyond(p.seen.links, p.base.links)
	d.Missing, d.Fewer = beyond(p.base.links, p.seen.links)
	if d.Added+d.Missing == 0 || !alike(p.base, p.seen) {
		return nil
	}
	return d
}

// beyond returns how many of list are not among known, and the first of them.
func beyond(list, known []crawl.URL) (int, []crawl.URL) {
	in := make(map[crawl.URL]bool, len(known))
	for _, u := range known {
		in[u] = true
	}
	n, first := 0, []crawl.URL{}
	for _, u := range list {
		if in[u] {
			continue
		}
		if n++; len(first) < maxLinksShown {
			first = append(first, u)
		}
	}
	return n, first
}
