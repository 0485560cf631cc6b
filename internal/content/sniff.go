package content

import (
	"bytes"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"trawl/internal/content/charset"
	"trawl/internal/crawl"
)

// sampleSize is how many bytes are looked at for a type (house choice).
const sampleSize = 3072

// mediaTypeOf decides the media type of a response (K1).
func mediaTypeOf(named string, body []byte, u crawl.URL) string {
	if len(body) == 0 {
		if saysNothing(named) {
			return orOctets(byExtension(u))
		}
		return named
	}
	if saysNothing(named) {
		return guess(body, u)
	}
	switch major, _, _ := strings.Cut(named, "/"); {
	case named == "text/html":
		if plainMarkup(body) {
			return named
		}
		if s := sniff(body); isBinary(s) || isXML(s) && s != "application/xhtml+xml" {
			return s
		}
	case named == "application/xhtml+xml", named == "text/plain":
		if s := sniff(body); isBinary(s) {
			return s
		}
	case named == "application/xml", named == "text/xml":
		if s := sniff(body); s != "text/plain" && s != "application/octet-stream" {
			return s
		}
	case major == "image", major == "audio", major == "video", major == "font", named == "application/pdf", named == "application/zip":
		return binaryTypeOf(named, body)
	}
	return named
}

// binaryTypeOf checks a declared binary type: error pages are often sent under
// the type of the file they stand for, and images under the type of another.
func binaryTypeOf(named string, body []byte) string {
	s := sniff(body)
	switch s {
	case "text/html":
		if b := bytes.ToLower(head(body, 64)); bytes.HasPrefix(b, []byte("<!doctype html")) || bytes.HasPrefix(b, []byte("<html")) {
			return s
		}
		return named
	case "text/plain", "application/octet-stream", "application/ogg", "application/zip":
		return named
	}
	was, is := typeOf(named), typeOf(s)
	if is != was && is != crawl.TypeOther && isBinary(s) || was == crawl.TypeImage && is == crawl.TypeImage && named != "image/svg+xml" && isBinary(s) {
		return s
	}
	return named
}

// guess is the type of a response that names none: what its bytes say, or, if
// they only say "text" or nothing, its extension.
func guess(body []byte, u crawl.URL) string {
	s, ext := sniff(body), byExtension(u)
	switch s {
	case "application/octet-stream":
		if ext != "" && !isText(ext) {
			return ext
		}
	case "text/plain":
		if ext != "" && isText(ext) {
			return ext
		}
	case "application/xml", "application/zip":
		if ext != "" && typeOf(ext) != crawl.TypeHTML && isXML(ext) == isXML(s) && !strings.HasPrefix(ext, "text/") {
			return ext
		}
	}
	return s
}

func orOctets(mediaType string) string {
	if mediaType == "" {
		return "application/octet-stream"
	}
	return mediaType
}

// isText reports whether files of the type are text in some charset.
func isText(mediaType string) bool {
	switch typeOf(mediaType) {
	case crawl.TypeHTML, crawl.TypeCSS, crawl.TypeJavaScript, crawl.TypeJSON, crawl.TypeSyndication, crawl.TypeOtherXML:
		return true
	}
	return strings.HasPrefix(mediaType, "text/") || isXML(mediaType) || strings.HasSuffix(mediaType, "+json") || mediaType == "application/x-tex"
}

func isXML(mediaType string) bool {
	return mediaType == "application/xml" || mediaType == "text/xml" || strings.HasSuffix(mediaType, "+xml") || mediaType == "text/vnd.wap.wml"
}

// isBinary reports whether a sniffed type is certainly no text.
func isBinary(sniffed string) bool {
	return !isText(sniffed) && sniffed != "application/octet-stream"
}

// head returns the first n bytes behind byte order mark and white space.
func head(b []byte, n int) []byte {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	b = bytes.TrimLeft(b, "\t\n\f\r ")
	return b[:min(n, len(b))]
}

// plainMarkup reports whether body starts like ordinary HTML: the quick answer
// for nearly every page.
func plainMarkup(body []byte) bool {
	b := head(body, 16)
	return len(b) > 1 && b[0] == '<' && b[1] != '?' && !bytes.HasPrefix(b, []byte("<rss")) && !bytes.HasPrefix(b, []byte("<feed")) &&
		!bytes.HasPrefix(b, []byte("<urlset")) && !bytes.HasPrefix(b, []byte("<sitemap")) && !bytes.HasPrefix(b, []byte("<!--"))
}

