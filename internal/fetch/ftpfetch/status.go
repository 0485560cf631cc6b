package ftpfetch

import (
	"strings"
)

// status maps an FTP reply that refuses something to the HTTP status that
// means the same to a crawler, so that one table of reactions (package react)
// serves both. FTP has no statuses of its own for it: the table is a house
// choice throughout, read from RFC 959 section 4.2, RFC 2228 and RFC 4217.
//
//	FTP                                      HTTP
//	421 service not available                503  the server is shutting down or full
//	425, 426 data connection                 503
//	434 host not available                   503
//	450 file busy                            503
//	451 local error                          500
//	452 storage                              503
//	other 4yz                                503  "try again" is what 4yz means
//	430, 530, 532 login                      401  anonymous users are not let in
//	522, 534, 536 policy                     403  no level of protection is agreed on
//	500, 502, 504 command                    501  the server cannot do what every server must
//	501 argument                             400
//	503 sequence                             500  our sequence is right, so the server is wrong
//	550 that speaks of permission            403
//	550 otherwise                            404
//	551 page type                            404
//	552 storage                              503
//	553 name not allowed                     403
//	other 5yz                                400
func status(r reply) int {
	switch r.code {
	case 451, 503:
		return 500
	case 552:
		return 503
	case 430, 530, 532:
		return 401
	case 522, 534, 536, 553:
		return 403
	case 500, 502, 504:
		return 501
	case 550:
		if speaksOf(r.text, "permission", "denied", "not allowed", "forbidden", "access") {
			return 403
		}
		return 404
	case 551:
		return 404
	}
	if r.code < 500 {
		return 503
	}
	return 400
}

func speaksOf(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// mediaType names the media type of a file by its extension, or "" for the
// reader of the bytes to find out (K1). Only types for which clients have
// limits or readers are listed: what is here decides the byte limit (B4).
func mediaType(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	switch strings.ToLower(name[dot+1:]) {
	case "htm", "html":
		return "text/html"
	case "xhtml":
		return "application/xhtml+xml"
	case "txt":
		return "text/plain"
	case "pdf":
		return "application/pdf"
	case "xml":
		return "application/xml"
	case "css":
		return "text/css"
	case "js":
		return "text/javascript"
	case "json":
		return "application/json"
	case "jpg", "jpeg":
		return "image/jpeg"
	case "png":
		return "image/png"
	case "gif":
		return "image/gif"
	case "webp":
		return "image/webp"
	case "svg":
		return "image/svg+xml"
	case "gz":
		return "application/gzip"
	case "zip":
		return "application/zip"
	}
	return ""
}
