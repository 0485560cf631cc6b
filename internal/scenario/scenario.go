// Package scenario reads scenario files for the simulator: YAML whose fields are
// those of [sim.Scenario], with a title, a description and the behaviour rows
// that the scenario shows. It also makes a host of a scenario out of what a store
// knows of a real hostname ([FromStore]), and puts it into a scenario in place of
// the one that is there ([File.On]).
//
// It decides what a scenario file may say, and where it is wrong: every error
// names file, line and field, and the nearest valid name of a mistyped one. It
// does not decide what a scenario does, nor what may be simulated: that is
// sim.Scenario.Validate, whose findings are put to the lines that they concern.
//
// Invariants: no field is ignored; reading is bounded as package strictyaml is;
// the fields of a file and those of package sim are the same by construction,
// since they are read by their yaml names.
//
// Sources: behaviours E1 to E9, F1 to F13 for what is simulated; all of the file's
// form is a house choice.
package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"trawl/internal/client/strictyaml"
	"trawl/internal/sim"
)

// File is one scenario file.
type File struct {
	Title string       // one line for a list of scenarios
	About string       // what happens, and what to look at
	Rows  []string     // behaviour rows that it shows
	Run   sim.Scenario // what is simulated
}

// The bounds of what a file may say (house choices); package sim has those of
// what is simulated.
const (
	maxText  = 4096
	maxItems = 10_000
	maxRows  = 50
)

// Parse reads a scenario; name is the file's name in errors. The error is of type
// [strictyaml.Errors] and holds everything that is wrong.
func Parse(name string, data []byte) (*File, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f := &File{}
	r := reader{places: map[string]strictyaml.Value{"": doc.Root()}}
	fields := []strictyaml.Field{
		{Name: "title", Read: func(v strictyaml.Value) { f.Title = oneLine(v, 120) }},
		{Name: "about", Read: func(v strictyaml.Value) { f.About, _ = v.Text(maxText) }},
		{Name: "rows", Read: func(v strictyaml.Value) {
			v.Items(maxRows, func(_ int, item strictyaml.Value) {
				if id := oneLine(item, 4); id != "" {
					f.Rows = append(f.Rows, checkRow(item, id))
				}
			})
		}},
	}
	doc.Root().Fields(append(fields, r.structure(reflect.ValueOf(&f.Run).Elem())...))
	if err := doc.Err(); err != nil {
		return nil, err
	}
	r.place(f.Run.Validate())
	if f.Run.Interval == 0 {
		f.Run.Interval = interval(f.Run.Duration)
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// interval is that of a timeline of about two hundred points, on whole hours and
// days, where faults begin and end.
func interval(d time.Duration) time.Duration {
	const day = 24 * time.Hour
	for _, x := range []time.Duration{time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 5 * day} {
		if d/x <= 250 {
			return x
		}
	}
	return 10 * day
}

func oneLine(v strictyaml.Value, most int) string {
	s, ok := v.Text(most)
	if ok && (strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\r\n")) {
		v.Fail("it must be one line of text")
	}
	return s
}

// checkRow reports an id that has not the form of a behaviour row.
func checkRow(v strictyaml.Value, id string) string {
	if id[0] < 'A' || id[0] > 'M' || strings.Trim(id[1:], "0123456789") != "" || len(id) < 2 {
		v.Fail("%q is no behaviour row: those are named A1 to M17", id)
	}
	return id
}

// place puts what package sim finds wrong to the line of the field, or of the
// nearest thing around it that is in the file.
func (r *reader) place(err error) {
	var all []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	} else if err != nil {
		all = []error{err}
	}
	for _, e := range all {
		var fe *sim.FieldError
		if !errors.As(e, &fe) {
			root := r.places[""]
			root.Fail("%v", e)
			continue
		}
		v, exact := r.nearest(fe.Field)
		detail := fe.Detail
		if !exact {
			detail = fmt.Sprintf("%s: %s", fe.Field, fe.Detail)
		}
		v.FailNear(fe.Near, "%s", detail)
	}
}

// nearest is the value at a path, or the innermost one that encloses it.
func (r *reader) nearest(path string) (v strictyaml.Value, exact bool) {
	for p := path; p != ""; {
		if v, ok := r.places[p]; ok {
			return v, p == path
		}
		p = p[:max(strings.LastIndexAny(p, ".["), 0)]
	}
	return r.places[""], false
}
