package chart

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
)

// palette are the colours of series on light and on dark ground, after Okabe and Ito.
var palette = [...]struct{ light, dark string }{
	{"#0072b2", "#56b4e9"},
	{"#d55e00", "#f0854a"},
	{"#009e73", "#2fc79b"},
	{"#cc79a7", "#e39cc4"},
	{"#b58900", "#e6c229"},
	{"#56b4e9", "#8fd0f5"},
	{"#7a5195", "#b48fd0"},
	{"#707070", "#a8a8a8"},
}

// The inks of the PNG, and of an SVG that stands for itself.
const (
	lightText, darkText     = "#1f2328", "#e6edf3"
	lightMuted, darkMuted   = "#59636e", "#9198a1"
	lightGround, darkGround = "#ffffff", "#0d1117"
)

// SVG writes the chart as one SVG element, which may stand alone as a file or
// within a page of HTML. There it takes the page's text colour; the colours of
// series are the CSS variables --chart-0, --chart-1 and so on, where a page sets
// them.
func (c *Chart) SVG(w io.Writer) error {
	d, _, err := c.draw()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	h := fnv.New32a()
	fmt.Fprint(h, c.Title, c.Desc, c.Width, len(c.Times))
	id := "c" + strconv.FormatUint(uint64(h.Sum32()), 36)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="trawl-chart" id="%s" role="img" aria-labelledby="%s-t %s-d" viewBox="0 0 %g %g" width="%g" height="%g" font-family="system-ui, sans-serif">`+"\n",
		id, id, id, d.w, d.h, d.w, d.h)
	fmt.Fprintf(b, "<title id=\"%s-t\">%s</title>\n<desc id=\"%s-d\">%s</desc>\n", id, escape(d.title), id, escape(d.desc))
	writeStyle(b, id)
	for i := range d.shapes {
		writeShape(b, &d.shapes[i])
	}
	b.WriteString("</svg>\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing a chart: %w", err)
	}
	return nil
}

// writeStyle sets the colours, for this element only.
func writeStyle(b *bufio.Writer, id string) {
	var light, dark strings.Builder
	for i, p := range palette {
		fmt.Fprintf(&light, "--p%d:%s;", i, p.light)
		fmt.Fprintf(&dark, "--p%d:%s;", i, p.dark)
	}
	fmt.Fprintf(b, "<style>#%s{%s}svg#%s:root{color:%s;background:%s}", id, light.String(), id, lightText, lightGround)
	fmt.Fprintf(b, "@media(prefers-color-scheme:dark){#%s{%s}svg#%s:root{color:%s;background:%s}}</style>\n", id, dark.String(), id, darkText, darkGround)
}

func (i ink) css() string {
	if i < 0 {
		return "currentColor"
	}
	n := int(i) % len(palette)
	return fmt.Sprintf("var(--chart-%d,var(--p%d))", n, n)
}

// opacity of the inks that are a shade of the text's.
func (i ink) opacity() float64 {
	switch i {
	case inkMuted:
		return 0.72
	case inkGrid:
		return 0.16
	}
	return 1
}

func writeShape(b *bufio.Writer, s *shape) {
	switch {
	case s.text != "":
		weight := ""
		if s.bold {
			weight = ` font-weight="600"`
		}
		fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%g"%s text-anchor="%s" fill="%s" fill-opacity="%g">%s</text>`+"\n",
			num(s.points[0].x), num(s.points[0].y), s.size, weight, [...]string{"start", "middle", "end"}[s.anchor], s.ink.css(), s.ink.opacity(), escape(s.text))
	case s.fill:
		fmt.Fprintf(b, `<path d="%sZ" fill="%s" fill-opacity="%g"/>`+"\n", pathOf(s.points), s.ink.css(), s.alpha)
	default:
		dash := ""
		if len(s.dash) > 0 {
			parts := make([]string, len(s.dash))
			for i, v := range s.dash {
				parts[i] = num(v)
			}
			dash = ` stroke-dasharray="` + strings.Join(parts, " ") + `"`
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-opacity="%g" stroke-width="%g" stroke-linejoin="round"%s/>`+"\n",
			pathOf(s.points), s.ink.css(), s.ink.opacity(), s.width, dash)
	}
}

func pathOf(pts []point) string {
	var b strings.Builder
	for i, p := range pts {
		if i == 0 {
			b.WriteByte('M')
		} else {
			b.WriteByte('L')
		}
		b.WriteString(num(p.x))
		b.WriteByte(' ')
		b.WriteString(num(p.y))
	}
	return b.String()
}

// num writes a coordinate with a tenth of a pixel.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

// escape makes text harmless in XML: what XML cannot hold becomes a replacement character.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff:
			b.WriteRune('\ufffd')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
