package pgstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// A scan reads in pieces and holds nothing while the caller works: a caller may
// commit, close the store or take its time. Many hostnames have few URLs, so that
// the heads of several are read at once.
const (
	pieceHosts = 256 // hostnames, records
	groupHosts = 32  // hostnames of which the heads are read together
	headRows   = 64  // of each
	pieceRows  = 512 // of one that goes on
)

// errStop ends a scan that its caller has left.
var errStop = errors.New("stop")

// sequence turns a scan into an iterator.
func sequence[T any](what string, scan func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := scan(func(x T) error {
			if !yield(x, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			var none T
			yield(none, fmt.Errorf("reading %s: %w", what, err))
		}
	}
}

// hostRow is a hostname with its number and record.
type hostRow struct {
	shard  int16
	id     int32
	name   crawl.Host
	record crawl.HostRecord
}

// hosts calls visit with pieces of hostnames, of one shard each, in order of
// shard and name.
func (s *Store) hosts(ctx context.Context, only crawl.Host, visit func([]hostRow) error) error {
	shard, after := int16(0), []byte{}
	for {
		var piece []hostRow
		err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			piece = piece[:0]
			sql, args := sqlHostsPiece, []any{shard, after, pieceHosts}
			if only != "" {
				sql, args = sqlHostOne, []any{int16(crawl.ShardOf(only)), []byte(only)}
			}
			rows, err := conn.Query(ctx, sql, args...)
			if err != nil {
				return err
			}
			var r hostRow
			var name, due, value []byte
			_, err = pgx.ForEachRow(rows, []any{&r.shard, &r.id, &name, &due, &value}, func() error {
				r.name = crawl.Host(name)
				var err error
				r.record, err = hostRecord(r.name, due, value)
				piece = append(piece, r)
				return err
			})
			return err
		})
		if err != nil {
			return err
		}
		for rest := piece; len(rest) > 0; {
			n := slices.IndexFunc(rest, func(r hostRow) bool { return r.shard != rest[0].shard })
			if n < 0 {
				n = len(rest)
			}
			if err := visit(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		if len(piece) < pieceHosts || only != "" {
			return nil
		}
		last := piece[len(piece)-1]
		shard, after = last.shard, []byte(last.name)
	}
}

// Hosts implements [store.Store].
func (s *Store) Hosts(ctx context.Context) iter.Seq2[crawl.HostRecord, error] {
	return sequence("host records", func(yield func(crawl.HostRecord) error) error {
		return s.hosts(ctx, "", func(piece []hostRow) error {
			for i := range piece {
				if err := yield(piece[i].record); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// keyed is a row of a table by (shard, host, key).
type keyed struct {
	host  int // index of its hostname in the piece
	place place
	value []byte
}

// table is what a scan by hostname and key reads.
type table struct{ heads, piece string }

// keys calls visit with the rows of a table in the order of hostnames and keys.
// visit is called with a connection that it must not keep.
func (s *Store) keys(ctx context.Context, t table, only crawl.Host, visit func(h crawl.Host, rows []keyed) error) error {
	return s.hosts(ctx, only, func(piece []hostRow) error {
		for group := range slices.Chunk(piece, groupHosts) {
			ids := make([]int32, len(group))
			for i := range group {
				ids[i] = group[i].id
			}
			rows, err := s.readKeyed(ctx, t.heads, group[0].shard, ids, headRows)
			if err != nil {
				return err
			}
			for len(rows) > 0 {
				h := group[rows[0].host]
				n := 1
				for n < len(rows) && rows[n].host == rows[0].host {
					n++
				}
				if err := visit(h.name, rows[:n]); err != nil {
					return err
				}
				if n == headRows {
					if err := s.goOn(ctx, t, h, rows[n-1].place.key, visit); err != nil {
						return err
					}
				}
				rows = rows[n:]
			}
		}
		return nil
	})
}

// goOn reads what follows the head of one hostname.
func (s *Store) goOn(ctx context.Context, t table, h hostRow, after []byte, visit func(h crawl.Host, rows []keyed) error) error {
	for {
		rows, err := s.readKeyed(ctx, t.piece, h.shard, h.id, after, pieceRows)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			if err := visit(h.name, rows); err != nil {
				return err
			}
			after = rows[len(rows)-1].place.key
		}
		if len(rows) < pieceRows {
			return nil
		}
	}
}

// readKeyed reads rows of (number of the hostname,) key, long, value.
func (s *Store) readKeyed(ctx context.Context, sql string, args ...any) ([]keyed, error) {
	var out []keyed
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		out = nil
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		i := int64(1)
		var key, long, value []byte
		into := []any{&key, &long, &value}
		if len(rows.FieldDescriptions()) == 4 {
			into = append([]any{&i}, into...)
		}
		_, err = pgx.ForEachRow(rows, into, func() error {
			out = append(out, keyed{int(i - 1), place{slices.Clone(key), slices.Clone(long)}, slices.Clone(value)})
			return nil
		})
		return err
	})
	return out, err
}

// URLs implements [store.Store].
func (s *Store) URLs(ctx context.Context, f store.URLFilter) iter.Seq2[crawl.URLRecord, error] {
	return sequence("URL records", func(yield func(crawl.URLRecord) error) error {
		return s.keys(ctx, table{sqlURLsHeads, sqlURLsPiece}, f.Host, func(h crawl.Host, rows []keyed) error {
			records := make([]crawl.URLRecord, len(rows))
			err := s.decode(ctx, func() error {
				for i, r := range rows {
					u, err := r.place.url(h)
					if err != nil {
						return err
					}
					if records[i], err = record.URL(r.value, s.clients, u); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			for _, r := range records {
				if err := yield(r); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// decode runs a decoding outside of a connection.
func (s *Store) decode(ctx context.Context, f func() error) error {
	if f() == nil {
		return nil
	}
	return s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error { return s.clients.read(ctx, conn, f) })
}

// Links implements [store.Store].
func (s *Store) Links(ctx context.Context, f store.URLFilter) iter.Seq2[store.PageLinks, error] {
	return sequence("links", func(yield func(store.PageLinks) error) error {
		return s.keys(ctx, table{sqlLinksHeads, sqlLinksPiece}, f.Host, func(h crawl.Host, rows []keyed) error {
			for _, r := range rows {
				if r.value == nil {
					continue // a page without links, which has a history
				}
				u, err := r.place.url(h)
				if err != nil {
					return err
				}
				links, err := record.Links(r.value, u)
				if err != nil {
					return err
				}
				if err := yield(store.PageLinks{URL: u, Links: links}); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// Stats implements [store.Store].
func (s *Store) Stats(ctx context.Context, f store.StatFilter) iter.Seq2[store.Stat, error] {
	return sequence("crawl stats", func(yield func(store.Stat) error) error {
		from := cursor{StatKey: store.StatKey{Host: f.Host, Day: math.MinInt32}, start: true}
		if f.Host != "" && f.FromDay != 0 {
			from.Day = f.FromDay
		}
		for {
			piece, err := s.statsPiece(ctx, from, f.Host != "")
			if err != nil {
				return err
			}
			for _, x := range piece {
				if f.FromDay != 0 && x.Day < f.FromDay || f.ToDay != 0 && x.Day > f.ToDay {
					continue
				}
				if err := yield(x); err != nil {
					return err
				}
			}
			if len(piece) < pieceRows {
				return nil
			}
			last := piece[len(piece)-1].StatKey
			from = cursor{StatKey: last, shard: crawl.ShardOf(last.Host)}
		}
	})
}

// cursor is the cell behind which a scan of the stats goes on.
type cursor struct {
	store.StatKey
	shard crawl.Shard
	start bool // before all cells of that day
}

// statsPiece reads the cells behind a cursor, of its hostname only or of all
// shards from its own on.
func (s *Store) statsPiece(ctx context.Context, k cursor, one bool) ([]store.Stat, error) {
	typ := int16(k.Type)
	if k.start {
		typ = -1
	}
	cell := []any{
		k.Day, []byte(k.Client), typ, int16(k.Purpose), int16(k.Response), int16(k.File), int16(k.Kind), k.Sent, pieceRows,
	}
	sql, args := sqlStatsPiece, append([]any{int16(k.shard), int16(crawl.Shards - 1), []byte(k.Host)}, cell...)
	if one {
		sql, args = sqlStatsHost, append([]any{int16(crawl.ShardOf(k.Host)), []byte(k.Host)}, cell...)
	}
	var out []store.Stat
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		out = nil
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		var shard, typ, purpose, response, file, kind int16
		var host, client []byte
		var x store.Stat
		into := []any{&shard, &host, &x.Day, &client, &typ, &purpose, &response, &file, &kind, &x.Sent, &x.Count, &x.Bytes, &x.Millis}
		_, err = pgx.ForEachRow(rows, into, func() error {
			x.Host, x.Client, x.Type, x.Purpose = crawl.Host(host), crawl.ClientID(client), crawl.ClientType(typ), crawl.Purpose(purpose)
			x.Response, x.File, x.Kind = crawl.Response(response), crawl.FileType(file), crawl.Kind(kind)
			out = append(out, x)
			return nil
		})
		return err
	})
	return out, err
}
