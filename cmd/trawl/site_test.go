package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// site serves a directory of a script. A file NAME.rules beside it may say of a
// path how it is answered, one a line, the last that fits counts:
//
//	/old        status=301 location=/new
//	/big        size=3000000 type=text/html
//	/radio      endless
//	/slow.html  delay=2s
//	/packed     gzip header=X-Robots-Tag:noindex
//	*           delay=100ms
//	/           agent=Googlebot status=403      for that user agent only
//	/           from=127.0.0.9 status=403       for that client address only
//	/           agent=Nexus file=/mobile.html   what is in another file
//	/counter    count                           with a header X-Count that goes up
//
// ${NAME_URL} in a rule or in a file stands for the address of the site NAME.
// NAME.log gets a line for each request: method, path with query, user agent.
type site struct {
	state  *scriptState
	dir    string
	url    string
	server *http.Server
	mu     sync.Mutex
	log    *os.File
	served atomic.Int64 // of those that are counted
}

// cmdSite starts a site: site NAME [ADDRESS]. It sets NAME_URL, NAME_HOST and
// NAME_ADDR (host and port), in capital letters.
func cmdSite(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && (len(args) == 1 || len(args) == 2), "site NAME [ADDRESS]")
	name, addr := args[0], "127.0.0.1"
	if len(args) == 2 {
		addr = args[1]
	}
	l, err := net.Listen("tcp", addr+":0")
	ts.Check(err)
	st := state(ts)
	s := &site{state: st, dir: ts.MkAbs(name), url: "http://" + l.Addr().String()}
	s.log, err = os.Create(logFile(ts, name))
	ts.Check(err)
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: patience}
	st.mu.Lock()
	st.sites[name] = s
	st.mu.Unlock()
	go func() { _ = s.server.Serve(l) }()
	upper := strings.ToUpper(name)
	ts.Setenv(upper+"_URL", s.url)
	ts.Setenv(upper+"_HOST", addr)
	ts.Setenv(upper+"_ADDR", l.Addr().String())
}

func (s *site) close() {
	_ = s.server.Close()
	_ = s.log.Close()
}

var siteURL = regexp.MustCompile(`\$\{([A-Z0-9]+)_URL\}`)

// expand replaces ${NAME_URL}.
func (st *scriptState) expand(text string) string {
	return siteURL.ReplaceAllStringFunc(text, func(ref string) string {
		st.mu.Lock()
		defer st.mu.Unlock()
		if s := st.sites[strings.ToLower(siteURL.FindStringSubmatch(ref)[1])]; s != nil {
			return s.url
		}
		return ref
	})
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	fmt.Fprintf(s.log, "%s %s %s\n", r.Method, r.URL.RequestURI(), r.UserAgent())
	s.mu.Unlock()
	rule := s.rule(r)
	select {
	case <-time.After(rule.delay):
	case <-r.Context().Done():
		return
	}
	name := r.URL.Path
	if rule.file != "" {
		name = rule.file
	}
	body, kind := s.file(name)
	if rule.kind != "" {
		kind = rule.kind
	}
	status := http.StatusOK
	switch {
	case rule.status > 0:
		status = rule.status
	case body == nil && rule.size == 0 && !rule.endless:
		status, body, kind = http.StatusNotFound, []byte("not here\n"), "text/plain"
	}
	h := w.Header()
	for name, values := range rule.header {
		h[name] = values
	}
	h.Set("Content-Type", kind)
	if rule.gzip {
		h.Set("Content-Encoding", "gzip")
	}
	if rule.count {
		h.Set("X-Count", strconv.FormatInt(s.served.Add(1), 10))
	}
	w.WriteHeader(status)
	s.write(w, r, rule, body)
}

func (s *site) write(w http.ResponseWriter, r *http.Request, rule siteRule, body []byte) {
	if rule.gzip {
		z := gzip.NewWriter(w)
		_, _ = z.Write(body)
		_ = z.Close()
		return
	}
	if _, err := w.Write(body); err != nil {
		return
	}
	filler := []byte(strings.Repeat("filler ", 1024))
	for n := len(body); rule.endless || n < rule.size; {
		part := filler
		if !rule.endless {
			part = part[:min(len(part), rule.size-n)]
		}
		k, err := w.Write(part)
		if n += k; err != nil || r.Context().Err() != nil {
			return
		}
	}
}

