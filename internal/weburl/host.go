package weburl

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxHost is the greatest length of a canonical hostname in bytes (RFC 1035
// section 2.3.4: 255 octets on the wire).
const MaxHost = 253

// maxRawHost is the greatest length of a host as written, which may be escaped
// or not yet Punycode (house choice): longer ones cannot come to MaxHost in any
// way that occurs, and IDNA need not look at them.
const maxRawHost = 4 * MaxHost

var (
	emptyLabel  = fault{Host, "its host has an empty label; no such name can be resolved"}
	longHost    = fault{Host, "its host is longer than 253 bytes"}
	badHost     = fault{Host, "its host holds a character that no host may hold"}
	badIDN      = fault{Host, "its host is no valid internationalised domain name (UTS #46)"}
	badIPv4     = fault{Host, "its host ends in a number but is no IPv4 address"}
	badIPv6     = fault{Host, "its host is no IPv6 address; zone identifiers are not allowed in URLs"}
	notUTF8Host = fault{Host, "its host is not UTF-8"}
)

// plainHost maps the letters, digits, hyphen, underscore and dot to lower case,
// and all other bytes to 0.
var plainHost = func() (t [256]byte) {
	for c := range t {
		switch b := byte(c); {
		case 'A' <= b && b <= 'Z':
			t[c] = b | 0x20
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '-', b == '_', b == '.':
			t[c] = b
		}
	}
	return t
}()

// idnaProfile is what the standard asks of UTS #46: non-transitional, CheckBidi
// and CheckJoiners on, CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength off.
var idnaProfile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.BidiRule(),
	idna.ValidateLabels(true), // before the next two, which it would set again
	idna.CheckJoiners(true),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
	idna.VerifyDNSLength(false),
)

// appendHost appends the canonical form of host, which is not empty, to dst.
func appendHost(dst, host []byte) ([]byte, fault) {
	if len(host) > maxRawHost {
		return dst, longHost
	}
	start := len(dst)
	if host[0] == '[' {
		return appendIPv6(dst, host)
	}
	ace := false // whether a label starts with xn--
	label := 0
	for i, c := range host {
		low := plainHost[c]
		if low == 0 {
			return appendOddHost(dst[:start], host)
		}
		if low == '.' {
			label = i + 1
		}
		ace = ace || low == '-' && i == label+3 && strings.EqualFold(string(host[label:i+1]), "xn--")
		dst = append(dst, low)
	}
	if ace {
		return appendOddHost(dst[:start], host)
	}
	return finishHost(dst, start)
}

// finishHost checks and completes the host in lower-case ASCII at dst[start:].
func finishHost(dst []byte, start int) ([]byte, fault) {
	host := dst[start:]
	if n := len(host) - 1; n >= 0 && host[n] == '.' {
		host = host[:n]
		dst = dst[:len(dst)-1]
	}
	switch {
	case len(host) == 0 || host[0] == '.' || host[len(host)-1] == '.' || bytes.Contains(host, []byte("..")):
		return dst, emptyLabel
	case len(host) > MaxHost:
		return dst, longHost
	}
	if endsInNumber(host) {
		v, ok := parseIPv4(host)
		if !ok {
			return dst, badIPv4
		}
		return appendIPv4(dst[:start], v), fault{}
	}
	return dst, fault{}
}

// appendOddHost is for hosts with anything but letters, digits, hyphens,
// underscores and dots, and for those with Punycode.
func appendOddHost(dst, host []byte) ([]byte, fault) {
	name := unescapeHost(host)
	if !utf8.ValidString(name) {
		return dst, notUTF8Host
	}
	name, ok := domainToASCII(name)
	if !ok {
		return dst, badIDN
	}
	for i := 0; i < len(name); i++ {
		if isForbiddenInDomain(name[i]) {
			return dst, badHost
		}
	}
	return finishHost(append(dst, name...), len(dst))
}

// unescapeHost decodes every escape, as the standard does for domains only.
func unescapeHost(host []byte) string {
	out := make([]byte, 0, len(host))
	for i := 0; i < len(host); i++ {
		if host[i] == '%' && i+2 < len(host) {
			hi, ok1 := hexValue(host[i+1])
			lo, ok2 := hexValue(host[i+2])
			if ok1 && ok2 {
				out = append(out, hi<<4|lo)
				i += 2
				continue
			}
		}
		out = append(out, host[i])
	}
	return string(out)
}

// domainToASCII is the standard's algorithm of that name. It refuses a name
// whose Punycode does not stand for itself, which keeps the canonical form a
// fixed point whatever the tables of IDNA say.
func domainToASCII(name string) (string, bool) {
	if isASCII(name) && !hasACELabel(name) {
		return strings.ToLower(name), true
	}
	ascii, err := idnaProfile.ToASCII(name)
	if err != nil || ascii == "" {
		return "", false
	}
	if hasACELabel(ascii) {
		again, err := idnaProfile.ToASCII(ascii)
		if err != nil || again != ascii {
			return "", false
		}
	}
	return ascii, true
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func hasACELabel(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return true
		}
	}
	return false
}

// isForbiddenInDomain is the standard's set of forbidden domain code points,
// and everything that should not be left after IDNA.
func isForbiddenInDomain(c byte) bool {
	return c <= ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' || strings.IndexByte("#/:<>?@[\\]^|%", c) >= 0
}
