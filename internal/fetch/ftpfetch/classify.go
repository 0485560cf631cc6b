package ftpfetch

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

// fault is a failure on its way to the result.
type fault struct {
	class  crawl.FailureClass
	phase  crawl.Phase
	detail string
}

func (f *fault) Error() string { return f.detail }

// refusal is a reply that ends the fetch with a status: no failure, an answer.
type refusal struct{ reply reply }

func (r *refusal) Error() string { return r.reply.text }

// errTotal is the cause of a context that ended at Timeouts.Total.
var errTotal = errors.New("the fetch took longer than it may take in all")

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

func notFound(err error) bool {
	var d *net.DNSError
	return errors.As(err, &d) && d.IsNotFound
}

func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, errTotal) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &n) && n.Timeout()
}

var isGone = is(io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, net.ErrClosed)

// rules is the whole classification: the first rule of a phase that matches
// decides. The login is PhaseRequest, what follows it until data comes is
// PhaseHeaders.
var rules = []rule{
	{crawl.PhaseDNS, notFound, crawl.FailDNS, "the name does not resolve; check its spelling and its DNS records"},
	{crawl.PhaseDNS, anything, crawl.FailDNSUnresponsive, "no DNS server gave an answer"},

	{crawl.PhaseConnect, is(syscall.ECONNREFUSED), crawl.FailRefused, "nothing listens on that port, or a firewall refuses us"},
	{crawl.PhaseConnect, timedOut, crawl.FailConnectTimeout, "the server did not answer the connection attempt"},
	{crawl.PhaseConnect, is(syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN, syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT, syscall.EACCES, syscall.EPERM), crawl.FailUnreachable, "there is no route to the address"},
	{crawl.PhaseConnect, isGone, crawl.FailReset, "the connection was reset while it was made"},
	{crawl.PhaseConnect, anything, crawl.FailOther, "the connection could not be made"},

	{crawl.PhaseTLS, isGone, crawl.FailReset, "the server closed the connection during the TLS handshake"},
	{crawl.PhaseTLS, timedOut, crawl.FailTLS, "the TLS handshake was not finished in time"},
	{crawl.PhaseTLS, anything, crawl.FailTLS, "the TLS handshake failed"},

	{crawl.PhaseRequest, is(errTooLong), crawl.FailHeaderTooLarge, "the server talks too much during the login"},
	{crawl.PhaseRequest, timedOut, crawl.FailHeaderTimeout, "the login was not answered in time"},
	{crawl.PhaseRequest, isGone, crawl.FailReset, "the server closed the connection during the login"},
	{crawl.PhaseRequest, anything, crawl.FailUnparseable, "what the server says during the login is not FTP"},

	{crawl.PhaseHeaders, is(errTooLong), crawl.FailHeaderTooLarge, "the server talks too much ahead of the transfer"},
	{crawl.PhaseHeaders, timedOut, crawl.FailHeaderTimeout, "a command was not answered in time"},
	{crawl.PhaseHeaders, isGone, crawl.FailReset, "the server closed the connection ahead of the transfer"},
	{crawl.PhaseHeaders, anything, crawl.FailUnparseable, "what the server says is not FTP"},

	{crawl.PhaseBody, timedOut, crawl.FailBodyTimeout, "the data stalled or came slower than the least rate allowed"},
	{crawl.PhaseBody, isGone, crawl.FailReset, "the connection was closed in the middle of the transfer"},
	{crawl.PhaseBody, anything, crawl.FailUnparseable, "the transfer is broken"},
}

// classify says what kind of failure err is, and one sentence for people. It
// is a pure function of its arguments: phase is where the fetch was when err
// came, unless err knows better.
func classify(err error, phase crawl.Phase) *fault {
	var own *fault
	if errors.As(err, &own) {
		return own
	}
	for i := range rules {
		if r := &rules[i]; r.phase == phase && r.match(err) {
			return &fault{r.class, phase, r.say + ": " + clip(err.Error())}
		}
	}
	return &fault{crawl.FailOther, phase, "the fetch failed: " + clip(err.Error())}
}

// clip bounds what a server can put into a report, and makes it one line of
// text.
func clip(s string) string {
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
