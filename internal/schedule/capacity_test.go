package schedule

import (
	"fmt"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

func TestA5CapacityIsSharedByClients(t *testing.T) {
	links := make([]string, 300)
	for i := range links {
		links[i] = fmt.Sprintf("/p%d", i)
	}
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch u.Path() {
		case "/robots.txt":
			return answer{status: 404}
		case "/":
			return page(links...)
		}
		return page()
	}, "trawl", "googlebot-desktop")
	b.cfg.Capacity = func(crawl.Host) hostload.Params {
		p := hostload.Own()
		p.Start, p.Ceiling = 2, 2
		return p
	}
	b.start(h + "/").run(t0.Add(8 * time.Second))
	by := map[crawl.ClientID]int{}
	for _, s := range b.log {
		by[s.client]++
	}
	if n := len(b.log); n < 100 || n > 175 {
		t.Errorf("%d requests of 100 ms in 8 s at capacity 2: case22 wants one limit for both", n)
	}
	if b.most["a.example"] > 2 {
		t.Errorf("case22: %d fetches at once", b.most["a.example"])
	}
	if a, g := by["trawl"], by["googlebot-desktop"]; a < g*7/10 || g < a*7/10 {
		t.Errorf("shares %v are not fair", by)
	}
}

func TestE5SlowHostDoesNotStarveOthers(t *testing.T) {
	slow := make([]string, 400)
	for i := range slow {
		slow[i] = fmt.Sprintf("http://slow.example/%d", i)
	}
	links := append(slow, "http://b.example/1", "http://c.example/1")
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		if u == h+"/" {
			return page(links...)
		}
		a := page()
		if u.Host() == "slow.example" {
			a.took = 20 * time.Second
		}
		return a
	}).start(h + "/").run(t0.Add(5 * time.Second))
	if b.count("http://b.example/1") != 1 || b.count("http://c.example/1") != 1 {
		t.Errorf("case24: others wait for the slow host: %q", b.urls())
	}
	if b.most["slow.example"] > 5 {
		t.Errorf("case24: %d at once on the slow host", b.most["slow.example"])
	}
}

func TestE8Case24RateLimitedHostIsLeftAlone(t *testing.T) {
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		if u.Host() == "limited.example" && u.Path() != "/robots.txt" {
			return answer{status: 429}
		}
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		return page("http://limited.example/1", "http://limited.example/2", "http://limited.example/3", "/x")
	}).start(h + "/").run(t0.Add(time.Hour))
	n := 0
	for _, s := range b.log {
		if s.url.Host() == "limited.example" {
			n++
		}
	}
	if n < 3 || n > 40 {
		t.Errorf("%d requests in an hour to a host that answers 429 for ever", n)
	}
	if b.count(h+"/x") != 1 {
		t.Error("the other host was held up")
	}
}

func TestE8RetryAfterIsALowerBound(t *testing.T) {
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		if u.Path() == "/robots.txt" {
			return answer{status: 404}
		}
		if u.Path() == "/" && now.Before(t0.Add(2*time.Second)) {
			return answer{status: 503, header: crawl.Header{{Name: "Retry-After", Value: "600"}}}
		}
		return page("/b")
	}).start(h+"/", h+"/c").run(t0.Add(2 * time.Hour))
	var first time.Time
	for i, s := range b.log {
		if s.url == h+"/" {
			first = s.at
			for _, later := range b.log[i+1:] {
				if later.at.Sub(first) > time.Second && later.at.Sub(first) < 600*time.Second {
					t.Errorf("%s asked for %s after Retry-After: 600", later.url, later.at.Sub(first))
				}
			}
			break
		}
	}
	if b.count(h+"/b") != 1 {
		t.Error("not crawled after the pause")
	}
}

func TestB1ProtocolChangesBetweenSessionsOnly(t *testing.T) {
	const base = "https://a.example"
	for name, no2 := range map[string]bool{"HTTP/2 works": false, "421 opts out": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(u crawl.URL, _ time.Time) answer {
				var links []string
				for i := range 80 {
					links = append(links, fmt.Sprintf("/p%d", i))
				}
				a := page(links...)
				// Equal pages would be duplicates and asked for seldom (F11), or a trap (D3).
				a.body += fmt.Sprintf("<p>news about thing%x and other%x</p>", crawl.LinkHash(u), ^crawl.LinkHash(u))
				if u.Path() == "/robots.txt" {
					a = answer{status: 404}
				}
				a.no2 = no2
				return a
			}).start(base + "/").run(t0.Add(time.Hour))
			asked := func(from int) map[crawl.Protocol]int {
				n := map[crawl.Protocol]int{}
				for _, s := range b.log[from:] {
					n[s.req.Protocol]++
				}
				return n
			}
			if n := asked(0); n[crawl.ProtocolHTTP2] != 0 {
				t.Fatalf("the first session used %v", n)
			}
			first := len(b.log)
			b.run(t0.Add(9 * 24 * time.Hour)) // recrawl: a new session of the hostname
			n := asked(first)
			// Opted out: what was under way when the first 421 came, and no more.
			if got := n[crawl.ProtocolHTTP2]; no2 && (got < 1 || got > 20) || !no2 && got < 70 {
				t.Errorf("the second session used %v", n)
			}
			rec, _, _ := b.st.Host(t.Context(), "a.example")
			if rec.Protocol.OptOut != no2 {
				t.Errorf("record %+v", rec.Protocol)
			}
		})
	}
}

func TestE5CrowdedHostsThatBackOffMakeRoom(t *testing.T) {
	var links []string
	for i := range 40 {
		links = append(links, fmt.Sprintf("http://limited%02d.example/", i))
	}
	for i := range 10 {
		links = append(links, fmt.Sprintf("http://zz-good%d.example/", i))
	}
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch {
		case u.Path() == "/robots.txt":
			return answer{status: 404}
		case u == h+"/":
			return page(links...)
		case u.Host()[0] == 'l':
			return answer{status: 429, header: crawl.Header{{Name: "Retry-After", Value: "7200"}}}
		}
		return page()
	})
	b.cfg.HostRoom = 5
	b.start(h + "/").run(t0.Add(time.Hour))
	for i := range 10 {
		if n := b.count(fmt.Sprintf("http://zz-good%d.example/", i)); n != 1 {
			t.Errorf("good host %d fetched %d times", i, n)
		}
	}
	for i := range 40 {
		if n := b.count(fmt.Sprintf("http://limited%02d.example/", i)); n != 1 {
			t.Errorf("limited host %d asked %d times within its Retry-After", i, n)
		}
	}
	if n := b.sched.Counts().Hosts; n > 5 {
		t.Errorf("%d hostnames in memory", n)
	}
}

func TestE8Case23RetryAfterForms(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "0": 0, "-5": 0, "1.5": 0, "soon": 0, "12x": 0,
		"Mon, 30 Nov 2026 12:10:00 GMT": 10 * time.Minute,
		"Mon, 30 Nov 2026 11:00:00 GMT": 0, // past
		"Mon, 30 Nov 2026 12:10:00 PST": 0, // not an HTTP date
		"31536000":                      365 * 24 * time.Hour,
		"99999999999999999999999999":    maxRetryAfter * time.Second,
	} {
		if got := RetryAfter(crawl.Header{{Name: "retry-after", Value: v}}, at); got != want {
			t.Errorf("%q: %s, want %s", v, got, want)
		}
	}
}
