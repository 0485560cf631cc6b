package sitemap

import (
	"fmt"
	"strings"
)

// field is one child element's text; set says that it was there.
type field struct {
	text string
	set  bool
	line int
	at   int // position in the text
}

// draft is the entry being read.
type draft struct {
	open      bool
	element   name
	depth     int // of its element
	line      int
	at        int
	loc       field
	guid      field
	permalink bool
	lastmod   field
	published field
}

// start acts on a start tag whose parent is the innermost open element.
func (p *parser) start(el name, attrs []byte, at int) {
	p.extension(el)
	switch {
	case p.depth == 0:
		p.root(el)
	case p.entry.open && p.depth == p.entry.depth+1:
		p.child(el, attrs, at)
	case !p.entry.open && p.isEntry(el):
		p.entry = draft{open: true, element: el, depth: p.depth, line: p.lineAt(at), at: at}
	}
}

// extension counts what belongs to another vocabulary, by the usual names: what
// namespace a sitemap gives them is often wrong.
func (p *parser) extension(el name) {
	x := &p.out.Extensions
	own := !p.entry.open || el.prefix == p.entry.element.prefix
	switch {
	case own && (el.local == "priority" || el.local == "changefreq") && p.out.Format == FormatURLSet:
		x.Ignored++
	case own:
	case el.local == "image":
		x.Image++
	case el.local == "video":
		x.Video++
	case el.local == "news":
		x.News++
	case el.prefix == "media" && el.local == "content":
		x.Media++
	}
}

// root takes the format from the root element, whatever its namespace.
func (p *parser) root(el name) {
	if p.out.Format != "" {
		return
	}
	switch el.local {
	case "urlset":
		p.out.Format = FormatURLSet
	case "sitemapindex":
		p.out.Format, p.out.Index = FormatIndex, true
	case "rss", "RDF":
		p.out.Format = FormatRSS
	case "feed":
		p.out.Format = FormatAtom
	default:
		if strings.EqualFold(el.local, "html") {
			p.out.issue(ClassFormat, 0, 0, "It is an HTML page, not a sitemap.")
		} else {
			p.out.issue(ClassFormat, 0, 0, fmt.Sprintf("It is no sitemap: its root element is %.40q.", el.local))
		}
		p.done = true
	}
}

// isEntry reports whether el, about to be opened, is an entry of the format.
func (p *parser) isEntry(el name) bool {
	switch p.out.Format {
	case FormatURLSet:
		return el.local == "url" && p.depth == 1
	case FormatIndex:
		return el.local == "sitemap" && p.depth == 1
	case FormatAtom:
		return el.local == "entry" && p.depth == 1
	case FormatRSS: // RSS 2.0 has its items in the channel, RSS 1.0 beside it
		return el.local == "item" && p.depth <= 2
	}
	return false
}

// child acts on a child element of the open entry. Elements of extensions have
// another prefix than the entry itself.
func (p *parser) child(el name, attrs []byte, at int) {
	e := &p.entry
	own := el.prefix == e.element.prefix
	switch p.out.Format {
	case FormatURLSet, FormatIndex:
		switch {
		case el.local == "loc" && own:
			p.into(&e.loc, at)
		case el.local == "lastmod" && own:
			p.into(&e.lastmod, at)
		case el.local == "link" && !own:
			p.alternate(attrs, at)
		}
	case FormatRSS:
		switch {
		case el.local == "link" && own:
			p.into(&e.loc, at)
		case el.local == "guid" && own:
			v, _ := attribute(attrs, "isPermaLink")
			e.permalink = !strings.EqualFold(v, "false")
			p.into(&e.guid, at)
		case el.local == "pubDate" && own, el.local == "date" && !own:
			p.into(&e.lastmod, at)
		}
	case FormatAtom:
		switch {
		case el.local == "link" && own:
			rel, ok := attribute(attrs, "rel")
			href, _ := attribute(attrs, "href")
			if (!ok || rel == "alternate") && href != "" && !e.loc.set {
				e.loc = field{text: href, set: true}
			}
		case el.local == "updated" && own:
			p.into(&e.lastmod, at)
		case el.local == "published" && own:
			p.into(&e.published, at)
		}
	}
}

// into captures the text of the element being opened, if it is the first.
func (p *parser) into(f *field, at int) {
	if f.set {
		p.out.issue(ClassTwice, p.lineAt(at), at, "An entry has the same element twice; the first counts.")
		return
	}
	f.set, f.line, f.at = true, p.lineAt(at), at
	p.capture, p.buf = f, p.buf[:0]
}

func (p *parser) alternate(attrs []byte, at int) {
	if rel, _ := attribute(attrs, "rel"); rel != "alternate" {
		return
	}
	href, _ := attribute(attrs, "href")
	if href == "" || len(href) > MaxLoc {
		return
	}
	p.out.Extensions.Hreflang++
	if len(p.out.Alternates) >= MaxEntries {
		p.out.truncated(ClassAlternate, "The sitemap names more than 50,000 language versions: the rest was not read.")
		return
	}
	p.out.Alternates = append(p.out.Alternates, Entry{Loc: href, Line: p.lineAt(at), Offset: at + p.out.skipped})
}

// end acts on the end of the element that was at the present depth.
func (p *parser) end() {
	if p.capture != nil && p.depth == p.entry.depth+1 {
		p.capture.text = strings.Trim(string(p.buf), "\t\n\f\r \u00a0")
		p.capture = nil
	}
	if p.entry.open && p.depth == p.entry.depth {
		p.finish()
	}
}

// finish turns the draft into an entry.
func (p *parser) finish() {
	d := p.entry
	p.entry, p.capture = draft{}, nil
	loc := d.loc.text
	if loc == "" && d.permalink {
		loc = d.guid.text
	}
	date := d.lastmod
	if date.text == "" {
		date = d.published
	}
	e := Entry{Loc: loc, Line: d.line, Offset: d.at}
	if date.text != "" {
		e.Dated = true
		t, err := parseDate(date.text, p.out.Format == FormatRSS)
		if err != nil {
			p.out.issue(ClassLastMod, date.line, date.at, fmt.Sprintf("%.40q was ignored: %s.", date.text, err))
		}
		e.LastMod = t
	}
	if !p.out.add(e) {
		p.done = true
	}
}
