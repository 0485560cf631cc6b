package sim

import (
	"time"

	"trawl/internal/crawl"
)

// Scenario is a crawl to be simulated. Its fields are those of a scenario file,
// under the same names; the zero value of an optional field means the default
// that its comment names.
type Scenario struct {
	Name        string        `yaml:"name"`
	Seed        uint64        `yaml:"seed"`     // of everything that is left to chance
	Start       time.Time     `yaml:"start"`    // default 2026-01-01 00:00 UTC
	Duration    time.Duration `yaml:"duration"` // required
	Interval    time.Duration `yaml:"interval"` // of the timeline; default: a 200th of Duration, at least a minute
	Clients     []Client      `yaml:"clients"`  // the first is the primary; default: trawl alone
	Hosts       []Host        `yaml:"hosts"`    // required
	Faults      []Fault       `yaml:"faults"`
	Refresh     time.Duration `yaml:"refresh"`      // after which known pages are due again; default: package demand's
	Concurrency int           `yaml:"concurrency"`  // fetches under way at most, over all hosts; default 256
	Window      int           `yaml:"window"`       // URLs of a hostname in memory; default: package schedule's
	HostRoom    int           `yaml:"host_room"`    // hostnames in memory; default: package schedule's
	LoadDelay   time.Duration `yaml:"load_delay"`   // of a read of the store; default 1 ms
	CommitDelay time.Duration `yaml:"commit_delay"` // for which a batch is gathered, and then again until it is durable; default 3 ms
	MaxFetches  int64         `yaml:"max_fetches"`  // after which the run ends early; 0 = no bound
}

// Client is one crawler client of the catalogue.
type Client struct {
	ID     crawl.ClientID `yaml:"id"`
	Weight float64        `yaml:"weight"` // share of a hostname's capacity (E5); default 1
	// From is when its demand begins; until then it asks for nothing. Then the
	// homepages are submitted for it, and this share of all other pages, 0 to 1,
	// as ads name the pages that they lead to (D4, H5).
	From    time.Duration `yaml:"from"`
	Landing float64       `yaml:"landing"`
}

// Host is one hostname of the synthetic web, or several that are alike.
type Host struct {
	Name   string      `yaml:"name"`  // required
	Count  int         `yaml:"count"` // more than 1: numbers are added to the first label, from 1
	Own    bool        `yaml:"own"`   // the capacity of an owner's host (E7)
	Limit  float64     `yaml:"limit"` // the owner's upper bound of the crawl capacity limit (E7); 0 = none
	Pages  []PageClass `yaml:"pages"` // required; the homepage is added
	Server Server      `yaml:"server"`
	Robots RobotsFile  `yaml:"robots"`
	Traps  []Trap      `yaml:"traps"`
	Empty  bool        `yaml:"empty"` // nothing but what is moved here is there: no seed

	// Hidden hosts have their pages, but nothing is known of them until something
	// leads there: no seed.
	Hidden bool `yaml:"hidden"`
	// Capacity is the crawl capacity limit that was learned before the start, in
	// connection-seconds per second; 0 = it was never crawled.
	Capacity float64 `yaml:"capacity"`
	Assets   Assets  `yaml:"assets"`
}

// Assets are scripts and styles that the pages of a host need (J3). Whoever
// renders a page asks for those of them that it has not kept; see render.go.
type Assets struct {
	Count   int             `yaml:"count"`    // over all pages; 0 = none
	PerPage int             `yaml:"per_page"` // on each page; default 3, at most Count
	Bytes   int64           `yaml:"bytes"`    // of each; default 50,000
	Deploys []time.Duration `yaml:"deploys"`  // times since the start at which every asset gets another name
	Keep    bool            `yaml:"keep"`     // old names go on to answer; otherwise with 404
	Host    string          `yaml:"host"`     // hostname that serves them, and pays for them (E5); default the host itself
}

// PageClass is a number of pages that are alike. Their paths are
// /name/p0, /name/p1, …
type PageClass struct {
	Name         string        `yaml:"name"`          // lower-case letters
	Count        int           `yaml:"count"`         // required
	Links        int           `yaml:"links"`         // on each page; default 8
	Bytes        int64         `yaml:"bytes"`         // transferred; default 20,000
	ChangeEvery  time.Duration `yaml:"change_every"`  // mean time between changes of one page, exponentially distributed; 0 = never
	ETag         bool          `yaml:"etag"`          // validators are sent, and If-None-Match is answered (G1)
	LastModified bool          `yaml:"last_modified"` // the same with If-Modified-Since (G2)
	MaxAge       time.Duration `yaml:"max_age"`       // Cache-Control; 0 = not sent (G3)
	Noindex      bool          `yaml:"noindex"`
	Soft404      bool          `yaml:"soft_404"` // 200 with a page that says that there is none (F10)
	Disallow     bool          `yaml:"disallow"` // in robots.txt
	Status       int           `yaml:"status"`   // answered instead of content, all the time; redirects lead to the homepage; default 200
	Known        bool          `yaml:"known"`    // crawled before the start, and due again spread over the time of a refresh
}

