// Package sitemap reads sitemaps: XML, index, RSS 1.0 and 2.0, Atom and text,
// packed by gzip or not, whatever the response calls them (D2).
//
// It decides what the entries are, and by [Scope] which of them the sitemap may
// speak for; not whether a lastmod is believed, not whether an index is followed
// or names itself. It has no clock, so a lastmod in the future
// is kept as it is, for the caller to judge (case 28).
//
// Parse never fails. What could not be read is an [Issue] with its line, and
// what a limit cut makes the result Truncated. Only loc of url and sitemap
// elements counts: image:loc, video:content_loc and the like are no pages. The
// namespace may be missing or wrong. Entities are the five of XML and numeric
// ones: a doctype is skipped, so nothing can expand (case 29). Elements that are
// not closed, or closed in the wrong order, cost no more than themselves.
//
// Invariants: linear time; memory is bounded by the limits below; the body is
// not written to and not aliased by the result.
//
// Sources: the sitemaps.org protocol; W3C note on date and time formats; RFC
// 4287 (Atom); RSS 2.0; behaviour D2; cases 27, 28, 29.
package sitemap

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"trawl/internal/content/charset"
)

// Limits of one sitemap. The first two are documented (D2), the rest are house
// choices.
const (
	MaxEntries  = 50_000
	MaxBytes    = 50 << 20 // of the unpacked sitemap; MB as in crawl.MB
	MaxIssues   = 100
	MaxLoc      = 8 << 10 // bytes of one URL
	maxDepth    = 32      // nesting of elements that is followed
	maxPackings = 2       // gzip in gzip
)

// The formats.
const (
	FormatURLSet = "urlset"
	FormatIndex  = "sitemapindex"
	FormatRSS    = "rss"
	FormatAtom   = "atom"
	FormatText   = "text"
)

// Entry is one URL of a sitemap, as written, white space and markup removed.
type Entry struct {
	Loc     string
	LastMod time.Time // UTC; zero = none, or none that is a date
	Dated   bool      // it has a lastmod, whether it is a date or not
	Line    int       // from 1
	Offset  int       // of its first byte in the unpacked text in UTF-8, from 0
}

// The classes of issues, for machines. They are stable.
const (
	ClassFormat    = "not-a-sitemap"
	ClassEmpty     = "empty"
	ClassGzip      = "gzip"
	ClassTooLarge  = "too-large"
	ClassTooMany   = "too-many-urls"
	ClassCutOff    = "cut-off"
	ClassNoURL     = "no-url"
	ClassLongURL   = "long-url"
	ClassRelative  = "relative-url"
	ClassTwice     = "element-twice"
	ClassLastMod   = "lastmod-invalid"
	ClassAlternate = "too-many-alternates"
	ClassDoctype   = "doctype"
)

// Issue is something wrong with a sitemap, one sentence for its owner.
type Issue struct {
	Line   int // from 1; 0 = the sitemap as a whole
	Offset int // as Entry.Offset
	Class  string
	Text   string
}

func (i Issue) String() string {
	if i.Line == 0 {
		return i.Text
	}
	return fmt.Sprintf("Line %d: %s", i.Line, i.Text)
}

// Sitemap is what was read.
type Sitemap struct {
	Format        string // one of the formats, "" = not a sitemap
	Index         bool   // the entries are sitemaps
	Entries       []Entry
	Alternates    []Entry // hreflang versions (xhtml:link); at most MaxEntries
	Issues        []Issue // at most MaxIssues
	IssuesDropped int     // how many more there were
	Truncated     bool    // a limit cut it; an issue says which
	Packed        int     // how often it was packed by gzip
	Bytes         int64   // unpacked; what is beyond the limit only as far as Options.Measure
	Encoding      string  // of the text: "utf-8"
	Beyond        int     // entries that were not kept because there were too many, with Options.CountAll
	Extensions    Extensions

	countAll bool
	skipped  int // bytes of a byte order mark in front of the text
}

// Extensions counts the elements of other vocabularies. They are recognised and
// give no page URLs, but for the language versions in Alternates.
type Extensions struct {
	Image    int `json:"image"`
	Video    int `json:"video"`
	News     int `json:"news"`
	Media    int `json:"media"`    // mRSS
	Hreflang int `json:"hreflang"` // xhtml:link rel=alternate
	Ignored  int `json:"ignored"`  // priority and changefreq: they decide nothing
}

// Options say what the response said about the body.
type Options struct {
	ContentType string // for its charset; the type is not believed
	CountAll    bool   // count the entries that are too many, too
	Measure     int64  // bytes beyond MaxBytes that are unpacked to be counted
}

