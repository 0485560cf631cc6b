package httpfetch

import (
	"context"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"

	"trawl/internal/crawl"
)

// exchange is one fetch under way: its context, its watchdog and its clock.
// It is the context of everything done for the fetch, so that ending it ends
// dials and streams, too. Goroutines of net/http write into it while they
// run and may do so after the fetch is over: hence the atomics, and hence an
// exchange is never reused.
type exchange struct {
	context.Context
	cancel   context.CancelCauseFunc
	timeouts crawl.Timeouts
	began    time.Time
	trace    httptrace.ClientTrace
	timer    *time.Timer

	phase atomic.Uint32
	// Durations since began, in nanoseconds; 0 = not yet.
	connected, wrote, firstByte, body atomic.Int64
	dns, connect, tls                 atomic.Int64 // durations of these phases
	wait                              atomic.Int64 // content wait of a 201 or 202 (B8)
	way                               atomic.Pointer[crawl.Way]
	interim                           interim
	headerLimit                       int64 // bytes of the interim responses together
	// The body: only the time in which we wait for the server counts against
	// it, not the time in which we decode.
	bodyBytes, waited atomic.Int64
	readSince         atomic.Int64 // start of the read under way, plus 1; 0 = none
	streams           atomic.Int32 // times that the request was sent over HTTP/2

	// Written and read by the fetching goroutine only.
	remote netip.AddrPort
	reused bool
	conn   *conn // over HTTP/2: the one that the request went out on

	// Guarded by the keeper of the route.
	held []*conn
	over bool
}

// maxStreams bounds how often one fetch is sent over HTTP/2. A request that the
// server surely did not process (REFUSED_STREAM, GOAWAY; RFC 9113 section 8.7)
// may be sent again, and net/http does so at once; it would go on to do so for
// a minute. House choice.
const maxStreams = 2

// sends notes that the request goes out on c, over HTTP/2, or ends the fetch if
// it has been sent often enough.
func (x *exchange) sends(c *conn) bool {
	c.keeper.hold(x, c)
	x.conn = c
	if x.streams.Add(1) > maxStreams {
		x.cancel(errRefused)
		return false
	}
	return true
}

// errRefused ends a fetch that was sent often enough.
var errRefused = &abort{crawl.FailReset, "the server refuses the request again and again"}

type exchangeKey struct{}

// Value makes the exchange findable from the contexts that net/http derives.
func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	return x.Context.Value(key)
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

func newExchange(ctx context.Context, req *crawl.Request) *exchange {
	x := &exchange{timeouts: timeouts(req.Timeouts), began: time.Now()}
	x.Context, x.cancel = context.WithCancelCause(ctx)
	x.trace.GotConn = x.gotConn
	x.trace.WroteRequest = x.wroteRequest
	x.trace.GotFirstResponseByte = x.gotFirstByte
	x.trace.Got1xxResponse = x.gotInterim
	x.timer = time.AfterFunc(x.timeouts.Total, x.expire)
	return x
}

// end stops everything that still goes on for the fetch.
func (x *exchange) end() {
	x.timer.Stop()
	x.cancel(nil)
}

func (x *exchange) elapsed() time.Duration { return time.Since(x.began) }

func (x *exchange) current() crawl.Phase { return crawl.Phase(x.phase.Load()) }

// dialing notes the phase of a dial, unless the fetch has a connection already
// (one that became idle while this one was dialled).
func (x *exchange) dialing(p crawl.Phase) {
	for {
		old := x.phase.Load()
		if crawl.Phase(old) >= crawl.PhaseRequest || x.phase.CompareAndSwap(old, uint32(p)) {
			return
		}
	}
}

func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	x.reused = info.Reused
	if c := dialledConn(info.Conn); c != nil {
		if c.keeper != nil && !x.sends(c) {
			return
		}
		x.remote = c.remote
		if info.Reused {
			x.dns.Store(0)
			x.connect.Store(0)
			x.tls.Store(0)
			x.way.Store(nil)
		} else {
			x.dns.Store(int64(c.dns))
			x.connect.Store(int64(c.connect))
			x.tls.Store(int64(c.tls))
			x.way.Store(c.way)
		}
	}
	x.phase.Store(uint32(crawl.PhaseRequest))
	now := x.elapsed()
	x.wrote.Store(0)
	x.connected.Store(int64(now))
	x.timer.Reset(max(0, min(x.timeouts.Header, x.timeouts.Total-now)))
}

func (x *exchange) wroteRequest(info httptrace.WroteRequestInfo) {
	if info.Err == nil {
		x.wrote.Store(int64(x.elapsed()))
		x.phase.CompareAndSwap(uint32(crawl.PhaseRequest), uint32(crawl.PhaseHeaders))
	}
}

func (x *exchange) gotFirstByte() { x.firstByte.Store(int64(x.elapsed())) }

