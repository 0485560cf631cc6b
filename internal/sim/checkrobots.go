package sim

import (
	"strconv"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// robotsCheck follows what a crawler may know of a hostname's robots.txt, for
// the files that the synthetic web sends: groups of Disallow prefixes.
type robotsCheck struct {
	asking  bool // a request for it, or for where it redirects, is under way
	good    bool
	rules   bool      // the usable answer was a file with something in it
	at      time.Time // of the last usable answer
	life    time.Duration
	all     []string // prefixes disallowed for all
	group   string   // and in the group of this token, in lower case
	own     []string
	failing time.Time // first failure since; zero = none
	home    time.Time // homepage asked
	homeOK  bool
}

// The documented times (C4, C5).
const (
	stopFor   = 12 * time.Hour
	lastGood  = 30 * 24 * time.Hour
	cachedFor = 24 * time.Hour
)

// standing is what robots.txt lets be crawled.
type standing uint8

const (
	mustAsk   standing = iota // nothing before it is asked for
	byRules                   // what the prefixes do not forbid
	anything                  // no restriction
	nothingIs                 // the crawl is stopped
)

func (r *robotsCheck) standing(now time.Time) standing {
	if r.good && now.Sub(r.at) < r.life {
		return byRules
	}
	if r.failing.IsZero() {
		return mustAsk
	}
	switch failed := now.Sub(r.failing); {
	case failed < stopFor:
		return nothingIs
	case failed < lastGood && r.good:
		return byRules
	case failed < lastGood:
		return anything
	}
	if !r.home.Before(r.failing) && r.homeOK {
		return anything
	}
	return nothingIs
}

// forbids reports whether the rules disallow a path to a client.
func (r *robotsCheck) forbids(p *client.Profile, path string) bool {
	prefixes := r.all
	if p.Robots == client.RobotsOwnGroupOnly {
		prefixes = nil
	}
	for _, t := range p.Tokens {
		if r.group != "" && strings.EqualFold(t, r.group) {
			prefixes = r.own
			break
		}
	}
	for _, d := range prefixes {
		if strings.HasPrefix(path, d) {
			return true
		}
	}
	return false
}

// allowed checks a page that is to be fetched.
func (c *checker) allowed(h *hostCheck, job *schedule.Job) error {
	p := c.clients[job.Client]
	if p.Robots == client.RobotsIgnore {
		return nil
	}
	switch h.robots.standing(c.d.now) {
	case mustAsk:
		return c.fail(RobotsObeyed, job.Host, job.URL, "robots.txt is not known, or its copy is too old")
	case nothingIs:
		return c.fail(RobotsObeyed, job.Host, job.URL, "robots.txt is not available since %s", h.robots.failing.Format(time.RFC3339))
	case byRules:
		if h.robots.forbids(p, job.URL.PathQuery()) {
			return c.fail(RobotsObeyed, job.Host, job.URL, "robots.txt forbids it to %s", job.Client)
		}
	case anything:
	}
	return nil
}

// heldBack checks a page that is not fetched because of robots.txt.
func (c *checker) heldBack(h *hostCheck, o *crawl.Outcome) error {
	p := c.clients[o.Visit.Client]
	standing := h.robots.standing(c.d.now)
	switch {
	case o.Visit.Response == crawl.ResponseRobotsBlocked && len(o.Events) > 0:
		if standing != byRules || !h.robots.forbids(p, o.URL.PathQuery()) {
			return c.fail(RobotsNotAbused, h.name, o.URL, "it is counted as blocked, and no rule forbids it to %s", p.ID)
		}
	case o.Visit.Response == crawl.ResponseRobotsUnavailable && len(o.Events) > 0:
		if standing != nothingIs {
			return c.fail(RobotsNotAbused, h.name, o.URL, "it is counted as abandoned, and robots.txt does not stop the crawl")
		}
	}
	return nil
}

// answer takes what a request for robots.txt, or for a homepage, has brought.
func (c *checker) answer(job *schedule.Job, f *schedule.Findings) {
	if job.Origin == "" {
		return
	}
	h := c.hosts[job.Origin.Host()]
	if h == nil {
		return
	}
	r, res, now := &h.robots, f.Result, c.d.now
	ok := res.Failure == nil
	if job.Homepage {
		r.home, r.homeOK = now, ok && res.Status >= 200 && res.Status < 400
		return
	}
	redirected := ok && res.Status >= 300 && res.Status < 400 && res.Status != 304
	if redirected && f.RedirectErr == "" {
		return // the next hop is asked for
	}
	if r.asking {
		h.sent = maxTime(h.sent, now) // the silence until now was that of another hostname
	}
	r.asking = false
	switch {
	case ok && res.Status >= 200 && res.Status < 300:
		r.read(string(res.Body))
		r.rules = len(res.Body) > 0
	case ok && res.Status == 304 && r.good && r.rules:
		// Nobody asked: it can only mean the file that was sent before.
	case redirected, ok && res.Status >= 400 && res.Status < 500 && res.Status != 429:
		r.all, r.group, r.own, r.rules = nil, "", nil, false
	default:
		if r.failing.IsZero() {
			r.failing = now
		}
		return
	}
	r.good, r.at, r.failing = true, now, time.Time{}
	r.life = cachedFor
	if v, ok := strings.CutPrefix(res.Header.Get("Cache-Control"), "max-age="); ok {
		s, _ := strconv.Atoi(v)
		r.life = max(time.Duration(s)*time.Second, 5*time.Minute)
		if !r.rules {
			r.life = min(r.life, cachedFor)
		}
		r.life = min(r.life, lastGood)
	}
}

// read takes a file as [RobotsFile] writes it.
func (r *robotsCheck) read(text string) {
	r.all, r.group, r.own = nil, "", nil
	token := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if t, ok := strings.CutPrefix(line, "User-agent: "); ok {
			token = strings.ToLower(t)
			if token != "*" {
				r.group = token
			}
		}
		p, ok := strings.CutPrefix(line, "Disallow: ")
		switch {
		case !ok:
		case token == "*":
			r.all = append(r.all, p)
		default:
			r.own = append(r.own, p)
		}
	}
}
