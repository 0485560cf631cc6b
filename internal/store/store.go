// Package store is the port to durable state: the [Store] interface and its
// contract. Package storetest holds the suite that every implementation
// passes, memstore is the reference model.
//
// A store keeps, orders and finds; it never decides. What is due when, which
// URL is worth more, what a response means: values that the pure packages have
// put into the records. Times are handed in, but for the expiry of leases,
// which the store judges by its own clock (one clock for all workers).
//
// Invariants:
//   - A URL is known once. Its record exists from the first discovery on.
//   - Every commit names the leases it was made under; a stale lease commits
//     nothing (fencing, L1).
//   - A commit is atomic and, when it has returned, durable.
//   - Memory is bounded whatever the number of known URLs.
//
// Sources: behaviour L1, F13, I1, I2; shared design "State, ownership,
// distribution".
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"trawl/internal/crawl"
)

// Lease is the right to commit for one shard until it expires. Epoch grows
// with every new owner of the shard, never with a renewal.
type Lease struct {
	Shard   crawl.Shard
	Worker  string
	Epoch   uint64
	Expires time.Time
}

// ErrFenced is the class of errors for commits, renewals and reads under a
// lease that is no longer the shard's newest, or that has expired.
var ErrFenced = errors.New("lease is stale")

// FencedError says which shard was lost to whom.
type FencedError struct {
	Shard crawl.Shard
	Have  uint64 // epoch of the caller's lease
	Now   uint64 // epoch in the store
}

func (e *FencedError) Error() string {
	if e.Have == e.Now {
		return fmt.Sprintf("lease of shard %d (epoch %d) has expired or was released: acquire it again", e.Shard, e.Have)
	}
	return fmt.Sprintf("lease of shard %d is stale (epoch %d, store has %d): another worker owns it now", e.Shard, e.Have, e.Now)
}

// Unwrap makes errors.Is(err, ErrFenced) true.
func (e *FencedError) Unwrap() error { return ErrFenced }

// ErrNotLeased is returned for a commit that touches the host state or a URL of
// a shard for which no lease was given. Discovered URLs are exempt.
var ErrNotLeased = errors.New("no lease for this shard")

// Due is one entry of a hostname's queue.
type Due = crawl.QueueEntry

// HostNews says that a commit put new entries into a hostname's queue.
type HostNews struct {
	Host crawl.Host
	New  int // queue entries added by discovery
}

// Receipt is what a commit reports back.
type Receipt struct {
	New  int        // URLs that were not known before
	News []HostNews // hostnames that got queue entries, of any shard, sorted by Host
}

// PageLinks is the set of outgoing link hashes of one page.
type PageLinks struct {
	URL   crawl.URL
	Links []uint32 // sorted
}

// StatKey is one cell of the crawl stats (I1, I2). Day is days since the Unix
// epoch in UTC.
type StatKey struct {
	Host     crawl.Host
	Day      int32
	Client   crawl.ClientID
	Type     crawl.ClientType
	Purpose  crawl.Purpose
	Response crawl.Response
	File     crawl.FileType
	Kind     crawl.Kind
	Sent     bool
}

// Stat is the sum of the events of one cell.
type Stat struct {
	StatKey
	Count  int64
	Bytes  int64
	Millis int64
}

// Setting is a small named value.
type Setting struct {
	Name, Value string
}

// URLFilter bounds a scan over URL records; zero fields do not restrict.
type URLFilter struct {
	Host crawl.Host
}

// StatFilter bounds a scan over crawl stats; zero fields do not restrict.
type StatFilter struct {
	Host    crawl.Host
	FromDay int32 // inclusive
	ToDay   int32 // inclusive; 0 = no bound
}

