package compare_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trawl/internal/compare"
	"trawl/internal/crawl"
)

const page = `<html><title>Shop</title><link rel=canonical href=/p><p>one two three four five six seven eight nine ten and much more text that stays as it is in all of these versions of the page<p>eleven twelve <b>bold</b> words
and more<a href=/1>x</a><a href=/2>y</a><script>var a = 1</script></html>`

// answer is what a probe gets.
type answer struct {
	status int
	body   string
	header string // "Name: value" lines
	fail   crawl.FailureClass
	h2     bool // answered over HTTP/2
	cut    bool
}

func (a answer) result(u crawl.URL) *crawl.Result {
	res := &crawl.Result{URL: u, Status: a.status, Body: []byte(a.body), Protocol: crawl.ProtocolHTTP1, Limit: 100, Truncated: a.cut}
	if a.h2 {
		res.Protocol = crawl.ProtocolHTTP2
	}
	res.Header = crawl.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}
	for line := range strings.Lines(a.header) {
		name, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
		res.Header = append(res.Header, crawl.Field{Name: http.CanonicalHeaderKey(name), Value: v})
	}
	if a.fail != crawl.FailNone {
		res.Failure = &crawl.Failure{Class: a.fail, Host: u.Host(), Detail: "it failed"}
	}
	return res
}

func ok(body string) answer { return answer{status: 200, body: body} }

func probe(id crawl.ClientID, hops ...answer) *compare.Probe {
	p := &compare.Probe{Name: string(id), Client: id, Follows: true, Protocol: crawl.ProtocolHTTP1, RobotsNames: []string{string(id)}}
	if strings.HasPrefix(string(id), "google") {
		p.Operator = "Google"
	}
	u := crawl.URL("https://a.example/")
	for i, h := range hops {
		p.Hops = append(p.Hops, h.result(u))
		u = crawl.URL(fmt.Sprintf("https://a.example/hop%d", i+1))
	}
	return p
}

func two(first, second answer) *compare.Report {
	control := probe("trawl", first)
	return compare.Compare("https://a.example/", []*compare.Probe{probe("trawl", first), probe("googlebot", second)}, control, "")
}

func aspects(r *compare.Report) []string {
	out := []string{}
	for _, d := range r.Differences {
		out = append(out, d.Aspect)
	}
	for range r.Texts {
		out = append(out, "text")
	}
	for range r.Links {
		out = append(out, "links")
	}
	return out
}

func rows(r *compare.Report) string {
	var out []string
	for _, v := range r.Verdicts {
		out = append(out, v.Row)
	}
	return strings.Join(out, " ")
}

