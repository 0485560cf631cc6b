package pgstore

// reach says which shards a statement names.
type reach uint8

const (
	oneShard   reach = iota // shard = $1
	manyShards              // a set or range of shards: leases, due hostnames, reports
	everywhere              // a reference table, which every node has whole
)

// statement is one SQL text of this package, under a name for its tests and for
// whoever reads the logs of the database.
type statement struct {
	name  string
	reach reach
	sql   string
}

// clock is the time of the database in nanoseconds, or the parameter in its place.
const clock = `(SELECT coalesce($1::int8, (extract(epoch FROM clock_timestamp()) * 1000000000)::int8))`

// Leases.
const (
	sqlLeaseAcquire = `/* lease_acquire */
UPDATE trawl.lease SET epoch = epoch + 1, worker = $3, expires = ` + clock + ` + $4
WHERE shard = any($2::int2[]) AND (worker = $3 OR expires <= ` + clock + `)
RETURNING shard, epoch, expires`

	sqlLeaseRenew = `/* lease_renew */
UPDATE trawl.lease l SET expires = ` + clock + ` + $5
FROM unnest($3::bytea[], $4::int8[], $2::int2[]) e(worker, epoch, shard)
WHERE l.shard = e.shard AND l.worker = e.worker AND l.epoch = e.epoch
	AND l.worker <> '' AND l.expires > ` + clock + `
RETURNING l.shard, l.epoch, l.worker, l.expires`

	sqlLeaseRelease = `/* lease_release */
UPDATE trawl.lease l SET worker = '', expires = 0
FROM unnest($3::bytea[], $4::int8[], $2::int2[]) e(worker, epoch, shard)
WHERE l.shard = e.shard AND l.worker = e.worker AND l.epoch = e.epoch
	AND l.worker <> '' AND l.expires > ` + clock

	// The first of the given leases that does not hold.
	sqlLeaseCheck = `/* lease_check */
SELECT e.i, l.epoch FROM unnest($3::bytea[], $4::int8[], $2::int2[]) WITH ORDINALITY e(worker, epoch, shard, i)
JOIN trawl.lease l ON l.shard = e.shard
WHERE l.worker <> e.worker OR l.epoch <> e.epoch OR l.expires <= ` + clock + `
ORDER BY e.i LIMIT 1`

	sqlLeaseHold = `/* lease_hold */
SELECT 1 FROM trawl.lease WHERE shard = $1 FOR KEY SHARE`
)

// What a commit reads and locks.
const (
	sqlHostLock = `/* host_lock */
SELECT id, name, due, not_before, parts FROM trawl.host
WHERE shard = $1 AND name = any($2::bytea[]) ORDER BY id FOR NO KEY UPDATE`

	sqlCounterAdd = `/* counter_add */
UPDATE trawl.counter SET hosts = hosts + $2, docs = docs + $3 WHERE shard = $1 RETURNING hosts, docs`

	sqlHostInsert = `/* host_insert */
INSERT INTO trawl.host (shard, id, name, record)
SELECT $1, e.id, e.name, $4 FROM unnest($2::int4[], $3::bytea[]) e(id, name)
ON CONFLICT (shard, name) DO NOTHING`

	sqlURLRead = `/* url_read */
SELECT e.i, u.record FROM unnest($2::int4[], $3::bytea[]) WITH ORDINALITY e(host, key, i)
JOIN trawl.url u ON u.shard = $1 AND u.host = e.host AND u.key = e.key`

	sqlHistoryRead = `/* history_read */
SELECT e.i, p.history FROM unnest($2::int4[], $3::bytea[]) WITH ORDINALITY e(host, key, i)
JOIN trawl.page p ON p.shard = $1 AND p.host = e.host AND p.key = e.key
WHERE p.history IS NOT NULL`
)

