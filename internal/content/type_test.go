package content

import (
	"strings"
	"testing"

	"trawl/internal/crawl"
)

const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF\x00"
)

func TestK1MediaType(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, body string
		url                     crawl.URL
		want                    string
		typ                     crawl.FileType
	}{
		{"named", "Text/HTML; charset=utf-8", "<p>x", "", "text/html", crawl.TypeHTML},
		{"several, the last valid", "text/plain, text/html;a=\"x,y\", nonsense", "<p>x", "", "text/html", crawl.TypeHTML},
		{"HTML called text stays text", "text/plain", "<!doctype html><p>x", "", "text/plain", crawl.TypeOther},
		{"binary called text", "text/plain", png, "", "image/png", crawl.TypeImage},
		{"missing, HTML", "", "\n <!DOCTYPE HTML><p>", "", "text/html", crawl.TypeHTML},
		{"missing, HTML after a comment", "", "<!-- x --><html>", "", "text/html", crawl.TypeHTML},
		{"missing, HTML in UTF-16", "", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "", "text/html", crawl.TypeHTML},
		{"missing, PDF", "", "%PDF-1.4\n%\xe2", "", "application/pdf", crawl.TypePDF},
		{"missing, text", "", "just words", "", "text/plain", crawl.TypeOther},
		{"missing, extension of text", "", "body { color: red }", "http://e.com/a.CSS?x.html", "text/css", crawl.TypeCSS},
		{"missing, extension of bytes", "", "\x00\x01\x02\x03", "http://e.com/a.hwp", "application/x-hwp", crawl.TypeOther},
		{"missing, nothing known", "", "\x00\x01\x02\x03", "http://e.com/a", "application/octet-stream", crawl.TypeOther},
		{"missing, extension that bytes deny", "", png, "http://e.com/a.html", "image/png", crawl.TypeImage},
		{"missing and empty", "", "", "http://e.com/a.pdf", "application/pdf", crawl.TypePDF},
		{"octet-stream, HTML", "application/octet-stream", "<html><p>", "", "text/html", crawl.TypeHTML},
		{"octet-stream, JPEG", "binary/octet-stream", jpeg, "", "image/jpeg", crawl.TypeImage},
		{"octet-stream, MP4", "application/octet-stream", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "", "video/mp4", crawl.TypeVideo},
		{"invalid", "html", "<html>", "", "text/html", crawl.TypeHTML},
		{"PDF called HTML", "text/html", "%PDF-1.4\n%\xe2", "", "application/pdf", crawl.TypePDF},
		{"image called HTML", "text/html", png, "", "image/png", crawl.TypeImage},
		{"error page called image", "image/jpeg", "<!doctype html><title>404</title>", "", "text/html", crawl.TypeHTML},
		{"image called another", "image/png", jpeg, "", "image/jpeg", crawl.TypeImage},
		{"SVG", "image/svg+xml", "<svg><a href=/x></svg>", "", "image/svg+xml", crawl.TypeImage},
		{"feed called HTML", "text/html", "<?xml version='1.0'?>\n<rss version='2.0'>", "", "application/rss+xml", crawl.TypeSyndication},
		{"feed called XML", "text/xml", "<?xml version='1.0'?><!-- x --><feed xmlns='x'>", "", "application/atom+xml", crawl.TypeSyndication},
		{"RSS 1.0", "application/xml", "<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "", "application/rss+xml", crawl.TypeSyndication},
		{"sitemap", "application/xml", "<?xml version='1.0'?><urlset>", "", "application/xml", crawl.TypeOtherXML},
		{"KML called XML", "text/xml", "<?xml version='1.0'?><kml xmlns='x'>", "", "application/vnd.google-earth.kml+xml", crawl.TypeGeo},
		{"XHTML called XML", "application/xml", "<?xml version='1.0'?><html xmlns='x'>", "", "application/xhtml+xml", crawl.TypeHTML},
		{"XHTML called HTML stays HTML", "text/html", "<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html xmlns='x'>", "", "text/html", crawl.TypeHTML},
		{"other XML", "application/xml", "<?xml version='1.0'?><x>", "", "application/xml", crawl.TypeOtherXML},
		{"text called HTML", "text/html", "words", "", "text/html", crawl.TypeHTML},
		{"script", "application/javascript", "<!-- x", "", "application/javascript", crawl.TypeJavaScript},
		{"JSON of a kind", "application/ld+json", "{}", "", "application/ld+json", crawl.TypeJSON},
		{"K3 playlist", "application/vnd.apple.mpegurl", "#EXTM3U", "", "application/vnd.apple.mpegurl", crawl.TypeVideo},
		{"audio", "audio/mpeg", "ID3\x03\x00", "", "audio/mpeg", crawl.TypeAudio},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := response(tt.body)
			if tt.contentType != "" {
				r = response(tt.body, "Content-Type: "+tt.contentType)
			}
			if tt.url != "" {
				r.URL = tt.url
			}
			p := Read(r, Options{})
			if p.MediaType != tt.want || p.Type != tt.typ {
				t.Errorf("%s (%s), want %s (%s)", p.MediaType, p.Type, tt.want, tt.typ)
			}
		})
	}
}

func TestK3Extensions(t *testing.T) {
	for want, list := range map[crawl.FileType]string{
		crawl.TypeImage: "BMP GIF JPEG PNG WebP SVG AVIF",
		crawl.TypeVideo: "3GP 3G2 ASF AVI DivX M2V M3U M3U8 M4V MKV MOV MP4 MPEG OGV QVT RAM RM VOB WebM WMV XAP",
	} {
		for _, ext := range strings.Fields(list) {
			if got := typeOf(byExtension(crawl.URL("http://e.com/a." + ext))); got != want {
				t.Errorf(".%s is %s, want %s", ext, got, want)
			}
		}
	}
}

func TestK1NoteOnWrongType(t *testing.T) {
	p := Read(response(png, "Content-Type: text/html"), Options{})
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "image/png") {
		t.Errorf("notes %q", p.Notes)
	}
}
