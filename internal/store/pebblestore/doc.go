// Package pebblestore keeps trawl's durable state in one directory, on Pebble
// (an LSM tree). It implements [store.Store] for one process: many workers as
// goroutines, one clock.
//
// It decides nothing; the places where it has a choice are matters of layout.
//
// # Layout
//
// Every key starts with one byte for its keyspace; where the order of a scan
// says so, shard (big endian) and hostname follow, so that everything about a
// hostname is one range.
//
//	c num                                   client names; records hold the number
//	d shard due host                        hostnames by due time
//	f shard seq                             feed
//	h shard host                            host records
//	i shard host url                        index history
//	k shard host url                        link hashes
//	l shard                                 leases
//	q shard host client band due url        queue, no value
//	r shard host origin                     robots.txt
//	s name                                  settings
//	t shard host day client …               stats, summed by a merge operator
//	u shard host url                        URL records
//
// A URL is written in a key without the scheme and hostname that the key
// already implies, in a form that keeps the order of whole URLs. Due times in
// keys are exact to the nanosecond. Values are written by package record.
//
// The seen-check of a discovered URL asks a table of recently seen (URL,
// client) pairs, then the bloom filters of keyspace u in sorted order.
//
// # Invariants
//
//   - One batch of the engine per commit, synced to the write-ahead log before
//     the commit returns; reading what a commit depends on and applying it are
//     one critical section, waiting for the disk is not part of it.
//   - After the first failed write nothing more is written to the directory by
//     this process (see freezeFS): what was committed stays as it is, readable
//     here and whole after the next opening.
//   - Opening reads leases and client names, nothing that grows with URLs.
//   - Memory: block cache, memtables, and tables of fixed size.
//   - Bytes in the directory are read with bounds checks; damage is an error.
//
// Sources: behaviour L1, F13, I1, I2.
package pebblestore
