package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, leases []store.Lease, batch []*crawl.Outcome) (store.Receipt, error) {
	fail := func(err error) (store.Receipt, error) {
		return store.Receipt{}, fmt.Errorf("committing %d outcomes: %w", len(batch), err)
	}
	if err := store.Validate(batch); err != nil {
		return fail(err)
	}
	if err := checkNames(batch); err != nil {
		return fail(err)
	}
	var doubtful, receipt store.Receipt
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if err := s.clients.ensure(ctx, conn, clientsOf(batch)); err != nil {
			return err
		}
		c := newChanges(s, batch)
		doubt, err := c.run(ctx, conn, leases)
		receipt = c.receipt()
		if err != nil {
			if doubt {
				doubtful = receipt
			}
			return err
		}
		s.seen.add(c.seen)
		return nil
	})
	if err != nil {
		return fail(err)
	}
	if receipt.New == 0 && len(receipt.News) == 0 {
		// The connection was lost while an earlier try committed, and it had.
		receipt = doubtful
	}
	return receipt, nil
}

func clientsOf(batch []*crawl.Outcome) map[crawl.ClientID]bool {
	names := map[crawl.ClientID]bool{}
	for _, o := range batch {
		if o.Visit != nil {
			names[o.Visit.Client] = true
		}
		for i := range o.Discovered {
			names[o.Discovered[i].Client] = true
		}
		if o.Document != nil && o.Document.Client != "" {
			names[o.Document.Client] = true
		}
	}
	return names
}

// run makes one transaction. doubt says that it may have been committed although
// an error came back.
func (c *changes) run(ctx context.Context, conn *pgx.Conn, leases []store.Lease) (doubt bool, err error) {
	needed, uncovered := covered(leases, c.batch)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback(context.WithoutCancel(ctx)) // the server does it too when the connection ends
		}
	}()
	if err := c.lock(ctx, tx, leases, needed); err != nil {
		return false, err
	}
	if uncovered != nil {
		return false, uncovered
	}
	for _, step := range []func(context.Context, pgx.Tx) error{c.makeHosts, c.load} {
		if err := step(ctx, tx); err != nil {
			return false, err
		}
	}
	if err := c.decode(ctx, conn); err != nil {
		return false, err
	}
	for _, o := range c.batch {
		c.apply(o)
	}
	if err := c.write(ctx, tx); err != nil {
		return false, err
	}
	return true, tx.Commit(ctx)
}

// send runs a batch in one round trip.
func send(ctx context.Context, tx pgx.Tx, b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}

// lock takes the lease rows of the needed shards and the rows of the hostnames,
// and says whether the leases hold.
func (c *changes) lock(ctx context.Context, tx pgx.Tx, leases []store.Lease, needed map[crawl.Shard]bool) error {
	b := &pgx.Batch{}
	for _, shard := range slices.Sorted(maps.Keys(needed)) {
		b.Queue(sqlLeaseHold, int16(shard))
	}
	var stale error
	c.s.checkLeases(b, leases, &stale)
	byShard := map[crawl.Shard][][]byte{}
	for name, h := range c.hosts {
		byShard[h.shard] = append(byShard[h.shard], []byte(name))
	}
	for _, shard := range slices.Sorted(maps.Keys(byShard)) {
		b.Queue(sqlHostLock, int16(shard), byShard[shard]).Query(c.readHosts)
	}
	if err := send(ctx, tx, b); err != nil {
		return err
	}
	return stale
}

func (c *changes) readHosts(rows pgx.Rows) error {
	var id int32
	var name, due, notBefore []byte
	var parts []int16
	_, err := pgx.ForEachRow(rows, []any{&id, &name, &due, &notBefore, &parts}, func() error {
		h := c.hosts[crawl.Host(name)]
		if h == nil {
			return fmt.Errorf("the database answered with hostname %q, which was not asked for", name)
		}
		h.id, h.parts = id, slices.Clone(parts)
		var err error
		if h.due, err = keyTime(due); err == nil {
			h.notBefore, err = keyTime(notBefore)
		}
		return err
	})
	return err
}

