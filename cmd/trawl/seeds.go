package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// seedProblems says which seeds gave nothing, and why; good counts the others.
func (d *dataDir) seedProblems(ctx context.Context, p *plan) (good int, problems []string, err error) {
	for _, u := range p.seeds() {
		rec, known, err := d.store.URL(ctx, u)
		if err != nil {
			return 0, nil, fmt.Errorf("reading the store: %w", err)
		}
		if !known || len(rec.Visits) == 0 {
			continue
		}
		problem, err := d.seedProblem(ctx, u, &rec)
		if err != nil {
			return 0, nil, err
		}
		if problem == "" {
			good++
			continue
		}
		problems = append(problems, problem)
	}
	return good, problems, nil
}

// seedProblem says what became of a seed, at the end of its redirects.
func (d *dataDir) seedProblem(ctx context.Context, u crawl.URL, rec *crawl.URLRecord) (string, error) {
	seed := string(u)
	v := &rec.Visits[0]
	for range maxSeedHops {
		if v.RedirectTo == "" || v.Response == crawl.ResponseRedirectError {
			break
		}
		to := v.RedirectTo
		next, known, err := d.store.URL(ctx, to)
		if err != nil {
			return "", fmt.Errorf("reading the store: %w", err)
		}
		if !known || len(next.Visits) == 0 {
			return fmt.Sprintf("%s redirects to %s, which is outside of this crawl: start with that URL, or add --all-hosts", seed, to), nil
		}
		u, v = to, &next.Visits[0]
		seed = fmt.Sprintf("%s (where %s leads)", to, rec.URL)
	}
	switch {
	case v.Response == crawl.ResponseRedirectError:
		return fmt.Sprintf("%s: redirect error ('trawl fetch %s' shows the hops)", seed, rec.URL), nil
	case v.Robots:
		return fmt.Sprintf("%s is disallowed by robots.txt for this client ('trawl robots %s' shows the line)", seed, u), nil
	case v.Crawls == 0:
		return d.notReached(ctx, seed, u)
	case v.Failure != crawl.FailNone && v.Status == 0:
		return fmt.Sprintf("%s: %s%s", seed, v.Failure, classAdvice(v.Failure)), nil
	case v.Status >= 400:
		return fmt.Sprintf("%s answered %d", seed, v.Status), nil
	}
	return "", nil
}

// maxSeedHops is more than any client follows.
const maxSeedHops = 32

// retryRefused lets the seeds that our own address guard refused in an earlier run
// be tried at once (B11): the pause before the next try is there to spare servers,
// and whoever runs the command again has followed the advice to add --own.
func (d *dataDir) retryRefused(ctx context.Context, p *plan) error {
	var batch []*crawl.Outcome
	shards := map[crawl.Shard]bool{}
	for _, u := range p.seeds() {
		list, err := d.store.Robots(ctx, u.Host())
		if err != nil {
			return fmt.Errorf("reading the store: %w", err)
		}
		i := slices.IndexFunc(list, func(r crawl.RobotsRecord) bool { return r.Origin == u.Origin() })
		if i < 0 || list[i].Failure != crawl.FailBlockedAddress {
			continue
		}
		rec := list[i]
		rec.Failure, rec.Attempts, rec.FetchedAt = crawl.FailNone, 0, rec.GoodAt
		shards[crawl.ShardOf(u.Host())] = true
		batch = append(batch, &crawl.Outcome{Robots: []crawl.RobotsRecord{rec}})
		known, ok, err := d.store.URL(ctx, u)
		if err != nil {
			return fmt.Errorf("reading the store: %w", err)
		}
		if !ok {
			continue
		}
		for _, v := range known.Visits {
			if v.Crawls == 0 && !v.Due.IsZero() {
				v.Due = nowUTC()
				batch = append(batch, &crawl.Outcome{URL: u, Visit: &v})
			}
		}
	}
	if len(batch) == 0 {
		return nil
	}
	leases, err := d.store.Acquire(ctx, d.worker, slices.Sorted(maps.Keys(shards)), time.Minute)
	if err != nil {
		return fmt.Errorf("leasing shards: %w", err)
	}
	_, err = d.store.Commit(ctx, leases, batch)
	if err = errors.Join(err, d.store.Release(ctx, leases)); err != nil {
		return fmt.Errorf("saving the seeds: %w", err)
	}
	return nil
}

// notReached says why a seed was never asked for: its robots.txt, as a rule.
func (d *dataDir) notReached(ctx context.Context, seed string, u crawl.URL) (string, error) {
	list, err := d.store.Robots(ctx, u.Host())
	if err != nil {
		return "", fmt.Errorf("reading the store: %w", err)
	}
	for _, r := range list {
		switch {
		case r.Origin != u.Origin():
		case r.Failure != crawl.FailNone:
			return fmt.Sprintf("%s was not crawled: robots.txt could not be fetched: %s%s", seed, r.Failure, classAdvice(r.Failure)), nil
		case r.Status >= 500 || r.Status == 429:
			return fmt.Sprintf("%s was not crawled: robots.txt answered %d, which stops the crawl of the host for now (C4)", seed, r.Status), nil
		}
	}
	return "", nil // not its turn yet
}

func classAdvice(c crawl.FailureClass) string {
	switch c {
	case crawl.FailDNS:
		return "; the hostname does not resolve: check its spelling"
	case crawl.FailBlockedAddress:
		return "; its address is private or reserved: add --own if the host is yours, or --allow-private"
	case crawl.FailBlockedPort:
		return "; the port belongs to another service, such as mail or SSH, to which no crawler speaks: check the port in the URL"
	case crawl.FailTLS:
		return "; 'trawl fetch' shows the certificate problem, ca_file in the configuration adds an authority"
	}
	return ""
}

// advise adds what to do to errors that people meet.
func advise(err error) error {
	if errors.Is(err, store.ErrNoSpace) {
		return fmt.Errorf("%w: the disk is full, free some space", err)
	}
	return err
}