// startBody begins the body phase. A positive wait bounds it and makes running
// out of time no failure (B8).
func (x *exchange) startBody(wait time.Duration) {
	now := x.elapsed()
	x.wait.Store(int64(wait))
	x.body.Store(int64(now))
	x.phase.Store(uint32(crawl.PhaseBody))
	d := min(x.timeouts.Idle, x.timeouts.Total-now)
	if wait > 0 {
		d = min(d, wait)
	}
	x.timer.Reset(max(0, d))
}

// reading notes that a read of the body begins.
func (x *exchange) reading() time.Duration {
	now := x.elapsed()
	x.readSince.Store(int64(now) + 1)
	return now
}

// read notes that the read which began at since is over and made the body n
// bytes long.
func (x *exchange) read(since time.Duration, n int64) {
	x.readSince.Store(0) // first: deadline trusts the others only while this stays
	x.bodyBytes.Store(n)
	x.waited.Add(int64(x.elapsed() - since))
}

// useful notes that something of use came from the server.
func (x *exchange) useful() {
	if x.conn != nil {
		x.conn.overhead.useful()
	}
}

// expire is the watchdog: it ends the fetch when a deadline has passed, and
// sleeps until the next one otherwise. A read only moves readSince; that is
// cheaper than resetting the timer with each read.
func (x *exchange) expire() {
	if x.Err() != nil {
		return
	}
	now := x.elapsed()
	next, why := x.deadline(now)
	if why != nil {
		x.cancel(why)
		return
	}
	x.timer.Reset(next - now)
}

// deadline returns the next moment at which the fetch may be over time, or
// why it is now.
func (x *exchange) deadline(now time.Duration) (next time.Duration, why *abort) {
	t, phase := &x.timeouts, x.current()
	next = t.Total
	if now >= next {
		return 0, &abort{classAtTotal(phase), "the fetch took longer than the " + t.Total.String() + " it may take in all"}
	}
	at := func(due time.Duration, class crawl.FailureClass, detail string) {
		if now >= due && why == nil {
			why = &abort{class, detail}
		}
		next = min(next, due)
	}
	switch phase {
	case crawl.PhaseRequest, crawl.PhaseHeaders:
		from := max(x.wrote.Load(), x.connected.Load())
		at(time.Duration(from)+t.Header, crawl.FailHeaderTimeout, "the server sent no whole response header within "+t.Header.String())
	case crawl.PhaseBody:
		stalled := crawl.FailBodyTimeout
		if wait := time.Duration(x.wait.Load()); wait > 0 {
			stalled = crawl.FailNone
			at(time.Duration(x.body.Load())+wait, stalled, "the time for a 201 or 202 to show content is over")
		}
		since := time.Duration(x.readSince.Load()) - 1
		waited, n := time.Duration(x.waited.Load()), x.bodyBytes.Load()
		if since < 0 || since != time.Duration(x.readSince.Load())-1 {
			return min(next, now+t.Idle), why
		}
		at(since+t.Idle, stalled, "the body stalled for "+t.Idle.String())
		if t.MinRate > 0 {
			paid := time.Duration(n/t.MinRate) * time.Second
			at(since+max(t.Idle, paid)-waited, stalled, "the body came slower than the least rate allowed")
		}
	}
	return next, why
}

// classAtTotal is the class of a fetch that the total deadline ends in phase.
func classAtTotal(phase crawl.Phase) crawl.FailureClass {
	switch phase {
	case crawl.PhaseDNS:
		return crawl.FailDNSUnresponsive
	case crawl.PhaseNone, crawl.PhaseConnect:
		return crawl.FailConnectTimeout
	case crawl.PhaseTLS:
		return crawl.FailTLS
	case crawl.PhaseRequest, crawl.PhaseHeaders:
		return crawl.FailHeaderTimeout
	}
	return crawl.FailBodyTimeout
}

// timings returns the durations of the phases so far.
func (x *exchange) timings() crawl.Timings {
	total := x.elapsed()
	t := crawl.Timings{
		DNS: time.Duration(x.dns.Load()), Connect: time.Duration(x.connect.Load()), TLS: time.Duration(x.tls.Load()),
		Total: total, Reused: x.reused,
	}
	wrote, first := max(x.wrote.Load(), x.connected.Load()), x.firstByte.Load()
	switch {
	case first > 0:
		t.Wait = max(0, time.Duration(first-wrote))
		t.Body = max(0, total-time.Duration(first))
	case wrote > 0:
		t.Wait = max(0, total-time.Duration(wrote))
	}
	return t
}

// conn is a connection that remembers how it came about.
type conn struct {
	net.Conn
	kept
	overhead          overhead
	remote            netip.AddrPort
	dns, connect, tls time.Duration
	way               *crawl.Way // how it was made; never changed
}

// dialledConn finds the conn beneath what net/http calls the connection.
func dialledConn(c net.Conn) *conn {
	for c != nil {
		if own, ok := c.(*conn); ok {
			return own
		}
		under, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = under.NetConn()
	}
	return nil
}
