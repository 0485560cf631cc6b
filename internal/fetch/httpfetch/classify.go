package httpfetch

import (
	"errors"
	"fmt"
	"io"

	"trawl/internal/crawl"
	"trawl/internal/fetch/failure"
)

// abort is why we ended a fetch ourselves. FailNone as class means that what
// came by then is the result (B8).
type abort struct {
	class  crawl.FailureClass
	detail string
}

func (a *abort) Error() string { return a.detail }

// blockedError says that the Guard refuses an address.
type blockedError struct{ why error }

func (e *blockedError) Error() string { return e.why.Error() }

// dialError carries the phase in which a dial failed.
type dialError struct {
	phase crawl.Phase
	err   error
}

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// streamError is the shape of net/http's HTTP/2 stream error, which can be
// taken apart only by a type with the same fields.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return fmt.Sprintf("stream error %#x", e.Code) }

// HTTP/2 error codes. Source: RFC 9113 section 7.
const (
	h2ProtocolError  = 0x1
	h2HTTP11Required = 0xd
)

func streamCode(err error, code uint32) bool {
	var s streamError
	return errors.As(err, &s) && s.Code == code
}

func brokenStream(err error) bool {
	var s streamError
	return errors.As(err, &s) && s.Code != h2ProtocolError
}

// net/http has no types for these errors; the tests of B7 hold the texts.
var (
	saysClosed   = failure.Says("server closed idle connection", "GOAWAY", "client connection lost", "client connection force closed", "client conn could not be established")
	saysGoAway   = failure.Says("GOAWAY")
	saysTooLarge = failure.Says("server response headers exceeded", "response header list larger than advertised limit")
)

// rules returns the whole classification: the first rule of a phase that
// matches decides. Each phase ends with a rule for everything else.
func rules() failure.Table {
	return append(failure.Connecting(), failure.Table{
		failure.When(crawl.PhaseRequest, saysTooLarge, crawl.FailHeaderTooLarge, "the response header is over the limit"),
		failure.When(crawl.PhaseRequest, failure.Reset, crawl.FailReset, "the server closed the connection while the request was sent"),
		failure.When(crawl.PhaseRequest, failure.Ended, crawl.FailReset, "the server closed the connection while the request was sent"),
		failure.When(crawl.PhaseRequest, saysClosed, crawl.FailReset, "the server closed the connection while the request was sent"),
		failure.When(crawl.PhaseRequest, brokenStream, crawl.FailReset, "the server reset the stream while the request was sent"),
		failure.When(crawl.PhaseRequest, failure.Anything, crawl.FailUnparseable, "what the server sent is no HTTP response"),

		failure.When(crawl.PhaseHeaders, saysTooLarge, crawl.FailHeaderTooLarge, "the response header is over the limit"),
		failure.When(crawl.PhaseHeaders, failure.Reset, crawl.FailReset, "the server closed the connection before the response header was whole"),
		failure.When(crawl.PhaseHeaders, failure.Ended, crawl.FailReset, "the server closed the connection before the response header was whole"),
		failure.When(crawl.PhaseHeaders, saysClosed, crawl.FailReset, "the server closed the connection before the response header was whole"),
		failure.When(crawl.PhaseHeaders, brokenStream, crawl.FailReset, "the server reset the stream before the response header was whole"),
		failure.When(crawl.PhaseHeaders, failure.TimedOut, crawl.FailHeaderTimeout, "the response header was not whole in time"),
		failure.When(crawl.PhaseHeaders, failure.Anything, crawl.FailUnparseable, "what the server sent is no HTTP response"),

		failure.When(crawl.PhaseBody, failure.Is(io.ErrUnexpectedEOF), crawl.FailIncomplete, "the body ended before its declared end"),
		failure.When(crawl.PhaseBody, failure.Reset, crawl.FailReset, "the connection was reset in the middle of the body"),
		failure.When(crawl.PhaseBody, saysClosed, crawl.FailReset, "the connection was closed in the middle of the body"),
		failure.When(crawl.PhaseBody, brokenStream, crawl.FailReset, "the server reset the stream in the middle of the body"),
		failure.When(crawl.PhaseBody, failure.TimedOut, crawl.FailBodyTimeout, "the body was not whole in time"),
		failure.When(crawl.PhaseBody, failure.Anything, crawl.FailUnparseable, "the body is not framed as HTTP says"),
	}...)
}

// classify says what kind of failure err is, and one sentence for people. It
// is a pure function of its arguments: phase is where the fetch was when err
// came, unless err knows better.
func classify(err error, phase crawl.Phase) (crawl.FailureClass, crawl.Phase, string) {
	var dial *dialError
	if errors.As(err, &dial) {
		phase = dial.phase
	}
	var ours *abort
	if errors.As(err, &ours) {
		return ours.class, phase, ours.detail
	}
	var blocked *blockedError
	if errors.As(err, &blocked) {
		return crawl.FailBlockedAddress, crawl.PhaseConnect, blocked.Error()
	}
	class, detail := rules().Find(err, phase)
	return class, phase, detail
}

// clip bounds what a server can put into a report through an error text.
func clip(s string) string { return failure.Clip(s) }
