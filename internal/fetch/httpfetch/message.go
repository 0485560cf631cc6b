package httpfetch

import (
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trawl/internal/crawl"
)

// newRequest translates req. The second value lists the header fields as sent.
func (f *Fetcher) newRequest(x *exchange, req *crawl.Request) (*http.Request, crawl.Header) {
	r := f.blank.WithContext(httptrace.WithClientTrace(x, &x.trace))
	hostPort := req.URL.HostPort()
	r.URL = requestURL(req.URL, hostPort)
	r.Host = hostPort
	fields := sentFields(req, hostPort)
	r.Header = make(http.Header, len(fields))
	values := make([]string, 0, len(fields))
	// Named even when empty, or net/http would send a name of its own.
	r.Header["User-Agent"] = []string{req.UserAgent}
	for _, fld := range fields {
		switch {
		case fld.Name == "Host" || fld.Name == "User-Agent":
		case r.Header[fld.Name] != nil:
			r.Header[fld.Name] = append(r.Header[fld.Name], fld.Value)
		default:
			values = append(values, fld.Value)
			r.Header[fld.Name] = values[len(values)-1 : len(values) : len(values)]
		}
	}
	return r, fields
}

// sentFields lists the header fields of req in the order in which HTTP/1.1
// sends them: Host, User-Agent, then by name.
func sentFields(req *crawl.Request, hostPort string) crawl.Header {
	fields := make(crawl.Header, 0, 6+len(req.Extra))
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, crawl.Field{Name: name, Value: value})
		}
	}
	add("Host", hostPort)
	add("User-Agent", req.UserAgent)
	own := len(fields)
	add("Accept", req.Accept)
	add("Accept-Encoding", req.AcceptEncoding)
	add("If-Modified-Since", req.IfModifiedSince)
	add("If-None-Match", req.IfNoneMatch)
	if len(req.Extra) > 0 {
		for _, fld := range req.Extra {
			if !reserved(fld.Name) {
				fields = append(fields, fld)
			}
		}
		slices.SortStableFunc(fields[own:], func(a, b crawl.Field) int { return strings.Compare(a.Name, b.Name) })
	}
	return fields
}

// reserved reports whether name is a field that the fetcher or the framing of
// the message owns, so that an extra field of that name cannot be sent.
func reserved(name string) bool {
	for _, own := range []string{
		"Host", "User-Agent", "Accept", "Accept-Encoding", "If-Modified-Since", "If-None-Match",
		"Content-Length", "Transfer-Encoding", "Trailer",
	} {
		if strings.EqualFold(name, own) {
			return true
		}
	}
	return false
}

// requestURL builds a URL that net/http sends byte for byte as u has it:
// parsing and writing it again would change escapes such as "%zz" or "|".
func requestURL(u crawl.URL, hostPort string) *url.URL {
	target := u.PathQuery()
	r := &url.URL{Scheme: u.Scheme(), Host: hostPort, Opaque: target}
	if !strings.HasPrefix(target, "//") {
		return r
	}
	// An opaque part that begins with two slashes would be sent behind the
	// scheme. Try to have it written from its parts; the absolute form, which
	// every server must understand (RFC 9112 section 3.2.2), is the last resort.
	path, query, hasQuery := strings.Cut(target, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		parts := &url.URL{Scheme: r.Scheme, Host: hostPort, Path: plain, RawPath: path, RawQuery: query, ForceQuery: hasQuery && query == ""}
		if parts.RequestURI() == target {
			return parts
		}
	}
	r.Opaque = "//" + hostPort + target
	return r
}

// readHeader fills in what res says about the response header.
func readHeader(res *crawl.Result, resp *http.Response) {
	res.Status = resp.StatusCode
	res.Protocol = crawl.ProtocolHTTP1
	if resp.ProtoMajor == 2 {
		res.Protocol = crawl.ProtocolHTTP2
	} else if _, reason, ok := strings.Cut(resp.Status, " "); ok {
		res.Reason = reason
	}
	if resp.TLS != nil {
		res.TLSVersion = tlsVersion(resp.TLS.Version)
	}
	h := resp.Header
	// net/http moves these out of the header.
	if len(resp.TransferEncoding) > 0 {
		h["Transfer-Encoding"] = resp.TransferEncoding
	}
	if len(resp.Trailer) > 0 {
		names := make([]string, 0, len(resp.Trailer))
		for name := range resp.Trailer {
			names = append(names, name)
		}
		slices.Sort(names)
		h["Trailer"] = []string{strings.Join(names, ", ")}
	}
	// Where the end of the connection is the end of the body, nothing tells
	// whether the field was there; elsewhere it must have been.
	framed := resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0
	if resp.Close && framed && resp.ProtoMajor == 1 && resp.ProtoMinor == 1 && h["Connection"] == nil {
		h["Connection"] = []string{"close"}
	}
	res.Header, res.HeaderBytes = flatten(h)
	res.HeaderBytes += int64(len("HTTP/1.1 ") + len(strconv.Itoa(res.Status)) + len(" ") + len(res.Reason) + len("\r\n\r\n"))
}

// flatten lists the fields of h sorted by name, and their size as text.
func flatten(h http.Header) (crawl.Header, int64) {
	n := 0
	names := make([]string, 0, len(h))
	for name, values := range h {
		names = append(names, name)
		n += len(values)
	}
	slices.Sort(names)
	fields := make(crawl.Header, 0, n)
	size := 0
	for _, name := range names {
		for _, v := range h[name] {
			fields = append(fields, crawl.Field{Name: name, Value: v})
			size += len(name) + len(": ") + len(v) + len("\r\n")
		}
	}
	return fields, int64(size)
}

func tlsVersion(v uint16) string {
	if v>>8 != 3 || v&0xff == 0 {
		return "0x" + strconv.FormatUint(uint64(v), 16)
	}
	return "1." + strconv.Itoa(int(v&0xff)-1)
}
