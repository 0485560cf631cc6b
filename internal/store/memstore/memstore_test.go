package memstore_test

import (
	"testing"
	"time"

	"trawl/internal/store"
	"trawl/internal/store/memstore"
	"trawl/internal/store/storetest"
)

func open(_ *testing.T, now func() time.Time) store.Store { return memstore.New(now) }

func TestContract(t *testing.T) { storetest.Run(t, open) }
