package main

import (
	"crypto/x509"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/config"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/httpfetch"
)

// identityOptions are the flags that every command that fetches has.
type identityOptions struct {
	configFile   string
	own          bool
	allowPrivate bool
	impersonate  bool
	insecure     bool
}

func (o *identityOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.configFile, "config", "", "configuration file")
	f.BoolVar(&o.own, "own", false, "the hosts of the given URLs are yours: private addresses allowed for them, capacity starts high, any client may be used (A7, E7)")
	f.BoolVar(&o.allowPrivate, "allow-private", false, "allow private, loopback and link-local addresses for every host (B11)")
	f.BoolVar(&o.impersonate, "impersonate", false, "use a client that carries another operator's name on hosts that are not yours (A7): only with their consent")
	f.BoolVar(&o.insecure, "insecure", false, "accept any TLS certificate; needs --own")
}

// environment is what a command works with, made from flags and configuration.
type environment struct {
	cfg       *config.Config
	catalogue *client.Catalogue
	identity  client.Identity
	owned     client.OwnedHosts
	own       []string // what owned was made from
	guard     fetch.Guard
	roots     *x509.CertPool
	insecure  bool
	timeouts  crawl.Timeouts
}

// open reads the configuration and joins it with the flags; seeds are the URLs
// of the command line.
func (o *identityOptions) open(seeds []crawl.URL, s streams) (*environment, error) {
	cfg, err := config.Default()
	if o.configFile != "" {
		cfg, err = config.Load(o.configFile)
	}
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if o.insecure && !o.own {
		return nil, usageError("--insecure needs --own: a certificate that does not verify may be somebody else's host")
	}
	env := &environment{
		cfg: cfg, catalogue: cfg.Catalogue, insecure: o.insecure, timeouts: cfg.Timeouts, identity: cfg.Identity(softwareVersion()),
	}
	own := append([]string(nil), cfg.Own...)
	env.guard = fetch.Guard{AllowPrivate: o.allowPrivate, Allow: append([]netip.Prefix(nil), cfg.AllowPrivate...)}
	if o.own {
		for _, u := range seeds {
			own = append(own, string(u.Host()))
			env.guard.Allow = append(env.guard.Allow, ownPrefixes(u.Host())...)
		}
	}
	env.own = own
	if env.owned, err = client.ParseOwned(own); err != nil {
		return nil, usageError("own hosts: %v", err)
	}
	if cfg.CAFile != "" {
		if env.roots, err = loadRoots(cfg.CAFile); err != nil {
			return nil, &exitError{exitUsage, err}
		}
	}
	return env, nil
}

// ownPrefixes are the addresses that stating a host to be one's own allows: the
// one it is written as, or loopback for localhost. A name that resolves to a
// private network needs --allow-private, since names can be made to point anywhere.
func ownPrefixes(h crawl.Host) []netip.Prefix {
	if a, err := netip.ParseAddr(strings.Trim(string(h), "[]")); err == nil {
		return []netip.Prefix{netip.PrefixFrom(a, a.BitLen())}
	}
	if h == "localhost" || strings.HasSuffix(string(h), ".localhost") {
		return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	return nil
}

func loadRoots(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %s holds no certificate in PEM form", path)
	}
	return pool, nil
}

// client returns a profile that makes requests.
func (env *environment) client(id string) (client.Profile, error) {
	p, ok := env.catalogue.Get(crawl.ClientID(id))
	if !ok {
		near := ""
		if n := env.catalogue.Nearest(crawl.ClientID(id)); n != "" {
			near = fmt.Sprintf("; did you mean %q?", n)
		}
		return p, usageError("client %q is not known%s ('trawl clients' lists them)", id, near)
	}
	return p, nil
}

func (env *environment) fetcher() *httpfetch.Fetcher {
	return httpfetch.New(httpfetch.Options{Guard: env.guard, RootCAs: env.roots, Insecure: env.insecure})
}

func exactURL(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError("%s needs exactly one URL, got %d arguments", cmd.CommandPath(), len(args))
	}
	return nil
}
