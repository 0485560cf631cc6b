package scenario

import (
	"math"
	"reflect"
	"time"

	"trawl/internal/client/strictyaml"
)

// reader fills the values of package sim by the yaml names of their fields.
type reader struct {
	places map[string]strictyaml.Value // by the path of the field
}

// structure returns the fields of a struct.
func (r *reader) structure(to reflect.Value) []strictyaml.Field {
	t := to.Type()
	fields := make([]strictyaml.Field, 0, t.NumField())
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("yaml")
		if name == "" {
			continue
		}
		fields = append(fields, strictyaml.Field{Name: name, Read: func(v strictyaml.Value) { r.value(v, to.Field(i)) }})
	}
	return fields
}

// value reads one value of whatever type the field has. Ranges are package sim's
// to check, so only what has no such type is refused here.
func (r *reader) value(v strictyaml.Value, to reflect.Value) {
	r.places[v.Path()] = v
	switch to.Interface().(type) {
	case time.Duration:
		if d, ok := v.Duration(math.MinInt64, math.MaxInt64); ok {
			to.SetInt(int64(d))
		}
		return
	case time.Time:
		if t, ok := readTime(v); ok {
			to.Set(reflect.ValueOf(t))
		}
		return
	}
	switch to.Kind() {
	case reflect.String:
		if s, ok := v.Text(maxText); ok {
			to.SetString(s)
		}
	case reflect.Bool:
		if b, ok := v.Bool(); ok {
			to.SetBool(b)
		}
	case reflect.Int, reflect.Int64:
		if n, ok := v.Int(math.MinInt64, math.MaxInt64); ok {
			to.SetInt(n)
		}
	case reflect.Uint64:
		if n, ok := v.Int(0, math.MaxInt64); ok {
			to.SetUint(uint64(n))
		}
	case reflect.Float64:
		if f, ok := v.Number(-math.MaxFloat64, math.MaxFloat64); ok {
			to.SetFloat(f)
		}
	case reflect.Slice:
		v.Items(maxItems, func(_ int, item strictyaml.Value) {
			one := reflect.New(to.Type().Elem()).Elem()
			r.value(item, one)
			to.Set(reflect.Append(to, one))
		})
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		r.value(v, to.Elem())
	case reflect.Struct:
		v.Fields(r.structure(to))
	default:
		v.Fail("fields of the type %s cannot be read", to.Type())
	}
}

// readTime reads a day or a moment, in UTC unless it says otherwise.
func readTime(v strictyaml.Value) (time.Time, bool) {
	s, ok := v.Text(40)
	if !ok {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	v.Fail("%q is no time: write a day (2026-01-31) or a moment (2026-01-31T06:00:00Z)", s)
	return time.Time{}, false
}
