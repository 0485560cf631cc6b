package pgstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// migration is one numbered file of schema/. What was published is never changed;
// a change of the schema is another file.
type migration struct {
	number int
	name   string
	sql    string
}

// migrations returns them in order: 1, 2, 3 and so on without a gap.
func migrations() ([]migration, error) {
	files, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	all := make([]migration, 0, len(files))
	for i, f := range files {
		b, err := schemaFiles.ReadFile(f)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(f, "schema/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("schema file %s is not number %d", f, i+1)
		}
		all = append(all, migration{i + 1, name, string(b)})
	}
	return all, nil
}

// SchemaError says that the schema of a database is not the one that this
// program needs; it was not touched.
type SchemaError struct {
	Have, Want int // number of the last migration; Have 0 = none was applied
}

func (e *SchemaError) Error() string {
	switch {
	case e.Have == 0:
		return "there is no store in this database: make one with 'trawl store init'"
	case e.Have > e.Want:
		return fmt.Sprintf("the store was made by a newer trawl (schema %d, this one knows %d): use that trawl", e.Have, e.Want)
	}
	return fmt.Sprintf("the store was made by an older trawl (schema %d, this one needs %d): bring it up to date with 'trawl store migrate', after a backup", e.Have, e.Want)
}

// applied reads the number of the last migration, 0 if there is none.
func applied(ctx context.Context, conn *pgx.Conn) (int, error) {
	var n int
	err := conn.QueryRow(ctx, `SELECT coalesce(max(number), 0) FROM trawl.migration`).Scan(&n)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "42P01" || pg.Code == "3F000") {
		return 0, nil
	}
	return n, err
}

// checkSchema says whether a database can be used as it is.
func checkSchema(ctx context.Context, conn *pgx.Conn) error {
	all, err := migrations()
	if err != nil {
		return err
	}
	have, err := applied(ctx, conn)
	if err != nil {
		return err
	}
	if have != len(all) {
		return &SchemaError{have, len(all)}
	}
	var shards string
	if err := conn.QueryRow(ctx, `SELECT value FROM trawl.meta WHERE name = 'shards'`).Scan(&shards); err != nil {
		return fmt.Errorf("number of shards: %w", err)
	}
	if shards != strconv.Itoa(crawl.Shards) {
		return fmt.Errorf("%w: the store was made with %s shards, this trawl has %d: use another database", store.ErrInvalid, shards, crawl.Shards)
	}
	return nil
}

// migrateLock is the number of the advisory lock of migrations (house choice).
const migrateLock = 0x7472_6177_6c

// Migrate brings the schema of a database up to date, or makes it, and returns
// the names of the migrations that it applied. Each is a transaction; two
// processes that migrate at once do so one after the other. With create false a
// database without a store is a [SchemaError], as one of a newer program always is.
func Migrate(ctx context.Context, url string, create bool) ([]string, error) {
	var done []string
	err := direct(ctx, url, func(conn *pgx.Conn) error {
		all, err := migrations()
		if err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(migrateLock)); err != nil {
			return err
		}
		defer func() {
			_, _ = conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(migrateLock))
		}()
		have, err := applied(ctx, conn)
		switch {
		case err != nil:
			return err
		case have == 0 && !create, have > len(all):
			return &SchemaError{have, len(all)}
		}
		for _, m := range all[have:] {
			if err := apply(ctx, conn, m); err != nil {
				return fmt.Errorf("schema %s: %w", m.name, err)
			}
			done = append(done, m.name)
		}
		return nil
	})
	if err != nil {
		return done, fmt.Errorf("preparing the store in %s: %w", Name(url), err)
	}
	return done, nil
}

// apply runs one migration, which may have several statements, and notes it.
func apply(ctx context.Context, conn *pgx.Conn, m migration) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		const first = `CREATE SCHEMA IF NOT EXISTS trawl;
			CREATE TABLE IF NOT EXISTS trawl.migration (number int4 PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT now());`
		if m.number == 1 {
			if _, err := tx.Exec(ctx, first, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, m.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO trawl.migration (number, name) VALUES ($1, $2)`, m.number, m.name)
		return err
	})
}

// direct runs f on a connection of its own.
func direct(ctx context.Context, url string, f func(conn *pgx.Conn) error) error {
	cfg, err := poolConfig(url, 1)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return classify(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return classify(f(conn))
}

// spread says how a table is spread over the nodes of a cluster.
type spread struct {
	table     string
	reference bool // whole on every node; otherwise by shard
}

// spreads lists every table but that of the migrations, which stays where
// migrations run.
func spreads() []spread {
	return []spread{
		{"lease", false},
		{"counter", false},
		{"host", false},
		{"url", false},
		{"queue", false},
		{"page", false},
		{"robots", false},
		{"stat", false},
		{"doc", false},
		{"client", true},
		{"setting", true},
		{"meta", true},
	}
}

// distribution returns the calls that spread the tables with Citus: all tables
// with a shard in one group, so that what has the same shard is on one node.
func distribution() []string {
	var calls []string
	with := "default"
	for _, s := range spreads() {
		if s.reference {
			calls = append(calls, fmt.Sprintf(`SELECT create_reference_table('trawl.%s')`, s.table))
			continue
		}
		calls = append(calls, fmt.Sprintf(`SELECT create_distributed_table('trawl.%s', 'shard', colocate_with => '%s')`, s.table, with))
		with = "trawl.lease"
	}
	return calls
}

// Distribute spreads the tables over the nodes of a Citus cluster by their shard;
// done before, it does nothing. It is for a store that was just made: nothing may
// use it meanwhile.
func Distribute(ctx context.Context, url string) error {
	err := direct(ctx, url, func(conn *pgx.Conn) error {
		var there bool
		if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`).Scan(&there); err != nil {
			return err
		}
		if !there {
			return fmt.Errorf("%w: the database has no extension citus: install Citus, then CREATE EXTENSION citus in this database", store.ErrInvalid)
		}
		if err := checkSchema(ctx, conn); err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `INSERT INTO trawl.meta VALUES ('distributed', 'citus') ON CONFLICT DO NOTHING`)
			if err != nil || tag.RowsAffected() == 0 {
				return err
			}
			for _, call := range distribution() {
				if _, err := tx.Exec(ctx, call); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("distributing the store in %s: %w", Name(url), err)
	}
	return nil
}
