package crawl

import "strings"

// URL is a canonical absolute URL, the output of package weburl: scheme and
// host in lower case, host in ASCII, default port and fragment gone, path
// never empty, percent-encoding normalised. Everything that stores, compares
// or counts URLs relies on that; never convert a string of unknown origin.
// The zero value is "no URL".
type URL string

// Host is a hostname in canonical ASCII form without port; an IPv6 address
// keeps its brackets. It is the unit of crawl budget (E1, H1): crawl capacity
// belongs to a Host.
type Host string

// Origin is scheme://host[:port] in canonical form: the scope of one
// robots.txt file (C1, RFC 9309 section 2.3).
type Origin string

// Scheme returns "http", "https", "ftp" or "ftps".
func (u URL) Scheme() string {
	s, _, _ := strings.Cut(string(u), ":")
	return s
}

// authority returns the bounds of host[:port] in u.
func (u URL) authority() (start, end int) {
	i := strings.Index(string(u), "://")
	if i < 0 {
		return 0, 0
	}
	start = i + 3
	if j := strings.IndexAny(string(u[start:]), "/?#"); j >= 0 {
		end = start + j
	} else {
		end = len(u)
	}
	if at := strings.LastIndexByte(string(u[start:end]), '@'); at >= 0 {
		start += at + 1
	}
	return start, end
}

// HostPort returns host[:port] as it stands in u.
func (u URL) HostPort() string {
	start, end := u.authority()
	return string(u[start:end])
}

// Host returns the hostname of u without port.
func (u URL) Host() Host {
	hp := u.HostPort()
	if strings.HasPrefix(hp, "[") {
		if i := strings.IndexByte(hp, ']'); i >= 0 {
			return Host(hp[:i+1])
		}
	}
	if i := strings.LastIndexByte(hp, ':'); i >= 0 {
		return Host(hp[:i])
	}
	return Host(hp)
}

// Port returns the port in u as text, or "" for the scheme's default port.
func (u URL) Port() string {
	return strings.TrimPrefix(u.HostPort()[len(u.Host()):], ":")
}

// Origin returns the scheme://host[:port] of u.
func (u URL) Origin() Origin {
	start, end := u.authority()
	prefix := u.Scheme() + "://"
	if start == len(prefix) {
		return Origin(u[:end])
	}
	return Origin(prefix + string(u[start:end]))
}

// PathQuery returns path and query of u as sent in a request: "/a?b=c".
func (u URL) PathQuery() string {
	_, end := u.authority()
	s, _, _ := strings.Cut(string(u[end:]), "#")
	if s == "" || s[0] == '?' {
		return "/" + s
	}
	return s
}

// Path returns the path of u without query.
func (u URL) Path() string {
	p, _, _ := strings.Cut(u.PathQuery(), "?")
	return p
}

// Query returns the query of u without the question mark.
func (u URL) Query() string {
	_, q, _ := strings.Cut(u.PathQuery(), "?")
	return q
}

// URL returns the URL of the given absolute path at this origin.
func (o Origin) URL(path string) URL { return URL(string(o) + path) }

// Host returns the hostname of the origin.
func (o Origin) Host() Host { return URL(o).Host() }

// Shard is one of the fixed number of parts into which hostnames hash; a
// worker leases shards, so that a hostname has one owner at a time (L1).
type Shard uint16

// Shards is the number of shards of every store (house choice: enough for a
// thousand workers, few enough to scan). It is written into a store when it is
// made and never changes afterwards.
const Shards = 1024

// ShardOf returns the shard of h: FNV-1a, 64 bits, folded. The value is part
// of the stored format and must never change.
func ShardOf(h Host) Shard {
	const offset, prime = 14695981039346656037, 1099511628211
	x := uint64(offset)
	for i := 0; i < len(h); i++ {
		x = (x ^ uint64(h[i])) * prime
	}
	return Shard((x ^ x>>32) % Shards)
}
