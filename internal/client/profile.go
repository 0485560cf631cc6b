package client

import (
	"slices"
	"strings"
	"time"

	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

// Category is the kind of a client (A1, A3).
type Category string

// The categories.
const (
	Common        Category = "common"         // crawls continuously, obeys robots.txt
	SpecialCase   Category = "special-case"   // has an agreement with the site: may ignore the * group
	UserTriggered Category = "user-triggered" // fetches for a waiting user, ignores robots.txt
)

// ConditionalUse says how often a client asks conditionally (G4).
type ConditionalUse string

// The uses of conditional requests.
const (
	ConditionalAlways    ConditionalUse = "always"
	ConditionalSometimes ConditionalUse = "sometimes" // for ConditionalShare of the recrawls
	ConditionalNever     ConditionalUse = "never"
)

// RobotsPolicy says which groups of robots.txt a client obeys (A3).
type RobotsPolicy string

// The robots policies.
const (
	RobotsObey         RobotsPolicy = "obey"
	RobotsOwnGroupOnly RobotsPolicy = "own-group-only" // the * group does not count
	RobotsIgnore       RobotsPolicy = "ignore"
)

// Device is the device a client presents itself as (A2).
type Device string

// The devices.
const (
	Smartphone Device = "smartphone"
	Desktop    Device = "desktop"
	NoDevice   Device = "none"
)

// Profile is one crawler client. Profiles are values; slices in them are not
// changed after they were made.
type Profile struct {
	ID               crawl.ClientID // lower-case letters, digits and hyphens
	Name             string
	Product          string // what it crawls for
	Operator         string // whose name it carries; "" = the operator of this program
	Category         Category
	UserAgents       []string // the first whose placeholders all have a value is sent
	Tokens           []string // product tokens for robots.txt, in order of precedence
	Limits           crawl.ByteLimits
	MaxRedirects     int    // hops; 0 = redirects are reported, not followed (A4)
	AcceptEncoding   string // exactly what is advertised (A6)
	Accept           string
	Conditional      ConditionalUse
	ConditionalShare float64 // of recrawls, 0 to 1; counts for "sometimes" only
	Robots           RobotsPolicy
	Device           Device
	Renders          bool
	Type             crawl.ClientType // label in the crawl stats (I2)
	Share            float64          // of the requests of all variants with the same tokens, 0 to 1 (A2)
	Cycle            time.Duration    // a URL is asked for about this often; 0 = no cycle (H5)
	FollowsLinks     bool
	ContentWait      time.Duration // for a 201 or 202 to show content (B8)
	ControlOnly      bool          // a robots.txt token that makes no requests
	Chromium         string        // version for {chromium}
	Source           []string      // where its documented facts are stated
	House            []string      // fields whose values are house choices, sorted

	extends crawl.ClientID
	set     uint64 // fields written in the file, by index in fields()
	at      strictyaml.Position
}

// Documented reports whether the value of a field, by its name in the file, is
// stated by the sources of the profile.
func (p Profile) Documented(field string) bool {
	return len(p.Source) > 0 && !slices.Contains(p.House, field)
}

// RobotsAgent returns how robots.txt is read for this client (A3): the product
// tokens in order of precedence, whether the * group is ignored, and whether
// all of robots.txt is.
func (p Profile) RobotsAgent() (tokens []string, ignoreGlobal, ignoreAll bool) {
	return slices.Clone(p.Tokens), p.Robots != RobotsObey, p.Robots == RobotsIgnore
}

// MetaNames returns the lower-case names under which meta elements and
// X-Robots-Tag address this client besides "robots" (F12).
func (p Profile) MetaNames() []string {
	names := make([]string, len(p.Tokens))
	for i, t := range p.Tokens {
		names[i] = strings.ToLower(t)
	}
	return names
}

// Request returns the request that this client sends for u, or nil for a
// client that makes none. v is what is known from earlier crawls of u by the
// same client, nil for nothing. pick in [0, 1) decides for clients that ask
// conditionally only sometimes (G4). Timeouts are the defaults.
func (p Profile) Request(u crawl.URL, id Identity, purpose crawl.Purpose, v *crawl.Visit, pick float64) *crawl.Request {
	if p.ControlOnly {
		return nil
	}
	noneMatch, since := Conditional(p.Conditional, p.ConditionalShare, purpose, v, pick)
	return &crawl.Request{
		URL:             u,
		Client:          p.ID,
		UserAgent:       p.UserAgent(id),
		Accept:          p.Accept,
		AcceptEncoding:  p.AcceptEncoding,
		IfNoneMatch:     noneMatch,
		IfModifiedSince: since,
		Limits:          p.Limits,
		Timeouts:        crawl.DefaultTimeouts(),
		ContentWait:     p.ContentWait,
	}
}

// Choose picks one of the variants of a client by their shares (A2); pick is in
// [0, 1). It returns false when no variant makes requests.
func Choose(variants []Profile, pick float64) (Profile, bool) {
	total := 0.0
	last := -1
	for i, p := range variants {
		if !p.ControlOnly && p.Share > 0 {
			total += p.Share
			last = i
		}
	}
	if last < 0 {
		return Profile{}, false
	}
	at := pick * total
	for _, p := range variants[:last] {
		if p.ControlOnly || p.Share <= 0 {
			continue
		}
		if at < p.Share {
			return p, true
		}
		at -= p.Share
	}
	return variants[last], true
}
