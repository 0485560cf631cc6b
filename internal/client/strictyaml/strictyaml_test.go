package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestValues(t *testing.T) {
	doc, err := Parse("v.yaml", []byte("\xef\xbb\xbftext: a b\nyes: true\nint: 12\nnum: 1.5\ndur: 14d\nbytes: 2MB\nlist: [a, 'b']\nsub:\n  x: |\n    line\nempty:\nhex: 0x10\nplain: 100\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	add := func(v any, ok bool) { got = append(got, fmt.Sprintf("%v %v", v, ok)) }
	doc.Root().Fields([]Field{
		{"text", func(v Value) { add(v.Text(10)) }},
		{"yes", func(v Value) { add(v.Bool()) }},
		{"int", func(v Value) { add(v.Int(0, 12)) }},
		{"num", func(v Value) { add(v.Number(0, 2)) }},
		{"dur", func(v Value) { add(v.Duration(0, 1000*time.Hour)) }},
		{"bytes", func(v Value) { add(v.Bytes(0, 1<<30)) }},
		{"list", func(v Value) { v.Items(2, func(i int, v Value) { s, _ := v.Text(9); add(v.Path()+s, true) }) }},
		{"sub", func(v Value) {
			v.Entries(9, func(k string, v Value) { s, _ := v.Text(9); add(v.Path()+"="+s, k == "x") })
		}},
		{"empty", func(v Value) { v.Fields(nil); v.Items(0, nil) }},
		{"hex", func(v Value) { add(v.Int(0, 99)) }},
		{"plain", func(v Value) { add(v.Bytes(0, 100)) }},
	})
	if err := doc.Err(); err != nil {
		t.Fatal(err)
	}
	want := "a b true|true true|12 true|1.5 true|336h0m0s true|2097152 true|list[0]a true|list[1]b true|sub.x=line\n true|16 true|100 true"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("read %q\nwant %q", s, want)
	}
}

func TestScalarErrors(t *testing.T) {
	read := map[string]func(Value){
		"text": func(v Value) { v.Text(5) }, "bool": func(v Value) { v.Bool() }, "int": func(v Value) { v.Int(1, 5) },
		"num": func(v Value) { v.Number(0, 1) }, "dur": func(v Value) { v.Duration(time.Second, time.Hour) }, "bytes": func(v Value) { v.Bytes(1, 1<<20) },
		"list": func(v Value) { v.Items(1, func(int, Value) {}) }, "map": func(v Value) { v.Fields(nil) },
	}
	for _, row := range []struct{ kind, yaml, want string }{
		{"text", "5", "v.yaml:1:4: a: must be text, not a whole number (5): put it in quotes"},
		{"text", "abcdef", "has 6 bytes, at most 5"},
		{"text", "", "has no value, must be text"},
		{"text", "[x]", "must be text, not a list"},
		{"bool", "yes", "must be true or false, not text (yes)"},
		{"int", "6", "6 is out of range: 1 to 5"},
		{"int", "9999999999999999999", "out of range"},
		{"int", "99999999999999999999", "must be a whole number"},
		{"int", "1.5", "must be a whole number"},
		{"num", ".nan", "out of range"},
		{"num", ".inf", "out of range"},
		{"num", "x", "must be a number"},
		{"dur", "30", "did you mean \"30s\"?"},
		{"dur", "30 s", "is not a duration"},
		{"dur", "2h", "out of range: 1s to 1h0m0s"},
		{"dur", "99999d", "is not a duration"},
		{"bytes", "-1", "out of range"},
		{"bytes", "9999999999999TB", "out of range"},
		{"bytes", "1.5MB", "is not a number of bytes"},
		{"bytes", "2MiB", "out of range"},
		{"list", "[a, b]", "has 2 entries, at most 1"},
		{"list", "{a: 1}", "must be a list, not a mapping"},
		{"map", "[a]", "must be a mapping (key: value), not a list"},
	} {
		doc, err := Parse("v.yaml", []byte("a: "+row.yaml))
		if err != nil {
			t.Errorf("%s: %v", row.yaml, err)
			continue
		}
		doc.Root().Fields([]Field{{"a", read[row.kind]}})
		if err := doc.Err(); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s as %s: error %v, want %q", row.yaml, row.kind, err, row.want)
		}
	}
}

