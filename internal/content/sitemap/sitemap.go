// Package sitemap reads sitemaps: XML, index, RSS 1.0 and 2.0, Atom and text,
// packed by gzip or not, whatever the response calls them (D2).
//
// It decides what the entries are, and nothing about them: not whether an entry
// is in the sitemap's scope, not whether its lastmod is believed, not whether an
// index is followed or names itself. It has no clock, so a lastmod in the future
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
	Line    int       // from 1
}

// Issue is something wrong with a sitemap, one sentence for its owner.
type Issue struct {
	Line int // from 1; 0 = the sitemap as a whole
	Text string
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
}

// Options say what the response said about the body.
type Options struct {
	ContentType string // for its charset; the type is not believed
}

// Parse reads a sitemap.
func Parse(body []byte, opt Options) *Sitemap {
	s := &Sitemap{}
	body = s.unpack(body)
	if len(body) > MaxBytes {
		body = body[:MaxBytes]
		s.truncated("The sitemap is larger than 50 MB: the rest was not read. Split it.")
	}
	e, _ := charset.Detect(body, opt.ContentType, charset.XMLDeclared(body))
	text := e.Decode(body)
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	switch start := bytes.TrimLeft(text, "\t\n\f\r \x00"); {
	case len(start) == 0:
		s.issue(0, "The sitemap is empty.")
	case start[0] == '<':
		p := parser{doc: text, out: s}
		p.run()
	default:
		s.text(text)
	}
	return s
}

func (s *Sitemap) issue(line int, text string) {
	if len(s.Issues) >= MaxIssues {
		s.IssuesDropped++
		return
	}
	s.Issues = append(s.Issues, Issue{Line: line, Text: text})
}

func (s *Sitemap) truncated(text string) {
	if !s.Truncated {
		s.Truncated = true
		// Never dropped: it explains the flag.
		s.Issues = append([]Issue{{Text: text}}, s.Issues[:min(len(s.Issues), MaxIssues-1)]...)
	}
}

// unpack undoes gzip, by its signature, whatever the label says.
func (s *Sitemap) unpack(body []byte) []byte {
	for range maxPackings {
		if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
			return body
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			s.issue(0, "The sitemap is packed by gzip and damaged: pack it again.")
			return nil
		}
		var out bytes.Buffer
		if _, err = io.Copy(&out, io.LimitReader(z, MaxBytes+1)); err != nil {
			s.issue(0, "The sitemap is packed by gzip and cut off or damaged: what could be unpacked was read.")
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
		s.issue(e.Line, "An entry has no URL.")
		return true
	case len(loc) > MaxLoc:
		s.issue(e.Line, "A URL is longer than 8 KiB and was left out.")
		return true
	}
	if len(s.Entries) >= MaxEntries {
		s.truncated("The sitemap has more than 50,000 entries: the rest was not read. Split it.")
		return false
	}
	if s.Format != FormatAtom && !strings.Contains(loc, "://") {
		s.issue(e.Line, fmt.Sprintf("%.100q is no absolute URL.", loc))
	}
	s.Entries = append(s.Entries, e)
	return true
}

// text reads one URL a line.
func (s *Sitemap) text(b []byte) {
	s.Format = FormatText
	for line := 1; len(b) > 0; line++ {
		l := b
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
			s.issue(line, fmt.Sprintf("%.60q is no absolute URL and was left out.", l))
		case !s.add(Entry{Loc: string(l[:min(len(l), MaxLoc+1)]), Line: line}):
			return
		}
	}
	if len(s.Entries) == 0 {
		s.Format = ""
		s.issue(0, "It is no sitemap: neither XML nor a list of URLs.")
	}
}
