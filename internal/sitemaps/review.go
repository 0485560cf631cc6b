package sitemaps

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
	"trawl/internal/lastmod"
	"trawl/internal/weburl"
)

// Blocked says that robots.txt forbids a URL to a client.
type Blocked struct {
	Client crawl.ClientID
	Line   int // of robots.txt; 0 = not one line
	Why    string
}

// Fact is what a crawl knows of a URL.
type Fact struct {
	Known     bool
	Crawled   bool
	Indexable bool
	Why       string // why not, one sentence
}

// Options are what a review asks others.
type Options struct {
	Now    time.Time                            // for lastmod values in the future
	Listed int                                  // findings of one class listed for a file; 0 = MaxListed
	Named  func(sitemap crawl.URL) []crawl.Host // hosts whose robots.txt names the sitemap; nil = none
	Robots func(u crawl.URL) []Blocked          // whom robots.txt forbids the URL; nil = not asked
	Known  func(u crawl.URL) (Fact, error)      // what a crawl knows; nil = not asked
}

// File is what was found in one sitemap.
type File struct {
	Name       string             `json:"file"`
	URL        crawl.URL          `json:"url,omitempty"` // where it is served
	Format     string             `json:"format"`
	Encoding   string             `json:"encoding,omitempty"`
	Packed     int                `json:"gzip"` // how often
	Bytes      int64              `json:"bytes"`
	Entries    int                `json:"entries"` // those that are too many included
	URLs       int                `json:"urls"`    // that can be crawled, each once in this file
	Duplicates int                `json:"duplicates"`
	LastMod    LastMods           `json:"lastmod"`
	Extensions sitemap.Extensions `json:"extensions"`
	Truncated  bool               `json:"truncated"`
	Errors     int64              `json:"errors"`
	Warnings   int64              `json:"warnings"`
}

// LastMods counts the lastmod values of a sitemap.
type LastMods struct {
	Valid    int       `json:"valid"`
	Missing  int       `json:"missing"`
	Invalid  int       `json:"invalid"`
	Future   int       `json:"future"`
	Distinct int       `json:"distinct"`
	Oldest   time.Time `json:"oldest,omitzero"`
	Newest   time.Time `json:"newest,omitzero"`
}

// Review checks sitemaps one after the other. Make one with New; one goroutine at
// a time uses it.
type Review struct {
	opt      Options
	Files    []File
	Findings []Finding // at most MaxFindings, in the order of files, then lines
	Dropped  int64     // findings that are not listed
	URLs     int64     // distinct URLs of all files that can be crawled
	counts   map[Count]int64
	seen     map[uint64]place
	full     bool // seen is
	kept     int  // bytes of the findings
	hosts    map[crawl.Host]bool
	parents  map[crawl.URL]crawl.URL // sitemaps that an index lists
	Facts    Facts
}

// Facts sums up what a crawl knows of the URLs.
type Facts struct {
	Known        int64 `json:"known"`
	Unknown      int64 `json:"not_known"`
	Uncrawled    int64 `json:"not_crawled"`
	Indexable    int64 `json:"indexable"`
	NotIndexable int64 `json:"not_indexable"`
}

// place is where a URL stood first.
type place struct{ file, line int32 }

// New returns an empty review.
func New(opt Options) *Review {
	if opt.Listed <= 0 {
		opt.Listed = MaxListed
	}
	return &Review{opt: opt, counts: map[Count]int64{}, seen: map[uint64]place{}, hosts: map[crawl.Host]bool{}, parents: map[crawl.URL]crawl.URL{}}
}

// Counts are the findings by class, errors first, then by class.
func (r *Review) Counts() []Count {
	out := make([]Count, 0, len(r.counts))
	for k, n := range r.counts {
		k.Count = n
		out = append(out, k)
	}
	rank := map[Severity]int{Error: 0, Warning: 1, Note: 2}
	sort.Slice(out, func(i, j int) bool {
		if a, b := rank[out[i].Severity], rank[out[j].Severity]; a != b {
			return a < b
		}
		return out[i].Class < out[j].Class
	})
	return out
}

// Problems counts the errors and warnings.
func (r *Review) Problems() (errors, warnings int64) {
	for k, n := range r.counts {
		switch k.Severity {
		case Error:
			errors += n
		case Warning:
			warnings += n
		}
	}
	return errors, warnings
}

// Report adds a finding of the caller's, about a sitemap that could not be read.
func (r *Review) Report(f Finding) { r.add(f, nil) }

