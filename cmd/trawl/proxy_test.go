package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// testProxy is a proxy on this machine that leaves from an address of its own.
// NAME.log gets a line for each tunnel: target, user and password.
type testProxy struct {
	from net.IP
	mu   sync.Mutex
	log  *os.File
}

// cmdProxy starts a proxy: proxy NAME http|socks5 FROM. It sets NAME_PROXY to its
// address.
func cmdProxy(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3 && (args[1] == "http" || args[1] == "socks5"), "proxy NAME http|socks5 FROM")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	p := &testProxy{from: net.ParseIP(args[2])}
	p.log, err = os.Create(logFile(ts, args[0]))
	ts.Check(err)
	state(ts).shut = append(state(ts).shut, func() { _ = l.Close(); _ = p.log.Close() })
	ts.Setenv(strings.ToUpper(args[0])+"_PROXY", l.Addr().String())
	serve := p.connect
	if args[1] == "socks5" {
		serve = p.socks
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
}

// connect serves one tunnel of HTTP CONNECT.
func (p *testProxy) connect(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	req, err := http.ReadRequest(in)
	if err != nil || req.Method != http.MethodConnect {
		return
	}
	auth, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(req.Header.Get("Proxy-Authorization"), "Basic "))
	p.tunnel(c, req.Host, string(auth), "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 502 Bad Gateway\r\n\r\n")
}

// socks serves one tunnel of SOCKS5, with or without user and password.
func (p *testProxy) socks(c net.Conn) {
	defer c.Close()
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(c, b) // what is missing reads as zeros, and the dialogue ends soon
		return b
	}
	method := read(3)[2]
	_, _ = c.Write([]byte{5, method})
	auth := ""
	if method == 2 {
		user := read(int(read(2)[1]))
		auth = string(user) + ":" + string(read(int(read(1)[0])))
		_, _ = c.Write([]byte{1, 0})
	}
	size := 4
	if read(4)[3] == 4 {
		size = 16
	}
	addr, _ := netip.AddrFromSlice(read(size))
	port := read(2)
	target := netip.AddrPortFrom(addr, uint16(port[0])<<8|uint16(port[1])).String()
	p.tunnel(c, target, auth, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", "\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00")
}

func (p *testProxy) tunnel(c net.Conn, target, auth, yes, no string) {
	p.mu.Lock()
	fmt.Fprintf(p.log, "CONNECT %s %s\n", target, auth)
	p.mu.Unlock()
	far, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: p.from}}).Dial("tcp", target)
	if err != nil {
		_, _ = io.WriteString(c, no)
		return
	}
	defer far.Close()
	_, _ = io.WriteString(c, yes)
	go func() {
		_, _ = io.Copy(far, c)
		far.Close()
	}()
	_, _ = io.Copy(c, far)
}
