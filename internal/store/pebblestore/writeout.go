package pebblestore

import (
	"bytes"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"trawl/internal/crawl"
	"trawl/internal/store/record"
)

// output collects a batch and what the tables in memory must learn of it.
type output struct {
	b       *pebble.Batch
	queued  []rangeKey          // new queue keys
	dues    []rangeKey          // new keys of the due index
	removed map[string]struct{} // queue keys that the batch deletes
	buf     []byte
}

// writeTo puts the changes into a batch; the function it returns brings the
// tables in memory up to date once the batch is visible.
func (c *changes) writeTo(b *pebble.Batch) (func(), error) {
	out := &output{b: b, removed: map[string]struct{}{}}
	for _, write := range []func(*output) error{c.writeURLs, c.writeHosts, c.writePages, c.writeStats} {
		if err := write(out); err != nil {
			return nil, err
		}
	}
	seqs, err := c.writeFeed(b)
	if err != nil {
		return nil, err
	}
	return func() {
		for _, h := range c.known {
			c.s.seen.add(h)
		}
		c.s.queues.lower(out.queued)
		c.s.dues.lower(out.dues)
		for shard, seq := range seqs {
			c.s.lastSeq[shard] = seq
		}
	}, nil
}

// writeURLs writes records and moves their places in the queues.
func (c *changes) writeURLs(out *output) error {
	for _, u := range c.urls {
		if !u.dirty {
			continue
		}
		out.buf = appendURLKey(out.buf[:0], spaceURL, u.record.URL)
		n := len(out.buf)
		out.buf = record.AppendURL(out.buf, c.s.dict, &u.record)
		if err := out.b.Set(out.buf[:n], out.buf[n:], nil); err != nil {
			return err
		}
		if err := c.moveQueue(out, u); err != nil {
			return err
		}
	}
	return nil
}

func (c *changes) moveQueue(out *output, u *urlChange) error {
	url := u.record.URL
	for i := range u.record.Visits {
		v := &u.record.Visits[i]
		now := place{v.Client, v.Band, v.Due}
		if i < len(u.old) {
			was := u.old[i] // visits keep their order
			if was.band == now.band && was.due.Equal(now.due) {
				continue
			}
			if !was.due.IsZero() {
				k := c.queueKey(nil, url, was)
				if err := out.b.Delete(k.key, nil); err != nil {
					return err
				}
				out.removed[string(k.key)] = struct{}{}
			}
		}
		if now.due.IsZero() {
			continue
		}
		k := c.queueKey(nil, url, now)
		if err := out.b.Set(k.key, nil, nil); err != nil {
			return err
		}
		out.queued = append(out.queued, k)
		if h := c.host(url.Host()); h.added.IsZero() || now.due.Before(h.added) {
			h.added = now.due
		}
	}
	return nil
}

func (c *changes) queueKey(b []byte, u crawl.URL, p place) rangeKey {
	h := u.Host()
	b = appendQueuePrefix(b, h, c.s.dict.Number(p.client), p.band)
	k := rangeKey{prefix: len(b)}
	form, rest := record.ShortURL(h, u)
	k.key = append(append(record.AppendTime(b, p.due), form), rest...)
	return k
}

// writeHosts settles the due times of hosts whose queue or record changed.
func (c *changes) writeHosts(out *output) error {
	for name, h := range c.hosts {
		key := hostKey(name)
		v, err := c.get(key)
		if err != nil {
			return err
		}
		var was crawl.HostRecord
		if h.known = v != nil; h.known {
			if was, err = record.Host(v, name); err != nil {
				return err
			}
		}
		if !h.replaced && h.known {
			h.record = was
		}
		// A host with work is never due later than its work. That holds before
		// the commit, so without a new record only new entries matter.
		earliest := h.added
		if h.replaced {
			if earliest, err = c.earliest(out, name, h); err != nil {
				return err
			}
		}
		h.record.Due = lowered(h.record.Due, earliest, h.record.Load.NotBefore)
		if h.known && !h.replaced && h.record.Due.Equal(was.Due) {
			continue
		}
		if err := out.b.Set(key, record.AppendHost(nil, &h.record), nil); err != nil {
			return err
		}
		if err := moveDue(out, name, was.Due, h.record.Due); err != nil {
			return err
		}
	}
	return nil
}

