package web

import (
	"bytes"
	"net"
	"strings"
)

// maxHead bounds the head of a request; more than that is refused.
const maxHead = 8 << 10

var badRequest = []byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

// serve answers the requests of one connection to a host until either side
// closes it.
func (s *Server) serve(c net.Conn, host int) {
	defer s.release(c)
	buf := make([]byte, maxHead)
	n := 0 // bytes of buf that are read and not yet answered
	for {
		end := bytes.Index(buf[:n], []byte("\r\n\r\n"))
		if end < 0 {
			if n == len(buf) {
				s.counts.requests.Add(1)
				s.counts.bad.Add(1)
				_, _ = c.Write(badRequest)
				return
			}
			m, err := c.Read(buf[n:])
			n += m
			if err != nil && m == 0 {
				return
			}
			continue
		}
		answer, last := s.answer(buf[:end+2], host)
		// Counted before it is sent: who has read the answer finds it counted.
		s.counts.bytes.Add(int64(len(answer)))
		if m, err := c.Write(answer); err != nil {
			s.counts.bytes.Add(int64(m - len(answer)))
			s.counts.lost.Add(1)
			return
		}
		if last {
			return
		}
		n = copy(buf, buf[end+4:n])
	}
}

// answer counts a request and returns the response to it. head is the request
// line and the fields, each with its line end.
func (s *Server) answer(head []byte, host int) (answer []byte, last bool) {
	s.counts.requests.Add(1)
	r, ok := parseHead(head)
	if ok && string(r.host) != s.web.hosts[host] {
		if ok = isWithoutPort(r.host, s.web.hosts[host]); ok {
			s.counts.noPort.Add(1)
		}
	}
	if !ok {
		s.counts.bad.Add(1)
		return badRequest, true
	}
	page, isPage := pageOf(r.path, s.web.spec.Pages)
	switch {
	case isPage:
		page += host * s.web.spec.Pages
		answer = s.web.pages[page]
	case string(r.path) == "/robots.txt":
		answer = s.web.robots
	default:
		answer = s.web.lost
	}
	switch {
	case r.isHead:
		s.counts.other.Add(1)
		answer = answer[:bytes.Index(answer, []byte("\r\n\r\n"))+4]
	case isPage:
		s.counts.visit(page)
	case string(r.path) == "/robots.txt":
		s.counts.robots.Add(1)
	default:
		s.counts.other.Add(1)
	}
	return answer, r.close
}

// isWithoutPort reports whether a Host field is right but for the port, which
// wget2 leaves out after an address. Servers let that pass.
func isWithoutPort(field []byte, authority string) bool {
	address, _, _ := strings.Cut(authority, ":")
	return string(field) == address
}

// request is what matters of a request; its slices alias the head.
type request struct {
	path, host []byte
	isHead     bool
	close      bool // the client wants no more on this connection
}

// parseHead reads a request's head. Requests that it does not understand, and
// those that announce a body, are not ok.
func parseHead(head []byte) (r request, ok bool) {
	line, rest, _ := bytes.Cut(head, []byte("\r\n"))
	method, line, _ := bytes.Cut(line, []byte(" "))
	path, version, _ := bytes.Cut(line, []byte(" "))
	r.path = path
	r.isHead = string(method) == "HEAD"
	if !r.isHead && string(method) != "GET" {
		return r, false
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		r.close = true
	default:
		return r, false
	}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch { // by length first: most fields are none of these
		case len(name) == 4 && bytes.EqualFold(name, []byte("Host")):
			r.host = value
		case len(name) == 10 && bytes.EqualFold(name, []byte("Connection")):
			r.close = r.close || bytes.EqualFold(value, []byte("close"))
		case len(name) == 14 && bytes.EqualFold(name, []byte("Content-Length")):
			if string(value) != "0" {
				return r, false
			}
		case len(name) == 17 && bytes.EqualFold(name, []byte("Transfer-Encoding")):
			return r, false
		}
	}
	return r, true
}
