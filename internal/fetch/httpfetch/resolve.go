package httpfetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// House choices: the system's resolver tells no TTL.
const (
	positiveTTL   = 5 * time.Minute
	negativeTTL   = 30 * time.Second
	cachedNames   = 1 << 16 // answers kept at most
	cachedPerName = 8       // addresses kept of one name
)

// systemResolver asks the servers of the operating system's configuration.
type systemResolver struct{}

func (systemResolver) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	// The pure Go resolver stops when ctx does; the C library's would go on in
	// a thread. A name with a dot is absolute: no search list, which would ask
	// for and possibly crawl other names.
	if strings.Contains(host, ".") && !strings.HasSuffix(host, ".") {
		host += "."
	}
	return (&net.Resolver{PreferGo: true}).LookupNetIP(ctx, "ip", host)
}

// CachingResolver keeps the answers of another resolver, shared by all fetches
// (B12): addresses for 5 minutes, "no such name" for 30 seconds, at most 65,536
// names (house choices). That DNS gave no answer is not kept: it is no answer.
// Lookups of one name at the same time are one. Answers are shared: callers
// must not change them.
type CachingResolver struct {
	next Resolver
	now  func() time.Time

	mu sync.Mutex
	// Two generations bound the cache without a list: when young is full it
	// becomes old, and what is used again moves back.
	young, old map[string]answer
	half       int
	calls      map[string]*call
}

type answer struct {
	addrs []netip.Addr
	err   error
	until time.Time
}

type call struct {
	done chan struct{}
	answer
	gaveUp bool // the caller's time was over: says nothing about the name
}

// NewCachingResolver returns a cache before next; now is its clock.
func NewCachingResolver(next Resolver, now func() time.Time) *CachingResolver {
	return &CachingResolver{
		next: next, now: now, half: cachedNames / 2,
		young: map[string]answer{}, old: map[string]answer{}, calls: map[string]*call{},
	}
}

// LookupNetIP implements [Resolver].
func (r *CachingResolver) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	for {
		r.mu.Lock()
		if a, ok := r.cached(host); ok {
			r.mu.Unlock()
			return a.addrs, a.err
		}
		c, waiting := r.calls[host]
		if !waiting {
			c = &call{done: make(chan struct{})}
			r.calls[host] = c
			r.mu.Unlock()
			r.ask(ctx, host, c)
			return c.addrs, c.err
		}
		r.mu.Unlock()
		select {
		case <-c.done:
			if !c.gaveUp {
				return c.addrs, c.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (r *CachingResolver) cached(host string) (answer, bool) {
	a, ok := r.young[host]
	if !ok {
		if a, ok = r.old[host]; ok {
			r.keep(host, a)
		}
	}
	return a, ok && r.now().Before(a.until)
}

func (r *CachingResolver) keep(host string, a answer) {
	if len(r.young) >= r.half {
		r.old, r.young = r.young, make(map[string]answer, r.half/8)
	}
	r.young[host] = a
}

func (r *CachingResolver) ask(ctx context.Context, host string, c *call) {
	addrs, err := r.next.LookupNetIP(ctx, host)
	if len(addrs) > cachedPerName {
		addrs = addrs[:cachedPerName:cachedPerName]
	}
	c.addrs, c.err, c.gaveUp = addrs, err, err != nil && ctx.Err() != nil
	var dns *net.DNSError
	r.mu.Lock()
	switch {
	case err == nil && len(addrs) > 0:
		c.until = r.now().Add(positiveTTL)
		r.keep(host, c.answer)
	case err == nil, errors.As(err, &dns) && dns.IsNotFound:
		c.until = r.now().Add(negativeTTL)
		r.keep(host, c.answer)
	}
	delete(r.calls, host)
	r.mu.Unlock()
	close(c.done)
}
