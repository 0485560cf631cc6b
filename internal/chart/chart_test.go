package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// sample is a chart of n points an hour apart.
func sample(kind Kind, n int) Chart {
	c := Chart{Title: "Crawl rate of <shop> & \"co\"", Desc: "a description", Kind: kind, Unit: "requests an hour"}
	a, b := Series{Name: "all requests"}, Series{Name: "for robots.txt"}
	for i := range n {
		c.Times = append(c.Times, t0.Add(time.Duration(i)*time.Hour))
		a.Values, b.Values = append(a.Values, 100+50*math.Sin(float64(i)/20)), append(b.Values, float64(i%7))
	}
	c.Series = []Series{a, b}
	c.Spans = []Span{{c.Times[n/3], c.Times[n/2], "503 for all pages"}}
	c.Thresholds = []Threshold{{120, "before"}}
	return c
}

func svgOf(t *testing.T, c Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSVGIsWellFormed parses it as XML and looks for what must not be there.
func TestSVGIsWellFormed(t *testing.T) {
	for _, kind := range []Kind{Lines, Areas, Bars} {
		src := svgOf(t, sample(kind, 200))
		d := xml.NewDecoder(strings.NewReader(src))
		names := map[string]int{}
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("kind %d: %v", kind, err)
			}
			if e, ok := tok.(xml.StartElement); ok {
				names[e.Name.Local]++
				for _, a := range e.Attr {
					if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
						t.Errorf("attribute %s", a.Name.Local)
					}
				}
			}
		}
		if names["script"]+names["image"]+names["foreignObject"] > 0 || names["title"] != 1 || names["desc"] != 1 {
			t.Errorf("kind %d: elements %v", kind, names)
		}
		for _, want := range []string{`role="img"`, "currentColor", "var(--chart-0,", "prefers-color-scheme:dark", "&lt;shop&gt; &amp; &quot;co&quot;"} {
			if !strings.Contains(src, want) {
				t.Errorf("kind %d: no %s", kind, want)
			}
		}
	}
}

// TestTextHasRoom lays charts out for a telephone and a desktop: no text leaves the
// drawing, and no two texts on one line overlap.
func TestTextHasRoom(t *testing.T) {
	for _, width := range []int{240, 390, 960, 1280} {
		for _, n := range []int{2, 30, 900, 9000} {
			for _, elapsed := range []bool{true, false} {
				c := sample(Lines, n)
				c.Width, c.Elapsed = width, elapsed
				checkTexts(t, &c)
			}
		}
	}
}

func checkTexts(t *testing.T, c *Chart) {
	t.Helper()
	d, f, err := c.draw()
	if err != nil {
		t.Fatal(err)
	}
	type box struct {
		x0, x1, y float64
		text      string
	}
	var boxes []box
	for _, s := range d.shapes {
		if s.text == "" {
			continue
		}
		if s.size < 12 {
			t.Errorf("%d px wide: %q is %g px small", c.Width, s.text, s.size)
		}
		w := f.width(s.text, s.size, s.bold)
		b := box{s.points[0].x, s.points[0].x + w, s.points[0].y, s.text}
		if s.anchor == anchorEnd {
			b.x0, b.x1 = b.x0-w, b.x0
		}
		if b.x0 < 0 || b.x1 > d.w+0.5 || b.y < 0 || b.y > d.h {
			t.Errorf("%d px wide, %d points: %q leaves the drawing (%.0f to %.0f)", c.Width, len(c.Times), s.text, b.x0, b.x1)
		}
		for _, o := range boxes {
			if math.Abs(o.y-b.y) < 9 && b.x0 < o.x1-0.5 && o.x0 < b.x1-0.5 {
				t.Errorf("%d px wide, %d points: %q lies on %q", c.Width, len(c.Times), s.text, o.text)
			}
		}
		boxes = append(boxes, b)
	}
}

func TestPNGIsThePicture(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, kind := range []Kind{Lines, Areas, Bars} {
			c := sample(kind, 300)
			c.Width, c.Dark = 390, dark
			var b bytes.Buffer
			if err := c.PNG(&b, 2); err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			if s := img.Bounds().Size(); s.X != 780 || s.Y != 640 {
				t.Errorf("%v", s)
			}
			colors := map[[3]uint32]int{}
			for y := 0; y < 640; y += 4 {
				for x := range 780 {
					r, g, bl, _ := img.At(x, y).RGBA()
					colors[[3]uint32{r >> 8, g >> 8, bl >> 8}]++
				}
			}
			ground := [3]uint32{255, 255, 255}
			if dark {
				ground = [3]uint32{0x0d, 0x11, 0x17}
			}
			if len(colors) < 50 || colors[ground] < 10_000 {
				t.Errorf("kind %d, dark %v: %d colours, %d pixels of ground", kind, dark, len(colors), colors[ground])
			}
		}
	}
}

// TestPNGStandsWhereTheSVGDoes looks for an area in the picture at the place where it
// is laid out.
func TestPNGStandsWhereTheSVGDoes(t *testing.T) {
	c := sample(Areas, 50)
	c.Spans, c.Thresholds, c.Series = nil, nil, c.Series[:1]
	for i := range c.Series[0].Values {
		c.Series[0].Values[i] = 50
		if i < 25 {
			c.Series[0].Values[i] = 0
		}
	}
	var b bytes.Buffer
	if err := c.PNG(&b, 2); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	blue := func(x, y int) bool {
		r, _, bl, _ := img.At(x, y).RGBA()
		return bl>>8 > 0x80 && r>>8 < 0x60
	}
	d, _, err := c.draw()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(d.shapes, func(s shape) bool { return s.fill && s.ink == 0 && len(s.points) > 50 })
	edge := d.shapes[i].points[25] // where it begins, at its full height
	x, y := int(2*edge.x), int(2*edge.y)+8
	if !blue(x+6, y) || blue(x-10, y) || blue(x+6, y-16) {
		t.Errorf("the area is not where it belongs: its edge is laid out at %+v", edge)
	}
}

