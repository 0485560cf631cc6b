package content

import (
	"fmt"

	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

// linkSet keeps each URL once, in the order of first sight.
type linkSet struct {
	self  crawl.URL
	max   int
	index map[crawl.URL]int32
	links []crawl.Link
	cut   bool
}

func (s *linkSet) init(self crawl.URL, max int) { s.self, s.max = self, max }

// grow makes room for about n references.
func (s *linkSet) grow(n int) {
	n = min(n, s.max)
	if s.index == nil && n > 0 {
		s.index = make(map[crawl.URL]int32, n)
		s.links = make([]crawl.Link, 0, n)
	}
}

// add keeps a link. A second link to a URL can only take its NoFollow away; the
// way it was found stays that of the first.
func (s *linkSet) add(u crawl.URL, via crawl.Via, noFollow bool) *crawl.Link {
	if u == s.self || u == "" {
		return nil
	}
	if i, ok := s.index[u]; ok {
		s.links[i].NoFollow = s.links[i].NoFollow && noFollow
		return &s.links[i]
	}
	if len(s.links) >= s.max {
		s.cut = true
		return nil
	}
	if s.index == nil {
		s.index = map[crawl.URL]int32{}
	}
	s.index[u] = int32(len(s.links))
	s.links = append(s.links, crawl.Link{URL: u, Via: via, NoFollow: noFollow})
	return &s.links[len(s.links)-1]
}

func (s *linkSet) sentence() string {
	return fmt.Sprintf("Links after the first %d were not kept.", s.max)
}

// canonical notes a canonical URL named in the header.
func (r *reader) canonical(target []byte, where string) { r.canonicalAt(r.base, target, where) }

func (r *reader) canonicalAt(base *weburl.Base, target []byte, where string) {
	if len(target) == 0 {
		r.note("A " + where + " without a target was ignored.")
		return
	}
	u, err := base.Resolve(target)
	if err != nil {
		r.note("A " + where + " was ignored: its target is no URL that is crawled.")
		return
	}
	r.links.add(u, crawl.ViaCanonical, false)
	if len(r.canonicals) < maxHeaderItems {
		r.canonicals = append(r.canonicals, u)
	}
}

// chooseCanonical takes the canonical URL if all that were named agree.
func (r *reader) chooseCanonical() {
	for i, u := range r.canonicals {
		if u != r.canonicals[0] {
			r.page.Canonical = ""
			r.note(fmt.Sprintf("The canonical was ignored: the page names both %s and %s.", r.canonicals[0], r.canonicals[i]))
			return
		}
		r.page.Canonical = u
	}
}
