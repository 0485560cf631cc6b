package fetchtest

import (
	"fmt"
	"strings"
	"time"
)

// OK returns a whole response with status 200: fields are lines of its header.
func OK(body string, fields ...string) string { return Response("200 OK", body, fields...) }

// Response returns a whole response with its Content-Length.
func Response(status, body string, fields ...string) string {
	return Head(status, append(fields, fmt.Sprintf("Content-Length: %d", len(body)))...) + body
}

// Head returns a response header.
func Head(status string, fields ...string) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 " + status + "\r\n")
	for _, f := range fields {
		b.WriteString(f + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String()
}

// Chunked returns body as one chunk and the last chunk.
func Chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// Reply answers every request with text and keeps the connection.
func Reply(text string) Script {
	return func(c *Conn) {
		for {
			if _, ok := c.Request(); !ok || !c.Send(text) {
				return
			}
		}
	}
}

// Once answers one request with text and closes the connection.
func Once(text string) Script {
	return func(c *Conn) {
		if _, ok := c.Request(); ok {
			c.Send(text)
		}
	}
}

// Stall answers one request with text and then sends nothing for ever.
func Stall(text string) Script {
	return func(c *Conn) {
		if _, ok := c.Request(); ok && c.Send(text) {
			c.Await()
		}
	}
}

// ResetAfter answers one request with text and resets the connection, after a
// moment in which the client can read it.
func ResetAfter(text string) Script {
	return func(c *Conn) {
		if _, ok := c.Request(); ok && c.Send(text) && !c.gone(50*time.Millisecond) {
			c.Reset()
		}
	}
}

// Endless answers one request with text and then with block, for ever and as
// fast as it can.
func Endless(text, block string) Script {
	return func(c *Conn) {
		if _, ok := c.Request(); ok && c.Send(text) {
			c.Flood(block)
		}
	}
}

// Trickle answers one request with text and then with block at every tick, for
// ever.
func Trickle(text, block string, every time.Duration) Script {
	return func(c *Conn) {
		if _, ok := c.Request(); ok && c.Send(text) {
			c.Drip(block, every)
		}
	}
}

// Mute accepts and never says anything.
func Mute() Script { return func(c *Conn) { c.Await() } }

// Hangup closes each connection at once.
func Hangup() Script { return func(*Conn) {} }

// Hostile returns scripts that each misbehave in another way, by name; every
// one must end as a bounded result (case 21 and B7).
func Hostile() map[string]Script {
	const tick = 20 * time.Millisecond
	flood := strings.Repeat("x", 16<<10)
	return map[string]Script{
		"hangup":              Hangup(),
		"mute":                Mute(),
		"reset":               ResetAfter(""),
		"close":               Once(""),
		"garbage":             Once("\x00\x01\x02 garbage\r\n\r\n"),
		"http/0.9":            Once("<html>old</html>\r\n"),
		"ssh":                 Stall("SSH-2.0-OpenSSH_9.6\r\n"),
		"half a status line":  Stall("HTTP/1.1 20"),
		"half a header":       Stall("HTTP/1.1 200 OK\r\nContent-Ty"),
		"1 MB field":          Once("HTTP/1.1 200 OK\r\nX-Big: " + strings.Repeat("y", 1<<20) + "\r\n\r\n"),
		"10,000 fields":       Once("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Many: 0123456789012345678901234\r\n", 10000) + "\r\n"),
		"endless fields":      Endless("HTTP/1.1 200 OK\r\n", strings.Repeat("X-More: yes\r\n", 100)),
		"trickled fields":     Trickle("HTTP/1.1 200 OK\r\n", "X-More: yes\r\n", tick),
		"100 for ever":        Endless("", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100)),
		"103 for ever":        Trickle("", "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", tick),
		"101 unasked":         Stall("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n"),
		"endless body":        Endless(Head("200 OK", "Content-Type: audio/mpeg"), flood),
		"endless chunks":      Endless(Head("200 OK", "Transfer-Encoding: chunked"), "4000\r\n"+flood+"\r\n"),
		"trickled body":       Trickle(Head("200 OK"), "x", tick),
		"stalled body":        Stall(Head("200 OK", "Content-Length: 100") + "x"),
		"body cut off":        Once(Head("200 OK", "Content-Length: 100") + "x"),
		"body reset":          ResetAfter(Head("200 OK", "Content-Length: 100") + "x"),
		"chunk cut off":       Once(Head("200 OK", "Transfer-Encoding: chunked") + "40\r\nabc"),
		"bad chunk":           Once(Head("200 OK", "Transfer-Encoding: chunked") + "zz\r\nabc\r\n"),
		"endless chunk ext":   Endless(Head("200 OK", "Transfer-Encoding: chunked")+"1;", "ext=1;"),
		"endless trailers":    Endless(Head("200 OK", "Transfer-Encoding: chunked")+"1\r\nx\r\n0\r\n", "X-T: 1\r\n"),
		"two content lengths": Once("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
		"negative length":     Once("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabcd"),
		"empty gzip members":  Endless(Head("200 OK", "Content-Encoding: gzip"), strings.Repeat(emptyMember, 100)),
	}
}

// emptyMember is a gzip member without content: wire bytes that never decode
// to anything.
const emptyMember = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
