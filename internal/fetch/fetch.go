// Package fetch is the port through which requests leave: the [Fetcher]
// interface, its contract, and the [Guard] that every fetcher applies to the
// addresses it dials.
//
// A fetcher decides nothing about crawling. It sends one request, follows no
// redirect, retries nothing (but the repetition that HTTP itself demands or
// allows: 421 and HTTP_1_1_REQUIRED over HTTP/2, a stream that was refused, a
// connection that is no HTTP/2 after all, a reused connection that the server had
// closed), and reports what came as data. Package fetchtest holds the suite that every
// implementation passes.
//
// Sources: behaviours B1 to B12, RFC 9110, RFC 9112, RFC 9113.
package fetch

import (
	"context"

	"trawl/internal/crawl"
)

// Fetcher sends requests. It is safe for use by many goroutines.
type Fetcher interface {
	// Fetch sends req and reads the response up to the byte limit.
	//
	// It never returns nil and never panics on hostile input. Every way to
	// fail is a [crawl.Failure] in the result, with what came before it kept.
	// It returns at the latest when req.Timeouts.Total is over, or soon after
	// ctx is done (class FailCanceled). When it returns, nothing of the fetch
	// goes on: no goroutine, no socket but a healthy idle one in the pool.
	//
	// At the byte limit the transfer stops: the connection is closed or the
	// stream reset and nothing more is read (B5). Memory is bounded by the
	// limit, not by what the server sends.
	Fetch(ctx context.Context, req *crawl.Request) *crawl.Result

	// CloseIdle closes connections that no fetch uses.
	CloseIdle()
}
