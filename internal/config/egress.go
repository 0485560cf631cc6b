package config

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

// The names that stand beside those of configured regions.
const (
	RegionDirect      = "direct"      // from this machine, through no proxy
	RegionEnvironment = "environment" // through the proxies that the environment names
)

// Egress is how requests leave (B10).
type Egress struct {
	Default  string   // region of hostnames that have none of their own; "" = direct
	Regions  []Region // in the order of the file
	Fallback []string // tried in this order when a hostname blocks the default region; empty = never
}

// Region is a way out, or several that are alike.
type Region struct {
	Name     string
	Proxies  []Proxy
	User     string // for all of them; "" = no authentication
	Password Secret
}

// Proxy is the address of one proxy.
type Proxy struct {
	Scheme  string // http, https or socks5
	Address string // host:port
}

// Secret is a text that no verb of fmt and no encoder prints. Text returns it.
type Secret struct{ text string }

// Text returns what must not be shown.
func (s Secret) Text() string { return s.text }

// Format implements [fmt.Formatter] for every verb.
func (s Secret) Format(f fmt.State, _ rune) {
	// Whoever prints it gets the error, too.
	_, _ = io.WriteString(f, "(not shown)")
}

// MarshalText keeps it out of JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte("(not shown)"), nil }

// The bounds of what the section may say (house choices). One place of a
// hostname's record is for its home region.
const (
	maxRegions = crawl.MaxEgressRegions - 1
	maxProxies = 64
	maxSecret  = 4_096
)

// secrets reads what the file only refers to; nil leaves it unread.
type secrets struct {
	env  func(name string) (string, bool)
	file func(path string) ([]byte, error)
}

func systemSecrets() *secrets {
	return &secrets{env: os.LookupEnv, file: func(path string) ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, maxSecret+1))
	}}
}

// regionRef is a place in the file that names a region; regions may come later.
type regionRef struct {
	value strictyaml.Value
	name  string
}

func (r *reader) readEgress(v strictyaml.Value) {
	e := &r.c.Egress
	v.Fields([]strictyaml.Field{
		{Name: "default", Read: func(v strictyaml.Value) { e.Default = r.readRegionName(v) }},
		{Name: "regions", Read: func(v strictyaml.Value) {
			v.Items(maxRegions, func(_ int, item strictyaml.Value) { r.readRegion(item) })
		}},
		{Name: "fallback", Read: func(v strictyaml.Value) {
			v.Items(maxRegions, func(_ int, item strictyaml.Value) {
				name := r.readRegionName(item)
				if slices.Contains(e.Fallback, name) {
					item.Fail("the region stands in the list already")
				}
				e.Fallback = append(e.Fallback, name)
			})
		}},
	})
}

// readRegionName reads a reference to a region; it is checked when all are read.
func (r *reader) readRegionName(v strictyaml.Value) string {
	s, ok := v.Text(64)
	if !ok || s == RegionDirect {
		return ""
	}
	r.regions = append(r.regions, regionRef{v, s})
	return s
}

func (r *reader) readRegion(v strictyaml.Value) {
	reg := Region{}
	var user, env, file strictyaml.Value
	var has struct{ name, user, proxies, env, file bool }
	v.Fields([]strictyaml.Field{
		{Name: "name", Read: func(v strictyaml.Value) { reg.Name, has.name = r.readNewRegion(v), true }},
		{Name: "proxies", Read: func(v strictyaml.Value) {
			v.Items(maxProxies, func(_ int, item strictyaml.Value) {
				has.proxies = true
				if p, ok := readProxy(item); ok {
					reg.Proxies = append(reg.Proxies, p)
				}
			})
		}},
		{Name: "user", Read: func(v strictyaml.Value) {
			user, has.user = v, true
			if reg.User, _ = v.Text(255); reg.User == "" || strings.ContainsFunc(reg.User, func(c rune) bool { return c < ' ' || c == ':' || c == 0x7f }) {
				v.Fail("a user has 1 to 255 bytes, without colon and control characters")
			}
		}},
		{Name: "password_env", Read: func(v strictyaml.Value) { env, has.env = v, true }},
		{Name: "password_file", Read: func(v strictyaml.Value) { file, has.file = v, true }},
	})
	switch {
	case !has.name:
		v.Fail("the region has no name")
	case !has.proxies:
		v.Fail("the region has no proxies: without one, requests leave as from %q", RegionDirect)
	case has.env && has.file:
		file.Fail("password_env is set too: use one of both")
	case (has.env || has.file) && !has.user:
		v.Fail("the region has a password and no user")
	case has.user && !has.env && !has.file:
		user.Fail("a user needs a password: name the environment variable (password_env) or the file (password_file) that holds it")
	case has.env:
		reg.Password = r.readSecretEnv(env)
	case has.file:
		reg.Password = r.readSecretFile(file)
	}
	r.c.Egress.Regions = append(r.c.Egress.Regions, reg)
}