func (r *Review) add(f Finding, listed map[string]int) {
	r.counts[Count{Class: f.Class, Severity: f.Severity}]++
	if listed != nil {
		listed[f.Class]++
	}
	r.kept += len(f.URL) + len(f.Text)
	if len(r.Findings) >= MaxFindings || r.kept > maxKept || listed != nil && listed[f.Class] > r.opt.Listed {
		r.Dropped++
		return
	}
	r.Findings = append(r.Findings, f)
}

// checker is the check of one file.
type checker struct {
	r      *Review
	s      *sitemap.Sitemap
	file   *File
	scope  sitemap.Scope
	listed map[string]int
	dates  map[time.Time]int
	begin  int // findings before
	http   int
	https  int
	first  crawl.Host
	mixed  bool
	kids   []crawl.URL
}

// Add checks one sitemap and returns the sitemaps that it lists, canonical, each
// once over the whole review, those out of scope left out.
func (r *Review) Add(name string, self crawl.URL, s *sitemap.Sitemap) ([]crawl.URL, error) {
	r.Files = append(r.Files, File{
		Name: name, URL: self, Format: s.Format, Encoding: s.Encoding, Packed: s.Packed, Bytes: s.Bytes, Entries: len(s.Entries) + s.Beyond,
		Extensions: s.Extensions, Truncated: s.Truncated,
	})
	c := &checker{r: r, s: s, file: &r.Files[len(r.Files)-1], listed: map[string]int{}, dates: map[time.Time]int{}, begin: len(r.Findings)}
	c.scope = sitemap.Scope{Sitemap: self}
	if r.opt.Named != nil {
		c.scope.Named = r.opt.Named(self)
		for p, n := r.parents[self], 0; p != "" && n < 10; p, n = r.parents[p], n+1 { // what is said of an index holds for its sitemaps
			c.scope.Named = append(c.scope.Named, r.opt.Named(p)...)
		}
	}
	c.parsed()
	var err error
	for i := range s.Entries {
		if err = c.entry(&s.Entries[i]); err != nil {
			break
		}
	}
	c.alternates()
	c.whole()
	c.order()
	return c.kids, err
}

// parsed takes over what the parser found.
func (c *checker) parsed() {
	for _, i := range c.s.Issues {
		severity := Error
		switch i.Class {
		case sitemap.ClassTooMany, sitemap.ClassTooLarge:
			continue // whole has the figures
		case sitemap.ClassLastMod, sitemap.ClassTwice, sitemap.ClassRelative, sitemap.ClassDoctype:
			severity = Warning
		}
		c.find(severity, i.Class, i.Line, i.Offset, "", i.Text)
	}
	if n := int64(c.s.IssuesDropped); n > 0 { // the parser keeps no more
		c.r.Dropped += n
		c.r.counts[Count{Class: ClassMore, Severity: Warning}] += n
		c.file.Warnings += n
	}
}

func (c *checker) find(s Severity, class string, line, offset int, u crawl.URL, text string) {
	switch s {
	case Error:
		c.file.Errors++
	case Warning:
		c.file.Warnings++
	}
	c.r.add(Finding{File: c.file.Name, Line: line, Offset: offset, Severity: s, Class: class, URL: u, Text: text}, c.listed)
}

// order sorts the findings of the file by line, those of the whole file last, as
// they conclude from the others.
func (c *checker) order() {
	list := c.r.Findings[c.begin:]
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i].Line, list[j].Line
		return a != b && (b == 0 || a != 0 && a < b)
	})
}

// entry checks one URL.
func (c *checker) entry(e *sitemap.Entry) error {
	c.lastmod(e)
	u, err := c.resolve(e.Loc)
	if err != nil {
		c.find(Error, ClassNotURL, e.Line, e.Offset, "", fmt.Sprintf("%.200q is no URL that is crawled: %v", e.Loc, err))
		return nil
	}
	if string(u) != e.Loc && strings.Contains(e.Loc, "://") {
		c.find(Warning, ClassNotCanonical, e.Line, e.Offset, u, fmt.Sprintf("%.200q is crawled as %s: write it so", e.Loc, u))
	}
	c.mix(e, u)
	if v := c.scope.Check(u); v != sitemap.InScope {
		c.find(Error, ClassOutOfScope, e.Line, e.Offset, u, fmt.Sprintf("%s is out of scope and not taken: %s", u, v))
		return nil
	}
	if c.double(e, u) {
		return nil
	}
	c.file.URLs++
	if c.s.Index {
		c.child(e, u)
		return nil
	}
	c.r.URLs++
	if c.r.opt.Robots != nil {
		c.robots(e, u)
	}
	if c.r.opt.Known == nil {
		return nil
	}
	return c.fact(e, u)
}

