package client

import (
	"strings"
	"time"

	"trawl/internal/crawl"
)

// maxETag bounds the entity tags that are sent back, in bytes (house choice).
const maxETag = 1 << 10

// Conditional decides the conditional header fields of one request: the values
// of If-None-Match and If-Modified-Since, "" for a field that is not sent.
//
// The entity tag decides: where there is a usable one, it is sent alone (G1).
// If-Modified-Since carries the time of the last crawl, and only where the
// server gave a well-formed Last-Modified (G2). Whether anything is sent depends
// on the client and the purpose: a discovery never asks conditionally, a client
// of use "sometimes" does when pick, in [0, 1), is below share (G4).
//
// House choices, so that a 304 never hides a change: nothing is sent when the
// stored copy is incomplete, or when the last answer was one after which no
// content stands (a redirect, 4xx other than 429); and no If-Modified-Since
// after a failed attempt, whose time is not that of the copy.
func Conditional(use ConditionalUse, share float64, purpose crawl.Purpose, v *crawl.Visit, pick float64) (ifNoneMatch, ifModifiedSince string) {
	if v == nil || purpose != crawl.PurposeRefresh {
		return "", ""
	}
	switch use {
	case ConditionalAlways:
	case ConditionalSometimes:
		if !(pick < share) {
			return "", ""
		}
	default:
		return "", ""
	}
	good := v.Status/100 == 2 || v.Status == 304
	if good && v.Failure != crawl.FailNone {
		return "", ""
	}
	if !good && v.Status/100 != 5 && v.Status != 429 && v.Status != 0 {
		return "", ""
	}
	if usableETag(v.ETag) {
		return withPlainTag(v.ETag), ""
	}
	if !good || v.LastCrawl.IsZero() {
		return "", ""
	}
	if _, ok := ParseHTTPDate(v.LastModified); !ok {
		return "", ""
	}
	return "", v.LastCrawl.UTC().Format(imfFixdate)
}

// withPlainTag adds to an entity tag that Apache has altered the one from before.
// Its mod_deflate and mod_brotli end the tag of what they pack on the way in
// "-gzip" or "-br", and compare If-None-Match with the tag from before: with the
// altered tag alone no page of such a server is ever not modified. The
// representation is the same but for its coding, which is undone here. House
// choice.
func withPlainTag(tag string) string {
	for _, suffix := range []string{`-gzip"`, `-br"`} {
		if plain, altered := strings.CutSuffix(tag, suffix); altered && strings.Count(plain, `"`) == 1 && !strings.HasSuffix(plain, `"`) {
			return tag + ", " + plain + `"`
		}
	}
	return tag
}

// usableETag reports whether a stored entity tag can be sent back as it is. A
// tag without quotes is sent as it came, since servers that leave them out
// compare it so, unless it would read as a list or as "*", which matches
// everything (RFC 9110 sections 8.8.3, 13.1.2).
func usableETag(tag string) bool {
	if tag == "" || len(tag) > maxETag {
		return false
	}
	opaque, weak := strings.CutPrefix(tag, "W/")
	if len(opaque) >= 2 && opaque[0] == '"' && opaque[len(opaque)-1] == '"' {
		for _, c := range []byte(opaque[1 : len(opaque)-1]) {
			if c <= ' ' || c == '"' || c == 0x7f {
				return false
			}
		}
		return true
	}
	if weak || tag == "*" {
		return false
	}
	return printable(tag) && !strings.ContainsAny(tag, " ,\"")
}

const imfFixdate = "Mon, 02 Jan 2006 15:04:05 GMT"

// ParseHTTPDate reads a date in one of the three forms of RFC 9110 section
// 5.6.7; a day of the month in one digit is taken too, since Google's
// documentation writes its example so. Anything else, among it other time
// zones and a wrong day of the week, is not well-formed (G2).
func ParseHTTPDate(s string) (time.Time, bool) {
	const longest = len("Wednesday, 09-Nov-94 08:49:37 GMT")
	if s == "" || len(s) > longest {
		return time.Time{}, false
	}
	for _, layout := range []string{imfFixdate, "Mon, 2 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", "Mon Jan _2 15:04:05 2006"} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		// time.Parse takes any day of the week; formatting shows the right one.
		return t.UTC(), strings.EqualFold(s[:3], t.Format("Mon"))
	}
	return time.Time{}, false
}
