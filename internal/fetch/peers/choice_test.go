//go:build unix

package peers_test

import (
	"testing"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/protocol"
)

// testChoice crawls three hosts with a record that speaks for a trial of HTTP/2:
// one that speaks it, one that does not, one that answers 421 to it. What is
// spoken in the end is chosen for each by its record.
func (p *peer) testChoice(t *testing.T) {
	f := p.fetcher(t)
	params := protocol.DefaultParams()
	for _, c := range []struct {
		port, path string
		want       crawl.Protocol
		optOut     bool
		tries      int // fetches for which HTTP/2 is asked
	}{
		{onTLS13, "plain/small.html", crawl.ProtocolHTTP2, false, 20},
		{onTLSOne, "plain/small.html", crawl.ProtocolHTTP1, false, params.MaxFaults},
		{onTLS12, "optout", crawl.ProtocolHTTP1, true, 1},
	} {
		rec := protocol.Begin(params, crawl.ProtocolRecord{H1: crawl.ProtocolStats{Fetches: params.TryAfter, Millis: params.TryAfter}})
		var s protocol.Session
		tries := 0
		var last crawl.Protocol
		for range 20 {
			req := p.request(c.port, c.path, protocol.For(rec, "https"))
			if req.Protocol == crawl.ProtocolHTTP2 {
				tries++
			}
			res := fetchtest.Fetch(t, f, req)
			if res.Failure != nil || res.Status != 200 {
				t.Fatalf("%s of %s: %d, %v", c.path, c.port, res.Status, res.Failure)
			}
			rec, s = protocol.Observe(params, rec, s, req.Protocol, res)
			last = res.Protocol
		}
		if last != c.want || rec.OptOut != c.optOut || tries != c.tries {
			t.Errorf("%s: over %v after %d fetches that asked for HTTP/2, opted out %v; want %v, %d, %v", c.port, last, tries, rec.OptOut, c.want, c.tries, c.optOut)
		}
	}
}
