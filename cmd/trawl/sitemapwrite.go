package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/report"
	"trawl/internal/robots"
	"trawl/internal/sitemaps"
	"trawl/internal/store"
	"trawl/internal/weburl"
)

// sitemapSite is what one sitemap can speak for: a hostname and port, http and https on
// their default ports together.
type sitemapSite struct {
	host crawl.Host
	port string
	kind string // "web" or the scheme
}

func siteOf(u crawl.URL) sitemapSite {
	k := sitemapSite{host: u.Host(), port: u.Port(), kind: u.Scheme()}
	if k.port == "" && (k.kind == "http" || k.kind == "https") {
		k.kind = "web"
	}
	return k
}

// dir is the name of the site's directory.
func (k sitemapSite) dir() string {
	name := strings.Trim(strings.ReplaceAll(string(k.host), ":", "_"), "[]")
	if k.port != "" {
		name += "_" + k.port
	}
	if k.kind != "web" && k.kind != "http" {
		name += "_" + k.kind
	}
	return name
}

// siteCount is how many URLs of a site can be indexed, by scheme.
type siteCount struct{ http, other int64 }

// sitemapsWritten is the result, for scripts.
type sitemapsWritten struct {
	Site    crawl.Origin `json:"site"`
	Files   []string     `json:"files"` // the one to submit last
	Submit  string       `json:"submit"`
	URLs    int64        `json:"urls"`
	Dated   int64        `json:"with_lastmod"`
	LeftOut int64        `json:"urls_of_the_other_scheme"`
}

// sitemapWriter writes the sitemaps of a store.
type sitemapWriter struct {
	opt     *sitemapOptions
	store   store.Store
	primary client.Profile
	robots  map[crawl.Origin]*robots.Matcher // of host
	host    crawl.Host
	ladder  map[crawl.Origin]robots.Access
	now     time.Time
}

func runSitemapWrite(ctx context.Context, o *sitemapOptions, s streams) error {
	var host crawl.Host
	if o.host != "" {
		h, bad := client.ParseHost(o.host)
		if bad != nil {
			return usageError("--host %s: %s", o.host, bad.Detail)
		}
		host = h
	}
	if o.base != "" {
		u, err := weburl.Parse(o.base)
		if err != nil {
			return usageError("--base: %v", err)
		}
		o.base = strings.TrimSuffix(string(u), "/") + "/"
	}
	env, err := o.identityOptions.open(nil)
	if err != nil {
		return err
	}
	d, err := openData(o.data, false, s)
	if err != nil {
		return err
	}
	defer d.close()
	w := &sitemapWriter{opt: o, store: d.store, now: nowUTC()}
	if w.primary, err = env.client("trawl"); err != nil {
		return err
	}
	sites, order, err := w.count(ctx, env, host)
	if err != nil {
		return failedOr130(ctx, err)
	}
	if len(order) == 0 {
		return &exitError{exitFailed, fmt.Errorf("%s knows no URL%s that can be indexed", o.data, ofHost(host))}
	}
	if len(order) > 1 && strings.HasSuffix(o.out, ".xml") {
		return usageError("%s has URLs of %d sites: -o has to name a directory, or --host one of them", o.data, len(order))
	}
	var done []sitemapsWritten
	for _, k := range order {
		x, err := w.write(ctx, k, sites[k], len(order) > 1)
		if err != nil {
			return failedOr130(ctx, err)
		}
		done = append(done, x)
	}
	if o.json {
		return printJSON(s.out, done)
	}
	return writtenText(s.out, done)
}

func failedOr130(ctx context.Context, err error) error {
	if q := interrupted(ctx); q != nil {
		return q
	}
	return &exitError{exitFailed, advise(err)}
}

func ofHost(h crawl.Host) string {
	if h == "" {
		return ""
	}
	return " of " + string(h)
}

func writtenText(w io.Writer, done []sitemapsWritten) error {
	for _, x := range done {
		fmt.Fprintf(w, "%s: %s, %d with lastmod, in %s\n", report.Safe(string(x.Site)), report.Count(x.URLs, "URL"), x.Dated, report.Safe(strings.Join(x.Files, ", ")))
		if x.LeftOut > 0 {
			fmt.Fprintf(w, "  %s of the other scheme left out: the site is served with both\n", report.Count(x.LeftOut, "URL"))
		}
		if _, err := fmt.Fprintf(w, "  for robots.txt: Sitemap: %s\n", report.Safe(x.Submit)); err != nil {
			return err
		}
	}
	return nil
}

