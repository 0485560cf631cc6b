// Package htmltest reads a document with another implementation of the HTML
// standard, golang.org/x/net/html, once by its tokenizer and once by its tree,
// and gives what a crawler needs from it in a form that can be compared with
// what package html says.
//
// It decides how the two are compared: references are trimmed, those to a place
// in the page itself are left out, and links are sets where the tree may have
// moved elements (foster parents, adoption). It does not decide which of the two
// is right: tests and the benchmark bench/links say where they differ.
//
// It is for tests and benchmarks only. Its rules on rel, on meta elements and on
// where the head ends are written from the standard and share nothing with
// package html, so that a mistake there is not made here too.
//
// Sources: WHATWG HTML sections 4.2.3 (base), 4.6.7 (link types), 13.2;
// behaviours D1, F12; cases 15, 30, 31.
package htmltest

import (
	"regexp"
	"slices"
	"strings"
)

// Reading is what was read in one document.
type Reading struct {
	Links      []string // a and area
	Frames     []string // frame and iframe
	Canonical  []string // link rel=canonical in the head, in order
	Alternate  []string // link rel=alternate that leads to a page or feed
	Pagination []string // link rel=next, prev
	Robots     []string // "name: content" of each meta element that holds a robots rule, in order
	Base       string   // href of the first base element that has one
	HasBase    bool
	Title      string // white space folded
}

// rule finds the words of the robots rules in the content of a meta element.
var rule = regexp.MustCompile(`(?i)no(index|follow|ne|archive|cache|snippet|imageindex|translate|sitelinkssearchbox)|max-|indexifembedded|unavailable_after`)

// attr gives an attribute's value and whether it is there.
type attr func(name string) (string, bool)

const space = "\t\n\f\r "

func trim(s string) string { return strings.Trim(s, space) }

func (r *Reading) anchor(get attr) {
	if v, ok := get("href"); ok {
		if v = trim(v); !strings.HasPrefix(v, "#") {
			r.Links = append(r.Links, v)
		}
	}
}

func (r *Reading) frame(get attr) {
	if v, ok := get("src"); ok && trim(v) != "" {
		r.Frames = append(r.Frames, trim(v))
	}
}

func (r *Reading) base(get attr) {
	if v, ok := get("href"); ok && !r.HasBase {
		r.Base, r.HasBase = trim(v), true
	}
}

func (r *Reading) meta(get attr) {
	name, named := get("name")
	content, ok := get("content")
	if named && ok && rule.MatchString(content) {
		r.Robots = append(r.Robots, strings.ToLower(trim(name))+": "+content)
	}
}

func (r *Reading) link(get attr, inHead bool) {
	rel, _ := get("rel")
	href, ok := get("href")
	if !ok {
		return
	}
	href = trim(href)
	types := strings.FieldsFunc(strings.ToLower(rel), func(c rune) bool { return strings.ContainsRune(space, c) })
	is := func(t string) bool { return slices.Contains(types, t) }
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { _, ok := get(n); return ok })
	}
	switch {
	case is("canonical"):
		if inHead && href != "" && !has("hreflang", "media", "type", "lang") {
			r.Canonical = append(r.Canonical, href)
		}
	case href == "" || is("stylesheet"):
	case is("alternate"):
		t, typed := get("type")
		t, _, _ = strings.Cut(strings.ToLower(t), ";")
		if _, lang := get("hreflang"); lang || !typed || slices.Contains(pages, trim(t)) {
			r.Alternate = append(r.Alternate, href)
		}
	case is("next"), is("prev"), is("previous"):
		r.Pagination = append(r.Pagination, href)
	}
}

// pages are the types of alternates that lead to pages or feeds.
var pages = []string{"", "text/html", "application/xhtml+xml", "application/rss+xml", "application/atom+xml"}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// AsSets returns r with the lists whose order the tree may have changed sorted
// and without repetitions.
func (r Reading) AsSets() Reading {
	for _, l := range []*[]string{&r.Links, &r.Frames, &r.Alternate, &r.Pagination} {
		*l = slices.Compact(slices.Sorted(slices.Values(*l)))
	}
	return r
}

// Differences names what differs between what was got and what the reference
// says, one line each, with at most a few examples.
func Differences(got, want Reading) (out []string) {
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"links", got.Links, want.Links},
		{"frames", got.Frames, want.Frames},
		{"canonical", got.Canonical, want.Canonical},
		{"alternate", got.Alternate, want.Alternate},
		{"pagination", got.Pagination, want.Pagination},
		{"robots", got.Robots, want.Robots},
	} {
		if !slices.Equal(c.got, c.want) {
			out = append(out, c.name+": got only "+some(c.got, c.want)+", reference only "+some(c.want, c.got))
		}
	}
	if got.HasBase != want.HasBase || got.Base != want.Base {
		out = append(out, "base: got "+quote(got.Base)+", reference "+quote(want.Base))
	}
	if got.Title != want.Title {
		out = append(out, "title: got "+quote(got.Title)+", reference "+quote(want.Title))
	}
	return out
}
