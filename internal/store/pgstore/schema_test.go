package pgstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"trawl/internal/store"
	"trawl/internal/store/pgstore/pgtest"
)

func freshDatabase(t *testing.T, server *pgtest.Server) (string, *pgx.Conn) {
	t.Helper()
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return url, conn
}

func TestSchema(t *testing.T) {
	server := pgtest.Needed(t, false)
	t.Run("none", func(t *testing.T) {
		url, _ := freshDatabase(t, server)
		var e *SchemaError
		if _, err := Open(t.Context(), url, Options{}); !errors.As(err, &e) || e.Have != 0 || !strings.Contains(err.Error(), "trawl store init") {
			t.Errorf("opened without a store: %v", err)
		}
		if _, err := Migrate(t.Context(), url, false); !errors.As(err, &e) {
			t.Errorf("migrated without a store: %v", err)
		}
	})
	t.Run("many at once", func(t *testing.T) {
		url, _ := freshDatabase(t, server)
		var mu sync.Mutex
		var wg sync.WaitGroup
		applied := 0
		for range 6 {
			wg.Go(func() {
				done, err := Migrate(t.Context(), url, true)
				mu.Lock()
				defer mu.Unlock()
				if applied += len(done); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		all, err := migrations()
		if err != nil || applied != len(all) {
			t.Errorf("%d migrations were applied, there are %d (%v)", applied, len(all), err)
		}
	})
	t.Run("newer", func(t *testing.T) {
		url, conn := freshDatabase(t, server)
		if _, err := Migrate(t.Context(), url, true); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), `INSERT INTO trawl.migration (number, name) VALUES (99, 'later')`); err != nil {
			t.Fatal(err)
		}
		_, err1 := Open(t.Context(), url, Options{})
		_, err2 := Migrate(t.Context(), url, true)
		for _, err := range []error{err1, err2} {
			var e *SchemaError
			if !errors.As(err, &e) || e.Have != 99 || !strings.Contains(err.Error(), "newer trawl") {
				t.Errorf("a newer store: %v", err)
			}
		}
	})
	t.Run("other number of shards", func(t *testing.T) {
		url, conn := freshDatabase(t, server)
		if _, err := Migrate(t.Context(), url, true); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), `UPDATE trawl.meta SET value = '64' WHERE name = 'shards'`); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("a store with 64 shards: %v", err)
		}
	})
	t.Run("L1/distribution", func(t *testing.T) { testDistribution(t, server) })
}

// testDistribution: every table is spread, those that grow by their shard, which
// is part of each unique key; nothing refers across tables.
func testDistribution(t *testing.T, server *pgtest.Server) {
	url, conn := freshDatabase(t, server)
	if _, err := Migrate(t.Context(), url, true); err != nil {
		t.Fatal(err)
	}
	if err := Distribute(t.Context(), url); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "CREATE EXTENSION citus") {
		t.Errorf("distributed without Citus: %v", err)
	}
	list := func(sql string) []string {
		t.Helper()
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	var spreadOut, byShard []string
	for _, s := range spreads() {
		spreadOut = append(spreadOut, s.table)
		if !s.reference {
			byShard = append(byShard, s.table)
		}
	}
	slices.Sort(spreadOut)
	if got := list(`SELECT tablename::text FROM pg_tables WHERE schemaname = 'trawl' AND tablename <> 'migration' ORDER BY 1`); !slices.Equal(got, spreadOut) {
		t.Errorf("tables %v, spread are %v", got, spreadOut)
	}
	if odd := list(`SELECT conname::text FROM pg_constraint WHERE contype IN ('f', 'x') AND connamespace = 'trawl'::regnamespace
		UNION SELECT relname::text FROM pg_class WHERE relkind = 'S' AND relnamespace = 'trawl'::regnamespace`); len(odd) > 0 {
		t.Errorf("foreign keys or sequences: %v", odd)
	}
	odd := list(fmt.Sprintf(`SELECT c.conname::text FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
		WHERE c.contype IN ('p', 'u') AND r.relnamespace = 'trawl'::regnamespace AND r.relname = any('{%s}')
		AND NOT (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attname = 'shard') = any(c.conkey)`, strings.Join(byShard, ",")))
	if len(odd) > 0 {
		t.Errorf("unique keys without shard: %v", odd)
	}
	calls := distribution()
	if len(calls) != len(spreadOut) {
		t.Errorf("%d calls for %d tables", len(calls), len(spreadOut))
	}
	for i, s := range spreads() {
		want := "create_distributed_table('trawl." + s.table + "', 'shard', colocate_with => "
		if s.reference {
			want = "create_reference_table('trawl." + s.table + "')"
		}
		if !strings.Contains(calls[i], want) {
			t.Errorf("%s: %s", s.table, calls[i])
		}
	}
}

func TestNameHidesThePassword(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://u:secret@h:5432/db?sslmode=require&password=secret": "postgres://u@h:5432/db",
		"postgres://h/db":               "postgres://h/db",
		"host=h password=secret":        "the database",
		"postgres://u:sec ret@h/\x00db": "the database",
	} {
		if got := Name(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
	for _, url := range []string{"postgres://u:secret@h:port/db", "postgres://u:secret@h/db?sslmode=secret2", "postgres://u:sec%zzret@h/db"} {
		_, err := Open(t.Context(), url, Options{})
		if !errors.Is(err, store.ErrInvalid) || strings.Contains(err.Error(), "secret@") || strings.Contains(err.Error(), "sec%zz") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