func (c *checker) resolve(loc string) (crawl.URL, error) {
	if c.scope.Sitemap != "" {
		return weburl.ResolveReference(c.scope.Sitemap, loc)
	}
	return weburl.Parse(loc)
}

// double reports whether the URL stood somewhere before.
func (c *checker) double(e *sitemap.Entry, u crawl.URL) bool {
	h := xxh3.HashString(string(u))
	if p, ok := c.r.seen[h]; ok {
		c.file.Duplicates++
		where := fmt.Sprintf("line %d", p.line)
		if int(p.file) != len(c.r.Files)-1 {
			where += " of " + c.r.Files[p.file].Name
		}
		c.find(Warning, ClassDuplicate, e.Line, e.Offset, u, fmt.Sprintf("%s stands in %s already", u, where))
		return true
	}
	if len(c.r.seen) >= MaxDistinct {
		c.r.full = true
		return false
	}
	c.r.seen[h] = place{int32(len(c.r.Files) - 1), int32(min(e.Line, 1<<31-1))}
	return false
}

// child takes a sitemap of an index.
func (c *checker) child(e *sitemap.Entry, u crawl.URL) {
	if u == c.scope.Sitemap {
		c.find(Error, ClassItself, e.Line, e.Offset, u, "the index names itself")
		return
	}
	if _, known := c.r.parents[u]; known || len(c.r.parents) >= MaxFiles {
		return
	}
	c.r.parents[u] = c.scope.Sitemap
	c.kids = append(c.kids, u)
}

// mix notes hosts and schemes that differ from the first entry's.
func (c *checker) mix(e *sitemap.Entry, u crawl.URL) {
	switch u.Scheme() {
	case "http":
		c.http++
	case "https":
		c.https++
	}
	if c.first == "" {
		c.first = u.Host()
	} else if u.Host() != c.first && !c.mixed {
		c.mixed = true
		c.find(Note, ClassMixedHosts, e.Line, e.Offset, u, fmt.Sprintf("the sitemap has URLs of %s and of %s: each host's robots.txt has to name it", c.first, u.Host()))
	}
	if len(c.r.hosts) < maxHosts {
		c.r.hosts[u.Host()] = true
	}
}

func (c *checker) robots(e *sitemap.Entry, u crawl.URL) {
	blocked := c.r.opt.Robots(u)
	if len(blocked) == 0 {
		return
	}
	var who []string
	for _, b := range blocked {
		who = append(who, string(b.Client))
	}
	c.find(Error, ClassBlocked, e.Line, e.Offset, u, fmt.Sprintf("%s is disallowed for %s by robots.txt, %s", u, strings.Join(who, ", "), blocked[0].Why))
}

func (c *checker) fact(e *sitemap.Entry, u crawl.URL) error {
	f, err := c.r.opt.Known(u)
	if err != nil {
		return err
	}
	facts := &c.r.Facts
	if !f.Known {
		facts.Unknown++
		c.find(Note, ClassNotKnown, e.Line, e.Offset, u, fmt.Sprintf("%s is not known to the crawl", u))
		return nil
	}
	facts.Known++
	switch {
	case !f.Crawled && f.Why == "":
		facts.Uncrawled++
		c.find(Note, ClassNotCrawled, e.Line, e.Offset, u, fmt.Sprintf("%s is known and was not crawled yet", u))
	case !f.Indexable:
		facts.NotIndexable++
		c.find(Error, ClassNotIndexable, e.Line, e.Offset, u, fmt.Sprintf("%s cannot be indexed: %s", u, f.Why))
	default:
		facts.Indexable++
	}
	return nil
}

// lastmod counts the date of an entry.
func (c *checker) lastmod(e *sitemap.Entry) {
	m := &c.file.LastMod
	switch {
	case !e.Dated:
		m.Missing++
		return
	case e.LastMod.IsZero():
		m.Invalid++ // the parser said so
		return
	}
	m.Valid++
	if m.Oldest.IsZero() || e.LastMod.Before(m.Oldest) {
		m.Oldest = e.LastMod
	}
	if e.LastMod.After(m.Newest) {
		m.Newest = e.LastMod
	}
	c.dates[e.LastMod]++
	if !lastmod.Plausible(e.LastMod, c.r.opt.Now) {
		m.Future++
		c.find(Warning, ClassFuture, e.Line, e.Offset, "", fmt.Sprintf("lastmod %s is in the future and ignored, and makes the others less believed", e.LastMod.Format(time.RFC3339)))
	}
}