// What a commit writes.
const (
	sqlURLInsert = `/* url_insert */
INSERT INTO trawl.url (shard, host, key, long, record)
SELECT $1, e.* FROM unnest($2::int4[], $3::bytea[], $4::bytea[], $5::bytea[]) e`

	sqlURLUpdate = `/* url_update */
UPDATE trawl.url u SET record = e.record
FROM unnest($2::int4[], $3::bytea[], $4::bytea[]) e(host, key, record)
WHERE u.shard = $1 AND u.host = e.host AND u.key = e.key`

	sqlQueueDelete = `/* queue_delete */
DELETE FROM trawl.queue q
USING unnest($2::int4[], $3::int2[], $4::bytea[], $5::bytea[]) e(host, part, due, key)
WHERE q.shard = $1 AND q.host = e.host AND q.part = e.part AND q.due = e.due AND q.key = e.key`

	sqlQueueInsert = `/* queue_insert */
INSERT INTO trawl.queue (shard, host, part, due, key)
SELECT $1, e.* FROM unnest($2::int4[], $3::int2[], $4::bytea[], $5::bytea[]) e`

	// A replaced record: due is lowered to the earliest entry of the queue, as
	// the statements before have left it; the parts of the queue come exploded.
	sqlHostReplace = `/* host_replace */
UPDATE trawl.host h SET record = e.record, not_before = e.not_before, parts = e.parts::int2[],
	due = CASE WHEN m.due IS NULL THEN e.due ELSE least(e.due, greatest(m.due, e.not_before)) END
FROM unnest($2::int4[], $3::bytea[], $4::bytea[], $5::bytea[], $6::text[]) e(id, record, due, not_before, parts)
LEFT JOIN (
	SELECT DISTINCT ON (p.id) p.id, q.due
	FROM unnest($7::int4[], $8::int2[]) p(id, part)
	CROSS JOIN LATERAL (
		SELECT due FROM trawl.queue WHERE shard = $1 AND host = p.id AND part = p.part ORDER BY due LIMIT 1
	) q
	ORDER BY p.id, q.due
) m ON m.id = e.id
WHERE h.shard = $1 AND h.id = e.id`

	sqlHostLower = `/* host_lower */
UPDATE trawl.host h SET due = e.due, parts = e.parts::int2[]
FROM unnest($2::int4[], $3::bytea[], $4::text[]) e(id, due, parts)
WHERE h.shard = $1 AND h.id = e.id`

	sqlRobotsPut = `/* robots_put */
INSERT INTO trawl.robots (shard, host, origin, record)
SELECT $1, e.* FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) e
ON CONFLICT (shard, host, origin) DO UPDATE SET record = excluded.record`

	sqlHistoryPut = `/* history_put */
INSERT INTO trawl.page (shard, host, key, long, history)
SELECT $1, e.* FROM unnest($2::int4[], $3::bytea[], $4::bytea[], $5::bytea[]) e
ON CONFLICT (shard, host, key) DO UPDATE SET history = excluded.history`

	sqlLinksPut = `/* links_put */
INSERT INTO trawl.page (shard, host, key, long, links)
SELECT $1, e.* FROM unnest($2::int4[], $3::bytea[], $4::bytea[], $5::bytea[]) e
ON CONFLICT (shard, host, key) DO UPDATE SET links = excluded.links`

	sqlStatAdd = `/* stat_add */
INSERT INTO trawl.stat AS s (shard, host, day, client, type, purpose, response, file, kind, sent, count, bytes, millis)
SELECT $1, e.* FROM unnest($2::bytea[], $3::int4[], $4::bytea[], $5::int2[], $6::int2[], $7::int2[], $8::int2[], $9::int2[],
	$10::bool[], $11::int8[], $12::int8[], $13::int8[]) e
ON CONFLICT (shard, host, day, client, type, purpose, response, file, kind, sent)
DO UPDATE SET count = s.count + excluded.count, bytes = s.bytes + excluded.bytes, millis = s.millis + excluded.millis`

	sqlDocInsert = `/* doc_insert */
INSERT INTO trawl.doc (shard, seq, record) SELECT $1, e.* FROM unnest($2::int8[], $3::bytea[]) e`
)

