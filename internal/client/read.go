package client

import (
	"slices"
	"strings"

	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

// FieldError and Errors are what reading a file reports: every error with file,
// line, column, field and, where there is one, the nearest valid name.
type (
	FieldError = strictyaml.FieldError
	Errors     = strictyaml.Errors
)

// Parse reads a file of clients: a list under "clients", with the fields that
// the built-in catalogue uses, but for source and house. The profiles are as written; what they inherit is
// filled in by [Catalogue.With]. The error is of type Errors and holds
// everything that is wrong.
func Parse(name string, data []byte) ([]Profile, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	builtin, err := Builtin()
	if err != nil {
		return nil, err
	}
	var out []Profile
	doc.Root().Fields([]strictyaml.Field{{Name: "clients", Read: func(v strictyaml.Value) { out = builtin.ReadList(v) }}})
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// ReadList reads a list of user clients that stands in a larger document; what
// is wrong is reported to that document. Templates are those of c.
func (c *Catalogue) ReadList(v strictyaml.Value) []Profile {
	return (&reader{templates: c.templates}).list(v, false)
}

// list reads profiles; only the built-in catalogue states sources.
func (r *reader) list(v strictyaml.Value, builtin bool) []Profile {
	var out []Profile
	lines := map[crawl.ClientID]int{}
	v.Items(maxClients, func(_ int, item strictyaml.Value) {
		p := r.profile(item, builtin)
		if p.ID == "" {
			return
		}
		if line, dup := lines[p.ID]; dup {
			item.Fail("the client %q is defined twice, first in line %d: give one of them another id", p.ID, line)
			return
		}
		lines[p.ID] = p.at.Line
		out = append(out, p)
	})
	return out
}

// profile reads one client.
func (r *reader) profile(v strictyaml.Value, builtin bool) Profile {
	p := Profile{at: v.Position()}
	hasID := false
	known := []strictyaml.Field{
		{Name: "id", Read: func(v strictyaml.Value) { hasID = true; p.ID = readID(v) }},
		{Name: "extends", Read: func(v strictyaml.Value) { p.extends = readID(v) }},
	}
	if builtin {
		known = append(known,
			strictyaml.Field{Name: "source", Read: func(v strictyaml.Value) { p.Source = readTexts(v) }},
			strictyaml.Field{Name: "house", Read: func(v strictyaml.Value) { p.House = readHouse(v) }})
	}
	for i, f := range fields() {
		known = append(known, strictyaml.Field{Name: f.name, Read: func(v strictyaml.Value) {
			p.set |= 1 << i
			f.read(r, v, &p)
		}})
	}
	v.Fields(known)
	if !hasID && v.IsMapping() {
		v.Fail("the client has no id: give it one of lower-case letters, digits and hyphens")
	}
	return p
}

func readID(v strictyaml.Value) crawl.ClientID {
	s, ok := v.Text(maxShown)
	if ok && !isID(s) {
		v.Fail("an id consists of lower-case letters, digits and single hyphens between them")
		return ""
	}
	return crawl.ClientID(s)
}

func isID(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if part == "" {
			return false
		}
		// Trim removes every allowed letter from the ends: what is left is not one.
		if strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

func readTexts(v strictyaml.Value) []string {
	var out []string
	v.Items(16, func(_ int, item strictyaml.Value) {
		if s, ok := item.Text(maxText); ok {
			out = append(out, s)
		}
	})
	return out
}

// readHouse reads names of fields.
func readHouse(v strictyaml.Value) []string {
	var names, out []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	v.Items(len(names), func(_ int, item strictyaml.Value) {
		if s, ok := item.OneOf(names...); ok {
			out = append(out, s)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}
