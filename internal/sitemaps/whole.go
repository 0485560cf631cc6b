package sitemaps

import (
	"fmt"
	"strings"
	"time"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
)

const (
	// equalFrom is from how many entries on equal dates are no accident.
	equalFrom = 10
	// nowWithin is how close to the reading a lastmod is taken for the time of it.
	nowWithin = 5 * time.Minute
)

// whole says what shows in the file as a whole.
func (c *checker) whole() {
	f := c.file
	say := func(s Severity, class, format string, args ...any) {
		c.find(s, class, 0, 0, "", fmt.Sprintf(format, args...))
	}
	f.LastMod.Distinct = len(c.dates)
	if f.Format == "" {
		return
	}
	n := len(c.s.Entries)
	if n == 0 {
		say(Warning, ClassNoEntries, "the sitemap has no entries")
	}
	if c.http > 0 && c.https > 0 {
		say(Warning, ClassMixedSchemes, "%d URLs are http and %d https: name the ones that are served", c.http, c.https)
	}
	if f.Encoding != "utf-8" {
		say(Warning, ClassEncoding, "the sitemap is in %s: the protocol wants UTF-8", f.Encoding)
	}
	if gz := strings.HasSuffix(strings.ToLower(f.URL.Path()), ".gz"); gz && f.Packed == 0 {
		say(Note, ClassName, "it is called .gz and was not packed, or unpacked on the way: it is read all the same")
	}
	if f.Packed > 1 {
		say(Warning, ClassName, "it is packed by gzip %d times: once is enough, and other readers give up", f.Packed)
	}
	if beyond := c.s.Beyond; beyond > 0 {
		say(Error, sitemap.ClassTooMany, "the last %d of %d entries were not taken", beyond, n+beyond)
	}
	if f.Bytes > sitemap.MaxBytes {
		say(Error, sitemap.ClassTooLarge, "it is %d bytes unpacked, %d are read", f.Bytes, sitemap.MaxBytes)
	}
	if c.s.Index && c.r.parents[f.URL] != "" {
		say(Warning, ClassNested, "an index lists this index: the protocol has one level, others stop here")
	}
	if x := f.Extensions.Ignored; x > 0 {
		say(Note, ClassIgnored, "%d priority and changefreq elements decide nothing: leave them out", x)
	}
	c.wholeDates(n, say)
}

func (c *checker) wholeDates(n int, say func(Severity, string, string, ...any)) {
	m := &c.file.LastMod
	switch {
	case n == 0:
	case m.Missing == n && c.s.Format != sitemap.FormatText:
		say(Note, ClassMissing, "no entry has a lastmod: a crawler has to find out by itself what changed")
	case m.Missing > 0 && m.Missing < n:
		say(Note, ClassMissing, "%d of %d entries have no lastmod", m.Missing, n)
	}
	if m.Valid < equalFrom || m.Distinct != 1 {
		return
	}
	if age := c.r.opt.Now.Sub(m.Newest); age >= 0 && age < nowWithin {
		say(Warning, ClassBuildTime, "all %d lastmod are the time at which the sitemap was read: they are generated for each request and will not be believed", m.Valid)
		return
	}
	say(Warning, ClassAllEqual, "all %d lastmod are %s: the time of a build, not of the pages; they will not be believed", m.Valid, m.Newest.Format(time.RFC3339))
}

// alternates checks the language versions: links, which have no scope.
func (c *checker) alternates() {
	for i := range c.s.Alternates {
		e := &c.s.Alternates[i]
		if _, err := c.resolve(e.Loc); err != nil {
			c.find(Warning, ClassNotURL, e.Line, e.Offset, "", fmt.Sprintf("language version %.200q is no URL that is crawled: %v", e.Loc, err))
		}
	}
}

// Full reports whether there were more URLs than are compared for duplicates.
func (r *Review) Full() bool { return r.full }

// Hosts returns how many hostnames the URLs are of.
func (r *Review) Hosts() int { return len(r.hosts) }

// ServedAt guesses where a sitemap file is served that is not on the web yet: at
// the root of the host of its first URL. "" if it has none.
func ServedAt(s *sitemap.Sitemap, name string, parse func(string) (crawl.URL, error)) crawl.URL {
	for i := range s.Entries {
		u, err := parse(s.Entries[i].Loc)
		if err != nil {
			continue
		}
		if self, err := parse(string(u.Origin()) + "/" + name); err == nil {
			return self
		}
	}
	return ""
}
