package weburl

import (
	"bytes"
	"net/netip"
	"strconv"
)

// endsInNumber reports whether the last label of host, in lower case and
// without a trailing dot, makes it an IPv4 address, well-formed or not.
func endsInNumber(host []byte) bool {
	last := host[bytes.LastIndexByte(host, '.')+1:]
	if len(last) == 0 || last[0] < '0' || last[0] > '9' {
		return false
	}
	digits, isDigit := last, isDecimal
	if len(last) >= 2 && last[0] == '0' && last[1] == 'x' {
		digits, isDigit = last[2:], isHex
	}
	for _, c := range digits {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func isDecimal(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool {
	_, ok := hexValue(c)
	return ok
}

// parseIPv4 reads one to four numbers, each decimal, octal (0…) or hexadecimal
// (0x…); the last one fills what the others leave.
func parseIPv4(host []byte) (addr uint32, ok bool) {
	for part := 1; ; part++ {
		label, rest, more := bytes.Cut(host, []byte("."))
		n, ok := parseIPv4Number(label)
		if !ok || part > 4 {
			return 0, false
		}
		if !more {
			if n >= 1<<(8*(5-part)) {
				return 0, false
			}
			return addr | uint32(n), true
		}
		if n > 255 {
			return 0, false
		}
		addr |= uint32(n) << (8 * (4 - part))
		host = rest
	}
}

// parseIPv4Number returns a number too large for any address as 1<<32.
func parseIPv4Number(s []byte) (uint64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	base := uint64(10)
	switch {
	case len(s) >= 2 && s[0] == '0' && s[1] == 'x':
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	n := uint64(0)
	for _, c := range s {
		v, ok := hexValue(c)
		if !ok || uint64(v) >= base {
			return 0, false
		}
		n = min(n*base+uint64(v), 1<<32)
	}
	return n, true
}

func appendIPv4(dst []byte, addr uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		dst = strconv.AppendUint(dst, uint64(addr>>shift&255), 10)
		if shift > 0 {
			dst = append(dst, '.')
		}
	}
	return dst
}

// appendIPv6 appends the canonical form of an address in brackets. It differs
// from netip's for IPv4-mapped addresses, which the standard writes in
// hexadecimal too.
func appendIPv6(dst, host []byte) ([]byte, fault) {
	if len(host) < 4 || len(host) > 47 || host[len(host)-1] != ']' { // 45 bytes is the longest form
		return dst, badIPv6
	}
	inner := host[1 : len(host)-1]
	for _, c := range inner {
		if c != ':' && c != '.' && !isHex(c) {
			return dst, badIPv6
		}
	}
	addr, err := netip.ParseAddr(string(inner))
	if err != nil || !addr.Is6() {
		return dst, badIPv6
	}
	b := addr.As16()
	var pieces [8]uint16
	for i := range pieces {
		pieces[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	from, to := longestZeroRun(pieces)
	dst = append(dst, '[')
	for i := 0; i < 8; i++ {
		if i == from {
			dst = append(dst, "::"...)
			i = to - 1
			continue
		}
		if i > 0 && i != to {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(pieces[i]), 16)
	}
	return append(dst, ']'), fault{}
}

// longestZeroRun returns the first of the longest runs of two or more zero
// pieces, or -1, -1.
func longestZeroRun(pieces [8]uint16) (from, to int) {
	from, to = -1, -1
	for i := 0; i < 8; {
		j := i
		for j < 8 && pieces[j] == 0 {
			j++
		}
		if j-i >= 2 && j-i > to-from {
			from, to = i, j
		}
		i = max(j, i+1)
	}
	return from, to
}