func TestErrorsAreBoundedAndSorted(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	doc, err := Parse("v.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	doc.Root().Fields(nil)
	var errs Errors
	if !errors.As(doc.Err(), &errs) || len(errs) != MaxErrors+1 || errs[0].Line != 1 || errs[49].Line != 50 {
		t.Errorf("%d errors", len(errs))
	}
	var one *FieldError
	if !errors.As(doc.Err(), &one) || one.Field != "k0" {
		t.Errorf("single error %v", one)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"max_pages", "max_depth", "include", "exclude", "warc"}
	for got, want := range map[string]string{
		"max_pagse": "max_pages", "max-depth": "max_depth", "Includes": "include", "exlude": "exclude", "wrac": "warc", "maxpages": "max_pages",
		"zzz": "", "": "", "x": "", strings.Repeat("a", 10_000): "",
	} {
		if s := Nearest(got, names); s != want {
			t.Errorf("nearest to %.20q is %q, want %q", got, s, want)
		}
	}
}

// hostile are documents that must be refused, quickly and with their place.
func hostile() map[string]string {
	var uniq, deep strings.Builder
	for i := 0; uniq.Len() < MaxBytes/16; i++ {
		fmt.Fprintf(&uniq, "k%d: v\n", i)
	}
	for i := range 2000 {
		deep.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	const n = MaxBytes / 16
	return map[string]string{
		"alias bomb":          bomb,
		"brackets":            strings.Repeat("[", n),
		"closed brackets":     strings.Repeat("[", 40_000) + strings.Repeat("]", 40_000),
		"brackets by line":    strings.Repeat("[\n", n/2),
		"braces":              strings.Repeat("{a: ", n/4),
		"dashes":              strings.Repeat("- ", n/2),
		"question marks":      strings.Repeat("? ", n/2),
		"tags":                "a: " + strings.Repeat("!a ", n/3),
		"anchors":             "a: " + strings.Repeat("&a\n ", n/4),
		"percent":             strings.Repeat("%\n", n/2),
		"colons":              strings.Repeat("a: ", n/3),
		"indented deep":       deep.String(),
		"unique keys":         uniq.String(),
		"list":                strings.Repeat("- a\n", maxTokens/2+1),
		"blanks in block":     "a: |\n" + strings.Repeat("   \n", n/4),
		"newlines":            "a: |+\n" + strings.Repeat("\n", n),
		"too large":           strings.Repeat("# x\n", MaxBytes/4+1),
		"long line":           "a: \"" + strings.Repeat("x", n) + "\"",
		"documents":           strings.Repeat("---\na: b\n", n/9),
		"invalid UTF-8":       "a: \xff\n",
		"old Mac line ends":   "a: b\rc: d\r",
		"NUL":                 "a: b\x00\n",
		"merge key":           "a: {<<: {b: c}}",
		"unclosed quote":      "a: 'b\n",
		"tab indent":          "a:\n\tb: c\n",
		"flow key count":      "{" + strings.Repeat("a: 1, ", 2000) + "}",
		"lone directive":      "%YAML 1.2\n---\na: b\n",
		"nested flow in deep": strings.Repeat("[{a: ", 40) + strings.Repeat("}]", 40),
	}
}

func TestHostile(t *testing.T) {
	for name, src := range hostile() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("h.yaml", []byte(src))
			var fe *FieldError
			if !errors.As(err, &fe) || fe.File != "h.yaml" || fe.Detail == "" || len(err.Error()) > 500 {
				t.Fatalf("error %v", err)
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %s", d)
			}
		})
	}
}

// Large but valid: bounded time too.
func TestLarge(t *testing.T) {
	const n = MaxBytes / 16
	for name, src := range map[string]string{
		"comments":          strings.Repeat("# x\n", n/4),
		"block":             "a: |\n" + strings.Repeat("  some text\n", n/12),
		"folded":            "a: >\n" + strings.Repeat("  some text\n", n/12),
		"quoted":            "a: \"" + strings.Repeat("some text\n ", n/11) + "\"",
		"plain":             "a: x\n" + strings.Repeat("  some text\n", n/12),
		"blanks in between": "a: |\n" + strings.Repeat("  x\n"+strings.Repeat("   \n", maxBlanks), n/(4+4*maxBlanks)),
		"hosts":             "a:\n" + strings.Repeat("- {host: www.example.com, limit: 1}\n", 2_000),
		"block hosts":       "a:\n" + strings.Repeat("- host: www.example.com\n  limit: 1\n", 2_000),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("l.yaml", []byte(src))
			if err != nil {
				t.Errorf("%.300v", err)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %s", d)
			}
			t.Log(time.Since(start))
		})
	}
}

// FuzzParse: never a panic, always a place inside the file.
func FuzzParse(f *testing.F) {
	for _, src := range hostile() {
		if len(src) < 1000 {
			f.Add([]byte(src))
		}
	}
	f.Add([]byte("a:\n- b: [c, {d: 1}]\n  e: |\n    x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Parse("f.yaml", data)
		if err != nil {
			return
		}
		doc.Root().Fields([]Field{{"a", func(v Value) { v.Items(9, func(_ int, v Value) { v.Text(9) }) }}})
		var errs Errors
		if err := doc.Err(); err != nil && !errors.As(err, &errs) {
			t.Fatal(err)
		}
		for _, e := range errs {
			if strings.ContainsAny(e.Error(), "\n\r\x00") {
				t.Errorf("message with control characters: %q", e.Error())
			}
		}
	})
}
