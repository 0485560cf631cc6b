package httpfetch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/fetch/httpfetch"
)

var someAddr = netip.MustParseAddr("198.51.100.7")

func fetchtestListen6() (net.Listener, error) { return net.Listen("tcp", "[::1]:0") }

// eventually waits for what a goroutine of net/http does soon after a fetch.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("did not come about")
		}
	}
}

func TestB12Cache(t *testing.T) {
	for name, c := range map[string]struct {
		addrs []netip.Addr
		err   error
		keeps time.Duration
	}{
		"addresses":    {[]netip.Addr{someAddr}, nil, 5 * time.Minute},
		"no such name": {nil, &net.DNSError{Err: "no such host", IsNotFound: true}, 30 * time.Second},
		"no addresses": {nil, nil, 30 * time.Second},
		"servfail":     {nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1_700_000_000, 0)
			asked := 0
			r := httpfetch.NewCachingResolver(lookup(func(context.Context, string) ([]netip.Addr, error) {
				asked++
				return c.addrs, c.err
			}), func() time.Time { return now })
			ask := func(want int) {
				t.Helper()
				addrs, err := r.LookupNetIP(context.Background(), "a.example")
				if len(addrs) != len(c.addrs) || !errors.Is(err, c.err) || asked != want {
					t.Errorf("%v, %v after %d lookups; want %v, %v after %d", addrs, err, asked, c.addrs, c.err, want)
				}
			}
			ask(1)
			now = now.Add(c.keeps - time.Nanosecond)
			if c.keeps > 0 {
				ask(1)
			}
			now = now.Add(time.Nanosecond)
			ask(2)
		})
	}
}

func TestB12CacheIsBounded(t *testing.T) {
	asked := 0
	r := httpfetch.NewCachingResolver(lookup(func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{someAddr}, nil
	}), time.Now)
	for i := range 80_000 {
		r.LookupNetIP(context.Background(), fmt.Sprintf("h%d.example", i))
		if i%10_000 == 0 {
			r.LookupNetIP(context.Background(), "often.example")
		}
	}
	if n := httpfetch.CachedNames(r); n > 1<<16 {
		t.Errorf("%d names kept", n)
	}
	if asked > 80_000+1 {
		t.Errorf("the name in use was looked up %d times", asked-80_000)
	}
}

func TestB12OneLookupAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		r := httpfetch.NewCachingResolver(lookup(func(ctx context.Context, _ string) ([]netip.Addr, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Second):
				return []netip.Addr{someAddr}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}), time.Now)
		impatient, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := r.LookupNetIP(impatient, "a.example"); err == nil {
				t.Error("an answer after the caller's time was over")
			}
		})
		synctest.Wait() // the impatient one asks; nine wait for its answer
		for range 9 {
			wg.Go(func() {
				if addrs, err := r.LookupNetIP(context.Background(), "a.example"); err != nil || len(addrs) != 1 {
					t.Errorf("%v, %v", addrs, err)
				}
			})
		}
		wg.Wait()
		if n := asked.Load(); n != 2 {
			t.Errorf("%d lookups; want one that was given up and one for all others", n)
		}
	})
}
