package client

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

var crawledAt = time.Date(2026, 3, 5, 8, 9, 10, 999, time.FixedZone("", 3600))

const crawledText = "Thu, 05 Mar 2026 07:09:10 GMT"

const lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"

func visit(etag, modified string, change ...func(*crawl.Visit)) *crawl.Visit {
	v := &crawl.Visit{Status: 200, LastCrawl: crawledAt, ETag: etag, LastModified: modified}
	for _, f := range change {
		f(v)
	}
	return v
}

func status(n int) func(*crawl.Visit) { return func(v *crawl.Visit) { v.Status = n } }

func failed(v *crawl.Visit) { v.Failure = crawl.FailIncomplete }

func TestConditional(t *testing.T) {
	for _, row := range []struct {
		name        string
		v           *crawl.Visit
		none, since string
	}{
		{"G1/ETag", visit(`"abc"`, ""), `"abc"`, ""},
		{"G1/weak ETag", visit(`W/"abc"`, ""), `W/"abc"`, ""},
		{"G1/both: ETag decides", visit(`"abc"`, lastModified), `"abc"`, ""},
		{"G1/tag that Apache altered", visit(`"6b-60-gzip"`, ""), `"6b-60-gzip", "6b-60"`, ""},
		{"G1/tag that Apache altered, br", visit(`W/"6b-60-br"`, ""), `W/"6b-60-br", W/"6b-60"`, ""},
		{"G1/nothing but the suffix", visit(`"-gzip"`, ""), `"-gzip"`, ""},
		{"G1/suffix without quotes", visit(`a-gzip`, ""), `a-gzip`, ""},
		{"G1/Last-Modified", visit("", lastModified), "", crawledText},
		{"G1/neither", visit("", ""), "", ""},
		{"G1/case32 unquoted ETag as it came", visit("abc-1", lastModified), "abc-1", ""},
		{"G1/case32 ETag with line break falls back", visit("\"a\r\nX: y\"", lastModified), "", crawledText},
		{"G1/star would match everything", visit("*", lastModified), "", crawledText},
		{"G1/list in unquoted tag", visit("a,*", ""), "", ""},
		{"G1/quote inside", visit(`"a"b"`, ""), "", ""},
		{"G1/bare W/", visit(`W/`, ""), "", ""},
		{"G1/empty tag is a tag", visit(`""`, ""), `""`, ""},
		{"G1/after 304", visit(`"abc"`, "", status(304)), `"abc"`, ""},
		{"G1/after 503 the copy stands", visit(`"abc"`, lastModified, status(503)), `"abc"`, ""},
		{"G1/after 429 the copy stands", visit(`"abc"`, lastModified, status(429)), `"abc"`, ""},
		{"G1/after 404 nothing stands", visit(`"abc"`, lastModified, status(404)), "", ""},
		{"G1/after a redirect nothing stands", visit(`"abc"`, lastModified, status(301)), "", ""},
		{"G1/case19 incomplete copy", visit(`"abc"`, lastModified, failed), "", ""},
		{"G2/time of the last crawl, in GMT", visit("", lastModified), "", crawledText},
		{"G2/case32 local time", visit("", "Sun, 06 Nov 1994 08:49:37 +0100"), "", ""},
		{"G2/case32 zone name", visit("", "Sun, 06 Nov 1994 08:49:37 CET"), "", ""},
		{"G2/garbage", visit("", "yesterday"), "", ""},
		{"G2/impossible day", visit("", "Wed, 30 Feb 2022 08:49:37 GMT"), "", ""},
		{"G2/wrong weekday", visit("", "Mon, 06 Nov 1994 08:49:37 GMT"), "", ""},
		{"G2/RFC 850", visit("", "Sunday, 06-Nov-94 08:49:37 GMT"), "", crawledText},
		{"G2/asctime", visit("", "Sun Nov  6 08:49:37 1994"), "", crawledText},
		{"G2/one digit, as documented", visit("", "Fri, 4 Sep 1998 19:15:56 GMT"), "", crawledText},
		{"G2/never crawled", visit("", lastModified, func(v *crawl.Visit) { v.LastCrawl = time.Time{} }), "", ""},
		{"G2/after a failed attempt its time is not the copy's", visit("", lastModified, status(503)), "", ""},
		{"G2/after no answer", visit("", lastModified, status(0)), "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			none, since := Conditional(ConditionalAlways, 0, crawl.PurposeRefresh, row.v, 0.9)
			if none != row.none || since != row.since {
				t.Errorf("If-None-Match %q, If-Modified-Since %q; want %q, %q", none, since, row.none, row.since)
			}
		})
	}
}

