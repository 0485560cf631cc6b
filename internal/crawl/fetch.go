package crawl

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// ClientID names one crawler client of the catalogue ("googlebot-smartphone").
type ClientID string

// Field is one header field in the order and case in which it was sent, as far
// as the protocol keeps them (HTTP/2 has lower case only).
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Header is a list of header fields. Lookups ignore case (RFC 9110 section 5.1).
type Header []Field

// Get returns the first value of name, or "".
func (h Header) Get(name string) string {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Values returns all values of name in order.
func (h Header) Values(name string) []string {
	var v []string
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			v = append(v, h[i].Value)
		}
	}
	return v
}

// MB is the megabyte of the byte limits. The documentation does not say which
// it means; 1,000,000 or 1,048,576 is a house choice: the larger, so that
// nothing a search crawler might see is cut (B4).
const MB = 1 << 20

// ByteLimits bound the decoded bytes of one file, response header included
// (B4). A zero limit means [DefaultByteLimit].
type ByteLimits struct {
	Default int64     `json:"default" yaml:"default"`
	ByType  []TypeCap `json:"by_type,omitempty" yaml:"by_type,omitempty"`
}

// TypeCap is the limit for one media type, written "type/subtype" or "type/*".
type TypeCap struct {
	MediaType string `json:"media_type" yaml:"media_type"`
	Bytes     int64  `json:"bytes" yaml:"bytes"`
}

// DefaultByteLimit is the documented limit of a client that sets none (B4).
const DefaultByteLimit = 15 * MB

// For returns the limit in bytes for a response with the given Content-Type.
func (l ByteLimits) For(contentType string) int64 {
	mt, _, _ := strings.Cut(contentType, ";")
	mt = strings.ToLower(strings.TrimSpace(mt))
	for _, c := range l.ByType {
		if c.MediaType == mt {
			return c.Bytes
		}
		if major, ok := strings.CutSuffix(c.MediaType, "/*"); ok && strings.HasPrefix(mt, major+"/") {
			return c.Bytes
		}
	}
	if l.Default > 0 {
		return l.Default
	}
	return DefaultByteLimit
}

// Timeouts bound one fetch (B11). Every field must be positive.
type Timeouts struct {
	Connect time.Duration // DNS and TCP connect, each
	TLS     time.Duration // TLS handshake
	Header  time.Duration // request sent until the response header is whole
	Idle    time.Duration // longest pause between two reads of the body
	Total   time.Duration // the fetch from start to end
	MinRate int64         // bytes per second of the body, averaged, after a grace of Idle; 0 = no minimum
}

// DefaultTimeouts are house choices: patient with slow servers, and a worker is
// free again within two minutes whatever a server does.
func DefaultTimeouts() Timeouts {
	return Timeouts{Connect: 10 * time.Second, TLS: 10 * time.Second, Header: 30 * time.Second, Idle: 20 * time.Second, Total: 2 * time.Minute, MinRate: 64}
}

// Request is one request to one server: no redirect is followed in it (B6).
type Request struct {
	URL             URL
	Client          ClientID
	UserAgent       string
	Accept          string
	AcceptEncoding  string // exactly what is advertised (A6); "" sends none
	IfNoneMatch     string // G1
	IfModifiedSince string // G2
	Extra           Header // more fields, sent last; may not repeat the ones above
	Protocol        Protocol
	Limits          ByteLimits
	Timeouts        Timeouts
	ContentWait     time.Duration // how long a 201 or 202 may take to show content (B8)
	Egress          string        // region to leave from (B10); "" = directly
}

// Phase is the part of a fetch in which something happened.
type Phase uint8

// The phases of a fetch, in order.
const (
	PhaseNone Phase = iota
	PhaseDNS
	PhaseConnect
	PhaseTLS
	PhaseRequest
	PhaseHeaders
	PhaseBody
)

var phaseNames = names{"none", "dns", "connect", "tls", "request", "headers", "body"}

func (p Phase) String() string               { return phaseNames.text(uint8(p)) }
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
func (p *Phase) UnmarshalText(b []byte) error {
	v, err := phaseNames.parse("phase", b)
	*p = Phase(v)
	return err
}

// FailureClass is the closed set of ways a fetch can fail (B7).
type FailureClass uint8

