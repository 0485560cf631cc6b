package strictyaml

import (
	"fmt"
	"strings"
)

// Value is one value of a document with the path that leads to it. Reading it
// the wrong way reports an error to the document and never panics.
type Value struct {
	doc    *Document
	node   *node
	path   string
	anchor entry // where its key stands
}

// Root returns the document's value.
func (d *Document) Root() Value { return Value{doc: d, node: d.root} }

// Err returns everything that was found wrong, as Errors, or nil.
func (d *Document) Err() error {
	if len(d.errs) == 0 {
		return nil
	}
	d.errs.Sort()
	out := d.errs
	if d.more {
		out = append(out[:len(out):len(out)], &FieldError{File: d.file, Detail: fmt.Sprintf("there are more errors than these %d", MaxErrors)})
	}
	return out
}

// Path is the field path of the value: "crawl.include[2]".
func (v Value) Path() string { return v.path }

// Position is where the value stands.
func (v Value) Position() Position {
	return Position{File: v.doc.file, Line: v.node.line, Column: v.node.column}
}

// Fail reports that the value is wrong.
func (v Value) Fail(format string, args ...any) {
	v.report(v.node.line, v.node.column, v.path, fmt.Sprintf(format, args...), "")
}

// FailNear reports that the value is wrong and names what may have been meant.
func (v Value) FailNear(suggestion, format string, args ...any) {
	v.report(v.node.line, v.node.column, v.path, fmt.Sprintf(format, args...), suggestion)
}

func (v Value) report(line, column int, path, detail, suggestion string) {
	if len(v.doc.errs) >= MaxErrors {
		v.doc.more = true
		return
	}
	v.doc.errs = append(v.doc.errs, &FieldError{File: v.doc.file, Line: line, Column: column, Field: path, Detail: detail, Suggestion: suggestion})
}

// Field is one known field of a mapping and how it is read.
type Field struct {
	Name string
	Read func(Value)
}

// Fields reads a mapping. Keys that no field names, and keys written twice,
// are errors. Nothing in place of the mapping is an empty one, so that a
// section whose lines are all commented out is valid.
func (v Value) Fields(fields []Field) {
	index := make(map[string]int, len(fields))
	names := make([]string, len(fields))
	for i, f := range fields {
		index[f.Name], names[i] = i, f.Name
	}
	v.Entries(maxKeys, func(name string, value Value) {
		i, ok := index[name]
		if !ok {
			near := Nearest(name, names)
			detail := "unknown field"
			if near == "" {
				detail += "; known here: " + strings.Join(names, ", ")
			}
			v.report(value.anchor.line, value.anchor.column, shorten(value.path), detail, near)
			return
		}
		fields[i].Read(value)
	})
}

// Entries reads a mapping with free keys, at most most of them; a key written
// twice is an error.
func (v Value) Entries(most int, read func(key string, value Value)) {
	if v.node.kind == kindNull {
		return
	}
	if v.node.kind != kindMapping {
		v.wrong(kindMapping)
		return
	}
	if len(v.node.entries) > most {
		v.Fail("has %d keys, at most %d are read", len(v.node.entries), most)
		return
	}
	seen := make(map[string]int, len(v.node.entries))
	for _, e := range v.node.entries {
		path := e.name
		if v.path != "" {
			path = v.path + "." + e.name
		}
		if line, dup := seen[e.name]; dup {
			v.report(e.line, e.column, shorten(path), fmt.Sprintf("is set twice, first in line %d: remove one", line), "")
			continue
		}
		seen[e.name] = e.line
		read(e.name, Value{doc: v.doc, node: e.value, path: shorten(path), anchor: e})
	}
}

// Items reads a list of at most most values. Nothing in its place is an empty
// list.
func (v Value) Items(most int, read func(i int, item Value)) {
	if v.node.kind == kindNull {
		return
	}
	if v.node.kind != kindList {
		v.wrong(kindList)
		return
	}
	if len(v.node.items) > most {
		v.Fail("has %d entries, at most %d are read", len(v.node.items), most)
		return
	}
	for i, item := range v.node.items {
		read(i, Value{doc: v.doc, node: item, path: fmt.Sprintf("%s[%d]", v.path, i)})
	}
}

func (v Value) wrong(want kind) {
	switch v.node.kind {
	case kindNull:
		v.Fail("has no value, must be %s", want)
	case kindMapping, kindList:
		v.Fail("must be %s, not %s", want, v.node.kind)
	default:
		hint := ""
		if want == kindText {
			hint = ": put it in quotes"
		}
		v.Fail("must be %s, not %s (%s)%s", want, v.node.kind, shorten(v.node.text), hint)
	}
}

// shorten keeps foreign text in messages short and on one line.
func shorten(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}

// IsMapping reports whether the value is a mapping.
func (v Value) IsMapping() bool { return v.node.kind == kindMapping }
