package httpfetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"trawl/internal/crawl"
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

// rule maps the errors that match, in one phase, to a class (B7).
type rule struct {
	phase crawl.Phase
	match func(error) bool
	class crawl.FailureClass
	say   string
}

func anything(error) bool { return true }

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

func has(texts ...string) func(error) bool {
	return func(err error) bool {
		for _, t := range texts {
			if strings.Contains(err.Error(), t) {
				return true
			}
		}
		return false
	}
}

func notFound(err error) bool {
	var d *net.DNSError
	return errors.As(err, &d) && d.IsNotFound
}

func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

func brokenStream(err error) bool {
	var s streamError
	return errors.As(err, &s) && s.Code != h2ProtocolError
}

var (
	isReset = is(syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, net.ErrClosed)
	isEnd   = is(io.EOF, io.ErrUnexpectedEOF)
)

// net/http has no types for these errors; the tests of B7 hold the texts.
var (
	saysClosed   = has("server closed idle connection", "GOAWAY", "client connection lost", "client connection force closed", "client conn could not be established")
	saysTooLarge = has("server response headers exceeded", "response header list larger than advertised limit")
)

// rules is the whole classification: the first rule of a phase that matches
// decides. Each phase ends with a rule for everything else.
var rules = []rule{
	{crawl.PhaseDNS, notFound, crawl.FailDNS, "the name does not resolve; check its spelling and its DNS records"},
	{crawl.PhaseDNS, anything, crawl.FailDNSUnresponsive, "no DNS server gave an answer"},

	{crawl.PhaseConnect, is(syscall.ECONNREFUSED), crawl.FailRefused, "nothing listens on that port, or a firewall refuses us"},
	{crawl.PhaseConnect, timedOut, crawl.FailConnectTimeout, "the server did not answer the connection attempt"},
	{crawl.PhaseConnect, is(syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN, syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT, syscall.EACCES, syscall.EPERM), crawl.FailUnreachable, "there is no route to the address"},
	{crawl.PhaseConnect, isReset, crawl.FailReset, "the connection was reset while it was made"},
	{crawl.PhaseConnect, anything, crawl.FailOther, "the connection could not be made"},

	{crawl.PhaseTLS, isReset, crawl.FailReset, "the server closed the connection during the TLS handshake"},
	{crawl.PhaseTLS, isEnd, crawl.FailReset, "the server closed the connection during the TLS handshake"},
	{crawl.PhaseTLS, timedOut, crawl.FailTLS, "the TLS handshake was not finished in time"},
	{crawl.PhaseTLS, anything, crawl.FailTLS, "the TLS handshake failed"},

	{crawl.PhaseRequest, saysTooLarge, crawl.FailHeaderTooLarge, "the response header is over the limit"},
	{crawl.PhaseRequest, isReset, crawl.FailReset, "the server closed the connection while the request was sent"},
	{crawl.PhaseRequest, isEnd, crawl.FailReset, "the server closed the connection while the request was sent"},
	{crawl.PhaseRequest, saysClosed, crawl.FailReset, "the server closed the connection while the request was sent"},
	{crawl.PhaseRequest, brokenStream, crawl.FailReset, "the server reset the stream while the request was sent"},
	{crawl.PhaseRequest, anything, crawl.FailUnparseable, "what the server sent is no HTTP response"},

	{crawl.PhaseHeaders, saysTooLarge, crawl.FailHeaderTooLarge, "the response header is over the limit"},
	{crawl.PhaseHeaders, isReset, crawl.FailReset, "the server closed the connection before the response header was whole"},
	{crawl.PhaseHeaders, isEnd, crawl.FailReset, "the server closed the connection before the response header was whole"},
	{crawl.PhaseHeaders, saysClosed, crawl.FailReset, "the server closed the connection before the response header was whole"},
	{crawl.PhaseHeaders, brokenStream, crawl.FailReset, "the server reset the stream before the response header was whole"},
	{crawl.PhaseHeaders, timedOut, crawl.FailHeaderTimeout, "the response header was not whole in time"},
	{crawl.PhaseHeaders, anything, crawl.FailUnparseable, "what the server sent is no HTTP response"},

	{crawl.PhaseBody, is(io.ErrUnexpectedEOF), crawl.FailIncomplete, "the body ended before its declared end"},
	{crawl.PhaseBody, isReset, crawl.FailReset, "the connection was reset in the middle of the body"},
	{crawl.PhaseBody, saysClosed, crawl.FailReset, "the connection was closed in the middle of the body"},
	{crawl.PhaseBody, brokenStream, crawl.FailReset, "the server reset the stream in the middle of the body"},
	{crawl.PhaseBody, timedOut, crawl.FailBodyTimeout, "the body was not whole in time"},
	{crawl.PhaseBody, anything, crawl.FailUnparseable, "the body is not framed as HTTP says"},
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
	for i := range rules {
		if r := &rules[i]; r.phase == phase && r.match(err) {
			return r.class, phase, r.say + ": " + clip(err.Error())
		}
	}
	return crawl.FailOther, phase, "the request could not be sent: " + clip(err.Error())
}

// clip bounds what a server can put into a report through an error text.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
