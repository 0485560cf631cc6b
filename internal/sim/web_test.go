package sim

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

// visitor asks a web directly.
type visitor struct {
	*testing.T
	w   *Web
	now time.Time
}

func visit(t *testing.T, sc Scenario) *visitor {
	t.Helper()
	if err := sc.Validate(); err != nil {
		t.Fatal(err)
	}
	w := NewWeb(sc)
	return &visitor{t, w, w.start}
}

func (v *visitor) request(u string) *crawl.Request {
	return &crawl.Request{URL: crawl.URL(u), Timeouts: crawl.DefaultTimeouts()}
}

func (v *visitor) get(u string) *crawl.Result { return v.ask(v.request(u)) }

func (v *visitor) ask(req *crawl.Request) *crawl.Result {
	res, _ := v.w.Finish(v.w.Serve(req, v.now), nil)
	return res
}

func one(h Host, faults ...Fault) Scenario {
	h.Name = "a.example"
	if h.Pages == nil {
		h.Pages = []PageClass{{Name: "x", Count: 50}}
	}
	return Scenario{Duration: 1000 * day, Hosts: []Host{h}, Faults: faults}
}

func TestServerModel(t *testing.T) {
	v := visit(t, one(Host{Server: Server{Latency: time.Second, Knee: 2, Overload: 6, Collapse: 8, RetryAfter: time.Minute}}))
	var open []*Response
	var took []time.Duration
	for range 9 {
		r := v.w.Serve(v.request("https://a.example/"), v.now)
		open = append(open, r)
		took = append(took, r.Took)
	}
	for i, want := range []time.Duration{1000, 1000, 1500, 2000, 2500, 3000} {
		if took[i] != want*time.Millisecond {
			t.Errorf("answer %d of those at the same time took %s, want %d ms", i+1, took[i], want)
		}
	}
	for i, r := range open {
		res, _ := v.w.Finish(r, nil)
		switch {
		case i < 6 && res.Status != 200, i >= 6 && i < 8 && (res.Status != 503 || res.Header.Get("Retry-After") != "60"),
			i == 8 && (res.Failure == nil || res.Failure.Class != crawl.FailHeaderTimeout || res.Timings.Total != 30*time.Second):
			t.Errorf("answer %d: %d %v %v", i+1, res.Status, res.Header, res.Failure)
		}
	}
	if res := v.get("https://a.example/"); res.Timings.Total != time.Second {
		t.Errorf("alone again it takes %s", res.Timings.Total)
	}
}

func TestServerRateLimitAndBandwidth(t *testing.T) {
	v := visit(t, one(Host{Server: Server{RateLimit: 2, RateBurst: 3, Bandwidth: 10_000}}))
	got := ""
	for range 5 {
		got += map[int]string{200: "+", 429: "-"}[v.get("https://a.example/").Status]
	}
	v.now = v.now.Add(time.Second)
	for range 3 {
		got += map[int]string{200: "+", 429: "-"}[v.get("https://a.example/").Status]
	}
	if got != "+++--++-" {
		t.Errorf("got %s, want three at once and two a second", got)
	}
	v.now = v.now.Add(time.Minute)
	if total := v.get("https://a.example/").Timings.Total; total != 2200*time.Millisecond {
		t.Errorf("20,000 bytes at 10,000 a second take %s", total)
	}
}

func TestContentChangesAtItsRate(t *testing.T) {
	v := visit(t, one(Host{Pages: []PageClass{{Name: "x", Count: 50, ChangeEvery: day, ETag: true}, {Name: "y", Count: 1, LastModified: true, ChangeEvery: 5 * day}}}))
	changes, tag := 0, ""
	for range 24 * 400 {
		v.now = v.now.Add(time.Hour)
		req := v.request("https://a.example/x/p7")
		req.IfNoneMatch = tag
		res := v.ask(req)
		switch now := res.Header.Get("ETag"); {
		case res.Status == 304 && (now != tag || res.WireBytes != 0 || len(res.Body) > 0):
			t.Fatalf("304 with tag %s, was %s, %d bytes", now, tag, res.WireBytes)
		case res.Status == 200:
			changes++
			tag = now
		}
	}
	// 400 expected, and within an hour two changes look like one.
	if math.Abs(float64(changes)-400) > 80 {
		t.Errorf("%d changes in 400 days at one a day", changes)
	}
	req := v.request("https://a.example/y/p0")
	req.IfModifiedSince = v.now.Format("Mon, 02 Jan 2006 15:04:05 GMT")
	if res := v.ask(req); res.Status != 304 {
		t.Errorf("not modified since now: %d", res.Status)
	}
	v.now = v.now.Add(100 * day)
	if res := v.ask(req); res.Status != 200 {
		t.Errorf("modified since: %d %v", res.Status, res.Header)
	}
}

