package html

import (
	"bytes"

	"trawl/internal/content/html/htmltest"
)

// reading turns what Scan says into the form in which it is compared with the
// reference.
func reading(doc []byte) (r htmltest.Reading) {
	d := Scan(doc, Options{})
	for _, ref := range d.Refs {
		v := string(ref.Value)
		switch ref.Kind {
		case KindLink:
			if !bytes.HasPrefix(ref.Value, []byte("#")) {
				r.Links = append(r.Links, v)
			}
		case KindFrame:
			r.Frames = append(r.Frames, v)
		case KindCanonical:
			r.Canonical = append(r.Canonical, v)
		case KindAlternate:
			r.Alternate = append(r.Alternate, v)
		case KindPagination:
			r.Pagination = append(r.Pagination, v)
		}
	}
	for _, m := range d.Robots {
		r.Robots = append(r.Robots, m.Name+": "+m.Content)
	}
	r.Base, r.HasBase, r.Title = string(d.Base), d.Base != nil, d.Title
	return r
}
