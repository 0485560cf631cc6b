package client

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

// The bounds of what a file may say about a client (house choices).
const (
	maxClients   = 1_000
	maxText      = 300
	maxAgents    = 10
	maxAgentLen  = 1_000
	maxTokens    = 16
	maxTokenLen  = 64
	maxByteLimit = 1 << 30
	maxHops      = 20
	maxCycle     = 366 * 24 * time.Hour
	maxWait      = time.Minute
	maxShown     = 64
)

// field is one field of a client in a file: its name, how it is read, and how a
// derived client takes it over.
type field struct {
	name string
	read func(*reader, strictyaml.Value, *Profile)
	copy func(dst, src *Profile)
}

// reader carries what is defined in the file beside the clients.
type reader struct {
	templates map[string]string // user agents with {agent} in them, by name
}

// fields is the one table of a client's fields. Their order is part of
// Profile.set and of listings.
func fields() []field {
	return []field{
		{"name", text(maxText, func(p *Profile) *string { return &p.Name }), func(d, s *Profile) { d.Name = s.Name }},
		{"product", text(maxText, func(p *Profile) *string { return &p.Product }), func(d, s *Profile) { d.Product = s.Product }},
		{"operator", text(maxText, func(p *Profile) *string { return &p.Operator }), func(d, s *Profile) { d.Operator = s.Operator }},
		{"category", oneOf(func(p *Profile) *Category { return &p.Category }, Common, SpecialCase, UserTriggered), func(d, s *Profile) { d.Category = s.Category }},
		{"user_agents", readUserAgents, func(d, s *Profile) { d.UserAgents = s.UserAgents }},
		{"tokens", readTokens, func(d, s *Profile) { d.Tokens = s.Tokens }},
		{"byte_limits", readLimits, func(d, s *Profile) { d.Limits = s.Limits }},
		{"max_redirects", func(_ *reader, v strictyaml.Value, p *Profile) {
			n, _ := v.Int(0, maxHops)
			p.MaxRedirects = int(n)
		}, func(d, s *Profile) { d.MaxRedirects = s.MaxRedirects }},
		{"accept_encoding", readEncodings, func(d, s *Profile) { d.AcceptEncoding = s.AcceptEncoding }},
		{"accept", text(maxText, func(p *Profile) *string { return &p.Accept }), func(d, s *Profile) { d.Accept = s.Accept }},
		{
			"conditional", oneOf(func(p *Profile) *ConditionalUse { return &p.Conditional }, ConditionalAlways, ConditionalSometimes, ConditionalNever),
			func(d, s *Profile) { d.Conditional = s.Conditional },
		},
		{"conditional_share", number(func(p *Profile) *float64 { return &p.ConditionalShare }), func(d, s *Profile) { d.ConditionalShare = s.ConditionalShare }},
		{"robots", oneOf(func(p *Profile) *RobotsPolicy { return &p.Robots }, RobotsObey, RobotsOwnGroupOnly, RobotsIgnore), func(d, s *Profile) { d.Robots = s.Robots }},
		{"device", oneOf(func(p *Profile) *Device { return &p.Device }, Smartphone, Desktop, NoDevice), func(d, s *Profile) { d.Device = s.Device }},
		{"renders", boolean(func(p *Profile) *bool { return &p.Renders }), func(d, s *Profile) { d.Renders = s.Renders }},
		{"client_type", readClientType, func(d, s *Profile) { d.Type = s.Type }},
		{"share", number(func(p *Profile) *float64 { return &p.Share }), func(d, s *Profile) { d.Share = s.Share }},
		{"cycle", duration(maxCycle, func(p *Profile) *time.Duration { return &p.Cycle }), func(d, s *Profile) { d.Cycle = s.Cycle }},
		{"follows_links", boolean(func(p *Profile) *bool { return &p.FollowsLinks }), func(d, s *Profile) { d.FollowsLinks = s.FollowsLinks }},
		{"content_wait", duration(maxWait, func(p *Profile) *time.Duration { return &p.ContentWait }), func(d, s *Profile) { d.ContentWait = s.ContentWait }},
		{"control_only", boolean(func(p *Profile) *bool { return &p.ControlOnly }), func(d, s *Profile) { d.ControlOnly = s.ControlOnly }},
		{"chromium_version", text(maxShown, func(p *Profile) *string { return &p.Chromium }), func(d, s *Profile) { d.Chromium = s.Chromium }},
	}
}

// bit returns the bit of a field in Profile.set; 0 for a name that is none.
func bit(name string) uint64 {
	for i, f := range fields() {
		if f.name == name {
			return 1 << i
		}
	}
	return 0
}

func text(most int, at func(*Profile) *string) func(*reader, strictyaml.Value, *Profile) {
	return func(_ *reader, v strictyaml.Value, p *Profile) {
		s, ok := v.Text(most)
		if ok && !printable(s) {
			v.Fail("may hold printable ASCII only")
			return
		}
		*at(p) = s
	}
}

func oneOf[T ~string](at func(*Profile) *T, names ...T) func(*reader, strictyaml.Value, *Profile) {
	plain := make([]string, len(names))
	for i, n := range names {
		plain[i] = string(n)
	}
	return func(_ *reader, v strictyaml.Value, p *Profile) {
		s, _ := v.OneOf(plain...)
		*at(p) = T(s)
	}
}

func number(at func(*Profile) *float64) func(*reader, strictyaml.Value, *Profile) {
	return func(_ *reader, v strictyaml.Value, p *Profile) { *at(p), _ = v.Number(0, 1) }
}

