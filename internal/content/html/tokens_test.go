package html

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"
)

// html5libTests returns the directory of the html5lib tests, which the module
// of the reference comes with. They are read where they are: nothing of them is
// copied. With TRAWL_REQUIRE_PEERS=1 it is a failure if they are not there.
func html5libTests(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "html", "testdata", "html5lib-tests")
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		if os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
			t.Fatalf("the html5lib tests are needed (TRAWL_REQUIRE_PEERS=1) and not there: %v", err)
		}
		t.Skipf("golang.org/x/net is here without its test data: %v", err)
	}
	return dir
}

// tokens writes the tags of doc with all their attributes, one a string.
func tokens(doc string) (out []string) {
	s := scanner{doc: []byte(doc), out: &Document{}}
	var attrs [][2]string
	s.trace = func(what byte, name, value []byte) {
		n := strings.Map(asciiLower, string(decode(name, true)))
		switch what {
		case 'a':
			// A name is not decoded, but for NUL.
			attrs = append(attrs, [2]string{strings.ReplaceAll(strings.Map(asciiLower, string(name)), "\x00", "\ufffd"), string(decode(value, true))})
			return
		case 'e':
			n, attrs = "/"+n, nil
		}
		out = append(out, tokenText(n, attrs))
		attrs = nil
	}
	s.run()
	return out
}

func asciiLower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 0x20
	}
	return r
}

// tokenText keeps the first of attributes with the same name.
func tokenText(name string, attrs [][2]string) string {
	seen := map[string]bool{}
	var list []string
	for _, a := range attrs {
		if !seen[a[0]] {
			seen[a[0]] = true
			list = append(list, fmt.Sprintf("%q=%q", a[0], a[1]))
		}
	}
	sort.Strings(list)
	return name + " " + strings.Join(list, " ")
}

// referenceTokens does the same by the reference's tokenizer.
func referenceTokens(doc string) (out []string) {
	z := xhtml.NewTokenizer(strings.NewReader(doc))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return out
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			t := z.Token()
			var attrs [][2]string
			for _, a := range t.Attr {
				attrs = append(attrs, [2]string{a.Key, a.Val})
			}
			out = append(out, tokenText(t.Data, attrs))
		case xhtml.EndTagToken:
			t := z.Token()
			out = append(out, tokenText("/"+t.Data, nil))
		}
	}
}

type tokenCase struct {
	Description   string
	InitialStates []string
	LastStartTag  string
	Input         string
	Output        []any
	DoubleEscaped bool
}

// documents returns the whole documents that lead to the case's states: the
// state is entered by the start tag that enters it.
func (c *tokenCase) documents() (docs []string) {
	if len(c.InitialStates) == 0 {
		return []string{c.Input}
	}
	for _, state := range c.InitialStates {
		if c.LastStartTag == "" {
			c.LastStartTag = "xmp" // the case has no end tag to match
		}
		prefix := map[string]string{
			"Data state": "", "PLAINTEXT state": "<plaintext>", "Script data state": "<script>",
			"RCDATA state": "<" + c.LastStartTag + ">", "RAWTEXT state": "<" + c.LastStartTag + ">", "CDATA section state": "<svg><![CDATA[",
		}[state]
		if state == "Script data state" && c.LastStartTag != "script" && len(c.want()) > 0 {
			continue // only </script> ends a script; other tests say so
		}
		docs = append(docs, prefix+c.Input)
	}
	return docs
}

// want gives the tags of the expected output.
func (c *tokenCase) want() (out []string) {
	for _, o := range c.Output {
		token, ok := o.([]any)
		if !ok {
			continue
		}
		switch token[0] {
		case "StartTag":
			var attrs [][2]string
			for k, v := range token[2].(map[string]any) {
				attrs = append(attrs, [2]string{c.unescape(k), c.unescape(v.(string))})
			}
			out = append(out, tokenText(c.unescape(token[1].(string)), attrs))
		case "EndTag":
			out = append(out, tokenText("/"+c.unescape(token[1].(string)), nil))
		}
	}
	return out
}

func (c *tokenCase) unescape(s string) string {
	if !c.DoubleEscaped {
		return s
	}
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil {
		return "\xff" // a lone surrogate
	}
	return s
}

// TestHTML5LibTokens holds the scanner to every case of the html5lib tokenizer
// tests: to what they expect of tags and attributes, and to the reference.
func TestHTML5LibTokens(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(html5libTests(t), "tokenizer", "*.test"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	run, withTags, reference := 0, 0, 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var suite struct{ Tests []tokenCase }
		if err := json.Unmarshal(b, &suite); err != nil {
			t.Fatal(file, err)
		}
		for _, c := range suite.Tests {
			c.Input = c.unescape(c.Input)
			if !utf8.ValidString(c.Input) {
				continue // a lone surrogate, which no byte stream holds
			}
			want := c.want()
			for _, doc := range c.documents() {
				run++
				if len(want) > 0 {
					withTags++
				}
				got := tokens(doc)
				if rest := strings.TrimSuffix(doc, c.Input); strings.Count(rest, "<") > 0 {
					got = got[1:] // the tag that enters the state
				} else if ref := referenceTokens(doc); strings.Join(ref, "\n") == strings.Join(got, "\n") {
					reference++
				} else {
					t.Errorf("%s: %s: %q: got %q, the reference %q", filepath.Base(file), c.Description, doc, got, ref)
				}
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%s: %s: %q: got %q, want %q", filepath.Base(file), c.Description, doc, got, want)
				}
			}
		}
	}
	t.Logf("%d cases, %d of them with tags; %d compared with the reference too", run, withTags, reference)
}
