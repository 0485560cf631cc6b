package httpfetch

import (
	"context"
	"net/netip"
	"net/textproto"
	"sync"

	"trawl/internal/crawl"
)

type wayKey struct{}

// noting lets a dial note what it tries in way, until it is over.
func noting(ctx context.Context, way *crawl.Way) context.Context {
	return context.WithValue(ctx, wayKey{}, way)
}

// note adds an address that is about to be tried. Only the goroutine that runs
// the dial calls it.
func note(ctx context.Context, addr netip.AddrPort) {
	if way, _ := ctx.Value(wayKey{}).(*crawl.Way); way != nil {
		way.Tried = append(way.Tried, addr)
	}
}

func noteProxy(ctx context.Context, p *Proxy) {
	if way, _ := ctx.Value(wayKey{}).(*crawl.Way); way != nil {
		way.Proxy = p.String()
	}
}

// answered is what DNS said; nothing for a host that is an address.
func answered(host string, addrs []netip.Addr) []netip.Addr {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	return addrs
}

// interim collects the 1xx responses of a fetch. net/http calls in from the
// goroutine of a connection.
type interim struct {
	mu    sync.Mutex
	first []crawl.Interim
	count int
	bytes int64
}

// gotInterim is called by net/http, which leaves the bound to us where somebody
// looks: those before one response may have as many bytes together as its header.
func (x *exchange) gotInterim(code int, header textproto.MIMEHeader) error {
	fields, size := flatten(map[string][]string(header))
	x.interim.mu.Lock()
	defer x.interim.mu.Unlock()
	i := &x.interim
	i.count++
	// A status line and an empty line are bytes too: a thousand empty ones are many.
	if i.bytes += size + int64(len("HTTP/1.1 100 Continue\r\n\r\n")); i.bytes > x.headerLimit {
		why := &abort{crawl.FailHeaderTooLarge, "the interim responses (1xx) before the response are over the limit of its header"}
		x.cancel(why)
		return why
	}
	if len(i.first) < crawl.MaxInterim {
		i.first = append(i.first, crawl.Interim{Status: code, Header: fields})
	}
	return nil
}

// list returns the first of them, and how many more there were.
func (i *interim) list() ([]crawl.Interim, int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.first, i.count - len(i.first)
}
