package web

import (
	"net/netip"
	"strconv"
)

const hostsPerBlock = 250 // of the 256 addresses of 127.1.x.*, first 1: no .0, no .255

// hostAddr returns the address of a host, 127.1.0.1 being the first.
func hostAddr(host int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, 1, byte(host / hostsPerBlock), byte(host%hostsPerBlock + 1)})
}

// hostOf is the reverse of hostAddr for a web of so many hosts.
func hostOf(a netip.Addr, hosts int) (host int, ok bool) {
	if !a.Is4() {
		return 0, false
	}
	b := a.As4()
	host = int(b[2])*hostsPerBlock + int(b[3]) - 1
	return host, b[0] == 127 && b[1] == 1 && b[3] >= 1 && b[3] <= hostsPerBlock && host < hosts
}

// authority returns what a client sends in the Host field.
func authority(host, port int) string {
	if port == 80 {
		return hostAddr(host).String()
	}
	return netip.AddrPortFrom(hostAddr(host), uint16(port)).String()
}

// appendPath adds the path of a page.
func appendPath(b []byte, page int) []byte {
	if page == 0 {
		return append(b, '/')
	}
	b = append(b, "/p"...)
	b = strconv.AppendInt(b, int64(page), 10)
	return append(b, ".html"...)
}

// pageOf is the reverse of appendPath for a host of so many pages. It knows
// the one spelling of each path only, so that no page has two URLs.
func pageOf(path []byte, pages int) (page int, ok bool) {
	if len(path) == 1 && path[0] == '/' {
		return 0, true
	}
	const prefix, suffix = "/p", ".html"
	if len(path) <= len(prefix)+len(suffix) || string(path[:len(prefix)]) != prefix || string(path[len(path)-len(suffix):]) != suffix {
		return 0, false
	}
	digits := path[len(prefix) : len(path)-len(suffix)]
	if len(digits) > 7 || digits[0] == '0' {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		page = page*10 + int(c-'0')
	}
	return page, page < pages
}
