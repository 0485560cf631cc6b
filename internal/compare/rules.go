package compare

import (
	"fmt"
	"slices"
	"strings"

	"trawl/internal/crawl"
)

// Verdict is what a difference means.
type Verdict struct {
	Row      string   `json:"behaviour"` // of the behaviours page
	Probes   []string `json:"probes"`    // whom it is about; the first one is who they are compared with
	Sentence string   `json:"sentence"`
	Advice   string   `json:"advice,omitempty"`
}

// rule gives a sentence in which {who} stands for those it is about and {first}
// for the one they are compared with; "" = it does not apply.
type rule struct {
	row   string
	match func(p *pair) (sentence, advice string)
	alone bool // it is about one answer, however the others change
}

// thresholds of similarity (house choices).
const (
	otherContent = 0.5  // below it is another page
	sameContent  = 0.95 // from here on differences are small
)

// rules are tried in this order, all of them.
var rules = []rule{
	{"M2", refused, false},
	{"M2", refusesFirst, false},
	{"M3", limited, false},
	{"M3", serverError, false},
	{"M1", unanswered, false},
	{"B1", refusesHTTP2, true},
	{"B1", otherByProtocol, false},
	{"M2", challenged, false},
	{"B6", redirected, false},
	{"M15", otherRegion, false},
	{"F12", noindex, false},
	{"K5", otherCanonical, false},
	{"M4", truncated, false},
	{"I7", otherText, false},
	{"D1", otherLinks, false},
}

// sameWay reports whether two probes differ in the client alone.
func (p *pair) sameWay() bool {
	return p.base.Asked == p.seen.Asked && p.base.Region == p.seen.Region
}

// otherClient reports whether two probes were sent as different clients.
func (p *pair) otherClient() bool { return p.base.Client != p.seen.Client }

// other reports whether the answers are more than a little different, and more
// than two answers to the same request are.
func (p *pair) other() bool {
	return p.base.Status != p.seen.Status || p.shown.Similarity < min(sameContent, p.floor)
}

// because says what the server can have told two probes apart by.
func (p *pair) because() string {
	switch {
	case p.otherClient() && p.sameWay():
		return "the user agent"
	case !p.otherClient() && p.base.Region == p.seen.Region:
		return "the protocol"
	case !p.otherClient() && p.base.Asked == p.seen.Asked:
		return "the address it is asked from"
	}
	return "the user agent, the protocol or the address"
}

func good(s *Seen) bool { return s.Status >= 200 && s.Status < 400 }

func denied(s *Seen) bool {
	return s.Status == 401 || s.Status == 403 || s.Status == 404 || s.Status == 406 || s.Status == 410 || s.Status == 451
}

func refused(p *pair) (string, string) {
	if !good(p.base) || !denied(p.seen) {
		return "", ""
	}
	sentence := fmt.Sprintf("{who} gets a %d where {first} gets a %d: a firewall or the server decides by %s. URLs that answer so leave the index, and the crawl rate stays.",
		p.seen.Status, p.base.Status, p.because())
	if p.seen.probe.Operator != "" && p.otherClient() {
		return sentence, "These requests do not come from the addresses of " + p.seen.probe.Operator + ": a firewall that verifies crawlers refuses them rightly (L3, M17). " +
			"Look in the server's log for what the verified crawler gets, and let it in by verified address, not by user agent."
	}
	return sentence, "If crawlers are meant to see the page, take the rule out of the firewall, or let them in by verified address (L3)."
}

func refusesFirst(p *pair) (string, string) {
	if !good(p.seen) || !denied(p.base) {
		return "", ""
	}
	return fmt.Sprintf("{first} gets a %d where {who} gets a %d: a firewall or the server decides by %s.", p.base.Status, p.seen.Status, p.because()),
		"Whoever names a well-known crawler gets in: let crawlers in by verified address (L3), not by name."
}

func limited(p *pair) (string, string) {
	if p.seen.Status != 429 || p.base.Status == 429 {
		return "", ""
	}
	return "{who} gets a 429: a rate limiter counts it, while {first} got through. A crawler slows the whole hostname down for that.",
		"If one request is too much already, the limiter counts by user agent or by address and not by load: raise its bound for verified crawlers."
}

