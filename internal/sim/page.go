package sim

import (
	"strconv"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
)

const robotsPath = "/robots.txt"

// content answers for what is at the path, with the fault that decides about
// content, if any.
func (s *site) content(r *Response, req *crawl.Request, f *Fault, wait, at time.Duration) {
	switch {
	case r.path == robotsPath:
		s.robotsTxt(r, req, f, wait)
		return
	case f != nil && f.MoveTo != "":
		r.status(301, 0)
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Location", Value: "https://" + f.MoveTo + r.path})
		r.take(wait, 300, req)
		return
	case f != nil && f.Soft404:
		r.missing(wait, req)
		return
	case f != nil && f.ErrorText:
		r.status(200, 0)
		r.body = bodyError
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Content-Type", Value: "text/html; charset=utf-8"})
		r.take(wait, 2000, req)
		return
	}
	if r.owner != nil {
		r.serveAsset(req, wait, at)
		return
	}
	r.page = s.locate(r.path)
	switch {
	case r.page >= 0:
		s.serve(r, req, wait, at)
	case s.trapped(r.path):
		r.status(200, 0)
		r.body, r.mark = bodyTrap, mix(s.seed, uint64(at))
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Content-Type", Value: "text/html; charset=utf-8"})
		r.take(wait, defaultBytes, req)
	default:
		r.status(404, 0)
		r.take(wait, 500, req)
	}
}

// serve answers with a page, or with 304.
func (s *site) serve(r *Response, req *crawl.Request, wait, at time.Duration) {
	p := s.class(r.page)
	r.body, r.mark = bodyPage, 0
	h := make(crawl.Header, 1, 4)
	h[0] = crawl.Field{Name: "Content-Type", Value: "text/html; charset=utf-8"}
	status, bytes := 200, int64(defaultBytes)
	if p != nil {
		if p.Status != 0 && p.Status != 200 {
			s.serveStatus(r, req, p.Status, wait)
			return
		}
		if p.Soft404 {
			r.missing(wait, req)
			return
		}
		bytes = p.Bytes
		c, deploys, last := s.version(r.page, p.ChangeEvery, at), 0, time.Duration(0)
		if s.cfg.Assets.Count > 0 {
			deploys, last = s.cfg.Assets.deploys(at) // a page names its assets
		}
		r.mark = uint64(c.version) | uint64(deploys)<<32
		modified := r.result.Start.Add(max(c.last, last) - at).Truncate(time.Second)
		if p.ETag {
			tag := etag(r.page, c.version, deploys)
			h = append(h, crawl.Field{Name: "ETag", Value: tag})
			if req.IfNoneMatch == tag {
				status = 304
			}
		}
		if p.LastModified {
			h = append(h, crawl.Field{Name: "Last-Modified", Value: modified.Format("Mon, 02 Jan 2006 15:04:05 GMT")})
			if since, ok := client.ParseHTTPDate(req.IfModifiedSince); ok && req.IfNoneMatch == "" && !modified.After(since) {
				status = 304
			}
		}
		if p.MaxAge > 0 {
			h = append(h, crawl.Field{Name: "Cache-Control", Value: "max-age=" + strconv.Itoa(int(p.MaxAge.Seconds()))})
		}
	}
	if status == 304 {
		r.body, bytes = bodyNone, 0
	}
	r.status(status, 0)
	r.result.Header = h
	r.take(wait, bytes, req)
}

// missing answers with 200 and a page that says that there is none.
func (r *Response) missing(wait time.Duration, req *crawl.Request) {
	r.status(200, 0)
	r.body = bodyMissing
	r.result.Header = append(r.result.Header, crawl.Field{Name: "Content-Type", Value: "text/html; charset=utf-8"})
	r.take(wait, 2000, req)
}

// renderMissing names what was asked for, so that no two of these pages are equal.
func renderMissing(b []byte, path string) []byte {
	b = append(b, "<!doctype html><title>Page not found | Shop</title><h1>Page not found</h1><p>We have nothing called "...)
	for i := range len(path) {
		if c := path[i]; c >= '0' && c <= '9' {
			b = append(b, 'a'+c-'0')
		} else if c >= 'a' && c <= 'z' {
			b = append(b, c)
		}
	}
	return append(b, ".</p><a href=\"/\">Home</a>"...)
}