func moveDue(out *output, h crawl.Host, was, now time.Time) error {
	if was.Equal(now) {
		return nil
	}
	if !was.IsZero() {
		if err := out.b.Delete(dueKey(h, was), nil); err != nil {
			return err
		}
	}
	if now.IsZero() {
		return nil
	}
	k := dueKey(h, now)
	out.dues = append(out.dues, rangeKey{k, shardLen})
	return out.b.Set(k, nil, nil)
}

// lowered is the rule of store.Commit for the due time of a host.
func lowered(due, earliest, notBefore time.Time) time.Time {
	if earliest.IsZero() {
		return due
	}
	if earliest.Before(notBefore) {
		earliest = record.ClampTime(notBefore)
	}
	if due.IsZero() || due.After(earliest) {
		return earliest
	}
	return due
}

// earliest is the first due time in the queue of a host, over all clients, as
// the batch leaves it.
func (c *changes) earliest(out *output, name crawl.Host, h *hostChange) (time.Time, error) {
	first := h.added
	var prefix []byte
	for client := range c.s.dict.count() {
		for band := range crawl.Band(crawl.Bands) {
			prefix = appendQueuePrefix(prefix[:0], name, client+1, band)
			due, err := c.head(out, prefix)
			if err != nil {
				return first, err
			}
			if !due.IsZero() && (first.IsZero() || due.Before(first)) {
				first = due
			}
		}
	}
	return first, nil
}

// head is the first due time of one range of a queue, without what the batch
// removed; zero if there is none.
func (c *changes) head(out *output, prefix []byte) (time.Time, error) {
	from, empty := c.s.queues.seek(prefix)
	if empty {
		return time.Time{}, nil
	}
	for ok := c.it.SeekGE(from); ok; ok = c.it.Next() {
		k := c.it.Key()
		if !bytes.HasPrefix(k, prefix) {
			break
		}
		if _, gone := out.removed[string(k)]; gone {
			continue
		}
		due, _, err := record.CutTime(k[len(prefix):])
		return due, err
	}
	return time.Time{}, c.it.Error()
}

// writePages writes robots.txt files, histories and links.
func (c *changes) writePages(out *output) error {
	for o, r := range c.robots {
		if err := out.b.Set(robotsKey(o), record.AppendRobots(nil, r), nil); err != nil {
			return err
		}
	}
	for u, h := range c.history {
		if err := out.b.Set(appendURLKey(nil, spaceHistory, u), record.AppendHistory(nil, h), nil); err != nil {
			return err
		}
	}
	for u, l := range c.links {
		key := appendURLKey(nil, spaceLinks, u)
		if len(l) == 0 {
			if err := out.b.Delete(key, nil); err != nil {
				return err
			}
			continue
		}
		if err := out.b.Set(key, record.AppendLinks(nil, l), nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *changes) writeStats(out *output) error {
	for k, v := range c.stats {
		if err := out.b.Merge(statsKey(k), v.encode(), nil); err != nil {
			return err
		}
	}
	return nil
}

// writeFeed numbers the documents and returns the last number of each shard.
func (c *changes) writeFeed(b *pebble.Batch) (map[crawl.Shard]uint64, error) {
	seqs := map[crawl.Shard]uint64{}
	for i := range c.docs {
		d := &c.docs[i]
		shard := crawl.ShardOf(d.URL.Host())
		seq, ok := seqs[shard]
		if !ok {
			var err error
			if seq, err = c.lastSeq(shard); err != nil {
				return nil, err
			}
		}
		seqs[shard] = seq + 1
		if err := b.Set(feedKey(shard, seq+1), record.AppendDocument(nil, c.s.dict, d), nil); err != nil {
			return nil, err
		}
	}
	return seqs, nil
}

// lastSeq is the number of the last document of a shard, 0 if there is none.
func (c *changes) lastSeq(shard crawl.Shard) (uint64, error) {
	if seq, ok := c.s.lastSeq[shard]; ok {
		return seq, nil
	}
	prefix := appendShard(nil, spaceFeed, shard)
	if !c.it.SeekLT(after(prefix)) {
		return 0, c.it.Error()
	}
	k := c.it.Key()
	if !slices.Equal(k[:min(len(k), shardLen)], prefix) {
		return 0, nil
	}
	return parseSeq(k)
}
