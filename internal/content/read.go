package content

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"trawl/internal/content/charset"
	"trawl/internal/content/html"
	"trawl/internal/content/softerror"
	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

// DefaultMaxLinks is the number of links kept of a page, if the options say
// nothing else (house choice).
const DefaultMaxLinks = 100_000

// Options say for whom a page is read.
type Options struct {
	// RobotsNames are the names, in lower case, by which the client is
	// addressed in meta elements and X-Robots-Tag, besides "robots".
	RobotsNames []string
	// MaxLinks bounds the links kept; 0 = DefaultMaxLinks.
	MaxLinks int
	// Runs asks for Page.Runs and Page.Inward of HTML pages whose URL may lie in
	// an endless space ([weburl.GroupOf]).
	Runs bool
}

// Read reads a response. It never returns nil.
func Read(res *crawl.Result, opt Options) *crawl.Page {
	p := &crawl.Page{Base: res.URL}
	switch {
	case res.Status == 0:
		return p // a failed request: type unknown (I2)
	case res.Status >= 300 && res.Status < 400:
		p.Type = crawl.TypeOther // redirects are among the other types (I2), their bodies ignored (B6)
		return p
	}
	if opt.MaxLinks <= 0 {
		opt.MaxLinks = DefaultMaxLinks
	}
	named, value := declared(res.Header)
	r := reader{res: res, page: p, opt: opt, contentType: value, base: weburl.NewBase(res.URL)}
	p.MediaType = mediaTypeOf(named, res.Body, res.URL)
	p.Type = typeOf(p.MediaType)
	if named != "" && !saysNothing(named) && named != p.MediaType {
		r.note("The response is called " + named + ", but its bytes are " + p.MediaType + "; it was read as that.")
	}
	if len(res.Body) > 0 {
		p.Digest = xxh3.Hash(res.Body)
	}
	r.links.init(res.URL, opt.MaxLinks)
	success := res.Status < 300
	if success {
		r.header()
	}
	var doc *html.Document
	switch {
	case p.Type == crawl.TypeHTML:
		doc = r.document(success)
	case success && isFeed(p, res.Body):
		r.feed()
	case isText(p.MediaType):
		e, _ := charset.Detect(res.Body, value, charset.XMLDeclared(res.Body))
		p.Charset = e.Name
	}
	if success {
		r.finish(doc)
	}
	return p
}

// reader is the state of one Read.
type reader struct {
	res         *crawl.Result
	page        *crawl.Page
	opt         Options
	contentType string
	base        *weburl.Base
	links       linkSet
	canonicals  []crawl.URL
}

const maxNotes = 32

func (r *reader) note(sentence string) {
	if len(r.page.Notes) < maxNotes {
		r.page.Notes = append(r.page.Notes, sentence)
	}
}

// header reads the links and the refresh of the header fields.
func (r *reader) header() {
	links, cut := headerLinks(r.res.Header)
	if cut {
		r.page.Bounded = append(r.page.Bounded, "Links in the header after the first 256 were not read.")
	}
	for _, l := range links {
		switch {
		case l.is("canonical"):
			r.canonical([]byte(l.target), "Link header")
		case l.is("alternate") && !l.is("stylesheet") && l.feedOrPage(), l.is("next"), l.is("prev"), l.is("previous"):
			if u, err := r.base.Resolve([]byte(l.target)); err == nil {
				r.links.add(u, crawl.ViaAlternate, l.is("nofollow"))
			}
		}
	}
	if v := r.res.Header.Get("Refresh"); v != "" {
		if f, ok := html.ParseRefresh(v); ok {
			r.refresh(f, r.base)
		}
	}
}

// refresh keeps a refresh, unless it only reloads the page.
func (r *reader) refresh(f html.Refresh, base *weburl.Base) {
	if f.URL == "" || r.page.Refresh != "" {
		return
	}
	u, err := base.Resolve([]byte(f.URL))
	if err != nil {
		r.note("A refresh was ignored: its target is no URL that is crawled.")
		return
	}
	if u != r.res.URL {
		r.page.Refresh, r.page.RefreshIn = u, f.Delay
	}
}

