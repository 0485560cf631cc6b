package dnscache

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/miekg/dns"
)

var errStrays = errors.New("too many datagrams that are not the answer")

// dial connects to a DNS server; the connection ends with ctx.
func dial(ctx context.Context, network, server string) (c net.Conn, end func(), err error) {
	c, err = (&net.Dialer{}).DialContext(ctx, network, server)
	if err != nil {
		return nil, nil, err
	}
	// Not the deadline of ctx: whoever sees the timeout must see ctx done, too.
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	return c, func() {
		stop()
		c.Close()
	}, nil
}

// overUDP sends q from a new port, so that an answer is hard to forge, and
// reads until the answer comes.
func overUDP(ctx context.Context, server string, q *dns.Msg) (*dns.Msg, error) {
	c, end, err := dial(ctx, "udp", server)
	if err != nil {
		return nil, err
	}
	defer end()
	packed, err := q.Pack()
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(packed); err != nil {
		return nil, err
	}
	buf := make([]byte, udpBuffer)
	for range maxStrays {
		n, err := c.Read(buf)
		if err != nil {
			return nil, err
		}
		m := new(dns.Msg)
		if err := m.Unpack(buf[:n]); err != nil && !m.Truncated || !answers(m, q) {
			continue // garbage, late, or a lie
		}
		return m, nil
	}
	return nil, errStrays
}

func overTCP(ctx context.Context, server string, q *dns.Msg) (*dns.Msg, error) {
	c, end, err := dial(ctx, "tcp", server)
	if err != nil {
		return nil, err
	}
	defer end()
	conn := &dns.Conn{Conn: c}
	if err := conn.WriteMsg(q); err != nil {
		return nil, err
	}
	m, err := conn.ReadMsg()
	if err != nil {
		return nil, err
	}
	if !answers(m, q) {
		return nil, errors.New("the server answers another question over TCP")
	}
	return m, nil
}

// routesIPv6 reports whether there is a route to IPv6 addresses in general.
// Nothing is sent.
func routesIPv6() bool {
	c, err := net.Dial("udp6", "[2000::1]:53")
	if err == nil {
		c.Close()
	}
	return err == nil
}

// answers reports whether m is the answer to q (RFC 5452 section 9.1).
func answers(m, q *dns.Msg) bool {
	if m.Id != q.Id || !m.Response || m.Opcode != dns.OpcodeQuery {
		return false
	}
	if len(m.Question) == 0 && m.Rcode == dns.RcodeFormatError {
		return true // a server that could not even read the question
	}
	if len(m.Question) != 1 {
		return false
	}
	asked, got := q.Question[0], m.Question[0]
	return dns.CanonicalName(got.Name) == dns.CanonicalName(asked.Name) && got.Qtype == asked.Qtype && got.Qclass == asked.Qclass
}
