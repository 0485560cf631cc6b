package report

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä 漢":      "plain ä 漢",
		"\x1b[31mred":    "\\u{1b}[31mred",
		"\u009b31m":      "\\u{9b}31m",
		"a\nb\tc":        "a\\u{a}b\\u{9}c",
		"x\u202egnp.exe": "x\\u{202e}gnp.exe",
		"l\u2028p\u2029": "l\\u{2028}p\\u{2029}",
		"\xff":           "\\u{fffd}",
		"tag\U000e0041":  "tag\\u{e0041}",
	} {
		if got := Safe(in); got != want {
			t.Errorf("Safe(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := SafeText("a\n\tb\r\x1b"), "a\n\tb\\u{d}\\u{1b}"; got != want {
		t.Errorf("SafeText: %q, want %q", got, want)
	}
}

// TestSafeJSON: it is the same value, and nothing in it acts on a terminal.
func TestSafeJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a\x1b\u009b\u202e\u2028\U000e0041\n\ufffd\\\"")))).Draw(t, "text")
		in = strings.ToValidUTF8(in, "")
		b, err := json.MarshalIndent(map[string]string{"key": in}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		safe := SafeJSON(string(b))
		if i := strings.IndexFunc(safe, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }); i >= 0 {
			t.Fatalf("%q holds a control character at %d", safe, i)
		}
		var out map[string]string
		if err := json.Unmarshal([]byte(safe), &out); err != nil || out["key"] != in {
			t.Fatalf("%q became %q (%v)", in, out["key"], err)
		}
	})
}
