package crawl

import "time"

// Link is one reference found in a page, resolved and canonical (D1).
type Link struct {
	URL      URL
	Via      Via
	NoFollow bool // rel=nofollow, ugc or sponsored
	LastMod  time.Time
	Kind     Kind // KindSitemap for entries of a sitemap index
}

// Directives are what meta robots and X-Robots-Tag say to one client (F12).
type Directives struct {
	Noindex  bool `json:"noindex"`
	Nofollow bool `json:"nofollow"`

	// What the next processing system is asked for.
	Nosnippet        bool      `json:"nosnippet,omitempty"`
	Noarchive        bool      `json:"noarchive,omitempty"`
	Noimageindex     bool      `json:"noimageindex,omitempty"`
	Notranslate      bool      `json:"notranslate,omitempty"`
	Nositelinks      bool      `json:"nositelinkssearchbox,omitempty"`
	Indexifembedded  bool      `json:"indexifembedded,omitempty"`   // means something beside noindex only: the content may be indexed where it is embedded
	MaxSnippet       Bound     `json:"max_snippet,omitzero"`        // characters
	MaxVideoPreview  Bound     `json:"max_video_preview,omitzero"`  // seconds
	MaxImagePreview  string    `json:"max_image_preview,omitempty"` // "none", "standard" or "large"; "" = not said
	UnavailableAfter time.Time `json:"unavailable_after,omitzero"`  // from then on as with noindex; UTC
}

// Bound is a number that a rule allows at most.
type Bound struct {
	Said bool `json:"said"` // false: the page says nothing of it
	Max  int  `json:"max"`  // -1 = no bound, 0 = nothing at all
}

// Page is what was read in a response body.
type Page struct {
	Type       FileType
	MediaType  string // as decided (K1), lower case
	Charset    string
	Title      string
	Base       URL
	Links      []Link
	Canonical  URL
	Directives Directives
	Refresh    URL           // meta refresh or Refresh header (B6); "" = none
	RefreshIn  time.Duration // its delay
	Digest     uint64        // xxh3 of the decoded body
	Bounded    []string      // what was cut by a limit of ours, one sentence each
	Dates      int           // of a sitemap: entries with a lastmod
	BadDates   int           // of them, those that are no date
	Notes      []string      // what was wrong or contradictory in it and how it was read, one sentence each
	Runs       []uint32      // hashes of what the page says, if asked for (D3); sorted. Not stored
	Missing    string        // why its content is an error message or none (F10), after "its content is"; "" = it is not. Not stored
	Unrendered bool          // nothing to see until scripts run (J1, M5), so that F10 cannot be judged. Not stored
	Likeness   uint64        // the same for small pages and error messages that differ in times and identifiers only (F11); 0 = Digest says it
	Inward     int           // links to URLs of the page's own group (D3), if Runs were asked for
}

// Discovery makes a URL known to one client, if it is not yet.
type Discovery struct {
	URL      URL
	Client   ClientID
	Kind     Kind
	Via      Via
	Referrer URL
	Depth    int
	Chain    []URL
	At       time.Time
	Band     Band
	Due      time.Time
}

// Event is one row of the crawl stats: a request, or one that would have been
// made (C6).
type Event struct {
	At       time.Time
	Host     Host
	URL      URL
	Client   ClientID
	Type     ClientType
	Purpose  Purpose
	Response Response
	File     FileType
	Status   int
	Bytes    int64 // transferred
	Duration time.Duration
	Kind     Kind
	Sent     bool // false: counted, not made (C6)
}

// Document announces fetched content to the next processing system. Each shard
// numbers its documents in the order of their commits.
type Document struct {
	Seq       uint64 // assigned by the store, from 1, per shard
	URL       URL
	Client    ClientID
	At        time.Time
	Status    int
	MediaType string
	Title     string
	Digest    uint64
	Unchanged bool // 304, or the same digest as before
	Archive   ArchiveRef
}

// Outcome is everything one finished job changes. A store commits it whole or
// not at all.
type Outcome struct {
	Host       *HostRecord    // new state of the charged hostname
	Robots     []RobotsRecord // new state of robots.txt files of owned hostnames
	URL        URL            // the URL that Visit, Index, Canonical and Links belong to; "" = none
	Visit      *Visit         // replaces the visit of the same client
	Index      *IndexChange   // nil = unchanged
	Canonical  *URL           // nil = unchanged
	Discovered []Discovery    // of any shard; inserted if unknown
	Claims     []Claim        // of sitemaps, on URLs of leased shards; applied to known visits
	Events     []Event
	Document   *Document
	Links      []uint32 // LinkHash of every link of the page, sorted; nil = unchanged
}

// LinkHash is the short hash by which a page's outgoing links are kept, so that
// "who links to this URL" has an answer without a table of all links.
func LinkHash(u URL) uint32 {
	const offset, prime = 14695981039346656037, 1099511628211
	x := uint64(offset)
	for i := 0; i < len(u); i++ {
		x = (x ^ uint64(u[i])) * prime
	}
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return uint32(x >> 32)
}
