package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/internal/client"
	"trawl/internal/client/strictyaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// samples matches the # of a sample; that of a remark has a space and a word behind it.
var samples = regexp.MustCompile(`(?m)^#([a-z_]+:|  )`)

func exampleWithSamples() string { return samples.ReplaceAllString(Example(), "$1") }

// TestExampleChangesNothing: who writes the example to a file and uses it gets
// the defaults, and not the samples.
func TestExampleChangesNothing(t *testing.T) {
	c, err := Parse("", []byte(Example()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if c.Contact != "" || c.CAFile != "" || len(c.Clients)+len(c.Own)+len(c.AllowPrivate)+len(c.Hosts)+len(c.Egress.Regions) > 0 || c.Owned.Contains("www.example.org") {
		t.Errorf("a sample is set: %+v", c)
	}
	if c.Timeouts != d.Timeouts || !reflect.DeepEqual(c.Crawl, d.Crawl) {
		t.Errorf("%+v, %+v, defaults %+v, %+v", c.Crawl, c.Timeouts, d.Crawl, d.Timeouts)
	}
}

func TestExample(t *testing.T) {
	c, err := Parse("example.yaml", []byte(exampleWithSamples()))
	if err != nil {
		t.Fatal(err)
	}
	if c.Contact != "https://example.org/our-crawler" || len(c.Clients) != 2 || len(c.AllowPrivate) != 1 || c.CAFile != "/etc/trawl/ca.pem" || c.File != "example.yaml" {
		t.Errorf("%+v", c)
	}
	p, ok := c.Catalogue.Get("example-bot-phone")
	if !ok || p.Device != client.Smartphone || !slices.Equal(p.Tokens, []string{"ExampleBot"}) || p.Limits.For("image/png") != 20<<20 {
		t.Errorf("client %+v", p)
	}
	if got, want := p.UserAgent(c.Identity("9")), "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.org/our-crawler)"; got != want {
		t.Errorf("A7: user agent %q, want %q", got, want)
	}
	if !c.Owned.Contains("a.shop.example.org") || !c.Owned.Contains("192.0.2.3") || c.Owned.Contains("example.org") {
		t.Error("own hosts are wrong")
	}
	if r, ok := c.HostRule("away.example.org"); !ok || !r.Pause || len(c.Hosts) != 3 {
		t.Errorf("rules %+v", c.Hosts)
	}
}

// Every field that is accepted is in the example.
func TestExampleNamesEveryField(t *testing.T) {
	for _, section := range []string{"", "clients:\n- ", "hosts:\n- ", "egress:\n  ", "egress:\n  regions:\n  - ", "crawl:\n  ", "timeouts:\n  "} {
		_, err := Parse("x", []byte(section+"zzzzzzzzzz: 1"))
		var fe *client.FieldError
		if !errors.As(err, &fe) {
			t.Fatalf("%q: %v", section, err)
		}
		_, list, ok := strings.Cut(err.Error(), "known here: ")
		if !ok {
			t.Fatalf("%q: no list of fields in %v", section, err)
		}
		line, _, _ := strings.Cut(list, "\n")
		for _, name := range strings.Split(line, ", ") {
			if slices.Contains([]string{"operator", "control_only", "chromium_version"}, name) {
				continue // of use in the built-in catalogue only
			}
			if !strings.Contains(exampleWithSamples(), name+":") {
				t.Errorf("the example does not show %q", name)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, src := range []string{"", "# nothing\n", "---\n", "crawl:\n# all commented out\nhosts:\n", "{}"} {
		c, err := Parse("e.yaml", []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if c.Crawl.Client != client.DefaultID || c.Crawl.Concurrency != 64 || c.Timeouts.Total != 2*time.Minute || c.Owned.Contains("example.com") || !c.Owned.Contains("localhost") {
			t.Errorf("%q: %+v", src, c)
		}
	}
}

func TestValues(t *testing.T) {
	c, err := Parse("v.yaml", []byte(`crawl: {max_pages: 1_000, max_depth: 3, include: ['^https://a/'], exclude: ['[?&](sessionid|sid)='], all_hosts: true, warc: true, warc_max_bytes: 10MiB, concurrency: 2, client: adsbot}
timeouts: {total: 1m30s, min_rate: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	k := c.Crawl
	if k.MaxPages != 1000 || k.MaxDepth != 3 || !k.AllHosts || !k.WARC || k.WARCMaxBytes != 10<<20 || k.Concurrency != 2 || k.Client != "adsbot" || !k.Takes("https://a/x?y=1") || k.Takes("https://b/x") || k.Takes("https://a/x?y=1&sid=2") {
		t.Errorf("%+v", k)
	}
	if c.Timeouts.Total != 90*time.Second || c.Timeouts.MinRate != 0 || c.Timeouts.Connect != 10*time.Second {
		t.Errorf("%+v", c.Timeouts)
	}
}

func TestE7HostRule(t *testing.T) {
	c, err := Parse("v.yaml", []byte(`hosts: [{host: WWW.Example.ORG., limit: 0.25}, {host: "::1", pause: true}, {host: b.example, limit: 3}, {host: a.example}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []HostRule{{Host: "www.example.org", Limit: 0.25}, {Host: "[::1]", Pause: true}, {Host: "b.example", Limit: 3}, {Host: "a.example"}} {
		if got, ok := c.HostRule(want.Host); !ok || got != want {
			t.Errorf("rule %+v, want %+v", got, want)
		}
	}
	if r, ok := c.HostRule("example.org"); ok {
		t.Errorf("a rule for a host that has none: %+v", r)
	}
}

// TestErrorsGolden: each bad file has its expected errors beside it.
func TestErrorsGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d bad files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, perr := Parse(name, data)
			var fe *client.FieldError
			if !errors.As(perr, &fe) || fe.Line == 0 || fe.File != name {
				t.Fatalf("error %v", perr)
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(perr.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if perr.Error()+"\n" != string(want) {
				t.Errorf("now:\n%v\nwant:\n%s", perr, want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "absent.yaml")
	if _, err := Load(missing); !errors.Is(err, ErrNoFile) || !strings.Contains(err.Error(), missing) || strings.Contains(err.Error(), "example") {
		t.Errorf("absent file: %v", err)
	}
	if _, err := Load(dir); err == nil || errors.Is(err, ErrNoFile) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory: %v", err)
	}
	good := filepath.Join(dir, "good.yaml")
	write(t, good, "contact: a@b.example\n")
	if c, err := Load(good); err != nil || c.Contact != "a@b.example" || c.File != good {
		t.Errorf("%+v, %v", c, err)
	}
	big := filepath.Join(dir, "big.yaml")
	write(t, big, "")
	if err := os.Truncate(big, 100<<20); err != nil {
		t.Fatal(err)
	}
	var fe *client.FieldError
	if _, err := Load(big); !errors.As(err, &fe) || !strings.Contains(err.Error(), "more than 4194304 bytes") {
		t.Errorf("100 MB: %v", err)
	}
}

func write(t *testing.T, file, s string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
}

// FuzzConfig: whatever the bytes, there is an answer in bounded time, and what
// is accepted is within its ranges.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(Example()))
	f.Add([]byte(exampleWithSamples()))
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	f.Add([]byte("own: " + strings.Repeat("[", 1000)))
	f.Add([]byte("a: &a [*a, *a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.yaml", data)
		if err != nil {
			var errs client.Errors
			if !errors.As(err, &errs) || len(errs) == 0 || len(errs) > strictyaml.MaxErrors+1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if _, ok := c.Catalogue.Get(c.Crawl.Client); !ok || c.Crawl.Concurrency < 1 || c.Timeouts.Total <= 0 || c.Crawl.WARCMaxBytes < 1 {
			t.Errorf("%+v", c)
		}
		for _, r := range c.Hosts {
			if r.Host == "" || r.Limit < 0 {
				t.Errorf("rule %+v", r)
			}
		}
	})
}