// etag is the validator of a page's content.
func etag(page int, version uint32, deploys int) string {
	return `"` + strconv.Itoa(page) + "-" + strconv.Itoa(int(version)) + "-" + strconv.Itoa(deploys) + `"`
}

// serveStatus answers for a page that is not there, or somewhere else.
func (s *site) serveStatus(r *Response, req *crawl.Request, status int, wait time.Duration) {
	r.body = bodyNone
	r.status(status, 0)
	if status >= 300 && status < 400 {
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Location", Value: "/"})
	}
	r.take(wait, 500, req)
}

// version brings the content of a page to a time and returns its state.
func (s *site) version(page int, every, at time.Duration) change {
	if every <= 0 {
		return change{}
	}
	if s.changes == nil {
		s.changes = make([]change, s.pages)
	}
	c := &s.changes[page]
	for c.next == 0 || c.next <= at {
		if c.next > 0 {
			c.last = c.next
			c.version++
		}
		c.next = c.last + exponential(every, unit(mix(mix(s.seed, uint64(page)), uint64(c.version))))
	}
	return *c
}

// class is that of a page, nil for the homepage.
func (s *site) class(page int) *class {
	for i := len(s.classes) - 1; i >= 0; i-- {
		if page >= s.classes[i].first {
			return &s.classes[i]
		}
	}
	return nil
}

// locate returns the page at a path, -1 if there is none.
func (s *site) locate(path string) int {
	if path == "/" {
		return 0
	}
	if len(path) < 2 || s.cfg.Empty {
		return -1
	}
	name, rest, ok := strings.Cut(path[1:], "/p")
	if !ok {
		return -1
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 || len(rest) > 1 && rest[0] == '0' {
		return -1
	}
	for i := range s.classes {
		if c := &s.classes[i]; c.Name == name && n < c.Count {
			return c.first + n
		}
	}
	return -1
}

// appendPath writes the path of a page.
func (s *site) appendPath(b []byte, page int) []byte {
	c := s.class(page)
	if c == nil {
		return append(b, '/')
	}
	b = append(b, '/')
	b = append(b, c.Name...)
	b = append(b, "/p"...)
	return strconv.AppendInt(b, int64(page-c.first), 10)
}

// render writes the body of an answer.
func (s *site) render(b []byte, r *Response) []byte {
	switch r.body {
	case bodyPage:
		return s.renderPage(b, r.page, r.mark)
	case bodyTrap:
		return s.renderTrap(b, r.path, r.mark)
	case bodyError:
		return append(b, "<!doctype html><title>Error</title><h1>Something went wrong</h1><p>Please try again later.</p>"...)
	case bodyMissing:
		return renderMissing(b, r.path)
	case bodyRobots:
		return append(b, s.robots...)
	case bodyOther:
		return append(b, r.path...)
	case bodyAsset:
		return append(append(b, "// "...), r.path...)
	case bodyNone:
	}
	return b
}

func (s *site) renderPage(b []byte, page int, version uint64) []byte {
	c := s.class(page)
	links := s.branch
	b = append(b, "<!doctype html><html><head><title>Page "...)
	b = strconv.AppendInt(b, int64(page), 10)
	b = append(b, "</title>"...)
	if c != nil && c.Noindex {
		b = append(b, `<meta name=robots content=noindex>`...)
	}
	b = append(b, "</head><body><p>Version "...)
	b = strconv.AppendUint(b, version, 10)
	b = append(b, "</p>\n"...)
	if c != nil {
		links = c.Links
	}
	// Links to pages of classes without links would end the tree: every page
	// keeps its children.
	child := page*s.branch + 1
	for i := range s.branch {
		if child+i < s.pages {
			b = s.link(b, child+i)
		}
	}
	for i := s.branch; i < links; i++ {
		b = s.link(b, int(mix(mix(s.seed, uint64(page)), uint64(i))%uint64(s.pages)))
	}
	if page == 0 {
		for _, t := range s.cfg.Traps {
			b = append(b, `<a href="`...)
			b = append(b, trapEntry(t)...)
			b = append(b, `">more</a>`...)
		}
	}
	return append(b, "</body></html>"...)
}

func (s *site) link(b []byte, page int) []byte {
	b = append(b, `<a href="`...)
	b = s.appendPath(b, page)
	return append(b, "\">x</a>\n"...)
}
