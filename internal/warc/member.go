package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"hash"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// dateLayout is WARC-Date in whole seconds, see the package comment.
const dateLayout = "2006-01-02T15:04:05Z"

// Content types of record blocks.
const (
	typeFields   = "application/warc-fields"
	typeRequest  = "application/http;msgtype=request"
	typeResponse = "application/http;msgtype=response"
)

// encoder turns records into gzip members, one after the other in out. It is
// used by one goroutine at a time and reused.
type encoder struct {
	out   bytes.Buffer
	gz    *gzip.Writer
	hash  hash.Hash
	head  []byte // of the record being built
	block []byte // scratch for its message header or fields
}

// maxIdle is the size in bytes above which the buffers of an encoder are not
// kept for reuse: a rare large body must not hold its memory for ever.
const maxIdle = 4 << 20

func newEncoder(level int) (*encoder, error) {
	gz, err := gzip.NewWriterLevel(nil, level)
	return &encoder{gz: gz, hash: sha1.New()}, err
}

func (e *encoder) idle() bool { return e.out.Cap()+cap(e.head)+cap(e.block) <= maxIdle }

// begin starts a record.
func (e *encoder) begin(kind, id string, date time.Time) {
	e.head = append(e.head[:0], "WARC/1.1\r\n"...)
	e.field("WARC-Type", kind)
	e.field("WARC-Record-ID", id)
	e.head = append(e.head, "WARC-Date: "...)
	e.head = date.UTC().AppendFormat(e.head, dateLayout)
	e.head = append(e.head, "\r\n"...)
}

// field adds a named field; an empty value adds none.
func (e *encoder) field(name, value string) {
	if value == "" {
		return
	}
	e.head = append(append(e.head, name...), ": "...)
	e.head = append(appendText(e.head, value), "\r\n"...)
}

// uri adds a named field with a URI; an empty one adds none.
func (e *encoder) uri(name, value string) {
	if value == "" {
		return
	}
	e.head = append(append(e.head, name...), ": "...)
	e.head = append(appendURI(e.head, value), "\r\n"...)
}

// end writes the record with the block made of its parts, as one gzip member.
func (e *encoder) end(contentType string, block, body []byte) error {
	e.hash.Reset()
	e.hash.Write(block)
	e.hash.Write(body)
	e.field("WARC-Block-Digest", digestText(e.hash))
	e.field("Content-Type", contentType)
	e.head = append(e.head, "Content-Length: "...)
	e.head = strconv.AppendInt(e.head, int64(len(block)+len(body)), 10)
	e.head = append(e.head, "\r\n\r\n"...)

	e.gz.Reset(&e.out)
	for _, part := range [...][]byte{e.head, block, body, []byte("\r\n\r\n")} {
		if _, err := e.gz.Write(part); err != nil {
			return err
		}
	}
	return e.gz.Close()
}

// digest returns the labelled digest of b.
func (e *encoder) digest(b []byte) string {
	e.hash.Reset()
	e.hash.Write(b)
	return digestText(e.hash)
}

func digestText(h hash.Hash) string {
	var sum [sha1.Size]byte
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(sum[:0]))
}

// PayloadDigest returns the value of WARC-Payload-Digest for an archived body:
// "sha1:" and the sha1 in base32.
func PayloadDigest(body []byte) string {
	h := sha1.New()
	h.Write(body)
	return digestText(h)
}
