package httpfetch

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"trawl/internal/crawl"
)

// errOverAllowance says that a body, before its codings were all undone, was
// longer than any body within the byte limit can be.
var errOverAllowance = errors.New("encoded body is longer than the byte limit allows")

// allowance is how many bytes an encoded form of at most room decoded bytes may
// have: no coding expands by a quarter what it does not compress (house choice).
func allowance(room int64) int64 { return room + room/4 + 64<<10 }

// readBody reads the body of resp into res up to the byte limit (B4) and closes
// it. Closing a body that was not read to its end ends the transfer (B5).
func (x *exchange) readBody(req *crawl.Request, res *crawl.Result, resp *http.Response) {
	defer resp.Body.Close()
	res.Limit = req.Limits.For(resp.Header.Get("Content-Type"))
	room := max(0, res.Limit-res.HeaderBytes)
	res.Truncated = res.HeaderBytes > res.Limit
	if resp.Body == http.NoBody || resp.ContentLength == 0 {
		return
	}
	codings, err := parseCodings(resp.Header["Content-Encoding"])
	if err != nil {
		x.fail(res, crawl.FailDecode, crawl.PhaseBody, err.Error())
		return
	}
	wire := &wireReader{x: x, r: resp.Body, most: allowance(room)}
	if len(codings) == 0 {
		wire.most = room + 1
		var over bool
		res.Body, over, err = fill(wire, room, resp.ContentLength)
		res.Truncated = res.Truncated || over
	} else {
		err = decodeBody(res, wire, codings, room)
	}
	res.WireBytes = wire.n
	if err == nil || res.Truncated {
		return
	}
	switch {
	case x.Err() != nil:
		x.failBy(res, err, crawl.PhaseBody)
	case wire.err != nil && wire.err != io.EOF:
		x.failBy(res, wire.err, crawl.PhaseBody)
	case errors.Is(err, io.ErrUnexpectedEOF):
		x.fail(res, crawl.FailIncomplete, crawl.PhaseBody, "the body ends in the middle of its "+res.Header.Get("Content-Encoding")+" coding; what was decoded is kept")
	default:
		x.fail(res, crawl.FailDecode, crawl.PhaseBody, "the content coding is damaged: "+clip(err.Error())+"; what was decoded is kept")
	}
}

// decodeBody undoes codings and fills in res what came out.
func decodeBody(res *crawl.Result, wire *wireReader, codings []coding, room int64) error {
	s := newStack(wire, codings, allowance(room))
	defer s.release()
	body, over, err := fill(s, room, 0)
	res.Body = body
	res.Coding, res.Mislabeled = s.undone()
	if over || errors.Is(err, errOverAllowance) {
		res.Truncated = true
		return nil
	}
	if err != nil {
		return err
	}
	// The coding is whole. One more read tells whether the message is, too;
	// bytes behind the coding are ignored, as browsers do.
	if wire.err == nil {
		var rest [64]byte
		wire.Read(rest[:])
	}
	if wire.err == io.EOF || wire.err == errOverAllowance {
		return nil
	}
	return wire.err
}

// wireReader reads a body as it comes from the connection, counts it, tells
// the watchdog, and remembers the first error.
type wireReader struct {
	x    *exchange
	r    io.Reader
	n    int64
	most int64
	err  error
}

func (w *wireReader) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.n >= w.most {
		w.err = errOverAllowance
		return 0, w.err
	}
	if int64(len(p)) > w.most-w.n {
		p = p[:w.most-w.n]
	}
	since := w.x.reading()
	n, err := w.r.Read(p)
	w.n += int64(n)
	w.x.read(since, w.n)
	if n > 0 {
		w.x.useful()
	}
	w.err = err
	return n, err
}

const (
	scratchSize = 64 << 10 // first buffer for a body of unknown size
	scratchKept = 1 << 20  // larger buffers are handed out instead of kept
	trustedSize = 1 << 20  // memory given on the word of a Content-Length alone
	emptyReads  = 100      // reads without a byte before a reader is given up
)

// scratch pools buffers. It holds no state that outlives a call of fill.
var scratch = sync.Pool{New: func() any {
	b := make([]byte, 0, scratchSize)
	return &b
}}

// fill reads r to its end, at most room bytes; over says that there was more.
// The bytes read are returned whatever err is; they belong to the caller. A
// positive declared is how many bytes are expected.
func fill(r io.Reader, room, declared int64) (body []byte, over bool, err error) {
	if declared > 0 {
		buf := make([]byte, 0, min(declared, room, trustedSize))
		return fillInto(buf, r, room)
	}
	pooled := scratch.Get().(*[]byte)
	buf, over, err := fillInto((*pooled)[:0], r, room)
	if cap(buf) > scratchKept {
		return buf[:len(buf):len(buf)], over, err
	}
	body = append([]byte(nil), buf...)
	*pooled = buf[:0]
	scratch.Put(pooled)
	return body, over, err
}

func fillInto(buf []byte, r io.Reader, room int64) ([]byte, bool, error) {
	var probe []byte // asked for first when buf is full: most likely r is at its end
	for empty := 0; ; {
		p := buf[len(buf):cap(buf)]
		if int64(len(p)) > room-int64(len(buf)) {
			p = p[:room-int64(len(buf))]
		}
		probing := len(p) == 0
		if probing {
			if probe == nil {
				probe = make([]byte, 1)
			}
			p = probe
		}
		n, err := r.Read(p)
		switch {
		case n > 0 && probing && int64(len(buf)) >= room:
			return buf, true, nil
		case n > 0 && probing:
			buf = append(grow(buf, room), probe[0])
		default:
			buf = buf[:len(buf)+n]
		}
		if err == io.EOF {
			return buf, false, nil
		}
		if err != nil {
			return buf, false, err
		}
		if n > 0 {
			empty = 0
		} else if empty++; empty >= emptyReads {
			return buf, false, io.ErrNoProgress
		}
	}
}

// grow returns buf with room for more, twice as large but not beyond room.
func grow(buf []byte, room int64) []byte {
	size := min(max(2*int64(cap(buf)), 512), room)
	larger := make([]byte, len(buf), size)
	copy(larger, buf)
	return larger
}