// TestM2Verdicts holds the rule table: for two answers, the aspects that differ,
// the rows of the verdicts, and words of the first of them.
func TestM2Verdicts(t *testing.T) {
	other := "<title>Shop</title>" + strings.Repeat("<p>entirely different text stands in this place here", 9)
	redirect := answer{status: 301, header: "Location: https://m.example/"}
	for name, c := range map[string]struct {
		first, second answer
		aspects       string
		rows, says    string
	}{
		"the same":       {ok(page), ok(page), "", "", ""},
		"M2/403":         {ok(page), answer{status: 403, body: "no"}, "status", "M2", "googlebot gets a 403 where trawl gets a 200: a firewall or the server decides by the user agent"},
		"M2/404":         {ok(page), answer{status: 404, body: "no"}, "status", "M2", "gets a 404"},
		"M2/first":       {answer{status: 403, body: "no"}, ok(page), "status", "M2", "trawl gets a 403 where googlebot gets a 200"},
		"M3/429":         {ok(page), answer{status: 429}, "status", "M3", "a rate limiter"},
		"M3/503":         {ok(page), answer{status: 503}, "status", "M3", "gets a 503"},
		"M1/reset":       {ok(page), answer{fail: crawl.FailReset}, "status failure", "M1", "gets no answer (connection-reset)"},
		"ours":           {ok(page), answer{fail: crawl.FailProxy}, "status failure", "", ""},
		"both the same":  {answer{status: 403}, answer{status: 403}, "", "", ""},
		"B6/redirected":  {ok(page), redirect, "status redirects", "B6", "googlebot is redirected to https://m.example/, trawl is not redirected"},
		"F12/meta":       {ok(page), ok(page + "<meta name=googlebot content=noindex>"), "robots", "F12", "googlebot is told noindex and trawl is not"},
		"F12/header":     {ok(page), answer{status: 200, body: page, header: "X-Robots-Tag: none"}, "robots header x-robots-tag", "F12", "noindex"},
		"K5/canonical":   {ok(page), ok(strings.Replace(page, "href=/p", "href=/q", 1)), "canonical", "K5", "canonical https://a.example/q"},
		"M4/cut":         {ok(page), answer{status: 200, body: page[:90], cut: true}, "truncated text links", "M4", "the first 100 bytes only"},
		"I7/text":        {ok(page), ok(other), "canonical text links", "K5 I7", "canonical none"},
		"D1/links":       {ok(page), ok(strings.NewReplacer("<a href=/1>", "<b>", "<a href=/2>", "<b>").Replace(page)), "links", "D1", "does not see 2 of the 2 links"},
		"M2/challenge":   {ok(page), answer{status: 200, body: "<title>Shop</title><link rel=canonical href=/p>Verify you are HUMAN"}, "text links", "M2", "a page that tests for people"},
		"volatile":       {answer{status: 200, body: page, header: "Date: 1\nX-Cache: a\nSet-Cookie: s=1"}, answer{status: 200, body: page, header: "Date: 2\nX-Cache: b\nSet-Cookie: s=2"}, "", "", ""},
		"header":         {ok(page), answer{status: 200, body: page, header: "Vary: User-Agent"}, "header vary", "", ""},
		"title":          {ok(page), ok(strings.Replace(page, "Shop", "Sale", 1)), "title text", "", ""},
		"markup only":    {ok(page), ok(strings.Replace(page, "var a = 1", "var nonce = 2", 1)), "", "", ""},
		"other failures": {answer{fail: crawl.FailReset}, answer{fail: crawl.FailTLS}, "failure", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := two(c.first, c.second)
			if got := strings.Join(aspects(r), " "); got != c.aspects {
				t.Errorf("differences %q, want %q", got, c.aspects)
			}
			if r.Same != (c.aspects == "") {
				t.Errorf("same: %v", r.Same)
			}
			if got := rows(r); got != c.rows {
				t.Fatalf("rows %q, want %q: %+v", got, c.rows, r.Verdicts)
			}
			if c.rows != "" && !strings.Contains(r.Verdicts[0].Sentence, c.says) {
				t.Errorf("%q does not say %q", r.Verdicts[0].Sentence, c.says)
			}
		})
	}
}

// TestL3Caveat: a refusal of somebody else's name may be right, and that is said.
func TestL3Caveat(t *testing.T) {
	r := two(ok(page), answer{status: 403})
	if v := r.Verdicts[0]; !strings.Contains(v.Advice, "do not come from the addresses of Google") {
		t.Errorf("%+v", v)
	}
}

// TestM15Region: the same client from another region.
func TestM15Region(t *testing.T) {
	eu := probe("trawl", ok("<title>Shop</title><p>We value your privacy, please accept"))
	eu.Name, eu.Region = "trawl from eu", "eu"
	r := compare.Compare("https://a.example/", []*compare.Probe{probe("trawl", ok(page)), eu}, nil, "not asked")
	if got := rows(r); got != "M15 K5" || !strings.Contains(fmt.Sprint(r.Verdicts), "content depends on where it is asked from") {
		t.Errorf("%s: %+v", got, r.Verdicts)
	}
}

