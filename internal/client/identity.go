package client

import (
	"fmt"
	"net/url"
	"strings"
)

// software is the name by which this program calls itself.
const software = "trawl"

// Identity is what makes a user agent honest (A7): the version of this
// software, and how its operator can be reached.
type Identity struct {
	Version string // "1.2.3"; "" = not known
	Contact string // a web page or a mail address, as ParseContact returns it; "" = none set
}

// maxContact bounds a contact in bytes (house choice).
const maxContact = 200

// ParseContact checks a contact: an http or https URL, or a mail address (with
// or without "mailto:"). It returns the form that goes into a user agent.
func ParseContact(s string) (string, error) {
	const want = "write the address of a web page (https://example.org/bot) or a mail address (crawl@example.org)"
	s = strings.TrimPrefix(strings.TrimSpace(s), "mailto:")
	if s == "" {
		return "", fmt.Errorf("the contact is empty: %s", want)
	}
	if len(s) > maxContact {
		return "", fmt.Errorf("the contact has %d bytes, at most %d are allowed", len(s), maxContact)
	}
	if !safeContact(s) {
		return "", fmt.Errorf("the contact may hold printable ASCII without spaces, brackets, quotes, commas and semicolons only: %s", want)
	}
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		if u, err := url.Parse(s); err != nil || u.Hostname() == "" {
			return "", fmt.Errorf("the contact is not a URL: %s", want)
		}
		return s, nil
	}
	user, host, ok := strings.Cut(s, "@")
	if !ok || user == "" || host == "" || strings.ContainsAny(host, "@:/") || strings.Contains(s, "://") {
		return "", fmt.Errorf("the contact is neither a URL nor a mail address: %s", want)
	}
	return s, nil
}

// safeContact reports whether s can stand in the comment of a user agent.
func safeContact(s string) bool {
	return len(s) <= maxContact && printable(s) && !strings.ContainsAny(s, " ()<>\";,\\{}")
}

// printable reports whether s holds printable ASCII only: nothing in it can end
// a header field.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// placeholders of user-agent templates, with the value each stands for.
func (p Profile) placeholders(id Identity) [][2]string {
	version := id.Version
	if len(version) > 40 || !printable(version) || strings.ContainsAny(version, " ();/") {
		version = ""
	}
	contact := strings.TrimPrefix(id.Contact, "mailto:")
	if !safeContact(contact) {
		contact = ""
	}
	return [][2]string{{"{chromium}", p.Chromium}, {"{version}", version}, {"{contact}", contact}}
}

// UserAgent returns the User-Agent field value: the first of the client's
// user agents whose placeholders all have a value. When there is none, the
// name and version of this software (A7). A client that makes no requests has
// none.
func (p Profile) UserAgent(id Identity) string {
	if p.ControlOnly {
		return ""
	}
	values := p.placeholders(id)
next:
	for _, ua := range p.UserAgents {
		for _, v := range values {
			if v[1] == "" && strings.Contains(ua, v[0]) {
				continue next
			}
		}
		for _, v := range values {
			ua = strings.ReplaceAll(ua, v[0], v[1])
		}
		return ua
	}
	if version := values[1][1]; version != "" {
		return software + "/" + version
	}
	return software
}

// NeedsContact reports whether every user agent of the client names a contact,
// so that without one it goes out under the bare name of this software.
func (p Profile) NeedsContact() bool {
	for _, ua := range p.UserAgents {
		if !strings.Contains(ua, "{contact}") {
			return false
		}
	}
	return len(p.UserAgents) > 0
}

// Impersonates reports whether the client carries the name of another operator
// (A7): declared by Operator, or recognised by the mark that every documented
// user agent of Google has.
func (p Profile) Impersonates() bool {
	if p.Operator != "" {
		return true
	}
	for _, ua := range p.UserAgents {
		if strings.Contains(strings.ToLower(ua), "google") {
			return true
		}
	}
	return false
}
