package sim

import (
	"strings"
	"time"
)

// on reports whether the fault is there at a time since the start.
func (f *Fault) on(at time.Duration) bool {
	return at >= f.From && (f.For == 0 || at-f.From < f.For)
}

// end is when the fault is over, since the start; false = never.
func (f *Fault) end() (time.Duration, bool) { return f.From + f.For, f.For > 0 }

// hits reports whether the fault concerns a path of a site.
func (f *Fault) hits(s *site, path string) bool {
	robots := path == robotsPath
	switch f.Target {
	case TargetPages:
		if robots {
			return false
		}
	case TargetRobots:
		if !robots {
			return false
		}
	case TargetHome:
		if path != "/" {
			return false
		}
	}
	if len(f.Paths) > 0 {
		hit := false
		for _, p := range f.Paths {
			hit = hit || strings.HasPrefix(path, p)
		}
		if !hit {
			return false
		}
	}
	return f.Share == 0 || f.Share == 1 || unit(hashPath(s.seed, path)) < f.Share
}

// trouble is what the faults of a site make of a request.
type trouble struct {
	slow    float64
	optOut  bool
	decides *Fault // about the answer; nil = none
}

// trouble returns what the faults that are on at a time do to a path.
func (s *site) trouble(path string, at time.Duration) trouble {
	t := trouble{slow: 1}
	for _, f := range s.faults {
		if !f.on(at) || !f.hits(s, path) {
			continue
		}
		switch {
		case f.Slow > 0:
			t.slow *= f.Slow
		case f.OptOut:
			t.optOut = true
		case f.RobotsFile != nil && path != robotsPath, (f.ErrorText || f.Soft404 || f.MoveTo != "") && path == robotsPath:
			// Says nothing about this path.
		default:
			t.decides = f
		}
	}
	return t
}

func hashPath(seed uint64, path string) uint64 {
	x := seed
	for i := 0; i < len(path); i++ {
		x = (x ^ uint64(path[i])) * 1099511628211
	}
	return mix(x, 1)
}
