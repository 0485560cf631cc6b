package schedule

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/react"
)

// Many old URLs that redirect to one page which has nothing of them, mostly the
// homepage, are missing pages in disguise (F10). A target has something of a URL
// if a word of the URL's path is in the target's path or title. A URL without
// words says nothing and is not counted, nor are the usual names of homepages.

// landingFrom is how many URLs make a target suspicious (house choice).
const landingFrom = 10

// landing follows where a page redirects to, and returns how many URLs do so in
// vain; 0 if these are too few or the page is none of them. was is the visit before.
func (s *Scheduler) landing(o *crawl.Outcome, h *host, job *Job, f *Findings, was *crawl.Visit) int {
	if was.Client != s.cfg.primary() || was.Kind != crawl.KindPage || h.guest {
		return 0
	}
	if f.Page != nil && f.Row.Index == react.EffectPass {
		s.nameLanding(o, h, job.URL, f.Page.Title)
	}
	to := crawl.URL("")
	if (f.Row.Index == react.EffectStrong || f.Row.Index == react.EffectWeak) && f.RedirectErr == "" {
		to = f.Target
	}
	if was.RedirectTo != to && was.RedirectTo != "" {
		s.leaveLanding(o, h, job.URL, was.RedirectTo)
	}
	if to == "" || hasSomethingOf(job.URL, to, h.titleOf(to)) {
		return 0
	}
	i := findLanding(h.rec.Landings, to)
	if was.RedirectTo != to || i < 0 {
		h.rec.Landings = landedOn(h.rec.Landings, to)
		o.Host = s.record(h)
		i = findLanding(h.rec.Landings, to)
	}
	if i < 0 || h.rec.Landings[i].Count < landingFrom {
		return 0
	}
	return h.rec.Landings[i].Count
}

// landedOn counts a redirect, as counted does with contents.
func landedOn(list []crawl.Landing, to crawl.URL) []crawl.Landing {
	list = slices.Clone(list)
	if i := findLanding(list, to); i >= 0 {
		list[i].Count++
		return list
	}
	if len(list) < crawl.MaxLandings {
		return append(list, crawl.Landing{Target: to, Count: 1})
	}
	for i := range list {
		list[i].Count--
	}
	return slices.DeleteFunc(list, func(x crawl.Landing) bool { return x.Count <= 0 })
}

func findLanding(list []crawl.Landing, to crawl.URL) int {
	return slices.IndexFunc(list, func(x crawl.Landing) bool { return x.Target == to })
}

func (h *host) titleOf(target crawl.URL) string {
	if i := findLanding(h.rec.Landings, target); i >= 0 {
		return h.rec.Landings[i].Title
	}
	return ""
}

// maxLandingTitle bounds the title that is kept of a target, in bytes.
const maxLandingTitle = 200

// nameLanding keeps the title of a page to which others redirect.
func (s *Scheduler) nameLanding(o *crawl.Outcome, h *host, u crawl.URL, title string) {
	i := findLanding(h.rec.Landings, u)
	if i < 0 {
		return
	}
	if len(title) > maxLandingTitle {
		title = strings.ToValidUTF8(title[:maxLandingTitle], "")
	}
	if h.rec.Landings[i].Title != title {
		h.rec.Landings = slices.Clone(h.rec.Landings)
		h.rec.Landings[i].Title = title
		o.Host = s.record(h)
	}
}

// leaveLanding takes a URL off the count of where it redirected to before.
func (s *Scheduler) leaveLanding(o *crawl.Outcome, h *host, u, target crawl.URL) {
	i := findLanding(h.rec.Landings, target)
	if i < 0 || hasSomethingOf(u, target, h.rec.Landings[i].Title) {
		return
	}
	h.rec.Landings = slices.Clone(h.rec.Landings)
	if h.rec.Landings[i].Count--; h.rec.Landings[i].Count <= 0 {
		h.rec.Landings = slices.Delete(h.rec.Landings, i, i+1)
	}
	o.Host = s.record(h)
}

// hasSomethingOf reports whether a redirect's target may stand for a URL: a word
// of the URL is in the target's path or title, or the URL has none.
func hasSomethingOf(u, target crawl.URL, title string) bool {
	mine := pathWords(u.PathQuery())
	if len(mine) == 0 {
		return true
	}
	there := append(pathWords(target.PathQuery()), wordsOf(title)...)
	for _, a := range mine {
		for _, b := range there {
			if a == b || len(a) >= 4 && strings.HasPrefix(b, a) || len(b) >= 4 && strings.HasPrefix(a, b) {
				return true
			}
		}
	}
	return false
}

// pathWords returns the words of a path that say what a page is about.
func pathWords(pathQuery string) []string {
	path, _, _ := strings.Cut(pathQuery, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return wordsOf(path)
}

// usualWords stand in addresses of all kinds, and in those of homepages.
var usualWords = map[string]struct{}{
	"index": {}, "html": {}, "htm": {}, "php": {}, "asp": {}, "aspx": {}, "jsp": {}, "default": {}, "home": {}, "homepage": {}, "main": {},
	"start": {}, "startseite": {}, "welcome": {}, "accueil": {}, "inicio": {}, "www": {}, "cgi": {}, "bin": {}, "page": {}, "pages": {}, "shtml": {},
}

// maxPathWords bounds the words of one address that are compared.
const maxPathWords = 32

// wordsOf returns the words of letters in text, in lower case, each of at least
// three letters, or two beyond ASCII.
func wordsOf(text string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		w = strings.ToLower(w)
		if _, usual := usualWords[w]; usual || len(w) < 3 || utf8.RuneCountInString(w) < 2 {
			continue
		}
		if out = append(out, w); len(out) >= maxPathWords {
			break
		}
	}
	return out
}

// moved notes a known page that begins to redirect for good (H3).
func (s *Scheduler) moved(o *crawl.Outcome, h *host, f *Findings, was *crawl.Visit, now time.Time) {
	fresh := was.Crawls > 0 && was.RedirectTo == "" && was.Status >= 200 && was.Status < 400
	if h.guest || was.Client != s.cfg.primary() || was.Kind != crawl.KindPage || !fresh || f.Row.Index != react.EffectStrong || f.Target == "" || f.RedirectErr != "" {
		return
	}
	h.rec.Move = demand.Moved(s.cfg.Demand, h.rec.Move, now)
	o.Host = s.record(h)
}
