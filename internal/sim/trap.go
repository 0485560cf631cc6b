package sim

import (
	"strconv"
	"strings"
)

// reserved reports whether a name is the first segment of a trap's paths.
func reserved(name string) bool {
	switch name {
	case "calendar", "deep", "facets", "account", "assets":
		return true
	}
	return false
}

// trapEntry is the path at which a trap begins.
func trapEntry(t Trap) string {
	switch t {
	case TrapCalendar:
		return "/calendar/2026/1"
	case TrapDeeper:
		return "/deep/a1"
	case TrapFacets:
		return "/facets?color=1&amp;size=1"
	case TrapSession:
		return "/account?sid=0123456789abcdef0123456789abcdef"
	}
	return "/"
}

// trapped reports whether the path lies in one of the site's traps.
func (s *site) trapped(path string) bool {
	for _, t := range s.cfg.Traps {
		entry := trapEntry(t)
		if end := strings.IndexAny(entry[1:], "/?"); strings.HasPrefix(path, entry[:end+1]) {
			return true
		}
	}
	return false
}

// renderTrap writes a page of a trap: it links on into it.
func (s *site) renderTrap(b []byte, path string, mark uint64) []byte {
	b = append(b, "<!doctype html><html><head><title>More</title></head><body>\n"...)
	link := func(to string) {
		b = append(b, `<a href="`...)
		b = append(b, to...)
		b = append(b, "\">x</a>\n"...)
	}
	switch {
	case strings.HasPrefix(path, "/calendar/"):
		y, m, _ := strings.Cut(strings.TrimPrefix(path, "/calendar/"), "/")
		year, _ := strconv.Atoi(y)
		month, _ := strconv.Atoi(m)
		for _, n := range []int{year*12 + month - 2, year*12 + month} {
			link("/calendar/" + strconv.Itoa(n/12) + "/" + strconv.Itoa(n%12+1))
		}
	case strings.HasPrefix(path, "/deep/"):
		link(path + "/a" + strconv.Itoa(strings.Count(path, "/")))
	case strings.HasPrefix(path, "/facets"):
		names := []string{"color", "size", "sort", "brand"}
		for i := range 8 {
			x := mix(mark, uint64(i))
			to := "/facets?"
			for j := range names {
				if j > 0 {
					to += "&amp;"
				}
				to += names[(j+i)%len(names)] + "=" + strconv.Itoa(int(x>>(8*j)%20))
			}
			link(to)
		}
	case strings.HasPrefix(path, "/account"):
		for i := range 3 {
			x := strconv.FormatUint(mix(mark, uint64(i))|1<<63, 16)
			link("/account?sid=" + x + x)
		}
	}
	return append(b, "</body></html>"...)
}
