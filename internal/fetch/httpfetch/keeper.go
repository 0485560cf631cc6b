package httpfetch

import (
	"container/list"
	"slices"
	"sync"
)

// keeper bounds the idle HTTP/2 connections of a route. net/http keeps them in
// a pool of its own, which no option bounds over all hosts, and cannot tell when
// one of them is stuck: so every fetch holds the connections that were made for
// it or given to it, and lets go of them when it is over.
//
// A connection that no fetch holds is idle. Beyond the bound the one that has
// been idle longest is closed. One on which a fetch failed is closed as soon as
// nobody holds it, because what blocked that fetch may block the connection's
// own goroutines: nothing of a fetch goes on after it.
//
// net/http chooses a connection a moment before it says so; one that is closed
// in that moment is marked as evicted, and the fetch is sent again.
type keeper struct {
	most int // connections that may be idle

	mu   sync.Mutex
	idle list.List // of *conn, longest idle first
}

// kept is what a keeper knows of a connection. All but the pointer to the
// keeper is guarded by its mutex.
type kept struct {
	keeper  *keeper // nil = not kept: HTTP/1.1, which net/http bounds itself
	holders int
	suspect bool // a fetch failed on it
	evicted bool // closed to keep the bound
	closed  bool
	place   *list.Element // in idle
}

// hold notes that x uses c, or will.
func (k *keeper) hold(x *exchange, c *conn) {
	k.mu.Lock()
	c.holders++
	if c.place != nil {
		k.idle.Remove(c.place)
		c.place = nil
	}
	over := x.over
	if !over {
		x.held = append(x.held, c)
	}
	k.mu.Unlock()
	if over { // made for a fetch that is over by now, and of no use to it
		k.release(true, c)
	}
}

// end lets go of all that x holds; failed says that x did not end well.
func (k *keeper) end(x *exchange, failed bool) {
	k.mu.Lock()
	held := x.held
	x.held, x.over = nil, true
	k.mu.Unlock()
	k.release(failed, held...)
}

func (k *keeper) release(failed bool, held ...*conn) {
	if len(held) == 0 {
		return
	}
	var closing []*conn
	k.mu.Lock()
	for _, c := range held {
		c.holders--
		c.overhead.useful() // what is still in flight for it counts anew
		c.suspect = c.suspect || failed
		switch {
		case c.holders > 0 || c.closed:
		case c.suspect:
			c.closed = true
			closing = append(closing, c)
		default:
			c.place = k.idle.PushBack(c)
		}
	}
	closing = k.evict(k.most, closing)
	k.mu.Unlock()
	for _, c := range closing {
		c.Conn.Close()
	}
}

// closeIdle closes every connection that no fetch holds. net/http itself would
// leave those on which it is still busy to end a stream.
func (k *keeper) closeIdle() {
	k.mu.Lock()
	closing := k.evict(0, nil)
	k.mu.Unlock()
	for _, c := range closing {
		c.Conn.Close()
	}
}

// evict adds to closing what is idle beyond most. The mutex is held.
func (k *keeper) evict(most int, closing []*conn) []*conn {
	for k.idle.Len() > most {
		c := k.idle.Remove(k.idle.Front()).(*conn)
		c.place, c.evicted, c.closed = nil, true, true
		closing = append(closing, c)
	}
	return closing
}

// gone notes that c is being closed.
func (k *keeper) gone(c *conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.closed = true
	if c.place != nil {
		k.idle.Remove(c.place)
		c.place = nil
	}
}

// lost reports whether a connection of x was closed to keep the bound: then
// that x failed says nothing about the host.
func (k *keeper) lost(x *exchange) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(x.held, func(c *conn) bool { return c.evicted })
}

// Close closes c, whoever holds it.
func (c *conn) Close() error {
	if c.keeper != nil {
		c.keeper.gone(c)
	}
	return c.Conn.Close()
}