func TestG4ClientAndPurpose(t *testing.T) {
	v := visit(`"abc"`, lastModified)
	for _, row := range []struct {
		name    string
		use     ConditionalUse
		share   float64
		purpose crawl.Purpose
		v       *crawl.Visit
		pick    float64
		want    string
	}{
		{"always", ConditionalAlways, 0, crawl.PurposeRefresh, v, 0.99, `"abc"`},
		{"never", ConditionalNever, 1, crawl.PurposeRefresh, v, 0, ""},
		{"sometimes, picked", ConditionalSometimes, 0.25, crawl.PurposeRefresh, v, 0.24, `"abc"`},
		{"sometimes, not picked", ConditionalSometimes, 0.25, crawl.PurposeRefresh, v, 0.25, ""},
		{"sometimes, share 0", ConditionalSometimes, 0, crawl.PurposeRefresh, v, 0, ""},
		{"discovery", ConditionalAlways, 1, crawl.PurposeDiscovery, v, 0, ""},
		{"no purpose", ConditionalAlways, 1, crawl.PurposeNone, v, 0, ""},
		{"nothing known", ConditionalAlways, 1, crawl.PurposeRefresh, nil, 0, ""},
		{"unset use", "", 1, crawl.PurposeRefresh, v, 0, ""},
	} {
		t.Run("G4/"+row.name, func(t *testing.T) {
			if got, _ := Conditional(row.use, row.share, row.purpose, row.v, row.pick); got != row.want {
				t.Errorf("If-None-Match %q, want %q", got, row.want)
			}
		})
	}
	c := builtin(t)
	count := func(id string) (n int) {
		for i := range 100 {
			if get(t, c, id).Request("http://a/", Identity{}, crawl.PurposeRefresh, v, float64(i)/100).IfNoneMatch != "" {
				n++
			}
		}
		return n
	}
	bot, ads, store, inspect := count("googlebot-smartphone"), count("adsbot"), count("storebot"), count("google-inspection-tool-desktop")
	if !(ads > bot && bot > store && store > 0 && inspect == 0 && bot < 100) {
		t.Errorf("G4: of 100 recrawls AdsBot %d, Googlebot %d, StoreBot %d, inspection %d are conditional", ads, bot, store, inspect)
	}
}

// Whatever was stored: at most one field is sent, and it is safe in a header.
func TestG1AtMostOneField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := visit(rapid.String().Draw(t, "etag"), rapid.SampledFrom([]string{"", lastModified, "x"}).Draw(t, "modified"))
		v.Status = rapid.SampledFrom([]int{0, 200, 206, 301, 304, 404, 429, 500}).Draw(t, "status")
		none, since := Conditional(ConditionalAlways, 1, crawl.PurposeRefresh, v, 0)
		if none != "" && since != "" {
			t.Fatalf("both sent: %q, %q", none, since)
		}
		for _, c := range []byte(none + since) {
			if c < ' ' || c == 0x7f {
				t.Fatalf("unsafe %q", none+since)
			}
		}
	})
}

func BenchmarkRequest(b *testing.B) {
	c, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	p, _ := c.Get(DefaultID)
	id, v := Identity{"1.0", "https://example.org/bot"}, visit(`"abc"`, lastModified)
	b.ReportAllocs()
	for b.Loop() {
		if p.Request("https://example.com/a", id, crawl.PurposeRefresh, v, 0.5) == nil {
			b.Fatal("no request")
		}
	}
}

func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		if _, err := Builtin(); err != nil {
			b.Fatal(err)
		}
	}
}
