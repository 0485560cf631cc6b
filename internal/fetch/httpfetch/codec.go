package httpfetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// decoder undoes one coding. It reads no byte of the source beyond the end of
// the coding, as far as the format lets it know.
type decoder interface {
	io.Reader
	release() // back to its pool; the decoder must not be used again
}

// The pools hold decoders and buffers between bodies, nothing else.
var (
	buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	flates  = sync.Pool{New: func() any { return flate.NewReader(nil) }}
	zlibs   = sync.Pool{New: func() any { return new(zlibDecoder) }}
	brotlis = sync.Pool{New: func() any { return new(brotli.Reader) }}
)

func bufferOf(r io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(r)
	return b
}

func keepBuffer(b *bufio.Reader) {
	b.Reset(nil)
	buffers.Put(b)
}

func newDecoder(c coding, src *bufio.Reader) (decoder, error) {
	switch c {
	case codingGzip:
		g := &gzipDecoder{Reader: gzips.Get().(*gzip.Reader), src: src}
		if err := g.Reset(src); err != nil {
			return nil, cutShort(err)
		}
		g.Multistream(false)
		return g, nil
	case codingZlib:
		z := zlibs.Get().(*zlibDecoder)
		return z, z.reset(src)
	case codingFlate:
		f := flateDecoder{flates.Get().(io.ReadCloser)}
		return f, f.ReadCloser.(flate.Resetter).Reset(src, nil)
	default:
		b := brotliDecoder{brotlis.Get().(*brotli.Reader)}
		return b, b.Reset(src)
	}
}

// cutShort is err where the end of the source is not the end of the coding.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxEmptyMembers bounds the members in a row that decode to nothing: they cost
// time without end for a few bytes each, and no writer makes more than one or
// two (house choice).
const maxEmptyMembers = 100

var errEmptyMembers = errors.New("gzip members without content, one after the other")

// gzipDecoder reads the members of a gzip file one by one, so that bytes behind
// the last that are no member (padding, a stray newline) are no error.
type gzipDecoder struct {
	*gzip.Reader
	src   *bufio.Reader
	empty int
}

func (g *gzipDecoder) Read(p []byte) (int, error) {
	for {
		n, err := g.Reader.Read(p)
		if n > 0 {
			g.empty = 0
		}
		if err != io.EOF {
			return n, err
		}
		if g.empty++; g.empty > maxEmptyMembers {
			return n, errEmptyMembers
		}
		if head, _ := g.src.Peek(2); !isGzip(head) {
			return n, io.EOF
		}
		if err := g.Reset(g.src); err != nil {
			return n, cutShort(err)
		}
		g.Multistream(false)
		if n > 0 {
			return n, nil
		}
	}
}

func (g *gzipDecoder) release() { gzips.Put(g.Reader) }

type flateDecoder struct{ io.ReadCloser }

func (f flateDecoder) release() { flates.Put(f.ReadCloser) }

// zlibDecoder defers making the reader until there is a source: the library
// has none without.
type zlibDecoder struct{ io.ReadCloser }

func (z *zlibDecoder) reset(src *bufio.Reader) (err error) {
	if z.ReadCloser == nil {
		z.ReadCloser, err = zlib.NewReader(src)
	} else {
		err = z.ReadCloser.(zlib.Resetter).Reset(src, nil)
	}
	return cutShort(err)
}

func (z *zlibDecoder) release() {
	if z.ReadCloser != nil {
		zlibs.Put(z)
	}
}

type brotliDecoder struct{ *brotli.Reader }

func (b brotliDecoder) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err.Error() == "brotli: excessive input" {
		err = io.EOF // whole, with bytes behind it
	}
	return n, err
}

func (b brotliDecoder) release() { brotlis.Put(b.Reader) }

// trialBytes is how much of a trial decoding is looked at.
const trialBytes = 64 << 10

// decodes reports whether head can be the beginning of a body coded as c.
func decodes(c coding, head []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	src := bufferOf(bytes.NewReader(head))
	defer keepBuffer(src)
	dec, err := newDecoder(c, src)
	if err == nil {
		_, err = io.CopyN(io.Discard, dec, trialBytes)
		dec.release()
	}
	return err == nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)
}
