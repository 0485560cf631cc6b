package main

import (
	"fmt"

	"trawl/internal/config"
	"trawl/internal/crawl"
	"trawl/internal/egress"
	"trawl/internal/fetch/httpfetch"
)

// chosenRegion reads --region; nil when it is not given.
func chosenRegion(e *config.Egress, name string) (*string, error) {
	if name == "" {
		return nil, nil
	}
	if near, ok := e.Known(name); !ok {
		hint := ""
		if near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, usageError("there is no region %q%s (the section egress of the configuration names them, beside %q and %q)",
			name, hint, config.RegionDirect, config.RegionEnvironment)
	}
	if name == config.RegionDirect {
		name = ""
	}
	return &name, nil
}

// proxies are the regions of the configuration as the fetcher takes them.
func (env *environment) proxies() map[string][]httpfetch.Proxy {
	out := map[string][]httpfetch.Proxy{}
	for _, r := range env.cfg.Egress.Regions {
		for _, p := range r.Proxies {
			out[r.Name] = append(out[r.Name], httpfetch.Proxy{Scheme: p.Scheme, Address: p.Address, User: r.User, Password: r.Password.Text()})
		}
	}
	return out
}

// egress says from which regions a hostname may be asked (B10).
func (env *environment) egress(h crawl.Host) egress.Plan {
	if env.region != nil {
		return egress.Plan{Home: *env.region}
	}
	home, others := env.cfg.Home(h)
	return egress.Plan{Home: home, Others: others}
}

// leave returns the region of a single request.
func (env *environment) leave(h crawl.Host) string { return env.egress(h).Home }

// regionName is what a region is called before people.
func regionName(r string) string {
	if r == "" {
		return config.RegionDirect
	}
	return r
}
