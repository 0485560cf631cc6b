package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/config"
	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/dnscache"
	"trawl/internal/fetch/ftpfetch"
	"trawl/internal/fetch/httpfetch"
	"trawl/internal/weburl"
)

// identityOptions are the flags that every command that fetches has.
type identityOptions struct {
	configFile   string
	own          bool
	allowPrivate bool
	impersonate  bool
	insecure     bool
	region       string
}

func (o *identityOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.configFile, "config", "", "configuration file")
	f.BoolVar(&o.own, "own", false, "the hosts of the given URLs are yours: private addresses allowed for them, capacity starts high, any client may be used (A7, E7)")
	f.BoolVar(&o.allowPrivate, "allow-private", false, "allow private, loopback and link-local addresses for every host (B11)")
	f.BoolVar(&o.impersonate, "impersonate", false, "use a client that carries another operator's name on hosts that are not yours (A7): only with their consent")
	f.BoolVar(&o.insecure, "insecure", false, "accept any TLS certificate; needs --own")
	f.StringVar(&o.region, "region", "", "leave through this region of the configuration for every host, or \"direct\", or \"environment\" for HTTP_PROXY and the like (B10; default what the configuration says, or direct)")
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
	region    *string // of the command line, for every host; nil = what the configuration says
}

// open reads the configuration and joins it with the flags; hosts are those that
// were stated to be the operator's own on the command line.
func (o *identityOptions) open(hosts []crawl.Host) (*environment, error) {
	cfg, err := readConfig(o.configFile)
	if err != nil {
		return nil, err
	}
	if o.insecure && len(hosts) == 0 {
		return nil, usageError("--insecure needs --own: a certificate that does not verify may be somebody else's host")
	}
	env := &environment{
		cfg: cfg, catalogue: cfg.Catalogue, insecure: o.insecure, timeouts: cfg.Timeouts, identity: cfg.Identity(softwareVersion()),
	}
	if env.region, err = chosenRegion(&cfg.Egress, o.region); err != nil {
		return nil, err
	}
	own := append([]string(nil), cfg.Own...)
	env.guard = fetch.Guard{AllowPrivate: o.allowPrivate, Allow: append([]netip.Prefix(nil), cfg.AllowPrivate...), AllowAddrs: map[netip.Addr]bool{}}
	for _, h := range hosts {
		own = append(own, string(h))
		for _, p := range ownPrefixes(h) {
			if p.IsSingleIP() {
				env.guard.AllowAddrs[p.Addr()] = true
				continue
			}
			env.guard.Allow = append(env.guard.Allow, p)
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

func readConfig(path string) (*config.Config, error) {
	if path == "" {
		return config.Default()
	}
	cfg, err := config.Load(path)
	var list client.Errors
	switch {
	case errors.Is(err, config.ErrNoFile):
		return nil, usageError("%v ('trawl config example' prints one)", err)
	case errors.As(err, &list):
		// Each on a line of its own that starts with file:line, so that editors find it.
		return nil, usageError("the configuration cannot be used:\n%w", err)
	case err != nil:
		return nil, &exitError{exitUsage, err}
	}
	return cfg, nil
}

// ownHosts are the hosts of URLs that --own is about.
func (o *identityOptions) ownHosts(u crawl.URL) []crawl.Host {
	if !o.own {
		return nil
	}
	return []crawl.Host{u.Host()}
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

// allowed says why the client may not be used on the host (A7), or nothing.
func (env *environment) allowed(p client.Profile, h crawl.Host, impersonate bool) error {
	err := client.Allowed(p, h, env.owned, impersonate)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, client.ErrImpersonation):
		return usageError("%w: --own if the host is yours, --impersonate otherwise", err)
	}
	return &exitError{exitUsage, err}
}

// fetcher returns the fetcher for all schemes; both share one DNS cache.
func (env *environment) fetcher() fetch.Fetcher {
	names := dnscache.New(dnscache.Options{})
	return &fetchers{
		http: httpfetch.New(httpfetch.Options{
			Guard: env.guard, Resolver: names, RootCAs: env.roots, Insecure: env.insecure, MaxIdle: idleConnections(),
			Egress: env.proxies(), EnvironmentProxy: true,
		}),
		ftp: ftpfetch.New(ftpfetch.Options{Guard: env.guard, Resolver: names, RootCAs: env.roots, Insecure: env.insecure}),
	}
}

// fetchers sends a request to the fetcher of its scheme.
type fetchers struct{ http, ftp fetch.Fetcher }

func (f *fetchers) Fetch(ctx context.Context, req *crawl.Request) *crawl.Result {
	switch req.URL.Scheme() {
	case "ftp", "ftps":
		return f.ftp.Fetch(ctx, req)
	}
	return f.http.Fetch(ctx, req)
}

func (f *fetchers) CloseIdle() {
	f.http.CloseIdle()
	f.ftp.CloseIdle()
}

func exactURL(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError("%s needs exactly one URL, got %d arguments", cmd.CommandPath(), len(args))
	}
	return nil
}

// parseURL reads a URL of the command line.
func parseURL(raw string) (crawl.URL, error) {
	u, err := weburl.Parse(raw)
	if err != nil {
		if !strings.Contains(raw, "://") {
			if u, perr := weburl.Parse("https://" + raw); perr == nil {
				if thisMachine(u.Host()) { // what is being tried out here has no certificate
					u = "http" + u[len("https"):]
				}
				return "", usageError("%w; did you mean %s?", err, u)
			}
		}
		return "", &exitError{exitUsage, err}
	}
	return u, nil
}

func thisMachine(h crawl.Host) bool {
	name := strings.Trim(string(h), "[]")
	a, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && a.IsLoopback()
}

// clientFlag adds --client, which shells complete from the built-in catalogue.
func clientFlag(cmd *cobra.Command, at *string, value, usage string) {
	cmd.Flags().StringVar(at, "client", value, usage)
	// The error is about a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("client", completeClients)
}

func completeClients(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cfg, err := config.Default()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, p := range cfg.Catalogue.All() {
		ids = append(ids, string(p.ID)+"\t"+p.Name)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// idleConnections is how many idle connections are kept over all hosts: as many
// as a quarter of the files that this process may open.
func idleConnections() int { return min(max(openFiles()/4, 256), 8192) }