// Peaks are not lost when there are more points than pixels.
func TestPeaksSurvive(t *testing.T) {
	c := sample(Lines, 50_000)
	c.Series[0].Values[31_234] = 999
	d, _, err := c.draw()
	if err != nil {
		t.Fatal(err)
	}
	top, points := math.Inf(1), 0
	for _, s := range d.shapes {
		if s.text == "" && !s.fill && s.ink == 0 && len(s.points) > 2 {
			points += len(s.points)
			for _, p := range s.points {
				top = min(top, p.y)
			}
		}
	}
	if points > 3*960 || points < 900 {
		t.Errorf("%d points are drawn over 960 pixels", points)
	}
	var highest float64
	for _, s := range d.shapes {
		if s.text == "1 k" {
			highest = s.points[0].y - 4
		}
	}
	if highest == 0 || math.Abs(top-highest) > 3 {
		t.Errorf("the peak of 999 is drawn at %.1f, 1 k at %.1f", top, highest)
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for name, spoil := range map[string]func(*Chart){
		"no points":     func(c *Chart) { c.Times = nil },
		"no series":     func(c *Chart) { c.Series = nil },
		"other lengths": func(c *Chart) { c.Series[1].Values = c.Series[1].Values[1:] },
		"order":         func(c *Chart) { c.Times[3] = t0.Add(-time.Hour) },
		"width":         func(c *Chart) { c.Width = 10 },
		"series":        func(c *Chart) { c.Series = make([]Series, MaxSeries+1) },
	} {
		c := sample(Lines, 20)
		spoil(&c)
		if err := c.SVG(io.Discard); !errors.Is(err, ErrChart) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.PNG(io.Discard, 0); !errors.Is(err, ErrChart) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := sample(Lines, 20)
	for _, scale := range []float64{-1, 100, math.NaN()} {
		if err := c.PNG(io.Discard, scale); !errors.Is(err, ErrChart) {
			t.Errorf("scale %g: %v", scale, err)
		}
	}
}

func TestAxes(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.05: "0.05", 0.002: "0.002", 2.5: "2.5", 999: "999", 1000: "1 k", 1234: "1.23 k", 2.5e6: "2.5 M", 3e9: "3 G", -5: "−5"} {
		if got := SI(v); got != want {
			t.Errorf("SI(%g) = %q, want %q", v, got, want)
		}
	}
	if SI(math.NaN()) != "–" {
		t.Error("NaN has a text")
	}
	for v, want := range map[float64]float64{0: 1, 1: 1, 61: 80, 99: 100, 0.26: 0.3} {
		if top, _ := niceTop(v, 4); math.Abs(top-want) > 1e-9 {
			t.Errorf("the axis for %g ends at %g, want %g", v, top, want)
		}
	}
	for _, tc := range []struct {
		span    time.Duration
		elapsed bool
		want    string
	}{
		{24 * time.Hour, true, "0 6 h 12 h 18 h 24 h"},
		{10 * 24 * time.Hour, true, "0 7 d"},
		{24 * time.Hour, false, "1 Jan 06:00 12:00 18:00 2 Jan"},
		{400 * 24 * time.Hour, false, "Jan 2026 Apr 2026 Jul 2026 Oct 2026 Jan 2027"},
		{50 * time.Minute, true, "0 15 min 30 min 45 min"},
	} {
		var got []string
		for _, k := range timeTicks(t0, t0.Add(tc.span), 5, tc.elapsed) {
			got = append(got, k.label)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", tc.span, got, tc.want)
		}
	}
}

// TestAnyValuesAreDrawn: whatever the values, the chart is whole, its ticks are
// bounded, and nothing is drawn beside the plot.
func TestAnyValuesAreDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "points")
		c := Chart{Title: rapid.String().Draw(t, "title"), Kind: Kind(rapid.IntRange(0, 2).Draw(t, "kind")), Elapsed: rapid.Bool().Draw(t, "elapsed"), Width: rapid.IntRange(240, 700).Draw(t, "width")}
		at := t0
		for range n {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(3e7*time.Second)).Draw(t, "step")))
			c.Times = append(c.Times, at)
		}
		for range rapid.IntRange(1, 4).Draw(t, "series") {
			v := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1e12, 1e12), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 5e-324, 1e300})), n, n).Draw(t, "values")
			c.Series = append(c.Series, Series{Name: rapid.String().Draw(t, "name"), Values: v})
		}
		d, _, err := c.draw()
		if err != nil {
			t.Fatal(err)
		}
		if len(d.shapes) > 5000 {
			t.Fatalf("%d shapes", len(d.shapes))
		}
		for _, s := range d.shapes {
			for _, p := range s.points {
				if math.IsNaN(p.x) || math.IsNaN(p.y) || p.x < -1 || p.x > d.w+1 || p.y < -1 || p.y > d.h+30 {
					t.Fatalf("%+v is drawn at %+v", s, p)
				}
			}
		}
		var b bytes.Buffer
		if err := c.SVG(&b); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
			t.Fatalf("not XML: %v", err)
		}
	})
}
