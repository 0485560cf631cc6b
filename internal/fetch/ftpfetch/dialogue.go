package ftpfetch

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"trawl/internal/crawl"
)

// answer reads the reply that counts: preliminary ones are read past, unless
// they are wanted. 421 ends the fetch whatever it answers (RFC 959 section 4.2).
func (x *exchange) answer(preliminary bool) (reply, error) {
	x.control.conn.SetReadDeadline(x.within(x.timeouts.Header))
	for range preliminaries {
		r, err := readReply(x.control.in, &x.control.left)
		if err != nil {
			return reply{}, err
		}
		if r.code == 421 {
			return reply{}, &refusal{r}
		}
		if r.code >= 200 || preliminary {
			return r, nil
		}
	}
	return reply{}, errTooLong
}

// ask sends a command and reads its reply, whatever it is.
func (x *exchange) ask(verb, arg string) (reply, error) {
	if err := x.send(verb, arg); err != nil {
		return reply{}, err
	}
	return x.answer(false)
}

func (x *exchange) send(verb, arg string) error {
	x.control.conn.SetWriteDeadline(x.within(x.timeouts.Header))
	return x.control.send(verb, arg)
}

// must is ask where anything but success is a refusal.
func (x *exchange) must(verb, arg string) (reply, error) {
	r, err := x.ask(verb, arg)
	if err == nil && r.code/100 != 2 {
		err = &refusal{r}
	}
	return r, err
}

// enter reads the greeting and logs in, under TLS where that is wanted.
func (x *exchange) enter() error {
	x.phase = crawl.PhaseRequest
	x.asked = time.Now()
	r, err := x.answer(false)
	if err != nil {
		return err
	}
	if r.code/100 != 2 {
		return &refusal{r}
	}
	switch x.target.tls {
	case implicit:
		err = x.protect()
	case explicit:
		err = x.upgrade()
	}
	if err != nil {
		return err
	}
	return x.login()
}

func (x *exchange) login() error {
	x.phase = crawl.PhaseRequest
	r, err := x.ask("USER", "anonymous")
	if err == nil && (r.code == 331 || r.code == 332) {
		r, err = x.ask("PASS", x.opt.Password)
	}
	if err == nil && r.code/100 != 2 {
		err = &refusal{r}
	}
	return err
}

// upgrade turns to TLS in the middle of the control connection (RFC 4217
// section 4). A server that does not do it gives a *[fault].
func (x *exchange) upgrade() error {
	r, err := x.ask("AUTH", "TLS")
	if err != nil {
		return err
	}
	if r.code != 234 {
		return &fault{crawl.FailTLS, crawl.PhaseTLS, fmt.Sprintf("the server does not turn to TLS: %d %s", r.code, clip(r.text))}
	}
	if err := x.secure(); err != nil {
		return err
	}
	return x.protect()
}

// protect asks for protected data connections (RFC 4217 section 9).
func (x *exchange) protect() error {
	x.phase = crawl.PhaseRequest
	for _, c := range [][2]string{{"PBSZ", "0"}, {"PROT", "P"}} {
		r, err := x.ask(c[0], c[1])
		if err != nil {
			return err
		}
		if r.code/100 != 2 {
			return &fault{crawl.FailTLS, crawl.PhaseTLS, fmt.Sprintf("the server does not protect data connections: %d %s", r.code, clip(r.text))}
		}
	}
	return nil
}

// quit says goodbye and does not wait for the answer.
func (x *exchange) quit() {
	x.control.conn.SetWriteDeadline(x.within(quitTime))
	x.control.send("QUIT", "")
}

// mlsd reports whether the server says that it can list for machines.
func (x *exchange) mlsd() (bool, error) {
	r, err := x.ask("FEAT", "")
	if err != nil {
		return false, err
	}
	for _, line := range r.lines {
		if f := strings.Fields(line); len(f) > 0 && (strings.EqualFold(f[0], "MLST") || strings.EqualFold(f[0], "MLSD")) {
			return true, nil
		}
	}
	return false, nil
}

// open makes a data connection for the transfer that verb starts.
func (x *exchange) open(verb, arg string) (net.Conn, error) {
	port, err := x.passive()
	if err != nil {
		return nil, err
	}
	if blockedPort(port) || port == 21 || port == 990 {
		return nil, &fault{crawl.FailBlockedPort, crawl.PhaseConnect, fmt.Sprintf("the server wants to send data from port %d, which belongs to another service", port)}
	}
	// The address is always the one we talk to. What PASV says is ignored.
	x.phase = crawl.PhaseConnect
	conn, err := x.dial(netip.AddrPortFrom(x.res.Remote.Addr(), port), x.within(x.timeouts.Connect))
	if err != nil {
		return nil, err
	}
	if err := x.own(conn); err != nil {
		return nil, err
	}
	x.phase = crawl.PhaseHeaders
	if err := x.send(verb, arg); err != nil {
		return nil, err
	}
	r, err := x.answer(true)
	if err != nil {
		return nil, err
	}
	if r.code/100 != 1 {
		conn.Close()
		return nil, &refusal{r}
	}
	if x.tls != nil {
		x.phase = crawl.PhaseTLS
		return x.handshake(conn)
	}
	return conn, nil
}

// passive asks for a port to get data from: EPSV, which works for IPv4 and
// IPv6 alike and names no address, then PASV.
func (x *exchange) passive() (uint16, error) {
	r, err := x.ask("EPSV", "")
	if err != nil {
		return 0, err
	}
	if r.code == 229 {
		if port, ok := extendedPort(r.text); ok {
			return port, nil
		}
	}
	if x.res.Remote.Addr().Is6() {
		return 0, &refusal{r}
	}
	if r, err = x.must("PASV", ""); err != nil {
		return 0, err
	}
	port, ok := passivePort(r.text)
	if !ok {
		return 0, errGarbled
	}
	return port, nil
}
