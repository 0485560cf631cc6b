package weburl

import (
	"strings"

	"trawl/internal/crawl"
)

// Base resolves the references of one page. It keeps a buffer between calls
// and is for one goroutine at a time.
type Base struct {
	url          string
	scheme       string
	host         string // without port
	authorityEnd int    // length of scheme://host[:port]; the path's first slash is there
	dirEnd       int    // end of the path's last slash
	pathEnd      int    // where the query starts, or the length
	buf          []byte
	memo         *memo // nil until a few references were resolved
	resolved     uint8 // references until then
}

// NewBase returns the base for the references of the page at u. With "", or
// with a value that no function of this package returned and that is no
// absolute URL, only absolute references resolve.
func NewBase(u crawl.URL) *Base {
	s := string(u)
	i := strings.Index(s, "://")
	if i < 0 {
		return &Base{}
	}
	slash := strings.IndexByte(s[i+3:], '/')
	if slash < 0 {
		return &Base{}
	}
	b := &Base{url: s, scheme: s[:i], host: string(u.Host()), authorityEnd: i + 3 + slash, pathEnd: len(s)}
	if q := strings.IndexByte(s[b.authorityEnd:], '?'); q >= 0 {
		b.pathEnd = b.authorityEnd + q
	}
	b.dirEnd = strings.LastIndexByte(s[:b.pathEnd], '/') + 1
	return b
}

func (b *Base) valid() bool { return b != nil && b.url != "" }

// URL returns the URL that references are resolved against, or "".
func (b *Base) URL() crawl.URL { return crawl.URL(b.url) }

// Resolve returns the canonical form of a reference as it stands in a page (the
// value of href, entities decoded, charset UTF-8). It does not keep or change
// ref. A reference to the base itself, such as "#top", gives the base. Errors
// are of type *[Error]; most of them, in practice, are of class Scheme.
func (b *Base) Resolve(ref []byte) (crawl.URL, error) {
	u, buf, err := b.resolve(b.buf[:0], ref)
	if cap(buf) > maxKept {
		buf = nil
	}
	b.buf = buf[:0]
	return u, err
}

// maxKept is the greatest buffer a Base keeps, in bytes (house choice): no
// single long reference holds memory until the page is done.
const maxKept = MaxLength + 1024

// resolve uses the room of dst and returns it, grown if need be.
func (b *Base) resolve(dst, ref []byte) (crawl.URL, []byte, error) {
	in := clean(ref)
	if len(in) > MaxInput {
		return "", dst, fault{TooLong, "it is longer than any URL that is crawled"}.of(in)
	}
	if len(in) == 0 && b.valid() {
		return crawl.URL(b.url), dst, nil
	}
	if b != nil && b.memo != nil {
		if u, ok := b.memo.find(in); ok {
			return u, dst, nil
		}
	}
	dst, f := b.appendURL(dst, in)
	if f.class == ErrorNone && len(dst) > MaxLength {
		f = fault{TooLong, "it is longer than 8192 bytes"}
	}
	if f.class != ErrorNone {
		return "", dst, f.of(in)
	}
	u := crawl.URL(dst)
	if b != nil {
		b.remember(in, u)
	}
	return u, dst, nil
}
