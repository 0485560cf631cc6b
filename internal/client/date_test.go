package client

import (
	"strings"
	"testing"
	"time"
)

// FuzzParseHTTPDate: what counts as well-formed is a moment whose own form is
// well-formed, too, and the same moment (G2).
func FuzzParseHTTPDate(f *testing.F) {
	for _, s := range []string{
		lastModified, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Fri, 4 Sep 1998 19:15:56 GMT", "Sun, 06 Nov 1994 08:49:37 +0100",
		"Mon, 06 Nov 1994 08:49:37 GMT", "Wed, 30 Feb 2022 08:49:37 GMT", "Sat, 31 Dec 2016 23:59:60 GMT", "Thu, 01 Jan 0000 00:00:00 GMT", "sun, 06 nov 1994 08:49:37 gmt",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := ParseHTTPDate(s)
		if !ok {
			return
		}
		if at.Location() != time.UTC || at.Nanosecond() != 0 {
			t.Fatalf("%q: %v", s, at)
		}
		if again, ok := ParseHTTPDate(at.Format(imfFixdate)); !ok || !again.Equal(at) {
			t.Fatalf("%q: %v, which reads back as %v, %v", s, at, again, ok)
		}
		if strings.ContainsAny(s, "+\x00\n") {
			t.Fatalf("%q is well-formed", s)
		}
	})
}
