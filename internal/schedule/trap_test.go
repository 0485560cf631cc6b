package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
)

// real is a site of 60 pages that each link to some others.
func real(u crawl.URL) (answer, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(u.Path(), "/p"))
	if u.Path() == "/" {
		n, err = 0, nil
	}
	if err != nil || n >= 60 || u.Query() != "" && u.Path() != "/shop" {
		return answer{}, false
	}
	return page(fmt.Sprintf("/p%d", n+1), fmt.Sprintf("/p%d", (n*7+3)%60), "/"), true
}

func TestD3Case14TrapsEndAndRealPagesAreFound(t *testing.T) {
	var session int
	for name, trap := range map[string]func(u crawl.URL) answer{
		"deeper for ever": func(u crawl.URL) answer { return page("page/", "/p1") },
		"calendar": func(u crawl.URL) answer {
			var y, m int
			if _, err := fmt.Sscanf(string(u), h+"/calendar?year=%d&month=%d", &y, &m); err != nil {
				y, m = 2026, 1
			}
			y, m = y+m/12, m%12+1
			return page(fmt.Sprintf("/calendar?year=%d&month=%d", y, m), "/p1")
		},
		"session ids": func(u crawl.URL) answer {
			session++
			sid := fmt.Sprintf("%032x", session*7919)
			return page("/p1?PHPSESSID="+sid, "/trap?PHPSESSID="+sid)
		},
		"facets in every order": func(u crawl.URL) answer {
			var links []string
			have := u.Query()
			for _, f := range []string{"colour=red", "size=12", "brand=x", "price=low", "sale=yes", "new=1", "sort=a"} {
				if !strings.Contains(have, f) {
					links = append(links, "/trap?"+strings.TrimPrefix(have+"&"+f, "&"))
				}
			}
			return page(links...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(u crawl.URL, _ time.Time) answer {
				if u.Path() == "/robots.txt" {
					return answer{status: 404}
				}
				if u.Path() == "/" {
					return page("/p1", "/trap")
				}
				if a, ok := real(u); ok {
					return a
				}
				return trap(u)
			}).start(h + "/").run(t0.Add(24 * time.Hour))
			found := map[string]bool{}
			for _, u := range b.urls() {
				if _, ok := real(crawl.URL(u)); ok {
					found[u] = true
				}
			}
			if len(found) != 61 { // the homepage and p0 to p59
				t.Errorf("%d of 61 real pages found", len(found))
			}
			if n := len(b.urls()); n > 60+2200 {
				t.Errorf("%d requests: the trap does not end", n)
			}
			if tr := b.sched.hosts["a.example"]; tr != nil && len(tr.rec.Traps) > 0 {
				return
			}
			rec, _, _ := b.st.Host(t.Context(), "a.example")
			if len(rec.Traps) == 0 || rec.Traps[0].Reason == "" || rec.Traps[0].Example == "" {
				t.Errorf("the trap is not in the host's record: %+v", rec.Traps)
			}
		})
	}
}

func TestD3PatternsBeyondTheBoundAreCounted(t *testing.T) {
	var list []crawl.Trap
	for i := range 3 * crawl.MaxTraps {
		list = addTrap(list, crawl.Trap{Pattern: strconv.Itoa(i), Count: 2})
	}
	list = addTrap(list, crawl.Trap{Pattern: "0", Count: 5})
	sum := int64(0)
	for _, tr := range list {
		sum += tr.Count
	}
	if len(list) != crawl.MaxTraps || sum != 2*3*crawl.MaxTraps+5 || list[0].Count != 7 {
		t.Errorf("%d patterns with %d URLs, the first with %d", len(list), sum, list[0].Count)
	}
}
