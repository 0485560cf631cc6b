package main

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"trawl/internal/content"
	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

const origin = "http://docs.example/"

// crawl walks the tree as a crawler does, from its index breadth first, and asks
// the recognition of endless URL spaces about each URL before its page is read,
// and tells it what the page says. Whatever is pruned and has a page is a
// mistake. Pages that no link leads to are started from when nothing else is left.
func (r *report) crawl(t tree, f *figures, most, examples int) error {
	root, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		return err
	}
	files, index, err := list(root)
	if err != nil {
		return err
	}
	type entry struct {
		url   crawl.URL
		depth int
	}
	var space weburl.Space
	seen := map[crawl.URL]bool{}
	queue := make([]entry, 0, len(files))
	for _, start := range index {
		queue = append(queue, entry{start, 0})
		for len(queue) > 0 && f.URLs < most {
			e := queue[0]
			queue = queue[1:]
			file := files[e.url]
			if seen[e.url] || file == "" {
				continue
			}
			seen[e.url] = true
			f.URLs++
			if pattern, _, trapped := space.Observe(e.url); trapped {
				f.FalseTraps++
				if len(r.Pruned) < examples {
					r.Pruned = append(r.Pruned, pruned{e.url, t.Name + ": " + pattern})
				}
			}
			doc, err := os.ReadFile(file)
			if err != nil {
				continue // a dangling link of the package
			}
			res := &crawl.Result{URL: e.url, Status: 200, Body: doc, Header: crawl.Header{{Name: "Content-Type", Value: "text/html"}}}
			p := content.Read(res, content.Options{Runs: true})
			if len(p.Runs) > 0 {
				f.Watched++
			}
			space.Learn(e.url, e.depth, p.Runs, p.Inward)
			for _, l := range p.Links {
				if !seen[l.URL] && files[l.URL] != "" {
					queue = append(queue, entry{l.URL, e.depth + 1})
				}
			}
		}
		queue = queue[:0]
	}
	return nil
}

// list returns the pages of the tree with their files, and the URLs to start
// from: the indexes at the top first.
func list(root string) (files map[crawl.URL]string, starts []crawl.URL, err error) {
	files = map[crawl.URL]string{}
	var rest []crawl.URL
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		u, err := weburl.Parse(origin + (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath())
		if err != nil {
			return err
		}
		files[u] = path
		if !strings.Contains(rel, string(filepath.Separator)) && strings.HasPrefix(rel, "index") {
			starts = append(starts, u)
		} else {
			rest = append(rest, u)
		}
		return nil
	})
	return files, append(starts, rest...), err
}
