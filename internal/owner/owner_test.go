package owner

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

func noon() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

// Whatever is asked for, no constant that makes a crawl faster may rise (E7).
func TestE7NeverFaster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Wish{
			Limit: rapid.Float64Range(0, MaxLimit).Draw(t, "limit"), Paused: rapid.Bool().Draw(t, "paused"), At: noon(),
			Until: noon().Add(time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "until"))),
		}
		now := noon().Add(time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "now")))
		for _, p := range []hostload.Params{hostload.Stranger(), hostload.Own()} {
			q := Wishes{Limit: w}.Params(p, now)
			if q.Ceiling > p.Ceiling || q.Start > p.Start || q.Step > p.Step || q.MinCost < p.MinCost {
				t.Fatalf("%+v makes %+v of %+v", w, q, p)
			}
			if over := !now.Before(w.Until); over && q != p {
				t.Fatalf("%+v is over and changes %+v to %+v", w, p, q)
			}
			if !w.Active(now).Empty() && w.Limit > 0 && q.Ceiling > w.Limit {
				t.Fatalf("limit %g, ceiling %g", w.Limit, q.Ceiling)
			}
		}
	})
}

func TestE7WishAsSetting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Wish{Note: strings.ToValidUTF8(rapid.StringN(0, 40, MaxNote).Draw(t, "note"), ""), At: noon()}
		kind := rapid.SampledFrom([]Kind{KindLimit, KindPause}).Draw(t, "kind")
		if asks := rapid.Bool().Draw(t, "asks"); asks && kind == KindPause {
			w.Paused = true
		} else if asks {
			w.Limit = rapid.SampledFrom([]float64{MinLimit, 0.25, MaxLimit}).Draw(t, "limit")
		}
		if rapid.Bool().Draw(t, "ends") {
			w.Until = noon().Add(time.Duration(rapid.Int64Range(1, 1e15).Draw(t, "for")))
		}
		k, host, got, err := Decode(Name(kind, "a.example"), w.Encode())
		if err != nil || host != "a.example" || k != kind {
			t.Fatalf("%q %q: %v", k, host, err)
		}
		if w.Empty() {
			w = Wish{}
		}
		if got != w {
			t.Fatalf("got %+v, want %+v", got, w)
		}
	})
}

// A pause leaves the limit as it is, and lifting one leaves the other.
func TestE7LimitAndPauseAreApart(t *testing.T) {
	b := Book{}
	for _, add := range []struct {
		kind Kind
		w    Wish
	}{{KindLimit, Wish{Limit: 0.5, At: noon()}}, {KindPause, Wish{Paused: true, At: noon(), Until: noon().Add(time.Hour)}}} {
		if err := b.Add(Name(add.kind, "a.example"), add.w.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	w := b["a.example"]
	if p, until := w.Paused(noon()); !p || !until.Equal(noon().Add(time.Hour)) {
		t.Errorf("paused %v until %s", p, until)
	}
	if p, _ := w.Paused(noon().Add(time.Hour)); p {
		t.Error("paused after its end")
	}
	if c := w.Params(hostload.Own(), noon().Add(time.Hour)).Ceiling; c != 0.5 {
		t.Errorf("ceiling %g after the pause, want the limit of 0.5", c)
	}
}

func TestE7WishesRefused(t *testing.T) {
	const limit, pause = "owner/limit/a.example", "owner/pause/a.example"
	for _, c := range []struct {
		name, key, value, want string
	}{
		{"no hostname", "owner/limit/", `{}`, "does not name a limit"},
		{"no kind", "owner/a.example", `{}`, "does not name a limit"},
		{"unknown kind", "owner/faster/a.example", `{}`, "does not name a limit"},
		{"other setting", "seeds", `{}`, "does not name a limit"},
		{"other prefix", "limit/a.example", `{}`, "does not name a limit"},
		{"no JSON", limit, `limit: 1`, "limit of a.example"},
		{"negative", limit, `{"limit":-1,"at":"2026-06-01T12:00:00Z"}`, "a limit is 0.001 to 1000"},
		{"tiny", limit, `{"limit":1e-9}`, "pause the hostname"},
		{"pause as limit", limit, `{"paused":true}`, "it is no limit"},
		{"limit as pause", pause, `{"limit":1}`, "it is no pause"},
		{"ends before it begins", pause, `{"paused":true,"at":"2026-06-01T12:00:00Z","until":"2026-06-01T11:00:00Z"}`, "before it begins"},
		{"long note", pause, `{"paused":true,"note":"` + strings.Repeat("x", MaxNote+1) + `"}`, "501 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, host, w, err := Decode(c.key, c.value)
			if err == nil || !strings.Contains(err.Error(), c.want) || kind != "" || host != "" || w != (Wish{}) {
				t.Fatalf("%q %q %+v, error %v; want one with %q", kind, host, w, err, c.want)
			}
			b := Book{}
			if err := b.Add(c.key, c.value); err == nil || len(b) != 0 {
				t.Errorf("the book took it: %v %v", b, err)
			}
		})
	}
	if err := (Wish{Limit: math.NaN()}).Check(); err == nil {
		t.Error("NaN is taken for a limit")
	}
	if _, h, w, err := Decode(limit, ""); h != crawl.Host("a.example") || !w.Empty() || err != nil {
		t.Errorf("lifted wish: %q %+v %v", h, w, err)
	}
}
