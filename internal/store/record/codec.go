package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"trawl/internal/crawl"
)

// Format of the values. A struct is a bit mask (varint) of the fields that are
// not zero, then those fields: integers as varints (signed: zigzag), strings
// with their length, times as seconds relative to a base and nanoseconds, lists
// with their length. A bit stands for the same field for ever; a new field gets
// the next bit, so that old values stay readable, and a value with unknown bits
// is refused instead of being misread.
//
// One list of fields (a method like coder.visit) serves both directions.

// valueVersion is the first byte of every value that coder writes.
const valueVersion = 1

// ErrDamaged: a stored value is cut, wrong, or has fields that this version does
// not know.
var ErrDamaged = errors.New("stored value is damaged or of a newer version")

// coder writes or reads one value. The zero value writes.
type coder struct {
	b       []byte // written so far, or left to read
	reading bool
	mask    uint64
	bit     uint
	base    time.Time // times are stored relative to it
	err     error
	clients Clients // numbers of client names
}

// reader starts reading a value.
func reader(b []byte, clients Clients) *coder {
	c := &coder{reading: true, clients: clients}
	if len(b) == 0 || b[0] != valueVersion {
		c.fail()
		return c
	}
	c.b = b[1:]
	return c
}

// writer starts writing a value behind b.
func writer(b []byte, clients Clients) *coder {
	return &coder{b: append(b, valueVersion), clients: clients}
}

// end reports what went wrong; a value that goes on behind its end is damaged.
func (c *coder) end(what string) error {
	if c.err == nil && c.reading && len(c.b) > 0 {
		c.fail()
	}
	if c.err != nil {
		return fmt.Errorf("%s: %w", what, c.err)
	}
	return nil
}

func (c *coder) fail() {
	if c.err == nil {
		c.err = ErrDamaged
	}
	c.b = nil
}

// fields codes one struct, whose fields f lists.
func (c *coder) fields(f func()) {
	mask, bit := c.mask, c.bit
	c.mask, c.bit = 0, 0
	if c.reading {
		c.mask = c.uvarint()
		f()
		if c.mask>>c.bit != 0 && c.err == nil {
			c.fail()
		}
	} else {
		start := len(c.b)
		f()
		var m [binary.MaxVarintLen64]byte
		n := binary.PutUvarint(m[:], c.mask)
		c.b = append(c.b, m[:n]...)
		copy(c.b[start+n:], c.b[start:len(c.b)-n])
		copy(c.b[start:], m[:n])
	}
	c.mask, c.bit = mask, bit
}

// has notes that the next field has a value, or reports whether it has one.
func (c *coder) has(value bool) bool {
	bit := uint64(1) << c.bit
	c.bit++
	if c.reading {
		return c.err == nil && c.mask&bit != 0
	}
	if value {
		c.mask |= bit
	}
	return value
}

func (c *coder) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *coder) varint() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

// take reads n bytes; they belong to the value that is read.
func (c *coder) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail()
		return nil
	}
	p := c.b[:n]
	c.b = c.b[n:]
	return p
}

func (c *coder) flag(p *bool) {
	if c.has(*p) {
		*p = true
	}
}

func unsigned[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, p *T) {
	if !c.has(*p != 0) {
		return
	}
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(*p))
		return
	}
	v := c.uvarint()
	if *p = T(v); uint64(*p) != v {
		c.fail()
	}
}

func signed[T ~int | ~int64](c *coder, p *T) {
	if !c.has(*p != 0) {
		return
	}
	if c.reading {
		*p = T(c.varint())
	} else {
		c.b = binary.AppendVarint(c.b, int64(*p))
	}
}

func text[T ~string](c *coder, p *T) {
	if c.has(*p != "") {
		rawText(c, p)
	}
}

// rawText codes a string that has no bit of its own.
func rawText[T ~string](c *coder, p *T) {
	if c.reading {
		*p = T(c.take(c.uvarint()))
	} else {
		c.b = append(binary.AppendUvarint(c.b, uint64(len(*p))), *p...)
	}
}

// relative codes a URL that often starts like another one.
func (c *coder) relative(p *crawl.URL, to crawl.URL) {
	if !c.has(*p != "") {
		return
	}
	if c.reading {
		n := c.uvarint()
		if n > uint64(len(to)) {
			c.fail()
			return
		}
		*p = to[:n] + crawl.URL(c.take(c.uvarint()))
		return
	}
	n := 0
	for n < len(*p) && n < len(to) && (*p)[n] == to[n] {
		n++
	}
	c.b = binary.AppendUvarint(c.b, uint64(n))
	rest := (*p)[n:]
	rawText(c, &rest)
}

// blob codes bytes; nil and empty are different.
func (c *coder) blob(p *[]byte) {
	if !c.has(*p != nil) {
		return
	}
	if c.reading {
		*p = append([]byte{}, c.take(c.uvarint())...)
	} else {
		c.b = append(binary.AppendUvarint(c.b, uint64(len(*p))), *p...)
	}
}

func (c *coder) float(p *float64) {
	bits := math.Float64bits(*p)
	if !c.has(bits != 0) {
		return
	}
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, bits)
	} else if b := c.take(8); b != nil {
		*p = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
}

// time codes a time with two bits: not zero, nanoseconds not those of the base.
func (c *coder) time(p *time.Time) {
	set := c.has(!p.IsZero())
	nanos := uint64(p.Nanosecond() ^ c.base.Nanosecond())
	differ := c.has(set && nanos != 0)
	if !set {
		return
	}
	if !c.reading {
		c.b = binary.AppendVarint(c.b, p.Unix()-c.base.Unix())
		if differ {
			c.b = binary.AppendUvarint(c.b, nanos)
		}
		return
	}
	sec := c.base.Unix() + c.varint()
	nanos = uint64(c.base.Nanosecond())
	if differ {
		nanos ^= c.uvarint()
	}
	if nanos >= uint64(time.Second) {
		c.fail()
		return
	}
	*p = time.Unix(sec, int64(nanos)).UTC()
}

// list codes a list of elements of at least one byte each.
func list[T any](c *coder, p *[]T, element func(*T)) {
	if !c.has(len(*p) > 0) {
		return
	}
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(len(*p)))
		for i := range *p {
			element(&(*p)[i])
		}
		return
	}
	n := c.uvarint()
	if n > uint64(len(c.b)) {
		c.fail()
		return
	}
	*p = make([]T, 0, min(n, 16))
	for range n {
		var e T
		if element(&e); c.err != nil {
			return
		}
		*p = append(*p, e)
	}
}
