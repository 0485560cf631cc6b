package warc

import (
	"fmt"
	"time"

	"trawl/internal/crawl"
)

// Record is what is archived of one fetch.
type Record struct {
	Result   *crawl.Result
	Revisit  *Revisit     // not nil: the content is already in the archive
	Metadata crawl.Header // fields of the metadata record (via, hopsFromSeed, fetchTimeMs, …); none: no such record
}

// RevisitKind says why a body need not be stored again.
type RevisitKind uint8

// The kinds of revisits, each a profile of the standard.
const (
	RevisitNone RevisitKind = iota
	NotModified             // the server said so: 304 (F5)
	SamePayload             // a body came, and it has the payload digest of the earlier one
)

// Revisit names the archived capture that has the content.
type Revisit struct {
	Kind RevisitKind
	URL  crawl.URL // its URL
	Date time.Time // its Result.Start; zero = unknown
	// PayloadDigest is that of the earlier capture, as [PayloadDigest] gives
	// it. SamePayload with a body of another digest is not believed: the
	// content is archived as a response. Empty: that of the body, on trust.
	PayloadDigest string
}

// maxURL bounds URLs in bytes, so that the head of every record can be read
// back within maxHead (house choice; the platform's own URLs are far shorter).
const maxURL = 64 << 10

func (r Record) check() error {
	switch {
	case r.Result == nil:
		return fmt.Errorf("%w: it has no result", ErrInvalid)
	case r.Result.URL == "":
		return fmt.Errorf("%w: its result has no URL", ErrInvalid)
	case len(r.Result.URL) > maxURL || r.Revisit != nil && len(r.Revisit.URL) > maxURL:
		return fmt.Errorf("%w: a URL of it is longer than %d bytes", ErrInvalid, maxURL)
	case r.Result.Status < 0 || r.Result.Status > 999:
		return fmt.Errorf("%w: status %d", ErrInvalid, r.Result.Status)
	case r.Revisit != nil && r.Revisit.Kind != NotModified && r.Revisit.Kind != SamePayload:
		return fmt.Errorf("%w: its revisit has no kind", ErrInvalid)
	}
	return nil
}

// answered reports whether a server's response is in r.
func answered(r *crawl.Result) bool {
	if isFTP(r) {
		return r.Status == 200 && (r.Failure == nil || len(r.Body) > 0)
	}
	return r.Status > 0
}

func isFTP(r *crawl.Result) bool {
	if r.Protocol == crawl.ProtocolAuto {
		s := r.URL.Scheme()
		return s == "ftp" || s == "ftps"
	}
	return r.Protocol == crawl.ProtocolFTP || r.Protocol == crawl.ProtocolFTPS
}

// span is the place of a member in the encoder's output, in bytes.
type span struct{ offset, length int64 }

// group appends the records of one fetch to e.out and returns the place of the
// one that holds the response.
func (e *encoder) group(rec Record, date time.Time, ids [3]string) (span, error) {
	r := rec.Result
	if !isFTP(r) && len(r.SentRequest) > 0 {
		e.begin("request", ids[1], date)
		e.field("WARC-Concurrent-To", ids[0])
		e.exchange(r)
		e.block = appendRequest(e.block[:0], r)
		if err := e.end(typeRequest, e.block, nil); err != nil {
			return span{}, err
		}
	}
	at := int64(e.out.Len())
	if err := e.response(rec, date, ids[0]); err != nil {
		return span{}, err
	}
	place := span{at, int64(e.out.Len()) - at}
	if len(rec.Metadata) > 0 {
		e.begin("metadata", ids[2], date)
		e.field("WARC-Concurrent-To", ids[0])
		e.uri("WARC-Target-URI", string(r.URL))
		if err := e.end(typeFields, e.fields(rec.Metadata), nil); err != nil {
			return span{}, err
		}
	}
	return place, nil
}

