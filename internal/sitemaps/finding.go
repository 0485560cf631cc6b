package sitemaps

import (
	"fmt"

	"trawl/internal/crawl"
)

// Severity says what a finding costs.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // URLs are lost, or the sitemap is
	Warning Severity = "warning" // something is ignored or taken otherwise than meant
	Note    Severity = "note"    // good to know
)

// The classes of findings beside those of content/sitemap. They are stable.
const (
	ClassNotURL       = "not-a-url"
	ClassNotCanonical = "not-canonical"
	ClassOutOfScope   = "out-of-scope"
	ClassDuplicate    = "duplicate"
	ClassMixedHosts   = "mixed-hosts"
	ClassMixedSchemes = "mixed-schemes"
	ClassBlocked      = "blocked-by-robots"
	ClassFuture       = "lastmod-future"
	ClassMissing      = "lastmod-missing"
	ClassAllEqual     = "lastmod-all-equal"
	ClassBuildTime    = "lastmod-is-now"
	ClassIgnored      = "ignored-elements"
	ClassEncoding     = "not-utf-8"
	ClassNested       = "index-in-index"
	ClassItself       = "names-itself"
	ClassLeftOut      = "not-read"
	ClassUnreadable   = "unreadable"
	ClassName         = "file-name"
	ClassNoEntries    = "no-entries"
	ClassNotKnown     = "not-known"
	ClassNotCrawled   = "not-crawled"
	ClassNotIndexable = "not-indexable"
	ClassMore         = "more-of-the-same"
)

// Finding is one thing about a sitemap that its owner should know.
type Finding struct {
	File     string    `json:"file"`
	Line     int       `json:"line,omitempty"`   // from 1; 0 = the file
	Offset   int       `json:"offset,omitempty"` // bytes into the unpacked text, with Line
	Severity Severity  `json:"severity"`
	Class    string    `json:"class"`
	URL      crawl.URL `json:"url,omitempty"`
	Text     string    `json:"text"` // one sentence; may quote what strangers wrote
}

// String writes the finding as compilers do: file:line: severity: text [class].
func (f Finding) String() string {
	where := f.File
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, f.Line)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", where, f.Severity, f.Text, f.Class)
}

// Bounds of a review (house choices).
const (
	// MaxDistinct is for how many URLs duplicates are looked for.
	MaxDistinct = 2_000_000
	// MaxListed is how many findings of one class are listed for one file.
	MaxListed = 1000
	// MaxFindings is how many findings are listed in all.
	MaxFindings = 100_000
	// MaxFiles is how many sitemaps are taken.
	MaxFiles = 50_000
	// maxKept is how many bytes of URLs and sentences findings hold in all.
	maxKept = 64 << 20
	// maxHosts is how many hostnames are counted.
	maxHosts = 10_000
)

// Count is how many findings of a class there were, listed or not.
type Count struct {
	Class    string   `json:"class"`
	Severity Severity `json:"severity"`
	Count    int64    `json:"count"`
}
