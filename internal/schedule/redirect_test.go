package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

func TestC1RedirectedRobotsGovernTheFirstHost(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/robots.txt":             redirect(301, "https://a.example/r1"),
		"https://a.example/r1":        redirect(302, "http://b.example/r2"),
		"http://b.example/r2":         text("User-agent: *\nDisallow: /no"),
		h + "/":                       page("/no", "/yes"),
		"http://b.example/no":         page(),
		"http://b.example/robots.txt": {status: 404},
	})).start(h + "/").run(t0.Add(time.Hour))
	if b.count(h+"/no") != 0 || b.count(h+"/yes") != 1 {
		t.Errorf("case4: fetched %q", b.urls())
	}
}

func TestC1SixthRobotsRedirectIsAsNotFound(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch {
		case strings.Contains(string(u), "/robots.txt"):
			return redirect(302, "/r1")
		case strings.Contains(string(u), "/r") && u.Path() != "/r9":
			return redirect(302, fmt.Sprintf("/r%c", u.Path()[2]+1))
		case u.Path() == "/r9":
			return text("User-agent: *\nDisallow: /")
		}
		return page()
	}).start(h + "/").run(t0.Add(time.Hour))
	if b.count(h+"/r5") != 1 || b.count(h+"/r6") != 0 || b.count(h+"/") != 1 {
		t.Errorf("case4: requests %v", b.log)
	}
}

func TestB6RedirectsAreJobsOfTheirHosts(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/": redirect(301, "http://b.example/"), "http://b.example/": redirect(302, "http://c.example/end"),
		"http://c.example/end": page(), "http://c.example/robots.txt": text("User-agent: *\nDisallow: /private"),
	})).start(h + "/").run(t0.Add(time.Hour))
	if got := b.urls(); !slices.Equal(got, []string{h + "/", "http://b.example/", "http://c.example/end"}) {
		t.Fatalf("fetched %q", got)
	}
	r := b.record(h + "/")
	if r.Index.Reason != crawl.ReasonRedirect || r.Visits[0].RedirectTo != "http://b.example/" {
		t.Errorf("record %+v", r)
	}
	if end := b.record("http://c.example/end"); end.Depth != 0 || end.Via != crawl.ViaRedirect {
		t.Errorf("target %+v", end)
	}
}

func TestB6RobotsOfTheTargetDecides(t *testing.T) {
	b := newBench(t, pages(map[string]answer{
		h + "/": redirect(301, "http://b.example/private"), "http://b.example/robots.txt": text("User-agent: *\nDisallow: /private"),
	})).start(h + "/").run(t0.Add(time.Hour))
	if b.count("http://b.example/private") != 0 || !b.record("http://b.example/private").Visits[0].Robots {
		t.Errorf("fetched %q", b.urls())
	}
}

func TestB6RedirectErrors(t *testing.T) {
	long := func(u crawl.URL, _ time.Time) answer {
		var n int
		if _, err := fmt.Sscanf(u.Path(), "/hop%d", &n); err == nil {
			return redirect(302, fmt.Sprintf("/hop%d", n+1))
		}
		return answer{status: 404}
	}
	for name, c := range map[string]struct {
		web   func(crawl.URL, time.Time) answer
		seed  string
		at    string // where it is recorded
		chain int
		hops  int
	}{
		"case12 to itself":  {pages(map[string]answer{h + "/": redirect(301, "/")}), h + "/", h + "/", 0, 1},
		"case12 A B A":      {pages(map[string]answer{h + "/": redirect(301, "/b"), h + "/b": redirect(301, "/")}), h + "/", h + "/b", 1, 2},
		"case12 javascript": {pages(map[string]answer{h + "/": redirect(301, "javascript:alert(1)")}), h + "/", h + "/", 0, 1},
		"case12 mailto":     {pages(map[string]answer{h + "/": redirect(301, "mailto:x@example.com")}), h + "/", h + "/", 0, 1},
		"no Location":       {pages(map[string]answer{h + "/": {status: 302}}), h + "/", h + "/", 0, 1},
		"case12 11 hops":    {long, h + "/hop0", h + "/hop10", 10, 11},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.web).start(c.seed).run(t0.Add(time.Hour))
			if n := len(b.urls()); n != c.hops {
				t.Errorf("%d requests: %q", n, b.urls())
			}
			r := b.record(c.at)
			if v := r.Visits[0]; v.Response != crawl.ResponseRedirectError || len(v.Chain) != c.chain || r.Index.Reason != crawl.ReasonRedirectError {
				t.Errorf("record %+v", r)
			}
		})
	}
}

func TestA4InspectionFollowsNoRedirects(t *testing.T) {
	b := newBench(t, pages(map[string]answer{h + "/": redirect(301, "/b"), h + "/b": page()}), "google-inspection-tool-smartphone").start(h + "/").run(t0.Add(time.Hour))
	if got := b.urls(); !slices.Equal(got, []string{h + "/"}) {
		t.Errorf("fetched %q", got)
	}
	if r := b.record(h + "/"); r.Visits[0].Response != crawl.ResponseMovedPermanently || r.Visits[0].RedirectTo != h+"/b" {
		t.Errorf("record %+v", r)
	}
}

// A hostname does not make room for another one while its robots.txt is asked
// for elsewhere: the answer would be lost.
func TestC1RobotsRedirectOutlastsACrowd(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch u {
		case h + "/robots.txt":
			return redirect(301, "http://b.example/robots.txt")
		case "http://b.example/robots.txt":
			a := text("User-agent: *\nDisallow: /no")
			a.took = 100 * time.Second
			return a
		case h + "/":
			return page("/more")
		case h + "/more":
			a := page()
			a.took = 20 * time.Second // and a long wait for capacity after it
			return a
		case "http://e.example/":
			var links []string
			for i := range 40 { // time goes on there
				links = append(links, fmt.Sprintf("/%d", i))
			}
			return page(links...)
		}
		return page()
	}, "trawl", "google-safety") // the second one ignores robots.txt
	b.cfg.Capacity = func(crawl.Host) hostload.Params { return hostload.Stranger() }
	b.cfg.HostRoom = 2
	b.start(h+"/", "http://e.example/", "http://z.example/").run(t0.Add(20 * time.Minute))
	if n := b.count(h + "/robots.txt"); n != 1 {
		t.Errorf("robots.txt was asked for %d times", n)
	}
	if n := b.count(h + "/"); n != 2 {
		t.Errorf("the homepage was asked for %d times, once for each client is wanted", n)
	}
}