func serverError(p *pair) (string, string) {
	if p.seen.Status/100 != 5 || !good(p.base) {
		return "", ""
	}
	return fmt.Sprintf("{who} gets a %d where {first} gets a %d. If it lasts, the hostname is crawled more slowly and its URLs are dropped.", p.seen.Status, p.base.Status),
		"Make the request again to see whether it was chance; the server's error log names the cause."
}

func unanswered(p *pair) (string, string) {
	f := p.seen.Failure
	if f == nil || p.seen.Status != 0 || p.base.Status == 0 || p.seen.Ours {
		return "", ""
	}
	return fmt.Sprintf("{who} gets no answer (%s) where {first} gets a %d: what stands before the server drops it by %s. A crawler slows down at once, and such URLs leave the index within days.",
		f.Class, p.base.Status, p.because()), "A firewall that drops connections looks like an outage to a crawler: let it answer 403 or 429 instead, or let verified crawlers in (L3)."
}

func refusesHTTP2(p *pair) (string, string) {
	switch {
	case p.seen.Misdirected:
		return "{who}: the server refuses HTTP/2 for this hostname (421 or HTTP_1_1_REQUIRED). Crawlers stay on HTTP/1.1 here, and nothing else follows from it.", ""
	case p.seen.Asked == crawl.ProtocolHTTP2.String() && p.seen.Status > 0 && p.seen.Protocol != p.seen.Asked:
		return "{who}: the server does not speak HTTP/2 and was answered over " + p.seen.Protocol + ". Crawlers do the same.", ""
	}
	return "", ""
}

func otherByProtocol(p *pair) (string, string) {
	if p.otherClient() || p.base.Asked == p.seen.Asked || p.base.Region != p.seen.Region || !p.other() || p.seen.Ours {
		return "", ""
	}
	return fmt.Sprintf("{who} gets %s where {first} gets %s: the protocols are configured apart, and a crawler uses the one that has the better record.", outcome(p.seen), outcome(p.base)),
		"Serve the same over both, or answer 421 over HTTP/2 to opt out of it."
}

func outcome(s *Seen) string {
	if s.Status == 0 {
		return "no answer (" + failure(s) + ")"
	}
	return fmt.Sprintf("a %d with %d words", s.Status, s.Words)
}

func challenged(p *pair) (string, string) {
	if !p.seen.Challenge || p.base.Challenge {
		return "", ""
	}
	return fmt.Sprintf("{who} gets a page that tests for people (status %d) instead of the content. No crawler passes such a test.", p.seen.Status),
		"Take verified crawlers out of the test (L3)."
}

func redirected(p *pair) (string, string) {
	if chain(p.base) == chain(p.seen) || p.noise["redirects"] {
		return "", ""
	}
	to := func(s *Seen) string {
		if len(s.Chain) == 0 {
			return "not redirected"
		}
		return "redirected to " + s.Chain[len(s.Chain)-1].To
	}
	return fmt.Sprintf("{who} is %s, {first} is %s: the redirect depends on %s.", to(p.seen), to(p.base), p.because()),
		"Separate addresses for devices or countries need links between them (alternate, hreflang) and Vary; a crawler does not see versions it is never sent to."
}

func otherRegion(p *pair) (string, string) {
	if p.base.Region == p.seen.Region || p.otherClient() || p.seen.Ours || !p.other() {
		return "", ""
	}
	return fmt.Sprintf("{who} gets %s where {first} gets %s: content depends on where it is asked from. A crawler asks from its default region mostly, and only that version is known.",
		outcome(p.seen), outcome(p.base)), "Give versions for countries addresses of their own, and do not put a consent page before crawlers."
}

func noindex(p *pair) (string, string) {
	switch {
	case p.base.Status != p.seen.Status || p.base.Noindex == p.seen.Noindex || p.noise["robots"]:
		return "", ""
	case p.seen.Noindex:
		return "{who} is told noindex and {first} is not: the page is dropped from the index of the one and not of the other.", ""
	}
	return "{first} is told noindex and {who} is not: the page is dropped from the index of the one and not of the other.", ""
}

func otherCanonical(p *pair) (string, string) {
	if !good(p.base) || !alike(p.base, p.seen) || p.base.Canonical == p.seen.Canonical || p.noise["canonical"] {
		return "", ""
	}
	name := func(u crawl.URL) string {
		if u == "" {
			return "none"
		}
		return string(u)
	}
	return fmt.Sprintf("{who} is given the canonical %s, {first} %s: the versions contradict each other.", name(p.seen.Canonical), name(p.base.Canonical)),
		"All versions of a page should name the same canonical."
}

