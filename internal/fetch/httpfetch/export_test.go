package httpfetch

import (
	"context"
	"io"
	"net/http/httptrace"

	"trawl/internal/crawl"
)

// CachedNames returns how many answers r keeps.
func CachedNames(r *CachingResolver) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.young) + len(r.old)
}

// Decode undoes the codings named in labels on what r has.
func Decode(r io.Reader, labels string, room int64) (body []byte, truncated bool, err error) {
	codings, err := parseCodings([]string{labels})
	if err != nil {
		return nil, false, err
	}
	x := newExchange(context.Background(), &crawl.Request{})
	defer x.end()
	var res crawl.Result
	err = decodeBody(&res, &wireReader{x: x, r: r, most: allowance(room)}, codings, room)
	return res.Body, res.Truncated, err
}

// Evict closes the connection that a fetch has just been given, as if it had been
// beyond the bound a moment before.
func Evict(got httptrace.GotConnInfo) {
	c := dialledConn(got.Conn)
	c.keeper.mu.Lock()
	c.evicted, c.closed = true, true
	c.keeper.mu.Unlock()
	c.Conn.Close()
}
