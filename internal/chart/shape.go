package chart

// ink is what a shape is drawn with: a place in the palette, or one of the inks
// that all charts share.
type ink int

const (
	inkText ink = -1 - iota
	inkMuted
	inkGrid
	inkSpan
)

type point struct{ x, y float64 }

type anchor uint8

const (
	anchorStart anchor = iota
	anchorMiddle
	anchorEnd
)

// shape is one element of a drawing: a stroke, a filled area or a text.
type shape struct {
	points []point // of a stroke, or the outline of an area
	fill   bool
	ink    ink
	alpha  float64 // of a fill
	width  float64 // of a stroke
	dash   []float64
	text   string // drawn at points[0]
	size   float64
	anchor anchor
	bold   bool
}

// drawing is a chart laid out: what the SVG and the PNG have in common.
type drawing struct {
	w, h        float64
	title, desc string
	shapes      []shape
}

func (d *drawing) add(s shape) { d.shapes = append(d.shapes, s) }

func (d *drawing) line(i ink, width float64, dash []float64, pts ...point) {
	d.add(shape{points: pts, ink: i, width: width, dash: dash})
}

func (d *drawing) area(i ink, alpha float64, pts ...point) {
	d.add(shape{points: pts, ink: i, fill: true, alpha: alpha})
}

func (d *drawing) rect(i ink, alpha, x0, y0, x1, y1 float64) {
	d.area(i, alpha, point{x0, y0}, point{x1, y0}, point{x1, y1}, point{x0, y1})
}

func (d *drawing) label(x, y, size float64, i ink, a anchor, text string) {
	d.add(shape{points: []point{{x, y}}, text: text, size: size, ink: i, anchor: a})
}

// dashes tell lines apart where colours do not.
func dashes(series int) []float64 {
	return [][]float64{nil, {7, 3}, {2, 3}, {9, 3, 2, 3}}[series%4]
}
