package web

import (
	"errors"
	"fmt"
)

// Robots says how hosts answer for robots.txt.
type Robots string

// The answers.
const (
	RobotsMissing Robots = "404"   // not found: everything may be crawled
	RobotsAllow   Robots = "allow" // a group that allows everything
	RobotsUsual   Robots = "usual" // groups and rules as sites have them; none of them forbids a page
)

// Bounds of a web (house choices).
const (
	MaxHosts     = 256 * hostsPerBlock
	MaxPages     = 1_000_000 // of one host
	MaxTotal     = 20_000_000
	MaxLinks     = 10_000
	MaxPageBytes = 64 << 20
	MaxMemory    = 16 << 30 // bytes of all pages
)

const (
	minPage    = 512 // a page without links
	minPerLink = 140 // the longest link and the text around it
)

// Spec describes a web.
type Spec struct {
	Hosts  int    `json:"hosts"`
	Pages  int    `json:"pages"` // of each host
	Size   int    `json:"size"`  // bytes of a page's body
	Links  int    `json:"links"` // of a page
	Seed   uint64 `json:"seed"`
	Robots Robots `json:"robots"`
}

// Default is the web of the published figures.
func Default() Spec {
	return Spec{Hosts: 200, Pages: 50, Size: 20480, Links: 20, Seed: 1, Robots: RobotsMissing}
}

// Total returns the number of pages of the whole web.
func (s Spec) Total() int { return s.Hosts * s.Pages }

// MinSize returns the smallest page that holds the given number of links.
func MinSize(links int) int { return minPage + minPerLink*links }

// Validate says what is wrong with the spec, in one sentence, or nil.
func (s Spec) Validate() error {
	between := func(name string, v, low, high int) error {
		if v < low || v > high {
			return fmt.Errorf("%s is %d: give a number from %d to %d", name, v, low, high)
		}
		return nil
	}
	if err := errors.Join(
		between("hosts", s.Hosts, 1, MaxHosts),
		between("pages", s.Pages, 1, MaxPages),
		between("links", s.Links, 1, MaxLinks),
	); err != nil {
		return err
	}
	if err := between("size", s.Size, MinSize(s.Links), MaxPageBytes); err != nil {
		return fmt.Errorf("%w (%d links need that much)", err, s.Links)
	}
	if s.Total() > MaxTotal || s.Total() > MaxMemory/s.Size {
		return fmt.Errorf("%d pages of %d bytes are more than is kept in memory (%d pages, %d bytes): give fewer or smaller ones",
			s.Total(), s.Size, MaxTotal, int64(MaxMemory))
	}
	switch s.Robots {
	case RobotsMissing, RobotsAllow, RobotsUsual:
		return nil
	}
	return fmt.Errorf("robots is %q: give %s, %s or %s", s.Robots, RobotsMissing, RobotsAllow, RobotsUsual)
}

// robotsBody returns the file, or "" if there is none.
func (r Robots) robotsBody() string {
	switch r {
	case RobotsAllow:
		return "User-agent: *\nAllow: /\n"
	case RobotsUsual:
		return usualRobots
	}
	return ""
}

const usualRobots = `# Rules as a site of some years has them. None of them forbids a page.
User-agent: *
Disallow: /admin/
Disallow: /cart
Disallow: /login
Disallow: /search?
Disallow: /*?sort=
Disallow: /*?session=
Disallow: /*.zip$
Disallow: /tmp/
Allow: /tmp/public/

User-agent: ExampleBot
User-agent: OtherBot
Disallow: /

User-agent: SlowBot
Crawl-delay: 10
Disallow: /archive/
`
