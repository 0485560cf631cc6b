// Package record is how the stores on a disk or a database write the values of
// the vocabulary as bytes, and the parts of their keys that must sort as the
// values do. It decides nothing: each store chooses its keys, tables and
// batches, and brings its own numbers for client names ([Clients]).
//
// Invariants: what was written reads back equal, whatever the version that wrote
// it, as long as this one knows its fields; a value with unknown fields is
// refused ([ErrDamaged]), never misread; reading takes any bytes, in time and
// memory proportional to their number. The bytes are a stored format: see
// codec.go for what may change.
//
// Sources: behaviour L1, F13; the contract of package store.
package record

import (
	"trawl/internal/crawl"
	"trawl/internal/store"
)

// Clients numbers client names from 1, so that records do not repeat them.
type Clients interface {
	Number(crawl.ClientID) uint32
	Name(uint64) (crawl.ClientID, bool)
}

// AppendURL appends the record of a URL, without the URL itself.
func AppendURL(b []byte, clients Clients, r *crawl.URLRecord) []byte {
	c := writer(b, clients)
	c.record(r)
	return c.b
}

// URL reads what [AppendURL] wrote for u.
func URL(b []byte, clients Clients, u crawl.URL) (crawl.URLRecord, error) {
	c := reader(b, clients)
	r := crawl.URLRecord{URL: u}
	c.record(&r)
	return r, c.end("record of " + string(u))
}

// AppendHost appends the record of a hostname, without the name.
func AppendHost(b []byte, h *crawl.HostRecord) []byte {
	c := writer(b, nil)
	c.host(h)
	return c.b
}

// Host reads what [AppendHost] wrote for a hostname.
func Host(b []byte, name crawl.Host) (crawl.HostRecord, error) {
	c := reader(b, nil)
	h := crawl.HostRecord{Host: name}
	c.host(&h)
	return h, c.end("record of host " + string(name))
}

// AppendRobots appends a robots.txt record, without its origin.
func AppendRobots(b []byte, r *crawl.RobotsRecord) []byte {
	c := writer(b, nil)
	c.robots(r)
	return c.b
}

// Robots reads what [AppendRobots] wrote for an origin.
func Robots(b []byte, origin crawl.Origin) (crawl.RobotsRecord, error) {
	c := reader(b, nil)
	r := crawl.RobotsRecord{Origin: origin}
	c.robots(&r)
	return r, c.end("robots.txt of " + string(origin))
}

// AppendHistory appends the index changes of a URL, without the URL.
func AppendHistory(b []byte, h []crawl.IndexChange) []byte {
	c := writer(b, nil)
	c.history(&h)
	return c.b
}

// History reads what [AppendHistory] wrote for u; nil gives none.
func History(b []byte, u crawl.URL) ([]crawl.IndexChange, error) {
	if b == nil {
		return nil, nil
	}
	c := reader(b, nil)
	var h []crawl.IndexChange
	c.history(&h)
	for i := range h {
		h[i].URL = u
	}
	return h, c.end("index history of " + string(u))
}

// AppendLinks appends sorted link hashes.
func AppendLinks(b []byte, links []uint32) []byte {
	c := writer(b, nil)
	c.links(&links)
	return c.b
}

// Links reads what [AppendLinks] wrote for the page u.
func Links(b []byte, u crawl.URL) ([]uint32, error) {
	c := reader(b, nil)
	var links []uint32
	c.links(&links)
	return links, c.end("links of " + string(u))
}

// AppendDocument appends an entry of a feed, without its number.
func AppendDocument(b []byte, clients Clients, d *crawl.Document) []byte {
	c := writer(b, clients)
	c.document(d)
	return c.b
}

// Document reads what [AppendDocument] wrote under a number.
func Document(b []byte, clients Clients, seq uint64) (crawl.Document, error) {
	c := reader(b, clients)
	d := crawl.Document{Seq: seq}
	c.document(&d)
	return d, c.end("document")
}

// AppendLease appends a lease, without its shard.
func AppendLease(b []byte, l *store.Lease) []byte {
	c := writer(b, nil)
	c.lease(l)
	return c.b
}

// Lease reads what [AppendLease] wrote for a shard.
func Lease(b []byte, shard crawl.Shard) (store.Lease, error) {
	c := reader(b, nil)
	l := store.Lease{Shard: shard}
	c.lease(&l)
	return l, c.end("lease")
}