// response appends the response, revisit or resource record.
func (e *encoder) response(rec Record, date time.Time, id string) error {
	r, body := rec.Result, rec.Result.Body
	digest := e.digest(body)
	revisit := rec.Revisit
	if revisit != nil && revisit.Kind == SamePayload && revisit.PayloadDigest != "" {
		if len(body) > 0 && revisit.PayloadDigest != digest {
			revisit = nil
		} else {
			digest = revisit.PayloadDigest
		}
	}
	ftp := isFTP(r)
	kind, contentType := "response", typeResponse
	switch {
	case revisit != nil:
		kind = "revisit"
	case ftp:
		kind, contentType = "resource", r.Header.Get("Content-Type")
		if contentType == "" {
			contentType = "application/octet-stream"
		}
	}
	e.begin(kind, id, date)
	e.exchange(r)
	truncated := truncation(r)
	if revisit != nil {
		truncated = e.revisit(revisit, truncated)
	}
	if revisit == nil || revisit.Kind == SamePayload {
		e.field("WARC-Payload-Digest", digest)
	}
	e.field("WARC-Truncated", truncated)

	e.block = e.block[:0]
	if !ftp {
		n := len(body)
		if revisit != nil && revisit.Kind == NotModified {
			n = 0
		}
		e.block = appendResponse(e.block, r, n)
	}
	if revisit != nil {
		body = nil
	}
	return e.end(contentType, e.block, body)
}

// exchange adds the named fields that the request and its response share.
func (e *encoder) exchange(r *crawl.Result) {
	e.uri("WARC-Target-URI", string(r.URL))
	if a := r.Remote.Addr(); a.IsValid() {
		e.field("WARC-IP-Address", a.Unmap().WithZone("").String())
	}
	switch r.Protocol {
	case crawl.ProtocolHTTP1:
		e.field("WARC-Protocol", "http/1.1")
	case crawl.ProtocolHTTP2:
		if r.TLSVersion != "" || r.URL.Scheme() == "https" {
			e.field("WARC-Protocol", "h2")
		} else {
			e.field("WARC-Protocol", "h2c")
		}
	case crawl.ProtocolFTP, crawl.ProtocolFTPS:
		e.field("WARC-Protocol", "ftp")
	}
	if r.TLSVersion != "" {
		e.field("WARC-Protocol", "tls/"+r.TLSVersion)
	}
}

// revisit adds the named fields of a revisit and returns the truncation to
// state: a body left out for its digest counts as one by length.
func (e *encoder) revisit(v *Revisit, truncated string) string {
	profile := "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
	if v.Kind == SamePayload {
		profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
		truncated = "length"
	}
	e.field("WARC-Profile", profile)
	e.uri("WARC-Refers-To-Target-URI", string(v.URL))
	if datable(v.Date) {
		e.field("WARC-Refers-To-Date", v.Date.UTC().Format(dateLayout))
	}
	return truncated
}

// truncation returns the value of WARC-Truncated, or "" for a whole response.
func truncation(r *crawl.Result) string {
	switch {
	case r.Truncated:
		return "length" // B5
	case r.Failure == nil || r.Failure.Class == crawl.FailNone:
		return ""
	}
	switch r.Failure.Class {
	case crawl.FailBodyTimeout, crawl.FailHeaderTimeout, crawl.FailConnectTimeout:
		return "time"
	case crawl.FailReset, crawl.FailIncomplete:
		return "disconnect"
	}
	return "unspecified"
}

// fields returns h as the block of an application/warc-fields record.
func (e *encoder) fields(h crawl.Header) []byte {
	e.block = e.block[:0]
	for _, f := range h {
		e.block = append(appendName(e.block, f.Name), ": "...)
		e.block = append(appendText(e.block, f.Value), "\r\n"...)
	}
	return e.block
}

// datable reports whether t can be written as a WARC-Date.
func datable(t time.Time) bool {
	y := t.UTC().Year()
	return !t.IsZero() && y > 0 && y <= 9999
}