// Store is durable state. It is safe for use by many goroutines.
//
// Every method that fails says what it was doing and, for a store that cannot
// go on (disk full, connection lost), leaves everything committed before
// intact.
type Store interface {
	// Acquire leases the given shards for ttl, skipping those that another
	// worker holds unexpired. A worker's own unexpired leases are taken over
	// with a new epoch. The result is sorted by shard and may be empty.
	Acquire(ctx context.Context, worker string, shards []crawl.Shard, ttl time.Duration) ([]Lease, error)
	// Renew extends leases to ttl from now. Leases that were lost are left out
	// of the result, which is sorted by shard; that is not an error.
	Renew(ctx context.Context, leases []Lease, ttl time.Duration) ([]Lease, error)
	// Release ends leases at once; stale ones are ignored.
	Release(ctx context.Context, leases []Lease) error

	// DueHosts returns up to limit hostnames of the leased shards whose Due is
	// set and not after now, earliest first, ties by name. A stale lease is a
	// FencedError.
	DueHosts(ctx context.Context, leases []Lease, now time.Time, limit int) ([]crawl.HostRecord, error)
	// Host returns the record of a hostname; false when it is not known.
	Host(ctx context.Context, host crawl.Host) (crawl.HostRecord, bool, error)
	// Robots returns the robots.txt records of a hostname, sorted by origin.
	Robots(ctx context.Context, host crawl.Host) ([]crawl.RobotsRecord, error)
	// DueURLs returns up to limit queue entries of a hostname that are due at
	// now, in order of band, due time, URL, client; only those of one client
	// unless client is "".
	DueURLs(ctx context.Context, host crawl.Host, client crawl.ClientID, now time.Time, limit int) ([]Due, error)
	// NextDue returns the earliest due time in a hostname's queue over all
	// bands, of one client unless client is ""; the zero time when there is none.
	NextDue(ctx context.Context, host crawl.Host, client crawl.ClientID) (time.Time, error)

	// Commit applies outcomes in order, all or none, durably, under leases.
	//
	//  - Host replaces the hostname's record. A zero or later Due than the
	//    earliest entry of its queue is lowered to that entry's, so that a
	//    hostname with work is always found by DueHosts; but never below
	//    Load.NotBefore.
	//    The rule holds for the queue as it is after the whole batch, and for
	//    every hostname whose queue the batch changed: hence DueHosts never
	//    misses work, and a repeated batch changes nothing.
	//  - Robots replaces the record of that origin.
	//  - Visit replaces the visit of the same client in the record of URL, and
	//    its queue entry. The record must exist or be discovered in the same
	//    or an earlier outcome of the batch; otherwise it is created from what
	//    the outcome says (Discovered: the visit's LastCrawl, else Index.At).
	//    The same goes for Index, Canonical and Links.
	//  - Index changes the record's index state and is added to its history,
	//    which is kept in order of At; a change that is already there is not
	//    added again. Its URL is that of the outcome.
	//  - Canonical and Links replace what was kept for the URL; links that are
	//    empty but not nil remove it.
	//  - Discovered inserts the URL, its host (Due = the discovery's) and a
	//    visit for the client, each only if unknown. For a known hostname Due
	//    is lowered as above. Known (URL, client) pairs are left as they are.
	//  - Claims are applied with Claim.Apply to the visits of known (URL, client)
	//    pairs, after Discovered and Visit of the same outcome, under the lease of
	//    their URL's shard. They make nothing known.
	//  - Events are added to the stats of any shard, Document to the feed of its
	//    URL's shard, under its lease.
	//
	// A batch that breaks [Validate] is refused as ErrInvalid, one under a lease
	// that is not the newest as FencedError, whether the batch needs it or not.
	//
	// Applying a batch again after it was committed changes nothing but stats
	// and feed (at-least-once), and applies claims whose URL became known behind
	// them in the same batch.
	Commit(ctx context.Context, leases []Lease, batch []*crawl.Outcome) (Receipt, error)

	// URL returns the record of u; false when it is not known.
	URL(ctx context.Context, u crawl.URL) (crawl.URLRecord, bool, error)
	// Known reports for each URL whether it is known.
	Known(ctx context.Context, urls []crawl.URL) ([]bool, error)
	// History returns the index changes of u, oldest first, the newest
	// MaxHistory at most.
	History(ctx context.Context, u crawl.URL) ([]crawl.IndexChange, error)
	// URLs iterates over URL records, in order of shard, hostname, URL.
	URLs(ctx context.Context, f URLFilter) iter.Seq2[crawl.URLRecord, error]
	// Hosts iterates over host records, in order of shard, hostname.
	Hosts(ctx context.Context) iter.Seq2[crawl.HostRecord, error]
	// Links iterates over the outgoing link hashes of pages, in the order of URLs.
	Links(ctx context.Context, f URLFilter) iter.Seq2[PageLinks, error]
	// Stats iterates over the cells of the crawl stats, in order of shard,
	// hostname, day, then the remaining fields of the key.
	Stats(ctx context.Context, f StatFilter) iter.Seq2[Stat, error]
	// Feed returns up to limit documents of a shard with Seq > after, in order.
	Feed(ctx context.Context, shard crawl.Shard, after uint64, limit int) ([]crawl.Document, error)

	// Setting returns a small named value, "" when it was never set; SetSetting
	// replaces it durably. They hold what a crawl was started with, and what the
	// owners of hostnames asked for. Settings returns those whose name starts with
	// prefix and whose value is not "", sorted by name.
	Setting(ctx context.Context, name string) (string, error)
	Settings(ctx context.Context, prefix string) ([]Setting, error)
	SetSetting(ctx context.Context, name, value string) error

	Close() error
}

// MaxHistory bounds the index changes kept for one URL (house choice).
const MaxHistory = 32
