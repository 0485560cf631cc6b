package client

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

//go:embed catalogue.yaml
var catalogueFile []byte

// DefaultID is trawl's own client, the one that is used unless another is
// asked for (A7).
const DefaultID crawl.ClientID = "trawl"

// Catalogue is a set of clients by id. It is not changed after it was made.
type Catalogue struct {
	profiles  []Profile // in the order of the files
	index     map[crawl.ClientID]int
	base      Profile // what every client inherits
	templates map[string]string
}

// Builtin returns the catalogue that is part of the program. It cannot fail
// but for a mistake in the file, which a test would have found.
func Builtin() (*Catalogue, error) {
	return parseCatalogue("catalogue.yaml", catalogueFile)
}

func parseCatalogue(name string, data []byte) (*Catalogue, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{index: map[crawl.ClientID]int{}, templates: map[string]string{}}
	r := &reader{templates: c.templates}
	var list []Profile
	doc.Root().Fields([]strictyaml.Field{
		{Name: "templates", Read: func(v strictyaml.Value) {
			v.Entries(16, func(key string, v strictyaml.Value) {
				if s, ok := v.Text(maxAgentLen); ok {
					c.templates[key] = s
				}
			})
		}},
		{Name: "defaults", Read: func(v strictyaml.Value) { c.base = r.profile(v, true) }},
		{Name: "clients", Read: func(v strictyaml.Value) { list = r.list(v, true) }},
	})
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return c.add(list, true)
}

// Get returns the client with this id.
func (c *Catalogue) Get(id crawl.ClientID) (Profile, bool) {
	i, ok := c.index[id]
	if !ok {
		return Profile{}, false
	}
	return c.profiles[i], true
}

// All returns every client, the built-in ones first, each part in the order of
// its file.
func (c *Catalogue) All() []Profile { return slices.Clone(c.profiles) }

// Nearest returns the id that is closest to a mistyped one, or "".
func (c *Catalogue) Nearest(id crawl.ClientID) crawl.ClientID {
	names := make([]string, len(c.profiles))
	for i, p := range c.profiles {
		names[i] = string(p.ID)
	}
	return crawl.ClientID(strictyaml.Nearest(string(id), names))
}

// Variants returns the clients that robots.txt cannot tell from the one with
// this id, itself among them: the same product and tokens (A2).
func (c *Catalogue) Variants(id crawl.ClientID) []Profile {
	p, ok := c.Get(id)
	if !ok {
		return nil
	}
	var out []Profile
	for _, q := range c.profiles {
		if q.ID == id || len(p.Tokens) > 0 && q.Product == p.Product && slices.Equal(q.Tokens, p.Tokens) {
			out = append(out, q)
		}
	}
	return out
}

// With returns a catalogue with the clients of a user added. A client that
// extends another, built in or defined above it, takes over every field that it
// does not write. To change a built-in client it must extend itself: nothing is
// redefined silently. The error is of type Errors.
func (c *Catalogue) With(extra []Profile) (*Catalogue, error) { return c.add(extra, false) }

func (c *Catalogue) add(extra []Profile, builtin bool) (*Catalogue, error) {
	n := &Catalogue{profiles: slices.Clone(c.profiles), index: map[crawl.ClientID]int{}, base: c.base, templates: c.templates}
	for i, p := range n.profiles {
		n.index[p.ID] = i
	}
	var errs Errors
	seen := map[crawl.ClientID]bool{}
	for _, p := range extra {
		fail := func(field, detail, near string) {
			path := fmt.Sprintf("client %s", p.ID)
			if field != "" {
				path += ": " + field
			}
			if len(errs) < strictyaml.MaxErrors {
				errs = append(errs, &FieldError{File: p.at.File, Line: p.at.Line, Column: p.at.Column, Field: path, Detail: detail, Suggestion: near})
			}
		}
		base, old := n.base, n.index
		_, known := old[p.ID]
		switch {
		case seen[p.ID]:
			fail("id", "the client is defined twice: give one of them another id", "")
			continue
		case known && p.extends != p.ID:
			fail("id", fmt.Sprintf("is a built-in client: to change it write \"extends: %s\" too, otherwise choose another id", p.ID), "")
			continue
		case p.extends != "":
			from, ok := n.Get(p.extends)
			if !ok {
				fail("extends", fmt.Sprintf("no client %q is built in or defined above this one", p.extends), string(n.Nearest(p.extends)))
				continue
			}
			base = from
		}
		seen[p.ID] = true
		merged := inherit(base, p, builtin)
		merged.check(fail)
		if known {
			n.profiles[n.index[p.ID]] = merged
			continue
		}
		n.index[p.ID] = len(n.profiles)
		n.profiles = append(n.profiles, merged)
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, errs
	}
	return n, nil
}

// inherit returns p with the fields it does not write taken from base. What a
// user writes is never documented.
func inherit(base, p Profile, builtin bool) Profile {
	out := base
	out.ID, out.extends, out.set, out.at = p.ID, p.extends, p.set, p.at
	out.House = nil
	if !builtin && p.extends == "" {
		out.Source = nil // nothing about it is documented anywhere
	}
	for i, f := range fields() {
		written := p.set&(1<<i) != 0
		if written {
			f.copy(&out, &p)
		}
		house := slices.Contains(base.House, f.name)
		if written {
			house = !builtin || slices.Contains(p.House, f.name)
		}
		if house {
			out.House = append(out.House, f.name)
		}
	}
	slices.Sort(out.House)
	if builtin {
		out.Source = p.Source
	} else if p.set&bit("user_agents") != 0 && p.set&bit("operator") == 0 {
		out.Operator = "" // its own user agent is its own name
	}
	if out.Name == "" || out.Name == base.Name && p.set&bit("name") == 0 {
		out.Name = string(p.ID)
	}
	return out
}

// check reports what is inconsistent in a whole profile.
func (p Profile) check(fail func(field, detail, near string)) {
	if p.ControlOnly != (len(p.UserAgents) == 0) {
		if p.ControlOnly {
			fail("user_agents", "a control token (control_only) makes no requests and has no user agent", "")
		} else {
			fail("user_agents", "the client has none: write at least one, for example \"mybot/1.0 (+{contact})\"", "")
		}
	}
	for _, want := range []struct {
		field string
		empty bool
	}{{"category", p.Category == ""}, {"conditional", p.Conditional == ""}, {"robots", p.Robots == ""}, {"device", p.Device == ""}} {
		if want.empty {
			fail(want.field, "has no value", "")
		}
	}
	if p.Category == Common && p.Robots != RobotsObey {
		fail("robots", "a common crawler obeys robots.txt (A3): write \"robots: obey\", or the category that the client really has", "")
	}
	if p.Robots != RobotsIgnore && len(p.Tokens) == 0 {
		fail("tokens", "a client that obeys robots.txt needs at least one product token", "")
	}
	for _, ua := range p.UserAgents {
		if strings.Contains(ua, "{chromium}") && p.Chromium == "" {
			fail("chromium_version", "a user agent names {chromium}, and no version is given", "")
			break
		}
	}
}
