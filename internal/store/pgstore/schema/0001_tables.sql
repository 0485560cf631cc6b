-- The layout is described in doc.go. Hostnames, URLs and names are bytea: their
-- order is that of Go's strings, and they may hold any byte.

CREATE TABLE trawl.meta (
	name  text PRIMARY KEY,
	value text NOT NULL
);

CREATE TABLE trawl.client (
	num  int4 PRIMARY KEY,
	name bytea NOT NULL UNIQUE
);

CREATE TABLE trawl.setting (
	name  bytea PRIMARY KEY,
	value bytea NOT NULL
);

CREATE TABLE trawl.lease (
	shard   int2 PRIMARY KEY,
	epoch   int8 NOT NULL DEFAULT 0,
	worker  bytea NOT NULL DEFAULT '',
	expires int8 NOT NULL DEFAULT 0, -- nanoseconds since 1970
	-- Makes the epoch a key: a new owner waits for commits, which hold the row FOR
	-- KEY SHARE, and a renewal, which leaves the epoch as it is, does not.
	UNIQUE (shard, epoch)
) WITH (fillfactor = 40);

CREATE TABLE trawl.counter (
	shard int2 PRIMARY KEY,
	hosts int4 NOT NULL DEFAULT 0, -- the highest host.id
	docs  int8 NOT NULL DEFAULT 0  -- the highest doc.seq
) WITH (fillfactor = 40);

INSERT INTO trawl.lease (shard) SELECT generate_series(0, 1023);
INSERT INTO trawl.counter (shard) SELECT generate_series(0, 1023);
INSERT INTO trawl.meta VALUES ('shards', '1024');

CREATE TABLE trawl.host (
	id         int4 NOT NULL,
	shard      int2 NOT NULL,
	due        bytea,
	not_before bytea,
	name       bytea NOT NULL,
	parts      int2[] NOT NULL DEFAULT '{}', -- of its queue that were ever used
	record     bytea NOT NULL,
	PRIMARY KEY (shard, id),
	UNIQUE (shard, name)
) WITH (fillfactor = 70);
CREATE INDEX host_due ON trawl.host (due, name, shard) WHERE due IS NOT NULL;

CREATE TABLE trawl.url (
	host   int4 NOT NULL,
	shard  int2 NOT NULL,
	key    bytea NOT NULL,
	record bytea NOT NULL,
	long   bytea, -- the URL, if it is too long for key
	PRIMARY KEY (shard, host, key)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE trawl.queue (
	host  int4 NOT NULL,
	shard int2 NOT NULL,
	part  int2 NOT NULL, -- client number × 8 + band
	due   bytea NOT NULL,
	key   bytea NOT NULL,
	PRIMARY KEY (shard, host, part, due, key)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE trawl.page (
	host    int4 NOT NULL,
	shard   int2 NOT NULL,
	key     bytea NOT NULL,
	long    bytea,
	history bytea,
	links   bytea,
	PRIMARY KEY (shard, host, key)
);

CREATE TABLE trawl.robots (
	shard  int2 NOT NULL,
	host   bytea NOT NULL,
	origin bytea NOT NULL,
	record bytea NOT NULL,
	PRIMARY KEY (shard, host, origin)
);

CREATE TABLE trawl.stat (
	shard    int2 NOT NULL,
	host     bytea NOT NULL,
	day      int4 NOT NULL,
	client   bytea NOT NULL,
	type     int2 NOT NULL,
	purpose  int2 NOT NULL,
	response int2 NOT NULL,
	file     int2 NOT NULL,
	kind     int2 NOT NULL,
	sent     bool NOT NULL,
	count    int8 NOT NULL,
	bytes    int8 NOT NULL,
	millis   int8 NOT NULL,
	PRIMARY KEY (shard, host, day, client, type, purpose, response, file, kind, sent)
) WITH (fillfactor = 70);

CREATE TABLE trawl.doc (
	seq    int8 NOT NULL,
	shard  int2 NOT NULL,
	record bytea NOT NULL,
	PRIMARY KEY (shard, seq)
);
