package sitemap

import (
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

func TestD2Scope(t *testing.T) {
	const here = crawl.URL("https://www.e.com/catalog/sitemap.xml?x=/a/")
	for name, tc := range map[string]struct {
		sitemap crawl.URL
		named   []crawl.Host
		u       crawl.URL
		want    Verdict
	}{
		"same directory":            {here, nil, "https://www.e.com/catalog/a?b=c", InScope},
		"directory itself":          {here, nil, "https://www.e.com/catalog/", InScope},
		"below":                     {here, nil, "https://www.e.com/catalog/a/b", InScope},
		"above":                     {here, nil, "https://www.e.com/image/a", Above},
		"root":                      {here, nil, "https://www.e.com/", Above},
		"name that starts alike":    {here, nil, "https://www.e.com/catalogue", Above},
		"directory without slash":   {here, nil, "https://www.e.com/catalog", Above},
		"in the query only":         {here, nil, "https://www.e.com/?p=/catalog/", Above},
		"other letters":             {here, nil, "https://www.e.com/Catalog/a", Above},
		"http of https":             {here, nil, "http://www.e.com/catalog/a", InScope},
		"other port":                {here, nil, "https://www.e.com:8443/catalog/a", OtherPort},
		"http at a port":            {here, nil, "http://www.e.com:8080/catalog/a", OtherPort},
		"ftp":                       {here, nil, "ftp://www.e.com/catalog/a", OtherPort},
		"subdomain":                 {here, nil, "https://e.com/catalog/a", OtherHost},
		"other host":                {here, nil, "https://o.org/catalog/a", OtherHost},
		"named by its host":         {here, []crawl.Host{"www.e.com"}, "https://www.e.com/image/a", InScope},
		"named by its host, port":   {here, []crawl.Host{"www.e.com"}, "https://www.e.com:8443/a", InScope},
		"named by another host":     {here, []crawl.Host{"o.org", "p.org"}, "https://p.org/", InScope},
		"the other, not the own":    {here, []crawl.Host{"o.org"}, "https://www.e.com/", Above},
		"named by neither":          {here, []crawl.Host{"o.org"}, "https://q.org/", OtherHost},
		"at the root":               {"https://www.e.com/sitemap.xml", nil, "https://www.e.com/any/where", InScope},
		"root of a site of its own": {"https://www.e.com/", nil, "https://www.e.com/any", InScope},
		"port of its own":           {"http://e.com:81/s.xml", nil, "http://e.com:81/a", InScope},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Scope{tc.sitemap, tc.named}).Check(tc.u); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestD2ScopeProperties: what is below a URL in scope is in scope; a name more in
// robots.txt never takes anything away.
func TestD2ScopeProperties(t *testing.T) {
	hosts := []crawl.Host{"a.example", "b.example", "c.example"}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(label string) crawl.URL {
			h := rapid.SampledFrom(hosts).Draw(rt, label+" host")
			return crawl.URL("https://"+string(h)) + crawl.URL(rapid.SampledFrom([]string{"/", "/a", "/a/", "/a/b", "/a/b/c", "/b/a"}).Draw(rt, label+" path"))
		}
		s := Scope{Sitemap: draw("sitemap"), Named: rapid.SliceOf(rapid.SampledFrom(hosts)).Draw(rt, "named")}
		u := draw("url")
		ok := s.Check(u) == InScope
		below := u + "/x"
		if u[len(u)-1] == '/' {
			below = u + "x"
		}
		if ok && s.Check(below) != InScope {
			rt.Errorf("%s is in scope of %+v, and %s is not", u, s, below)
		}
		more := Scope{s.Sitemap, append(s.Named, rapid.SampledFrom(hosts).Draw(rt, "one more"))}
		if ok && more.Check(u) != InScope {
			rt.Errorf("%s left the scope of %+v", u, more)
		}
		if ok && u.Host() != s.Sitemap.Host() && len(s.Named) == 0 {
			rt.Errorf("%s is in the scope of %s, and nobody named it", u, s.Sitemap)
		}
	})
}
