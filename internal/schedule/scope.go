package schedule

import (
	"regexp"

	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

// Scope bounds a crawl to what its operator asked for. It is the operator's
// choice, never a verdict on a URL.
type Scope struct {
	AllHosts bool                  // follow links to any hostname
	Allowed  func(crawl.Host) bool // where the client may be used at all (A7); nil = anywhere
	Sites    []crawl.Host          // otherwise: hostnames of the same site as one of these
	Include  []*regexp.Regexp      // if any, one must match the URL; seeds are exempt
	Exclude  []*regexp.Regexp      // none may match; seeds are exempt
	MaxDepth int                   // links from a seed; negative = no limit

	// Made of Sites by prepare, so that a look-up does not grow with them.
	hosts   map[crawl.Host]bool
	domains map[string]bool
}

// prepare indexes Sites; it is called once, before the scope is shared.
func (s *Scope) prepare() {
	s.hosts, s.domains = make(map[crawl.Host]bool, len(s.Sites)), make(map[string]bool, len(s.Sites))
	for _, h := range s.Sites {
		s.hosts[h] = true
		s.domains[weburl.RegistrableDomain(h)] = true
	}
}

// Exclusion says why a URL is outside of a crawl's scope.
type Exclusion uint8

// The exclusions.
const (
	InScope Exclusion = iota
	OtherSite
	TooDeep
	NotIncluded
	Excluded
)

func (e Exclusion) String() string {
	return [...]string{"in scope", "other site", "too deep", "not included", "excluded"}[e]
}

// SameSite reports whether host belongs to one of the crawl's sites.
func (s *Scope) SameSite(host crawl.Host) bool {
	if s.Allowed != nil && !s.Allowed(host) {
		return false
	}
	if s.AllHosts {
		return true
	}
	return s.hosts[host] || s.domains[weburl.RegistrableDomain(host)]
}

// Check decides whether a discovered URL is in scope, its hostname apart.
func (s *Scope) Check(u crawl.URL, depth int) Exclusion {
	if s.MaxDepth >= 0 && depth > s.MaxDepth {
		return TooDeep
	}
	if len(s.Include) > 0 && !matches(s.Include, u) {
		return NotIncluded
	}
	if len(s.Exclude) > 0 && matches(s.Exclude, u) {
		return Excluded
	}
	return InScope
}

func matches(list []*regexp.Regexp, u crawl.URL) bool {
	for _, re := range list {
		if re.MatchString(string(u)) {
			return true
		}
	}
	return false
}
