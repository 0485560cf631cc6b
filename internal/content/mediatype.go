package content

import (
	"path"
	"strings"

	"trawl/internal/crawl"
)

// mediaTypes gives the report's label (I2) of media types. Families that it
// does not name are in typeOf.
var mediaTypes = map[string]crawl.FileType{
	"text/html":             crawl.TypeHTML,
	"application/xhtml+xml": crawl.TypeHTML,

	"text/css":        crawl.TypeCSS,
	"application/pdf": crawl.TypePDF, "application/x-pdf": crawl.TypePDF,

	"text/javascript": crawl.TypeJavaScript, "application/javascript": crawl.TypeJavaScript, "application/x-javascript": crawl.TypeJavaScript,
	"application/ecmascript": crawl.TypeJavaScript, "text/ecmascript": crawl.TypeJavaScript, "text/x-javascript": crawl.TypeJavaScript,

	"application/json": crawl.TypeJSON, "text/json": crawl.TypeJSON, "application/x-json": crawl.TypeJSON, "application/x-ndjson": crawl.TypeJSON,

	"application/rss+xml": crawl.TypeSyndication, "application/atom+xml": crawl.TypeSyndication, "text/rss+xml": crawl.TypeSyndication,
	"application/feed+json": crawl.TypeSyndication, "application/x-rss+xml": crawl.TypeSyndication,

	"application/xml": crawl.TypeOtherXML, "text/xml": crawl.TypeOtherXML,

	"application/vnd.google-earth.kml+xml": crawl.TypeGeo, "application/vnd.google-earth.kmz": crawl.TypeGeo, "application/gpx+xml": crawl.TypeGeo,
	"application/geo+json": crawl.TypeGeo, "application/vnd.geo+json": crawl.TypeGeo, "application/gml+xml": crawl.TypeGeo,

	"application/vnd.apple.mpegurl": crawl.TypeVideo, "application/x-mpegurl": crawl.TypeVideo, "audio/mpegurl": crawl.TypeVideo, "audio/x-mpegurl": crawl.TypeVideo,
	"application/mp4": crawl.TypeVideo, "application/vnd.rn-realmedia": crawl.TypeVideo, "application/dash+xml": crawl.TypeVideo,
	"application/x-silverlight-app": crawl.TypeVideo, "application/vnd.ms-asf": crawl.TypeVideo, "audio/x-pn-realaudio": crawl.TypeVideo,
	"application/ogg": crawl.TypeAudio,
}

// typeOf returns the report's label of a media type.
func typeOf(mediaType string) crawl.FileType {
	if t, ok := mediaTypes[mediaType]; ok {
		return t
	}
	major, minor, _ := strings.Cut(mediaType, "/")
	switch {
	case major == "image":
		return crawl.TypeImage
	case major == "video":
		return crawl.TypeVideo
	case major == "audio":
		return crawl.TypeAudio
	case strings.HasSuffix(minor, "+json"):
		return crawl.TypeJSON
	case strings.HasSuffix(minor, "+xml"):
		return crawl.TypeOtherXML
	}
	return crawl.TypeOther
}

// extensions gives the media type of file name extensions (K2, K3).
var extensions = map[string]string{
	"html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "php": "text/html", "asp": "text/html", "aspx": "text/html", "jsp": "text/html",
	"txt": "text/plain", "text": "text/plain", "md": "text/markdown", "csv": "text/csv", "tex": "application/x-tex", "wml": "text/vnd.wap.wml",
	"css": "text/css", "js": "text/javascript", "mjs": "text/javascript", "json": "application/json", "xml": "application/xml",
	"rss": "application/rss+xml", "atom": "application/atom+xml",
	"kml": "application/vnd.google-earth.kml+xml", "kmz": "application/vnd.google-earth.kmz", "gpx": "application/gpx+xml", "geojson": "application/geo+json",
	"pdf": "application/pdf", "ps": "application/postscript", "epub": "application/epub+zip", "hwp": "application/x-hwp", "rtf": "application/rtf",
	"doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt":  "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet", "odp": "application/vnd.oasis.opendocument.presentation",
	"bmp": "image/bmp", "gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "svg": "image/svg+xml", "avif": "image/avif", "ico": "image/x-icon",
	"3gp": "video/3gpp", "3g2": "video/3gpp2", "asf": "video/x-ms-asf", "avi": "video/x-msvideo", "divx": "video/divx", "m2v": "video/mpeg", "m3u": "audio/x-mpegurl",
	"m3u8": "application/vnd.apple.mpegurl", "m4v": "video/x-m4v", "mkv": "video/x-matroska", "mov": "video/quicktime", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
	"ogv": "video/ogg", "qvt": "video/quicktime", "ram": "audio/x-pn-realaudio", "rm": "application/vnd.rn-realmedia", "vob": "video/mpeg", "webm": "video/webm", "wmv": "video/x-ms-wmv",
	"xap": "application/x-silverlight-app",
	"mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg", "oga": "audio/ogg", "wav": "audio/wav", "flac": "audio/flac", "aac": "audio/aac",
	"zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf",
}

// byExtension returns the media type that the path of u suggests, or "".
func byExtension(u crawl.URL) string {
	ext := path.Ext(u.Path())
	if len(ext) < 2 || len(ext) > 10 {
		return ""
	}
	return extensions[strings.ToLower(ext[1:])]
}

// declared returns the media type that the response names, and the whole value
// it stands in. Of several the last valid one counts, as in the Fetch standard.
func declared(h crawl.Header) (mediaType, value string) {
	for _, f := range h.Values("Content-Type") {
		for _, v := range splitUnquoted(f, ',') {
			mt, _, _ := strings.Cut(v, ";")
			mt = strings.ToLower(strings.TrimSpace(mt))
			if isMediaType(mt) {
				mediaType, value = mt, v
			}
		}
	}
	return mediaType, value
}

func isMediaType(s string) bool {
	major, minor, ok := strings.Cut(s, "/")
	return ok && len(s) <= 127 && isToken(major) && isToken(minor) && major != "*"
}

// isToken reports whether s is a token (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7F || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// saysNothing reports whether a declared type only means "some bytes".
func saysNothing(mediaType string) bool {
	switch mediaType {
	case "", "application/octet-stream", "binary/octet-stream", "application/binary", "application/unknown", "application/x-unknown",
		"unknown/unknown", "application/force-download", "application/download", "application/x-download":
		return true
	}
	return false
}
