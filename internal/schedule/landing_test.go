package schedule

import (
	"fmt"
	"testing"
	"time"

	"trawl/internal/crawl"
)

func TestF10HasSomethingOf(t *testing.T) {
	const a = "http://a.example"
	for _, c := range []struct {
		from, to, title string
		want            bool
	}{
		{"/red-bicycle", "/", "", false},
		{"/red-bicycle", "/", "Bicycles and more", true},
		{"/shop/red-bicycle", "/shop/", "", true},
		{"/old/chairs.html", "/new/chair", "", true},
		{"/chairs", "/tables", "All tables", false},
		{"/index.html", "/", "Home", true},
		{"/?p=123", "/", "Home", true},
		{"/123/456", "/", "Home", true},
		{"/%C3%BCber-uns", "/", "Über uns", true},
		{"/%E5%95%86%E5%93%81", "/", "首页", false},
		{"/%zz%ff", "/", "", true},
	} {
		if got := hasSomethingOf(crawl.URL(a+c.from), crawl.URL(a+c.to), c.title); got != c.want {
			t.Errorf("%s to %s, titled %q: %v", c.from, c.to, c.title, got)
		}
	}
}

func TestF10LandingsAreBounded(t *testing.T) {
	var list []crawl.Landing
	for i := range 1000 {
		list = landedOn(list, crawl.URL(fmt.Sprintf("http://a.example/%d", i)))
		list = landedOn(list, "http://a.example/")
		if len(list) > crawl.MaxLandings {
			t.Fatalf("%d targets", len(list))
		}
	}
	if i := findLanding(list, "http://a.example/"); i < 0 || list[i].Count < landingFrom {
		t.Errorf("the target of half of the URLs is lost: %+v", list)
	}
}

// TestF10ManyURLsRedirectedToTheHomepage: those after the first ten are soft 404s,
// those whose target has something of them are redirects as ever.
func TestF10ManyURLsRedirectedToTheHomepage(t *testing.T) {
	const h, pages = "http://a.example", 30
	name := func(i int) string { return fmt.Sprintf("/thing-%c%c", 'a'+i%26, 'a'+i/26) }
	b := newBench(t, func(u crawl.URL, _ time.Time) answer {
		switch p := u.Path(); {
		case p == "/robots.txt":
			return answer{status: 404}
		case p == "/":
			links := []string{"/list/one", "/list/two", "/list/three"}
			for i := range pages {
				links = append(links, name(i))
			}
			return page(links...)
		case len(p) > 6 && p[:6] == "/list/":
			return redirect(301, "/list")
		case p == "/list":
			return text("a list of things")
		}
		return redirect(301, "/")
	})
	b.cfg.Demand.Refresh = 2 * 24 * time.Hour
	b.start(h + "/").run(t0.Add(time.Hour))
	soft := func() (n int) {
		for i := range pages {
			if x := b.index(h + name(i)).Index; x.State == crawl.IndexExcluded && x.Reason == crawl.ReasonSoft404 && x.Row == "F10" {
				n++
			}
		}
		return n
	}
	if n := soft(); n != pages-landingFrom+1 {
		t.Errorf("%d are soft 404s, want all from the tenth on", n)
	}
	b.run(t0.Add(4 * 24 * time.Hour))
	if n := soft(); n != pages {
		t.Errorf("%d are soft 404s after they were crawled again, want all", n)
	}
	if x := b.index(h + "/list/one").Index; x.Reason != crawl.ReasonRedirect {
		t.Errorf("a redirect to a page that has something of it: %+v", x)
	}
}

// TestF10ErrorMessageIsExcludedAndComesBack: it is crawled on, and its own content
// brings it back.
func TestF10ErrorMessageIsExcludedAndComesBack(t *testing.T) {
	const u, day = "http://a.example/", 24 * time.Hour
	mended := t0.Add(10 * day)
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		switch {
		case u.Path() == "/robots.txt":
			return answer{status: 404}
		case now.Before(mended):
			a := page()
			a.body = "<title>Page not found</title><h1>Page not found</h1><p>There is nothing here.</p>"
			return a
		}
		a := page()
		a.body = "<title>Chairs</title><h1>Chairs</h1><p>All of oak.</p>"
		return a
	})
	b.cfg.Demand.Refresh = 2 * day
	b.start(u).run(t0.Add(time.Hour))
	if x := b.index(u).Index; x.State != crawl.IndexExcluded || x.Reason != crawl.ReasonSoft404 || x.Row != "F10" {
		t.Fatalf("an error message is %+v", x)
	}
	b.run(t0.Add(9*day + time.Hour))
	if n := b.count(u); n != 4 {
		t.Errorf("crawled %d times in nine days, want once in three", n)
	}
	b.run(mended.Add(4 * day))
	if x := b.index(u).Index; x.State != crawl.IndexPassed {
		t.Errorf("after it was mended: %+v", x)
	}
}

// TestF11ErrorMessagesThatDifferInANumberAreOneCluster.
func TestF11ErrorMessagesThatDifferInANumberAreOneCluster(t *testing.T) {
	n := 0
	b := newBench(t, func(u crawl.URL, now time.Time) answer {
		switch {
		case u.Path() == "/robots.txt":
			return answer{status: 404}
		case u.Path() == "/":
			var links []string
			for i := range 30 {
				links = append(links, fmt.Sprintf("/p%d", i))
			}
			return page(links...)
		}
		n++
		a := page()
		a.body = fmt.Sprintf("<title>Error</title><h1>Something went wrong</h1><p>Request %d at %s.</p>", n, now.Format(time.RFC3339Nano))
		return a
	})
	b.start("http://a.example/").run(t0.Add(time.Hour))
	if c := b.cluster("a.example"); c.Count != 30 {
		t.Errorf("%d URLs in the cluster, want 30", c.Count)
	}
}
