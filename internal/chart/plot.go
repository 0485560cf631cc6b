package chart

import "math"

// grid draws the value axis.
func (l *layout) grid() {
	for v := 0.0; v <= l.max+l.step/2; v += l.step {
		y := l.y(v)
		l.line(inkGrid, 1, nil, point{l.left, y}, point{l.right, y})
		l.label(l.left-6, y+4, textSize, inkMuted, anchorEnd, SI(v))
	}
}

// spans shades stretches of time, and names them where there is room.
func (l *layout) spans() {
	end := l.left - 1
	for _, s := range l.c.Spans {
		if s.To.Before(l.from) || s.From.After(l.to) {
			continue
		}
		x0, x1 := l.x(s.From), l.x(s.To)
		l.rect(inkSpan, 0.13, x0, l.top, max(x1, x0+1), l.bottom)
		if x := max(x0+4, end+6); s.Label != "" && x < l.right-30 {
			text := l.f.fit(s.Label, textSize, false, l.right-x)
			l.label(x, l.top+13, textSize, inkMuted, anchorStart, text)
			end = x + l.f.width(text, textSize, false)
		}
	}
}

func (l *layout) thresholds() {
	for _, t := range l.c.Thresholds {
		if !(t.Value >= 0) || math.IsInf(t.Value, 0) {
			continue
		}
		y := l.y(t.Value)
		l.line(inkText, 1.5, []float64{2, 4}, point{l.left, y}, point{l.right, y})
		l.label(l.right, max(y-5, l.top+10), textSize, inkText, anchorEnd, l.f.fit(t.Label, textSize, false, l.right-l.left))
	}
}

// timeAxis draws the ticks of the time axis, as many as have room.
func (l *layout) timeAxis() {
	l.line(inkMuted, 1, nil, point{l.left, l.bottom}, point{l.right, l.bottom})
	widest := max(l.f.width("00:00", textSize, false), l.f.width("30 Sep", textSize, false)) + 16
	list := timeTicks(l.from, l.to, int((l.right-l.left)/widest), l.c.Elapsed)
	end := math.Inf(-1)
	for _, t := range list {
		x, wide := l.x(t.at), l.f.width(t.label, textSize, false)
		l.line(inkMuted, 1, nil, point{x, l.bottom}, point{x, l.bottom + 4})
		at := min(max(x-wide/2, 2), l.w-2-wide)
		if at < end+8 {
			continue
		}
		end = at + wide
		l.label(at, l.bottom+17, textSize, inkMuted, anchorStart, t.label)
	}
}

// lines draws each series as strokes, broken at gaps.
func (l *layout) lines() {
	for k := range l.c.Series {
		var run []point
		flush := func() {
			switch len(run) {
			case 0:
			case 1: // a point alone would not be seen
				l.rect(ink(k), 1, run[0].x-1.5, run[0].y-1.5, run[0].x+1.5, run[0].y+1.5)
			default:
				l.line(ink(k), 2, dashes(k), run...)
			}
			run = nil
		}
		for _, col := range l.cols {
			v := col.values[k]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				flush()
				continue
			}
			run = append(run, point{l.x(col.at), l.y(v)})
		}
		flush()
	}
}

// stack calls draw for each series with the sums below it and with it.
func (l *layout) stack(draw func(k int, low, high []float64)) {
	low := make([]float64, len(l.cols))
	for k := range l.c.Series {
		high := make([]float64, len(l.cols))
		for i, col := range l.cols {
			high[i] = low[i]
			if v := col.values[k]; v > 0 && !math.IsInf(v, 0) {
				high[i] += v
			}
		}
		draw(k, low, high)
		low = high
	}
}

func (l *layout) areas(k int, low, high []float64) {
	pts := make([]point, 0, 2*len(high))
	some := false
	for i, v := range high {
		pts = append(pts, point{l.x(l.cols[i].at), l.y(v)})
		some = some || v > low[i]
	}
	for i := len(low) - 1; i >= 0; i-- {
		pts = append(pts, point{l.x(l.cols[i].at), l.y(low[i])})
	}
	if some {
		l.area(ink(k), 0.85, pts...)
	}
}

func (l *layout) bars(k int, low, high []float64) {
	wide := (l.right - l.left) / float64(max(len(l.cols), 1))
	for i, v := range high {
		if v <= low[i] {
			continue
		}
		// The first and the last bar stand at the ends of the axis: within it.
		x := l.left + wide*float64(i)
		l.rect(ink(k), 0.85, x+wide*0.1, l.y(v), x+wide*0.9, l.y(low[i]))
	}
}