// The failure classes. A class says what happened, never what follows from it.
const (
	FailNone            FailureClass = iota
	FailDNS                          // the name does not resolve, or resolves to nothing
	FailDNSUnresponsive              // no DNS server answered, or answered SERVFAIL
	FailRefused                      // connection refused
	FailConnectTimeout               // no answer to connect
	FailUnreachable                  // no route, network down
	FailTLS                          // certificate, version, handshake
	FailReset                        // connection closed or reset before the response was whole
	FailHeaderTimeout                // no whole response header in time
	FailBodyTimeout                  // body stalled, too slow, or over the total deadline
	FailUnparseable                  // not HTTP, or malformed beyond reading
	FailHeaderTooLarge               // response header over its limit
	FailBlockedPort                  // port that no browser would speak HTTP to
	FailBlockedAddress               // private, loopback, link-local, metadata (B11)
	FailIncomplete                   // body ended before its declared end; what came is kept
	FailDecode                       // content coding damaged or unknown; what was decoded is kept
	FailProxy                        // the proxy, not the host, failed (B10)
	FailCanceled                     // we stopped: shutdown
	FailOther
)

var failureNames = names{
	"none", "dns-error", "dns-unresponsive", "connect-refused", "connect-timeout", "unreachable", "tls-error", "connection-reset",
	"header-timeout", "body-timeout", "unparseable-response", "header-too-large", "blocked-port", "blocked-address", "incomplete-body",
	"decode-error", "proxy-error", "canceled", "other",
}

func (c FailureClass) String() string               { return failureNames.text(uint8(c)) }
func (c FailureClass) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
func (c *FailureClass) UnmarshalText(b []byte) error {
	v, err := failureNames.parse("failure class", b)
	*c = FailureClass(v)
	return err
}

// Failure is a failed fetch as data: never an error value that somebody must
// take apart again.
type Failure struct {
	Class   FailureClass  `json:"class"`
	Phase   Phase         `json:"phase"`
	Host    Host          `json:"host"`
	Elapsed time.Duration `json:"elapsed_ns"`
	Detail  string        `json:"detail"` // one sentence for people
}

func (f *Failure) String() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s at %s after %s (%s phase): %s", f.Class, f.Host, f.Elapsed.Round(time.Millisecond), f.Phase, f.Detail)
}

// Timings are the durations of a fetch's phases; zero where a phase did not
// take place (a reused connection has no DNS, Connect, TLS).
type Timings struct {
	DNS     time.Duration `json:"dns_ns"`
	Connect time.Duration `json:"connect_ns"`
	TLS     time.Duration `json:"tls_ns"`
	Wait    time.Duration `json:"wait_ns"` // request sent until first byte
	Body    time.Duration `json:"body_ns"` // first byte until end
	Total   time.Duration `json:"total_ns"`
	Reused  bool          `json:"reused"`
}

// Result is what came back for one request. Status is 0 when no response
// header was read; Failure is nil when the response is whole or was cut only
// by our own byte limit (Truncated).
type Result struct {
	URL         URL
	Start       time.Time
	Status      int
	Reason      string // reason phrase, if the protocol has one
	Header      Header
	Protocol    Protocol
	Remote      netip.AddrPort
	Body        []byte // decoded; at most the limit less HeaderBytes
	Coding      string // content codings undone, outermost last: "gzip", "gzip, br"
	HeaderBytes int64  // response header as it would be written in HTTP/1.1
	WireBytes   int64  // body bytes read from the connection, before decoding
	Limit       int64  // the byte limit that applied
	Truncated   bool   // cut at Limit; handed on as if whole (B5)
	TLSVersion  string // "1.3"; "" without TLS
	Timings     Timings
	Failure     *Failure
	SentRequest Header // the request's header fields as sent, for reports and archive
	Misdirected bool   // the server refused HTTP/2 for this host (421, or HTTP_1_1_REQUIRED); this is the answer over HTTP/1.1 (B1)
	Mislabeled  bool   // Content-Encoding named a coding that the body did not have; the best reading was taken (B3)
	Way         *Way   // how the connection was made; nil when it was there already, or none was made
	Interim     []Interim
	MoreInterim int // interim responses beyond MaxInterim
}

// Way is how a connection to a server was made, for reports. It is not changed
// once a result has it.
type Way struct {
	Answer []netip.Addr     `json:"dns_answer,omitempty"` // what the name resolved to; none for an address
	Tried  []netip.AddrPort `json:"tried,omitempty"`      // in order; the last one need not be the one that answered
	Proxy  string           `json:"proxy,omitempty"`      // scheme://host:port through which the last one was tried; "" = direct
}

// Interim is a response of the class 1xx that came before the final one (RFC
// 9110 section 15.2).
type Interim struct {
	Status int    `json:"status"`
	Header Header `json:"header,omitempty"`
}

// MaxInterim bounds the interim responses kept of one fetch (house choice).
const MaxInterim = 8
