package archtest

import (
	"testing"
)

// policy says which package of the module may import which. "a, b < c" means
// that c may import a and b and whatever those may import; a chain "a < b < c"
// is short for "a < b; b < c"; NONE is the empty set. Packages under internal/
// go by their path below it. Each package stands on the right of a "<" at least
// once; packages that do not exist yet are named where their place is decided.
const policy = `
	NONE < archtest;

	# The vocabulary.
	NONE < crawl;

	# Pure: values and a now in, values out.
	NONE < client/strictyaml, content/charset, content/softerror;
	crawl < client, weburl, hostload, protocol, egress, react, lastmod;
	hostload < owner;
	client/strictyaml < client;
	react < demand;
	lastmod < schedule;
	content, lastmod < sitemaps;
	weburl, content/charset < content/html, content/sitemap, content/softerror < content;
	NONE < content/html/htmltest; # the reference that tests and bench/links compare with
	weburl < robots;
	client, robots, hostload, owner, protocol, egress, demand, content < schedule;

	content < compare;

	# Ports: an interface and its contract. Then the suites, then the adapters.
	crawl < fetch, store;
	fetch < fetch/fetchtest;
	store < store/storetest;
	NONE < fetch/dnscache < fetch/httpfetch, fetch/ftpfetch;
	crawl < fetch/failure;
	fetch, fetch/failure < fetch/httpfetch, fetch/ftpfetch;
	fetch/httpfetch, fetch/ftpfetch < fetch/peers; # tests only
	store < store/record < store/pebblestore, store/pgstore; # the bytes of values
	store < store/memstore, store/pebblestore, store/pgstore;
	NONE < store/pgstore/pgtest; # a server for tests
	crawl < warc;

	# Joining.
	schedule, fetch, store, warc < config;
	config < live, sim;
	store/memstore < sim; # its crawls leave nothing behind
	live, sim < report < api, ui;
	NONE < chart < api, ui;
	sim, store < scenario < scenarios;
	sim, report, chart < simreport < scenarios;
	scenarios < cmd/trawl;
	fetch/httpfetch, fetch/ftpfetch, store/memstore, store/pebblestore, store/pgstore, sitemaps, api, ui < cmd/trawl;
	compare < cmd/trawl;
`

// testPolicy adds to policy what tests may import beside it: suites in the
// tests of implementations, and real or reference implementations in the tests
// of what stands on a port.
const testPolicy = `
	content/html/htmltest < content/html;
	content/html < content/softerror;
	fetch/fetchtest < fetch/httpfetch, fetch/ftpfetch;
	fetch/httpfetch < fetch/fetchtest;
	fetch/httpfetch, fetch/fetchtest < fetch/dnscache;
	fetch/fetchtest, fetch/dnscache, client, protocol, react, content, weburl < fetch/peers;
	store/storetest < store/memstore, store/pebblestore, store/pgstore;
	store/memstore < store/storetest, store/pebblestore, store/pgstore;
	store/pgstore/pgtest < store/pgstore, cmd/trawl;
	store/memstore < schedule;
	store/memstore, store/pebblestore, fetch/httpfetch < live, report, api, ui;
`

// standardOnly lists the packages that import nothing but the standard library
// and the module itself, and pure those that have no clock, no sockets and no
// random numbers of their own. A prefix ending in "/" covers all below it.
var (
	standardOnly = []string{"crawl", "fetch", "store"}
	pure         = []string{
		"crawl", "fetch", "store",
		"client", "client/", "weburl", "robots", "lastmod", "sitemaps", "hostload", "owner", "protocol", "egress", "demand", "react", "content", "content/", "schedule", "compare",
	}
)

func TestImportPolicy(t *testing.T) {
	m := theModule(t)
	main, err := parsePolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := parseRules(testPolicy)
	if err != nil {
		t.Fatal(err)
	}
	report(t, m.checkImports(main, tests))
	report(t, m.checkStandardOnly(standardOnly))
}

func TestPurePackages(t *testing.T) {
	report(t, theModule(t).checkPure(pure))
}