func TestFaultsFollowTheirSchedule(t *testing.T) {
	v := visit(t, one(Host{Robots: RobotsFile{Disallow: []string{"/private/"}}, Server: Server{Latency: time.Second}},
		Fault{From: day, For: day, Status: 503, RetryAfter: time.Hour, Share: 0.3, Target: TargetPages},
		Fault{From: 3 * day, For: day, Failure: "connect-timeout", Paths: []string{"/x/p1"}},
		Fault{From: 5 * day, For: day, ErrorText: true},
		Fault{From: 7 * day, For: day, MoveTo: "a.example"},
		Fault{From: 9 * day, For: day, Slow: 3},
		Fault{From: 11 * day, For: day, RobotsFile: &RobotsFile{Status: 500}},
		Fault{From: 13 * day, For: day, Status: 500, Target: TargetHome},
	))
	bad := func() (n int) {
		for _, i := range "0123456789" {
			for _, u := range []string{"https://a.example/x/p" + string(i), "https://a.example/x/p3" + string(i)} {
				if res := v.get(u); res.Status != 200 || res.Failure != nil {
					n++
				}
			}
		}
		return n
	}
	check := func(after time.Duration, what string, ok bool) {
		t.Helper()
		if !ok {
			t.Errorf("after %s: %s", after, what)
		}
	}
	at := func(d time.Duration) time.Duration { v.now = v.w.start.Add(d); return d }
	d := at(day - 1)
	check(d, "no fault yet", bad() == 0)
	d = at(day)
	n := bad()
	check(d, "three in ten fail", n >= 2 && n <= 12)
	check(d, "the same ones again", bad() == n)
	check(d, "robots.txt does not", v.get("https://a.example/robots.txt").Status == 200)
	d = at(2 * day)
	check(d, "over", bad() == 0)
	d = at(3 * day)
	res := v.get("https://a.example/x/p1")
	check(d, "timeout of the path", res.Failure != nil && res.Failure.Class == crawl.FailConnectTimeout && res.Timings.Total == 10*time.Second)
	check(d, "of no other", v.get("https://a.example/x/p2").Status == 200)
	d = at(5 * day)
	a, b := v.get("https://a.example/x/p1"), v.get("https://a.example/x/p2")
	check(d, "the same text under 200", a.Status == 200 && len(a.Body) > 0 && bytes.Equal(a.Body, b.Body))
	d = at(7 * day)
	check(d, "moved", v.get("https://a.example/x/p1").Header.Get("Location") == "https://a.example/x/p1")
	d = at(9 * day)
	check(d, "slower", v.get("https://a.example/x/p1").Timings.Wait == 3*time.Second)
	d = at(11 * day)
	check(d, "robots.txt alone", v.get("https://a.example/robots.txt").Status == 500 && bad() == 0)
	d = at(13 * day)
	check(d, "homepage alone", v.get("https://a.example/").Status == 500 && bad() == 0)
	if res := v.get("https://b.example/"); res.Failure == nil || res.Failure.Class != crawl.FailDNS {
		t.Errorf("an unknown host answers: %+v", res)
	}
	if res := v.get("https://a.example/x/p50"); res.Status != 404 {
		t.Errorf("a page that is not there answers %d", res.Status)
	}
	if got := string(v.get("https://a.example/robots.txt").Body); !strings.Contains(got, "Disallow: /private/\n") {
		t.Errorf("robots.txt: %q", got)
	}
}

// Every page is reachable over links from the homepage.
func TestEveryPageIsLinked(t *testing.T) {
	v := visit(t, one(Host{Pages: []PageClass{{Name: "x", Count: 300, Links: 1}, {Name: "y", Count: 30, Links: 20}}}))
	seen, todo := map[string]bool{"/": true}, []string{"/"}
	for len(todo) > 0 {
		body := string(v.get("https://a.example" + todo[0]).Body)
		todo = todo[1:]
		for _, part := range strings.Split(body, `<a href="`)[1:] {
			to, _, _ := strings.Cut(part, `"`)
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	if len(seen) != 331 {
		t.Errorf("%d of 331 pages are reachable", len(seen))
	}
}
