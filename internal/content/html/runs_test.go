package html

import (
	"slices"
	"testing"
)

// TestD3Runs: pages of an endless space say the same, real pages do not.
func TestD3Runs(t *testing.T) {
	runs := func(doc string, drop ...string) []uint32 {
		return Scan([]byte(doc), Options{Runs: true, Drop: drop}).Runs
	}
	for name, c := range map[string]struct {
		a, b string
		drop []string
		same bool
	}{
		"numbers":            {`<p>Page 7 of 90`, `<p>Page 8 of 90`, nil, true},
		"dates":              {`<h1>January 2024</h1><td>Mon 1`, `<h1>Feb 2025</h1><td>Sunday 31`, nil, true},
		"case, space, marks": {`<p>No  events!`, "<b>no\nEvents</b>", nil, true},
		"own address":        {`<title>Red large shoes</title>`, `<title>Shoes</title>`, []string{"red", "large"}, true},
		"scripts, comments":  {`<p>x<script>a</script><!-- b --><style>c</style>`, `<p>x<script>d</script><!-- e -->`, nil, true},
		"addresses of links": {`<a href=/1>on</a>`, `<a href=/2>on</a>`, nil, true},
		"words":              {`<p>blue shoes`, `<p>red shoes`, nil, false},
		"long numbers":       {`<p>call 5551234`, `<p>call 5559876`, nil, false},
		"decimals":           {`<td>1.0832`, `<td>1.0911`, nil, false},
		"pictures":           {`<p>Photo 1<img src=/1.jpg>`, `<p>Photo 2<img src=/2.jpg>`, nil, false},
		"films":              {`<video src=a.mp4></video>`, `<video src=b.mp4></video>`, nil, false},
		"title":              {`<title>One thing</title>`, `<title>Another</title>`, nil, false},
		"text at the end":    {`<p>a</p>last words`, `<p>a</p>other words`, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if a, b := runs(c.a, c.drop...), runs(c.b, c.drop...); slices.Equal(a, b) != c.same {
				t.Errorf("%x and %x", a, b)
			}
		})
	}
	if d := Scan([]byte("<p>x"), Options{}); d.Runs != nil {
		t.Error("runs that nobody asked for")
	}
	var many []byte
	for i := range 2 * MaxRuns {
		many = append(many, "<p>"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))+" x"...)
	}
	if d := Scan(many, Options{Runs: true}); !d.RunsCut || len(d.Runs) > MaxRuns {
		t.Errorf("%d runs, cut %v", len(d.Runs), d.RunsCut)
	}
}

func BenchmarkScanRunsDocs(b *testing.B) {
	docs, _ := realDocs(b, 16<<20)
	if len(docs) == 0 {
		b.Skip("no HTML documentation is installed on this machine")
	}
	bench(b, docs, func(d []byte) { Scan(d, Options{Runs: true}) })
}
