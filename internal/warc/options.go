package warc

import (
	"crypto/rand"
	"fmt"
	"io"
	"time"
)

// Defaults of [Options].
const (
	DefaultPrefix   = "trawl"
	DefaultMaxBytes = 1 << 30 // the size that the standard's annex recommends
	DefaultLevel    = 3       // house choice: near level 6 in size, three times as fast
)

// Options say how files are named, filled and described. The zero value of a
// field means its default.
type Options struct {
	// Prefix starts every file name: letters, digits, '.', '_' and '-', at most
	// 64. Workers that share a directory or bucket need different ones.
	Prefix string
	// MaxBytes is the size in bytes at which a file is full. Only a group that
	// is larger by itself makes a larger file.
	MaxBytes int64
	Level    int // gzip level, 1 to 9

	// What the warcinfo record of every file says; empty ones are left out.
	Software     string // "trawl/1.2"
	Operator     string // who runs the crawl
	Contact      string // how to reach them
	Description  string
	IsPartOf     string // the collection or crawl this file belongs to
	RobotsPolicy string // "obey"

	Now  func() time.Time // default time.Now
	Rand io.Reader        // source of record ids; default crypto/rand; need not be safe for concurrent use
}

func (o Options) withDefaults() (Options, error) {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Level == 0 {
		o.Level = DefaultLevel
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	switch {
	case !validPrefix(o.Prefix):
		return o, fmt.Errorf("archive prefix %q: use 1 to 64 letters, digits, '.', '_' and '-', not starting with '.'", o.Prefix)
	case o.MaxBytes < 0:
		return o, fmt.Errorf("archive file size %d: it must be positive", o.MaxBytes)
	case o.Level < 1 || o.Level > 9:
		return o, fmt.Errorf("archive gzip level %d: it must be from 1 to 9", o.Level)
	}
	return o, nil
}

func validPrefix(s string) bool {
	if len(s) > 64 || s[0] == '.' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isAlnum(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
