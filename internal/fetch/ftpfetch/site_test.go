package ftpfetch_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
)

// site is a scripted FTP server: well-behaved, but for what on replaces.
type site struct {
	*fetchtest.Server
	greeting string
	files    map[string]string // by path
	dirs     map[string]string // path → what LIST says
	facts    map[string]string // path → what MLSD says; nil = no MLSD
	on       map[string]func(s *session, arg string)
	tls      *tls.Config
	implicit bool

	sent     atomic.Int64 // data bytes that could be written
	dataOpen atomic.Int64

	mu   sync.Mutex
	said []string // commands in order
}

// session is one control connection of a site.
type session struct {
	*site
	raw  *fetchtest.Conn
	conn net.Conn
	in   *bufio.Reader
	data net.Listener
	cwd  string
}

func serveSite(t testing.TB, s *site) *site { return serveSiteAt(t, "127.0.0.1:0", s) }

func serveSiteAt(t testing.TB, addr string, s *site) *site {
	if s.greeting == "" {
		s.greeting = "220 ready"
	}
	s.Server = fetchtest.ServeAt(t, addr, func(c *fetchtest.Conn) {
		x := &session{site: s, raw: c, conn: c.Conn, cwd: "/"}
		defer x.closeData()
		if s.implicit && !x.startTLS() {
			return
		}
		x.in = bufio.NewReader(x.conn)
		if !x.say(s.greeting) {
			return
		}
		x.serve()
	})
	return s
}

func (s *site) ftp(path string) crawl.URL { return crawl.URL("ftp://" + s.Addr.String() + path) }

func (s *site) commands() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

func (x *session) startTLS() bool {
	c := tls.Server(x.conn, x.tls)
	if c.Handshake() != nil {
		return false
	}
	x.conn, x.in = c, bufio.NewReader(c)
	return true
}

func (x *session) say(reply string) bool {
	_, err := io.WriteString(x.conn, reply+"\r\n")
	return err == nil
}

func (x *session) serve() {
	for {
		line, err := x.in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, arg, _ := strings.Cut(line, " ")
		x.mu.Lock()
		x.said = append(x.said, line)
		x.mu.Unlock()
		if h := x.on[verb]; h != nil {
			h(x, arg)
		} else {
			x.handle(verb, arg)
		}
		if verb == "QUIT" {
			return
		}
	}
}

func (x *session) handle(verb, arg string) {
	switch verb {
	case "USER":
		x.say("331 password, please")
	case "PASS":
		x.say("230 in")
	case "AUTH":
		if x.tls == nil {
			x.say("502 no TLS")
		} else if x.say("234 go ahead") {
			x.startTLS()
		}
	case "PBSZ", "PROT", "TYPE":
		x.say("200 yes")
	case "FEAT":
		x.say("211-features")
		if x.facts != nil {
			x.say(" MLST type*;size*;")
		}
		x.say("211 end")
	case "SIZE":
		if f, ok := x.files[arg]; ok {
			x.say(fmt.Sprintf("213 %d", len(f)))
			return
		}
		x.say("550 no such file")
	case "MDTM":
		if _, ok := x.files[arg]; ok {
			x.say("213 20240102030405")
			return
		}
		x.say("550 no such file")
	case "CWD":
		_, list := x.dirs[arg]
		_, facts := x.facts[arg]
		if !list && !facts {
			x.say("550 no such directory")
			return
		}
		x.cwd = arg
		x.say("250 there")
	case "EPSV":
		x.say(fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)", x.listen()))
	case "PASV":
		p := x.listen()
		x.say(fmt.Sprintf("227 Entering Passive Mode (127,0,0,1,%d,%d)", p>>8, p&255))
	case "RETR":
		if f, ok := x.files[arg]; ok {
			x.transfer(f)
			return
		}
		x.say("550 no such file")
	case "LIST":
		x.transfer(x.dirs[x.cwd])
	case "MLSD":
		x.transfer(x.facts[x.cwd])
	case "QUIT":
		x.say("221 bye")
	default:
		x.say("500 what?")
	}
}

func (x *session) closeData() {
	if x.data != nil {
		x.data.Close()
	}
}

// listen opens the port for the next transfer.
func (x *session) listen() int {
	x.closeData()
	host, _, _ := net.SplitHostPort(x.Addr.String())
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		x.conn.Close()
		return 1
	}
	x.data = l
	return l.Addr().(*net.TCPAddr).Port
}

// with serves the data connection by do, between 150 and 226.
func (x *session) with(do func(c net.Conn)) {
	raw, err := x.data.Accept()
	if err != nil {
		return
	}
	x.dataOpen.Add(1)
	defer x.dataOpen.Add(-1)
	defer raw.Close()
	x.say("150 here it comes")
	c := raw
	if x.tls != nil && slices.Contains(strings.Split(x.commands(), "\n"), "PROT P") {
		tc := tls.Server(raw, x.tls)
		if tc.Handshake() != nil {
			return
		}
		defer tc.Close()
		c = tc
	}
	do(c)
}

func (x *session) write(c net.Conn, text string) bool {
	n, err := io.WriteString(c, text)
	x.sent.Add(int64(n))
	return err == nil
}

func (x *session) transfer(text string) {
	x.with(func(c net.Conn) { x.write(c, text) })
	x.say("226 done")
}

// says returns a handler that gives one reply.
func says(reply string) func(*session, string) {
	return func(s *session, _ string) { s.say(reply) }
}

// stalls is a handler that says text and nothing more until the client is gone.
func stalls(text string) func(*session, string) {
	return func(s *session, _ string) {
		io.WriteString(s.conn, text)
		io.Copy(io.Discard, s.in)
	}
}

// hangsUp is a handler that closes the control connection.
func hangsUp(s *session, _ string) { s.raw.Close() }

// floods returns a handler that says block for ever.
func floods(first, block string) func(*session, string) {
	return func(s *session, _ string) {
		io.WriteString(s.conn, first)
		for {
			if _, err := io.WriteString(s.conn, block); err != nil {
				return
			}
		}
	}
}

// sends returns a handler that serves the data connection by do and says reply
// at the end.
func sends(do func(s *session, c net.Conn), reply string) func(*session, string) {
	return func(s *session, _ string) {
		s.with(func(c net.Conn) { do(s, c) })
		if reply != "" {
			s.say(reply)
		}
	}
}
