package sim

import (
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
)

// text is the file as it is sent.
func (r *RobotsFile) text() []byte {
	var b strings.Builder
	if len(r.Disallow) > 0 {
		b.WriteString("User-agent: *\n")
		writeRules(&b, r.Disallow)
	}
	if r.Group != "" {
		b.WriteString("\nUser-agent: " + r.Group + "\n")
		writeRules(&b, r.Only)
	}
	return []byte(b.String())
}

func writeRules(b *strings.Builder, paths []string) {
	if len(paths) == 0 {
		b.WriteString("Disallow:\n")
	}
	for _, p := range paths {
		b.WriteString("Disallow: " + p + "\n")
	}
}

// robotsTxt answers for /robots.txt.
func (s *site) robotsTxt(r *Response, req *crawl.Request, f *Fault, wait time.Duration) {
	file := &s.cfg.Robots
	r.body = bodyRobots
	if f != nil && f.RobotsFile != nil {
		file = f.RobotsFile
		r.body, r.path = bodyOther, string(file.text())
	}
	switch {
	case file.MoveTo != "":
		r.body = bodyNone
		r.status(301, 0)
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Location", Value: "https://" + file.MoveTo + robotsPath})
	case file.Status != 0 && file.Status != 200:
		r.body = bodyNone
		r.status(file.Status, 0)
	default:
		r.status(200, 0)
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Content-Type", Value: "text/plain"})
	}
	if file.MaxAge > 0 {
		r.result.Header = append(r.result.Header, crawl.Field{Name: "Cache-Control", Value: "max-age=" + strconv.Itoa(int(file.MaxAge.Seconds()))})
	}
	r.take(wait, 500, req)
}
