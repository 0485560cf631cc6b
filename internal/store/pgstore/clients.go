package pgstore

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// maxClients bounds the client names of a store: a part of a queue is the number
// of a client times eight, in 16 bits with sign.
const maxClients = 1<<12 - 1

// clientDict knows the numbers of client names, as the table client has them.
// Names are never removed, so that what is known stays right; a number that is
// not known was given by another process and is looked up.
type clientDict struct {
	mu      sync.RWMutex
	names   map[uint64]crawl.ClientID
	numbers map[crawl.ClientID]uint32
	missed  bool // Name was asked for a number that is not known
}

func newClientDict() *clientDict {
	return &clientDict{names: map[uint64]crawl.ClientID{}, numbers: map[crawl.ClientID]uint32{}}
}

// Number implements record.Clients. Writers call ensure before.
func (d *clientDict) Number(c crawl.ClientID) uint32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.numbers[c]
}

// Name implements record.Clients.
func (d *clientDict) Name(n uint64) (crawl.ClientID, bool) {
	d.mu.RLock()
	name, ok := d.names[n]
	d.mu.RUnlock()
	if !ok {
		d.mu.Lock()
		d.missed = true
		d.mu.Unlock()
	}
	return name, ok
}

// read runs a decoding; if it met a number that was not known, names are loaded
// and it runs once more. It must be able to run twice.
func (d *clientDict) read(ctx context.Context, conn *pgx.Conn, decode func() error) error {
	err := decode()
	if err == nil {
		return nil
	}
	d.mu.Lock()
	missed := d.missed
	d.missed = false
	d.mu.Unlock()
	if !missed {
		return err
	}
	if err := d.load(ctx, conn); err != nil {
		return err
	}
	return decode()
}

func (d *clientDict) load(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, sqlClients)
	if err != nil {
		return err
	}
	var num int32
	var name []byte
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err = pgx.ForEachRow(rows, []any{&num, &name}, func() error {
		d.names[uint64(num)], d.numbers[crawl.ClientID(name)] = crawl.ClientID(name), uint32(num)
		return nil
	})
	return err
}

// ensure gives numbers to names that have none. It is a transaction of its own:
// a number that no record uses does no harm.
func (d *clientDict) ensure(ctx context.Context, conn *pgx.Conn, names map[crawl.ClientID]bool) error {
	for name := range names {
		for d.Number(name) == 0 {
			d.mu.RLock()
			n := len(d.names)
			d.mu.RUnlock()
			if n >= maxClients || len(name) > maxName {
				return fmt.Errorf("%w: client %.100q: a store keeps at most %d clients with names of at most %d bytes", store.ErrInvalid, name, maxClients, maxName)
			}
			_, err := conn.Exec(ctx, sqlClientInsert, []byte(name))
			var pg *pgconn.PgError
			if errors.As(err, &pg) && pg.Code == "23505" { // another process took the number
				err = nil
			}
			if err != nil {
				return err
			}
			if err := d.load(ctx, conn); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenTable remembers (URL, client) pairs that are surely known. A pair is never
// forgotten by the store, so an entry never becomes wrong; the hash has a secret
// seed, so that nobody can make two URLs collide.
type seenTable struct {
	seed  maphash.Seed
	mu    sync.Mutex
	slots []uint64
}

type seenPair struct {
	url    crawl.URL
	client crawl.ClientID
}

func newSeenTable(n int) *seenTable {
	return &seenTable{seed: maphash.MakeSeed(), slots: make([]uint64, n)}
}

func (t *seenTable) hash(u crawl.URL, c crawl.ClientID) uint64 {
	return maphash.Comparable(t.seed, seenPair{u, c}) | 1 // 0 = free slot
}

// known reports for each discovery whether its pair is surely known.
func (t *seenTable) known(list []crawl.Discovery, known []bool) []bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range list {
		h := t.hash(list[i].URL, list[i].Client)
		known = append(known, t.slots[(h>>1)%uint64(len(t.slots))] == h)
	}
	return known
}

func (t *seenTable) add(hashes []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range hashes {
		t.slots[(h>>1)%uint64(len(t.slots))] = h
	}
}
