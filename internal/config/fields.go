package config

import (
	"cmp"
	"errors"
	"net/netip"
	"regexp"
	"regexp/syntax"
	"slices"
	"time"

	"trawl/internal/client"
	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

// The bounds of what a file may say (house choices).
const (
	maxEntries = 10_000
	maxRegexps = 1_000
	maxRegexp  = 1_000 // bytes
	maxWeight  = 5_000 // parts of one expression, about 40 bytes each
	maxPath    = 4_096
)

// MaxConcurrency bounds [Crawl].Concurrency, in the file and wherever else it is
// set (house choice).
const MaxConcurrency = 10_000

// reader fills a Config and keeps the values that can be checked only when all
// of the file is read.
type reader struct {
	c       *Config
	clients strictyaml.Value
	primary strictyaml.Value
	has     struct{ clients, primary bool }
	regions []regionRef
	secrets *secrets // nil = what the file only refers to is not read
}

func (r *reader) fields() []strictyaml.Field {
	c := r.c
	return []strictyaml.Field{
		{Name: "contact", Read: func(v strictyaml.Value) {
			s, ok := v.Text(1_000)
			if !ok {
				return
			}
			contact, err := client.ParseContact(s)
			if err != nil {
				v.Fail("%v", err)
				return
			}
			c.Contact = contact
		}},
		{Name: "clients", Read: func(v strictyaml.Value) {
			r.clients, r.has.clients = v, true
			c.Clients = c.Catalogue.ReadList(v)
		}},
		{Name: "own", Read: r.readOwn},
		{Name: "allow_private", Read: r.readPrefixes},
		{Name: "hosts", Read: r.readHosts},
		{Name: "egress", Read: r.readEgress},
		{Name: "crawl", Read: r.readCrawl},
		{Name: "timeouts", Read: r.readTimeouts},
		{Name: "ca_file", Read: func(v strictyaml.Value) { c.CAFile = readPath(v) }},
	}
}

func readPath(v strictyaml.Value) string {
	s, ok := v.Text(maxPath)
	if ok && s == "" {
		v.Fail("the path is empty: leave the field out instead")
	}
	return s
}

func (r *reader) readOwn(v strictyaml.Value) {
	v.Items(maxEntries, func(_ int, item strictyaml.Value) {
		s, ok := item.Text(300)
		if !ok {
			return
		}
		_, err := client.ParseOwned([]string{s})
		var bad *client.OwnedError
		if errors.As(err, &bad) {
			item.FailNear(bad.Suggestion, "%s", bad.Detail)
			return
		}
		r.c.Own = append(r.c.Own, s)
	})
	// Each entry was checked on its own above.
	r.c.Owned, _ = client.ParseOwned(r.c.Own)
}

func (r *reader) readPrefixes(v strictyaml.Value) {
	v.Items(maxEntries, func(_ int, item strictyaml.Value) {
		s, ok := item.Text(100)
		if !ok {
			return
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			near := ""
			if a, err := netip.ParseAddr(s); err == nil {
				a = a.WithZone("")
				near = netip.PrefixFrom(a, a.BitLen()).String()
			}
			item.FailNear(near, "is not an address prefix, for example 10.0.0.0/8 or fd00::/8")
			return
		}
		if p != p.Masked() {
			item.FailNear(p.Masked().String(), "the address has bits beyond the prefix length")
			return
		}
		r.c.AllowPrivate = append(r.c.AllowPrivate, p)
	})
}

func (r *reader) readHosts(v strictyaml.Value) {
	seen := map[crawl.Host]bool{}
	v.Items(maxEntries, func(_ int, item strictyaml.Value) {
		rule, named := HostRule{}, false
		item.Fields([]strictyaml.Field{
			{Name: "host", Read: func(v strictyaml.Value) {
				named = true
				s, ok := v.Text(300)
				if !ok {
					return
				}
				h, bad := client.ParseHost(s)
				switch {
				case bad != nil:
					v.FailNear(bad.Suggestion, "%s", bad.Detail)
				case seen[h]:
					v.Fail("%s has a rule already: write both into one", h)
				}
				seen[h] = true
				rule.Host = h
			}},
			{Name: "limit", Read: func(v strictyaml.Value) { rule.Limit, _ = v.Number(0.001, 1_000) }},
			{Name: "pause", Read: func(v strictyaml.Value) { rule.Pause, _ = v.Bool() }},
			{Name: "region", Read: func(v strictyaml.Value) { rule.Region, rule.HasRegion = r.readRegionName(v), true }},
		})
		if !named {
			item.Fail("the rule names no host")
		}
		r.c.Hosts = append(r.c.Hosts, rule)
	})
	slices.SortFunc(r.c.Hosts, func(a, b HostRule) int { return cmp.Compare(a.Host, b.Host) })
}

func (r *reader) readCrawl(v strictyaml.Value) {
	c := &r.c.Crawl
	v.Fields([]strictyaml.Field{
		{Name: "client", Read: func(v strictyaml.Value) {
			if s, ok := v.Text(64); ok {
				c.Client = crawl.ClientID(s)
				r.primary, r.has.primary = v, true
			}
		}},
		{Name: "max_pages", Read: func(v strictyaml.Value) { c.MaxPages, _ = v.Int(0, 1e12) }},
		{Name: "max_depth", Read: func(v strictyaml.Value) {
			n, _ := v.Int(0, 10_000)
			c.MaxDepth = int(n)
		}},
		{Name: "include", Read: func(v strictyaml.Value) { c.Include = readRegexps(v) }},
		{Name: "exclude", Read: func(v strictyaml.Value) { c.Exclude = readRegexps(v) }},
		{Name: "all_hosts", Read: func(v strictyaml.Value) { c.AllHosts, _ = v.Bool() }},
		{Name: "warc", Read: func(v strictyaml.Value) { c.WARC, _ = v.Bool() }},
		{Name: "warc_max_bytes", Read: func(v strictyaml.Value) { c.WARCMaxBytes, _ = v.Bytes(1<<20, 1<<40) }},
		{Name: "concurrency", Read: func(v strictyaml.Value) {
			n, _ := v.Int(1, MaxConcurrency)
			c.Concurrency = int(n)
		}},
	})
}

// readRegexps reads RE2 expressions: they match in linear time, so a bound on
// their length bounds their cost.
func readRegexps(v strictyaml.Value) []*regexp.Regexp {
	var out []*regexp.Regexp
	v.Items(maxRegexps, func(_ int, item strictyaml.Value) {
		s, ok := item.Text(maxRegexp)
		if !ok {
			return
		}
		if s == "" {
			item.Fail("the expression is empty and would match every URL: remove it")
			return
		}
		tree, err := syntax.Parse(s, syntax.Perl)
		if err != nil {
			item.Fail("is not a regular expression (RE2 syntax): %.200s", err)
			return
		}
		if n := weight(tree); n > maxWeight {
			item.Fail("the expression is too large when its repetitions are written out (%d parts, at most %d)", n, maxWeight)
			return
		}
		re, err := regexp.Compile(s)
		if err != nil {
			item.Fail("is not a regular expression (RE2 syntax): %.200s", err)
			return
		}
		out = append(out, re)
	})
	return out
}

// weight is about the number of instructions that an expression compiles to: a
// short one with counted repetitions may need megabytes.
func weight(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<40)
}

