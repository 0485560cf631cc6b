package robots

import "strings"

// upperHex are the digits of a normalised escape.
const upperHex = "0123456789ABCDEF"

// normalised reports whether escaping would leave s as it is.
func normalised(s string) bool {
	if !ascii(s) {
		return false
	}
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return true
		}
		s = s[i:]
		if !isEscape(s) {
			s = s[1:]
			continue
		}
		if isLower(s[1]) || isLower(s[2]) {
			return false
		}
		s = s[3:]
	}
}

// ascii reports whether all bytes of s are ASCII, eight at a time.
func ascii(s string) bool {
	var high uint64
	for len(s) >= 8 {
		high |= load8(s)
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		high |= uint64(s[i])
	}
	return high&0x8080808080808080 == 0
}

// load8 returns the first eight bytes of s, the first in the lowest bits.
func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// escape brings s into the form in which patterns and paths are compared: see
// the package comment.
func escape(s string) string {
	if normalised(s) {
		return s
	}
	return string(appendEscaped(make([]byte, 0, len(s)+16), s))
}

// appendEscaped appends the escaped form of s to dst. The result is at most
// three times as long as s.
func appendEscaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x80:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		case c == '%' && isEscape(s[i:]):
			dst = append(dst, '%', upper(s[i+1]), upper(s[i+2]))
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// isEscape reports whether s, which begins with "%", begins with an escape.
func isEscape(s string) bool { return len(s) > 2 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func upper(c byte) byte {
	if isLower(c) {
		c -= 'a' - 'A'
	}
	return c
}
