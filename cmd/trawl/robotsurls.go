package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/weburl"
)

// listed is one line of a list of URLs.
type listed struct {
	url   crawl.URL // "" for a path alone
	path  string    // path and query
	line  int       // from 1
	text  string    // the line, as given
	words []string  // what stands around the URL in a file of --expect
}

func (l *listed) String() string {
	if l.url != "" {
		return string(l.url)
	}
	return l.path
}

// maxListLine bounds a line of a list: longer than every URL that is crawled.
const maxListLine = 1 << 20

// eachListed reads a list line by line, whatever its length, and calls f for
// each line that is neither empty nor a comment. bad gets those that hold no
// URL or path. Memory is bounded by maxListLine.
func eachListed(in io.Reader, expect bool, f func(*listed) error, bad func(line int, why string)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var long []byte
	for n := 1; ; n++ {
		text, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long, err = readLong(r, append(long[:0], text...))
			text = long
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := err != nil
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
		}
		text = bytes.TrimSpace(text)
		switch {
		case len(text) >= maxListLine:
			bad(n, "the line is too long")
		case len(text) > 0 && text[0] != '#':
			l := listed{line: n, text: string(text)}
			if why := l.read(expect); why != "" {
				bad(n, why)
			} else if err := f(&l); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}

// readLong reads the rest of a line that is longer than the reader's buffer, of
// which it keeps no more than maxListLine.
func readLong(r *bufio.Reader, line []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxListLine-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// read takes a line apart, and says what is wrong with it.
func (l *listed) read(expect bool) string {
	address := l.text
	if expect {
		words := strings.Fields(l.text)
		if len(words) < 2 || len(words) > 3 || words[0] != "allow" && words[0] != "disallow" {
			return `not of the form "allow URL" or "disallow URL", with a client's id behind it if need be`
		}
		l.words, address = words, words[1]
	}
	return l.parse(address)
}

// parse reads a URL, or a path that begins with a slash.
func (l *listed) parse(address string) string {
	path := strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
	if path {
		address = "http://path.invalid" + address
	}
	u, err := weburl.Parse(address)
	if err != nil {
		if !strings.Contains(address, "://") {
			return "not a URL with scheme and host, nor a path that begins with /"
		}
		return err.Error()
	}
	l.path = u.PathQuery()
	if !path {
		l.url = u
	}
	return ""
}

// urlFeed hands the URLs of a list, of arguments or of a store to f, and keeps
// account of those that were left out.
type urlFeed struct {
	name    string       // of the list
	origin  crawl.Origin // if set, URLs of others are left out
	streams streams
	read    int64
	foreign int64 // of other origins
	bad     int64
	rows    int64 // that were printed
	shown   time.Time
}

// maxBadShown is how many bad lines are named; all are counted.
const maxBadShown = 10

func (u *urlFeed) badLine(line int, why string) {
	if u.bad++; u.bad <= maxBadShown {
		u.streams.say("%s:%d: %s", u.name, line, why)
	}
}

// wants counts l, and reports whether it is to be judged.
func (u *urlFeed) wants(l *listed) bool {
	u.read++
	if u.streams.tty && u.read%4096 == 0 {
		if now := time.Now(); now.Sub(u.shown) > time.Second/2 {
			u.shown = now
			fmt.Fprintf(u.streams.err, "\r%d URLs", u.read)
		}
	}
	if u.origin != "" && l.url != "" && l.url.Origin() != u.origin {
		u.foreign++
		return false
	}
	return true
}

// file reads the list in a file, or in standard input for "-".
func (u *urlFeed) file(path string, expect bool, f func(*listed) error) error {
	in := io.Reader(os.Stdin)
	if u.name = "standard input"; path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return usageError("%v", err)
		}
		defer file.Close()
		in, u.name = file, path
	}
	return eachListed(in, expect, func(l *listed) error {
		if !u.wants(l) {
			return nil
		}
		return f(l)
	}, u.badLine)
}

// args reads URLs of the command line.
func (u *urlFeed) args(list []string, f func(*listed) error) error {
	for i, text := range list {
		l := listed{line: i + 1, text: text}
		if why := l.parse(text); why != "" {
			return usageError("%s: %s", text, why)
		}
		if u.wants(&l) {
			if err := f(&l); err != nil {
				return err
			}
		}
	}
	return nil
}

// end says what was left out; bad lines are an error.
func (u *urlFeed) end() error {
	if u.streams.tty && !u.shown.IsZero() {
		fmt.Fprint(u.streams.err, "\r                    \r")
	}
	if u.foreign > 0 {
		u.streams.say("%d URLs of other schemes, hosts or ports than %s were left out: its robots.txt is not about them", u.foreign, u.origin)
	}
	if u.bad > 0 {
		return usageError("%d of the lines of %s are no URLs and were left out", u.bad, u.name)
	}
	return nil
}

// originOf reads --origin, or else takes that of a robots.txt that was fetched.
func (m *robotsModes) originOf(sources ...*robotsSource) (crawl.Origin, error) {
	if m.where != "" {
		u, err := parseURL(m.where)
		if err != nil {
			return "", fmt.Errorf("--origin: %w", err)
		}
		return u.Origin(), nil
	}
	for _, src := range sources {
		if src.origin != "" {
			return src.origin, nil
		}
	}
	return "", nil
}
