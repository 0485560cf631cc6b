package chart

import (
	"math"
	"time"
)

// The measures of a chart in pixels (house choices).
const (
	textSize  = 12
	titleSize = 15
	rowHeight = 18
	margin    = 10
)

// layout is a chart on its way to a drawing.
type layout struct {
	*drawing
	c                        *Chart
	f                        *faces
	left, right, top, bottom float64 // of the plot
	from, to                 time.Time
	max, step                float64
	cols                     []column // what is drawn: the points, gathered to what the width shows
}

// column is what stands at one place of the time axis.
type column struct {
	at     time.Time
	values []float64
}

// draw lays a chart out.
func (c *Chart) draw() (*drawing, *faces, error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	f, err := newFaces()
	if err != nil {
		return nil, nil, err
	}
	w, h := c.size()
	l := &layout{drawing: &drawing{w: float64(w), h: float64(h), title: c.Title, desc: c.Desc}, c: c, f: f}
	l.from, l.to = c.Times[0], c.Times[len(c.Times)-1]
	l.right = l.w - margin
	l.head()
	l.bottom = l.h - rowHeight - margin
	l.gather()
	l.scale()
	l.spans()
	l.grid()
	switch c.Kind {
	case Lines:
		l.lines()
	case Areas:
		l.stack(l.areas)
	case Bars:
		l.stack(l.bars)
	}
	l.thresholds()
	l.timeAxis()
	return l.drawing, f, nil
}

// head writes title, legend and unit, and says where the plot begins.
func (l *layout) head() {
	y := float64(margin + titleSize)
	l.add(shape{points: []point{{margin, y}}, text: l.f.fit(l.c.Title, titleSize, true, l.w-2*margin), size: titleSize, ink: inkText, bold: true})
	y += rowHeight + 2
	x := float64(margin)
	for i, s := range l.c.Series {
		const swatch = 22
		name := l.f.fit(s.Name, textSize, false, l.w-2*margin-swatch)
		need := swatch + l.f.width(name, textSize, false) + 14
		if x > margin && x+need-14 > l.w-margin {
			x, y = margin, y+rowHeight
		}
		if l.c.Kind == Lines {
			l.line(ink(i), 2.5, dashes(i), point{x, y - 4}, point{x + 17, y - 4})
		} else {
			l.rect(ink(i), 0.85, x, y-10, x+14, y)
		}
		l.label(x+swatch, y, textSize, inkText, anchorStart, name)
		x += need
	}
	if l.c.Unit != "" {
		y += rowHeight
		l.label(margin, y, textSize, inkMuted, anchorStart, l.f.fit(l.c.Unit, textSize, false, l.w-2*margin))
	}
	l.top = y + 10
}

// gather brings the points to no more columns than there are pixels. Lines keep
// the lowest and the highest of what falls together, in their order; areas and bars
// take the mean.
func (l *layout) gather() {
	c := l.c
	room := max(int(l.right-margin)/3, 20)
	if c.Kind != Bars {
		room = max(int(l.right-margin), 20)
	}
	per := (len(c.Times) + room - 1) / room
	for i := 0; i < len(c.Times); i += per {
		end := min(i+per, len(c.Times))
		if c.Kind != Lines || per == 1 {
			l.cols = append(l.cols, column{c.Times[i], l.means(i, end)})
			continue
		}
		first, last := column{at: c.Times[i]}, column{at: c.Times[end-1]}
		for _, s := range c.Series {
			a, b := extremes(s.Values[i:end])
			first.values, last.values = append(first.values, a), append(last.values, b)
		}
		l.cols = append(l.cols, first, last)
	}
}

func (l *layout) means(from, to int) []float64 {
	out := make([]float64, len(l.c.Series))
	for k, s := range l.c.Series {
		sum, n := 0.0, 0
		for _, v := range s.Values[from:to] {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum, n = sum+v, n+1
			}
		}
		if out[k] = math.NaN(); n > 0 {
			out[k] = sum / float64(n)
		}
	}
	return out
}

// extremes are the lowest and the highest value, in the order in which they come.
func extremes(list []float64) (first, second float64) {
	low, high := -1, -1
	for i, v := range list {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if low < 0 || v < list[low] {
			low = i
		}
		if high < 0 || v > list[high] {
			high = i
		}
	}
	switch {
	case low < 0:
		return math.NaN(), math.NaN()
	case low <= high:
		return list[low], list[high]
	}
	return list[high], list[low]
}

// scale finds the end of the value axis, and where the plot begins beside its labels.
func (l *layout) scale() {
	highest := 0.0
	for _, col := range l.cols {
		sum := 0.0
		for _, v := range col.values {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
			case l.c.Kind == Lines:
				sum = max(sum, v)
			default:
				sum += max(v, 0)
			}
		}
		highest = max(highest, sum)
	}
	for _, t := range l.c.Thresholds {
		highest = max(highest, t.Value)
	}
	l.max, l.step = niceTop(highest, int(max(2, (l.bottom-l.top)/45)))
	wide := 0.0
	for v := 0.0; v <= l.max+l.step/2; v += l.step {
		wide = max(wide, l.f.width(SI(v), textSize, false))
	}
	l.left = margin + wide + 8
}

func (l *layout) x(t time.Time) float64 {
	span := l.to.Sub(l.from)
	if span <= 0 {
		return (l.left + l.right) / 2
	}
	part := float64(t.Sub(l.from)) / float64(span)
	return l.left + min(max(part, 0), 1)*(l.right-l.left)
}

func (l *layout) y(v float64) float64 {
	return l.bottom - min(max(v/l.max, 0), 1)*(l.bottom-l.top)
}
