package weburl

import (
	"strings"

	"trawl/internal/crawl"
)

const sessionReason = "The URL carries a session id, so that every visit makes new URLs of the same page."

// isSessionName reports whether a parameter is named as session ids are. All
// names are house choices: the defaults of widespread software.
func isSessionName(name string) bool {
	switch len(name) {
	case 3:
		return strings.EqualFold(name, "sid")
	case 6:
		return strings.EqualFold(name, "sessid") || strings.EqualFold(name, "oscsid")
	case 7:
		return strings.EqualFold(name, "cftoken")
	case 9:
		return strings.EqualFold(name, "phpsessid") || strings.EqualFold(name, "sessionid")
	case 10:
		return strings.EqualFold(name, "jsessionid") || strings.EqualFold(name, "session_id") || strings.EqualFold(name, "session-id")
	case 20:
		return strings.EqualFold(name[:12], "aspsessionid")
	}
	return false
}

// isSessionID reports whether a value looks random: a long run of letters and
// digits that is no word and no short number.
func isSessionID(v string) bool {
	letters, digits := 0, 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case isDecimal(c):
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		default:
			if letters+digits >= TrapSessionLength && digits >= 2 {
				return true
			}
			letters, digits = 0, 0
		}
	}
	return letters+digits >= TrapSessionLength && digits >= 2
}

// pathSession finds a session id in a path parameter, as in /a;jsessionid=….
func pathSession(path string) (name string, ok bool) {
	name, _, _, ok = findPathSession(path)
	return name, ok
}

func findPathSession(path string) (name string, from, to int, ok bool) {
	for at := 0; ; {
		i := strings.IndexByte(path[at:], ';')
		if i < 0 {
			return "", 0, 0, false
		}
		from = at + i
		to = from + 1
		for to < len(path) && path[to] != ';' && path[to] != '/' {
			to++
		}
		name, value, _ := strings.Cut(path[from+1:to], "=")
		if isSessionName(name) && isSessionID(value) {
			return name, from, to, true
		}
		at = to
	}
}

// WithoutSession returns u without the session ids that make it a [Trap], and
// whether there were any: the page behind the trap, which would be lost if a
// site puts a session id into every link (D3, case 14).
func WithoutSession(u crawl.URL) (crawl.URL, bool) {
	p := split(u)
	if p.path == "" {
		return u, false
	}
	path, found := p.path, false
	for {
		_, from, to, ok := findPathSession(path)
		if !ok {
			break
		}
		path, found = path[:from]+path[to:], true
	}
	var kept []string
	dropped := false
	for param := range strings.SplitSeq(p.query, "&") {
		name, value, _ := strings.Cut(param, "=")
		if isSessionName(name) && isSessionID(value) {
			dropped = true
			continue
		}
		kept = append(kept, param)
	}
	if !found && !dropped {
		return u, false
	}
	s := string(u.Origin()) + path
	if dropped && len(kept) > 0 {
		s += "?" + strings.Join(kept, "&")
	} else if !dropped && len(u) > len(u.Origin())+len(p.path) {
		s += "?" + p.query
	}
	// What is left of a segment may be a dot segment, so it is parsed again.
	clean, err := Parse(s)
	if err != nil {
		return u, false
	}
	return clean, true
}
