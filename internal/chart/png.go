package chart

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// PNG writes the chart as a picture, scale device pixels to one of the chart; 0 is
// 2, for screens that have so many. Area of the picture at most 64 million pixels.
func (c *Chart) PNG(w io.Writer, scale float64) error {
	if scale == 0 {
		scale = 2
	}
	wide, high := c.size()
	if !(scale >= 0.5 && scale <= 8) || float64(wide)*float64(high)*scale*scale > 64e6 {
		return fmt.Errorf("%w: %d × %d pixels at scale %g", ErrChart, wide, high, scale)
	}
	d, f, err := c.draw()
	if err != nil {
		return err
	}
	r := &raster{scale: scale, dark: c.Dark, f: f, img: image.NewRGBA(image.Rect(0, 0, int(d.w*scale), int(d.h*scale)))}
	ground := lightGround
	if c.Dark {
		ground = darkGround
	}
	draw.Draw(r.img, r.img.Bounds(), image.NewUniform(hex(ground, 1)), image.Point{}, draw.Src)
	for i := range d.shapes {
		if err := r.shape(&d.shapes[i]); err != nil {
			return err
		}
	}
	if err := png.Encode(w, r.img); err != nil {
		return fmt.Errorf("writing a chart: %w", err)
	}
	return nil
}

// raster draws shapes into a picture.
type raster struct {
	img   *image.RGBA
	scale float64
	dark  bool
	f     *faces
	v     vector.Rasterizer
}

func (r *raster) color(i ink, alpha float64) color.Color {
	if i >= 0 {
		p := palette[int(i)%len(palette)]
		if r.dark {
			return hex(p.dark, alpha)
		}
		return hex(p.light, alpha)
	}
	text := lightText
	if r.dark {
		text = darkText
	}
	return hex(text, alpha*i.opacity())
}

// hex is the colour of "#rrggbb".
func hex(s string, alpha float64) color.Color {
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return color.Black
	}
	return color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: uint8(math.Round(alpha * 255))}
}

func (r *raster) shape(s *shape) error {
	switch {
	case s.text != "":
		return r.write(s)
	case s.fill:
		r.fill([][]point{s.points}, r.color(s.ink, s.alpha))
	default:
		r.fill(outline(s.points, s.width, s.dash), r.color(s.ink, 1))
	}
	return nil
}

// fill fills outlines, as one area where they overlap.
func (r *raster) fill(outlines [][]point, c color.Color) {
	b := r.bounds(outlines)
	if b.Empty() {
		return
	}
	r.v.Reset(b.Dx(), b.Dy())
	for _, pts := range outlines {
		for i, p := range pts {
			x, y := float32(p.x*r.scale)-float32(b.Min.X), float32(p.y*r.scale)-float32(b.Min.Y)
			if i == 0 {
				r.v.MoveTo(x, y)
			} else {
				r.v.LineTo(x, y)
			}
		}
		r.v.ClosePath()
	}
	r.v.Draw(r.img, b, image.NewUniform(c), image.Point{})
}

// bounds is the part of the picture in which outlines lie.
func (r *raster) bounds(outlines [][]point) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, pts := range outlines {
		for _, p := range pts {
			x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
		}
	}
	if x0 > x1 {
		return image.Rectangle{}
	}
	b := image.Rect(int(math.Floor(x0*r.scale)), int(math.Floor(y0*r.scale)), int(math.Ceil(x1*r.scale))+1, int(math.Ceil(y1*r.scale))+1)
	return b.Intersect(r.img.Bounds())
}

func (r *raster) write(s *shape) error {
	face, err := r.f.face(s.size*r.scale, s.bold)
	if err != nil {
		return err
	}
	x := s.points[0].x * r.scale
	switch wide := float64(font.MeasureString(face, s.text)) / 64; s.anchor {
	case anchorEnd:
		x -= wide
	case anchorMiddle:
		x -= wide / 2
	case anchorStart:
	}
	d := font.Drawer{
		Dst: r.img, Src: image.NewUniform(r.color(s.ink, 1)), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(s.points[0].y * r.scale * 64)},
	}
	d.DrawString(s.text)
	return nil
}

// outline makes areas of a stroke: a box for each piece of a dash, all wound the
// same way round, so that where they overlap they stay one.
func outline(pts []point, width float64, dash []float64) [][]point {
	var out [][]point
	on, left, k := true, math.Inf(1), 0
	if len(dash) > 0 {
		left = dash[0]
	}
	for i := 1; i < len(pts); i++ {
		a, b := pts[i-1], pts[i]
		for {
			dx, dy := b.x-a.x, b.y-a.y
			length := math.Hypot(dx, dy)
			if length == 0 {
				break
			}
			end, rest := b, length <= left
			if !rest {
				end = point{a.x + dx*left/length, a.y + dy*left/length}
			}
			if on {
				out = append(out, box(a, end, width))
			}
			if rest {
				left -= length
				break
			}
			a, on, k = end, !on, (k+1)%len(dash)
			left = dash[k]
		}
	}
	return out
}

// box is a line from a to b, a little longer than it is, so that bends are closed.
func box(a, b point, width float64) []point {
	dx, dy := b.x-a.x, b.y-a.y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return nil
	}
	ux, uy := dx/n, dy/n
	e, h := width*0.3, width/2
	a, b = point{a.x - ux*e, a.y - uy*e}, point{b.x + ux*e, b.y + uy*e}
	return []point{{a.x - uy*h, a.y + ux*h}, {b.x - uy*h, b.y + ux*h}, {b.x + uy*h, b.y - ux*h}, {a.x + uy*h, a.y - ux*h}}
}