// file reads what the directory has for a path; nil when it has nothing.
func (s *site) file(p string) ([]byte, string) {
	p = path.Clean("/" + p)
	name := filepath.Join(s.dir, filepath.FromSlash(p))
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		name = filepath.Join(name, "index.html")
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, "text/html"
	}
	kind := mime.TypeByExtension(filepath.Ext(name))
	if kind == "" {
		kind = "text/html"
	}
	return []byte(s.state.expand(string(b))), kind
}

type siteRule struct {
	status  int
	header  http.Header
	delay   time.Duration
	size    int
	endless bool
	gzip    bool
	count   bool
	kind    string
	file    string
}

// rule reads the rules anew for each request, so that a script can change them.
func (s *site) rule(r *http.Request) siteRule {
	rule := siteRule{header: http.Header{}}
	b, err := os.ReadFile(s.dir + ".rules")
	if err != nil {
		return rule
	}
	for line := range strings.Lines(s.state.expand(string(b))) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != r.URL.RequestURI() && f[0] != "*" || !meant(f[1:], r) {
			continue
		}
		for _, word := range f[1:] {
			rule.set(word)
		}
	}
	return rule
}

// meant reports whether the conditions of a rule hold for a request.
func meant(words []string, r *http.Request) bool {
	for _, w := range words {
		if agent, ok := strings.CutPrefix(w, "agent="); ok && !strings.Contains(r.UserAgent(), agent) {
			return false
		}
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		if from, ok := strings.CutPrefix(w, "from="); ok && from != host {
			return false
		}
	}
	return true
}

func (r *siteRule) set(word string) {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "status":
		r.status, _ = strconv.Atoi(value)
	case "location":
		r.header.Set("Location", value)
	case "header":
		k, v, _ := strings.Cut(value, ":")
		v, err := strconv.Unquote(`"` + v + `"`)
		if err == nil {
			r.header[k] = append(r.header[k], v)
		}
	case "delay":
		r.delay, _ = time.ParseDuration(value)
	case "size":
		r.size, _ = strconv.Atoi(value)
	case "type":
		r.kind = value
	case "agent", "from": // conditions
	case "file":
		r.file = value
	case "count":
		r.count = true
	case "endless":
		r.endless = true
	case "gzip":
		r.gzip = true
	default:
		r.status = http.StatusTeapot // a typing error in a script shows
	}
}

// asked counts the requests of a site by path.
func asked(ts *testscript.TestScript, name string) map[string]int {
	b, err := os.ReadFile(logFile(ts, name))
	ts.Check(err)
	counts := map[string]int{}
	for line := range strings.Lines(string(b)) {
		counts[strings.Fields(line)[1]]++
	}
	return counts
}

// cmdRequests checks how often a path was asked for, or how many requests there
// were at all: requests NAME PATH|* MIN [MAX].
func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && (len(args) == 3 || len(args) == 4), "requests NAME PATH|* MIN [MAX]")
	low, err := strconv.Atoi(args[2])
	ts.Check(err)
	high := low
	if len(args) == 4 {
		high, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	n := 0
	for p, count := range asked(ts, args[0]) {
		if args[1] == "*" || args[1] == p {
			n += count
		}
	}
	if n < low || n > high {
		ts.Fatalf("%s was asked %d times for %s, want %d to %d; all requests:\n%s", args[0], n, args[1], low, high, listing(asked(ts, args[0]), true))
	}
}

// cmdPaths compares what was asked for with the lines of a file: paths [-n] NAME
// FILE. With -n each line begins with the number of requests.
func cmdPaths(ts *testscript.TestScript, neg bool, args []string) {
	count := len(args) > 0 && args[0] == "-n"
	if count {
		args = args[1:]
	}
	usage(ts, !neg && len(args) == 2, "paths [-n] NAME FILE")
	got, want := listing(asked(ts, args[0]), count), ts.ReadFile(args[1])
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		ts.Fatalf("%s was asked for\n%s\nwant\n%s", args[0], got, want)
	}
}

func listing(counts map[string]int, count bool) string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(counts)) {
		if count {
			fmt.Fprintf(&b, "%d ", counts[p])
		}
		_, _ = io.WriteString(&b, p+"\n")
	}
	return b.String()
}
