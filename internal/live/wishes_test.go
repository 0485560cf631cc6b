package live

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/owner"
	"trawl/internal/store/memstore"
)

// A wish that is put into the store while a crawl runs acts within two seconds,
// and one that cannot be read is reported once.
func TestE7WishActsOnARunningCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(tree(4000))
		cfg := config(t, memstore.New(utcNow), w)
		var warned []string
		cfg.Warn = func(s string) { warned = append(warned, s) }
		seed(t, cfg, "http://a.example/p0")
		start := time.Now()
		set := func(name, value string) {
			if err := cfg.Store.SetSetting(t.Context(), name, value); err != nil {
				t.Error(err)
			}
		}
		go func() {
			time.Sleep(3 * time.Second)
			wish := owner.Wish{Paused: true, At: utcNow(), Until: utcNow().Add(20 * time.Second)}
			set(owner.Name(owner.KindPause, "a.example"), wish.Encode())
			set(owner.Name(owner.KindPause, "c.example"), "{")
		}()
		if _, err := Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		before, during, after := 0, 0, 0
		for _, at := range w.times["a.example"] {
			switch d := at.Sub(start); {
			case d < 3*time.Second:
				before++
			case d >= 5*time.Second && d < 23*time.Second:
				during++
			case d >= 23*time.Second:
				after++
			}
		}
		if before == 0 || during != 0 || after == 0 {
			t.Errorf("%d requests before, %d during, %d after the pause of a.example", before, during, after)
		}
		other := 0
		for _, at := range w.times["b.example"] {
			if d := at.Sub(start); d >= 5*time.Second && d < 23*time.Second {
				other++
			}
		}
		if other == 0 {
			t.Error("b.example was not crawled while a.example was paused")
		}
		if len(warned) != 1 || !strings.Contains(warned[0], "c.example") {
			t.Errorf("warnings %q, want one about c.example", warned)
		}
		if n := crawled(t, cfg.Store); n != 8000 {
			t.Errorf("%d of 8000 pages crawled in the end", n)
		}
	})
}