func TestB1Protocols(t *testing.T) {
	over := func(a answer, change func(*crawl.Result)) *compare.Probe {
		p := probe("trawl", a)
		p.Name, p.Protocol = "trawl over HTTP/2", crawl.ProtocolHTTP2
		change(p.Hops[0])
		return p
	}
	nothing := func(*crawl.Result) {}
	for name, c := range map[string]struct {
		second *compare.Probe
		want   string
	}{
		"B1/the same":      {over(answer{status: 200, body: page, h2: true}, nothing), ""},
		"B1/refused":       {over(ok(page), func(r *crawl.Result) { r.Misdirected = true }), "refuses HTTP/2 for this hostname"},
		"B1/not spoken":    {over(ok(page), nothing), "does not speak HTTP/2"},
		"B1/another":       {over(answer{status: 500, h2: true}, nothing), "the protocols are configured apart"},
		"B1/no connection": {over(answer{fail: crawl.FailReset}, nothing), "by the protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			r := compare.Compare("https://a.example/", []*compare.Probe{probe("trawl", ok(page)), c.second}, nil, "")
			if got := fmt.Sprint(r.Verdicts); c.want == "" && len(r.Verdicts) > 0 || !strings.Contains(got, c.want) {
				t.Errorf("%s, want %q", got, c.want)
			}
			if c.want == "" && !r.Same {
				t.Errorf("%+v", r.Differences)
			}
		})
	}
}

// TestA4FirstHop: a client that follows nothing is compared where it stopped.
func TestA4FirstHop(t *testing.T) {
	to := answer{status: 302, header: "Location: /hop1"}
	inspection := probe("inspection", to)
	inspection.Follows = false
	r := compare.Compare("https://a.example/", []*compare.Probe{probe("trawl", to, ok(page)), inspection}, nil, "")
	if !r.Same {
		t.Errorf("%+v", r.Differences)
	}
	inspection = probe("inspection", answer{status: 403})
	inspection.Follows = false
	r = compare.Compare("https://a.example/", []*compare.Probe{probe("trawl", to, ok(page)), inspection}, nil, "")
	if got := aspects(r); !slices.Contains(got, "status") || r.Differences[0].First != "302" {
		t.Errorf("%+v", r.Differences)
	}
}

// TestControl: what changes by itself is nobody's treatment.
func TestControl(t *testing.T) {
	turn := func(n int) answer {
		return answer{status: 200, body: fmt.Sprintf("%s<title>%d</title><p>visitor number %d<a href=/v%d>v</a>", page, n, n, n), header: fmt.Sprintf("Etag: \"%d\"", n)}
	}
	probes := []*compare.Probe{probe("trawl", turn(1)), probe("googlebot", turn(2))}
	if r := compare.Compare("https://a.example/", probes, probe("trawl", turn(3)), ""); !r.Same || !slices.Contains(r.Unstable, "links") || !slices.Contains(r.Unstable, "header etag") {
		t.Errorf("%v, unstable %v", aspects(r), r.Unstable)
	}
	if r := compare.Compare("https://a.example/", probes, nil, "left out"); r.Same || r.Control != "left out" {
		t.Errorf("without a control: %+v", r)
	}
}

// TestFlapping: a server that answers now so, now so tells nobody apart.
func TestFlapping(t *testing.T) {
	probes := []*compare.Probe{probe("trawl", ok(page)), probe("googlebot", answer{status: 503})}
	r := compare.Compare("https://a.example/", probes, probe("trawl", answer{status: 503}), "")
	if !slices.Contains(r.Unstable, "status") || len(r.Verdicts) > 0 {
		t.Errorf("unstable %v, verdicts %+v", r.Unstable, r.Verdicts)
	}
}

// TestTogether: what holds for several is said once.
func TestTogether(t *testing.T) {
	no := answer{status: 403}
	probes := []*compare.Probe{probe("trawl", ok(page)), probe("googlebot-a", no), probe("googlebot-b", no), probe("googlebot-c", no)}
	probes = append(probes, &compare.Probe{Name: "left", Client: "left", Skipped: "the server asked for a pause"})
	r := compare.Compare("https://a.example/", probes, nil, "")
	if len(r.Verdicts) != 1 || !strings.HasPrefix(r.Verdicts[0].Sentence, "googlebot-a, googlebot-b and googlebot-c get a 403") {
		t.Errorf("%+v", r.Verdicts)
	}
	b, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(b), `"not_asked":"the server asked for a pause"`) {
		t.Errorf("%v: %s", err, b)
	}
}

func TestNothingToCompare(t *testing.T) {
	for _, probes := range [][]*compare.Probe{nil, {probe("trawl")}, {probe("trawl"), probe("b")}, {probe("trawl", answer{})}} {
		if r := compare.Compare("https://a.example/", probes, nil, ""); !r.Same || len(r.Probes) != len(probes) {
			t.Errorf("%+v", r)
		}
	}
}
