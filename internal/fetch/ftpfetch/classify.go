package ftpfetch

import (
	"context"
	"errors"

	"trawl/internal/crawl"
	"trawl/internal/fetch/failure"
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
var errTotal error = lateError{}

// lateError is a deadline of ours that has passed.
type lateError struct{}

func (lateError) Error() string { return "the fetch took longer than it may take in all" }

// Is makes it one of the errors that mean that time is over.
func (lateError) Is(target error) bool { return target == context.DeadlineExceeded }

// rules returns the whole classification: the first rule of a phase that
// matches decides. The login is PhaseRequest, what follows it until data comes is
// PhaseHeaders.
func rules() failure.Table {
	return append(failure.Connecting(), failure.Table{
		failure.When(crawl.PhaseRequest, failure.Is(errTooLong), crawl.FailHeaderTooLarge, "the server talks too much during the login"),
		failure.When(crawl.PhaseRequest, failure.TimedOut, crawl.FailHeaderTimeout, "the login was not answered in time"),
		failure.When(crawl.PhaseRequest, failure.Gone, crawl.FailReset, "the server closed the connection during the login"),
		failure.When(crawl.PhaseRequest, failure.Anything, crawl.FailUnparseable, "what the server says during the login is not FTP"),

		failure.When(crawl.PhaseHeaders, failure.Is(errTooLong), crawl.FailHeaderTooLarge, "the server talks too much ahead of the transfer"),
		failure.When(crawl.PhaseHeaders, failure.TimedOut, crawl.FailHeaderTimeout, "a command was not answered in time"),
		failure.When(crawl.PhaseHeaders, failure.Gone, crawl.FailReset, "the server closed the connection ahead of the transfer"),
		failure.When(crawl.PhaseHeaders, failure.Anything, crawl.FailUnparseable, "what the server says is not FTP"),

		failure.When(crawl.PhaseBody, failure.TimedOut, crawl.FailBodyTimeout, "the data stalled or came slower than the least rate allowed"),
		failure.When(crawl.PhaseBody, failure.Gone, crawl.FailReset, "the connection was closed in the middle of the transfer"),
		failure.When(crawl.PhaseBody, failure.Anything, crawl.FailUnparseable, "the transfer is broken"),
	}...)
}

// classify says what kind of failure err is, and one sentence for people. It
// is a pure function of its arguments: phase is where the fetch was when err
// came, unless err knows better.
func classify(err error, phase crawl.Phase) *fault {
	var own *fault
	if errors.As(err, &own) {
		return own
	}
	class, detail := rules().Find(err, phase)
	return &fault{class, phase, detail}
}

// clip bounds what a server can put into a report, and makes it one line of
// text.
func clip(s string) string { return failure.Clip(s) }