func boolean(at func(*Profile) *bool) func(*reader, strictyaml.Value, *Profile) {
	return func(_ *reader, v strictyaml.Value, p *Profile) { *at(p), _ = v.Bool() }
}

func duration(most time.Duration, at func(*Profile) *time.Duration) func(*reader, strictyaml.Value, *Profile) {
	return func(_ *reader, v strictyaml.Value, p *Profile) { *at(p), _ = v.Duration(0, most) }
}

func readClientType(_ *reader, v strictyaml.Value, p *Profile) {
	var names []string
	for t := crawl.ClientOther; t <= crawl.ClientStoreBot; t++ {
		names = append(names, t.String())
	}
	if s, ok := v.OneOf(names...); ok {
		p.Type = crawl.ClientType(slices.Index(names, s))
	}
}

// readUserAgents reads a list of user agents: the text itself, or the name of a
// template and what stands in it.
func readUserAgents(r *reader, v strictyaml.Value, p *Profile) {
	v.Items(maxAgents, func(_ int, item strictyaml.Value) {
		ua, ok := "", false
		if item.IsMapping() {
			ua, ok = r.templated(item)
		} else {
			ua, ok = item.Text(maxAgentLen)
		}
		if ok && checkUserAgent(item, ua) {
			p.UserAgents = append(p.UserAgents, ua)
		}
	})
}

func (r *reader) templated(v strictyaml.Value) (string, bool) {
	template, agent := "", ""
	hasTemplate, hasAgent := false, false
	v.Fields([]strictyaml.Field{
		{Name: "template", Read: func(v strictyaml.Value) {
			hasTemplate = true
			names := make([]string, 0, len(r.templates))
			for n := range r.templates {
				names = append(names, n)
			}
			slices.Sort(names)
			if name, ok := v.OneOf(names...); ok {
				template = r.templates[name]
			}
		}},
		{Name: "agent", Read: func(v strictyaml.Value) { hasAgent = true; agent, _ = v.Text(maxAgentLen) }},
	})
	if !hasTemplate || !hasAgent {
		v.Fail("needs both a template and an agent")
	}
	if template == "" || agent == "" {
		return "", false
	}
	return strings.ReplaceAll(template, "{agent}", agent), true
}

func checkUserAgent(v strictyaml.Value, ua string) bool {
	if strings.TrimSpace(ua) != ua || ua == "" || !printable(ua) {
		v.Fail("a user agent is one line of printable ASCII without spaces around it")
		return false
	}
	for rest := ua; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return true
		}
		name, tail, closed := strings.Cut(after, "}")
		if known := []string{"chromium", "version", "contact"}; !closed || !slices.Contains(known, name) {
			v.FailNear(strictyaml.Nearest(name, known), "a user agent knows the placeholders {chromium}, {version} and {contact} only")
			return false
		}
		rest = tail
	}
}

// readTokens reads product tokens: letters, "_" and "-" (RFC 9309 section 2.2.1).
func readTokens(_ *reader, v strictyaml.Value, p *Profile) {
	p.Tokens = []string{}
	v.Items(maxTokens, func(_ int, item strictyaml.Value) {
		t, ok := item.Text(maxTokenLen)
		switch {
		case !ok:
		case t == "" || strings.Trim(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "":
			item.Fail("a product token consists of letters, \"_\" and \"-\"")
		case slices.ContainsFunc(p.Tokens, func(have string) bool { return strings.EqualFold(have, t) }):
			item.Fail("the token is listed twice: upper and lower case are the same")
		default:
			p.Tokens = append(p.Tokens, t)
		}
	})
}

// readEncodings reads a list of content codings into the header field value (A6).
func readEncodings(_ *reader, v strictyaml.Value, p *Profile) {
	var names []string
	v.Items(8, func(_ int, item strictyaml.Value) {
		if s, ok := item.OneOf("gzip", "deflate", "br"); ok {
			names = append(names, s)
		}
	})
	p.AcceptEncoding = strings.Join(names, ", ")
}

// readLimits reads byte limits (B4). Whole media types stand before wildcards,
// so that the more specific limit counts whatever the order in the file.
func readLimits(_ *reader, v strictyaml.Value, p *Profile) {
	limits := crawl.ByteLimits{}
	v.Fields([]strictyaml.Field{
		{Name: "default", Read: func(v strictyaml.Value) { limits.Default, _ = v.Bytes(1<<10, maxByteLimit) }},
		{Name: "by_type", Read: func(v strictyaml.Value) {
			v.Entries(100, func(key string, v strictyaml.Value) {
				if !isMediaRange(key) {
					v.Fail("the key must be a media type in lower case, for example application/pdf or image/*")
					return
				}
				if n, ok := v.Bytes(1<<10, maxByteLimit); ok {
					limits.ByType = append(limits.ByType, crawl.TypeCap{MediaType: key, Bytes: n})
				}
			})
		}},
	})
	slices.SortStableFunc(limits.ByType, func(a, b crawl.TypeCap) int {
		rank := func(c crawl.TypeCap) int { return strings.Count(c.MediaType, "*") }
		return cmp.Compare(rank(a), rank(b))
	})
	p.Limits = limits
}

// isMediaRange reports whether s is "type/subtype" or "type/*" in lower case
// (RFC 6838 section 4.2).
func isMediaRange(s string) bool {
	major, minor, ok := strings.Cut(s, "/")
	name := func(s string) bool {
		return s != "" && len(s) <= 127 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-") == ""
	}
	return ok && name(major) && (minor == "*" || name(minor))
}
