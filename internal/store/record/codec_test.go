package record

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

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

// names numbers client names, as a store does.
type names struct{ list []crawl.ClientID }

func newNames() *names { return &names{} }

func (n *names) Number(c crawl.ClientID) uint32 {
	i := slices.Index(n.list, c)
	if i < 0 {
		i = len(n.list)
		n.list = append(n.list, c)
	}
	return uint32(i + 1)
}

func (n *names) Name(i uint64) (crawl.ClientID, bool) {
	if i == 0 || i > uint64(len(n.list)) {
		return "", false
	}
	return n.list[i-1], true
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
		dict := newNames()
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
		if _, err := Host(b, "a"); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v: error %v", b, err)
		}
	}
}

func TestCodecCompact(t *testing.T) {
	dict := newNames()
	now := time.Unix(1790000000, 123456789)
	r := crawl.URLRecord{
		URL: "https://www.example.com/products/shoes/12345.html", Discovered: now, Via: crawl.ViaLink, Referrer: "https://www.example.com/products/shoes/",
		Depth: 3, Visits: []crawl.Visit{{Client: "googlebot-smartphone", Band: 2, Due: now}},
	}
	if n := len(AppendURL(nil, dict, &r)); n > 32 {
		t.Errorf("record of a URL that was only discovered has %d bytes", n)
	}
}

func FuzzDecode(f *testing.F) {
	dict := newNames()
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
		_, _, _ = CutTime(b)
	})
}
