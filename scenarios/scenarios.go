// Package scenarios is the library of scenarios that comes with the program: one
// YAML file each in this directory, built into the binary, so that
// `trawl simulate outage-503-6h` works by name.
//
// It decides nothing: a scenario of the library is read as any other file is. Each
// one has a page in docs/scenarios, which says what it is, what is seen, why, and
// what to do; a test plays them all and holds the figures of the pages true.
//
// Invariants: every file of the library is valid and has a title, the behaviour
// rows that it shows, and a page. Its sources are the rows that each file names.
package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"trawl/internal/client/strictyaml"
	"trawl/internal/scenario"
)

//go:embed *.yaml
var files embed.FS

// Names returns the names of the scenarios, sorted.
func Names() []string {
	list, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil // the pattern is right
	}
	for i := range list {
		list[i] = strings.TrimSuffix(list[i], ".yaml")
	}
	slices.Sort(list)
	return list
}

// Source returns the YAML of a scenario, false if there is none of that name.
func Source(name string) (string, bool) {
	b, err := files.ReadFile(name + ".yaml")
	return string(b), err == nil
}

// Nearest returns the name that is closest to a mistyped one, "" if none is near.
func Nearest(name string) string { return strictyaml.Nearest(name, Names()) }

// Load reads a scenario.
func Load(name string) (*scenario.File, error) {
	src, ok := Source(name)
	if !ok {
		return nil, fmt.Errorf("the library has no scenario %q", name)
	}
	f, err := scenario.Parse(name+".yaml", []byte(src))
	if err != nil {
		return nil, err
	}
	f.Run.Name = name
	return f, nil
}
