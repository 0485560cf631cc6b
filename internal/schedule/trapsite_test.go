package schedule

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

// trapSite is a host of many real pages, in sections as sites have them, and
// one or more endless spaces that hang on its homepage. Each real page says
// something of its own, as real pages do.
type trapSite struct {
	real map[string][]string // path with query → links
	trap map[string]func(u crawl.URL) answer
}

var vocabulary = strings.Fields(`amber basin copper delta ember fjord garnet harbor island jasper kettle lantern meadow nickel orchard pebble quartz
ribbon saddle timber umber valley willow yarrow zephyr anchor bridge candle drawer engine feather glacier hammer inkwell jacket kernel ladder mirror needle oval`)

// words are the text of a real page: always the same for one address.
func words(seed string, n int) string {
	f := fnv.New64a()
	f.Write([]byte(seed))
	r := rand.New(rand.NewPCG(f.Sum64(), 1))
	out := make([]string, n)
	for i := range out {
		out[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	return strings.Join(out, " ")
}

// newTrapSite makes articles by date, products by number, a forum by parameters,
// a list in pages, and deep paths without numbers: every shape that traps have too.
func newTrapSite(n int) *trapSite {
	s := &trapSite{real: map[string][]string{}, trap: map[string]func(crawl.URL) answer{}}
	var all []string
	for i := range n {
		var p string
		switch i % 5 {
		case 0:
			p = fmt.Sprintf("/blog/%d/%02d/%s-%d", 2010+i/5%15, 1+i/5%12, vocabulary[i/5%40], i)
		case 1:
			p = fmt.Sprintf("/product/%d", i)
		case 2:
			p = fmt.Sprintf("/forum/show?f=%d&t=%d", i%7, i)
		case 3:
			p = fmt.Sprintf("/list?page=%d", i/5+1)
		case 4:
			p = fmt.Sprintf("/guide/%s/%s/%s", vocabulary[i/5%8], vocabulary[i/40%40], vocabulary[i/5%40])
			if _, dup := s.real[p]; dup {
				p += "-" + vocabulary[i/200%40]
			}
		}
		if _, dup := s.real[p]; dup {
			p = fmt.Sprintf("/misc/%s-%d.html", vocabulary[i%40], i)
		}
		s.real[p] = nil
		all = append(all, p)
	}
	s.real["/"] = nil
	for i, p := range all { // a tree in which each page has six children, and links across
		from := "/"
		if i >= 6 {
			from = all[i/6-1]
		}
		s.real[from] = append(s.real[from], p)
		s.real[p] = append(s.real[p], all[(i*7+3)%len(all)], all[(i*13+5)%len(all)])
	}
	return s
}

func (s *trapSite) entries() (out []string) {
	for p := range s.trap {
		out = append(out, p)
	}
	return out
}

func (s *trapSite) serve(u crawl.URL, _ time.Time) answer {
	at := string(u.PathQuery())
	if at == "/robots.txt" {
		return answer{status: 404}
	}
	if links, ok := s.real[at]; ok {
		if at == "/" {
			links = append(s.entries(), links...)
		}
		return article("About "+words(at, 6), words(at+"#", 30), links...)
	}
	best := ""
	for entry := range s.trap {
		root, _, _ := strings.Cut(strings.TrimPrefix(entry, "/"), "/")
		root, _, _ = strings.Cut(root, "?")
		if strings.HasPrefix(at, "/"+root) && len(root) > len(best) {
			best = entry
		}
	}
	if best == "" {
		return answer{status: 404}
	}
	return s.trap[best](u)
}

// article is a page with a frame that all pages of the site share.
func article(title, text string, links ...string) answer {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title><nav><a href=/>Home</a> <img src=/logo.png></nav><h1>%s</h1><p>%s</p><ul>", title, title, text)
	for _, l := range links {
		b.WriteString(`<li><a href="` + strings.ReplaceAll(l, "&", "&amp;") + `">more</a>`)
	}
	b.WriteString("</ul><footer>All rights reserved</footer>")
	return answer{status: 200, header: crawl.Header{{Name: "Content-Type", Value: "text/html"}}, body: b.String()}
}

// number reads the last number in a URL.
func number(u crawl.URL) int {
	s := string(u)
	i := len(s)
	for i > 0 && '0' <= s[i-1] && s[i-1] <= '9' {
		i--
	}
	n, _ := strconv.Atoi(s[i:])
	return n
}

// monthAt reads year and month behind the word cal of a path or query.
func monthAt(u crawl.URL) (y, m int) {
	f := strings.FieldsFunc(string(u.PathQuery()), func(c rune) bool { return c < '0' || c > '9' })
	if len(f) < 2 {
		return 2026, 1
	}
	y, _ = strconv.Atoi(f[0])
	m, _ = strconv.Atoi(f[1])
	return y, m
}

// facets are what a shop lets one choose: in a query or as path segments.
var facets = [][]string{{"red", "blue", "green"}, {"small", "large", "huge"}, {"wool", "silk", "linen"}, {"new", "sale"}}

// goods are the names in the shop; each choice shows some of them.
func goods(choice string) string {
	var b strings.Builder
	for i := range 30 {
		f := fnv.New32a()
		fmt.Fprint(f, choice, i)
		if f.Sum32()%3 > 0 {
			fmt.Fprintf(&b, "<b>%s %s</b>", vocabulary[i], vocabulary[(i*3+1)%len(vocabulary)])
		}
	}
	return b.String()
}

// allTraps are the kinds of endless spaces, by the path they start at.
func allTraps() map[string]func(u crawl.URL) answer {
	visit := 0
	month := func(format string) func(u crawl.URL) answer {
		return func(u crawl.URL) answer {
			y, m := monthAt(u)
			next, prev := y*12+m, y*12+m-2
			days := strings.Repeat("<td>1<td>2<td>30", 10)
			return article(fmt.Sprintf("%s %d", time.Month(m), y), "<table><tr>"+days+"</table>No events.",
				fmt.Sprintf(format, next/12, next%12+1), fmt.Sprintf(format, prev/12, prev%12+1), fmt.Sprintf(format, y+1, m), fmt.Sprintf(format, y-1, m))
		}
	}
	session := func(format string) func(u crawl.URL) answer {
		return func(u crawl.URL) answer {
			visit++
			sid := fmt.Sprintf("%032x", visit*7919)
			return article("Your account", "Please sign in.", fmt.Sprintf(format, "login", sid), fmt.Sprintf(format, "basket", sid))
		}
	}
	return map[string]func(u crawl.URL) answer{
		"/qcal/?year=2026&month=1": month("/qcal/?year=%d&month=%d"),
		"/pcal/2026/1":             month("/pcal/%d/%d"),
		"/tick/1": func(u crawl.URL) answer {
			n := number(u)
			return article(fmt.Sprintf("Step %d", n), "Go on.", fmt.Sprintf("/tick/%d", n+1), fmt.Sprintf("/tick/%d", n+2))
		},
		"/count?n=1": func(u crawl.URL) answer { return article("Next", "Go on.", fmt.Sprintf("/count?n=%d", number(u)+1)) },
		"/qsid":      session("/qsid/%s?PHPSESSID=%s"),
		"/psid":      session("/psid/%s;jsessionid=%s"),
		"/own":       session("/own/%s?ticket=%s"),
		"/deep/":     func(u crawl.URL) answer { return article("Folder", "Nothing here.", "sub/", "../", "other/") },
		"/rep/":      func(u crawl.URL) answer { return article("Folder", "Nothing here.", "page/", "item/") },
		"/qshop?show=all": func(u crawl.URL) answer {
			var links []string
			for i, values := range facets {
				for _, v := range values {
					if q := u.Query(); !strings.Contains(q, fmt.Sprintf("f%d=", i)) {
						links = append(links, fmt.Sprintf("/qshop?%s&f%d=%s", q, i, v))
					}
				}
			}
			return article("Shop", goods(u.Query()), links...)
		},
		"/pshop/all": func(u crawl.URL) answer {
			var links []string
			for _, values := range facets {
				for _, v := range values {
					if !strings.Contains(u.Path(), "/"+v) {
						links = append(links, u.Path()+"/"+v)
					}
				}
			}
			return article("Shop "+strings.ReplaceAll(u.Path(), "/", " "), goods(u.Path()), links...)
		},
	}
}

// TestD3Case14EachKindOfTrapAmongRealPages: all 2,001 real pages are found,
// and all traps together cost at most 5 % of requests more.
func TestD3Case14EachKindOfTrapAmongRealPages(t *testing.T) {
	run := func(t *testing.T, traps map[string]func(u crawl.URL) answer, pages int, capacity hostload.Params) (extra int, found []crawl.Trap) {
		s := newTrapSite(pages)
		s.trap = traps
		b := newBench(t, s.serve)
		b.cfg.Capacity = func(crawl.Host) hostload.Params { return capacity }
		b.start(h + "/").run(t0.Add(6 * 24 * time.Hour))
		got := map[string]bool{}
		byTrap := map[string]int{}
		for _, u := range b.urls() {
			at := string(crawl.URL(u).PathQuery())
			if _, ok := s.real[at]; ok {
				got[at] = true
			} else {
				root, _, _ := strings.Cut(at[1:], "/")
				root, _, _ = strings.Cut(root, "?")
				byTrap[root]++
				extra++
			}
		}
		if len(got) != len(s.real) {
			missing := ""
			for p := range s.real {
				if !got[p] {
					missing += " " + p
				}
			}
			t.Errorf("%d of %d real pages found; missing %.300s", len(got), len(s.real), missing)
		}
		t.Logf("%d real pages, %d requests more: %v", len(got), extra, byTrap)
		rec, _, err := b.st.Host(t.Context(), "a.example")
		if err != nil {
			t.Fatal(err)
		}
		return extra, rec.Traps
	}
	t.Run("none", func(t *testing.T) {
		if extra, found := run(t, nil, 2000, hostload.Own()); extra > 0 || len(found) > 0 {
			t.Errorf("%d requests more, traps %+v", extra, found)
		}
	})
	t.Run("all together", func(t *testing.T) {
		extra, found := run(t, allTraps(), 2000, hostload.Stranger())
		for _, f := range found {
			t.Logf("%6d × %s: %s", f.Count, f.Pattern, f.Reason)
		}
		if extra > 2000/20 {
			t.Errorf("%d requests more; at most 5 %% of 2,000 were asked", extra)
		}
	})
	for entry, serve := range allTraps() {
		t.Run(entry, func(t *testing.T) {
			extra, found := run(t, map[string]func(crawl.URL) answer{entry: serve}, 200, hostload.Own())
			if len(found) == 0 || extra > 30 {
				t.Errorf("%d requests more, traps %+v", extra, found)
			}
		})
	}
}
