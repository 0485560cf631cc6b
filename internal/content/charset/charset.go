// Package charset finds the character encoding of a text and converts it to
// UTF-8.
//
// It decides, in this order (WHATWG HTML 13.2.3, the encoding sniffing
// algorithm): a byte order mark; the charset of the Content-Type header; what
// the document declares about itself; the zero bytes of UTF-16; and for what
// declares nothing UTF-8 if it is valid, windows-1252 if not. A label that no
// encoding has is passed over. ISO-8859-1 and US-ASCII are windows-1252, as the
// Encoding standard has it.
//
// It does not look for the document's own declaration in HTML: package html
// does that while it scans, and hands the label in. For XML it reads the XML
// declaration.
//
// Invariants: never fails; bytes that the encoding does not know become U+FFFD;
// the result is at most three times as long as the input; the input is never
// written to.
//
// Sources: WHATWG Encoding, WHATWG HTML 13.2.3.2; case 16.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is a character encoding as found.
type Encoding struct {
	Name string // canonical name, lower case: "utf-8", "windows-1252", "shift_jis"
	enc  encoding.Encoding
	bom  int // bytes of the byte order mark
}

// Source says how an encoding was found.
type Source uint8

// The sources, strongest first.
const (
	FromBOM Source = iota + 1
	FromHeader
	FromDocument
	FromBytes // zero bytes of UTF-16, or valid UTF-8
	FromDefault
)

// UTF8 is the encoding of text that needs no conversion.
func UTF8() Encoding { return Encoding{Name: "utf-8"} }

// IsUTF8 reports whether text in e needs no conversion.
func (e Encoding) IsUTF8() bool { return e.Name == "utf-8" }

// ASCII reports whether the bytes below 0x80 mean in e what they mean in ASCII,
// so that a scanner of markup can read it, and pure ASCII needs no conversion.
func (e Encoding) ASCII() bool {
	switch e.Name {
	case "utf-16le", "utf-16be", "iso-2022-jp":
		return false
	}
	return true
}

// Lookup finds an encoding by one of its labels.
func Lookup(label string) (Encoding, bool) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return Encoding{}, false
	}
	name, err := htmlindex.Name(enc)
	if err != nil {
		return Encoding{}, false
	}
	switch name {
	case "utf-8":
		return UTF8(), true
	case "replacement":
		// The standard reads such documents as one U+FFFD, to protect browsers.
		// House choice: a crawler takes the label for unknown instead, and
		// reads the markup.
		return Encoding{}, false
	case "x-user-defined":
		return Encoding{Name: "windows-1252", enc: charmap.Windows1252}, true
	}
	return Encoding{Name: name, enc: enc}, true
}

// declared is Lookup for a label inside a document that was readable as ASCII:
// UTF-16 cannot be true there and means UTF-8.
func declared(label string) (Encoding, bool) {
	e, ok := Lookup(label)
	if ok && strings.HasPrefix(e.Name, "utf-16") {
		return UTF8(), true
	}
	return e, ok
}

// Outside finds the encoding from what lies outside the markup: byte order
// mark, Content-Type header, and the zero bytes of UTF-16. ok is false if they
// say nothing.
func Outside(body []byte, contentType string) (e Encoding, from Source, ok bool) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return Encoding{Name: "utf-8", bom: 3}, FromBOM, true
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return utf16(unicode.BigEndian, 2), FromBOM, true
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return utf16(unicode.LittleEndian, 2), FromBOM, true
	}
	if e, ok := Lookup(Param(contentType)); ok {
		return e, FromHeader, true
	}
	if e, ok := zeroBytes(body); ok {
		return e, FromBytes, true
	}
	return Encoding{}, 0, false
}

// Detect finds the encoding of body. label is what the document declares about
// itself, "" if nothing.
func Detect(body []byte, contentType, label string) (Encoding, Source) {
	if e, from, ok := Outside(body, contentType); ok {
		return e, from
	}
	if e, ok := declared(label); ok {
		return e, FromDocument
	}
	if whole := trimRune(body); utf8.Valid(whole) && (len(whole) == len(body) || !isASCII(whole)) {
		return UTF8(), FromBytes
	}
	return Encoding{Name: "windows-1252", enc: charmap.Windows1252}, FromDefault
}

// trimRune removes a character that the end of body cuts off.
func trimRune(body []byte) []byte {
	for i := 1; i <= utf8.UTFMax-1 && i <= len(body); i++ {
		if c := body[len(body)-i]; utf8.RuneStart(c) {
			if c >= 0xC0 && !utf8.FullRune(body[len(body)-i:]) {
				return body[:len(body)-i]
			}
			break
		}
	}
	return body
}

func utf16(order unicode.Endianness, bom int) Encoding {
	name := "utf-16le"
	if order == unicode.BigEndian {
		name = "utf-16be"
	}
	return Encoding{Name: name, enc: unicode.UTF16(order, unicode.IgnoreBOM), bom: bom}
}

// zeroBytes recognises UTF-16 without label by its markup: text in it starts
// with ASCII, and nearly every second byte of that is zero.
func zeroBytes(body []byte) (Encoding, bool) {
	const sample, least = 256, 4
	b := body[:min(len(body), sample)&^1]
	if len(b) < least {
		return Encoding{}, false
	}
	var zero [2]int
	for i, c := range b {
		if c == 0 {
			zero[i&1]++
		}
	}
	pairs := len(b) / 2
	switch {
	case zero[1] > pairs/4 && zero[0] <= pairs/32 && b[1] == 0:
		return utf16(unicode.LittleEndian, 0), true
	case zero[0] > pairs/4 && zero[1] <= pairs/32 && b[0] == 0:
		return utf16(unicode.BigEndian, 0), true
	}
	return Encoding{}, false
}

// Decode returns body in UTF-8, without byte order mark. Where there is nothing
// to convert it returns body itself; UTF-8 is not checked for validity.
func (e Encoding) Decode(body []byte) []byte {
	body = body[min(e.bom, len(body)):]
	if e.enc == nil || e.ASCII() && isASCII(body) {
		return body
	}
	out, err := e.enc.NewDecoder().Bytes(body)
	if err != nil { // no decoder of the standard's encodings fails, but a reader must go on
		return body
	}
	return out
}

func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// Param returns the charset parameter of a Content-Type value, "" if it has
// none. It forgives missing and odd quotes.
func Param(contentType string) string {
	for _, p := range strings.Split(contentType, ";")[1:] {
		name, value, ok := strings.Cut(p, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "charset") {
			value, _, _ = strings.Cut(value, ",")
			return strings.Trim(value, " \t\"'")
		}
	}
	return ""
}

// XMLDeclared returns the encoding that an XML declaration at the start of body
// names, "" if there is none.
func XMLDeclared(body []byte) string {
	const longest = 256
	b := bytes.TrimLeft(body[:min(len(body), longest)], "\t\n\r ")
	if !bytes.HasPrefix(b, []byte("<?xml")) {
		return ""
	}
	decl, _, ok := bytes.Cut(b, []byte("?>"))
	if !ok {
		return ""
	}
	_, v, ok := bytes.Cut(decl, []byte("encoding"))
	if !ok {
		return ""
	}
	v = bytes.TrimLeft(v, "\t\n\r ")
	if len(v) == 0 || v[0] != '=' {
		return ""
	}
	v = bytes.TrimLeft(v[1:], "\t\n\r \"'")
	if n := bytes.IndexAny(v, "\"' \t?"); n >= 0 {
		v = v[:n]
	}
	return string(v)
}
