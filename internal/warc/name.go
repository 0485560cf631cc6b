package warc

import (
	"fmt"
	"strings"
	"time"
)

// Suffixes of archive files.
const (
	suffixFinal   = ".warc.gz"
	suffixOpen    = suffixFinal + ".open"
	suffixDamaged = ".damaged" // after the final name: a tail put aside by recovery
)

// stampLayout is the 14-digit time of the standard's file name annex.
const stampLayout = "20060102150405"

func fileName(prefix string, at time.Time, serial int) string {
	return fmt.Sprintf("%s-%s-%05d%s", prefix, at.UTC().Format(stampLayout), serial, suffixFinal)
}

// ownOpenName reports whether name is a file that a writer with this prefix
// would have been writing, and gives its final name. It is strict: other
// archivers use the same suffix for files that are none of ours to cut.
func ownOpenName(name, prefix string) (final string, ok bool) {
	final, ok = strings.CutSuffix(name, ".open")
	if !ok {
		return "", false
	}
	rest, ok := strings.CutSuffix(final, suffixFinal)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(rest, prefix+"-")
	if !ok {
		return "", false
	}
	stamp, serial, ok := strings.Cut(rest, "-")
	return final, ok && len(stamp) == len(stampLayout) && digits(stamp) && len(serial) >= 5 && digits(serial)
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
