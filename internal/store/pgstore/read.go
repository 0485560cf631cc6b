package pgstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// one reads a single row; false if there is none.
func (s *Store) one(ctx context.Context, sql string, args []any, into ...any) (bool, error) {
	found := false
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, sql, args...).Scan(into...)
		found = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return found, err
}

// Host implements [store.Store].
func (s *Store) Host(ctx context.Context, host crawl.Host) (crawl.HostRecord, bool, error) {
	var due, value []byte
	var r crawl.HostRecord
	ok, err := s.one(ctx, sqlHostGet, []any{int16(crawl.ShardOf(host)), []byte(host)}, &due, &value)
	if err == nil && ok {
		r, err = hostRecord(host, due, value)
	}
	if err != nil {
		return crawl.HostRecord{}, false, fmt.Errorf("reading host %s: %w", host, err)
	}
	return r, ok, nil
}

// Robots implements [store.Store].
func (s *Store) Robots(ctx context.Context, host crawl.Host) ([]crawl.RobotsRecord, error) {
	var all []crawl.RobotsRecord
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		all = nil
		rows, err := conn.Query(ctx, sqlRobotsGet, int16(crawl.ShardOf(host)), []byte(host))
		if err != nil {
			return err
		}
		var origin, value []byte
		_, err = pgx.ForEachRow(rows, []any{&origin, &value}, func() error {
			r, err := record.Robots(value, crawl.Origin(origin))
			all = append(all, r)
			return err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading robots.txt records of %s: %w", host, err)
	}
	return all, nil
}

// URL implements [store.Store].
func (s *Store) URL(ctx context.Context, u crawl.URL) (crawl.URLRecord, bool, error) {
	var r crawl.URLRecord
	found := false
	h := u.Host()
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var value []byte
		err := conn.QueryRow(ctx, sqlURLGet, int16(crawl.ShardOf(h)), []byte(h), urlPlace(h, u).key).Scan(&value)
		if found = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.clients.read(ctx, conn, func() (err error) {
			r, err = record.URL(value, s.clients, u)
			return err
		})
	})
	if err != nil {
		return crawl.URLRecord{}, false, fmt.Errorf("reading the record of %s: %w", u, err)
	}
	return r, found, nil
}

// History implements [store.Store].
func (s *Store) History(ctx context.Context, u crawl.URL) ([]crawl.IndexChange, error) {
	var value []byte
	h := u.Host()
	var list []crawl.IndexChange
	_, err := s.one(ctx, sqlHistoryGet, []any{int16(crawl.ShardOf(h)), []byte(h), urlPlace(h, u).key}, &value)
	if err == nil {
		list, err = record.History(value, u)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the index history of %s: %w", u, err)
	}
	return list, nil
}

// knownPiece bounds the URLs of one statement of Known.
const knownPiece = 1000

// Known implements [store.Store].
func (s *Store) Known(ctx context.Context, urls []crawl.URL) ([]bool, error) {
	known := make([]bool, len(urls))
	byShard := map[crawl.Shard][]int{}
	for i, u := range urls {
		shard := crawl.ShardOf(u.Host())
		byShard[shard] = append(byShard[shard], i)
	}
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		b := &pgx.Batch{}
		for shard, all := range byShard {
			for list := range slices.Chunk(all, knownPiece) {
				names, keys := make([][]byte, len(list)), make([][]byte, len(list))
				for i, at := range list {
					h := urls[at].Host()
					names[i], keys[i] = []byte(h), urlPlace(h, urls[at]).key
				}
				b.Queue(sqlKnown, int16(shard), names, keys).Query(func(rows pgx.Rows) error {
					var i int64
					_, err := pgx.ForEachRow(rows, []any{&i}, func() error {
						known[list[i-1]] = true
						return nil
					})
					return err
				})
			}
		}
		if b.Len() == 0 {
			return nil
		}
		return conn.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("looking up %d URLs: %w", len(urls), err)
	}
	return known, nil
}

// Feed implements [store.Store].
func (s *Store) Feed(ctx context.Context, shard crawl.Shard, after uint64, limit int) ([]crawl.Document, error) {
	type row struct {
		seq   int64
		value []byte
	}
	var docs []crawl.Document
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		docs = nil
		if limit <= 0 || after > math.MaxInt64 || shard >= crawl.Shards {
			return nil
		}
		rows, err := conn.Query(ctx, sqlFeed, int16(shard), int64(after), limit)
		if err != nil {
			return err
		}
		var list []row
		var r row
		_, err = pgx.ForEachRow(rows, []any{&r.seq, &r.value}, func() error {
			list = append(list, row{r.seq, slices.Clone(r.value)})
			return nil
		})
		if err != nil {
			return err
		}
		return s.clients.read(ctx, conn, func() error {
			docs = docs[:0]
			for _, r := range list {
				d, err := record.Document(r.value, s.clients, uint64(r.seq))
				if err != nil {
					return err
				}
				docs = append(docs, d)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the feed of shard %d after %d: %w", shard, after, err)
	}
	return docs, nil
}

// Setting implements [store.Store].
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var value []byte
	if _, err := s.one(ctx, sqlSettingGet, []any{[]byte(name)}, &value); err != nil {
		return "", fmt.Errorf("reading setting %s: %w", name, err)
	}
	return string(value), nil
}

// Settings implements [store.Store].
func (s *Store) Settings(ctx context.Context, prefix string) ([]store.Setting, error) {
	var out []store.Setting
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		out = nil
		rows, err := conn.Query(ctx, sqlSettings, []byte(prefix), behind(prefix))
		if err != nil {
			return err
		}
		var name, value []byte
		_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
			out = append(out, store.Setting{Name: string(name), Value: string(value)})
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading settings %s…: %w", prefix, err)
	}
	return out, nil
}

// behind is the first name after all that start with prefix; nil if there is none.
func behind(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// SetSetting implements [store.Store].
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if len(name) > maxName {
			return fmt.Errorf("%w: its name has %d bytes, at most %d are kept", store.ErrInvalid, len(name), maxName)
		}
		_, err := conn.Exec(ctx, sqlSettingPut, []byte(name), []byte(value))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing setting %.100s: %w", name, err)
	}
	return nil
}
