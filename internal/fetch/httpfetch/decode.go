package httpfetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// coding is a content coding (RFC 9110 section 8.4.1).
type coding uint8

const (
	codingNone coding = iota // plain bytes
	codingGzip
	codingZlib // "deflate" as RFC 9110 means it
	codingFlate
	codingBrotli
)

func (c coding) String() string {
	switch c {
	case codingGzip:
		return "gzip"
	case codingZlib, codingFlate:
		return "deflate"
	case codingBrotli:
		return "br"
	}
	return ""
}

// maxCodings bounds how many codings of one body are undone (house choice).
const maxCodings = 4

// parseCodings reads the values of Content-Encoding in the order in which the
// codings were applied.
func parseCodings(values []string) ([]coding, error) {
	var list []coding
	for _, value := range values {
		for value != "" {
			var label string
			label, value, _ = strings.Cut(value, ",")
			label = strings.ToLower(strings.Trim(label, " \t"))
			c, known := codingOf(label)
			if !known {
				return nil, fmt.Errorf("the body is coded as %q, which was not asked for and cannot be undone", clip(label))
			}
			if c == codingNone {
				continue
			}
			if list = append(list, c); len(list) > maxCodings {
				return nil, fmt.Errorf("the body is coded more than %d times", maxCodings)
			}
		}
	}
	return list, nil
}

// codingOf returns the coding that label names. Some servers write there what
// is no coding at all; browsers take such bodies as they come, and so do we
// (house choice).
func codingOf(label string) (coding, bool) {
	switch label {
	case "gzip", "x-gzip":
		return codingGzip, true
	case "deflate":
		return codingZlib, true
	case "br":
		return codingBrotli, true
	case "", "identity", "none", "binary", "8bit", "utf-8", "utf8", "iso-8859-1":
		return codingNone, true
	}
	return codingNone, false
}

// stack undoes several codings, one layer over the other.
type stack struct {
	layers []*layer // outermost coding first
	top    io.Reader
}

// newStack returns a reader of what is under codings on wire. No layer yields
// more than most bytes.
//
// Each read looks at the deadline of the fetch: a decoder can be kept busy for
// long without asking for bytes from the connection.
func newStack(wire *wireReader, codings []coding, most int64) *stack {
	s := &stack{top: wire}
	for i := len(codings) - 1; i >= 0; i-- {
		l := &layer{x: wire.x, label: codings[i], src: bufferOf(s.top), most: most}
		s.layers = append(s.layers, l)
		s.top = l
	}
	return s
}

// Read implements io.Reader. A decoder that panics on hostile input has found
// it damaged.
func (s *stack) Read(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			for _, l := range s.layers {
				l.lost = true
			}
			n, err = 0, fmt.Errorf("decoder gave up: %v", r)
		}
	}()
	return s.top.Read(p)
}

// undone returns the codings that the body really had, outermost last, and
// whether a label was wrong.
func (s *stack) undone() (codings string, mislabeled bool) {
	var names []string
	for i := len(s.layers) - 1; i >= 0; i-- {
		l := s.layers[i]
		if l.actual != codingNone {
			names = append(names, l.actual.String())
		}
		mislabeled = mislabeled || l.begun && l.label.String() != l.actual.String()
	}
	return strings.Join(names, ", "), mislabeled
}

// release gives the decoders back.
func (s *stack) release() {
	for _, l := range s.layers {
		l.release()
	}
}

// layer undoes one coding, or none if the bytes are not coded as the label says.
type layer struct {
	x      *exchange
	label  coding
	src    *bufio.Reader
	most   int64
	actual coding
	dec    decoder
	begun  bool
	lost   bool // the decoder's state is undefined: never pooled again
	n      int64
	err    error
}

func (l *layer) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	if !l.begun {
		if l.err = l.begin(); l.err != nil {
			return 0, l.err
		}
	}
	if l.x.Err() != nil {
		l.err = context.Cause(l.x)
		return 0, l.err
	}
	if l.n >= l.most {
		l.err = errOverAllowance
		return 0, l.err
	}
	if int64(len(p)) > l.most-l.n {
		p = p[:l.most-l.n]
	}
	var n int
	if l.actual == codingNone {
		n, l.err = l.src.Read(p)
	} else {
		n, l.err = l.dec.Read(p)
	}
	l.n += int64(n)
	return n, l.err
}

// begin looks at the first bytes and chooses the decoder.
func (l *layer) begin() error {
	head, err := l.src.Peek(2)
	if len(head) == 0 {
		return err // an empty body is an empty body, whatever its label
	}
	head, _ = l.src.Peek(l.src.Buffered())
	l.begun = true
	l.actual = sniff(l.label, head)
	if l.actual == codingNone {
		return nil
	}
	l.dec, err = newDecoder(l.actual, l.src)
	return err
}

func (l *layer) release() {
	if l.lost {
		return
	}
	if l.dec != nil {
		l.dec.release()
		l.dec = nil
	}
	keepBuffer(l.src)
	l.src = nil
}

// sniff returns the coding of a body that begins with head and is labelled
// label. Compressed data is told by its magic number; text under a label of
// deflate or br is told by being text that the decoder does not take. Binary
// bytes that the decoder does not take are damaged, not plain.
func sniff(label coding, head []byte) coding {
	switch {
	case isGzip(head):
		return codingGzip
	case label == codingGzip && commonZlib(head):
		return codingZlib
	case label == codingGzip && len(head) == 1 && head[0] == 0x1f:
		return codingGzip // cut off
	case label == codingGzip:
		return codingNone
	case label == codingZlib && isZlib(head):
		if textual(head) && !decodes(codingZlib, head) {
			return codingNone
		}
		return codingZlib
	case label == codingZlib:
		label = codingFlate
	}
	if textual(head) && !decodes(label, head) {
		return codingNone
	}
	return label
}

func isGzip(b []byte) bool { return len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b }

// isZlib checks the header of RFC 1950 section 2.2: method 8, window of at most
// 32 KiB, check bits, no preset dictionary.
func isZlib(b []byte) bool {
	return len(b) >= 2 && b[0]&0x0f == 8 && b[0]>>4 <= 7 && (uint(b[0])<<8|uint(b[1]))%31 == 0 && b[1]&0x20 == 0
}

// commonZlib is the narrower check where nothing else speaks for zlib: the
// headers that the usual libraries write and that no text begins with.
func commonZlib(b []byte) bool {
	return isZlib(b) && b[0] == 0x78 && (b[1] == 0x01 || b[1] >= 0x80)
}

// textual reports whether b has no byte that text does not have.
func textual(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}
