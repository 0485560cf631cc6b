package schedule

import (
	"testing"
	"time"

	"trawl/internal/crawl"
)

// TestF12UnavailableAfter: the page is passed on until the time that it names,
// and excluded then, not at the next visit that happens to come; whatever the
// server says at that time.
func TestF12UnavailableAfter(t *testing.T) {
	end := t0.Add(50 * time.Hour)
	for name, tt := range map[string]struct {
		header bool
		later  func(old answer) answer
		want   crawl.IndexState
	}{
		"the same page":             {later: func(old answer) answer { return old }, want: crawl.IndexExcluded},
		"by X-Robots-Tag":           {header: true, later: func(old answer) answer { return old }, want: crawl.IndexExcluded},
		"304":                       {later: func(answer) answer { return answer{status: 304} }, want: crawl.IndexExcluded},
		"server error":              {later: func(answer) answer { return answer{status: 503} }, want: crawl.IndexExcluded},
		"the page took it back":     {later: func(answer) answer { return page() }, want: crawl.IndexPassed},
		"the page put it off a day": {later: func(answer) answer { return until(end.Add(24*time.Hour), false) }, want: crawl.IndexPassed},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(u crawl.URL, now time.Time) answer {
				switch {
				case u.Path() == "/robots.txt":
					return answer{status: 404}
				case now.Before(end):
					return until(end, tt.header)
				}
				return tt.later(until(end, tt.header))
			}).start(h + "/").run(end.Add(-time.Second))
			state := func() crawl.Index {
				r, ok, err := b.st.URL(t.Context(), crawl.URL(h+"/"))
				if err != nil || !ok {
					t.Fatal(ok, err)
				}
				return r.Index
			}
			if i := state(); i.State != crawl.IndexPassed {
				t.Fatalf("before its time: %+v", i)
			}
			b.run(end.Add(time.Minute))
			i := state()
			if i.State != tt.want {
				t.Errorf("after its time: %+v, want %v", i, tt.want)
			}
			if i.State == crawl.IndexExcluded && (i.Reason != crawl.ReasonNoindex || i.Row != "F12" || i.Since.Before(end)) {
				t.Errorf("reason: %+v", i)
			}
		})
	}
}

// until is a page that asks to be unavailable after a time.
func until(at time.Time, header bool) answer {
	a := page()
	rule := "unavailable_after: " + at.Format(time.RFC850)
	if header {
		a.header = append(a.header, crawl.Field{Name: "X-Robots-Tag", Value: rule})
	} else {
		a.body += `<meta name="robots" content="` + rule + `">`
	}
	return a
}
