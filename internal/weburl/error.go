package weburl

import "strconv"

// ErrorClass says for machines why an address has no canonical URL.
type ErrorClass uint8

// The classes. Their text forms are stable.
const (
	ErrorNone ErrorClass = iota
	Empty                // nothing but white space, and no base
	Scheme               // a scheme that is not crawled: mailto, javascript, data, file …
	Syntax               // a relative reference without a base
	Host                 // missing or impossible host
	Port                 // not a number, or above 65535
	TooLong              // longer than MaxLength, or the input longer than MaxInput
)

var classNames = [...]string{"none", "empty", "scheme", "syntax", "host", "port", "too-long"}

func (c ErrorClass) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "unknown(" + strconv.Itoa(int(c)) + ")"
}

// MaxErrorRaw bounds the bytes of the input that an [Error] keeps (house choice).
const MaxErrorRaw = 200

// Error says why an address cannot be crawled. It never holds more than
// [MaxErrorRaw] bytes of it.
type Error struct {
	Class  ErrorClass
	Raw    string // the input, cut to MaxErrorRaw bytes
	Detail string // one sentence for people
}

func (e *Error) Error() string {
	return "URL " + strconv.Quote(e.Raw) + ": " + e.Detail
}

// Is reports whether target is an *Error of the same class, so that
// errors.Is(err, &Error{Class: Scheme}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Class == e.Class
}

// fault is a failure while parsing, before it is worth an allocation. The zero
// value means none.
type fault struct {
	class  ErrorClass
	detail string
}

func (f fault) of(raw []byte) *Error {
	return &Error{Class: f.class, Raw: string(raw[:min(len(raw), MaxErrorRaw)]), Detail: f.detail}
}
