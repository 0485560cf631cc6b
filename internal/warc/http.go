package warc

import (
	"strconv"
	"strings"

	"trawl/internal/crawl"
)

// appendRequest appends the request of r as an HTTP/1.1 message. trawl sends
// GET only, and never a body.
func appendRequest(dst []byte, r *crawl.Result) []byte {
	dst = append(dst, "GET "...)
	dst = appendTarget(dst, r.URL.PathQuery())
	dst = append(dst, " HTTP/1.1\r\n"...)
	if r.SentRequest.Get("Host") == "" { // HTTP/2 has :authority instead
		dst = append(dst, "Host: "...)
		dst = appendTarget(dst, r.URL.HostPort())
		dst = append(dst, "\r\n"...)
	}
	for _, f := range r.SentRequest {
		dst = appendField(dst, f.Name, f.Value)
	}
	return append(dst, "\r\n"...)
}

// appendResponse appends the status line and header fields of r as those of an
// HTTP/1.1 message with a body of n bytes in no coding.
func appendResponse(dst []byte, r *crawl.Result, n int) []byte {
	dst = append(dst, "HTTP/1.1 "...)
	if r.Status < 100 {
		dst = append(dst, "000"[len(strconv.Itoa(r.Status)):]...)
	}
	dst = strconv.AppendInt(dst, int64(r.Status), 10)
	dst = append(dst, ' ')
	dst = appendLine(dst, r.Reason)
	dst = append(dst, "\r\n"...)

	// A response that never has a body keeps the length it names: that of the
	// representation it speaks of.
	bodyless := n == 0 && (r.Status == 304 || r.Status == 204 || r.Status < 200)
	length := strconv.Itoa(n)
	haveLength := false
	for _, f := range r.Header {
		switch {
		case strings.EqualFold(f.Name, "Content-Encoding"):
			dst = appendField(dst, "X-Crawler-Content-Encoding", f.Value)
		case strings.EqualFold(f.Name, "Transfer-Encoding"):
			dst = appendField(dst, "X-Crawler-Transfer-Encoding", f.Value)
		case !strings.EqualFold(f.Name, "Content-Length"):
			dst = appendField(dst, f.Name, f.Value)
		case bodyless && !haveLength && digits(f.Value) && len(f.Value) < 19:
			dst = appendField(dst, f.Name, f.Value)
			haveLength = true
		default:
			if !bodyless && !haveLength {
				dst = appendField(dst, f.Name, length)
				haveLength = true
			}
			if bodyless || f.Value != length {
				dst = appendField(dst, "X-Crawler-Content-Length", f.Value)
			}
		}
	}
	if !bodyless && !haveLength {
		dst = appendField(dst, "Content-Length", length)
	}
	return append(dst, "\r\n"...)
}

// appendField appends one header field. Pseudo-header fields (RFC 9113 section
// 8.3) are no fields of the message and left out.
func appendField(dst []byte, name, value string) []byte {
	if strings.HasPrefix(name, ":") {
		return dst
	}
	dst = appendName(dst, name)
	dst = append(dst, ": "...)
	dst = appendLine(dst, value)
	return append(dst, "\r\n"...)
}