func truncated(p *pair) (string, string) {
	if !p.seen.Truncated || p.base.Truncated {
		return "", ""
	}
	return fmt.Sprintf("{who} reads the first %d bytes only, {first} all %d: what stands behind the byte limit does not exist for that crawler (B4, B5).", p.seen.Limit, p.base.BodyBytes),
		"Move what matters to the front, and scripts, styles and data out of the page."
}

func otherText(p *pair) (string, string) {
	if !p.sameWay() || !good(p.base) || !alike(p.base, p.seen) || p.base.text == nil || p.seen.text == nil || p.seen.Challenge || p.seen.Truncated != p.base.Truncated {
		return "", ""
	}
	share := p.shown.Similarity
	if !p.other() {
		return "", ""
	}
	advice := ""
	if !strings.Contains(strings.ToLower(p.seen.vary), "user-agent") && p.seen.vary != "*" {
		advice = "If that is meant, say so to caches and crawlers with Vary: User-Agent, which is missing here."
	}
	what := "other text"
	if share < otherContent {
		what = "another page"
	}
	return fmt.Sprintf("{who} gets %s: %.0f %% of the words are those of {first}. The content depends on %s.", what, 100*share, p.because()), advice
}

func otherLinks(p *pair) (string, string) {
	d := linkDiff(p)
	if d == nil || p.noise["links"] || !good(p.base) || p.seen.Truncated != p.base.Truncated || p.shown.Similarity < otherContent || d.Missing <= len(p.base.links)/10 {
		return "", ""
	}
	return fmt.Sprintf("{who} does not see %d of the %d links that {first} sees: what is linked only there is not discovered by it.", d.Missing, len(p.base.links)),
		"Mobile and desktop versions should link to the same pages."
}

// gathered are the sentences found so far, those that are alike together.
type gathered struct {
	found []found
}

type found struct {
	at                    int // in rules
	row, sentence, advice string
	who                   []string
}

func (g *gathered) add(p *pair) {
	flaps := p.noise["status"] || p.noise["failure"] // whoever asks
	for at, r := range rules {
		if flaps && !r.alone {
			continue
		}
		sentence, advice := r.match(p)
		if sentence != "" {
			g.put(at, r.row, sentence, advice, p.shown.Name)
		}
	}
}

func (g *gathered) put(at int, row, sentence, advice, who string) {
	for i := range g.found {
		if f := &g.found[i]; f.at == at && f.sentence == sentence && f.advice == advice {
			f.who = append(f.who, who)
			return
		}
	}
	g.found = append(g.found, found{at, row, sentence, advice, []string{who}})
}

// alone adds what the first answer shows by itself.
func (g *gathered) alone(s *Seen) {
	if s.Misdirected || s.Asked == crawl.ProtocolHTTP2.String() && s.Status > 0 && s.Protocol != s.Asked {
		if sentence, advice := refusesHTTP2(&pair{base: s, seen: s, shown: s}); sentence != "" {
			at := slices.IndexFunc(rules, func(r rule) bool { return r.row == "B1" })
			g.put(at, "B1", sentence, advice, s.Name)
		}
	}
}

// plural turns a sentence about one into one about several.
func plural() *strings.Replacer {
	return strings.NewReplacer("{who} gets", "{who} get", "{who} is", "{who} are", "{who} reads", "{who} read", "{who} does not see", "{who} do not see", "discovered by it", "discovered by them", "counts it", "counts them")
}

// list returns the verdicts in the order of the rules.
func (g *gathered) list(r *Report) []Verdict {
	slices.SortStableFunc(g.found, func(a, b found) int { return a.at - b.at })
	out := []Verdict{}
	for _, f := range g.found {
		names := strings.Join(f.who, " and ")
		if n := len(f.who); n > 2 {
			names = strings.Join(f.who[:n-1], ", ") + " and " + f.who[n-1]
		}
		if len(f.who) > 1 {
			f.sentence = plural().Replace(f.sentence)
		}
		fill := strings.NewReplacer("{who}", names, "{first}", r.Probes[0].Name)
		out = append(out, Verdict{f.row, f.who, fill.Replace(f.sentence), fill.Replace(f.advice)})
	}
	return out
}
