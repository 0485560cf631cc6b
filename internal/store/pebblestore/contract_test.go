package pebblestore_test

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"trawl/internal/store"
	"trawl/internal/store/memstore"
	"trawl/internal/store/pebblestore"
	"trawl/internal/store/storetest"
)

// small are options for tests that open many stores.
func small(fs vfs.FS, now func() time.Time) pebblestore.Options {
	return pebblestore.Options{FS: fs, Now: now, CacheBytes: 1 << 20, MemTableBytes: 256 << 10, SeenEntries: 64, HintEntries: 4}
}

func open(t *testing.T, now func() time.Time) store.Store {
	t.Helper()
	s, err := pebblestore.Open("data", small(vfs.NewMem(), now))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) { storetest.Run(t, open) }

// place is a directory in memory that can be opened again.
func place() storetest.Durable {
	fs := vfs.NewMem()
	return func(now func() time.Time) (store.Store, error) { return pebblestore.Open("data", small(fs, now)) }
}

func TestReopen(t *testing.T) {
	storetest.RunReopen(t, func(*testing.T) storetest.Durable { return place() })
}

// TestModel drives memstore and pebblestore with the same random histories.
func TestModel(t *testing.T) {
	model := func(now func() time.Time) store.Store { return memstore.New(now) }
	storetest.RunModel(t, model, place, true)
}
