package weburl

import (
	"strings"

	"github.com/weppos/publicsuffix-go/publicsuffix"

	"trawl/internal/crawl"
)

// RegistrableDomain returns the part of h below which one owner decides: the
// public suffix and one label more, private suffixes such as github.io
// included. An address, a single label and a public suffix itself return
// themselves. Which list is used is the business of the dependency's version:
// never keep the result in a store.
func RegistrableDomain(h crawl.Host) string {
	s := string(h)
	if isAddress(s) || strings.IndexByte(s, '.') < 0 {
		return s
	}
	domain, err := publicsuffix.Domain(s)
	if err != nil {
		return s // a public suffix itself
	}
	return domain
}

// SameSite reports whether a and b have the same registrable domain. The empty
// host is on no site.
func SameSite(a, b crawl.Host) bool {
	if a == "" || b == "" {
		return false
	}
	return a == b || RegistrableDomain(a) == RegistrableDomain(b)
}

// isAddress reports whether a canonical host is an IP address.
func isAddress(h string) bool {
	return h != "" && (h[0] == '[' || endsInNumber([]byte(h)))
}
