// Package chart draws time series on the server: as SVG for pages and files, and
// as PNG of the same drawing. Lines, stacked areas and bars, with spans of time
// shaded, thresholds dotted, a legend, and axes in time and SI units.
//
// It decides where things stand and how they look; it does not decide what is
// shown, and it reads no clock. A chart is laid out for the width that it is asked
// for, with text of the same size: a page that is read on a telephone asks for a
// narrow one, and does not shrink a wide one.
//
// Invariants: the SVG holds no script, loads nothing and escapes every text; it
// takes its ink from the page (currentColor) and its colours from CSS variables
// with fallbacks, dark ones where the reader prefers them; series differ by dash or
// pattern of order as well as by colour; title and description are there for
// screen readers. Values that are no numbers are gaps. Time and memory are bounded
// by the points that are given, and the points drawn by the width.
//
// Sources: WAI-ARIA Graphics and SVG 2 (title, desc, role=img); the palette of
// Okabe and Ito for colour blindness; sizes are house choices.
package chart

import (
	"errors"
	"fmt"
	"time"
)

// Kind is how series are drawn.
type Kind uint8

// The kinds.
const (
	Lines Kind = iota
	Areas      // stacked, in the order of the series, the first at the bottom
	Bars       // stacked likewise
)

// Series is one row of values, one for each of the chart's times. NaN is a gap.
type Series struct {
	Name   string
	Values []float64
}

// Span is a stretch of time that is shaded.
type Span struct {
	From, To time.Time
	Label    string
}

// Threshold is a dotted line across.
type Threshold struct {
	Value float64
	Label string
}

// Chart is what is to be drawn.
type Chart struct {
	Title      string
	Desc       string // for those who do not see it: what it shows, in a sentence
	Kind       Kind
	Unit       string // of the values, shown above the axis
	Times      []time.Time
	Series     []Series
	Spans      []Span
	Thresholds []Threshold
	Elapsed    bool // ticks say how long after the first time
	Width      int  // pixels, 240 to 4000; 0 = 960
	Height     int  // pixels, 120 to 4000; 0 = 320
	Dark       bool // PNG only, which cannot ask its reader
}

// The bounds of a chart (house choices).
const (
	MaxSeries = 12
	MaxPoints = 200_000
)

// ErrChart is the class of errors for charts that cannot be drawn.
var ErrChart = errors.New("chart cannot be drawn")

func (c *Chart) check() error {
	switch {
	case len(c.Times) == 0 || len(c.Series) == 0:
		return fmt.Errorf("%w: %q has no points", ErrChart, c.Title)
	case len(c.Series) > MaxSeries || len(c.Times) > MaxPoints:
		return fmt.Errorf("%w: %q has %d series of %d points, at most %d of %d are drawn", ErrChart, c.Title, len(c.Series), len(c.Times), MaxSeries, MaxPoints)
	case c.Width != 0 && (c.Width < 240 || c.Width > 4000) || c.Height != 0 && (c.Height < 120 || c.Height > 4000):
		return fmt.Errorf("%w: %d × %d pixels are not from 240 × 120 to 4000 × 4000", ErrChart, c.Width, c.Height)
	}
	for _, s := range c.Series {
		if len(s.Values) != len(c.Times) {
			return fmt.Errorf("%w: the series %q has %d values for %d times", ErrChart, s.Name, len(s.Values), len(c.Times))
		}
	}
	for i := 1; i < len(c.Times); i++ {
		if c.Times[i].Before(c.Times[i-1]) {
			return fmt.Errorf("%w: the times of %q are not in order", ErrChart, c.Title)
		}
	}
	return nil
}

// at returns a copy in the given width and the default height where none is set.
func (c *Chart) size() (w, h int) {
	w, h = c.Width, c.Height
	if w == 0 {
		w = 960
	}
	if h == 0 {
		h = 320
	}
	return w, h
}
