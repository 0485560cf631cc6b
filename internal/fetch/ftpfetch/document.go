package ftpfetch

import (
	"html"
	"strings"
)

// document writes the HTML document that stands for a directory: a link for
// each entry, relative to the directory, directories with a slash behind.
// Names that are not UTF-8 are shown with replacement characters and linked
// byte for byte.
func document(path string, entries []entry) []byte {
	size := documentSize(path)
	for i := range entries {
		size += entrySize(&entries[i])
	}
	b := make([]byte, 0, size)
	title := shown(path)
	b = append(b, docHead+title+docTitle+title+docList...)
	for i := range entries {
		b = appendEntry(b, &entries[i])
	}
	return append(b, docEnd...)
}

const (
	docHead  = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Index of "
	docTitle = "</title></head>\n<body><h1>Index of "
	docList  = "</h1>\n<ul>\n"
	docEnd   = "</ul>\n</body></html>\n"
)

func documentSize(path string) int64 {
	return int64(len(docHead) + len(docTitle) + len(docList) + len(docEnd) + 2*len(shown(path)))
}

func entrySize(e *entry) int64 {
	n := len("<li><a href=\"./\"></a></li>\n") + len(segmentText(e.name)) + len(shown(e.name))
	if e.dir {
		n += 2
	}
	return int64(n)
}

func appendEntry(b []byte, e *entry) []byte {
	slash := ""
	if e.dir {
		slash = "/"
	}
	// "./" keeps a name with a colon from being read as a scheme.
	return append(b, "<li><a href=\"./"+segmentText(e.name)+slash+"\">"+shown(e.name)+slash+"</a></li>\n"...)
}

// fitting returns as many of entries as a document of at most limit bytes has
// room for, and whether some are left out.
func fitting(path string, entries []entry, limit int64) ([]entry, bool) {
	left := limit - documentSize(path)
	if left < 0 {
		return nil, true
	}
	for i := range entries {
		if left -= entrySize(&entries[i]); left < 0 {
			return entries[:i], true
		}
	}
	return entries, false
}

// shown returns name as text of an HTML document.
func shown(name string) string {
	return html.EscapeString(strings.ToValidUTF8(name, "\uFFFD"))
}

// segmentText returns name as a path segment, safe in an attribute value. What
// RFC 3986 section 3.3 lets stand stands, but for the semicolon, which begins
// ";type=", and what means something in HTML.
func segmentText(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~!$()*+,=:@", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
