package sitemap

import (
	"slices"
	"strings"

	"trawl/internal/crawl"
)

// Scope is what a sitemap may speak for (D2): URLs of its own host in its own
// directory or below, and every URL of the hosts whose robots.txt names it.
//
// A host is a hostname with its port; http and https on their default ports are
// one host, since many sitemaps live through a move from one to the other (house
// choice). What robots.txt says of an index holds for the sitemaps that the index
// lists: an index is submitted for what is in it (house choice).
type Scope struct {
	Sitemap crawl.URL
	Named   []crawl.Host // whose robots.txt names it, or the index that led to it
}

// Verdict says whether a URL is in a sitemap's scope.
type Verdict uint8

// The verdicts.
const (
	InScope   Verdict = iota
	OtherHost         // of another host, whose robots.txt does not name the sitemap
	OtherPort         // of the same hostname at another port or scheme
	Above             // not in the sitemap's directory or below
)

// String says why for the owner of the sitemap.
func (v Verdict) String() string {
	return [...]string{
		"in scope",
		"it is of another host, whose robots.txt does not name this sitemap",
		"it is at another port or scheme than the sitemap",
		"it is not in the sitemap's directory or below, and robots.txt of the host does not name the sitemap",
	}[v]
}

// Check judges one canonical URL. Sitemaps that an index lists are judged by the
// same rule.
func (s Scope) Check(u crawl.URL) Verdict {
	if slices.Contains(s.Named, u.Host()) {
		return InScope
	}
	switch {
	case u.Host() != s.Sitemap.Host():
		return OtherHost
	case !sameService(u, s.Sitemap):
		return OtherPort
	}
	path := s.Sitemap.Path()
	if !strings.HasPrefix(u.Path(), path[:strings.LastIndexByte(path, '/')+1]) {
		return Above
	}
	return InScope
}

func sameService(a, b crawl.URL) bool {
	if a.Scheme() == b.Scheme() {
		return a.Port() == b.Port()
	}
	web := func(u crawl.URL) bool { return (u.Scheme() == "http" || u.Scheme() == "https") && u.Port() == "" }
	return web(a) && web(b)
}
