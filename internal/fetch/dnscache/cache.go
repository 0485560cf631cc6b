package dnscache

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// answer is what is known of a name. A ttl of 0 means that it is not kept.
type answer struct {
	addrs []netip.Addr
	err   error
	ttl   time.Duration
	until time.Time
}

func isNotFound(err error) bool {
	var d *net.DNSError
	return errors.As(err, &d) && d.IsNotFound
}

// cache keeps answers and makes lookups of one name at the same time one.
type cache struct {
	now func() time.Time

	mu sync.Mutex
	// Two generations bound the cache without a list: when young is full it
	// becomes old, and what is used again moves back.
	young, old map[string]answer
	half       int
	calls      map[string]*call
}

type call struct {
	done chan struct{}
	answer
	gaveUp bool // the caller's time was over: says nothing about the name
}

func newCache(names int, now func() time.Time) *cache {
	return &cache{now: now, half: max(names/2, 1), young: map[string]answer{}, old: map[string]answer{}, calls: map[string]*call{}}
}

// lookup returns the answer for name, from the cache, from a lookup under way
// or from ask.
func (c *cache) lookup(ctx context.Context, name string, ask func(context.Context) answer) ([]netip.Addr, error) {
	for {
		c.mu.Lock()
		if a, ok := c.fresh(name); ok {
			c.mu.Unlock()
			return a.addrs, a.err
		}
		l, waiting := c.calls[name]
		if !waiting {
			l = &call{done: make(chan struct{})}
			c.calls[name] = l
			c.mu.Unlock()
			c.run(ctx, name, l, ask)
			return l.addrs, l.err
		}
		c.mu.Unlock()
		select {
		case <-l.done:
			if !l.gaveUp {
				return l.addrs, l.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (c *cache) fresh(name string) (answer, bool) {
	a, ok := c.young[name]
	if !ok {
		if a, ok = c.old[name]; ok {
			c.keep(name, a)
		}
	}
	return a, ok && c.now().Before(a.until)
}

func (c *cache) keep(name string, a answer) {
	if len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[string]answer, c.half/8)
	}
	c.young[name] = a
}

func (c *cache) run(ctx context.Context, name string, l *call, ask func(context.Context) answer) {
	l.answer = ask(ctx)
	if l.err != nil && !isNotFound(l.err) && ctx.Err() != nil {
		l.gaveUp, l.err = true, context.Cause(ctx)
	}
	c.mu.Lock()
	if l.ttl > 0 {
		l.until = c.now().Add(l.ttl)
		c.keep(name, l.answer)
	}
	delete(c.calls, name)
	c.mu.Unlock()
	close(l.done)
}
