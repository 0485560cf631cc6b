package pgstore_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trawl/internal/store"
	"trawl/internal/store/memstore"
	"trawl/internal/store/pgstore"
	"trawl/internal/store/pgstore/pgtest"
	"trawl/internal/store/storetest"
)

// server is shared by the tests of this package that do not stop it.
var server *pgtest.Server

func TestMain(m *testing.M) {
	s, err := pgtest.Start(false)
	if err == nil {
		server = s
	} else if !errors.Is(err, pgtest.ErrMissing) || os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
		panic(err)
	}
	code := m.Run()
	if server != nil {
		if err := server.Stop(); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// database makes a database with an empty store.
func database(t testing.TB) string {
	t.Helper()
	if server == nil {
		t.Skip(pgtest.ErrMissing)
	}
	url, err := server.Database(t.Context())
	if err == nil {
		_, err = pgstore.Migrate(t.Context(), url, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// run executes statements on a connection of its own.
func run(ctx context.Context, url string, sql ...string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	for _, s := range sql {
		if _, err = conn.Exec(ctx, s, pgx.QueryExecModeSimpleProtocol); err != nil {
			break
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

// empty empties a store: quicker than a new database.
func empty(url string) error {
	return run(context.Background(), url, `DELETE FROM trawl.host; DELETE FROM trawl.url; DELETE FROM trawl.queue; DELETE FROM trawl.page;
		DELETE FROM trawl.robots; DELETE FROM trawl.stat; DELETE FROM trawl.doc; DELETE FROM trawl.client; DELETE FROM trawl.setting;
		UPDATE trawl.lease SET epoch = 0, worker = '', expires = 0 WHERE epoch <> 0;
		UPDATE trawl.counter SET hosts = 0, docs = 0 WHERE hosts + docs > 0`)
}

// place is a database that can be opened again, empty at first.
func place(url string) storetest.Durable {
	fresh := true
	return func(now func() time.Time) (store.Store, error) {
		if fresh {
			if err := empty(url); err != nil {
				return nil, err
			}
			fresh = false
		}
		s, err := pgstore.Open(context.Background(), url, pgstore.Options{Now: now, SeenEntries: 64})
		if err != nil {
			return nil, err // a nil *Store is no nil Store
		}
		return s, nil
	}
}

func TestContract(t *testing.T) {
	url := database(t)
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		s, err := place(url)(now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestReopen(t *testing.T) {
	url := database(t)
	storetest.RunReopen(t, func(*testing.T) storetest.Durable { return place(url) })
}

// TestModel drives memstore and pgstore with the same random histories.
func TestModel(t *testing.T) {
	url := database(t)
	model := func(now func() time.Time) store.Store { return memstore.New(now) }
	storetest.RunModel(t, model, func() storetest.Durable { return place(url) }, true)
}
