package pebblestore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/record"
)

// The keyspaces.
const (
	spaceClient  = 'c'
	spaceDue     = 'd'
	spaceFeed    = 'f'
	spaceHost    = 'h'
	spaceHistory = 'i'
	spaceLinks   = 'k'
	spaceLease   = 'l'
	spaceQueue   = 'q'
	spaceRobots  = 'r'
	spaceSetting = 's'
	spaceStats   = 't'
	spaceURL     = 'u'
)

var errKey = errors.New("stored key is damaged")

// appendShard starts a key.
func appendShard(b []byte, space byte, s crawl.Shard) []byte {
	return append(b, space, byte(s>>8), byte(s))
}

// appendHostPrefix starts a key of which the hostname is not the last part.
func appendHostPrefix(b []byte, space byte, h crawl.Host) []byte {
	return appendEscaped(appendShard(b, space, crawl.ShardOf(h)), string(h))
}

const shardLen = 3 // bytes that appendShard appends

// appendEscaped appends s so that the order of strings is the order of bytes
// whatever follows: 0 becomes 0 255, the end is 0 1.
func appendEscaped(b []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			return append(append(b, s...), 0, 1)
		}
		b = append(append(b, s[:i]...), 0, 255)
		s = s[i+1:]
	}
}

// cutEscaped undoes appendEscaped; rest is what follows the end mark.
func cutEscaped(b []byte) (s string, rest []byte, err error) {
	i := bytes.IndexByte(b, 0)
	if i >= 0 && i+1 < len(b) && b[i+1] == 1 { // nothing was escaped
		return string(b[:i]), b[i+2:], nil
	}
	var out []byte
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 || i+1 >= len(b) {
			return "", nil, errKey
		}
		out = append(out, b[:i]...)
		mark := b[i+1]
		b = b[i+2:]
		switch mark {
		case 1:
			return string(out), b, nil
		case 255:
			out = append(out, 0)
		default:
			return "", nil, errKey
		}
	}
}

// appendURLKey makes the key of a URL in one of the keyspaces led by (shard,
// host, URL).
func appendURLKey(b []byte, space byte, u crawl.URL) []byte {
	h := u.Host()
	form, rest := record.ShortURL(h, u)
	return append(append(appendHostPrefix(b, space, h), form), rest...)
}

func parseURLKey(k []byte) (crawl.URL, error) {
	h, tail, err := cutHost(k)
	if err != nil || len(tail) == 0 {
		return "", errKey
	}
	return record.LongURL(h, tail[0], string(tail[1:]))
}

func cutHost(k []byte) (crawl.Host, []byte, error) {
	if len(k) < shardLen {
		return "", nil, errKey
	}
	h, rest, err := cutEscaped(k[shardLen:])
	return crawl.Host(h), rest, err
}

// after returns the first key behind all keys that start with prefix, which
// does not end in 255 bytes only.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

func hostKey(h crawl.Host) []byte {
	return append(appendShard(nil, spaceHost, crawl.ShardOf(h)), h...)
}

func dueKey(h crawl.Host, due time.Time) []byte {
	return append(record.AppendTime(appendShard(nil, spaceDue, crawl.ShardOf(h)), due), h...)
}

// appendQueuePrefix makes the prefix of one client's entries of one band in the
// queue of a hostname; due time and URL follow.
func appendQueuePrefix(b []byte, h crawl.Host, client uint32, band crawl.Band) []byte {
	return append(binary.BigEndian.AppendUint32(appendHostPrefix(b, spaceQueue, h), client), byte(band))
}

func robotsKey(o crawl.Origin) []byte {
	return append(appendHostPrefix(nil, spaceRobots, o.Host()), o...)
}

func leaseKey(s crawl.Shard) []byte { return appendShard(nil, spaceLease, s) }

func feedKey(s crawl.Shard, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(appendShard(nil, spaceFeed, s), seq)
}

func settingKey(name string) []byte { return append([]byte{spaceSetting}, name...) }

func clientKey(num uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{spaceClient}, num)
}

func statsKey(k store.StatKey) []byte {
	b := appendHostPrefix(nil, spaceStats, k.Host)
	b = binary.BigEndian.AppendUint32(b, uint32(k.Day)^1<<31)
	b = appendEscaped(b, string(k.Client))
	sent := byte(0)
	if k.Sent {
		sent = 1
	}
	return append(b, byte(k.Type), byte(k.Purpose), byte(k.Response), byte(k.File), byte(k.Kind), sent)
}

func parseStatsKey(b []byte) (store.StatKey, error) {
	h, b, err := cutHost(b)
	if err != nil || len(b) < 4 {
		return store.StatKey{}, errKey
	}
	day := int32(binary.BigEndian.Uint32(b) ^ 1<<31)
	client, b, err := cutEscaped(b[4:])
	if err != nil || len(b) != 6 {
		return store.StatKey{}, errKey
	}
	return store.StatKey{
		Host: h, Day: day, Client: crawl.ClientID(client), Type: crawl.ClientType(b[0]), Purpose: crawl.Purpose(b[1]),
		Response: crawl.Response(b[2]), File: crawl.FileType(b[3]), Kind: crawl.Kind(b[4]), Sent: b[5] == 1,
	}, nil
}
