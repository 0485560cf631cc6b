package crawl

import "time"

// Band is a coarse rank in a hostname's queue: a lower band is served first.
// Package demand assigns bands; stores only keep entries in order of (Band,
// Due) and never choose one.
type Band uint8

// Bands is the number of bands; valid bands are 0 to Bands-1.
const Bands = 8

// Visit is the crawl state of one URL for one crawler client.
type Visit struct {
	Client       ClientID      `json:"client"`
	Kind         Kind          `json:"kind"`                // KindPage or KindSitemap
	Band         Band          `json:"band"`                // with Due, the place in the hostname's queue
	Due          time.Time     `json:"due,omitzero"`        // when it is wanted next; zero = not queued
	Chain        []URL         `json:"chain,omitempty"`     // redirects that led here in this crawl, first URL first (B6)
	Robots       bool          `json:"robots_blocked"`      // last time, robots.txt disallowed it and nothing was sent (C7)
	LastCrawl    time.Time     `json:"last_crawl,omitzero"` // last request sent
	Status       int           `json:"status"`              // of the last response; 0 = none
	Failure      FailureClass  `json:"failure"`
	Response     Response      `json:"response"` // its crawl-stats label
	Type         FileType      `json:"file_type"`
	ETag         string        `json:"etag,omitempty"`
	LastModified string        `json:"last_modified,omitempty"`
	Digest       uint64        `json:"digest"`                 // of the decoded body; 0 = none
	Crawls       uint32        `json:"crawls"`                 // requests sent
	Changes      uint32        `json:"changes"`                // of them, how often the content had changed
	Failures     uint32        `json:"failures_in_a_row"`      // failed attempts in a row (F7, F8), or 4xx in a row (F6)
	FailingSince time.Time     `json:"failing_since,omitzero"` // first of them
	Bytes        int64         `json:"bytes"`                  // decoded body
	WireBytes    int64         `json:"wire_bytes"`             // body as transferred
	Duration     time.Duration `json:"duration_ns"`            // of the last fetch
	Truncated    bool          `json:"truncated"`
	RedirectTo   URL           `json:"redirect_to,omitempty"`
	Archive      ArchiveRef    `json:"archive,omitzero"`
	Pruned       bool          `json:"pruned"`                        // not fetched: it lies in a space without end (D3)
	Bounded      bool          `json:"bounded"`                       // a limit of ours kept part of the page from being read: links, headers
	Same         uint32        `json:"same_answers_before,omitempty"` // crawls just before the last one that got the same answer (F13)
	SameSince    time.Time     `json:"same_since,omitzero"`           // the first of them; zero = the last crawl
	Past         []Answer      `json:"past,omitempty"`                // other answers before, oldest first, the newest MaxPast
	LastMod      time.Time     `json:"lastmod,omitzero"`              // what a sitemap said of it last (D2)
	LastModAt    time.Time     `json:"lastmod_read,omitzero"`         // when that sitemap was read
	Changed      time.Time     `json:"content_changed,omitzero"`      // first crawl that found the content as it is now, after another; zero = never seen to change
	Likeness     uint64        `json:"likeness,omitempty"`            // Page.Likeness of what Digest is of; 0 = none (F11)
	Unavailable  time.Time     `json:"unavailable_after,omitzero"`    // when the page asked to be left out of the index from (F12); zero = never
}

// Answer is what a URL answered for a time: one or more crawls in a row with the
// same status and failure class (F13).
type Answer struct {
	Status  int          `json:"status"` // 0 = none
	Failure FailureClass `json:"failure"`
	Count   uint32       `json:"count"` // crawls
	Since   time.Time    `json:"since"` // the first of them
	Until   time.Time    `json:"until"` // the last of them
}

// MaxPast bounds the earlier answers kept for a visit (house choice).
const MaxPast = 12

// ArchiveRef locates the archived response of a visit; zero = not archived.
type ArchiveRef struct {
	File   string    `json:"file,omitempty"`
	Offset int64     `json:"offset,omitempty"`
	Length int64     `json:"length,omitempty"`
	At     time.Time `json:"at,omitzero"` // of the archived response: its Result.Start
}

// IndexState is what the next processing system has been told about a URL (F).
type IndexState uint8

// The index states.
const (
	IndexUnknown   IndexState = iota // discovered, nothing processed yet
	IndexPassed                      // content passed on; may be indexed (F1)
	IndexPreserved                   // passed on before, failing now, preserved for the time being (F7, F8)
	IndexExcluded                    // processed and excluded, with the reason
	IndexRemoved                     // passed on before, removed since (F6, F7, F8)
)

