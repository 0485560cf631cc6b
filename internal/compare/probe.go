package compare

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"trawl/internal/content"
	"trawl/internal/content/charset"
	"trawl/internal/crawl"
)

// Probe is one way of asking, with all that came back.
type Probe struct {
	Name        string // before people: "googlebot-desktop over HTTP/2"
	Client      crawl.ClientID
	Operator    string // whose name the client carries; "" = its own operator's
	RobotsNames []string
	Follows     bool           // redirects; false: they are reported (A4)
	Protocol    crawl.Protocol // asked for
	Region      string         // asked from (B10)
	Hops        []*crawl.Result
	RedirectErr string // why the chain could not be followed to its end
	Skipped     string // why nothing was asked; "" = it was
}

// Seen is what one probe shows, for people and scripts.
type Seen struct {
	Name        string         `json:"name"`
	Client      crawl.ClientID `json:"client"`
	Region      string         `json:"region,omitempty"`
	Asked       string         `json:"protocol_asked"`
	Skipped     string         `json:"not_asked,omitempty"`
	Status      int            `json:"status"`
	Failure     *crawl.Failure `json:"failure,omitempty"`
	Chain       []Hop          `json:"redirects"`
	RedirectErr string         `json:"redirect_error,omitempty"`
	URL         crawl.URL      `json:"url"` // of the last response
	Protocol    string         `json:"protocol"`
	Misdirected bool           `json:"http2_refused"` // 421 or the like (B1)
	TLS         string         `json:"tls,omitempty"`
	Remote      netip.AddrPort `json:"remote,omitzero"`
	MediaType   string         `json:"media_type,omitempty"`
	Charset     string         `json:"charset,omitempty"`
	Language    string         `json:"language,omitempty"`
	Title       string         `json:"title,omitempty"`
	Noindex     bool           `json:"noindex"` // as it holds for this client (F12)
	Nofollow    bool           `json:"nofollow"`
	RobotsTag   string         `json:"x_robots_tag,omitempty"`
	Canonical   crawl.URL      `json:"canonical,omitempty"`
	Refresh     crawl.URL      `json:"refresh,omitempty"`
	Coding      string         `json:"content_coding,omitempty"`
	WireBytes   int64          `json:"wire_bytes"`
	BodyBytes   int64          `json:"decoded_bytes"`
	Limit       int64          `json:"byte_limit"`
	Truncated   bool           `json:"truncated"`
	Links       int            `json:"links"`
	Words       int            `json:"words"`
	Total       time.Duration  `json:"total_ns"`
	Digest      string         `json:"digest,omitempty"`  // xxh3 of the decoded body
	Similarity  float64        `json:"similarity"`        // of the text to the first probe's, 0 to 1
	Distance    int            `json:"simhash_distance"`  // of the text, bits of 64
	Challenge   bool           `json:"challenge"`         // it looks like a test for people
	Bounded     []string       `json:"bounded,omitempty"` // what was not compared whole
	Ours        bool           `json:"our_own_fault"`     // the failure says nothing about the host

	probe  *Probe
	header crawl.Header
	links  []crawl.URL
	text   *text
	vary   string
	retry  string
}

// Hop is one redirect of a chain.
type Hop struct {
	Status int       `json:"status"`
	From   crawl.URL `json:"from"`
	To     string    `json:"to"`
}

func (h Hop) String() string { return fmt.Sprintf("%d → %s", h.Status, h.To) }

// see reads what a probe got. With first, only its first hop counts: it is
// compared with a client that follows none.
func see(p *Probe, first bool) *Seen {
	s := &Seen{Name: p.Name, Client: p.Client, Region: p.Region, Asked: p.Protocol.String(), Skipped: p.Skipped, Chain: []Hop{}, probe: p}
	hops := p.Hops
	if first && len(hops) > 1 {
		hops = hops[:1]
	}
	if len(hops) == 0 {
		return s
	}
	for _, res := range hops {
		s.Misdirected = s.Misdirected || res.Misdirected
		s.Total += res.Timings.Total
		if to := res.Header.Get("Location"); res.Status/100 == 3 && to != "" {
			s.Chain = append(s.Chain, Hop{res.Status, res.URL, to})
		}
	}
	if len(hops) == len(p.Hops) {
		s.RedirectErr = p.RedirectErr
	}
	res := hops[len(hops)-1]
	s.Status, s.Failure, s.URL, s.TLS, s.Remote = res.Status, res.Failure, res.URL, res.TLSVersion, res.Remote
	s.Coding, s.WireBytes, s.BodyBytes, s.Limit, s.Truncated = res.Coding, res.WireBytes, int64(len(res.Body)), res.Limit, res.Truncated
	if res.Status > 0 {
		s.Protocol = res.Protocol.String()
	}
	s.Ours = res.Failure != nil && ours(res.Failure.Class)
	s.header = res.Header
	s.read(res)
	return s
}

func ours(c crawl.FailureClass) bool {
	return c == crawl.FailProxy || c == crawl.FailCanceled || c == crawl.FailBlockedAddress || c == crawl.FailBlockedPort
}

// read takes the content of the last response apart.
func (s *Seen) read(res *crawl.Result) {
	page := content.Read(res, content.Options{RobotsNames: s.probe.RobotsNames})
	s.MediaType, s.Charset, s.Title, s.Canonical, s.Refresh = page.MediaType, page.Charset, page.Title, page.Canonical, page.Refresh
	s.Noindex, s.Nofollow = page.Directives.Noindex, page.Directives.Nofollow
	s.Bounded = page.Bounded
	s.Language, s.vary, s.retry = res.Header.Get("Content-Language"), res.Header.Get("Vary"), res.Header.Get("Retry-After")
	s.RobotsTag = strings.Join(res.Header.Values("X-Robots-Tag"), ", ")
	if page.Digest != 0 {
		s.Digest = fmt.Sprintf("%016x", page.Digest)
	}
	for _, l := range page.Links {
		if l.Via != crawl.ViaCanonical { // an aspect of its own
			s.links = append(s.links, l.URL)
		}
	}
	s.Links = len(s.links)
	body := res.Body
	if page.Charset != "" {
		e, _ := charset.Detect(body, res.Header.Get("Content-Type"), page.Charset)
		body = e.Decode(body)
	}
	if textual(page) {
		s.text = readText(body, page.Type == crawl.TypeHTML)
		s.Words = s.text.words
		if s.text.cut {
			s.Bounded = append(s.Bounded, fmt.Sprintf("Text after the first %d bytes was not compared.", maxText))
		}
	}
	s.Challenge = challenge(res, s.text)
}

// textual reports whether a body is text that can be compared line by line.
func textual(p *crawl.Page) bool {
	return p.Type == crawl.TypeHTML || p.Charset != ""
}

// challenge recognises the pages by which firewalls tell people from programs.
// Their marks stand in headers, or in a page of few words.
func challenge(res *crawl.Result, t *text) bool {
	if strings.EqualFold(res.Header.Get("Cf-Mitigated"), "challenge") || strings.EqualFold(res.Header.Get("X-Amzn-Waf-Action"), "challenge") {
		return true
	}
	if t == nil || t.words > maxChallengeWords {
		return false
	}
	for _, mark := range []string{"captcha", "verify you are human", "are you a robot", "enable javascript and cookies to continue", "checking your browser"} {
		for _, line := range t.lines {
			if strings.Contains(strings.ToLower(line), mark) {
				return true
			}
		}
	}
	return false
}

// maxChallengeWords is how long a page may be that is taken for a test.
const maxChallengeWords = 200
