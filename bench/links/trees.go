package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tree is a directory of HTML files.
type tree struct {
	Name string
	dir  string
}

// packages are Debian's documentation packages and where their pages are.
var packages = []tree{
	{"python3.11-doc", "/usr/share/doc/python3.11/html"},
	{"postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html"},
	{"debian-handbook", "/usr/share/doc/debian-handbook/html"},
	{"openjdk-17-doc", "/usr/share/doc/openjdk-17-doc/api"},
	{"rust-doc", "/usr/share/doc/rust-doc/html"},
	{"cppreference-doc-en-html", "/usr/share/cppreference/doc/html"},
}

// installed are the packages that are here.
func installed() (out []tree) {
	for _, t := range packages {
		if _, err := os.Stat(t.dir); err == nil {
			out = append(out, t)
		}
	}
	return out
}

// pages calls do for every n-th HTML file of t, with its path below t.
func (t tree) pages(n int, do func(path string, doc []byte) error) error {
	root, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		return err
	}
	i := 0
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() || !strings.HasSuffix(path, ".html") && !strings.HasSuffix(path, ".htm") && !strings.HasSuffix(path, ".xhtml") {
			return nil
		}
		if i++; i%n != 0 {
			return nil
		}
		doc, err := os.ReadFile(path)
		if err != nil {
			return nil // a dangling link of the package
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(rel), doc)
	})
}
