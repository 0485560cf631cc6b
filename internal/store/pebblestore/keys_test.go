package pebblestore

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

func FuzzKeys(f *testing.F) {
	f.Add(appendURLKey(nil, spaceURL, "https://a.example/x"))
	f.Add(sums{1, -2, 3}.encode())
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = parseURLKey(b)
		_, _ = parseStatsKey(b)
		_, _ = parseSeq(b)
		_ = (&sums{}).add(b)
	})
}

// TestURLKeyOrder: keys of a host's URLs are in the order of the URLs, and give
// them back.
func TestURLKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) crawl.URL {
			parts := []string{"http", "https", "httpt", "ftp", "://", "a@", "a", "b", "\x00", "\xff", ":1", "/", "?"}
			n := rapid.SliceOfN(rapid.IntRange(0, len(parts)-1), 0, 6).Draw(t, "parts")
			var s strings.Builder
			for _, i := range n {
				s.WriteString(parts[i])
			}
			return crawl.URL(rapid.SampledFrom([]string{"", "http://a", "https://a", "http://x@a"}).Draw(t, "start") + s.String())
		})
		u, v := draw.Draw(t, "u"), draw.Draw(t, "v")
		k, l := appendURLKey(nil, spaceURL, u), appendURLKey(nil, spaceURL, v)
		if got, err := parseURLKey(k); err != nil || got != u {
			t.Fatalf("key of %q is read as %q, %v", u, got, err)
		}
		want := strings.Compare(string(u), string(v))
		if u.Host() != v.Host() {
			want = int(crawl.ShardOf(u.Host())) - int(crawl.ShardOf(v.Host()))
			if want == 0 {
				want = strings.Compare(string(u.Host()), string(v.Host()))
			}
		}
		if got := bytes.Compare(k, l); got*want < 0 || (got == 0) != (want == 0) {
			t.Fatalf("%q and %q compare as %d, their keys as %d", u, v, want, got)
		}
	})
}

func TestLowMarks(t *testing.T) {
	l := newLowMarks(2)
	p := []byte("p")
	gen := l.generation()
	l.set(gen, p, []byte("p5"))
	if from, empty := l.seek(p); string(from) != "p5" || empty {
		t.Errorf("mark %q %v", from, empty)
	}
	l.lower([]rangeKey{{[]byte("p7"), 1}, {[]byte("p3"), 1}, {[]byte("q1"), 1}})
	if from, _ := l.seek(p); string(from) != "p3" {
		t.Errorf("mark %q after a lower key", from)
	}
	l.set(gen, p, []byte("p9")) // read before p3 was written
	if from, _ := l.seek(p); string(from) != "p3" {
		t.Errorf("mark %q after a stale reader", from)
	}
	l.set(l.generation(), p, nil)
	if _, empty := l.seek(p); !empty {
		t.Error("range is not known to be empty")
	}
	l.lower([]rangeKey{{[]byte("p8"), 1}})
	if from, empty := l.seek(p); string(from) != "p8" || empty {
		t.Errorf("mark %q %v after the first key", from, empty)
	}
	for i := range 9 {
		l.set(l.generation(), []byte{byte(i)}, []byte{byte(i), 1})
	}
	if n := len(l.marks); n > 2 {
		t.Errorf("%d marks, at most 2 are allowed", n)
	}
}