func TestImportPolicyCanFail(t *testing.T) {
	const dag = "NONE < a; a < b < c; NONE < d; NONE < suite"
	const testDag = "suite < d"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string // "" = no problem
	}{
		"allowed":           {map[string]string{"internal/b/b.go": imports("b", "trawl/internal/a")}, ""},
		"transitive":        {map[string]string{"internal/c/c.go": imports("c", "trawl/internal/a")}, ""},
		"upwards":           {map[string]string{"internal/a/a.go": imports("a", "trawl/internal/b")}, "internal/a may not import internal/b"},
		"sideways":          {map[string]string{"internal/d/d.go": imports("d", "trawl/internal/a")}, "internal/d may not import internal/a"},
		"not in policy":     {map[string]string{"internal/x/x.go": imports("x")}, "internal/x is not in the import policy"},
		"other GOOS":        {map[string]string{"internal/a/a_plan9.go": imports("a", "trawl/internal/b")}, "internal/a may not import internal/b"},
		"suite in test":     {map[string]string{"internal/d/d_test.go": imports("d_test", "trawl/internal/suite", "trawl/internal/d")}, ""},
		"suite in code":     {map[string]string{"internal/d/d.go": imports("d", "trawl/internal/suite")}, "internal/d may not import internal/suite"},
		"test out of order": {map[string]string{"internal/a/a_test.go": imports("a", "trawl/internal/c")}, "tests of internal/a may not import internal/c"},
	} {
		t.Run(name, func(t *testing.T) {
			main, err := parsePolicy(dag)
			if err != nil {
				t.Fatal(err)
			}
			tests, err := parseRules(testDag)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, memory(t, tc.files).checkImports(main, tests), tc.want)
		})
	}
}

func TestPolicyTextCanFail(t *testing.T) {
	for text, want := range map[string]string{
		"a < b; b < a":     "cycle",
		"NONE < a; a <":    "empty list",
		"NONE < a; b":      "no '<'",
		"NONE < a; a < a":  "cycle",
		"NONE < A b":       "not a package",
		"NONE < a; NONE<a": "twice",
		"a < NONE":         "left only",
	} {
		_, err := parsePolicy(text)
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		expect(t, []string{err.Error()}, want)
	}
}

func TestStandardOnlyCanFail(t *testing.T) {
	m := memory(t, map[string]string{"internal/a/a.go": imports("a", "fmt", "golang.org/x/net/html", "trawl/internal/b")})
	expect(t, m.checkStandardOnly([]string{"a"}), "golang.org/x/net/html")
	expect(t, m.checkStandardOnly([]string{"b"}), "")
}

func TestPurePackagesCanFail(t *testing.T) {
	code := func(imp, body string) string {
		return "package a\n\nimport (\n" + imp + "\n)\n\nfunc f() {\n" + body + "\n}\n"
	}
	for name, tc := range map[string]struct{ src, want string }{
		"values":           {code(`"time"; "net/netip"; "net/url"`, "_ = time.Unix(0, 0); _ = netip.Addr{}; _ = url.URL{}"), ""},
		"clock":            {code(`"time"`, "_ = time.Now()"), "time.Now"},
		"clock as a value": {code(`"time"`, "now := time.Now; _ = now"), "time.Now"},
		"renamed clock":    {code(`clock "time"`, "clock.Sleep(1)"), "time.Sleep"},
		"hidden clock":     {code(`"context"`, "_, _ = context.WithTimeout(nil, 1)"), "context.WithTimeout"},
		"hidden rand":      {code(`"hash/maphash"`, "_ = maphash.MakeSeed()"), `imports "hash/maphash"`},
		"local named time": {code("", "time := struct{ Now int }{}; _ = time.Now"), ""},
		"sockets":          {code(`"net"`, "_ = net.IP{}"), `imports "net"`},
		"http":             {code(`"net/http"`, "_ = http.StatusOK"), `imports "net/http"`},
		"files":            {code(`"os"`, "_ = os.Args"), `imports "os"`},
		"logging":          {code(`"log/slog"`, `slog.Info("x")`), `imports "log/slog"`},
		"unsafe":           {code(`"unsafe"`, "_ = unsafe.Pointer(nil)"), `imports "unsafe"`},
		"global rand":      {code(`"math/rand/v2"`, "_ = rand.IntN(3)"), "rand.IntN"},
		"handed-in rand":   {code(`"math/rand/v2"`, "_ = rand.New(rand.NewPCG(1, 2))"), ""},
		"dot import":       {code(`. "time"`, "_ = Now()"), "dot import"},
	} {
		t.Run(name, func(t *testing.T) {
			m := memory(t, map[string]string{"internal/a/a.go": tc.src})
			expect(t, m.checkPure([]string{"a"}), tc.want)
			m = memory(t, map[string]string{"internal/a/sub/a.go": tc.src})
			expect(t, m.checkPure([]string{"a/"}), tc.want)
			m = memory(t, map[string]string{"internal/a/a_test.go": tc.src})
			expect(t, m.checkPure([]string{"a"}), "") // tests may have a clock
		})
	}
}
