package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/sim"
)

// crawled plays a site, whose store is then read as one's own crawl.
func crawled(t *testing.T, own bool) *sim.Result {
	t.Helper()
	r, err := sim.Run(t.Context(), sim.Scenario{
		Name: "crawl", Duration: 12 * 24 * time.Hour, Refresh: 24 * time.Hour,
		Hosts: []sim.Host{{
			Name: "www.example.org", Own: own,
			Server: sim.Server{Latency: 400 * time.Millisecond},
			Robots: sim.RobotsFile{Disallow: []string{"/blocked/"}},
			Pages: []sim.PageClass{
				{Name: "page", Count: 50, ETag: true, ChangeEvery: 3 * 24 * time.Hour, Bytes: 30_000},
				{Name: "gone", Count: 9, Status: 410},
				{Name: "moved", Count: 8, Status: 301},
				{Name: "quiet", Count: 7, Noindex: true, Bytes: 5000},
				{Name: "blocked", Count: 6},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFromStoreKnowsTheHost: pages by state, sizes, change rates, latency, capacity.
func TestFromStoreKnowsTheHost(t *testing.T) {
	r := crawled(t, false)
	k, err := FromStore(t.Context(), r.Store, "www.example.org")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, p := range k.Host.Pages {
		got[p.Name] = p.Count
	}
	if want := fmt.Sprint(map[string]int{"page": 50, "gone": 9, "moved": 8, "noindex": 7, "blocked": 6}); fmt.Sprint(got) != want || k.Pages != 81 {
		t.Errorf("%d pages, %v, want %s", k.Pages, got, want)
	}
	p := k.Host.Pages[0]
	if p.Bytes < 25_000 || p.Bytes > 31_000 || !p.ETag || !p.Known || p.ChangeEvery < 2*24*time.Hour || p.ChangeEvery > 6*24*time.Hour {
		t.Errorf("pages %+v", p)
	}
	if l := k.Host.Server.Latency; l < 300*time.Millisecond || l > 500*time.Millisecond {
		t.Errorf("latency %s", l)
	}
	if c := k.Host.Capacity; c != r.Final[0].Load.Limit || k.Host.Own {
		t.Errorf("capacity %g, own %v", c, k.Host.Own)
	}
	if k, err := FromStore(t.Context(), crawled(t, true).Store, "www.example.org"); err != nil || !k.Host.Own {
		t.Errorf("a limit above a stranger's is not taken for the owner's: %v", err)
	}
	if _, err := FromStore(t.Context(), r.Store, "nobody.example"); err == nil || !strings.Contains(err.Error(), "not known") {
		t.Errorf("%v", err)
	}
}

// TestE3F7FaultsOnOnesOwnHost puts the host into scenarios: what befell the one
// befalls the other.
func TestE3F7FaultsOnOnesOwnHost(t *testing.T) {
	k, err := FromStore(t.Context(), crawled(t, false).Store, "www.example.org")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("x.yaml", []byte(`
duration: 9d
refresh: 6h
hosts:
  - name: shop.example
    pages: [{name: item, count: 5}]
  - name: new.example
    hidden: true
    pages: [{name: item, count: 5}]
faults:
  - {hosts: [shop.example], from: 2d, for: 2d, status: 503, target: pages}
  - {hosts: [shop.example], from: 6d, move_to: new.example}
`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.On(k)
	if err != nil {
		t.Fatal(err)
	}
	if f.Run.Hosts[0].Name != "shop.example" || f.Run.Faults[0].Hosts[0] != "shop.example" || len(f.Run.Hosts[1].Pages) != 1 {
		t.Error("the scenario itself was changed")
	}
	if len(g.Run.Hosts[1].Pages) != len(k.Host.Pages) || g.Run.Hosts[1].Pages[0].Known {
		t.Errorf("where it moves to there are %+v", g.Run.Hosts[1].Pages)
	}
	r, err := sim.RunWith(t.Context(), g.Run, sim.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	before, during := r.Hosts[0].Between(0, 48*time.Hour), r.Hosts[0].Between(48*time.Hour, 96*time.Hour)
	if n := before.Index[crawl.IndexPassed]; n != 51 {
		t.Errorf("%d URLs are passed on at the start, the crawl had 51", n)
	}
	if during.Lowest > 0.1*before.Limit || during.Responses[crawl.ResponseServerError] == 0 {
		t.Errorf("the fault did not befall it: %+v", during)
	}
}

func TestOnRefusesHostsThatAreMany(t *testing.T) {
	f, err := Parse("x.yaml", []byte("duration: 1d\nhosts:\n  - {name: www.example, count: 3, pages: [{name: item, count: 5}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.On(&Known{Host: sim.Host{Name: "a.example", Pages: []sim.PageClass{{Name: "page", Count: 1}}}}); err == nil {
		t.Error("three hosts were replaced by one")
	}
}
