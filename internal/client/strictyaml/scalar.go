package strictyaml

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Text reads text of at most most bytes.
func (v Value) Text(most int) (string, bool) {
	if v.node.kind != kindText {
		v.wrong(kindText)
		return "", false
	}
	if len(v.node.text) > most {
		v.Fail("has %d bytes, at most %d are allowed", len(v.node.text), most)
		return "", false
	}
	return v.node.text, true
}

// OneOf reads one of the given names.
func (v Value) OneOf(names ...string) (string, bool) {
	s, ok := v.Text(1000)
	if !ok {
		return "", false
	}
	for _, n := range names {
		if s == n {
			return s, true
		}
	}
	v.FailNear(Nearest(s, names), "%s is none of %s", quote(s), strings.Join(names, ", "))
	return "", false
}

// Bool reads true or false.
func (v Value) Bool() (value, ok bool) {
	if v.node.kind != kindBool {
		v.wrong(kindBool)
		return false, false
	}
	return strings.EqualFold(v.node.text, "true"), true
}

// Int reads a whole number from low to high.
func (v Value) Int(low, high int64) (int64, bool) {
	if v.node.kind != kindInt {
		v.wrong(kindInt)
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(v.node.text, "_", ""), 0, 64)
	if err != nil || n < low || n > high {
		v.Fail("%s is out of range: %d to %d", shorten(v.node.text), low, high)
		return 0, false
	}
	return n, true
}

// Number reads a number from low to high.
func (v Value) Number(low, high float64) (float64, bool) {
	if v.node.kind != kindInt && v.node.kind != kindFloat {
		v.wrong(kindFloat)
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(v.node.text, "_", ""), 64)
	if err != nil || math.IsNaN(f) || f < low || f > high {
		v.Fail("%s is out of range: %g to %g", shorten(v.node.text), low, high)
		return 0, false
	}
	return f, true
}

// Duration reads a duration with its unit ("30s", "2m", "36h", "14d") from low
// to high; d is 24 hours.
func (v Value) Duration(low, high time.Duration) (time.Duration, bool) {
	if v.node.kind == kindInt || v.node.kind == kindFloat {
		v.FailNear(shorten(v.node.text)+"s", "a duration needs a unit (ms, s, m, h, d)")
		return 0, false
	}
	s, ok := v.Text(100)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	if days, isDays := strings.CutSuffix(s, "d"); err != nil && isDays {
		var n int64
		if n, err = strconv.ParseInt(days, 10, 16); err == nil {
			d = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil {
		v.Fail("%s is not a duration: write a number and a unit, for example 30s, 2m, 36h, 14d", quote(s))
		return 0, false
	}
	if d < low || d > high {
		v.Fail("%s is out of range: %s to %s", s, low, high)
		return 0, false
	}
	return d, true
}

// Bytes reads a number of bytes, plain or with a unit ("2MB", "64 KiB"), from
// low to high. KB, MB and GB mean the same as KiB, MiB and GiB: powers of 1,024
// (house choice, the same as for byte limits, B4).
func (v Value) Bytes(low, high int64) (int64, bool) {
	if v.node.kind != kindInt && v.node.kind != kindText {
		v.wrong(kindText)
		return 0, false
	}
	number, unit := strings.TrimSpace(v.node.text), int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 1 << 40}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(number, "_", ""), 10, 64)
	if err != nil {
		v.Fail("%s is not a number of bytes: write a whole number and a unit (B, KiB, MiB, GiB), for example 10MiB", quote(v.node.text))
		return 0, false
	}
	if n < 0 || n > math.MaxInt64/unit || n*unit < low || n*unit > high {
		v.Fail("%s is out of range: %d to %d bytes", shorten(v.node.text), low, high)
		return 0, false
	}
	return n * unit, true
}
