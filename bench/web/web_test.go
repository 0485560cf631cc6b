package web

import (
	"bytes"
	"compress/gzip"
	"net/url"
	"testing"

	"pgregory.net/rapid"

	"trawl/internal/content/html"
)

// anySpec draws small specs, the narrow ones among them.
func anySpec(t *rapid.T) Spec {
	links := rapid.IntRange(1, 40).Draw(t, "links")
	return Spec{
		Hosts: rapid.IntRange(1, 6).Draw(t, "hosts"), Pages: rapid.IntRange(1, 40).Draw(t, "pages"), Links: links,
		Size: MinSize(links) + rapid.IntRange(0, 5000).Draw(t, "more"), Seed: rapid.Uint64().Draw(t, "seed"), Robots: RobotsMissing,
	}
}

// linksOf returns the targets of the links on a page, as a browser has them.
func linksOf(t interface{ Fatalf(string, ...any) }, w *Web, host, page int) []string {
	base, err := url.Parse(w.URL(host, page))
	if err != nil {
		t.Fatalf("%v", err)
	}
	var out []string
	for _, ref := range html.Scan(w.Body(host, page), html.Options{}).Refs {
		u, err := base.Parse(string(ref.Value))
		if err != nil {
			t.Fatalf("link %q of %s: %v", ref.Value, base, err)
		}
		out = append(out, u.String())
	}
	return out
}

func TestPagesHaveSizeAndLinksOfTheSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		if err := spec.Validate(); err != nil {
			t.Fatalf("%+v: %v", spec, err)
		}
		port := rapid.SampledFrom([]int{80, 8800, 65535}).Draw(t, "port")
		w := Build(spec, port)
		for host := range spec.Hosts {
			for page := range spec.Pages {
				if n := len(w.Body(host, page)); n != spec.Size {
					t.Fatalf("page %d has %d bytes, want %d", page, n, spec.Size)
				}
				if n := len(linksOf(t, w, host, page)); n != spec.Links {
					t.Fatalf("page %d has %d links, want %d", page, n, spec.Links)
				}
				if !bytes.HasSuffix(w.Body(host, page), []byte(pageTail)) {
					t.Fatalf("page %d does not end as it should", page)
				}
			}
		}
	})
}

func TestLongestLinksFit(t *testing.T) {
	spec := Spec{Hosts: MaxHosts, Pages: MaxPages, Links: 500, Size: MinSize(500), Seed: 3}
	words := vocabulary(spec.Seed)
	for host := MaxHosts - 50; host < MaxHosts; host++ {
		if n := len(spec.appendPage(nil, host, MaxPages-1, 65535, words)); n != spec.Size {
			t.Fatalf("a page of host %d has %d bytes, want %d", host, n, spec.Size)
		}
	}
}

func TestEveryPageIsReachableFromTheSeedOfItsHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		w := Build(spec, 8800)
		all := map[string][2]int{}
		for host := range spec.Hosts {
			for page := range spec.Pages {
				all[w.URL(host, page)] = [2]int{host, page}
			}
		}
		if len(all) != spec.Total() {
			t.Fatalf("%d URLs for %d pages", len(all), spec.Total())
		}
		for host, seed := range w.Seeds() {
			seen := map[string]bool{seed: true}
			queue := []string{seed}
			for ; len(queue) > 0; queue = queue[1:] {
				at := all[queue[0]]
				for _, u := range linksOf(t, w, at[0], at[1]) {
					to, ok := all[u]
					if !ok {
						t.Fatalf("%s links to %s, which is no page", queue[0], u)
					}
					if to[0] == host && !seen[u] {
						seen[u] = true
						queue = append(queue, u)
					}
				}
			}
			if len(seen) != spec.Pages {
				t.Fatalf("within host %d, %d of %d pages are reachable", host, len(seen), spec.Pages)
			}
		}
	})
}

func TestSomeLinksLeadToOtherHosts(t *testing.T) {
	spec := small()
	spec.Links, spec.Size = 20, 8192
	w := Build(spec, 8800)
	away, base := 0, w.Seeds()[0]
	for _, u := range linksOf(t, w, 0, 0) {
		if len(u) < len(base) || u[:len(base)] != base {
			away++
		}
	}
	if away != 2 {
		t.Errorf("%d of 20 links lead away, want 2", away)
	}
}

func TestSameSpecSameBytes(t *testing.T) {
	spec := small()
	a, b := Build(spec, 8800), Build(spec, 8800)
	for i := range a.pages {
		if !bytes.Equal(a.pages[i], b.pages[i]) {
			t.Fatalf("page %d differs from one building to the next", i)
		}
	}
	// Fewer hosts or the order of building change nothing about a page's text.
	if alone := spec.appendPage(nil, 3, 17, 8800, vocabulary(spec.Seed)); !bytes.Equal(alone, a.Body(3, 17)) {
		t.Error("a page built alone differs")
	}
	spec.Seed++
	if c := Build(spec, 8800); bytes.Equal(a.Body(3, 17), c.Body(3, 17)) {
		t.Error("another seed gives the same page")
	}
}

func TestPagesDiffer(t *testing.T) {
	w := Build(small(), 8800)
	seen := map[string]bool{}
	for i := range w.pages {
		// The end of the text, so that the number in the title does not count.
		body := w.pages[i]
		seen[string(body[len(body)-2000:])] = true
	}
	if len(seen) != len(w.pages) {
		t.Errorf("%d different texts on %d pages", len(seen), len(w.pages))
	}
}

// TestPagesAreAsCompressibleAsRealOnes keeps the cost of an archive real: see
// the constant turns for what real pages have.
func TestPagesAreAsCompressibleAsRealOnes(t *testing.T) {
	spec := Default()
	spec.Hosts = 2
	w := Build(spec, 8800)
	var packed bytes.Buffer
	for i := range w.pages {
		z, _ := gzip.NewWriterLevel(&packed, 3)
		_, _ = z.Write(w.pages[i][w.header:])
		_ = z.Close()
	}
	ratio := float64(spec.Total()*spec.Size) / float64(packed.Len())
	t.Logf("gzip makes pages %.2f times smaller", ratio)
	if ratio < 3.3 || ratio > 3.9 {
		t.Errorf("gzip makes pages %.2f times smaller", ratio)
	}
}

func BenchmarkBuild(b *testing.B) {
	spec := Default()
	spec.Hosts = 10
	b.SetBytes(int64(spec.Total() * spec.Size))
	for b.Loop() {
		Build(spec, 8800)
	}
}