// sniff returns the type that the first bytes show: text/plain for text that
// shows nothing, application/octet-stream for bytes that do.
func sniff(body []byte) string {
	sample := body[:min(len(body), sampleSize)]
	if e, from, ok := charset.Outside(sample, ""); ok {
		if from == charset.FromBOM || from == charset.FromBytes {
			sample = e.Decode(sample)
		}
	}
	if t := sniffMarkup(head(sample, sampleSize)); t != "" {
		return t
	}
	if !hasBinary(sample) && !bytes.HasPrefix(sample, []byte("%PDF-")) && !bytes.HasPrefix(sample, []byte("%!PS-")) && !bytes.HasPrefix(sample, []byte(`{\rtf`)) {
		return "text/plain"
	}
	t, _, _ := strings.Cut(mimetype.Detect(body[:min(len(body), sampleSize)]).String(), ";")
	if t == "text/plain" { // it forgives control characters; a page with them is no page
		return "application/octet-stream"
	}
	if t == "text/rtf" {
		return "application/rtf"
	}
	return t
}

// hasBinary reports whether b has a byte that no text has (WHATWG MIME
// Sniffing, binary data byte).
func hasBinary(b []byte) bool {
	for _, c := range b {
		if c <= 0x08 || c == 0x0B || 0x0E <= c && c <= 0x1A || 0x1C <= c && c <= 0x1F {
			return true
		}
	}
	return false
}

// htmlStarts are the tags that make unlabelled bytes HTML (WHATWG MIME
// Sniffing, section 7.1); each must be followed by space or '>'.
var htmlStarts = []string{
	"<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<br", "<p", "<meta", "<link",
}

// sniffMarkup returns the type of HTML or XML, or "" for anything else.
func sniffMarkup(b []byte) string {
	if len(b) == 0 || b[0] != '<' {
		return ""
	}
	xml := bytes.HasPrefix(b, []byte("<?xml"))
	b = skipProlog(b, xml)
	if !xml {
		low := strings.ToLower(string(b[:min(len(b), 16)]))
		for _, s := range htmlStarts {
			if strings.HasPrefix(low, s) && len(low) > len(s) && strings.IndexByte(" \t\n\f\r/>", low[len(s)]) >= 0 {
				return "text/html"
			}
		}
	}
	if t := rootType(b); t != "" {
		return t
	}
	if xml {
		return "application/xml"
	}
	return ""
}

// skipProlog skips comments, processing instructions, and in XML the doctype.
func skipProlog(b []byte, xml bool) []byte {
	for {
		b = bytes.TrimLeft(b, "\t\n\f\r ")
		end := ""
		switch {
		case bytes.HasPrefix(b, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(b, []byte("<!--")):
			end = "-->"
		case xml && bytes.HasPrefix(b, []byte("<!DOCTYPE")):
			end = ">"
		default:
			return b
		}
		n := bytes.Index(b, []byte(end))
		if n < 0 {
			return nil
		}
		b = b[n+len(end):]
	}
}

// rootType returns the type of an XML document by its root element at b.
func rootType(b []byte) string {
	if len(b) < 2 || b[0] != '<' {
		return ""
	}
	tag := b[1:]
	if n := bytes.IndexByte(tag, '>'); n >= 0 {
		tag = tag[:n]
	}
	name := tag
	if n := bytes.IndexAny(tag, "\t\n\r /"); n >= 0 {
		name = tag[:n]
	}
	if n := bytes.IndexByte(name, ':'); n >= 0 {
		name = name[n+1:]
	}
	switch string(name) {
	case "html":
		return "application/xhtml+xml"
	case "rss":
		return "application/rss+xml"
	case "feed":
		return "application/atom+xml"
	case "RDF":
		if bytes.Contains(tag, []byte("purl.org/rss/")) {
			return "application/rss+xml"
		}
		return "application/rdf+xml"
	case "svg":
		return "image/svg+xml"
	case "kml":
		return "application/vnd.google-earth.kml+xml"
	case "gpx":
		return "application/gpx+xml"
	case "wml":
		return "text/vnd.wap.wml"
	case "urlset", "sitemapindex":
		return "application/xml"
	}
	return ""
}