// makeHosts gives numbers to new hostnames and documents.
func (c *changes) makeHosts(ctx context.Context, tx pgx.Tx) error {
	fresh := map[crawl.Shard][]*hostChange{}
	for _, h := range c.hosts {
		if h.id == 0 && h.wanted {
			fresh[h.shard] = append(fresh[h.shard], h)
		}
	}
	docs := map[crawl.Shard]int64{}
	for _, o := range c.batch {
		if o.Document != nil {
			docs[crawl.ShardOf(o.Document.URL.Host())]++
		}
	}
	shards := slices.Concat(slices.Collect(maps.Keys(fresh)), slices.Collect(maps.Keys(docs)))
	slices.Sort(shards)
	b := &pgx.Batch{}
	for _, shard := range slices.Compact(shards) {
		b.Queue(sqlCounterAdd, int16(shard), int32(len(fresh[shard])), docs[shard]).QueryRow(func(row pgx.Row) error {
			var hosts int32
			var last int64
			if err := row.Scan(&hosts, &last); err != nil {
				return fmt.Errorf("counter of shard %d: %w", shard, err)
			}
			c.nextDoc[shard] = last - docs[shard]
			for i, h := range fresh[shard] {
				h.id = hosts - int32(i)
			}
			return nil
		})
	}
	if err := send(ctx, tx, b); err != nil || len(fresh) == 0 {
		return err
	}
	b = &pgx.Batch{}
	empty := emptyHost()
	for _, shard := range slices.Sorted(maps.Keys(fresh)) {
		var ids []int32
		var names [][]byte
		for _, h := range fresh[shard] {
			h.created = true
			ids, names = append(ids, h.id), append(names, []byte(h.name))
		}
		q := b.Queue(sqlHostInsert, int16(shard), ids, names, empty)
		q.Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() != int64(len(ids)) {
				return errConflict // another made one of them: it has a number now
			}
			return nil
		})
	}
	return send(ctx, tx, b)
}

// load reads the records that the batch may change, and histories it adds to.
func (c *changes) load(ctx context.Context, tx pgx.Tx) error {
	urls, changed := map[crawl.Shard][]*urlChange{}, map[crawl.Shard][]*urlChange{}
	for _, u := range c.urls {
		u.host = c.hosts[u.record.URL.Host()]
		if u.host.id == 0 || u.host.created {
			continue
		}
		urls[u.host.shard] = append(urls[u.host.shard], u)
		if u.indexed {
			changed[u.host.shard] = append(changed[u.host.shard], u)
		}
	}
	b := &pgx.Batch{}
	read := func(sql string, shard crawl.Shard, list []*urlChange, take func(u *urlChange, value []byte)) {
		hosts, keys := make([]int32, len(list)), make([][]byte, len(list))
		for i, u := range list {
			hosts[i], keys[i] = u.host.id, u.place.key
		}
		b.Queue(sql, int16(shard), hosts, keys).Query(func(rows pgx.Rows) error {
			var i int64
			var value []byte
			_, err := pgx.ForEachRow(rows, []any{&i, &value}, func() error {
				take(list[i-1], slices.Clone(value))
				return nil
			})
			return err
		})
	}
	for _, shard := range slices.Sorted(maps.Keys(urls)) {
		read(sqlURLRead, shard, urls[shard], func(u *urlChange, value []byte) { u.stored = value })
		if list := changed[shard]; len(list) > 0 {
			read(sqlHistoryRead, shard, list, func(u *urlChange, value []byte) { u.storedHistory = value })
		}
	}
	return send(ctx, tx, b)
}

func (c *changes) receipt() store.Receipt {
	r := store.Receipt{New: c.new}
	for h, n := range c.news {
		r.News = append(r.News, store.HostNews{Host: h, New: n})
	}
	slices.SortFunc(r.News, func(a, b store.HostNews) int { return cmp.Compare(a.Host, b.Host) })
	return r
}
