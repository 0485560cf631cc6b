// Package failure sorts the errors of sockets into the failure classes of a
// fetch (B7): a table of rules, and the rules that do not depend on what is
// spoken over a connection.
//
// It decides which class an error of DNS, of connecting and of the TLS handshake
// is, and offers what the fetchers' own tables are made of. It does not decide
// what follows from a class (package react does), nor who ended a fetch: deadlines
// of our own carry their class with them.
//
// Invariants: the first rule of a phase that matches decides; finding it is a pure
// function of error and phase; a text that came from a server is bounded and of
// one line before it is part of a sentence for people.
//
// Sources: behaviour B7; connect(2), RFC 9293 for what a reset means.
package failure

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"trawl/internal/crawl"
)

// Rule maps the errors that match, in one phase, to a class.
type Rule struct {
	Phase crawl.Phase
	Match func(error) bool
	Class crawl.FailureClass
	Say   string // what happened, for people; the error follows
}

// When returns a rule.
func When(phase crawl.Phase, match func(error) bool, class crawl.FailureClass, say string) Rule {
	return Rule{phase, match, class, say}
}

// Table is a list of rules in order of precedence.
type Table []Rule

// Find returns the class of an error that came in a phase, and one sentence for
// people. An error that no rule matches is FailOther.
func (t Table) Find(err error, phase crawl.Phase) (crawl.FailureClass, string) {
	for i := range t {
		if r := &t[i]; r.Phase == phase && r.Match(err) {
			return r.Class, r.Say + ": " + Clip(err.Error())
		}
	}
	return crawl.FailOther, "the fetch failed: " + Clip(err.Error())
}

// Connecting returns the rules of the phases up to the TLS handshake. Each phase
// ends with a rule for everything else.
func Connecting() Table {
	return Table{
		{crawl.PhaseDNS, NotFound, crawl.FailDNS, "the name does not resolve; check its spelling and its DNS records"},
		{crawl.PhaseDNS, Anything, crawl.FailDNSUnresponsive, "no DNS server gave an answer"},

		{crawl.PhaseConnect, Is(syscall.ECONNREFUSED), crawl.FailRefused, "nothing listens on that port, or a firewall refuses us"},
		{crawl.PhaseConnect, TimedOut, crawl.FailConnectTimeout, "the server did not answer the connection attempt"},
		{crawl.PhaseConnect, Is(syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN, syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT, syscall.EACCES, syscall.EPERM), crawl.FailUnreachable, "there is no route to the address"},
		{crawl.PhaseConnect, Reset, crawl.FailReset, "the connection was reset while it was made"},
		{crawl.PhaseConnect, Anything, crawl.FailOther, "the connection could not be made"},

		{crawl.PhaseTLS, Gone, crawl.FailReset, "the server closed the connection during the TLS handshake"},
		{crawl.PhaseTLS, TimedOut, crawl.FailTLS, "the TLS handshake was not finished in time"},
		{crawl.PhaseTLS, Anything, crawl.FailTLS, "the TLS handshake failed"},
	}
}

// Anything matches every error.
func Anything(error) bool { return true }

// Is matches errors that are one of targets.
func Is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

// Says matches errors by their text, for those that have no type.
func Says(texts ...string) func(error) bool {
	return func(err error) bool {
		for _, t := range texts {
			if strings.Contains(err.Error(), t) {
				return true
			}
		}
		return false
	}
}

// NotFound matches what DNS says of a name that does not resolve.
func NotFound(err error) bool {
	var d *net.DNSError
	return errors.As(err, &d) && d.IsNotFound
}

// TimedOut matches the end of somebody's patience: ours or the kernel's.
func TimedOut(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// Reset matches a connection that was broken off.
func Reset(err error) bool {
	return Is(syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, net.ErrClosed, io.ErrClosedPipe)(err)
}

// Ended matches a connection that the server closed in good order.
func Ended(err error) bool { return Is(io.EOF, io.ErrUnexpectedEOF)(err) }

// Gone matches a connection that is no more, one way or the other.
func Gone(err error) bool { return Reset(err) || Ended(err) }

// Clip bounds what a server can put into a report through an error, and makes it
// one line of text.
func Clip(s string) string {
	const most = 300
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if cut {
		s += "…"
	}
	return s
}
