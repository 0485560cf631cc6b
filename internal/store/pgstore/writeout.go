package pgstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// rows are parameters of one shard's statements, column by column.
type rows struct {
	inserts, updates, histories, links urlRows
	dequeue, enqueue                   queueRows
	robots                             robotsRows
	replaced, lowered                  hostRows
	exploded                           struct { // parts of replaced hosts' queues
		ids   []int32
		parts []int16
	}
	stats []*store.Stat
}

type urlRows struct {
	hosts               []int32
	keys, longs, values [][]byte
}

func (r *urlRows) add(u *urlChange, value []byte) {
	r.hosts = append(r.hosts, u.host.id)
	r.keys, r.longs, r.values = append(r.keys, u.place.key), append(r.longs, u.place.long), append(r.values, value)
}

type queueRows struct {
	hosts      []int32
	parts      []int16
	dues, keys [][]byte
}

func (r *queueRows) add(u *urlChange, part int16, due time.Time) {
	r.hosts, r.parts = append(r.hosts, u.host.id), append(r.parts, part)
	r.dues, r.keys = append(r.dues, timeKey(due)), append(r.keys, u.place.key)
}

type robotsRows struct{ hosts, origins, records [][]byte }

type hostRows struct {
	ids                       []int32
	records, dues, notBefores [][]byte
	parts                     []string
}

// write puts the changes into the database, in one round trip.
func (c *changes) write(ctx context.Context, tx pgx.Tx) error {
	shards := map[crawl.Shard]*rows{}
	of := func(shard crawl.Shard) *rows {
		if shards[shard] == nil {
			shards[shard] = &rows{}
		}
		return shards[shard]
	}
	for _, u := range c.urls {
		c.addURL(of, u)
	}
	for _, h := range c.hosts {
		c.addHost(of, h)
	}
	for origin, r := range c.robots {
		h := origin.Host()
		x := &of(crawl.ShardOf(h)).robots
		x.hosts, x.origins = append(x.hosts, []byte(h)), append(x.origins, []byte(origin))
		x.records = append(x.records, record.AppendRobots(nil, r))
	}
	for k, cell := range c.stats {
		r := of(crawl.ShardOf(k.Host))
		r.stats = append(r.stats, cell)
	}
	order := slices.Sorted(maps.Keys(shards))
	b := &pgx.Batch{}
	for _, shard := range order {
		shards[shard].queue(b, int16(shard))
	}
	for _, shard := range slices.Sorted(maps.Keys(c.docs)) {
		c.queueDocs(b, shard)
	}
	for _, shard := range order { // last: locks on cells are held shortest
		queueStats(b, int16(shard), shards[shard].stats)
	}
	return send(ctx, tx, b)
}

// addURL writes a record and moves its places in the queue.
func (c *changes) addURL(of func(crawl.Shard) *rows, u *urlChange) {
	if !u.dirty && u.links == nil {
		return
	}
	r := of(u.host.shard)
	if u.links != nil {
		var value []byte
		if len(u.links) > 0 {
			value = record.AppendLinks(nil, u.links)
		}
		r.links.add(u, value)
	}
	if !u.dirty {
		return
	}
	to := &r.updates
	if !u.known {
		to = &r.inserts
	}
	to.add(u, record.AppendURL(nil, c.s.clients, &u.record))
	if u.indexed {
		r.histories.add(u, record.AppendHistory(nil, u.history))
	}
	for i := range u.record.Visits {
		v := &u.record.Visits[i]
		p := part(c.s.clients.Number(v.Client), v.Band)
		if i < len(u.old) { // visits keep their order
			was := u.old[i]
			if was.band == v.Band && was.due.Equal(v.Due) {
				continue
			}
			if !was.due.IsZero() {
				r.dequeue.add(u, part(c.s.clients.Number(was.client), was.band), was.due)
			}
		}
		if v.Due.IsZero() {
			continue
		}
		r.enqueue.add(u, p, v.Due)
		if u.host.added.IsZero() || v.Due.Before(u.host.added) {
			u.host.added = v.Due
		}
		if !slices.Contains(u.host.parts, p) {
			u.host.parts, u.host.grown = append(u.host.parts, p), true
		}
	}
}

