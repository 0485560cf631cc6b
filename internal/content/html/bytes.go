package html

// Classes of bytes in tags.
const (
	clSpace   = 1 << iota // tab, LF, FF, CR, space
	clNameEnd             // ends a tag name: space, '/', '>'
	clAttrEnd             // ends an attribute name: space, '/', '>', '='
	clAlpha
	clAlnum
)

var class = func() (t [256]uint8) {
	for _, c := range "\t\n\f\r " {
		t[c] |= clSpace | clNameEnd | clAttrEnd
	}
	for _, c := range "/>" {
		t[c] |= clNameEnd | clAttrEnd
	}
	t['='] |= clAttrEnd
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= clAlpha | clAlnum
		t[c-0x20] |= clAlpha | clAlnum
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= clAlnum
	}
	return t
}()

// lower maps ASCII letters to lower case and leaves other bytes alone, but for
// NUL, which becomes a byte that no name has: packed by key, NULs in front of a
// name would vanish.
var lower = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] = byte(i) + 0x20
		}
	}
	t[0] = 0xff
	return t
}()

func isSpace(c byte) bool { return class[c]&clSpace != 0 }

// trim removes HTML white space from both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// key packs a name of at most eight bytes into a number, in lower case, so
// that names are compared by one instruction. Longer names give 0.
func key[T string | []byte](b T) uint64 {
	if len(b) > 8 {
		return 0
	}
	var k uint64
	for i := 0; i < len(b); i++ {
		k = k<<8 | uint64(lower[b[i]])
	}
	return k
}

// equalFold reports whether b is the lower-case ASCII name.
func equalFold[T string | []byte](b T, name string) bool {
	if len(b) != len(name) {
		return false
	}
	for i := 0; i < len(name); i++ {
		if lower[b[i]] != name[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether the list of tokens separated by white space in b
// holds the lower-case token.
func hasToken(b []byte, token string) bool {
	for len(b) > 0 {
		for len(b) > 0 && isSpace(b[0]) {
			b = b[1:]
		}
		n := 0
		for n < len(b) && !isSpace(b[n]) {
			n++
		}
		if equalFold(b[:n], token) {
			return true
		}
		b = b[n:]
	}
	return false
}
