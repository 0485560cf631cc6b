package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"trawl/internal/content/sitemap"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/robots"
	"trawl/internal/schedule"
	"trawl/internal/sitemaps"
	"trawl/internal/weburl"
)

const (
	// maxPackedFile bounds what is read of a sitemap file.
	maxPackedFile = sitemap.MaxBytes + 1<<20
	// measureSitemap is how much beyond the limit a packed sitemap is unpacked
	// to say how large it is.
	measureSitemap = 8 << 30
	// maxSitemapRobots bounds the hosts whose robots.txt is asked for.
	maxSitemapRobots = 20
	// sitemapPause is between two requests to hosts of strangers (house choice).
	sitemapPause = time.Second
	// sitemapHops bounds the redirects of one sitemap, as for robots.txt.
	sitemapHops = 5
)

// loaded is a sitemap as it was read.
type loaded struct {
	name        string    // for people
	url         crawl.URL // where it is served, after redirects; "" = not known yet
	body        []byte
	contentType string
	problem     string // why it could not be read; "" = it was
	busy        bool   // the host asks for less: do not go on
}

// sitemapSource reads the sitemap that was given, and those that an index lists.
type sitemapSource interface {
	first(ctx context.Context) (loaded, error)
	child(ctx context.Context, u crawl.URL) loaded
	close() error
}

// follow reads the sitemap and, breadth first, those that it lists.
func (c *sitemapCheck) follow(ctx context.Context, what string) error {
	l, err := c.source.first(ctx)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return interrupted(ctx)
	case l.problem != "":
		return fmt.Errorf("%s cannot be read: %s", what, l.problem)
	}
	show := newSitemapProgress(c)
	defer show.end()
	var queue []crawl.URL
	for n := 1; ; n++ {
		kids, err := c.take(ctx, l)
		if err != nil {
			return err
		}
		queue = append(queue, kids...)
		for {
			show.at(n, len(queue))
			if len(queue) == 0 {
				return nil
			}
			if n >= c.opt.max || l.busy || ctx.Err() != nil {
				c.leave(queue, l.busy)
				return nil
			}
			u := queue[0]
			queue = queue[1:]
			if l = c.source.child(ctx, u); l.problem == "" {
				break
			}
			n++
			c.review.Report(sitemaps.Finding{File: l.name, Severity: sitemaps.Error, Class: sitemaps.ClassUnreadable, URL: u, Text: "it cannot be read: " + l.problem})
		}
	}
}

func (c *sitemapCheck) leave(queue []crawl.URL, busy bool) {
	c.left = len(queue)
	why := fmt.Sprintf("--max %d", c.opt.max)
	if busy {
		why = "the host asks for fewer requests"
	}
	c.review.Report(sitemaps.Finding{
		File: c.review.Files[0].Name, Severity: sitemaps.Note, Class: sitemaps.ClassLeftOut,
		Text: fmt.Sprintf("of the sitemaps that it lists %d were not read, from %s on: %s", len(queue), queue[0], why),
	})
}

// take checks one sitemap; before that, robots.txt of the hosts in it is asked for.
func (c *sitemapCheck) take(ctx context.Context, l loaded) ([]crawl.URL, error) {
	s := sitemap.Parse(l.body, sitemap.Options{ContentType: l.contentType, CountAll: true, Measure: measureSitemap})
	if l.url == "" {
		l.url = sitemaps.ServedAt(s, path.Base(filepath.ToSlash(l.name)), weburl.Parse)
		if c.opt.robotsFile != "" && len(c.order) == 0 {
			if err := c.readRobots(c.opt.robotsFile, l.url); err != nil {
				return nil, err
			}
		}
	}
	if web, ok := c.source.(*webSource); ok && c.opt.robotsFile == "" {
		asked := map[crawl.Origin]bool{}
		for i := range s.Entries {
			u, err := weburl.ResolveReference(l.url, s.Entries[i].Loc)
			if err != nil || asked[u.Origin()] || len(asked) >= maxSitemapRobots {
				continue
			}
			asked[u.Origin()] = true
			if err := web.askRobots(ctx, u); err != nil {
				return nil, err
			}
		}
	}
	return c.review.Add(l.name, l.url, s)
}

// readRobots takes a file for the robots.txt of the sitemap's host.
func (c *sitemapCheck) readRobots(name string, at crawl.URL) error {
	body, err := readBounded(name, robots.MaxBytes)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--robots: %w", err)}
	}
	if at == "" {
		return nil // known with the first sitemap
	}
	now := nowUTC()
	for _, o := range twins(at.Origin()) {
		c.addRobots(o, robots.Update(robots.DefaultTimes(), crawl.RobotsRecord{Origin: o}, robots.Answer{Status: 200, Body: body}, now))
	}
	return nil
}

// twins are an origin and, on default ports, that of the other scheme of the web.
func twins(o crawl.Origin) []crawl.Origin {
	u := crawl.URL(o)
	if u.Port() != "" {
		return []crawl.Origin{o}
	}
	switch u.Scheme() {
	case "http":
		return []crawl.Origin{o, crawl.Origin("https://" + string(u.Host()))}
	case "https":
		return []crawl.Origin{o, crawl.Origin("http://" + string(u.Host()))}
	}
	return []crawl.Origin{o}
}

// fileSource reads files: the given one, and others beside it.
type fileSource struct {
	start string
	at    crawl.URL // where it is served; "" = to be guessed
}