// addHost settles the due time of a hostname whose record or queue changed. Work
// that was there before the batch was not due earlier than its hostname, so that
// without a new record only new entries matter.
func (c *changes) addHost(of func(crawl.Shard) *rows, h *hostChange) {
	if h.id == 0 {
		return
	}
	if h.replaced != nil {
		r := of(h.shard)
		x := &r.replaced
		x.ids, x.parts = append(x.ids, h.id), append(x.parts, partsText(h.parts))
		x.records, x.dues = append(x.records, record.AppendHost(nil, h.replaced)), append(x.dues, timeKey(h.replaced.Due))
		x.notBefores = append(x.notBefores, timeKey(record.ClampTime(h.replaced.Load.NotBefore)))
		for _, p := range h.parts {
			r.exploded.ids, r.exploded.parts = append(r.exploded.ids, h.id), append(r.exploded.parts, p)
		}
		return
	}
	due := h.due
	if !h.added.IsZero() {
		earliest := h.added
		if earliest.Before(h.notBefore) {
			earliest = h.notBefore
		}
		if due.IsZero() || due.After(earliest) {
			due = earliest
		}
	}
	if due.Equal(h.due) && !h.grown {
		return
	}
	x := &of(h.shard).lowered
	x.ids, x.dues, x.parts = append(x.ids, h.id), append(x.dues, timeKey(due)), append(x.parts, partsText(h.parts))
}

// partsText is an array in the text form of the database: the driver has no
// arrays of arrays of different lengths.
func partsText(parts []int16) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(p)))
	}
	b.WriteByte('}')
	return b.String()
}

// queue adds the statements of one shard; hosts come after queues, which their
// due times depend on.
func (r *rows) queue(b *pgx.Batch, shard int16) {
	if x := &r.inserts; len(x.hosts) > 0 {
		b.Queue(sqlURLInsert, shard, x.hosts, x.keys, x.longs, x.values)
	}
	if x := &r.updates; len(x.hosts) > 0 {
		b.Queue(sqlURLUpdate, shard, x.hosts, x.keys, x.values)
	}
	if x := &r.dequeue; len(x.hosts) > 0 {
		b.Queue(sqlQueueDelete, shard, x.hosts, x.parts, x.dues, x.keys)
	}
	if x := &r.enqueue; len(x.hosts) > 0 {
		b.Queue(sqlQueueInsert, shard, x.hosts, x.parts, x.dues, x.keys)
	}
	if x := &r.histories; len(x.hosts) > 0 {
		b.Queue(sqlHistoryPut, shard, x.hosts, x.keys, x.longs, x.values)
	}
	if x := &r.links; len(x.hosts) > 0 {
		b.Queue(sqlLinksPut, shard, x.hosts, x.keys, x.longs, x.values)
	}
	if x := &r.robots; len(x.hosts) > 0 {
		b.Queue(sqlRobotsPut, shard, x.hosts, x.origins, x.records)
	}
	if x := &r.replaced; len(x.ids) > 0 {
		b.Queue(sqlHostReplace, shard, x.ids, x.records, x.dues, x.notBefores, x.parts, r.exploded.ids, r.exploded.parts)
	}
	if x := &r.lowered; len(x.ids) > 0 {
		b.Queue(sqlHostLower, shard, x.ids, x.dues, x.parts)
	}
}

func (c *changes) queueDocs(b *pgx.Batch, shard crawl.Shard) {
	docs := c.docs[shard]
	seqs, records := make([]int64, len(docs)), make([][]byte, len(docs))
	for i, d := range docs {
		seqs[i], records[i] = c.nextDoc[shard]+1+int64(i), record.AppendDocument(nil, c.s.clients, d)
	}
	b.Queue(sqlDocInsert, int16(shard), seqs, records)
}

// queueStats adds cells in the order of their key, so that two commits that touch
// the same ones do not wait for each other in a circle.
func queueStats(b *pgx.Batch, shard int16, cells []*store.Stat) {
	if len(cells) == 0 {
		return
	}
	slices.SortFunc(cells, func(a, b *store.Stat) int { return compareStats(&a.StatKey, &b.StatKey) })
	n := len(cells)
	hosts, clients, days, sent := make([][]byte, n), make([][]byte, n), make([]int32, n), make([]bool, n)
	var small [5][]int16
	var sums [3][]int64
	for i, s := range cells {
		hosts[i], clients[i], days[i], sent[i] = []byte(s.Host), []byte(s.Client), s.Day, s.Sent
		for j, v := range []uint8{uint8(s.Type), uint8(s.Purpose), uint8(s.Response), uint8(s.File), uint8(s.Kind)} {
			small[j] = append(small[j], int16(v))
		}
		for j, v := range []int64{s.Count, s.Bytes, s.Millis} {
			sums[j] = append(sums[j], v)
		}
	}
	b.Queue(sqlStatAdd, shard, hosts, days, clients, small[0], small[1], small[2], small[3], small[4], sent, sums[0], sums[1], sums[2])
}

func compareStats(a, b *store.StatKey) int {
	sent := func(k *store.StatKey) int {
		if k.Sent {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(a.Host, b.Host), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Response, b.Response), cmp.Compare(a.File, b.File),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(sent(a), sent(b)),
	)
}

func emptyHost() []byte { return record.AppendHost(nil, &crawl.HostRecord{}) }
