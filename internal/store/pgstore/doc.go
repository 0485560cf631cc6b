// Package pgstore keeps trawl's durable state in a database that speaks the
// wire protocol of PostgreSQL (15 or later). It implements [store.Store] for
// many processes: leases are judged by the clock of the database, and a commit
// checks them in its own transaction.
//
// It decides nothing; the places where it has a choice are matters of layout.
//
// # Layout
//
// All tables are in the schema trawl and described in schema/*.sql; every table
// that grows has the column shard, first in its primary key.
//
//	lease, counter   one row per shard: the lease; the numbers given so far
//	host             one row per hostname, numbered within its shard
//	url, page        by (shard, host, key): records; index history and link hashes
//	queue            by (shard, host, part, due, key), where part is client and band
//	robots, stat     by (shard, hostname, …): hostnames that need have no record
//	doc              the feed, by (shard, seq)
//	client, setting  small, the same everywhere
//
// A key is the URL without what its hostname implies (record.ShortURL), in the
// order of URLs. What is longer than maxKey bytes is cut and ends in a hash, with
// the URL in the column long: among URLs of one hostname that are alike in their
// first 1,969 bytes, order is that of the hash. Due times are bytes that sort
// (record.AppendTime), exact to the nanosecond. Records are those of package
// record; what statements compare stands in columns beside them.
//
// # Statements
//
// All SQL stands in statements.go, each with a name. Each names its shard (or a
// set of shards, where a report or a lease goes over many), joins stay within a
// shard, and no sequence, foreign key or unique constraint crosses shards. So the
// schema distributes by that column as it is ([Distribute] for Citus). No table
// is partitioned on one server: every access is a lookup in a B-tree, which
// partitions would not make shorter.
//
// # Commits
//
// One transaction per batch, READ COMMITTED. Locks are taken in this order, each
// sorted by shard: the batch's lease rows (FOR KEY SHARE), the rows of all hostnames
// whose URLs or queue it may change, the counters, the cells of the stats. The
// row of a hostname guards everything that hangs on it. A transaction that loses
// against another, or its connection, is made again from the start: what it reads
// then is what was committed, so a second application changes nothing but stats
// and feed.
//
// # Invariants
//
//   - Whoever commits for a shard holds its lease row until the end: nobody can
//     lease it meanwhile.
//   - A connection that is lost, or a server that restarts, is waited for, for
//     Options.Patience; then the error says what to do.
//   - Memory: a bounded pool, a table of recently seen pairs of fixed size, and
//     pieces of at most a few hundred rows in scans. No cursor is held while the
//     caller works.
//
// Sources: behaviour L1, F13, I1, I2.
package pgstore