// What a scheduler reads.
const (
	sqlDueHosts = `/* due_hosts */
SELECT name, due, record FROM trawl.host
WHERE shard = any($1::int2[]) AND due <= $2 ORDER BY due, name LIMIT $3`

	sqlDueURLs = `/* due_urls */
SELECT d.name, d.key, u.long, u.record FROM (
	SELECT h.id AS host, q.part, q.due, q.key, c.name
	FROM trawl.host h
	CROSS JOIN LATERAL unnest(h.parts) p(part)
	JOIN trawl.client c ON c.num = p.part >> 3
	CROSS JOIN LATERAL (
		SELECT part, due, key FROM trawl.queue
		WHERE shard = $1 AND host = h.id AND part = p.part AND due <= $4 ORDER BY due, key LIMIT $5
	) q
	WHERE h.shard = $1 AND h.name = $2 AND ($3::bytea IS NULL OR c.name = $3)
	ORDER BY q.part & 7, q.due, q.key, c.name LIMIT $5
) d
JOIN trawl.url u ON u.shard = $1 AND u.host = d.host AND u.key = d.key
ORDER BY d.part & 7, d.due, d.key, d.name`

	sqlNextDue = `/* next_due */
SELECT q.due FROM trawl.host h
CROSS JOIN LATERAL unnest(h.parts) p(part)
JOIN trawl.client c ON c.num = p.part >> 3
CROSS JOIN LATERAL (
	SELECT due FROM trawl.queue WHERE shard = $1 AND host = h.id AND part = p.part ORDER BY due LIMIT 1
) q
WHERE h.shard = $1 AND h.name = $2 AND ($3::bytea IS NULL OR c.name = $3)
ORDER BY q.due LIMIT 1`

	sqlHostGet = `/* host_get */
SELECT due, record FROM trawl.host WHERE shard = $1 AND name = $2`

	sqlRobotsGet = `/* robots_get */
SELECT origin, record FROM trawl.robots WHERE shard = $1 AND host = $2 ORDER BY origin`

	sqlURLGet = `/* url_get */
SELECT u.record FROM trawl.host h JOIN trawl.url u ON u.shard = $1 AND u.host = h.id AND u.key = $3
WHERE h.shard = $1 AND h.name = $2`

	sqlHistoryGet = `/* history_get */
SELECT p.history FROM trawl.host h JOIN trawl.page p ON p.shard = $1 AND p.host = h.id AND p.key = $3
WHERE h.shard = $1 AND h.name = $2`

	sqlKnown = `/* known */
SELECT e.i FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY e(name, key, i)
JOIN trawl.host h ON h.shard = $1 AND h.name = e.name
JOIN trawl.url u ON u.shard = $1 AND u.host = h.id AND u.key = e.key`

	sqlFeed = `/* feed */
SELECT seq, record FROM trawl.doc WHERE shard = $1 AND seq > $2 ORDER BY seq LIMIT $3`
)

// What reports read, piece by piece.
const (
	sqlHostsPiece = `/* hosts_piece */
SELECT shard, id, name, due, record FROM trawl.host
WHERE shard >= $1 AND (shard, name) > ($1, $2::bytea) ORDER BY shard, name LIMIT $3`

	sqlHostOne = `/* host_one */
SELECT shard, id, name, due, record FROM trawl.host WHERE shard = $1 AND name = $2`

	sqlURLsHeads = `/* urls_heads */
SELECT h.i, u.key, u.long, u.record FROM unnest($2::int4[]) WITH ORDINALITY h(id, i)
CROSS JOIN LATERAL (
	SELECT key, long, record FROM trawl.url WHERE shard = $1 AND host = h.id ORDER BY key LIMIT $3
) u
ORDER BY h.i, u.key`

	sqlURLsPiece = `/* urls_piece */
SELECT key, long, record FROM trawl.url WHERE shard = $1 AND host = $2 AND key > $3 ORDER BY key LIMIT $4`

	sqlLinksHeads = `/* links_heads */
SELECT h.i, p.key, p.long, p.links FROM unnest($2::int4[]) WITH ORDINALITY h(id, i)
CROSS JOIN LATERAL (
	SELECT key, long, links FROM trawl.page WHERE shard = $1 AND host = h.id ORDER BY key LIMIT $3
) p
ORDER BY h.i, p.key`

	sqlLinksPiece = `/* links_piece */
SELECT key, long, links FROM trawl.page WHERE shard = $1 AND host = $2 AND key > $3 ORDER BY key LIMIT $4`

	sqlStatsPiece = `/* stats_piece */
SELECT shard, host, day, client, type, purpose, response, file, kind, sent, count, bytes, millis FROM trawl.stat
WHERE shard BETWEEN $1 AND $2
	AND (shard, host, day, client, type, purpose, response, file, kind, sent)
		> ($1, $3::bytea, $4::int4, $5::bytea, $6::int2, $7::int2, $8::int2, $9::int2, $10::int2, $11::bool)
ORDER BY shard, host, day, client, type, purpose, response, file, kind, sent LIMIT $12`

	sqlStatsHost = `/* stats_host */
SELECT shard, host, day, client, type, purpose, response, file, kind, sent, count, bytes, millis FROM trawl.stat
WHERE shard = $1 AND host = $2
	AND (day, client, type, purpose, response, file, kind, sent)
		> ($3::int4, $4::bytea, $5::int2, $6::int2, $7::int2, $8::int2, $9::int2, $10::bool)
ORDER BY day, client, type, purpose, response, file, kind, sent LIMIT $11`
)

