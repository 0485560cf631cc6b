package httpfetch_test

import (
	"context"
	"net/netip"
	"testing"

	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/httpfetch"
)

type lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func (l lookup) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	return l(ctx, host)
}

func TestContract(t *testing.T) {
	fetchtest.Run(t, func(t *testing.T, cfg fetchtest.Config) fetch.Fetcher {
		opt := httpfetch.Options{Guard: cfg.Guard}
		if cfg.Lookup != nil {
			opt.Resolver = lookup(cfg.Lookup)
		}
		return httpfetch.New(opt)
	})
}
