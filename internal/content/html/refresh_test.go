package html

import (
	"strings"
	"testing"
	"time"
)

// FuzzRefresh: whatever a Refresh header or a meta element says, the delay is
// within its bounds, and the target is a part of what was said.
func FuzzRefresh(f *testing.F) {
	for _, s := range []string{"0;url=/x", "5; URL = 'a b'", ".5", "99999999999999999999,x", "3 url", "\f0\n;\rurl=\"", "-1;url=x", "0;urlx", "1.2.3;'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, v string) {
		r, ok := ParseRefresh(v)
		if !ok {
			if r != (Refresh{}) {
				t.Fatalf("%q: %+v without saying so", v, r)
			}
			return
		}
		if r.Delay < 0 || r.Delay > (1<<30)*time.Second || r.Delay%time.Second != 0 {
			t.Fatalf("%q: delay %v", v, r.Delay)
		}
		if !strings.Contains(v, r.URL) || r.URL != strings.Trim(r.URL, "\t\n\f\r ") {
			t.Fatalf("%q: target %q", v, r.URL)
		}
	})
}