// count finds the sites with URLs that can be indexed, in the order of the store.
func (w *sitemapWriter) count(ctx context.Context, env *environment, host crawl.Host) (map[sitemapSite]*siteCount, []sitemapSite, error) {
	sites := map[sitemapSite]*siteCount{}
	var order []sitemapSite
	for rec, err := range w.store.URLs(ctx, store.URLFilter{Host: host}) {
		if err != nil {
			return nil, nil, err
		}
		if len(order) == 0 && len(rec.Visits) > 0 {
			if p, ok := env.catalogue.Get(rec.Visits[0].Client); ok {
				w.primary = p
			}
		}
		ok, err := w.indexable(ctx, &rec)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		k := siteOf(rec.URL)
		c := sites[k]
		if c == nil {
			c = &siteCount{}
			sites[k] = c
			order = append(order, k)
		}
		if rec.URL.Scheme() == "http" {
			c.http++
		} else {
			c.other++
		}
	}
	return sites, order, nil
}

// indexable reports whether a URL belongs into a sitemap.
func (w *sitemapWriter) indexable(ctx context.Context, rec *crawl.URLRecord) (bool, error) {
	if rec.Index.State != crawl.IndexPassed || len(rec.Visits) == 0 || rec.Canonical != "" && rec.Canonical != rec.URL {
		return false, nil
	}
	v := &rec.Visits[0]
	if v.Kind != crawl.KindPage || v.Failures > 0 || v.Robots || v.Pruned || v.Status != 200 && v.Status != 304 || !forSitemap(v.Type) {
		return false, nil
	}
	if h := rec.URL.Host(); h != w.host || w.robots == nil {
		if err := w.readRobots(ctx, h); err != nil {
			return false, err
		}
	}
	switch o := rec.URL.Origin(); w.ladder[o] {
	case robots.AccessNone:
		return false, nil
	case robots.AccessRules:
		return w.robots[o].Check(rec.URL.PathQuery()).Allowed, nil
	case robots.AccessAll, robots.AccessUnknown:
	}
	return true, nil
}

// forSitemap: what is looked up by itself, and not only shown in a page.
func forSitemap(t crawl.FileType) bool {
	switch t {
	case crawl.TypeHTML, crawl.TypePDF, crawl.TypeGeo, crawl.TypeOther:
		return true
	}
	return false
}

// readRobots takes the stored robots.txt files of a hostname.
func (w *sitemapWriter) readRobots(ctx context.Context, h crawl.Host) error {
	recs, err := w.store.Robots(ctx, h)
	if err != nil {
		return err
	}
	w.host, w.robots, w.ladder = h, map[crawl.Origin]*robots.Matcher{}, map[crawl.Origin]robots.Access{}
	_, _, ignores := w.primary.RobotsAgent()
	for _, r := range recs {
		if ignores {
			continue
		}
		// A copy that is stale decides until there is another one.
		at := w.now
		if r.HasGood && r.FailingSince.IsZero() {
			at = r.GoodAt
		}
		w.ladder[r.Origin] = robots.Ladder(robots.DefaultTimes(), r, at).Access
		w.robots[r.Origin] = matcherFor(robots.Parse(r.Body), &w.primary)
	}
	return nil
}

// write writes the sitemaps of one site.
func (w *sitemapWriter) write(ctx context.Context, k sitemapSite, n *siteCount, several bool) (sitemapsWritten, error) {
	dir, name := w.opt.out, "sitemap.xml"
	if strings.HasSuffix(dir, ".xml") {
		dir, name = filepath.Split(dir)
	}
	if several {
		dir = filepath.Join(dir, k.dir())
	}
	if err := os.MkdirAll(filepath.Clean(dir), 0o755); err != nil {
		return sitemapsWritten{}, err
	}
	var out sitemapsWritten
	var files *sitemaps.Writer
	base := w.opt.base
	for rec, err := range w.store.URLs(ctx, store.URLFilter{Host: k.host}) {
		if err != nil {
			return out, err
		}
		if siteOf(rec.URL) != k {
			continue
		}
		ok, err := w.indexable(ctx, &rec)
		if err != nil {
			return out, err
		}
		if !ok {
			continue
		}
		if k.kind == "web" && (rec.URL.Scheme() == "http") != (n.http > n.other) {
			out.LeftOut++
			continue
		}
		if files == nil {
			if out.Site = rec.URL.Origin(); base == "" {
				base = string(out.Site) + "/"
			}
			files = sitemaps.NewWriter(sitemaps.WriterOptions{
				Name: name, Base: base, Gzip: w.opt.gzip,
				Write: func(name string, body []byte) error { return writeAtomically(filepath.Join(dir, name), body) },
			})
		}
		changed := rec.Visits[0].Changed
		if !changed.IsZero() {
			out.Dated++
		}
		if err := files.Add(rec.URL, changed); err != nil {
			return out, err
		}
	}
	if files == nil {
		return out, errors.New("the store changed while it was read")
	}
	if err := files.Close(); err != nil {
		return out, err
	}
	out.URLs = files.Total
	for _, f := range files.Names {
		out.Files = append(out.Files, filepath.Join(dir, f))
	}
	out.Submit = base + files.Names[len(files.Names)-1]
	return out, nil
}

// writeAtomically puts a whole file in the place of an old one, or leaves that.
func writeAtomically(name string, body []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".sitemap-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