func (f *fileSource) first(context.Context) (loaded, error) {
	if f.start == "-" {
		body, err := io.ReadAll(io.LimitReader(os.Stdin, maxPackedFile))
		return loaded{name: "stdin", url: f.at, body: body}, err
	}
	body, err := readBounded(f.start, maxPackedFile)
	var missing *fs.PathError
	switch {
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist):
		return loaded{}, usageError("there is no file %s; a sitemap on the web needs its whole URL", f.start)
	case err != nil:
		return loaded{}, &exitError{exitFailed, err}
	}
	return loaded{name: f.start, url: f.at, body: body}, nil
}

func (f *fileSource) child(_ context.Context, u crawl.URL) loaded {
	l := loaded{name: filepath.Join(filepath.Dir(f.start), path.Base(u.Path())), url: u}
	var err error
	if l.body, err = readBounded(l.name, maxPackedFile); err != nil {
		l.problem = fmt.Sprintf("%s is looked for beside the index: %v", u, err)
	}
	return l
}

func (f *fileSource) close() error { return nil }

func readBounded(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // only read
	if st, err := file.Stat(); err == nil && st.IsDir() {
		return nil, fmt.Errorf("%s is a directory", name)
	}
	var b bytes.Buffer
	_, err = io.Copy(&b, io.LimitReader(file, most))
	return b.Bytes(), err
}

// webSource fetches sitemaps as trawl's own client, one at a time.
type webSource struct {
	check   *sitemapCheck
	fetcher fetch.Fetcher
	start   crawl.URL
	last    time.Time
}

func (w *webSource) first(ctx context.Context) (loaded, error) {
	l := w.child(ctx, w.start)
	return l, nil
}

func (w *webSource) close() error {
	w.fetcher.CloseIdle()
	return nil
}

// askRobots fetches robots.txt of a URL's origin, once, as far as the bound goes.
func (w *webSource) askRobots(ctx context.Context, u crawl.URL) error {
	c := w.check
	if c.robots[u.Origin()] != nil || len(c.order) >= maxSitemapRobots || ctx.Err() != nil {
		return nil
	}
	w.pause(ctx)
	_, rec, err := askRobots(ctx, c.env, u)
	if err != nil {
		return err
	}
	c.addRobots(u.Origin(), rec)
	return nil
}

// pause keeps requests apart, on hosts that are not the user's own.
func (w *webSource) pause(ctx context.Context) {
	if w.check.opt.own {
		return
	}
	if d := sitemapPause - time.Since(w.last); d > 0 && !w.last.IsZero() {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	w.last = time.Now()
}

func (w *webSource) child(ctx context.Context, u crawl.URL) loaded {
	l := loaded{name: string(u), url: u}
	for range sitemapHops + 1 {
		next := w.hop(ctx, &l)
		if next == "" {
			return l
		}
		if l.url != u {
			w.check.alias[l.url] = u
		}
	}
	l.problem = fmt.Sprintf("more than %d redirects in a row", sitemapHops)
	return l
}

// hop makes one request; it returns where a redirect leads.
func (w *webSource) hop(ctx context.Context, l *loaded) crawl.URL {
	c := w.check
	if err := w.askRobots(ctx, l.url); err != nil {
		l.problem = err.Error()
		return ""
	}
	if r := c.robots[l.url.Origin()]; r != nil {
		if why := r.forbids(l.url); why != "" {
			l.problem = fmt.Sprintf("%s may not be fetched: %s", l.url, why)
			return ""
		}
	}
	w.pause(ctx)
	req := c.self.Request(l.url, c.env.identity, crawl.PurposeDiscovery, nil, 0)
	req.Timeouts, req.Limits, req.Egress = c.env.timeouts, schedule.SitemapLimits(), c.env.leave(l.url.Host())
	res := w.fetcher.Fetch(ctx, req)
	switch {
	case res.Status == 0 && res.Failure != nil:
		l.problem = failureAdvice(res)
	case res.Status == 301 || res.Status == 302 || res.Status == 303 || res.Status == 307 || res.Status == 308:
		next, err := weburl.ResolveReference(l.url, res.Header.Get("Location"))
		if err != nil || next == l.url {
			l.problem = fmt.Sprintf("answered %d, and where it leads cannot be fetched", res.Status)
			return ""
		}
		l.url = next
		return next
	case res.Status < 200 || res.Status >= 300:
		l.problem = fmt.Sprintf("answered %d", res.Status)
		l.busy = res.Status == 429 || res.Status == 503
	default:
		l.body, l.contentType = res.Body, res.Header.Get("Content-Type")
		if res.Failure != nil {
			c.review.Report(sitemaps.Finding{File: l.name, Severity: sitemaps.Error, Class: sitemap.ClassCutOff, URL: l.url, Text: "what came of it was read: " + failureText(res.Failure)})
		}
	}
	return ""
}

// forbids says why the client that fetches may not, "" if it may.
func (r *hostRobots) forbids(u crawl.URL) string {
	switch r.state.Access {
	case robots.AccessAll:
		return ""
	case robots.AccessRules:
		v := r.own.Check(u.PathQuery())
		if v.Allowed {
			return ""
		}
		return fmt.Sprintf("robots.txt disallows it for trawl, line %d: %s", v.Line, v.Rule)
	case robots.AccessNone, robots.AccessUnknown:
	}
	return r.state.Reason
}
