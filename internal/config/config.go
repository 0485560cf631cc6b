// Package config reads the user's configuration: one YAML file that says who
// crawls (contact), as what (clients), which hosts are the operator's own, and
// how a crawl is bounded.
//
// It decides what such a file may say, and reports everything that is wrong
// with it at once: file, line, column, field, and the nearest valid name of a
// mistyped one. It decides nothing about crawling, and a value that the file
// does not set is left at its default, which [Default] returns.
//
// To extend it: a field in [Config], a reader in fields.go, a line in
// example.yaml. A test holds that the example names every field.
//
// Invariants: nothing is read that no command uses; no field is accepted that is
// not documented in the example; reading is bounded (4 MiB, no anchors or
// aliases, bounded nesting); only [Load] touches the file system and the
// environment; a password stands in no error and is printed by nothing.
//
// Sources: behaviours A1, A7, B10, B11, E7, G4 (through package client).
package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"regexp"
	"slices"

	"trawl/internal/client"
	"trawl/internal/client/strictyaml"
	"trawl/internal/crawl"
)

// Config is the configuration of one operator.
type Config struct {
	File         string           // where it was read; "" = defaults only
	Contact      string           // web page or mail address in the user agent (A7); "" = none
	Clients      []client.Profile // the operator's own clients, as written
	Catalogue    *client.Catalogue
	Own          []string // hosts the operator states to be their own, as written (A7, E7)
	Owned        client.OwnedHosts
	AllowPrivate []netip.Prefix // special-purpose addresses that may be dialled (B11)
	Hosts        []HostRule     // sorted by Host, one for each
	Egress       Egress
	Crawl        Crawl
	Timeouts     crawl.Timeouts
	CAFile       string // PEM file of certificate authorities trusted beside the system's; "" = none
}

// HostRule is what the owner sets for one hostname (E7).
type HostRule struct {
	Host  crawl.Host
	Limit float64 // upper bound of the crawl capacity limit, connection-seconds per second; 0 = none
	Pause bool    // nothing is fetched

	Region    string // that it is asked from, "" = direct; counts if HasRegion
	HasRegion bool
}

// Crawl bounds what one crawl takes.
type Crawl struct {
	Client       crawl.ClientID   // the primary client
	MaxPages     int64            // 0 = no bound
	MaxDepth     int              // links from a seed; 0 = no bound
	Include      []*regexp.Regexp // a URL must match one of them, if there are any
	Exclude      []*regexp.Regexp // and none of these
	AllHosts     bool             // other hosts than those of the seeds too
	WARC         bool             // write an archive
	WARCMaxBytes int64            // of one archive file
	Concurrency  int              // fetches at the same time, over all hosts
}

// Default returns the configuration of an empty file.
func Default() (*Config, error) {
	catalogue, err := client.Builtin()
	if err != nil {
		return nil, err
	}
	return &Config{
		Catalogue: catalogue,
		Crawl:     Crawl{Client: client.DefaultID, WARC: true, WARCMaxBytes: 1 << 30, Concurrency: 64}, // house choices
		Timeouts:  crawl.DefaultTimeouts(),
	}, nil
}

// Identity returns what the user agents say about this operator (A7).
func (c *Config) Identity(version string) client.Identity {
	return client.Identity{Version: version, Contact: c.Contact}
}

// HostRule returns the owner's rule for a hostname; false when there is none.
func (c *Config) HostRule(h crawl.Host) (HostRule, bool) {
	i, ok := slices.BinarySearchFunc(c.Hosts, h, func(r HostRule, h crawl.Host) int { return cmp.Compare(r.Host, h) })
	if !ok {
		return HostRule{}, false
	}
	return c.Hosts[i], true
}

// Takes reports whether u is within include and exclude.
func (c *Crawl) Takes(u crawl.URL) bool {
	for _, re := range c.Exclude {
		if re.MatchString(string(u)) {
			return false
		}
	}
	for _, re := range c.Include {
		if re.MatchString(string(u)) {
			return true
		}
	}
	return len(c.Include) == 0
}

// Parse reads a configuration; name is the file's name in errors. The error is
// of type [client.Errors] and holds everything that is wrong.
//
// Passwords that the file only refers to are left empty: [Load] reads them.
func Parse(name string, data []byte) (*Config, error) { return parse(name, data, nil) }

func parse(name string, data []byte, from *secrets) (*Config, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	c, err := Default()
	if err != nil {
		return nil, err
	}
	c.File = name
	r := reader{c: c, secrets: from}
	doc.Root().Fields(r.fields())
	if err := doc.Err(); err != nil {
		return nil, err
	}
	if c.Catalogue, err = c.Catalogue.With(c.Clients); err != nil {
		return nil, err
	}
	r.check()
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// ErrNoFile is the class of the error for a configuration that is not there.
var ErrNoFile = errors.New("no configuration file")

// Load reads the configuration file at path, and the passwords that it refers to
// from the environment and from files.
func Load(path string) (*Config, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w at %s: check the path, or write one", ErrNoFile, path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the configuration: %w", err)
	}
	defer f.Close()
	// One byte more than is allowed, so that a larger file is seen to be one.
	data, err := io.ReadAll(io.LimitReader(f, strictyaml.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration %s: %w", path, err)
	}
	return parse(path, data, systemSecrets())
}

//go:embed example.yaml
var example string

// Example returns a commented configuration that names every field and parses to
// [Default]: fields without a default are samples in comments, which parse too when
// the # in front of their lines is removed.
func Example() string { return example }
