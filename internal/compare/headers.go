package compare

import (
	"slices"
	"strings"

	"trawl/internal/crawl"
)

// volatile are the header fields that change with every response, or that say
// how it was transferred and not what it is. A trailing "-" stands for all names
// that begin so.
var volatile = []string{
	"age", "alt-svc", "cf-", "connection", "content-encoding", "content-length", "date", "expires", "fly-request-id", "keep-alive", "nel", "report-to",
	"reporting-endpoints", "server-timing", "traceparent", "transfer-encoding", "trailer", "via", "x-amz-", "x-amzn-", "x-azure-ref", "x-cache", "x-cache-",
	"x-correlation-id", "x-envoy-", "x-github-request-id", "x-nf-request-id", "x-request-id", "x-response-time", "x-runtime", "x-served-by", "x-timer",
	"x-trace-id", "x-varnish", "x-vercel-id", "x-robots-tag", "location", // the last two are aspects of their own
}

func isVolatile(name string) bool {
	for _, v := range volatile {
		if v == name || strings.HasSuffix(v, "-") && strings.HasPrefix(name, v) {
			return true
		}
	}
	return false
}

// maxHeaderNames bounds the names that are compared, maxHeaderValue what is kept
// of a value.
const (
	maxHeaderNames = 200
	maxHeaderValue = 300
)

// headers lists the fields in which b differs from a. Of cookies the names
// count: their values are meant to differ.
func (r *Report) headers(a, b *Seen) []Difference {
	var out []Difference
	for _, name := range fieldNames(a.header, b.header) {
		x, y := value(a.header, name), value(b.header, name)
		switch {
		case x == y:
		case isVolatile(name):
			if !aspects(name) {
				r.Ignored = append(r.Ignored, name)
			}
		default:
			out = append(out, Difference{b.Name, "header " + name, x, y})
		}
	}
	if x, y := a.RobotsTag, b.RobotsTag; x != y {
		out = append(out, Difference{b.Name, "header x-robots-tag", x, y})
	}
	return out
}

// aspects reports whether a field is compared in another place.
func aspects(name string) bool { return name == "x-robots-tag" || name == "location" }

func fieldNames(all ...crawl.Header) []string {
	var names []string
	for _, h := range all {
		for _, f := range h {
			if name := strings.ToLower(f.Name); len(names) < maxHeaderNames && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func value(h crawl.Header, name string) string {
	values := h.Values(name)
	if name == "set-cookie" {
		for i, v := range values {
			values[i], _, _ = strings.Cut(v, "=")
		}
		slices.Sort(values)
	}
	s := strings.Join(values, ", ")
	if len(s) > maxHeaderValue {
		s = strings.ToValidUTF8(s[:maxHeaderValue], "") + "…"
	}
	return s
}
