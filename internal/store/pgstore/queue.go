package pgstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// DueHosts implements [store.Store].
func (s *Store) DueHosts(ctx context.Context, leases []store.Lease, now time.Time, limit int) ([]crawl.HostRecord, error) {
	var due []crawl.HostRecord
	shards, _, _ := columns(leases)
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		due = nil
		var stale error
		b := &pgx.Batch{}
		s.checkLeases(b, leases, &stale)
		if len(shards) > 0 && limit > 0 && !now.Before(time.Time{}) {
			b.Queue(sqlDueHosts, shards, record.AppendTime(nil, record.ClampTime(now)), limit).Query(func(rows pgx.Rows) error {
				return eachHost(rows, func(h crawl.HostRecord) { due = append(due, h) })
			})
		}
		if b.Len() > 0 {
			if err := conn.SendBatch(ctx, b).Close(); err != nil {
				return err
			}
		}
		return stale
	})
	if err != nil {
		return nil, fmt.Errorf("reading due hosts of %d shards: %w", len(leases), err)
	}
	return due, nil
}

// eachHost reads rows of name, due and record.
func eachHost(rows pgx.Rows, take func(crawl.HostRecord)) error {
	var name, due, value []byte
	_, err := pgx.ForEachRow(rows, []any{&name, &due, &value}, func() error {
		h, err := hostRecord(crawl.Host(name), due, value)
		if err == nil {
			take(h)
		}
		return err
	})
	return err
}

// hostRecord joins a record with its due time, which statements change without it.
func hostRecord(name crawl.Host, due, value []byte) (crawl.HostRecord, error) {
	h, err := record.Host(value, name)
	if err != nil {
		return h, err
	}
	h.Due, err = keyTime(due)
	return h, err
}

// optional is a client as a parameter: nil = all.
func optional(c crawl.ClientID) []byte {
	if c == "" {
		return nil
	}
	return []byte(c)
}

// queuedRow is a row of sqlDueURLs.
type queuedRow struct {
	client crawl.ClientID
	place  place
	value  []byte
}

// DueURLs implements [store.Store].
func (s *Store) DueURLs(ctx context.Context, host crawl.Host, client crawl.ClientID, now time.Time, limit int) ([]store.Due, error) {
	var due []store.Due
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		due = nil
		if limit <= 0 || now.Before(time.Time{}) {
			return nil
		}
		rows, err := conn.Query(ctx, sqlDueURLs, int16(crawl.ShardOf(host)), []byte(host), optional(client),
			record.AppendTime(nil, record.ClampTime(now)), limit)
		if err != nil {
			return err
		}
		var list []queuedRow
		var name, key, long, value []byte
		_, err = pgx.ForEachRow(rows, []any{&name, &key, &long, &value}, func() error {
			list = append(list, queuedRow{crawl.ClientID(name), place{slices.Clone(key), slices.Clone(long)}, slices.Clone(value)})
			return nil
		})
		if err != nil {
			return err
		}
		return s.clients.read(ctx, conn, func() error {
			due = due[:0]
			for _, q := range list {
				d, err := s.entry(host, q)
				if err != nil {
					return err
				}
				due = append(due, d)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading due URLs of %s: %w", host, err)
	}
	return due, nil
}

func (s *Store) entry(host crawl.Host, q queuedRow) (store.Due, error) {
	u, err := q.place.url(host)
	if err != nil {
		return store.Due{}, err
	}
	r, err := record.URL(q.value, s.clients, u)
	if err != nil {
		return store.Due{}, err
	}
	v := visitOf(&r, q.client)
	if v == nil {
		return store.Due{}, fmt.Errorf("%s is queued for %s and has no visit: %w", u, q.client, record.ErrDamaged)
	}
	return store.Due{URL: u, Depth: r.Depth, Referrer: r.Referrer, Via: r.Via, Index: r.Index, Visit: *v}, nil
}

// NextDue implements [store.Store].
func (s *Store) NextDue(ctx context.Context, host crawl.Host, client crawl.ClientID) (time.Time, error) {
	var due []byte
	_, err := s.one(ctx, sqlNextDue, []any{int16(crawl.ShardOf(host)), []byte(host), optional(client)}, &due)
	var t time.Time
	if err == nil {
		t, err = keyTime(due)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the next due time of %s: %w", host, err)
	}
	return t, nil
}