var indexNames = names{"unknown", "passed", "preserved", "excluded", "removed"}

func (s IndexState) String() string               { return indexNames.text(uint8(s)) }
func (s IndexState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
func (s *IndexState) UnmarshalText(b []byte) error {
	v, err := indexNames.parse("index state", b)
	*s = IndexState(v)
	return err
}

// IndexReason is a reason of the page-indexing report (I8).
type IndexReason uint8

// The reasons, with the report's labels as text.
const (
	ReasonNone IndexReason = iota
	ReasonIndexable
	ReasonServerError
	ReasonRedirectError
	ReasonRobotsBlocked
	ReasonNoindex
	ReasonSoft404
	ReasonUnauthorized
	ReasonNotFound
	ReasonForbidden
	ReasonOther4xx
	ReasonCrawledNotIndexed
	ReasonDiscoveredNotIndexed
	ReasonAlternate
	ReasonDuplicate
	ReasonOtherCanonical
	ReasonRedirect
	ReasonUnreachable
	ReasonNoContent
)

var reasonNames = names{
	"none", "Indexable", "Server error (5xx)", "Redirect error", "Blocked by robots.txt", "Excluded by noindex", "Soft 404",
	"Blocked: unauthorized (401)", "Not found (404)", "Blocked: forbidden (403)", "Blocked: other 4xx", "Crawled, currently not indexed",
	"Discovered, currently not indexed", "Alternate page with canonical", "Duplicate without user-selected canonical",
	"Duplicate, other canonical chosen than the user's", "Page with redirect", "Page could not be reached", "No content (204)",
}

func (r IndexReason) String() string               { return reasonNames.text(uint8(r)) }
func (r IndexReason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
func (r *IndexReason) UnmarshalText(b []byte) error {
	v, err := reasonNames.parse("index reason", b)
	*r = IndexReason(v)
	return err
}

// Index is the index state of a URL with its reason (F13).
type Index struct {
	State  IndexState  `json:"state"`
	Reason IndexReason `json:"reason"`
	Row    string      `json:"row,omitempty"` // id of the behaviour row that decided
	Since  time.Time   `json:"since"`
}

// IndexChange is one entry of a URL's history (F13).
type IndexChange struct {
	URL    URL       `json:"url"`
	At     time.Time `json:"at"`
	From   Index     `json:"from"`
	To     Index     `json:"to"`
	Detail string    `json:"detail"` // one sentence for people
}

// URLRecord is everything a store keeps about one URL.
type URLRecord struct {
	URL        URL
	Discovered time.Time
	Via        Via
	Referrer   URL // where it was first found; "" for seeds
	Depth      int // links from a seed; redirects do not count
	Index      Index
	Canonical  URL     // what the page names as its canonical; "" = nothing
	Visits     []Visit // one per client that wants it, primary client first
}

// QueueEntry is one entry of a hostname's queue: what a scheduler needs to make
// a request of it and to judge the answer.
type QueueEntry struct {
	URL      URL
	Depth    int
	Referrer URL
	Via      Via
	Index    Index
	Visit    Visit
}

// HostLoad is the state of a hostname's crawl capacity limit. Package hostload
// alone changes it.
type HostLoad struct {
	Limit       float64   // connection-seconds per second; 0 = not yet started
	Level       float64   // connection-seconds in the bucket at At; may be negative
	At          time.Time // time of Level
	Expected    float64   // seconds a fetch is expected to hold a connection
	Latency     float64   // seconds; time to first byte, lately
	Baseline    float64   // seconds; slow moving latency of the healthy host
	NotBefore   time.Time // back-off or Retry-After: no request before (E8)
	Backoffs    int       // back-offs in a row without a healthy answer between
	WindowStart time.Time // of the current observation window
	WindowOK    int       // healthy answers in it
	WindowBad   int       // distinct URLs that failed in it
	ShareBad    float64   // failures among the last answers, and
	ShareAll    float64   // those answers, the windows before taken together and fading
	BadRow      int       // failures in a row, without a healthy answer between
	WindowWait  float64   // seconds to the first byte of the healthy answers in it, in sum
	WindowWaits int       // healthy answers of which that is known
	WindowUsed  bool      // demand waited for capacity in it
	BeforeOK    int       // healthy answers in the window before
	BeforeSpan  float64   // seconds of that window
	Pace        float64   // requests per second at most, learned from refusals; 0 = none were seen
	PaceTop     float64   // the pace that was refused last; 0 = none was
	LimitTop    float64   // the limit that was refused last; 0 = none was
	HeldUntil   time.Time // until when pace and limit stay below those
	RefusedAt   time.Time // last refusal that pace and limit learned from
	LimiterAt   time.Time // last time that a URL was answered after it had been refused
	Cause       string    // why Limit last changed
	ChangedAt   time.Time
	Changes     []RateChange // of the limit, oldest first, the newest MaxRateChanges; never changed in place
}

// ProtocolRecord is the measured record of HTTP/1.1 and HTTP/2 on a hostname (B1).
type ProtocolRecord struct {
	Choice Protocol // for this crawl session
	OptOut bool     // answered 421 to HTTP/2
	H1, H2 ProtocolStats
}

// ProtocolStats counts the fetches over one protocol.
type ProtocolStats struct {
	Fetches  int64
	Failures int64
	Millis   int64
}

// Trap is a URL pattern that was recognised as an infinite space and pruned (D3).
type Trap struct {
	Pattern string    `json:"pattern"`
	Reason  string    `json:"reason"`
	Example URL       `json:"example"`
	Count   int64     `json:"count"` // URLs not taken
	Since   time.Time `json:"since"`
}

// HostRecord is the durable state of one hostname. It moves with the hostname
// when another worker takes it over.
type HostRecord struct {
	Host     Host
	Due      time.Time // earliest time at which something may be done; zero = nothing waits
	Load     HostLoad
	Protocol ProtocolRecord
	Traps    []Trap // bounded by MaxTraps
	Sitemaps SitemapRecord
	Egress   EgressRecord // by region, if there is more than one
	Clusters []Cluster    // of pages with the same content, oldest first; bounded by MaxClusters; never changed in place
	Contents []Content    // what may become a cluster; bounded by MaxContents; never changed in place
	Landings []Landing    // targets of redirects from URLs that they have nothing of; bounded by MaxLandings; never changed in place
	Move     MoveRecord   // package demand alone changes it
}

// Landing is a URL to which URLs of a hostname redirect whose addresses have no
// word in common with it (F10).
type Landing struct {
	Target URL
	Title  string // of its page, as far as it is known
	Count  int    // URLs that redirect there, less what other targets took from it
}

// MaxLandings bounds the targets kept for a hostname (house choice).
const MaxLandings = 16

// MoveRecord is what is known of a site move away from a hostname's URLs (H3).
type MoveRecord struct {
	Since time.Time // when the present window of counting began; zero = never
	Count int       // known URLs that began to redirect permanently in it
	Until time.Time // the hostname counts as moving until then; zero = never did
}

// Content counts the URLs of a hostname that gave some content, less what other
// contents took from it (F11).
type Content struct {
	Digest uint64
	Count  int
}

// MaxContents bounds the contents that are counted for a hostname (house choice).
const MaxContents = 16

// Cluster is content that many URLs of one hostname gave (F11).
type Cluster struct {
	Digest uint64    `json:"digest"` // of the body, or its likeness (Visit.Likeness)
	First  URL       `json:"first"`  // the one that stands for all; "" = the next one that is met
	Title  string    `json:"title"`
	Count  int64     `json:"count"` // URLs in it now
	Since  time.Time `json:"since"` // when it was recognised
}

// MaxClusters bounds the clusters kept for a hostname (house choice).
const MaxClusters = 16

// MaxTraps bounds the trap patterns kept for a hostname (house choice).
const MaxTraps = 64

// RobotsRecord is the stored state of one robots.txt file (C4, C5). Package
// robots alone changes it.
type RobotsRecord struct {
	Origin       Origin
	FetchedAt    time.Time     // last attempt
	Status       int           // of the last attempt, after redirects; 0 = network failure
	Failure      FailureClass  // of the last attempt
	GoodAt       time.Time     // last attempt that gave a usable answer (2xx or 4xx but 429)
	Body         []byte        // of the last 2xx, at most the size limit; nil = no restriction
	HasGood      bool          // GoodAt and Body hold a usable answer
	MaxAge       time.Duration // from Cache-Control; 0 = none given
	FailingSince time.Time     // first server error or failure after the last good answer
	Attempts     int           // attempts since the last usable answer
	HomepageOK   bool          // C4: after 30 days, whether the homepage answers
	HomepageAt   time.Time     // when that was last asked
	Truncated    bool          // the file was longer than the size limit
}