// Parse reads a sitemap.
func Parse(body []byte, opt Options) *Sitemap {
	s := &Sitemap{countAll: opt.CountAll}
	body = s.unpack(body, opt.Measure)
	s.Bytes += int64(len(body))
	if len(body) > MaxBytes {
		body = body[:MaxBytes]
		s.truncated(ClassTooLarge, "The sitemap is larger than 50 MB: the rest was not read. Split it.")
	}
	e, _ := charset.Detect(body, opt.ContentType, charset.XMLDeclared(body))
	s.Encoding = e.Name
	text := e.Decode(body) // without byte order mark
	if bom := []byte("\xef\xbb\xbf"); e.IsUTF8() && bytes.HasPrefix(body, bom) {
		s.skipped = len(bom)
		text = bytes.TrimPrefix(text, bom)
	}
	switch start := bytes.TrimLeft(text, "\t\n\f\r \x00"); {
	case len(start) == 0:
		s.issue(ClassEmpty, 0, 0, "The sitemap is empty.")
	case start[0] == '<':
		p := parser{doc: text, out: s}
		p.run()
	default:
		s.text(text)
	}
	return s
}

// issue notes what is wrong at a position in the text; line 0 is the whole.
func (s *Sitemap) issue(class string, line, at int, text string) {
	if len(s.Issues) >= MaxIssues {
		s.IssuesDropped++
		return
	}
	if line > 0 {
		at += s.skipped
	}
	s.Issues = append(s.Issues, Issue{Line: line, Offset: at, Class: class, Text: text})
}

func (s *Sitemap) truncated(class, text string) {
	if !s.Truncated {
		s.Truncated = true
		// Never dropped: it explains the flag.
		s.Issues = append([]Issue{{Class: class, Text: text}}, s.Issues[:min(len(s.Issues), MaxIssues-1)]...)
	}
}

// unpack undoes gzip, by its signature, whatever the label says.
func (s *Sitemap) unpack(body []byte, measure int64) []byte {
	for range maxPackings {
		if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
			return body
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			s.issue(ClassGzip, 0, 0, "The sitemap is packed by gzip and damaged: pack it again.")
			return nil
		}
		s.Packed++
		s.Bytes = 0
		var out bytes.Buffer
		if _, err = io.Copy(&out, io.LimitReader(z, MaxBytes+1)); err != nil {
			s.issue(ClassGzip, 0, 0, "The sitemap is packed by gzip and cut off or damaged: what could be unpacked was read.")
		}
		if out.Len() > MaxBytes && measure > 0 {
			// What is wrong behind the limit does not matter, only how much it is.
			n, _ := io.Copy(io.Discard, io.LimitReader(z, measure))
			s.Bytes = n
		}
		body = out.Bytes()
	}
	return body
}

// add keeps an entry. It reports false when no more entries are taken.
func (s *Sitemap) add(e Entry) bool {
	loc := e.Loc
	switch {
	case loc == "":
		s.issue(ClassNoURL, e.Line, e.Offset, "An entry has no URL.")
		return true
	case len(loc) > MaxLoc:
		s.issue(ClassLongURL, e.Line, e.Offset, "A URL is longer than 8 KiB and was left out.")
		return true
	}
	if len(s.Entries) >= MaxEntries {
		s.truncated(ClassTooMany, "The sitemap has more than 50,000 entries: the rest was not read. Split it.")
		s.Beyond++
		return s.countAll
	}
	if i := strings.IndexAny(loc, ":/?#"); s.Format != FormatAtom && (i <= 0 || loc[i] != ':') {
		s.issue(ClassRelative, e.Line, e.Offset, fmt.Sprintf("%.100q is no absolute URL.", loc))
	}
	e.Offset += s.skipped
	s.Entries = append(s.Entries, e)
	return true
}

// text reads one URL a line.
func (s *Sitemap) text(b []byte) {
	s.Format = FormatText
	whole := len(b)
	for line := 1; len(b) > 0; line++ {
		l, at := b, whole-len(b)
		if n := bytes.IndexAny(b, "\r\n"); n >= 0 {
			l = b[:n]
			if b[n] == '\r' && n+1 < len(b) && b[n+1] == '\n' {
				n++
			}
			b = b[n+1:]
		} else {
			b = nil
		}
		l = bytes.Trim(l, "\t\f \x00")
		l = bytes.TrimPrefix(l, []byte("\xef\xbb\xbf"))
		switch {
		case len(l) == 0:
		case !bytes.Contains(l[:min(len(l), 16)], []byte("://")):
			s.issue(ClassRelative, line, at, fmt.Sprintf("%.60q is no absolute URL and was left out.", l))
		case !s.add(Entry{Loc: string(l[:min(len(l), MaxLoc+1)]), Line: line, Offset: at}):
			return
		}
	}
	if len(s.Entries) == 0 {
		s.Format = ""
		s.issue(ClassFormat, 0, 0, "It is no sitemap: neither XML nor a list of URLs.")
	}
}
