package pgstore

import (
	"crypto/sha256"
	"fmt"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

const (
	maxKey  = 2000 // bytes of a URL in an index, whose entries have at most 2,700
	cutKey  = 1969 // of a longer one, its hash follows; together more than maxKey
	maxName = 1000 // bytes of names in an index: hostnames, origins, clients, settings
)

// place is where a URL stands in the tables: with the number of its hostname.
type place struct {
	key  []byte
	long []byte // the whole of what key was cut from, nil if it was not
}

func urlPlace(h crawl.Host, u crawl.URL) place {
	form, rest := record.ShortURL(h, u)
	k := append(append(make([]byte, 0, 1+len(rest)), form), rest...)
	if len(k) <= maxKey {
		return place{key: k}
	}
	sum := sha256.Sum256(k)
	return place{key: append(append(make([]byte, 0, cutKey+len(sum)), k[:cutKey]...), sum[:]...), long: k}
}

// url undoes urlPlace.
func (p place) url(h crawl.Host) (crawl.URL, error) {
	k := p.key
	if p.long != nil {
		k = p.long
	}
	if len(k) == 0 {
		return "", fmt.Errorf("key of a URL of %s: %w", h, record.ErrDamaged)
	}
	return record.LongURL(h, k[0], string(k[1:]))
}

// timeKey is a due time as a column: nil for none.
func timeKey(t time.Time) []byte {
	if t.IsZero() {
		return nil
	}
	return record.AppendTime(nil, t)
}

func keyTime(b []byte) (time.Time, error) {
	if b == nil {
		return time.Time{}, nil
	}
	t, _, err := record.CutTime(b)
	return t, err
}

// part is one client's part of one band of a queue, as the column has it.
func part(client uint32, b crawl.Band) int16 { return int16(client<<3 | uint32(b)) }

// checkNames refuses what no index takes.
func checkNames(batch []*crawl.Outcome) error {
	check := func(what, name string) error {
		if len(name) > maxName {
			return fmt.Errorf("%w: %s %.100q… has %d bytes, a database keeps at most %d", store.ErrInvalid, what, name, len(name), maxName)
		}
		return nil
	}
	for _, o := range batch {
		if o.Host != nil {
			if err := check("hostname", string(o.Host.Host)); err != nil {
				return err
			}
		}
		for i := range o.Robots {
			if err := check("origin", string(o.Robots[i].Origin)); err != nil {
				return err
			}
		}
		for i := range o.Discovered {
			if err := check("hostname", string(o.Discovered[i].URL.Host())); err != nil {
				return err
			}
		}
		for i := range o.Events {
			if err := check("hostname", string(o.Events[i].Host)+string(o.Events[i].Client)); err != nil {
				return err
			}
		}
		if err := check("hostname", string(o.URL.Host())); err != nil {
			return err
		}
	}
	return nil
}
