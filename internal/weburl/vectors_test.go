package weburl

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"trawl/internal/crawl"
)

// webPlatformTests reads a file of the web-platform tests from the sources of
// the reference implementation, which comes with them: nothing is copied. Where
// they are not at hand the test is skipped, or fails with TRAWL_REQUIRE_PEERS=1.
func webPlatformTests(t *testing.T, name string, into any) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	var raw []json.RawMessage
	if err == nil {
		var data []byte
		if data, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "testdata", name)); err == nil {
			err = json.Unmarshal(data, &raw)
		}
	}
	if err != nil {
		if os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
			t.Fatalf("%s is needed (TRAWL_REQUIRE_PEERS=1): %v", name, err)
		}
		t.Skipf("%s is not here: %v", name, err)
	}
	cases := raw[:0]
	for _, r := range raw {
		if r[0] != '"' { // comments
			cases = append(cases, r)
		}
	}
	data, err := json.Marshal(cases)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestWebPlatformAllURLs runs every case of the web-platform tests whose base,
// if it has one, is crawled. What the standard accepts and is no address of
// something to crawl must be an error.
func TestWebPlatformAllURLs(t *testing.T) {
	var vectors []struct {
		Input, Href string
		Base        *string
		Failure     bool
	}
	webPlatformTests(t, "urltestdata.json", &vectors)
	run, accepted := 0, 0
	for _, v := range vectors {
		var base crawl.URL
		if v.Base != nil && *v.Base != "about:blank" {
			var err error
			if base, err = Parse(*v.Base); err != nil {
				continue // file:, data: and the like
			}
		}
		if strings.HasPrefix(v.Input, "ftps:") {
			continue // no special scheme in the standard, one here: a documented difference
		}
		run++
		got, err := ResolveReference(base, v.Input)
		want, ok := "", false
		if scheme, _, _ := strings.Cut(v.Href, ":"); !v.Failure && crawled([]byte(scheme)) != "" && strings.HasPrefix(v.Href, scheme+"://") {
			want, ok = differences(v.Href)
		}
		if ok {
			accepted++
		}
		if string(got) != want || (err == nil) != ok {
			t.Errorf("base %q, input %q: %q, %v; want %q, %v", base, v.Input, got, err, want, ok)
		}
		if err == nil {
			checkInvariants(t, got)
		}
	}
	t.Logf("%d of %d cases run, %d of them are crawled", run, len(vectors), accepted)
}

// TestWebPlatformHosts: the hosts of internationalised names (UTS #46).
func TestWebPlatformHosts(t *testing.T) {
	var vectors []struct {
		Input  string
		Output *string
	}
	webPlatformTests(t, "toascii.json", &vectors)
	for _, v := range vectors {
		u, err := Parse("http://" + v.Input + "/")
		if v.Output == nil {
			if err == nil {
				t.Errorf("%q: %s, want an error", v.Input, u)
			}
			continue
		}
		want, ok := differences("http://" + *v.Output + "/")
		if string(u) != want || (err == nil) != ok {
			t.Errorf("%q: %q, %v; want %q, %v", v.Input, u, err, want, ok)
		}
	}
}

// TestIDNATestVectors: the Unicode Consortium's own cases.
func TestIDNATestVectors(t *testing.T) {
	var vectors []struct {
		Comment, Input string
		Output         *string
	}
	webPlatformTests(t, "IdnaTestV2.json", &vectors)
	run := 0
	for _, v := range vectors {
		if !utf8.ValidString(v.Input) || v.Input == "" || strings.ContainsAny(v.Input, "/?#@:\\[ %") {
			continue
		}
		u, err := Parse("http://" + v.Input + "/")
		want, ok := "", false
		if v.Output != nil {
			want, ok = differences("http://" + *v.Output + "/")
		}
		run++
		if string(u) != want || (err == nil) != ok {
			t.Errorf("%q: %q, %v; want %q (%s)", v.Input, u, err, want, v.Comment)
		}
	}
	t.Logf("%d of %d cases run", run, len(vectors))
}