func (r *reader) readNewRegion(v strictyaml.Value) string {
	s, ok := v.Text(64)
	if !ok {
		return ""
	}
	switch {
	case s == RegionDirect || s == RegionEnvironment:
		v.Fail("%q has a meaning of its own: choose another name", s)
	case s == "" || len(s) > 32 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		v.Fail("the name of a region is 1 to 32 lower-case letters, digits and hyphens")
	case slices.ContainsFunc(r.c.Egress.Regions, func(other Region) bool { return other.Name == s }):
		v.Fail("there is a region %q already", s)
	}
	return s
}

// readProxy reads a URL. Nothing of what stands in place of user and password is
// ever repeated in an error.
func readProxy(v strictyaml.Value) (Proxy, bool) {
	s, ok := v.Text(300)
	if !ok {
		return Proxy{}, false
	}
	const want = "write scheme://host:port with http, https or socks5, for example http://proxy.example.org:3128"
	u, err := url.Parse(s)
	if err != nil {
		v.Fail("is no URL: %s", want)
		return Proxy{}, false
	}
	near := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	switch {
	case u.User != nil:
		v.FailNear(near, "user and password do not belong into the address: use the fields user and password_env or password_file")
	case u.Scheme == "socks5h" || u.Scheme == "socks":
		v.FailNear("socks5://"+u.Host, "names are always resolved here and not at the proxy (B11)")
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5":
		v.Fail("has no scheme that a proxy can have: %s", want)
	case u.Hostname() == "":
		v.Fail("names no host: %s", want)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		v.FailNear(near, "a proxy has no path")
	case !validPort(u.Port()):
		v.Fail("names no port between 1 and 65535: %s", want)
	default:
		return Proxy{Scheme: u.Scheme, Address: net.JoinHostPort(u.Hostname(), u.Port())}, true
	}
	return Proxy{}, false
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func (r *reader) readSecretEnv(v strictyaml.Value) Secret {
	name, ok := v.Text(200)
	switch {
	case !ok:
		return Secret{}
	case name == "" || strings.ContainsAny(name, "= \t"):
		v.Fail("is not the name of an environment variable: the password itself does not belong into this file")
		return Secret{}
	case r.secrets == nil:
		return Secret{}
	}
	s, set := r.secrets.env(name)
	if !set || s == "" {
		v.Fail("the environment variable %s is not set: export it before you run the command", name)
		return Secret{}
	}
	return checkSecret(v, s)
}

func (r *reader) readSecretFile(v strictyaml.Value) Secret {
	path := readPath(v)
	if path == "" || r.secrets == nil {
		return Secret{}
	}
	b, err := r.secrets.file(path)
	var file *os.PathError
	switch {
	case errors.As(err, &file):
		v.Fail("the password cannot be read from %s: %v", path, file.Err)
		return Secret{}
	case err != nil:
		v.Fail("the password cannot be read from %s: %v", path, err)
		return Secret{}
	}
	s := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if s == "" {
		v.Fail("%s is empty: it should hold the password and nothing else", path)
		return Secret{}
	}
	return checkSecret(v, s)
}

func checkSecret(v strictyaml.Value, s string) Secret {
	if len(s) > 255 || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		v.Fail("the password has more than 255 bytes, or a line end or control character in it")
		return Secret{}
	}
	return Secret{s}
}

// checkRegions reports references to regions that are not there.
func (r *reader) checkRegions() {
	e := &r.c.Egress
	names := []string{RegionDirect, RegionEnvironment}
	for i := range e.Regions {
		names = append(names, e.Regions[i].Name)
	}
	for _, ref := range r.regions {
		if !slices.Contains(names, ref.name) {
			ref.value.FailNear(strictyaml.Nearest(ref.name, names), "there is no region %.64q under egress.regions", ref.name)
		}
	}
}

// Known reports whether a region of that name can be used, and the nearest name
// that can if not.
func (e *Egress) Known(name string) (near string, ok bool) {
	names := []string{RegionDirect, RegionEnvironment}
	for i := range e.Regions {
		names = append(names, e.Regions[i].Name)
	}
	return strictyaml.Nearest(name, names), slices.Contains(names, name)
}

// Home returns the region of a hostname, "" = direct, and those that may be
// tried when it blocks that one: a region that the owner chose for a hostname is
// kept to.
func (c *Config) Home(h crawl.Host) (home string, others []string) {
	if rule, ok := c.HostRule(h); ok && rule.HasRegion {
		return rule.Region, nil
	}
	for _, f := range c.Egress.Fallback {
		if f != c.Egress.Default {
			others = append(others, f)
		}
	}
	return c.Egress.Default, others
}
