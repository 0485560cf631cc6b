package scenarios

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"trawl/internal/sim"
	"trawl/internal/simreport"
)

var update = flag.Bool("update", false, "write the figures of the pages in docs/scenarios anew")

const pages = "../docs/scenarios"

// large are the scenarios of so many requests that they are not checked step by
// step here; some are the others that the race detector plays: it makes them slow,
// and finds nothing in one goroutine.
var (
	large = []string{"error-text-200", "slow-server", "adsbot-spike"}
	some  = []string{"healthy", "outage-503-6h", "wall-403", "silent-drop-2d", "dns-outage", "calendar-9999", "http2-opt-out"}
)

// run is a scenario that was played.
type run struct {
	sc      sim.Scenario
	result  *sim.Result
	figures *simreport.Figures
	err     error
}

// runs plays each scenario once in a test process.
var runs sync.Map

func played(t *testing.T, name string) *run {
	t.Helper()
	if raceEnabled && !slices.Contains(some, name) {
		t.Skip("many requests: not with -race")
	}
	once, _ := runs.LoadOrStore(name, sync.OnceValue(func() *run {
		f, err := Load(name)
		if err != nil {
			return &run{err: err}
		}
		r := &run{sc: f.Run}
		if r.result, r.err = sim.RunWith(t.Context(), f.Run, sim.Options{Check: !slices.Contains(large, name)}); r.err != nil {
			return r
		}
		if r.figures, r.err = simreport.Measure(t.Context(), f.Run, r.result); r.err == nil {
			r.figures.Title, r.figures.Rows = f.Title, f.Rows
		}
		return r
	}))
	r := once.(func() *run)()
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r
}

// TestPagesAreTrue plays every scenario, and holds the figures of its page to them.
func TestPagesAreTrue(t *testing.T) {
	const begin, end = "<!-- figures -->\n```text\n", "```\n"
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			r := played(t, name)
			var want bytes.Buffer
			if err := r.figures.Text(&want); err != nil {
				t.Fatal(err)
			}
			want.WriteString("\n")
			if err := simreport.Timeline(&want, r.sc, r.result, 80); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(pages, name+".md")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("a scenario needs a page: %v", err)
			}
			head, rest, ok := strings.Cut(string(b), begin)
			got, tail, closed := strings.Cut(rest, end)
			if !ok || !closed {
				t.Fatalf("%s has no figures between %q and %q", path, begin, end)
			}
			if got == want.String() {
				return
			}
			if !*update {
				t.Fatalf("%s says otherwise (go test ./scenarios -update writes it anew). It is now:\n%s", path, want.String())
			}
			if err := os.WriteFile(path, []byte(head+begin+want.String()+end+tail), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestLibraryIsWhole: each scenario has a title, rows and a page that the index
// names, and each page a scenario.
func TestLibraryIsWhole(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(pages, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		f, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Title == "" || f.About == "" || len(f.Rows) == 0 {
			t.Errorf("%s lacks a title, a description or rows", name)
		}
		if !strings.Contains(string(index), "["+name+"]("+name+".md)") {
			t.Errorf("the index does not name %s", name)
		}
		page, err := os.ReadFile(filepath.Join(pages, name+".md"))
		if err != nil {
			t.Error(err)
		}
		for _, part := range []string{"trawl simulate " + name, "## Why", "## What to do"} {
			if !strings.Contains(string(page), part) {
				t.Errorf("the page of %s has no %q", name, part)
			}
		}
	}
	list, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		name := strings.TrimSuffix(filepath.Base(p), ".md")
		if _, ok := Source(name); !ok && name != "README" && name != "fields" {
			t.Errorf("%s is the page of no scenario", p)
		}
	}
}

// TestFieldsPageNamesEveryField holds the page of the fields to the fields there are.
func TestFieldsPageNamesEveryField(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(pages, "fields.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{sim.Scenario{}, sim.Client{}, sim.Host{}, sim.PageClass{}, sim.Server{}, sim.RobotsFile{}, sim.Fault{}, sim.Assets{}} {
		for i := range reflect.TypeOf(v).NumField() {
			if name := reflect.TypeOf(v).Field(i).Tag.Get("yaml"); !strings.Contains(string(page), "| `"+name+"` |") {
				t.Errorf("%s does not name %s of %T", "fields.md", name, v)
			}
		}
	}
}

func TestNearestName(t *testing.T) {
	if got := Nearest("outage-503-6"); got != "outage-503-6h" {
		t.Errorf("got %q", got)
	}
	if _, err := Load("no-such-scenario"); err == nil {
		t.Error("a scenario that is not there was loaded")
	}
}