// document scans the body as HTML and takes its links if they are wanted.
func (r *reader) document(wanted bool) *html.Document {
	body := r.res.Body
	opt := html.Options{XML: r.page.MediaType == "application/xhtml+xml"}
	group, grouped := weburl.GroupOf(r.res.URL)
	if grouped && r.opt.Runs && wanted && !r.res.Truncated {
		opt.Runs, opt.Drop = true, weburl.Words(r.res.URL)
	}
	e, _, ok := charset.Outside(body, r.contentType)
	text := body
	var doc *html.Document
	if ok {
		text = e.Decode(body)
		doc = html.Scan(text, opt)
	} else {
		// Whatever the encoding is, ASCII can be read in it (but for
		// ISO-2022-JP, which is then read again): scan first, and convert only
		// if what the document declares makes it necessary.
		doc = html.Scan(body, opt)
		label := doc.Charset
		if xml := charset.XMLDeclared(body); xml != "" && (label == "" || opt.XML) {
			label = xml
		}
		e, _ = charset.Detect(body, r.contentType, label)
		if text = e.Decode(body); len(body) > 0 && (len(text) == 0 || &text[0] != &body[0]) {
			doc = html.Scan(text, opt)
		}
	}
	r.page.Charset = e.Name
	r.page.Title = doc.Title
	r.page.Bounded = append(r.page.Bounded, doc.Bounded...)
	if !wanted {
		return doc
	}
	for _, n := range doc.Notes {
		r.note(n)
	}
	base := r.documentBase(doc)
	r.links.grow(len(doc.Refs))
	for _, ref := range doc.Refs {
		r.reference(base, ref, e)
	}
	if doc.Refresh != nil {
		r.refresh(*doc.Refresh, base)
	}
	if opt.Runs && !doc.RunsCut {
		r.runs(doc, group)
	}
	r.missing(doc, text)
	return doc
}

// missing judges whether the page is an error message (F10). What was cut or came
// broken is not judged: the rest of it is not known.
func (r *reader) missing(doc *html.Document, text []byte) {
	if r.res.Truncated || r.res.Failure != nil {
		return
	}
	v := softerror.Judge(softerror.Input{
		Doc: text, Title: doc.Title, HeadingAt: doc.HeadingAt, Links: len(doc.Refs), Refresh: doc.Refresh != nil,
	})
	r.page.Missing, r.page.Likeness, r.page.Unrendered = v.Error, v.Likeness, v.Unrendered
	if v.Unrendered {
		r.note("There is nothing to see before scripts run: whether the page is a soft 404 can be said once it is rendered.")
	}
}

// documentBase resolves the base element, which holds for the links before it
// too.
func (r *reader) documentBase(doc *html.Document) *weburl.Base {
	if doc.Base == nil {
		return r.base
	}
	u, err := r.base.Resolve(doc.Base)
	if err != nil {
		r.note("The base element was ignored: its href is no URL that is crawled.")
		return r.base
	}
	r.page.Base = u
	return weburl.NewBase(u)
}

func (r *reader) reference(base *weburl.Base, ref html.Ref, e charset.Encoding) {
	value := e.Query(ref.Value)
	if ref.Kind == html.KindCanonical {
		r.canonicalAt(base, value, "canonical element")
		return
	}
	u, err := base.Resolve(value)
	if err != nil {
		return // mailto, javascript and the like
	}
	via := crawl.ViaLink
	if ref.Kind == html.KindAlternate || ref.Kind == html.KindPagination {
		via = crawl.ViaAlternate
	}
	r.links.add(u, via, ref.NoFollow)
}

func (r *reader) finish(doc *html.Document) {
	p := r.page
	var metas []html.RobotsMeta
	if doc != nil {
		metas = doc.Robots
	}
	var notes []string
	p.Directives, notes = directives(metas, r.res.Header, r.opt.RobotsNames)
	for _, n := range notes {
		r.note(n)
	}
	r.chooseCanonical()
	p.Links = r.links.links
	if r.links.cut {
		p.Bounded = append(p.Bounded, r.links.sentence())
	}
}

// runs keeps what the page says, together with where it leads to outside its own
// group, and counts what leads on into the group (D3).
func (r *reader) runs(doc *html.Document, group weburl.Group) {
	p := r.page
	p.Runs = doc.Runs
	for i := range r.links.links {
		l := &r.links.links[i]
		if g, ok := weburl.GroupOf(l.URL); ok && g.Same(group) {
			p.Inward++
			continue
		}
		// Without its query: an unknown session id would make it new each time.
		path, _, _ := strings.Cut(string(l.URL), "?")
		p.Runs = append(p.Runs, crawl.LinkHash(crawl.URL(path)))
	}
	slices.Sort(p.Runs)
	p.Runs = slices.Compact(p.Runs)
}
