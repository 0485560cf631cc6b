package crawl

import "fmt"

// names turns enum values into their stable text forms and back.
type names []string

func (n names) text(i uint8) string {
	if int(i) < len(n) {
		return n[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func (n names) parse(kind string, b []byte) (uint8, error) {
	for i, s := range n {
		if s == string(b) {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a known %s", b, kind)
}

// Kind says what a request is made for.
type Kind uint8

// The kinds of requests.
const (
	KindPage     Kind = iota // a URL of the frontier
	KindRobots               // a robots.txt file (C1)
	KindSitemap              // a sitemap (D2)
	KindResource             // a script, style or XHR of a page being rendered (J3)
	KindRender               // a rendering (J1)
)

var kindNames = names{"page", "robots", "sitemap", "resource", "render"}

func (k Kind) String() string               { return kindNames.text(uint8(k)) }
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
func (k *Kind) UnmarshalText(b []byte) error {
	v, err := kindNames.parse("kind", b)
	*k = Kind(v)
	return err
}

// Purpose is the crawl-stats breakdown by purpose (I2).
type Purpose uint8

// Discovery: the URL was never crawled before. Refresh: a recrawl.
const (
	PurposeNone Purpose = iota
	PurposeDiscovery
	PurposeRefresh
)

var purposeNames = names{"none", "Discovery", "Refresh"}

func (p Purpose) String() string               { return purposeNames.text(uint8(p)) }
func (p Purpose) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
func (p *Purpose) UnmarshalText(b []byte) error {
	v, err := purposeNames.parse("purpose", b)
	*p = Purpose(v)
	return err
}

// Via says how a URL became known.
type Via uint8

// The ways of discovery (D1, D2, D4, F4).
const (
	ViaNone Via = iota
	ViaSeed
	ViaSubmit
	ViaLink
	ViaSitemap
	ViaRedirect
	ViaCanonical
	ViaAlternate // hreflang, pagination, feeds
)

var viaNames = names{"none", "seed", "submit", "link", "sitemap", "redirect", "canonical", "alternate"}

func (v Via) String() string               { return viaNames.text(uint8(v)) }
func (v Via) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
func (v *Via) UnmarshalText(b []byte) error {
	x, err := viaNames.parse("via", b)
	*v = Via(x)
	return err
}

// Protocol is an application protocol (B1, B2).
type Protocol uint8

// The protocols. ProtocolAuto in a request leaves the choice to the fetcher:
// HTTP/1.1, or FTP where the scheme says so.
const (
	ProtocolAuto Protocol = iota
	ProtocolHTTP1
	ProtocolHTTP2
	ProtocolFTP
	ProtocolFTPS
)

var protocolNames = names{"auto", "HTTP/1.1", "HTTP/2", "FTP", "FTPS"}

func (p Protocol) String() string               { return protocolNames.text(uint8(p)) }
func (p Protocol) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
func (p *Protocol) UnmarshalText(b []byte) error {
	v, err := protocolNames.parse("protocol", b)
	*p = Protocol(v)
	return err
}

// FileType is the crawl-stats breakdown by file type (I2).
type FileType uint8

// The file types, with the report's labels as text.
const (
	TypeUnknown FileType = iota // failed requests
	TypeHTML
	TypeImage
	TypeVideo
	TypeJavaScript
	TypeCSS
	TypePDF
	TypeJSON
	TypeSyndication
	TypeOtherXML
	TypeAudio
	TypeGeo
	TypeOther // everything else, redirects among them
)

var typeNames = names{"Unknown", "HTML", "Image", "Video", "JavaScript", "CSS", "PDF", "JSON", "Syndication", "Other XML", "Audio", "Geographic data", "Other file type"}

func (t FileType) String() string               { return typeNames.text(uint8(t)) }
func (t FileType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
func (t *FileType) UnmarshalText(b []byte) error {
	v, err := typeNames.parse("file type", b)
	*t = FileType(v)
	return err
}

// ClientType is the crawl-stats breakdown by client type (I2).
type ClientType uint8

// The client types, with the report's labels as text.
const (
	ClientOther ClientType = iota
	ClientSmartphone
	ClientDesktop
	ClientImage
	ClientVideo
	ClientResource
	ClientAdsBot
	ClientStoreBot
)

var clientTypeNames = names{"Other", "Smartphone", "Desktop", "Image", "Video", "Page resource load", "AdsBot", "StoreBot"}

func (c ClientType) String() string               { return clientTypeNames.text(uint8(c)) }
func (c ClientType) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
func (c *ClientType) UnmarshalText(b []byte) error {
	v, err := clientTypeNames.parse("client type", b)
	*c = ClientType(v)
	return err
}

// Response is the crawl-stats breakdown by response (I2).
type Response uint8

// The responses, with the report's labels as text.
const (
	ResponseNone Response = iota
	ResponseOK
	ResponseNotModified
	ResponseMovedPermanently
	ResponseMovedTemporarily
	ResponseNotFound
	ResponseUnauthorized
	ResponseClientError
	ResponseServerError
	ResponseRobotsBlocked
	ResponseRobotsUnavailable
	ResponseDNSUnresponsive
	ResponseDNSError
	ResponseFetchError
	ResponseUnreachable
	ResponseTimeout
	ResponseRedirectError
	ResponseOther
)

var responseNames = names{
	"none", "OK (200)", "Not modified (304)", "Moved permanently (301)", "Moved temporarily (302)",
	"Not found (404)", "Unauthorized (401/407)", "Other client error (4XX)", "Server error (5XX)", "Blocked by robots.txt",
	"robots.txt not available", "DNS unresponsive", "DNS error", "Fetch error", "Page could not be reached", "Page timeout",
	"Redirect error", "Other error",
}

func (r Response) String() string               { return responseNames.text(uint8(r)) }
func (r Response) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
func (r *Response) UnmarshalText(b []byte) error {
	v, err := responseNames.parse("response", b)
	*r = Response(v)
	return err
}