func (r *reader) readTimeouts(v strictyaml.Value) {
	t := &r.c.Timeouts
	read := func(name string, at *time.Duration, most time.Duration) strictyaml.Field {
		return strictyaml.Field{Name: name, Read: func(v strictyaml.Value) {
			if d, ok := v.Duration(10*time.Millisecond, most); ok {
				*at = d
			}
		}}
	}
	const most = 10 * time.Minute
	v.Fields([]strictyaml.Field{
		read("connect", &t.Connect, most),
		read("tls", &t.TLS, most),
		read("header", &t.Header, most),
		read("idle", &t.Idle, most),
		read("total", &t.Total, time.Hour),
		{Name: "min_rate", Read: func(v strictyaml.Value) {
			if n, ok := v.Bytes(0, 1<<20); ok {
				t.MinRate = n
			}
		}},
	})
}

// check reports what is wrong between the parts of the file.
func (r *reader) check() {
	c := r.c
	r.checkRegions()
	p, ok := c.Catalogue.Get(c.Crawl.Client)
	switch {
	case !r.has.primary:
	case !ok:
		r.primary.FailNear(string(c.Catalogue.Nearest(c.Crawl.Client)), "no client %q is built in or defined under \"clients\"", c.Crawl.Client)
	case p.ControlOnly:
		r.primary.Fail("the client %q is only a token in robots.txt and makes no requests: choose another", c.Crawl.Client)
	}
	if !r.has.clients || c.Contact != "" {
		return
	}
	for _, own := range c.Clients {
		if p, ok := c.Catalogue.Get(own.ID); ok && p.NeedsContact() {
			r.clients.Fail("every user agent of the client %q names {contact}, and no contact is set: set \"contact\", or add a user agent without it", own.ID)
		}
	}
}
