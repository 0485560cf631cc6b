package httpfetch

import (
	"sync/atomic"

	"trawl/internal/crawl"
)

// maxOverhead is how many bytes may come on an HTTP/2 connection, TLS and framing
// included, without a response header, a byte of a body or the end of a fetch, and
// maxAnswers how often net/http may write in that time. What is in flight beside
// those is bounded by connWindow and the header limit, and what is written by the
// fetches that begin; more is a flood of frames that mean nothing (empty DATA or
// CONTINUATION; SETTINGS and PING, each of which has to be answered), on which
// net/http would spend a processor until the deadline. House choices: twice that
// window, and more requests than a server lets run at a time.
const (
	maxOverhead = 2 << 20
	maxAnswers  = 1000
)

// errFlood ends a connection that is flooded, and the fetches on it.
var errFlood = &abort{crawl.FailUnparseable, "the server floods the connection with frames that carry nothing"}

// overhead counts what came on a connection, and what was written on it, since
// something of use came.
type overhead struct{ bytes, answers atomic.Int64 }

// useful notes that something of use came.
func (o *overhead) useful() {
	if o.bytes.Load() != 0 {
		o.bytes.Store(0)
		o.answers.Store(0)
	}
}

// Read reads from the connection below, and gives it up when it is flooded.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.keeper != nil && (c.overhead.bytes.Add(int64(n)) > maxOverhead || c.overhead.answers.Load() > maxAnswers) {
		return n, errFlood
	}
	return n, err
}

// Write writes to the connection below.
func (c *conn) Write(p []byte) (int, error) {
	if c.keeper != nil {
		c.overhead.answers.Add(1)
	}
	return c.Conn.Write(p)
}