// Small tables.
const (
	sqlClients = `/* clients */
SELECT num, name FROM trawl.client ORDER BY num`

	sqlClientInsert = `/* client_insert */
INSERT INTO trawl.client (num, name) SELECT coalesce(max(num), 0) + 1, $1 FROM trawl.client
ON CONFLICT (name) DO NOTHING`

	sqlSettingGet = `/* setting_get */
SELECT value FROM trawl.setting WHERE name = $1`

	sqlSettings = `/* settings */
SELECT name, value FROM trawl.setting
WHERE name >= $1 AND ($2::bytea IS NULL OR name < $2) AND value <> '' ORDER BY name`

	sqlSettingPut = `/* setting_put */
INSERT INTO trawl.setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
)

// statements lists every statement that touches stored state.
func statements() []statement {
	return []statement{
		{"lease_acquire", manyShards, sqlLeaseAcquire},
		{"lease_renew", manyShards, sqlLeaseRenew},
		{"lease_release", manyShards, sqlLeaseRelease},
		{"lease_check", manyShards, sqlLeaseCheck},
		{"lease_hold", oneShard, sqlLeaseHold},
		{"host_lock", oneShard, sqlHostLock},
		{"counter_add", oneShard, sqlCounterAdd},
		{"host_insert", oneShard, sqlHostInsert},
		{"url_read", oneShard, sqlURLRead},
		{"history_read", oneShard, sqlHistoryRead},
		{"url_insert", oneShard, sqlURLInsert},
		{"url_update", oneShard, sqlURLUpdate},
		{"queue_delete", oneShard, sqlQueueDelete},
		{"queue_insert", oneShard, sqlQueueInsert},
		{"host_replace", oneShard, sqlHostReplace},
		{"host_lower", oneShard, sqlHostLower},
		{"robots_put", oneShard, sqlRobotsPut},
		{"history_put", oneShard, sqlHistoryPut},
		{"links_put", oneShard, sqlLinksPut},
		{"stat_add", oneShard, sqlStatAdd},
		{"doc_insert", oneShard, sqlDocInsert},
		{"due_hosts", manyShards, sqlDueHosts},
		{"due_urls", oneShard, sqlDueURLs},
		{"next_due", oneShard, sqlNextDue},
		{"host_get", oneShard, sqlHostGet},
		{"robots_get", oneShard, sqlRobotsGet},
		{"url_get", oneShard, sqlURLGet},
		{"history_get", oneShard, sqlHistoryGet},
		{"known", oneShard, sqlKnown},
		{"feed", oneShard, sqlFeed},
		{"hosts_piece", manyShards, sqlHostsPiece},
		{"host_one", oneShard, sqlHostOne},
		{"urls_heads", oneShard, sqlURLsHeads},
		{"urls_piece", oneShard, sqlURLsPiece},
		{"links_heads", oneShard, sqlLinksHeads},
		{"links_piece", oneShard, sqlLinksPiece},
		{"stats_piece", manyShards, sqlStatsPiece},
		{"stats_host", oneShard, sqlStatsHost},
		{"clients", everywhere, sqlClients},
		{"client_insert", everywhere, sqlClientInsert},
		{"setting_get", everywhere, sqlSettingGet},
		{"settings", everywhere, sqlSettings},
		{"setting_put", everywhere, sqlSettingPut},
	}
}
