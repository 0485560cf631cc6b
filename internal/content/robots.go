package content

import (
	"slices"
	"strings"

	"trawl/internal/content/html"
	"trawl/internal/crawl"
)

// directives joins what the meta elements and the X-Robots-Tag fields say to a
// client that listens to names (lower case) besides "robots". Rules can only
// forbid, so the most restrictive wins by adding up (F12, case 30).
func directives(metas []html.RobotsMeta, h crawl.Header, names []string) crawl.Directives {
	var d crawl.Directives
	for _, m := range metas {
		if listens(m.Name, names) {
			apply(&d, m.Content)
		}
	}
	for _, field := range h.Values("X-Robots-Tag") {
		applyHeader(&d, field, names)
	}
	return d
}

func listens(name string, names []string) bool {
	return name == "robots" || slices.Contains(names, name)
}

// apply adds the rules of a list. It forgives semicolons and missing commas.
func apply(d *crawl.Directives, rules string) {
	for _, r := range strings.FieldsFunc(rules, func(c rune) bool { return c == ',' || c == ';' || c <= ' ' || c == '\u00a0' }) {
		switch strings.ToLower(r) {
		case "noindex":
			d.Noindex = true
		case "nofollow":
			d.Nofollow = true
		case "none":
			d.Noindex, d.Nofollow = true, true
		}
	}
}

// valued are the rules that have a value behind a colon; any other word before
// a colon is the name of a client.
var valued = []string{"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}

// applyHeader adds the rules of one X-Robots-Tag field. A name before a colon
// holds for all rules behind it, up to the next name.
func applyHeader(d *crawl.Directives, field string, names []string) {
	heard := true
	for i, item := range strings.Split(field, ",") {
		if i >= maxHeaderItems {
			return
		}
		for {
			name, rest, ok := strings.Cut(item, ":")
			name = strings.ToLower(strings.TrimSpace(name))
			if !ok || !isToken(name) {
				break
			}
			if slices.Contains(valued, name) {
				item = ""
				break
			}
			heard, item = listens(name, names), rest
		}
		if heard {
			apply(d, item)
		}
	}
}
