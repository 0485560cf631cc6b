package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// fill sets every field below v to a value of its own, so that a field that the
// codec leaves out is missed. The URL of a record and the like are set by tests.
func fill(v reflect.Value, n *int) {
	*n++
	if _, ok := v.Interface().(time.Time); ok {
		v.Set(reflect.ValueOf(time.Unix(int64(*n)*1e6, int64(*n)).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(fmt.Sprint("s", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(-int64(*n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
	default:
		panic(v.Kind())
	}
}

// forms are the kinds of values: each makes a filled one, and codes one.
func forms() map[string]func(c *coder, v any) {
	return map[string]func(c *coder, v any){
		"record":   func(c *coder, v any) { c.record(v.(*crawl.URLRecord)) },
		"host":     func(c *coder, v any) { c.host(v.(*crawl.HostRecord)) },
		"robots":   func(c *coder, v any) { c.robots(v.(*crawl.RobotsRecord)) },
		"history":  func(c *coder, v any) { c.history(v.(*[]crawl.IndexChange)) },
		"document": func(c *coder, v any) { c.document(v.(*crawl.Document)) },
		"lease":    func(c *coder, v any) { c.lease(v.(*store.Lease)) },
		"links":    func(c *coder, v any) { c.links(v.(*[]uint32)) },
	}
}

func empty(form string) any {
	return map[string]any{
		"record": &crawl.URLRecord{}, "host": &crawl.HostRecord{}, "robots": &crawl.RobotsRecord{}, "history": &[]crawl.IndexChange{},
		"document": &crawl.Document{}, "lease": &store.Lease{}, "links": &[]uint32{},
	}[form]
}

// inKey clears what stands in the key and not in the value.
func inKey(v any) {
	switch v := v.(type) {
	case *crawl.URLRecord:
		v.URL = "http://a.example/"
	case *crawl.HostRecord:
		v.Host = ""
	case *crawl.RobotsRecord:
		v.Origin = ""
	case *[]crawl.IndexChange:
		for i := range *v {
			(*v)[i].URL = ""
		}
	case *crawl.Document:
		v.Seq = 0
	case *store.Lease:
		v.Shard = 0
	case *[]uint32:
		slices.Sort(*v)
	}
}

// TestCodecKeepsEveryField fails when a field is added to a stored type and not
// to the codec.
func TestCodecKeepsEveryField(t *testing.T) {
	for name, code := range forms() {
		dict := newClientDict()
		want := empty(name)
		n := 0
		fill(reflect.ValueOf(want).Elem(), &n)
		inKey(want)
		w := writer(nil, dict)
		code(w, want)
		got := empty(name)
		inKey(got)
		r := reader(w.b, dict)
		code(r, got)
		if err := r.end(name); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
		for i := range w.b { // cut off anywhere: an error, or never the whole value
			r := reader(w.b[:i], dict)
			code(r, empty(name))
			if r.end(name) == nil {
				t.Errorf("%s cut at %d of %d bytes is read without error", name, i, len(w.b))
			}
		}
		r = reader(append(w.b, 0), dict)
		if code(r, empty(name)); r.end(name) == nil {
			t.Errorf("%s with a byte too many is read without error", name)
		}
	}
}

// TestCodecNewer: a value with a field that this version does not know is refused.
func TestCodecNewer(t *testing.T) {
	for _, b := range [][]byte{{valueVersion + 1, 0}, {valueVersion, 0x80, 0x80, 1}, {}} {
		if _, err := decodeHost(b, "a"); !errors.Is(err, errValue) {
			t.Errorf("%v: error %v", b, err)
		}
	}
}

func TestCodecCompact(t *testing.T) {
	dict := newClientDict()
	now := time.Unix(1790000000, 123456789)
	r := crawl.URLRecord{
		URL: "https://www.example.com/products/shoes/12345.html", Discovered: now, Via: crawl.ViaLink, Referrer: "https://www.example.com/products/shoes/",
		Depth: 3, Visits: []crawl.Visit{{Client: "googlebot-smartphone", Band: 2, Due: now}},
	}
	if n := len(encodeRecord(nil, dict, &r)); n > 32 {
		t.Errorf("record of a URL that was only discovered has %d bytes", n)
	}
}

func FuzzDecode(f *testing.F) {
	dict := newClientDict()
	for name, code := range forms() {
		v := empty(name)
		n := 0
		fill(reflect.ValueOf(v).Elem(), &n)
		inKey(v)
		w := writer(nil, dict)
		code(w, v)
		f.Add(w.b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, code := range forms() {
			v := empty(name)
			inKey(v)
			r := reader(b, dict)
			if code(r, v); r.end(name) != nil {
				continue
			}
			w := writer(nil, dict) // what was read is written and read the same
			code(w, v)
			again := empty(name)
			inKey(again)
			r = reader(w.b, dict)
			code(r, again)
			w2 := writer(nil, dict)
			code(w2, again)
			if err := r.end(name); err != nil || !bytes.Equal(w.b, w2.b) {
				t.Errorf("%s of %x: %v\n%x\n%x", name, b, err, w.b, w2.b)
			}
		}
		_, _ = parseURLKey(b)
		_, _ = parseStatsKey(b)
		_, _ = parseSeq(b)
		_, _, _ = cutTime(b)
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