// Server is the latency and capacity of a hostname's server.
type Server struct {
	Latency    time.Duration `yaml:"latency"`     // of an answer without load; default 200 ms
	Jitter     float64       `yaml:"jitter"`      // part of Latency by which it varies, 0 to 1
	Bandwidth  int64         `yaml:"bandwidth"`   // bytes a second, of each connection; 0 = no bound
	Knee       int           `yaml:"knee"`        // concurrent requests beyond which each takes longer, in proportion; 0 = never
	Overload   int           `yaml:"overload"`    // concurrent requests beyond which it answers 503 at once; 0 = never
	Collapse   int           `yaml:"collapse"`    // concurrent requests beyond which it does not answer in time; 0 = never
	RateLimit  float64       `yaml:"rate_limit"`  // requests a second beyond which it answers RateStatus; 0 = no bound
	RateBurst  int           `yaml:"rate_burst"`  // requests that may come at once nevertheless; default 1
	RateStatus int           `yaml:"rate_status"` // default 429
	RetryAfter time.Duration `yaml:"retry_after"` // sent with RateStatus and when overloaded; 0 = not sent
	HTTP2      float64       `yaml:"http2"`       // factor on the latency over HTTP/2; 0 = it does not speak it (B1)
}

// RobotsFile is a robots.txt: what it says, or how it fails.
type RobotsFile struct {
	Status   int           `yaml:"status"`   // default 200
	Disallow []string      `yaml:"disallow"` // path prefixes, for all clients
	Group    string        `yaml:"group"`    // a product token with a group of its own
	Only     []string      `yaml:"only"`     // path prefixes disallowed in that group
	MaxAge   time.Duration `yaml:"max_age"`  // Cache-Control; 0 = not sent
	MoveTo   string        `yaml:"move_to"`  // hostname to which /robots.txt redirects
}

// Trap is an infinite space that the homepage links to (D3).
type Trap string

// The traps.
const (
	TrapCalendar Trap = "calendar" // each month links to the next and the one before
	TrapDeeper   Trap = "deeper"   // each page links to one a level deeper
	TrapFacets   Trap = "facets"   // each page links to the same filters in other orders
	TrapSession  Trap = "session"  // each visit hands out another session id
)

// Target is the part of a host that a fault concerns.
type Target string

// The targets.
const (
	TargetAll    Target = ""       // everything
	TargetPages  Target = "pages"  // everything but robots.txt
	TargetRobots Target = "robots" // robots.txt
	TargetHome   Target = "home"   // the homepage
)

// Fault is something that happens to hosts for a time. Exactly one of Status,
// Failure, Slow, ErrorText, Soft404, MoveTo, OptOut and RobotsFile is set. Of several
// faults at the same time the last one in the scenario that gives an answer
// decides; their slow-downs multiply, and OptOut leaves the answer as it is.
type Fault struct {
	Hosts      []string      `yaml:"hosts"` // names in the scenario; none = all
	From       time.Duration `yaml:"from"`  // since the start
	For        time.Duration `yaml:"for"`   // 0 = until the end
	Target     Target        `yaml:"target"`
	Paths      []string      `yaml:"paths"` // prefixes; none = all
	Share      float64       `yaml:"share"` // of the URLs, 0 to 1, always the same ones; 0 = all
	Status     int           `yaml:"status"`
	RetryAfter time.Duration `yaml:"retry_after"` // sent with Status; 0 = not sent
	Failure    string        `yaml:"failure"`     // a failure class: dns-error, dns-unresponsive, connect-refused, connect-timeout, …
	Slow       float64       `yaml:"slow"`        // factor on the latency
	ErrorText  bool          `yaml:"error_text"`  // the same error message under 200 for every URL
	Soft404    bool          `yaml:"soft_404"`    // 200 with a page for every URL that says that there is none (F10)
	MoveTo     string        `yaml:"move_to"`     // hostname to which every URL redirects (301)
	OptOut     bool          `yaml:"opt_out"`     // HTTP/2 is answered with 421 (B1)
	RobotsFile *RobotsFile   `yaml:"robots_file"` // replaces the hosts' own
}

// The bounds of a scenario (house choices).
const (
	MaxHosts    = 10_000
	MaxPages    = 5_000_000 // over all hosts
	MaxFaults   = 1000
	MaxPoints   = 20_000 // of the timeline
	MaxDuration = 10 * 365 * 24 * time.Hour
	TimedHosts  = 50 // hosts with a timeline of their own, the first ones
	MaxAssets   = 100_000
	MaxDeploys  = 10_000
)
